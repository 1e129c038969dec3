/*
 * Memory that is freed all at once: for many small things with one lifetime. What an arena gave out
 * never moves. All zero is an empty arena. Not for several threads at a time.
 */
#ifndef CCT_BASE_ARENA_H
#define CCT_BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_chunk *chunks; /* newest first */
};

void arena_deinit(struct arena *arena);
/* Zeroed, and aligned for any type. NULL: not enough memory. */
void *arena_alloc(struct arena *arena, size_t size);
/* A copy of @size bytes with a zero after them. NULL: not enough memory. */
char *arena_copy_text(struct arena *arena, const char *text, size_t size);

#endif
