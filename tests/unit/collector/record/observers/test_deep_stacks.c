/*
 * A child that stands still deep in a recursion is the sampled process: its memory is real; debug
 * registers and time are made up.
 */
#include <asm/perf_regs.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "collector/record/live/live_process.h"
#include "collector/record/observers/deep_stacks.h"
#include "tests/unit/fixtures/recorded_stacks.h"

enum { DEPTH = 2000, COPY_SIZE = 65528, MAX_RECORDED = 64 };
#define MSEC 1000000ull

static void stacks_of_other_processes_are_looked_at(void **state)
{
	(void)state;
	print_message("this machine does not let us watch or read another process's stack\n");
	skip();
}

static int skip_all(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_of_other_processes_are_looked_at),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#if !defined(__x86_64__)
int main(void)
{
	return skip_all();
}
#else

static struct {
	pid_t pid;
	uint64_t regs[24]; /* by perf's numbers */
	uint8_t copy[COPY_SIZE];
} deep;

/* Where the registers are the sampled ones, and the stack is the child's as well. */
static __attribute__((noinline, no_sanitize("address"))) void stand_still(void)
{
	__asm__ volatile(
		"lea (%%rip), %%rax\n\t"
		"mov %%rax, %c[ip](%0)\n\t"
		"mov %%rsp, %c[sp](%0)\n\t"
		"mov %%rbp, %c[bp](%0)\n\t"
		"mov %%rbx, %c[bx](%0)\n\t"
		"mov %%r12, %c[r12](%0)\n\t"
		"mov %%r13, %c[r13](%0)\n\t"
		"mov %%r14, %c[r14](%0)\n\t"
		"mov %%r15, %c[r15](%0)"
		:
		: "D"(deep.regs), [ip] "i"(8 * PERF_REG_X86_IP), [sp] "i"(8 * PERF_REG_X86_SP),
		  [bp] "i"(8 * PERF_REG_X86_BP), [bx] "i"(8 * PERF_REG_X86_BX),
		  [r12] "i"(8 * PERF_REG_X86_R12), [r13] "i"(8 * PERF_REG_X86_R13),
		  [r14] "i"(8 * PERF_REG_X86_R14), [r15] "i"(8 * PERF_REG_X86_R15)
		: "rax", "memory");
	/* The copy is of just now, and so is the child. */
	volatile const uint8_t *sp = (const uint8_t *)deep.regs[PERF_REG_X86_SP];
	for (size_t i = 0; i < COPY_SIZE; i++)
		deep.copy[i] = sp[i];
	deep.pid = fork();
	while (!deep.pid)
		pause();
}

static __attribute__((noinline)) void descend(unsigned depth)
{
	char bytes[128];

	__asm__ volatile("" ::"r"(bytes) : "memory");
	if (depth)
		descend(depth - 1);
	else
		stand_still();
	__asm__ volatile("" ::: "memory");
}

struct word_watch {
	uint64_t addrs[WORD_WATCH_MAX];
	size_t n;
};

static struct {
	int err; /* of opening */
	unsigned set;
	uint64_t touched_ns[WORD_WATCH_MAX];
	size_t n_open;
	struct word_watch last;
	uint64_t now_ns;
	bool is_slow; /* time passes with each look at the clock */
} world;

static int watch_open(pid_t tid, const uint64_t *addrs, size_t n, size_t size,
		      struct word_watch **watch_ret)
{
	assert_int_equal(tid, deep.pid);
	assert_int_equal(size, 8);
	if (world.err)
		return world.err;
	*watch_ret = calloc(1, sizeof(**watch_ret));
	memcpy((*watch_ret)->addrs, addrs, n * sizeof(*addrs));
	(*watch_ret)->n = n;
	world.last = **watch_ret;
	memset(world.touched_ns, 0, sizeof(world.touched_ns));
	world.n_open++;
	return 0;
}

static void watch_close(struct word_watch *watch)
{
	world.n_open--;
	free(watch);
}

static int watch_fd(const struct word_watch *watch)
{
	(void)watch;
	return -1;
}

static unsigned watch_set(const struct word_watch *watch)
{
	return world.set & ((1u << watch->n) - 1);
}

static uint64_t watch_touched(struct word_watch *watch, size_t index)
{
	(void)watch;
	return world.touched_ns[index];
}

