/*
 * Texts of a part that come again and again: names of processes and threads. Each is written where
 * it is first used, and has a number from then on. One that is as expected is number 0.
 */
#ifndef CCT_STORE_KNOWN_TEXTS_H
#define CCT_STORE_KNOWN_TEXTS_H

#include "cct/encoding/byte_buffer.h"
#include "cct/object/dwarf_reader.h"
#include "cct/text/string_ids.h"

/* All zero knows none. */
struct known_texts {
	struct string_ids ids; /* the number is one more */
};

void known_texts_deinit(struct known_texts *known);
/* @expected: NULL: nothing is. */
void known_texts_write(struct byte_buffer *body, struct known_texts *known, const char *text,
		       const char *expected);
/* *@text_ret is valid as long as @known and @expected are. 0, -ENOMEM, or -EINVAL. */
int known_texts_read(struct dwarf_reader *body, struct known_texts *known, const char *expected,
		     const char **text_ret);

#endif
