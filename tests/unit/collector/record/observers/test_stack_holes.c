/* Samples of a made-up process, whose mappings end where the tests say. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/live/live_process.h"
#include "collector/record/observers/stack_holes.h"
#include "tests/unit/fixtures/emulated.h"
#include "unwind/rules/regs.h"

enum { COPY_SIZE = 65528, PAGE = 4096, MAX_LOOKS = 64 };
#define MSEC        1000000ull
#define STACK       0x7f0000002100ull /* the stack pointer */
#define STACK_START 0x7f0000002000ull /* in the same page */
#define STACK_END   0x7f0000100000ull

static struct {
	uint64_t now_ns;
	uint64_t mapping_start, mapping_end;
	uint64_t guard_end; /* what is below can't be read */
	int find_err, touch_err;
	size_t n_finds, n_touches;
	struct {
		pid_t pid;
		uint64_t start, end;
	} touches[MAX_LOOKS];
	struct {
		pid_t tid;
		uint64_t low, high;
	} known; /* the last one */
	pid_t forgotten;
	size_t n_arms;
	bool has_woken;
} world;

static int anonymous_find(pid_t pid, uint64_t addr, uint64_t *start_ret, uint64_t *end_ret)
{
	(void)pid, (void)addr;
	world.n_finds++;
	if (world.find_err)
		return world.find_err;
	*start_ret = world.mapping_start;
	*end_ret = world.mapping_end;
	return 0;
}

static int memory_touch(pid_t pid, uint64_t start, uint64_t end)
{
	assert_in_range(world.n_touches, 0, MAX_LOOKS - 1);
	world.touches[world.n_touches].pid = pid;
	world.touches[world.n_touches].start = start;
	world.touches[world.n_touches++].end = end;
	return start < world.guard_end ? -EFAULT : world.touch_err;
}

static uint64_t now(void)
{
	return world.now_ns;
}

static void arm(struct stack_watch *watch)
{
	(void)watch;
	world.n_arms++;
}

static bool take(struct stack_watch *watch)
{
	bool has_woken = world.has_woken;

	(void)watch;
	world.has_woken = false;
	return has_woken;
}

static void know(struct stack_watch *watch, pid_t tid, uint64_t low, uint64_t high)
{
	(void)watch;
	world.known.tid = tid;
	world.known.low = low;
	world.known.high = high;
}

static void forget(struct stack_watch *watch, pid_t tid)
{
	(void)watch;
	world.forgotten = tid;
}

static const struct stack_wakes_access wakes_of_tests = { arm, take, know, forget };

static const struct stack_holes_access access_of_tests = {
	.anonymous_find = anonymous_find,
	.memory_touch = memory_touch,
	.now_ns = now,
	.wakes = &wakes_of_tests,
};

static const struct perf_event_attr attr = {
	.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STACK_USER,
	.sample_stack_user = COPY_SIZE,
};

static int setup(void **state)
{
	struct stack_holes *holes;

	memset(&world, 0, sizeof(world));
	world.now_ns = 1000 * MSEC;
	world.mapping_start = STACK_START;
	world.mapping_end = STACK_END;
	assert_int_equal(
		stack_holes_create(&attr, (struct stack_watch *)&world, &access_of_tests, &holes),
		0);
	*state = holes;
	if (!holes)
		return -1;
	stack_holes_begin_round(holes, false);
	return 0;
}

static int teardown(void **state)
{
	stack_holes_destroy(*state);
	return 0;
}