static uint64_t now(void)
{
	return world.is_slow ? world.now_ns += 30 * MSEC : world.now_ns;
}

static int foreign_stack(pid_t pid, pid_t tid, uint64_t sp, uint64_t *start_ret, uint64_t *end_ret)
{
	(void)pid, (void)tid, (void)sp, (void)start_ret, (void)end_ret;
	return -ENOENT;
}

static struct stack_access access_of_tests = {
	.watch_open = watch_open,
	.watch_close = watch_close,
	.watch_fd = watch_fd,
	.watch_set = watch_set,
	.watch_touched = watch_touched,
	.memory_read = live_memory_read,
	.now_ns = now,
};

struct bench {
	struct recording recording;
	struct deep_stacks *stacks;
};

/* A container may forbid to read even a child's memory. */
static bool is_readable(void)
{
	uint64_t word;

	return deep.pid > 0 &&
	       live_memory_read(deep.pid, deep.regs[PERF_REG_X86_SP], &word, sizeof(word)) == 0;
}

static int tear_down_group(void **state)
{
	(void)state;
	kill(deep.pid, SIGKILL);
	waitpid(deep.pid, NULL, 0);
	return 0;
}

static int setup(void **state)
{
	static struct bench bench;

	memset(&world, 0, sizeof(world));
	world.set = 7;
	world.now_ns = 1000 * MSEC;
	access_of_tests.stack_find = live_stack_find;
	access_of_tests.watch_open = watch_open;
	access_of_tests.watch_err = 0;
	recording_begin(&bench.recording);
	assert_int_equal(deep_stacks_create(&bench.recording.output, &bench.recording.attr,
					    &access_of_tests, &bench.stacks),
			 0);
	*state = &bench;
	return bench.stacks ? 0 : -1;
}

static int teardown(void **state)
{
	struct bench *bench = *state;

	deep_stacks_destroy(bench->stacks);
	assert_int_equal(world.n_open, 0);
	return 0;
}

static void begin(struct bench *bench)
{
	assert_int_equal(deep_stacks_begin_round(bench->stacks, UINT64_MAX), 0);
}

static void end(struct bench *bench, bool is_behind)
{
	assert_int_equal(deep_stacks_end_round(bench->stacks, is_behind), 0);
}

/* The child's stack, or a lower part of it. */
static void see(struct bench *bench, size_t size)
{
	uint64_t regs[24];
	size_t n = 0;
	const uint64_t mask = 0xff0fff;

	for (unsigned i = 0; i < 24; i++) {
		if (mask >> i & 1)
			regs[n++] = deep.regs[i];
	}
	const struct record record = {
		.type = PERF_RECORD_SAMPLE,
		.pid = deep.pid,
		.tid = deep.pid,
		.time_ns = world.now_ns,
		.sample = { .user_regs = { PERF_SAMPLE_REGS_ABI_64, mask, regs },
			    .user_stack = deep.copy,
			    .user_stack_size = size },
	};

	deep_stacks_see(bench->stacks, &record);
}

static void one_round(struct bench *bench)
{
	begin(bench);
	see(bench, COPY_SIZE);
	end(bench, false);
}

static size_t n_recorded(struct bench *bench, struct stack_record_header *headers)
{
	return recording_end(&bench->recording, headers, headers ? MAX_RECORDED : 0);
}

static uint64_t missed(const struct bench *bench, enum unread_rest why)
{
	return deep_stacks_stats(bench->stacks)->n_missed[why];
}

static void guards_are_return_addresses_inside_the_copy(void **state)
{
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];
	uint64_t sp = deep.regs[PERF_REG_X86_SP];

	one_round(bench);
	assert_int_equal(world.last.n, 3);
	for (size_t i = 0; i < 3; i++) {
		uint64_t at = world.last.addrs[i] - sp, value;

		assert_true(at < COPY_SIZE &&
			    (i == 0 || world.last.addrs[i] > world.last.addrs[i - 1]));
		memcpy(&value, deep.copy + at, 8);
		assert_true(value - (uint64_t)descend < 256);
	}
	assert_int_equal(n_recorded(bench, headers), 1);
	assert_int_equal(headers[0].kind, STACK_RECORD_REST);
	assert_int_equal(headers[0].n_words, 6);
	assert_int_equal(headers[0].start, world.last.addrs[0]);
	assert_true(headers[0].end > sp + DEPTH * 128);
	assert_int_equal(headers[0].size, headers[0].end - headers[0].start);
}

