#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf/kernel/limits.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static char proc[] = "/tmp/test_limits.XXXXXX";
static const char *const names[] = {
	"sys/kernel/perf_event_paranoid",
	"sys/kernel/kptr_restrict",
	"sys/kernel/perf_event_mlock_kb",
	"sys/kernel/perf_event_max_sample_rate",
	"sys/kernel/perf_event_max_stack",
	"self/status",
	"self/uid_map",
	"self/stat",
};
static const char *const folders[] = { "sys", "sys/kernel", "self" };

static void path_of(const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", proc, name);
}

static void write_proc(const char *name, const char *text)
{
	char path[PATH_MAX];
	path_of(name, path);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int make_proc(void **state)
{
	(void)state;
	strcpy(proc + strlen(proc) - 6, "XXXXXX");
	if (!mkdtemp(proc))
		return -1;
	char path[PATH_MAX];
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		path_of(folders[i], path);
		mkdir(path, 0700);
	}
	return 0;
}

static int remove_proc(void **state)
{
	(void)state;
	char path[PATH_MAX];
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		path_of(names[i], path);
		unlink(path);
	}
	for (size_t i = sizeof(folders) / sizeof(folders[0]); i-- > 0;) {
		path_of(folders[i], path);
		rmdir(path);
	}
	return rmdir(proc);
}

static void sysctls_are_read(void **state)
{
	(void)state;
	write_proc("sys/kernel/perf_event_paranoid", "-1\n");
	write_proc("sys/kernel/kptr_restrict", "2\n");
	write_proc("sys/kernel/perf_event_mlock_kb", "1032\n");
	write_proc("sys/kernel/perf_event_max_sample_rate", "63000\n");
	write_proc("sys/kernel/perf_event_max_stack", "512\n");
	struct perf_limits limits;
	limits_read_from(proc, &limits);
	assert_int_equal(limits.paranoid, -1);
	assert_int_equal(limits.kptr_restrict, 2);
	assert_int_equal(limits.mlock_bytes, 1032 * 1024);
	assert_int_equal(limits.max_sample_rate, 63000);
	assert_int_equal(limits.max_stack, 512);
	assert_true(limits.n_cpus >= 1);
	assert_true(limits.max_fds >= 1);
	assert_true(limits.hard_max_fds >= limits.max_fds);
}

static void a_kernel_without_perf_events_shows(void **state)
{
	(void)state;
	struct perf_limits limits;
	limits_read_from(proc, &limits);
	assert_int_equal(limits.paranoid, INT_MIN);
	assert_false(limits.has_cap_perfmon);
}

static void a_proc_that_is_not_mounted_is_reported(void **state)
{
	(void)state;
	struct perf_limits limits;
	limits_read_from(proc, &limits);
	assert_true(limits.lacks_proc);
	write_proc("self/stat", "1 (x) R");
	limits_read_from(proc, &limits);
	assert_false(limits.lacks_proc);
}

static void garbage_reads_as_the_default(void **state)
{
	(void)state;
	write_proc("sys/kernel/perf_event_paranoid", "high\n");
	write_proc("sys/kernel/perf_event_max_sample_rate", "");
	struct perf_limits limits;
	limits_read_from(proc, &limits);
	assert_int_equal(limits.paranoid, INT_MIN);
	assert_int_equal(limits.max_sample_rate, 100000);
}

static void capabilities_count_in_the_first_user_namespace_only(void **state)
{
	(void)state;
	static const struct {
		const char *status, *uid_map;
		bool perfmon, ipc_lock, is_inner;
	} cases[] = {
		{ "0000000000000000", "0 0 4294967295", false, false, false },
		{ "0000004000000000", "0 0 4294967295", true, false, false }, /* CAP_PERFMON */
		{ "0000000000200000", "0 0 4294967295", true, false, false }, /* CAP_SYS_ADMIN */
		{ "0000000000004000", "0 0 4294967295", false, true, false }, /* CAP_IPC_LOCK */
		{ "000001ffffffffff", "0 0 4294967295", true, true, false },  /* root */
		{ "000001ffffffffff", "0 1000 1", false, false, true }, /* root in a namespace */
		{ "000001ffffffffff", "0 100000 65536", false, false,
		  true }, /* root in a container */
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[200];
		snprintf(text, sizeof(text), "Name:\tx\nCapPrm:\t0000000000000000\nCapEff:\t%s\n",
			 cases[i].status);
		write_proc("self/status", text);
		write_proc("self/uid_map", cases[i].uid_map);
		struct perf_limits limits;
		limits_read_from(proc, &limits);
		assert_int_equal(limits.has_cap_perfmon, cases[i].perfmon);
		assert_int_equal(limits.has_cap_ipc_lock, cases[i].ipc_lock);
		assert_int_equal(limits.in_user_namespace, cases[i].is_inner);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sysctls_are_read, make_proc, remove_proc),
		cmocka_unit_test_setup_teardown(a_proc_that_is_not_mounted_is_reported, make_proc,
						remove_proc),
		cmocka_unit_test_setup_teardown(a_kernel_without_perf_events_shows, make_proc,
						remove_proc),
		cmocka_unit_test_setup_teardown(garbage_reads_as_the_default, make_proc,
						remove_proc),
		cmocka_unit_test_setup_teardown(capabilities_count_in_the_first_user_namespace_only,
						make_proc, remove_proc),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