/* A sample of a thread whose copy ends at @end. */
static void see(struct stack_holes *holes, pid_t pid, pid_t tid, uint64_t end)
{
	static uint8_t bytes[COPY_SIZE];
	uint64_t regs[64] = { 0 };
	struct utsname names;

	uname(&names);
	/* perf's number of the stack pointer, and all registers up to the instruction pointer's. */
	bool is_arm = !strcmp(names.machine, "aarch64");
	uint64_t mask = is_arm ? 0x1ffffffff : 0xff0fff;
	regs[is_arm ? 31 : 7] = STACK;
	const struct record record = {
		.type = PERF_RECORD_SAMPLE,
		.pid = pid,
		.tid = tid,
		.time_ns = world.now_ns,
		.sample = { .user_regs = { PERF_SAMPLE_REGS_ABI_64, mask, regs },
			    .user_stack = bytes,
			    .user_stack_size = end - STACK },
	};

	stack_holes_see_sample(holes, &record);
}

static uint64_t looks(const struct stack_holes *holes, enum stack_hole_look look)
{
	return stack_holes_stats(holes)->n_looks[look];
}

static void pages_after_a_cut_copy_are_touched_once(void **state)
{
	struct stack_holes *holes = *state;
	uint64_t cut = STACK + PAGE - STACK % PAGE;

	see(holes, 10, 11, cut);
	assert_int_equal(world.n_touches, 1);
	assert_int_equal(world.touches[0].pid, 10);
	assert_int_equal(world.touches[0].start, cut);
	assert_in_range(world.touches[0].end, STACK + (200 << 10), STACK + (256 << 10));
	assert_int_equal(world.touches[0].end % PAGE, 0);
	see(holes, 10, 11, cut);
	world.now_ns += 900 * MSEC;
	see(holes, 10, 11, cut + PAGE);
	assert_int_equal(world.n_touches, 1); /* they were touched, and are gone again */
	world.now_ns += 200 * MSEC;
	see(holes, 10, 11, cut);
	assert_int_equal(world.n_touches, 2);
	assert_int_equal(looks(holes, STACK_HOLE_TOUCHED), 2);
}

static void a_thread_that_meets_other_pages_is_looked_at_again_but_not_all_the_time(void **state)
{
	struct stack_holes *holes = *state;
	uint64_t cut = STACK + PAGE - STACK % PAGE;

	for (uint64_t i = 12; i > 0; i--) {
		world.mapping_end = cut + (i + 1) * PAGE;
		see(holes, 10, 11, cut + i * PAGE);
		see(holes, 10, 11, cut + i * PAGE);
	}
	assert_int_equal(world.n_touches, 8);
	world.now_ns += 1000 * MSEC;
	see(holes, 10, 11, cut + PAGE);
	assert_int_equal(world.n_touches, 9);
}

static void pages_beyond_the_mapping_are_left_alone(void **state)
{
	struct stack_holes *holes = *state;
	uint64_t cut = STACK + PAGE - STACK % PAGE;

	world.mapping_end = cut + 3 * PAGE;
	see(holes, 10, 10, cut);
	assert_int_equal(world.touches[0].start, cut);
	assert_int_equal(world.touches[0].end, world.mapping_end);
}

static void copies_that_are_not_cut_cost_no_look(void **state)
{
	struct stack_holes *holes = *state;
	uint64_t cut = STACK + PAGE - STACK % PAGE;

	see(holes, 10, 10, STACK + COPY_SIZE); /* full */
	see(holes, 10, 10, STACK);             /* nothing was copied */
	see(holes, 10, 10, cut - 8);
	see(holes, 0, 0, cut);
	see(holes, getpid(), getpid(), cut);
	assert_int_equal(world.n_finds, 0);
}

static void the_end_of_a_threads_mapping_is_found_once(void **state)
{
	struct stack_holes *holes = *state;
	uint64_t cut = STACK + PAGE - STACK % PAGE;

	world.mapping_end = cut;
	for (int i = 0; i < 3; i++) {
		see(holes, 10, 11, cut);
		world.now_ns += 2000 * MSEC;
	}
	assert_int_equal(world.n_finds, 1);
	assert_int_equal(world.n_touches, 0);
	assert_int_equal(looks(holes, STACK_HOLE_WHOLE), 1);
}

