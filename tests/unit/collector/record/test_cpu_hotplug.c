/* What the kernel announces about CPUs, without a CPU that goes; 0348-cpu-hotplug.bats has one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/cpu_hotplug.h"
#include "perf/file/data_file.h"
#include "perf/records/window_record.h"

struct bench {
	int fd;
	struct perf_event_attr attr;
	struct data_writer *writer;
	struct drain drain;
	struct watched_cpu cpus[2];
	struct cpu_hotplug hotplug;
};

/* Two CPUs are watched, 0 and 1. Of CPU 0 only the sideband is recorded. */
static struct bench *bench_create(void)
{
	static const uint64_t id = 1;
	struct bench *bench = calloc(1, sizeof(*bench));
	struct data_writer_options options = { .compression_level = 0 };

	assert_non_null(bench);
	bench->fd = memfd_create("recording", MFD_CLOEXEC);
	bench->attr = (struct perf_event_attr){ .size = PERF_ATTR_SIZE_VER7,
						.sample_type = PERF_SAMPLE_IDENTIFIER };
	const struct data_writer_event event = { &bench->attr, "dummy", &id, 1 };
	assert_int_equal(
		data_writer_create(bench->fd, &options, &event, 1, NULL, 0, &bench->writer), 0);
	bench->drain.writer = bench->writer;
	bench->drain.newest_ns = 77;
	bench->cpus[1] = (struct watched_cpu){ .cpu = 1, .has_samples = true };
	bench->hotplug = (struct cpu_hotplug){
		.drain = &bench->drain, .uevents_fd = -1, .cpus = bench->cpus, .n_cpus = 2
	};
	return bench;
}

static void bench_destroy(struct bench *bench)
{
	data_writer_destroy(bench->writer);
	close(bench->fd);
	free(bench);
}

static void take(struct bench *bench, const char *uevent)
{
	assert_int_equal(cpu_hotplug_take_uevent(&bench->hotplug, uevent), 0);
}

/* The number of window records, which are all of this kind, CPU 1 and the time 77. */
static size_t count_window_records(struct bench *bench, enum window_record_kind kind)
{
	struct window_record record;
	struct data_file *file;
	struct raw_record raw;
	char path[32], *error = NULL;
	size_t n = 0;

	assert_int_equal(data_writer_finish(bench->writer), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", bench->fd);
	assert_int_equal(data_file_open(path, &file, &error), 0);
	while (data_file_next(file, &raw) == 1) {
		if (window_record_is_type(raw.header)) {
			assert_true(window_record_decode(raw.header, &record));
			assert_int_equal(record.kind, kind);
			assert_int_equal(record.cpu, 1);
			assert_int_equal(record.time_ns, 77);
			n++;
		}
		data_block_unref(raw.block);
	}
	data_file_close(file);
	return n;
}

static void a_cpu_that_goes_is_noted_once_and_wants_to_be_reopened_when_it_is_back(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	take(bench, "online@/devices/system/cpu/cpu1"); /* it was never away */
	assert_int_equal(bench->cpus[1].presence, CPU_RECORDED);
	take(bench, "offline@/devices/system/cpu/cpu1");
	assert_int_equal(bench->cpus[1].presence, CPU_OFFLINE);
	assert_false(cpu_hotplug_is_busy(&bench->hotplug));
	take(bench, "online@/devices/system/cpu/cpu1");
	assert_int_equal(bench->cpus[1].presence, CPU_BACK);
	assert_true(cpu_hotplug_is_busy(&bench->hotplug));
	take(bench, "offline@/devices/system/cpu/cpu1"); /* before it was reopened */
	assert_int_equal(bench->cpus[1].presence, CPU_OFFLINE);
	assert_int_equal(bench->cpus[0].presence, CPU_RECORDED);
	assert_int_equal(count_window_records(bench, WINDOW_RECORD_CPU_LOST), 1);
	bench_destroy(bench);
}

static void a_cpu_without_samples_leaves_no_gap(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	take(bench, "offline@/devices/system/cpu/cpu0");
	assert_int_equal(bench->cpus[0].presence, CPU_OFFLINE);
	assert_int_equal(count_window_records(bench, WINDOW_RECORD_CPU_LOST), 0);
	bench_destroy(bench);
}

static void a_cpu_that_was_absent_is_opened_when_it_comes_and_leaves_no_gap(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	bench->cpus[1].presence = CPU_OFFLINE;
	assert_false(cpu_hotplug_is_busy(&bench->hotplug));
	take(bench, "online@/devices/system/cpu/cpu1");
	assert_int_equal(bench->cpus[1].presence, CPU_BACK);
	assert_true(cpu_hotplug_is_busy(&bench->hotplug));
	assert_int_equal(count_window_records(bench, WINDOW_RECORD_CPU_LOST), 0);
	bench_destroy(bench);
}

static void other_uevents_are_ignored(void **state)
{
	static const char *const uevents[] = {
		"",
		"offline",
		"offline@",
		"@/devices/system/cpu/cpu1",
		"remove@/devices/system/cpu/cpu1",
		"offline@/devices/system/cpu/cpu2",
		"offline@/devices/system/cpu/cpu1x",
		"offline@/devices/system/cpu/cpu1/cache",
		"offline@/devices/system/cpu/cpu",
		"offline@/devices/system/memory/memory1",
		"offline@/devices/virtual/cpuid/cpu1",
		"offlineofflineoffline@/devices/system/cpu/cpu1",
	};
	struct bench *bench = bench_create();

	(void)state;
	for (size_t i = 0; i < sizeof(uevents) / sizeof(uevents[0]); i++)
		take(bench, uevents[i]);
	assert_int_equal(bench->cpus[0].presence, CPU_RECORDED);
	assert_int_equal(bench->cpus[1].presence, CPU_RECORDED);
	bench_destroy(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_cpu_that_goes_is_noted_once_and_wants_to_be_reopened_when_it_is_back),
		cmocka_unit_test(a_cpu_without_samples_leaves_no_gap),
		cmocka_unit_test(a_cpu_that_was_absent_is_opened_when_it_comes_and_leaves_no_gap),
		cmocka_unit_test(other_uevents_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
