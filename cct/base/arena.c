#include "cct/base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE ((size_t)64 * 1024)

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	_Alignas(max_align_t) char bytes[];
};

void arena_deinit(struct arena *arena)
{
	for (struct arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	arena->chunks = NULL;
}

static struct arena_chunk *add_chunk(struct arena *arena, size_t min_size)
{
	size_t size = min_size > CHUNK_SIZE ? min_size : CHUNK_SIZE;

	if (size > SIZE_MAX - sizeof(struct arena_chunk))
		return NULL;
	struct arena_chunk *chunk = malloc(sizeof(*chunk) + size);
	if (!chunk)
		return NULL;
	*chunk = (struct arena_chunk){ .next = arena->chunks, .size = size };
	arena->chunks = chunk;
	return chunk;
}

/* @alignment: a power of two. */
static void *take_bytes(struct arena *arena, size_t size, size_t alignment)
{
	struct arena_chunk *chunk = arena->chunks;
	size_t start = chunk ? (chunk->used + alignment - 1) & ~(alignment - 1) : 0;

	if (!chunk || start > chunk->size || size > chunk->size - start) {
		chunk = add_chunk(arena, size);
		start = 0;
	}
	if (!chunk)
		return NULL;
	chunk->used = start + size;
	return chunk->bytes + start;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	void *memory = take_bytes(arena, size, _Alignof(max_align_t));

	return memory ? memset(memory, 0, size) : NULL;
}

char *arena_copy_text(struct arena *arena, const char *text, size_t size)
{
	char *copy = size < SIZE_MAX ? take_bytes(arena, size + 1, 1) : NULL;

	if (!copy)
		return NULL;
	memcpy(copy, text, size);
	copy[size] = '\0';
	return copy;
}