/* In pieces of 64 KiB, the next one first, of which a guard ends the reading. */
static void pages_below_the_stack_pointer_are_touched_once_too(void **state)
{
	struct stack_holes *holes = *state;
	uint64_t page = STACK - STACK % PAGE, cut = page + PAGE;

	world.mapping_start = STACK_START - (1 << 20);
	world.mapping_end = cut;
	for (int i = 0; i < 3; i++) {
		see(holes, 10, 11, cut);
		world.now_ns += 2000 * MSEC;
	}
	assert_int_equal(world.n_finds, 1);
	assert_int_equal(world.n_touches, 4);
	assert_int_equal(world.touches[0].start, page - (64 << 10));
	assert_int_equal(world.touches[0].end, page);
	assert_int_equal(world.touches[3].start, page - (256 << 10));
	assert_int_equal(world.touches[3].end, page - (192 << 10));
	world.guard_end = page - (100 << 10);
	see(holes, 10, 12, cut);
	assert_int_equal(world.n_touches, 6);
	see(holes, 10, 12, cut);
	assert_int_equal(world.n_touches, 6);
}

static void more_pages_are_touched_when_a_thread_is_deeper(void **state)
{
	struct stack_holes *holes = *state;
	uint64_t page = STACK - STACK % PAGE, cut = page + PAGE;

	/* The main thread's stack has grown, so there are pages that were not there before. */
	stack_holes_see_stack(holes, 10, page - 2 * PAGE, cut);
	see(holes, 10, 10, cut);
	assert_int_equal(world.n_touches, 1);
	assert_int_equal(world.touches[0].start, page - 2 * PAGE);
	see(holes, 10, 10, cut);
	assert_int_equal(world.n_touches, 1);
	stack_holes_see_stack(holes, 10, page - 5 * PAGE, cut);
	see(holes, 10, 10, cut);
	assert_int_equal(world.n_touches, 2);
	assert_int_equal(world.touches[1].start, page - 5 * PAGE);
	assert_int_equal(world.n_finds, 0);
}

static void pages_below_a_cut_copy_are_touched_after_those_above(void **state)
{
	struct stack_holes *holes = *state;
	uint64_t page = STACK - STACK % PAGE, cut = page + PAGE;

	world.mapping_start = page - 3 * PAGE;
	see(holes, 10, 11, cut);
	assert_int_equal(world.n_touches, 2);
	assert_int_equal(world.touches[0].start, cut);
	assert_int_equal(world.touches[1].start, page - 3 * PAGE);
	assert_int_equal(world.touches[1].end, page);
}

static struct record fork_of(pid_t parent, pid_t child)
{
	return (struct record){ .type = PERF_RECORD_FORK,
				.task = { .pid = child, .ppid = parent, .tid = child } };
}

static void the_end_of_a_main_stack_is_known_from_its_mapping(void **state)
{
	struct stack_holes *holes = *state;
	uint64_t cut = STACK + PAGE - STACK % PAGE;
	struct record mapping = { .type = PERF_RECORD_MMAP2,
				  .mmap = { .pid = 20,
					    .addr = STACK_START,
					    .len = cut - STACK_START,
					    .is_data = true,
					    .filename = "[stack]" } };
	struct record child = fork_of(20, 21);

	stack_holes_see_stack(holes, 10, STACK_START, cut);
	stack_holes_see_sideband(holes, &mapping);
	stack_holes_see_sideband(holes, &child);
	see(holes, 10, 10, cut);
	see(holes, 20, 20, cut);
	see(holes, 21, 21, cut);
	assert_int_equal(world.n_finds, 0);
	see(holes, 21, 21, cut + PAGE);
	assert_int_equal(world.n_finds, 1);
}

static void a_program_that_is_executed_is_looked_at_at_once(void **state)
{
	struct stack_holes *holes = *state;
	uint64_t cut = STACK + PAGE - STACK % PAGE;
	struct record exec = { .type = PERF_RECORD_COMM,
			       .comm = { .pid = 10, .tid = 10, .is_exec = true } };

	see(holes, 10, 10, cut);
	stack_holes_see_sideband(holes, &exec);
	see(holes, 10, 10, cut);
	assert_int_equal(world.n_touches, 2);
}

