#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/base/hash.h"
#include "collector/paths/seen_stacks.h"

#define ROOT_SP UINT64_C(0x7ffc00001000)

/* Paths are words: a letter is a frame of a certain address, where it is tells its stack pointer.
 */
static size_t enter(struct seen_stacks *stacks, uint32_t process, uint64_t root_sp, bool has_begun,
		    const char *word)
{
	uint32_t frames[64];
	struct seen_path path = { .process = process,
				  .has_begun = has_begun,
				  .root_sp = root_sp,
				  .frames = frames,
				  .n_frames = strlen(word) };
	size_t n_new = 1000;

	for (size_t i = 0; i < path.n_frames; i++)
		frames[i] = hash_pair((uint64_t)word[i], root_sp - i * 64);
	assert_int_equal(seen_stacks_enter(stacks, &path, &n_new), 0);
	return n_new;
}

static size_t enter_word(struct seen_stacks *stacks, const char *word)
{
	return enter(stacks, 1, ROOT_SP, true, word);
}

static void a_program_that_began_has_called_all_of_its_first_path(void **state)
{
	assert_int_equal(enter_word(*state, "smfa"), 4);
	assert_int_equal(enter_word(*state, "smfa"), 0);
}

static void a_program_that_ran_already_has_called_nothing_at_first(void **state)
{
	assert_int_equal(enter(*state, 1, ROOT_SP, false, "smfa"), 0);
	assert_int_equal(enter(*state, 1, ROOT_SP, false, "smgab"), 2);
}

/* The call that f was in may be the one that g is in: f and g may be places in one function. */
static void what_is_called_below_the_first_difference_is_new(void **state)
{
	enter_word(*state, "smfab");
	assert_int_equal(enter_word(*state, "smgab"), 2);
	assert_int_equal(enter_word(*state, "smg"), 0);
	assert_int_equal(enter_word(*state, "smh"), 0);
	assert_int_equal(enter_word(*state, "smhabc"), 3);
	assert_int_equal(enter_word(*state, "smhabd"), 0);
	assert_int_equal(enter_word(*state, "smi"), 0);
}

static void a_frame_at_another_place_is_another_call(void **state)
{
	uint32_t frames[] = { 1, 2, 3, 4 };
	struct seen_path path = { .process = 1, .frames = frames, .n_frames = 4 };
	size_t n_new;

	assert_int_equal(seen_stacks_enter(*state, &path, &n_new), 0);
	frames[1] = 5;
	assert_int_equal(seen_stacks_enter(*state, &path, &n_new), 0);
	assert_int_equal(n_new, 2);
}

static void stacks_are_told_apart_by_place_and_process(void **state)
{
	assert_int_equal(enter_word(*state, "smfa"), 4);
	assert_int_equal(enter(*state, 1, ROOT_SP - 65536, true, "tu"), 0);
	assert_int_equal(enter(*state, 2, ROOT_SP, false, "smfa"), 0);
	assert_int_equal(enter_word(*state, "smfa"), 0);
	assert_int_equal(enter(*state, 1, ROOT_SP - 65536, true, "tvw"), 1);
	assert_int_equal(enter(*state, 2, ROOT_SP, false, "smgb"), 1);
	assert_int_equal(enter(*state, 3, ROOT_SP, true, "smgb"), 4);
}

/* As _start of the dynamic linker and of the program are, on both sides of a multiple of 256. */
static void roots_that_are_a_few_words_apart_are_on_one_stack(void **state)
{
	assert_int_equal(enter(*state, 1, ROOT_SP, true, "ld"), 2);
	assert_int_equal(enter(*state, 1, ROOT_SP - 16, true, "smf"), 2);
	assert_int_equal(enter(*state, 1, ROOT_SP, true, "lde"), 2);
}

static void of_very_deep_stacks_the_inner_calls_are_not_counted(void **state)
{
	enum { N = SEEN_FRAMES_MAX + 10 };
	uint32_t *frames = calloc(N, sizeof(*frames));
	struct seen_path path = {
		.process = 1, .has_begun = true, .frames = frames, .n_frames = N
	};
	size_t n_new;

	assert_non_null(frames);
	assert_int_equal(seen_stacks_enter(*state, &path, &n_new), 0);
	frames[N - 3] = 1;
	assert_int_equal(seen_stacks_enter(*state, &path, &n_new), 0);
	assert_int_equal(n_new, 0);
	free(frames);
}

