/*
 * Frames that a program describes by names become frames of a profile: each distinct function of a
 * module gets a range of offsets, and each place in it, with what is inlined there, one offset.
 */
#ifndef COLLECTOR_LIBRARY_WRITTEN_NAMES_H
#define COLLECTOR_LIBRARY_WRITTEN_NAMES_H

#include "cct/api/dendro.h"
#include "cct/model/profile.h"

/* All zero is empty. */
struct written_names {
	struct string_ids codes;     /* texts that describe them; by number: */
	struct frame *frames;        /* what they are in the profile */
	struct string_ids functions; /* likewise */
	uint32_t *n_places;          /* of each function */
};

void written_names_deinit(struct written_names *names);
/*
 * The frame of a compiled function and the @n - 1 functions that are inlined into it, outermost
 * first; @module: where its own says nothing. The profile must have ->names, which get those of new
 * frames. 0, -ENOMEM, or -E2BIG: there are more inlined functions, or places in a function, than a
 * profile has room for.
 */
int written_names_frame(struct written_names *names, struct profile *profile, const char *module,
			const struct dendro_path_frame *frames, size_t n, struct frame *frame_ret);

#endif