static void looks_of_a_round_are_bounded(void **state)
{
	struct stack_holes *holes = *state;
	uint64_t cut = STACK + PAGE - STACK % PAGE;

	for (pid_t tid = 1; tid <= 40; tid++)
		see(holes, 10, tid, cut);
	assert_int_equal(world.n_finds, 16);
	assert_int_equal(looks(holes, STACK_HOLE_NO_TIME), 24);
	stack_holes_begin_round(holes, true);
	see(holes, 10, 40, cut);
	assert_int_equal(world.n_finds, 16);
	stack_holes_begin_round(holes, false);
	see(holes, 10, 40, cut);
	assert_int_equal(world.n_finds, 17);
}

static void what_can_not_be_read_is_counted_by_its_reason(void **state)
{
	static const struct {
		int find_err, touch_err;
		enum stack_hole_look look;
	} cases[] = {
		{ -EACCES, 0, STACK_HOLE_FORBIDDEN }, { 0, -EPERM, STACK_HOLE_FORBIDDEN },
		{ -ENOENT, 0, STACK_HOLE_SHARED },    { -ESRCH, 0, STACK_HOLE_FAILED },
		{ 0, -EFAULT, STACK_HOLE_FAILED },
	};
	struct stack_holes *holes = *state;
	uint64_t cut = STACK + PAGE - STACK % PAGE;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t before = looks(holes, cases[i].look);

		world.find_err = cases[i].find_err;
		world.touch_err = cases[i].touch_err;
		see(holes, 10, 100 + (pid_t)i, cut);
		assert_int_equal(looks(holes, cases[i].look), before + 1);
	}
	assert_int_equal(looks(holes, STACK_HOLE_TOUCHED), 0);
}

static void rounds_are_short_while_there_may_be_something_to_touch(void **state)
{
	struct stack_holes *holes = *state;
	uint64_t cut = STACK + PAGE - STACK % PAGE;
	struct record child = fork_of(10, 11);

	assert_int_equal(stack_holes_interval_ns(holes), 2 * MSEC);
	world.now_ns += 1001 * MSEC;
	assert_true(stack_holes_interval_ns(holes) == UINT64_MAX);
	stack_holes_see_sideband(holes, &child);
	assert_int_equal(stack_holes_interval_ns(holes), 4 * MSEC);
	world.now_ns += 1000 * MSEC;
	see(holes, 10, 10, cut);
	assert_int_equal(stack_holes_interval_ns(holes), 2 * MSEC);
	/* Neither does a stack that stays cut keep the recorder awake, nor one that is whole. */
	world.now_ns += 1000 * MSEC;
	world.touch_err = -EPERM;
	see(holes, 10, 11, cut);
	world.mapping_end = cut;
	see(holes, 10, 12, cut);
	assert_true(stack_holes_interval_ns(holes) == UINT64_MAX);
}

static void assert_known(pid_t tid, uint64_t low, uint64_t high)
{
	assert_int_equal(world.known.tid, tid);
	assert_int_equal(world.known.low, low);
	assert_int_equal(world.known.high, high);
}

static void stacks_that_were_seen_wake_only_where_more_would_be_touched(void **state)
{
	const uint64_t reach = 8 << 20;
	struct stack_holes *holes = *state;
	uint64_t page = STACK - STACK % PAGE, cut = page + PAGE;

	see(holes, 10, 10, STACK + COPY_SIZE);
	assert_known(10, page, STACK + reach);
	world.mapping_start = page - (1 << 20);
	see(holes, 10, 11, cut);
	assert_known(11, page - (128 << 10), STACK + reach);
	see(holes, 10, 11, STACK + COPY_SIZE);
	assert_known(11, page - (128 << 10), STACK + reach);
	/* A main thread's stack may grow beyond its mapping. */
	world.mapping_start = page - 3 * PAGE;
	see(holes, 10, 12, cut);
	assert_known(12, page - 3 * PAGE, STACK + reach);
	see(holes, getpid(), getpid(), cut);
	assert_known(getpid(), 0, UINT64_MAX);
}

