#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/record/observing/process_list.h"

static struct listed_process processes[PROCESS_LIST_MAX + 1];

static void see_exit(struct process_list *list, int32_t pid, int32_t tid)
{
	const struct record record = { .type = PERF_RECORD_EXIT,
				       .task = { .pid = pid, .tid = tid } };

	process_list_see_record(list, &record);
}

/* The pids of the processes that left, in order; those below 0 stay. */
struct left {
	int32_t pids[8];
	size_t n;
};

static bool leave(void *owner, struct listed_process *process)
{
	struct left *left = owner;

	left->pids[left->n++] = process->pid;
	return process->pid > 0;
}

static void add(struct process_list *list, const int32_t *pids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		processes[i] = (struct listed_process){ .pid = pids[i] };
		assert_true(process_list_add(list, &processes[i]));
	}
}

static void processes_leave_when_they_have_exited(void **state)
{
	struct process_list list = { .n = 0 };
	struct left left = { .n = 0 };

	(void)state;
	add(&list, (const int32_t[]){ 5, 6, 7 }, 3);
	see_exit(&list, 6, 61); /* one of its threads */
	assert_false(list.has_exited);
	see_exit(&list, 6, 6);
	assert_true(list.has_exited);
	assert_null(process_list_find(&list, 6));
	assert_ptr_equal(process_list_find(&list, 7), &processes[2]);
	process_list_leave(&list, false, leave, &left);
	assert_int_equal(left.n, 1);
	assert_int_equal(left.pids[0], 6);
	assert_int_equal(list.n, 2);
	assert_false(list.has_exited);
	process_list_leave(&list, true, leave, &left);
	assert_int_equal(left.n, 3);
	assert_int_equal(left.pids[1], 5);
	assert_int_equal(left.pids[2], 7);
	assert_int_equal(list.n, 0);
}

static void a_process_that_is_not_done_stays(void **state)
{
	struct process_list list = { .n = 0 };
	struct left left = { .n = 0 };

	(void)state;
	add(&list, (const int32_t[]){ -5, 6 }, 2);
	see_exit(&list, -5, -5);
	see_exit(&list, 6, 6);
	process_list_leave(&list, false, leave, &left);
	assert_int_equal(left.n, 2);
	assert_int_equal(list.n, 1);
	assert_ptr_equal(list.processes[0], &processes[0]);
	assert_true(list.has_exited);
}

static void a_full_list_takes_no_more(void **state)
{
	struct process_list list = { .n = 0 };

	(void)state;
	for (int32_t i = 0; i < PROCESS_LIST_MAX; i++)
		assert_true(process_list_add(&list, &processes[i]));
	assert_false(process_list_add(&list, &processes[PROCESS_LIST_MAX]));
	assert_int_equal(list.n, PROCESS_LIST_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_leave_when_they_have_exited),
		cmocka_unit_test(a_process_that_is_not_done_stays),
		cmocka_unit_test(a_full_list_takes_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
