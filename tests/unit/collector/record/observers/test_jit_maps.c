/* Processes of a /proc made of files, with and without perf-PID.map files below their roots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/record/observers/jit_maps.h"
#include "tests/unit/fixtures/observed_bench.h"

#define MAP "1000 20 compiled\n"

/* @pid has code that no file holds. Its number in its own namespace is 7. */
static void see_process(struct observed_bench *bench, int32_t pid)
{
	const struct observed_mapping mapping = {
		.pid = pid, .start = 0x1000, .end = 0x2000, .path = "", .is_code = true
	};

	bench->observer->see_mapping(bench->state, &mapping, NULL);
}

static struct observed_bench *bench_of_100(void)
{
	struct observed_bench *bench = bench_create(&jit_maps_observer);

	bench_put(bench, "proc/100/task/100/status", "Name:\tx\nNSpid:\t100\t7\nThreads:\t1\n");
	bench_put(bench, "proc/100/root/tmp/other", "");
	bench_begin(bench);
	return bench;
}

static void names_are_attached_when_the_recording_ends(void **state)
{
	struct observed_bench *bench = bench_of_100();

	(void)state;
	see_process(bench, 100);
	bench_put(bench, "proc/100/root/tmp/perf-7.map", MAP);
	bench_put(bench, "proc/100/root/tmp/perf-100.map", "another namespace's\n");
	assert_int_equal(bench_finish(bench), 1);
	bench_expect(bench, 0, ATTACHMENT_PERF_MAP, "100", MAP);
	bench_expect_advice(bench, NULL);
	bench_destroy(bench);
}

static void names_of_a_process_that_exits_are_attached_at_the_end_of_the_round(void **state)
{
	struct observed_bench *bench = bench_of_100();

	(void)state;
	see_process(bench, 100);
	bench_put(bench, "proc/100/root/tmp/perf-7.map", MAP);
	bench_end_round(bench); /* finds it while the process lives */
	unlink("proc/100/root/tmp/perf-7.map");
	bench_exit(bench, 100);
	bench_end_round(bench);
	/* The same number again is another process, without names. */
	bench_put(bench, "proc/100/root/tmp/perf-7.map", "");
	see_process(bench, 100);
	assert_int_equal(bench_finish(bench), 1);
	bench_expect(bench, 0, ATTACHMENT_PERF_MAP, "100", MAP);
	bench_destroy(bench);
}

static void processes_without_code_of_no_file_are_left_alone(void **state)
{
	struct observed_bench *bench = bench_of_100();
	const struct observed_mapping file = { .pid = 100,
					       .start = 0x1000,
					       .end = 0x2000,
					       .path = "/lib",
					       .inode = 5,
					       .is_code = true };

	(void)state;
	bench->observer->see_mapping(bench->state, &file, NULL);
	bench_put(bench, "proc/100/root/tmp/perf-7.map", MAP);
	assert_int_equal(bench_finish(bench), 0);
	bench_destroy(bench);
}

static void a_link_is_refused_and_that_is_said_once(void **state)
{
	struct observed_bench *bench = bench_of_100();
	char path[160];

	(void)state;
	snprintf(path, sizeof(path), "%s/100/root/tmp/perf-7.map", bench->proc);
	bench_put(bench, "secret", MAP);
	assert_int_equal(symlink("../../../../secret", path), 0);
	see_process(bench, 100);
	bench_end_round(bench);
	bench_end_round(bench);
	assert_int_equal(bench_finish(bench), 0);
	bench_expect_advice(bench, "1 perf-PID.map file was ignored: owned by another user, "
				   "or a symbolic link.");
	bench_destroy(bench);
}

static void of_too_many_processes_the_rest_is_counted(void **state)
{
	struct observed_bench *bench = bench_create(&jit_maps_observer);
	char name[64];

	(void)state;
	bench_begin(bench);
	for (int32_t pid = 1; pid <= 258; pid++) {
		snprintf(name, sizeof(name), "proc/%d/comm", pid);
		bench_put(bench, name, "x");
		see_process(bench, pid);
	}
	see_process(bench, 4194304); /* it is gone */
	assert_int_equal(bench_finish(bench), 0);
	bench_expect_advice(bench, "2 perf-PID.map files could not be read or were too large: code "
				   "made at run time will have no names.");
	bench_destroy(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_attached_when_the_recording_ends),
		cmocka_unit_test(
			names_of_a_process_that_exits_are_attached_at_the_end_of_the_round),
		cmocka_unit_test(processes_without_code_of_no_file_are_left_alone),
		cmocka_unit_test(a_link_is_refused_and_that_is_said_once),
		cmocka_unit_test(of_too_many_processes_the_rest_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
