#include "collector/paths/seen_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"
#include "cct/base/hash_table.h"

/*
 * The outermost function may begin twice on one stack, as those of the dynamic linker and of the
 * program do, a few words apart. No two stacks are that close.
 */
#define PLACE_BITS 8
#define NO_PLACE   UINT64_MAX /* of the process itself, which was seen */

struct seen_stack {
	uint64_t place; /* of the root's stack pointer, in 1 << PLACE_BITS bytes */
	uint32_t process;
	bool is_used;
	uint32_t *frames;
	size_t n_frames, n_allocated;
};

struct seen_stacks {
	struct hash_table table;
	bool was_full; /* which processes were seen is not known any more */
};

struct stack_key {
	uint64_t place;
	uint32_t process;
};

static bool slot_is_used(const void *slot)
{
	return ((const struct seen_stack *)slot)->is_used;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	const struct seen_stack *of = slot;
	const struct stack_key *wanted = key;

	(void)owner;
	return of->place == wanted->place && of->process == wanted->process;
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	const struct seen_stack *of = slot;

	(void)owner;
	return hash_pair(of->place, of->process);
}

static const struct hash_table_type stacks_by_place = {
	.slot_size = sizeof(struct seen_stack),
	.first_slots = 64,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

struct seen_stacks *seen_stacks_create(void)
{
	return calloc(1, sizeof(struct seen_stacks));
}

static void forget_all(struct seen_stacks *stacks)
{
	struct seen_stack *stack = NULL;

	while ((stack = hash_table_next(&stacks->table, &stacks_by_place, stack)))
		free(stack->frames);
	hash_table_deinit(&stacks->table);
	stacks->table = (struct hash_table){ 0 };
}

void seen_stacks_destroy(struct seen_stacks *stacks)
{
	if (!stacks)
		return;
	forget_all(stacks);
	free(stacks);
}

static struct seen_stack *find(const struct seen_stacks *stacks, uint32_t process, uint64_t place)
{
	const struct stack_key key = { .place = place, .process = process };

	return hash_table_find(&stacks->table, &stacks_by_place, hash_pair(place, process), &key,
			       NULL);
}

static struct seen_stack *add(struct seen_stacks *stacks, uint32_t process, uint64_t place)
{
	if (stacks->table.n_used == SEEN_STACKS_MAX) {
		forget_all(stacks);
		stacks->was_full = true;
	}
	struct seen_stack *stack = hash_table_insert(&stacks->table, &stacks_by_place,
						     hash_pair(place, process), NULL);
	if (stack)
		*stack = (struct seen_stack){ .place = place, .process = process, .is_used = true };
	return stack;
}

static struct seen_stack *find_near(const struct seen_stacks *stacks, const struct seen_path *path)
{
	const uint64_t place = path->root_sp >> PLACE_BITS;
	struct seen_stack *stack = find(stacks, path->process, place);

	if (!stack)
		stack = find(stacks, path->process, place + 1);
	return stack || !place ? stack : find(stacks, path->process, place - 1);
}

static int keep_path(struct seen_stack *stack, const struct seen_path *path)
{
	const size_t n = path->n_frames < SEEN_FRAMES_MAX ? path->n_frames : SEEN_FRAMES_MAX;

	stack->n_frames = 0;
	if (!n)
		return 0;
	if (array_reserve(stack->frames, 0, stack->n_allocated, n))
		return -ENOMEM;
	memcpy(stack->frames, path->frames, n * sizeof(*stack->frames));
	stack->n_frames = n;
	return 0;
}

static size_t count_new(const struct seen_stack *last, const struct seen_path *path)
{
	const size_t n_most = path->n_frames < last->n_frames ? path->n_frames : last->n_frames;
	size_t n = 0;

	while (n < n_most && last->frames[n] == path->frames[n])
		n++;
	if (n == path->n_frames || n == SEEN_FRAMES_MAX)
		return 0;
	/* Where the last path ended, nothing was called. */
	return path->n_frames - n - (n < last->n_frames);
}

/* The first path of a stack. */
static int enter_first(struct seen_stacks *stacks, const struct seen_path *path, size_t *n_new_ret)
{
	const bool is_first = !find(stacks, path->process, NO_PLACE);

	*n_new_ret = is_first && path->has_begun && !stacks->was_full ? path->n_frames : 0;
	if (is_first && !add(stacks, path->process, NO_PLACE))
		return -ENOMEM;
	struct seen_stack *stack = add(stacks, path->process, path->root_sp >> PLACE_BITS);
	return stack ? keep_path(stack, path) : -ENOMEM;
}

int seen_stacks_enter(struct seen_stacks *stacks, const struct seen_path *path, size_t *n_new_ret)
{
	struct seen_stack *stack = find_near(stacks, path);

	if (!stack)
		return enter_first(stacks, path, n_new_ret);
	*n_new_ret = count_new(stack, path);
	return keep_path(stack, path);
}
