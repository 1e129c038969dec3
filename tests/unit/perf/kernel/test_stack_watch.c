/* The program's check, run as the calling thread with a stack pointer of the tests. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/base/cleanup.h"
#include "perf/kernel/stack_watch.h"

#define STACK 0x7fff00001000ull

enum { R0, R1 };
enum { CHECK, FIRST_LABEL };

static int setup(void **state)
{
	struct stack_watch *watch = NULL;
	int err = stack_watch_create(&watch);

	*state = watch;
	return err && err != -EPERM && err != -EACCES && err != -ENOSYS && err != -EINVAL ? -1 : 0;
}

static int teardown(void **state)
{
	stack_watch_destroy(*state);
	return 0;
}

static void skip_without(const struct stack_watch *watch)
{
	if (!watch)
		skip();
}

static void sample(const struct stack_watch *watch, uint64_t sp)
{
	struct bpf_code code = { .n = 0 };

	bpf_move_value(&code, R1, (int32_t)(sp >> 32));
	bpf_compute_value(&code, BPF_LSH, R1, 32);
	bpf_compute_value(&code, BPF_ADD, R1, (int32_t)sp);
	bpf_call_label(&code, CHECK);
	bpf_move_value(&code, R0, 0);
	bpf_return(&code);
	stack_watch_add_check(watch, &code, CHECK, FIRST_LABEL);
	_cleanup_close_ int program =
		bpf_load_program(&code, BPF_PROG_TYPE_RAW_TRACEPOINT, "dendro_watch");
	assert_true(program >= 0);
	assert_int_equal(bpf_run(program), 0);
}

static bool is_readable(const struct stack_watch *watch)
{
	struct pollfd fd = { .fd = stack_watch_fd(watch), .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

static void an_unknown_thread_wakes_once(void **state)
{
	struct stack_watch *watch = *state;

	skip_without(watch);
	sample(watch, STACK);
	assert_false(stack_watch_take(watch)); /* it is not armed */
	stack_watch_arm(watch);
	sample(watch, STACK);
	sample(watch, STACK);
	assert_true(is_readable(watch));
	assert_true(stack_watch_take(watch));
	assert_false(is_readable(watch));
	assert_false(stack_watch_take(watch));
	stack_watch_arm(watch);
	sample(watch, STACK);
	assert_true(stack_watch_take(watch));
}

static bool wakes(struct stack_watch *watch, uint64_t sp)
{
	stack_watch_arm(watch);
	sample(watch, sp);
	return stack_watch_take(watch);
}

static void a_known_thread_wakes_on_other_stacks(void **state)
{
	struct stack_watch *watch = *state;

	skip_without(watch);
	stack_watch_know(watch, gettid(), STACK, STACK + 0x2000);
	assert_false(wakes(watch, STACK));
	assert_false(wakes(watch, STACK + 0x1fff));
	assert_true(wakes(watch, STACK - 8));
	assert_true(wakes(watch, STACK + 0x2000));
	stack_watch_know(watch, gettid(), 0, UINT64_MAX);
	assert_false(wakes(watch, STACK - 8));
	stack_watch_forget(watch, gettid() + 1);
	assert_false(wakes(watch, STACK));
	stack_watch_forget(watch, gettid());
	assert_true(wakes(watch, STACK));
}

static void a_thread_without_a_stack_never_wakes(void **state)
{
	struct stack_watch *watch = *state;

	skip_without(watch);
	assert_false(wakes(watch, 0));
}

static void a_place_has_one_thread(void **state)
{
	struct stack_watch *watch = *state;

	skip_without(watch);
	stack_watch_know(watch, gettid(), 0, UINT64_MAX);
	stack_watch_know(watch, gettid() + (1 << 20), 0, UINT64_MAX);
	assert_true(wakes(watch, STACK));
}

/* More wake-ups than the ring has bytes. */
static void the_ring_never_fills(void **state)
{
	struct stack_watch *watch = *state;

	skip_without(watch);
	for (int i = 0; i < 600; i++)
		assert_true(wakes(watch, STACK));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_unknown_thread_wakes_once, setup, teardown),
		cmocka_unit_test_setup_teardown(a_known_thread_wakes_on_other_stacks, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_thread_without_a_stack_never_wakes, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_place_has_one_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(the_ring_never_fills, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