static void a_program_that_is_executed_or_ends_is_forgotten(void **state)
{
	struct stack_holes *holes = *state;
	struct record exec = { .type = PERF_RECORD_COMM,
			       .comm = { .pid = 10, .tid = 11, .is_exec = true } };
	struct record exit = { .type = PERF_RECORD_EXIT, .task = { .pid = 10, .tid = 12 } };

	stack_holes_see_sideband(holes, &exec);
	assert_int_equal(world.forgotten, 11);
	stack_holes_see_sideband(holes, &exit);
	assert_int_equal(world.forgotten, 12);
}

/* Rounds are short for a second, and after a look that helped. */
static void samples_wake_the_recorder_only_while_rounds_are_long(void **state)
{
	struct stack_holes *holes = *state;
	uint64_t cut = STACK + PAGE - STACK % PAGE;

	assert_int_equal(world.n_arms, 0);
	world.now_ns += 1001 * MSEC;
	stack_holes_begin_round(holes, true);
	assert_int_equal(world.n_arms, 0);
	stack_holes_begin_round(holes, false);
	assert_int_equal(world.n_arms, 1);
	world.has_woken = true;
	stack_holes_begin_round(holes, false);
	see(holes, 10, 11, cut);
	stack_holes_end_round(holes);
	assert_int_equal(world.n_arms, 1);
	world.now_ns += 101 * MSEC;
	stack_holes_begin_round(holes, false);
	assert_int_equal(world.n_arms, 2);
}

static void a_process_in_its_own_memory_is_found_and_touched(void **state)
{
	const size_t size = 16 * (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *shared =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uintptr_t)memory, start, end;

	(void)state;
	SKIP_IF_EMULATED("memory");
	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_ptr_not_equal(shared, MAP_FAILED);
	assert_int_equal(live_anonymous_find(getpid(), at, &start, &end), 0);
	assert_true(start <= at && end >= at + size);
	assert_int_equal(live_memory_touch(getpid(), at, at + size), 0);
	assert_int_equal(live_anonymous_find(getpid(), (uintptr_t)shared, &start, &end), -ENOENT);
	assert_int_equal(live_anonymous_find(getpid(), 8, &start, &end), -ENOENT);
	assert_int_equal(munmap(memory, size), 0);
	assert_int_equal(munmap(shared, size), 0);
	assert_int_equal(live_memory_touch(getpid(), 4096, 8192), -EFAULT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(pages_after_a_cut_copy_are_touched_once),
		TEST(a_thread_that_meets_other_pages_is_looked_at_again_but_not_all_the_time),
		TEST(pages_beyond_the_mapping_are_left_alone),
		TEST(copies_that_are_not_cut_cost_no_look),
		TEST(the_end_of_a_threads_mapping_is_found_once),
		TEST(pages_below_the_stack_pointer_are_touched_once_too),
		TEST(more_pages_are_touched_when_a_thread_is_deeper),
		TEST(pages_below_a_cut_copy_are_touched_after_those_above),
		TEST(the_end_of_a_main_stack_is_known_from_its_mapping),
		TEST(a_program_that_is_executed_is_looked_at_at_once),
		TEST(looks_of_a_round_are_bounded),
		TEST(what_can_not_be_read_is_counted_by_its_reason),
		TEST(rounds_are_short_while_there_may_be_something_to_touch),
		TEST(stacks_that_were_seen_wake_only_where_more_would_be_touched),
		TEST(a_program_that_is_executed_or_ends_is_forgotten),
		TEST(samples_wake_the_recorder_only_while_rounds_are_long),
		cmocka_unit_test(a_process_in_its_own_memory_is_found_and_touched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