static void a_stack_with_guards_is_left_alone(void **state)
{
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];

	for (int i = 0; i < 5; i++)
		one_round(bench);
	assert_int_equal(n_recorded(bench, headers), 1);
}

static void a_touched_guard_is_recorded_and_its_stack_read_again(void **state)
{
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];

	one_round(bench);
	for (size_t i = 0; i < 3; i++)
		world.touched_ns[i] = 1010 * MSEC + i;
	world.now_ns = 1100 * MSEC;
	one_round(bench);
	assert_int_equal(n_recorded(bench, headers), 5);
	for (size_t i = 1; i < 4; i++) {
		assert_int_equal(headers[i].kind, STACK_RECORD_TOUCHED);
		assert_int_equal(headers[i].time_ns, 1010 * MSEC + i - 1);
		assert_int_equal(headers[i].start, world.last.addrs[i - 1]);
	}
	/* Nothing has changed since: nothing of it is written twice. */
	assert_int_equal(headers[4].kind, STACK_RECORD_REST);
	assert_int_equal(headers[4].size, 0);
	assert_int_equal(headers[4].end, headers[0].end);
}

static void guards_that_never_last_are_put_off(void **state)
{
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];
	size_t n_rests = 0;

	for (int i = 0; i < 100; i++) {
		one_round(bench);
		world.now_ns += MSEC;
		for (size_t g = 0; g < 3; g++)
			world.touched_ns[g] = world.now_ns;
	}
	size_t n = n_recorded(bench, headers);
	for (size_t i = 0; i < n; i++)
		n_rests += headers[i].kind == STACK_RECORD_REST;
	assert_true(n_rests >= 2 && n_rests <= 5);
	assert_true(missed(bench, REST_MOVED_ON) >= n_rests - 1);
}

static void a_touch_beyond_a_slice_waits_for_its_time(void **state)
{
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];

	one_round(bench);
	world.touched_ns[0] = 1500 * MSEC;
	assert_int_equal(deep_stacks_begin_round(bench->stacks, 1400 * MSEC), 0);
	end(bench, true);
	assert_int_equal(deep_stacks_begin_round(bench->stacks, 1600 * MSEC), 0);
	end(bench, true);
	assert_int_equal(n_recorded(bench, headers), 2);
	assert_int_equal(headers[1].time_ns, 1500 * MSEC);
}

static void guards_touched_while_the_rest_is_read_do_not_count(void **state)
{
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];

	/* As many registers as are free: the lowest word goes without. */
	world.set = 6;
	one_round(bench);
	assert_int_equal(n_recorded(bench, headers), 1);
	assert_int_equal(headers[0].n_words, 4);
	assert_int_equal(headers[0].start, world.last.addrs[1]);
}

static void why_a_stack_is_not_read_is_counted(void **state)
{
	static const struct {
		int err;
		enum unread_rest why;
	} cases[] = {
		{ -ENOSPC, REST_NO_REGISTER },
		{ -EPERM, REST_FORBIDDEN },
		{ -EACCES, REST_FORBIDDEN },
		{ -ESRCH, REST_FAILED },
	};
	struct bench *bench = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t before = missed(bench, cases[i].why);

		world.err = cases[i].err;
		world.now_ns += 10000 * MSEC;
		one_round(bench);
		assert_int_equal(missed(bench, cases[i].why), before + 1);
		one_round(bench); /* not at once again */
		assert_int_equal(missed(bench, cases[i].why), before + 1);
	}
	assert_int_equal(n_recorded(bench, NULL), 0);
}

static void stay_cut(struct bench *bench, int watch_err, enum unread_rest why)
{
	access_of_tests.watch_err = watch_err;
	deep_stacks_destroy(bench->stacks);
	deep_stacks_create(&bench->recording.output, &bench->recording.attr, &access_of_tests,
			   &bench->stacks);
	one_round(bench);
	assert_int_equal(missed(bench, why), 1);
	assert_int_equal(n_recorded(bench, NULL), 0);
}

