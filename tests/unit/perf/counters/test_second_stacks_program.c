/* The kernel accepts the program; what it writes is tested with recordings (tests/cli). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/base/cleanup.h"
#include "perf/counters/second_stacks_program.h"
#include "perf/kernel/bpf.h"

enum { N_CPUS = 2 };

static void the_kernel_accepts_the_program(void **state)
{
	char reason[BPF_REASON_MAX];
	struct task_fields fields;

	(void)state;
	int err = task_fields_find(&fields);
	if (err == -EPERM || err == -ENOSYS || err == -EACCES || err == -EOPNOTSUPP)
		skip();
	assert_int_equal(err, 0);
	int events = bpf_create_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(uint32_t), N_CPUS);
	int buffers =
		bpf_create_map(BPF_MAP_TYPE_ARRAY, (uint32_t)second_stacks_buffer_size(), N_CPUS);
	assert_true(events >= 0 && buffers >= 0);
	struct stack_watch *watch = NULL;
	stack_watch_create(&watch);
	int bare = second_stacks_load(&fields, 65528, NULL, NULL, events, buffers, reason);
	int watched = second_stacks_load(&fields, 65528, watch, NULL, events, buffers, reason);
	_cleanup_close_ int rules = follow_rules_create();
	_cleanup_close_ int follow_buffers =
		bpf_create_map(BPF_MAP_TYPE_ARRAY, (uint32_t)follow_program_buffer_size(), N_CPUS);
	const struct follow_maps follow = { rules, events, follow_buffers, true };
	_cleanup_close_ int following =
		second_stacks_load(&fields, 65528, watch, &follow, events, buffers, reason);
	_cleanup_close_ int only_following =
		second_stacks_load(NULL, 65528, NULL, &follow, events, buffers, reason);
	stack_watch_destroy(watch);
	close(events);
	close(buffers);
	/* Before Linux 5.15 a sample in the kernel does not tell the user's stack pointer. */
	if (bare == -EINVAL)
		skip();
	assert_true(bare >= 0 && watched >= 0 && following >= 0 && only_following >= 0);
	close(bare);
	close(watched);
}

static void no_more_is_read_than_a_copy_has(void **state)
{
	(void)state;
	assert_int_equal(second_stacks_pages(1024), 1);
	assert_int_equal(second_stacks_pages(16384), 5);
	assert_int_equal(second_stacks_pages(65528), SECOND_STACK_PAGES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_accepts_the_program),
		cmocka_unit_test(no_more_is_read_than_a_copy_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
