#include "collector/record/stacks/stack_guards.h"

#include "collector/paths/sample_path.h"

/* The last return addresses below these parts of the copy. */
static void pick_guard(struct guarded_walk *walk, const struct unwind_walk *at, size_t size)
{
	static const unsigned sixteenths[N_GUARDS] = { 8, 12, 15 };
	uint64_t slot = at->regs.values[at->arch->sp] - at->arch->pointer_size;
	uint64_t offset = slot - at->stack.start;
	size_t n = 0;

	if (at->is_exact || offset >= size)
		return;
	while (n < N_GUARDS && offset > size / 16 * sixteenths[n])
		n++;
	/* A return address below the n-th bound replaces the previous one there. */
	for (size_t i = n; i < N_GUARDS; i++)
		walk->guards[i] = (struct stack_guard){ slot, at->regs.pc };
}

static void drop_doubles(struct guarded_walk *walk)
{
	size_t n = 0;

	for (size_t i = 0; i < N_GUARDS; i++) {
		if (walk->guards[i].addr &&
		    (!n || walk->guards[i].addr != walk->guards[n - 1].addr))
			walk->guards[n++] = walk->guards[i];
	}
	walk->n_guards = n;
}

/* After a signal frame: the interrupted code ran on another stack. */
static bool is_elsewhere(const struct unwind_walk *walk)
{
	return walk->is_exact &&
	       walk->regs.values[walk->arch->sp] - walk->stack.start >= walk->stack.size;
}

void guarded_walk(struct unwinder *unwinder, const struct address_space *space,
		  const struct user_stack *stack, struct guarded_walk *ret)
{
	struct unwind_walk walk;

	*ret = (struct guarded_walk){ .first_sp = stack->regs.values[stack->arch->sp] };
	unwind_begin(&walk, unwinder, space, stack);
	/* The loop ends: each frame except a leaf moves up the stack, whose copy is small. */
	for (size_t i = 0; i < SAMPLE_PATH_MAX_USER && unwind_frame(&walk); i++) {
		ret->last_sp = walk.regs.values[walk.arch->sp];
		if (!unwind_caller(&walk))
			break;
		ret->is_elsewhere |= is_elsewhere(&walk);
		pick_guard(ret, &walk, stack->size);
	}
	ret->end = walk.end;
	drop_doubles(ret);
}
