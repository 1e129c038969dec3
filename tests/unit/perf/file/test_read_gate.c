#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/file/read_gate.h"

#define N_STEPS 2000

struct work {
	struct read_gate gate;
	uint64_t parts[2]; /* equal but in the middle of a step */
	bool is_over;
};

static void *read_and_work(void *arg)
{
	struct work *work = arg;

	read_gate_enter(&work->gate);
	for (int i = 0; i < N_STEPS; i++) {
		work->parts[0]++;
		read_gate_leave(&work->gate); /* bytes come at once */
		read_gate_enter(&work->gate);
		work->parts[0]++;
		work->parts[1] += 2;
	}
	work->is_over = true;
	read_gate_leave(&work->gate);
	return NULL;
}

static void a_visitor_finds_the_work_between_two_reads(void **state)
{
	struct work work = { .is_over = false };
	bool is_over = false;
	pthread_t thread;

	(void)state;
	read_gate_init(&work.gate);
	assert_int_equal(pthread_create(&thread, NULL, read_and_work, &work), 0);
	while (!is_over) {
		read_gate_visit(&work.gate);
		is_over = work.is_over;
		if (work.parts[0])
			assert_int_equal(work.parts[0], work.parts[1] + !is_over);
		read_gate_end_visit(&work.gate);
	}
	pthread_join(thread, NULL);
	assert_int_equal(work.parts[1], 2 * N_STEPS);
	read_gate_deinit(&work.gate);
}

static void a_reader_waits_for_a_visitor(void **state)
{
	struct work work = { .is_over = false };
	pthread_t thread;

	(void)state;
	read_gate_init(&work.gate);
	read_gate_visit(&work.gate);
	assert_int_equal(pthread_create(&thread, NULL, read_and_work, &work), 0);
	assert_int_equal(work.parts[0], 0);
	read_gate_end_visit(&work.gate);
	pthread_join(thread, NULL);
	assert_true(work.is_over);
	read_gate_deinit(&work.gate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_visitor_finds_the_work_between_two_reads),
		cmocka_unit_test(a_reader_waits_for_a_visitor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
