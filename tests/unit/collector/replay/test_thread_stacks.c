/* Stack records as in a recording, and the known memory of the threads after them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/replay/thread_stacks.h"

enum { PID = 10, TID = 11, SPACE = 4096 };
#define START 0x1000ull

struct fixture {
	struct profile *profile;
	struct processes *processes;
	struct thread_stacks *stacks;
};

static int setup(void **state)
{
	static struct fixture fixture;

	fixture.profile = profile_create();
	fixture.processes = processes_create(fixture.profile, NULL);
	fixture.stacks = thread_stacks_create(fixture.processes);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	processes_destroy(fixture->processes);
	thread_stacks_destroy(fixture->stacks);
	profile_destroy(fixture->profile);
	return 0;
}

static const struct stack_memory *memory_of(struct fixture *fixture)
{
	return processes_thread(fixture->processes, PID, TID)->memory;
}

static int apply(struct fixture *fixture, struct stack_record_header header, const uint64_t *words,
		 const void *bytes)
{
	uint64_t space[SPACE / 8];

	header.pid = PID;
	header.tid = TID;
	stack_record_encode(&header, words, bytes, (struct perf_event_header *)space);
	return thread_stacks_apply(fixture->stacks, machine_find("x86_64"),
				   (struct perf_event_header *)space);
}

static const uint64_t guards[] = { START, 1, START + 8, 2 };

static int apply_rest(struct fixture *fixture, uint32_t offset, uint32_t part_size)
{
	static const uint64_t bytes[] = { 1, 2, 3 };
	const struct stack_record_header header = { .kind = STACK_RECORD_REST,
						    .n_words = 4,
						    .start = START,
						    .end = START + 24,
						    .size = 24,
						    .offset = offset,
						    .part_size = part_size };

	return apply(fixture, header, guards, (const uint8_t *)bytes + offset);
}

static void a_rest_is_good_until_its_guards_are_touched(void **state)
{
	struct stack_record_header touched = { .kind = STACK_RECORD_TOUCHED, .start = START };

	assert_int_equal(apply_rest(*state, 0, 24), 0);
	assert_int_equal(memory_of(*state)->n_guards, 2);
	assert_int_equal(apply(*state, touched, NULL, NULL), 0);
	assert_false(stack_memory_has_guard(memory_of(*state), START, 1));
	assert_true(stack_memory_has_guard(memory_of(*state), START + 8, 2));
	touched.start = START + 8;
	assert_int_equal(apply(*state, touched, NULL, NULL), 0);
	assert_int_equal(memory_of(*state)->n_guards, 0);
}

static void parts_are_put_together(void **state)
{
	assert_int_equal(apply_rest(*state, 0, 8), 0);
	assert_null(memory_of(*state));
	assert_int_equal(apply_rest(*state, 8, 12), 0);
	assert_int_equal(apply_rest(*state, 20, 4), 0);
	assert_int_equal(memory_of(*state)->n_guards, 2);
	assert_int_equal(*stack_memory_find(memory_of(*state), START + 16, 8), 3);
}

static void parts_that_do_not_follow_are_refused(void **state)
{
	assert_int_equal(apply_rest(*state, 8, 8), -EINVAL);
	assert_int_equal(apply_rest(*state, 0, 8), 0);
	assert_int_equal(apply_rest(*state, 16, 8), -EINVAL);
	assert_int_equal(apply_rest(*state, 0, 8), 0);
	assert_int_equal(apply_rest(*state, 8, 8), 0);
	assert_int_equal(apply_rest(*state, 8, 8), -EINVAL);
	assert_null(memory_of(*state));
}

static void a_rest_that_makes_no_sense_leaves_no_guard(void **state)
{
	struct stack_record_header header = { .kind = STACK_RECORD_REST,
					      .n_words = 4,
					      .start = START,
					      .end = START + 24,
					      .size = 16,
					      .part_size = 16 };

	assert_int_equal(apply_rest(*state, 0, 24), 0);
	header.end = START - 8;
	assert_int_equal(apply(*state, header, guards, guards), -EINVAL);
	assert_int_equal(memory_of(*state)->n_guards, 0);
	header.end = START + STACK_RECORD_SIZE_MAX + 8;
	assert_int_equal(apply(*state, header, guards, guards), -EINVAL);
	header.end = START + 16;
	header.n_words = 10;
	assert_int_equal(apply(*state, header, (uint64_t[10]){ 0 }, guards), -EINVAL);
	assert_int_equal(memory_of(*state)->n_guards, 0);
}

static void what_ends_a_thread_ends_what_is_known_of_it(void **state)
{
	static const struct record records[] = {
		{ .type = PERF_RECORD_EXIT, .task = { .pid = PID, .tid = TID } },
		{ .type = PERF_RECORD_COMM,
		  .comm = { .pid = PID, .tid = TID, .is_exec = true, .name = "new" } },
		{ .type = PERF_RECORD_FORK,
		  .task = { .pid = PID, .tid = TID, .ppid = PID, .ptid = PID } },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		assert_int_equal(apply_rest(*state, 0, 24), 0);
		assert_non_null(memory_of(*state));
		assert_int_equal(processes_apply(fixture->processes, &records[i]), 0);
		assert_null(memory_of(*state));
	}
}

static int apply_context(struct fixture *fixture, uint64_t born_ns, uint64_t sp)
{
	/* abi, mask: sp and ip. */
	const uint64_t words[] = { 2, 1u << 7 | 1u << 8, sp, 0x400000 };
	const struct stack_record_header header = { .kind = STACK_RECORD_CONTEXT,
						    .n_words = 4,
						    .born_ns = born_ns,
						    .start = START,
						    .end = START + 8,
						    .size = 8,
						    .part_size = 8 };

	return apply(fixture, header, words, words);
}