static void many_stacks_need_bounded_memory_and_count_less(void **state)
{
	for (uint64_t i = 0; i <= SEEN_STACKS_MAX; i++)
		enter(*state, 1, ROOT_SP + (i << 16), false, "tu");
	assert_int_equal(enter(*state, 1, ROOT_SP, true, "tuvw"), 0);
	assert_int_equal(enter(*state, 2, ROOT_SP, true, "tuvw"), 0);
	assert_int_equal(enter(*state, 2, ROOT_SP, true, "tuxyz"), 2);
}

/* A program that calls and returns at random, on two stacks that take turns. */
enum { N_STACKS = 2, MAX_DEPTH = 30, N_STEPS = 20000 };

struct call {
	uint64_t sp;   /* of its frame when it calls */
	uint32_t site; /* where in its code it is */
	bool *is_counted;
};

struct machine {
	uint32_t random;
	struct call calls[N_STACKS][MAX_DEPTH];
	size_t depths[N_STACKS];
	bool *counted; /* by call */
	size_t n_calls;
};

static uint32_t draw(struct machine *machine, uint32_t n)
{
	machine->random = machine->random * 1664525u + 1013904223u;
	return (machine->random >> 16) % n;
}

/* Frames have few sizes and functions few places, so calls often are where another one was. */
static void call(struct machine *machine, size_t stack)
{
	struct call *calls = machine->calls[stack];
	size_t depth = machine->depths[stack]++;

	calls[depth] = (struct call){
		.sp = (depth ? calls[depth - 1].sp : ROOT_SP - (stack << 20)) -
		      16 * (1 + draw(machine, 2)),
		.site = draw(machine, 3),
		.is_counted = &machine->counted[machine->n_calls++],
	};
}

static void step(struct machine *machine, size_t stack)
{
	size_t *depth = &machine->depths[stack];
	uint32_t what = draw(machine, 3);

	if (what == 0 && *depth > 2)
		(*depth)--;
	else if (what == 1 && *depth < MAX_DEPTH)
		call(machine, stack);
	else
		machine->calls[stack][*depth - 1].site = draw(machine, 3);
}

/* Enters the stack, and checks that no call is counted twice. Returns how many are. */
static size_t sample(struct machine *machine, struct seen_stacks *stacks, size_t stack)
{
	uint32_t frames[MAX_DEPTH];
	size_t depth = machine->depths[stack], n_new;
	struct seen_path path = { .process = 1,
				  .has_begun = true,
				  .root_sp = machine->calls[stack][0].sp,
				  .frames = frames,
				  .n_frames = depth };

	for (size_t i = 0; i < depth; i++)
		frames[i] = hash_pair(machine->calls[stack][i].site, machine->calls[stack][i].sp);
	assert_int_equal(seen_stacks_enter(stacks, &path, &n_new), 0);
	assert_in_range(n_new, 0, depth);
	for (size_t i = depth - n_new; i < depth; i++) {
		assert_false(*machine->calls[stack][i].is_counted);
		*machine->calls[stack][i].is_counted = true;
	}
	return n_new;
}

static void no_call_of_generated_programs_is_counted_twice(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 40; seed++) {
		struct machine machine = { .random = seed };
		struct seen_stacks *stacks = seen_stacks_create();
		size_t n_counted = 0;

		machine.counted = calloc(N_STEPS + 2 * N_STACKS, sizeof(bool));
		assert_non_null(stacks);
		assert_non_null(machine.counted);
		for (size_t stack = 0; stack < N_STACKS; stack++) {
			call(&machine, stack);
			call(&machine, stack);
		}
		for (unsigned i = 0; i < N_STEPS; i++) {
			size_t stack = draw(&machine, 10) ? 0 : 1;

			step(&machine, stack);
			if (!draw(&machine, 1 + seed % 13))
				n_counted += sample(&machine, stacks, stack);
		}
		assert_in_range(n_counted, 10, machine.n_calls);
		free(machine.counted);
		seen_stacks_destroy(stacks);
	}
}

static int set_up(void **state)
{
	*state = seen_stacks_create();
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	seen_stacks_destroy(*state);
	return 0;
}

#define STACKS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		STACKS_TEST(a_program_that_began_has_called_all_of_its_first_path),
		STACKS_TEST(a_program_that_ran_already_has_called_nothing_at_first),
		STACKS_TEST(what_is_called_below_the_first_difference_is_new),
		STACKS_TEST(a_frame_at_another_place_is_another_call),
		STACKS_TEST(stacks_are_told_apart_by_place_and_process),
		STACKS_TEST(roots_that_are_a_few_words_apart_are_on_one_stack),
		STACKS_TEST(of_very_deep_stacks_the_inner_calls_are_not_counted),
		STACKS_TEST(many_stacks_need_bounded_memory_and_count_less),
		cmocka_unit_test(no_call_of_generated_programs_is_counted_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