static void where_watching_is_unsafe_stacks_stay_cut_and_are_counted(void **state)
{
	stay_cut(*state, -ENOTSUP, REST_UNSAFE);
}

static void where_watching_sees_nothing_stacks_stay_cut_and_are_counted(void **state)
{
	stay_cut(*state, -ENODEV, REST_UNSEEN);
}

static void a_stack_that_others_may_continue_is_not_read(void **state)
{
	struct bench *bench = *state;

	access_of_tests.stack_find = foreign_stack;
	deep_stacks_destroy(bench->stacks);
	deep_stacks_create(&bench->recording.output, &bench->recording.attr, &access_of_tests,
			   &bench->stacks);
	one_round(bench);
	assert_int_equal(missed(bench, REST_NOT_OWN), 1);
	assert_int_equal(n_recorded(bench, NULL), 0);
}

static void frames_that_have_returned_are_not_guarded(void **state)
{
	struct bench *bench = *state;
	uint64_t sp = deep.regs[PERF_REG_X86_SP];

	/* The sample is of another stand of the recursion, one frame less deep. */
	deep.regs[PERF_REG_X86_SP] -= 8;
	one_round(bench);
	deep.regs[PERF_REG_X86_SP] = sp;
	assert_true(missed(bench, REST_MOVED_ON) == 1 || missed(bench, REST_NO_WALK) == 1);
	assert_int_equal(n_recorded(bench, NULL), 0);
}

static void copies_that_were_not_full_cost_nothing(void **state)
{
	struct bench *bench = *state;

	begin(bench);
	see(bench, COPY_SIZE - 1024);
	end(bench, false);
	assert_int_equal(n_recorded(bench, NULL), 0);
	assert_int_equal(deep_stacks_stats(bench->stacks)->n_read, 0);
}

static void a_recorder_that_is_behind_does_not_look(void **state)
{
	struct bench *bench = *state;

	begin(bench);
	see(bench, COPY_SIZE);
	end(bench, true);
	assert_int_equal(missed(bench, REST_NO_TIME), 1);
	assert_int_equal(n_recorded(bench, NULL), 0);
}

static void time_is_spent_up_to_a_bound(void **state)
{
	struct bench *bench = *state;

	one_round(bench);
	world.touched_ns[0] = world.touched_ns[1] = world.touched_ns[2] = world.now_ns;
	world.is_slow = true;
	for (int i = 0; i < 10; i++) {
		one_round(bench);
		world.touched_ns[0] = world.touched_ns[1] = world.touched_ns[2] = world.now_ns;
	}
	assert_true(missed(bench, REST_NO_TIME) > 2);
	assert_true(deep_stacks_stats(bench->stacks)->n_read < 9);
	n_recorded(bench, NULL);
}

static void an_exit_ends_the_watch(void **state)
{
	struct bench *bench = *state;
	const struct record exit = { .type = PERF_RECORD_EXIT,
				     .task = { .pid = deep.pid, .tid = deep.pid } };

	one_round(bench);
	assert_int_equal(world.n_open, 1);
	deep_stacks_see(bench->stacks, &exit);
	assert_int_equal(world.n_open, 0);
	n_recorded(bench, NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(guards_are_return_addresses_inside_the_copy),
		TEST(a_stack_with_guards_is_left_alone),
		TEST(a_touched_guard_is_recorded_and_its_stack_read_again),
		TEST(guards_that_never_last_are_put_off),
		TEST(a_touch_beyond_a_slice_waits_for_its_time),
		TEST(guards_touched_while_the_rest_is_read_do_not_count),
		TEST(why_a_stack_is_not_read_is_counted),
		TEST(where_watching_is_unsafe_stacks_stay_cut_and_are_counted),
		TEST(where_watching_sees_nothing_stacks_stay_cut_and_are_counted),
		TEST(a_stack_that_others_may_continue_is_not_read),
		TEST(frames_that_have_returned_are_not_guarded),
		TEST(copies_that_were_not_full_cost_nothing),
		TEST(a_recorder_that_is_behind_does_not_look),
		TEST(time_is_spent_up_to_a_bound),
		TEST(an_exit_ends_the_watch),
	};
	descend(DEPTH);
	return is_readable() ? cmocka_run_group_tests(tests, NULL, tear_down_group) : skip_all();
}
#endif
