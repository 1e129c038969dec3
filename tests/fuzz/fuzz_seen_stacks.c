/*
 * Paths of any kind, in any order. Input: paths, one after the other (struct step). No path has
 * more new calls than frames, a path that comes twice has none the second time, and of a path that
 * goes on where the last one ended, only what is further in is new.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/paths/seen_stacks.h"

#define MAX_FRAMES 64

struct step {
	uint8_t process, root, n_frames, has_begun;
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Reads a path whose frames are single bytes. The bytes used, or 0: there are no more. */
static size_t take_path(const uint8_t *bytes, size_t size, uint32_t *frames, struct seen_path *path)
{
	struct step step;

	if (size < sizeof(step))
		return 0;
	memcpy(&step, bytes, sizeof(step));
	const size_t n = 2 + step.n_frames % (MAX_FRAMES - 2);
	if (size - sizeof(step) < n)
		return 0;
	for (size_t i = 0; i < n; i++)
		frames[i] = bytes[sizeof(step) + i];
	/* Some stacks are one, some are next to each other, and one is at the start of memory. */
	*path = (struct seen_path){ .process = step.process % 4,
				    .has_begun = step.has_begun % 2,
				    .root_sp = (uint64_t)step.root * 100,
				    .frames = frames,
				    .n_frames = n };
	return sizeof(step) + n;
}

static size_t enter(struct seen_stacks *stacks, const struct seen_path *path)
{
	size_t n_new = SIZE_MAX;

	if (seen_stacks_enter(stacks, path, &n_new) == 0 && n_new > path->n_frames)
		abort();
	return n_new;
}

/* A path that begins like the one before has only calls beyond what both have. */
static void check_longer(struct seen_stacks *stacks, struct seen_path *path, uint32_t *frames)
{
	const size_t n = path->n_frames;

	frames[n] = 1000;
	path->n_frames = n + 1;
	if (enter(stacks, path) != 1)
		abort();
	frames[n] = 2000;
	if (enter(stacks, path) != 0)
		abort();
	path->n_frames = n;
	if (enter(stacks, path) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct seen_stacks *stacks = seen_stacks_create();
	uint32_t frames[MAX_FRAMES + 1];
	struct seen_path path;
	size_t used;

	while (stacks && (used = take_path(bytes, size, frames, &path))) {
		enter(stacks, &path);
		if (enter(stacks, &path) != 0)
			abort();
		check_longer(stacks, &path, frames);
		bytes += used;
		size -= used;
	}
	seen_stacks_destroy(stacks);
	return 0;
}