static void contexts_come_and_go(void **state)
{
	const struct stack_record_header over = { .kind = STACK_RECORD_CONTEXT_OVER, .born_ns = 5 };
	const struct stack_record_header lost = { .kind = STACK_RECORD_CONTEXTS_LOST,
						  .born_ns = 7 };

	assert_int_equal(apply_context(*state, 5, START), 0);
	assert_int_equal(apply_context(*state, 6, START), 0);
	assert_int_equal(memory_of(*state)->contexts[0].regs.pc, 0x400000);
	assert_int_equal(apply(*state, over, NULL, NULL), 0);
	assert_int_equal(memory_of(*state)->n_contexts, 1);
	assert_int_equal(memory_of(*state)->contexts[0].time_ns, 6);
	assert_int_equal(apply(*state, lost, NULL, NULL), 0);
	assert_int_equal(memory_of(*state)->n_contexts, 0);
	assert_int_equal(apply_context(*state, 7, START), 0);
	assert_int_equal(memory_of(*state)->n_contexts, 0);
	assert_int_equal(apply_context(*state, 8, START), 0);
	assert_int_equal(memory_of(*state)->n_contexts, 1);
}

static void contexts_without_sound_registers_are_refused(void **state)
{
	static const uint64_t words[][3] = { { 0 }, { 2, 1u << 8, START }, { 2, UINT64_MAX, 0 } };
	struct stack_record_header header = { .kind = STACK_RECORD_CONTEXT,
					      .born_ns = 1,
					      .start = START };

	assert_int_equal(apply(*state, header, NULL, NULL), -EINVAL);
	header.n_words = 3;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(apply(*state, header, words[i], NULL), -EINVAL);
	assert_int_equal(apply_context(*state, 5, START + 8), -EINVAL);
	assert_int_equal(memory_of(*state)->n_contexts, 0);
}

static int apply_second(struct fixture *fixture, uint32_t kind, uint64_t time_ns)
{
	static const uint64_t word = 7;
	const struct stack_record_header header = { .kind = kind,
						    .time_ns = time_ns,
						    .start = START,
						    .end = START + 9,
						    .size = 8,
						    .part_size = 8 };

	return apply(fixture, header, NULL, &word);
}

static void second_stacks_are_for_the_sample_of_their_time(void **state)
{
	struct thread *thread = processes_thread(((struct fixture *)*state)->processes, PID, TID);

	assert_int_equal(thread_stacks_meet_sample(thread, 1), 0);
	assert_int_equal(apply_second(*state, STACK_RECORD_INTERRUPTED, 5), 0);
	assert_int_equal(apply_second(*state, STACK_RECORD_GOROUTINE, 5), 0);
	assert_int_equal(memory_of(*state)->n_seconds, 2);
	assert_false(memory_of(*state)->seconds[0].is_saved);
	assert_true(memory_of(*state)->seconds[1].is_saved);
	assert_true(memory_of(*state)->seconds[1].is_full);
	assert_int_equal(thread_stacks_meet_sample(thread, 5), 0);
	assert_int_equal(memory_of(*state)->n_seconds, 2);
	assert_int_equal(thread_stacks_meet_sample(thread, 6), 0);
	assert_int_equal(memory_of(*state)->n_seconds, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_rest_is_good_until_its_guards_are_touched, setup,
						teardown),
		cmocka_unit_test_setup_teardown(parts_are_put_together, setup, teardown),
		cmocka_unit_test_setup_teardown(parts_that_do_not_follow_are_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_rest_that_makes_no_sense_leaves_no_guard, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_ends_a_thread_ends_what_is_known_of_it, setup,
						teardown),
		cmocka_unit_test_setup_teardown(contexts_come_and_go, setup, teardown),
		cmocka_unit_test_setup_teardown(contexts_without_sound_registers_are_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(second_stacks_are_for_the_sample_of_their_time,
						setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
