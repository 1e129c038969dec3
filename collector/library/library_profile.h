/*
 * A profile as libdendro gives it (cct/api/dendro.h): the profile of the reading side, its fold,
 * and what is made of these when it is opened, so that it does not change while it is looked at, by
 * however many threads.
 */
#ifndef COLLECTOR_LIBRARY_LIBRARY_PROFILE_H
#define COLLECTOR_LIBRARY_LIBRARY_PROFILE_H

#include "cct/api/dendro.h"
#include "cct/base/arena.h"
#include "cct/model/profile.h"
#include "cct/object/file_search.h"
#include "report/fold/fold.h"
#include "report/names/symbolize.h"

struct dendro_profile {
	struct file_search *files; /* of a recording */
	struct profile *profile;
	struct symbolizer *symbolizer;
	struct fold *fold;
	uint32_t *folded; /* by node of the profile's tree: the fold's */
	struct node_children children;
	struct arena arena;     /* has all that follows */
	const char **build_ids; /* by module; NULL: not known */
	struct dendro_info info;
	struct dendro_metric *metrics;
	struct dendro_process *processes;
	struct dendro_thread *threads;
	uint64_t *process_total, *thread_total;
	struct dendro_frame *frames;
	uint64_t *frame_self, *frame_total;
	uint32_t *parents, *node_frames;
	struct dendro_counter *counters;
	size_t n_counters;
	struct dendro_missing *missing;
	size_t n_missing;
	const char **notes;
	size_t n_notes;
};

/* Adds a sentence, which is copied. 0 or -ENOMEM. */
int library_profile_note(struct dendro_profile *profile, const char *sentence);

#endif
