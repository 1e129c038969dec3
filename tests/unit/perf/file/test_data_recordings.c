#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf/file/order.h"
#include "tests/unit/fixtures/built_recording.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define RECORDINGS "../shared/recordings/"

struct expected_event {
	const char *name;
	size_t n_samples;
	uint64_t periods;
};

/*
 * Samples and sums of periods as perf 6.1's `perf script -F event,period` has them; for what it
 * refuses (compressed2, sleep.compressed, lbr, trace-offcpu, zero_size_sample) and for the group as
 * tests/oracle/walk_records.py counts them.
 */
static const struct {
	const char *name;
	size_t n_records;
	int end;
	struct expected_event events[MAX_EVENTS];
} recordings[] = {
	{ "lpd.fibo.compressed2.pipe",
	  1755,
	  0,
	  { { "cycles:P", 547, 942061728 }, { "dummy:u", 0, 0 } } },
	{ "lpd.sleep.compressed", 95, 0, { { "cycles:P", 8, 2201546 } } },
	{ "lpd.sleep.compressed.pipe", 95, 0, { { "cycles:P", 8, 2171147 } } },
	{ "quipper.branch-4.14", 50, 0, { { "cycles:ppp", 13, 2668332 } } },
	{ "quipper.callgraph-3.8", 3798, 0, { { "cycles", 1768, 291177942 } } },
	{ "quipper.ctx_switch_namespaces-4.14", 42, 0, { { "cycles", 2, 2 } } },
	{ "quipper.group_desc-4.14",
	  50,
	  0,
	  { { "cache-references", 7, 165909 }, { "branch-misses", 6, 23813 } } },
	{ "quipper.hybrid_topology",
	  122,
	  0,
	  { { "cpu_core/cycles:ppp/", 7, 7048948 },
	    { "cpu_atom/cycles:ppp/", 0, 0 },
	    { "dummy:HG", 0, 0 } } },
	{ "quipper.i686-3.4",
	  2499,
	  0,
	  { { "cycles", 147, 264438523 },
	    { "instructions", 155, 85205501 },
	    { "cache-references", 116, 1447587 },
	    { "cache-misses", 89, 65138 },
	    { "branches", 95, 11678830 },
	    { "branch-misses", 101, 817902 } } },
	{ "quipper.lost_samples-4.4",
	  243,
	  0,
	  { { "cycles:pp", 97, 1940291 },
	    { "instructions:pp", 80, 1600240 },
	    { "branch-instructions:pp", 14, 280042 } } },
	{ "quipper.piped.corrupted.zero_size_sample-3.2", 568, -EINVAL, { { "cycles", 0, 0 } } },
	{ "quipper.piped.ctx_switch_namespaces-4.14", 80, 0, { { "cycles", 7, 2383444 } } },
	{ "quipper.piped.header_features_aligned-6.12", 22, 0, { { "cycles:u", 9, 780008 } } },
	{ "quipper.piped.lost_samples-4.4",
	  243,
	  0,
	  { { "cycles:ppH", 98, 1960294 },
	    { "instructions:ppH", 79, 1580237 },
	    { "branches:ppH", 14, 280042 } } },
	{ "quipper.remmap-3.2", 343, 0, { { "cycles", 198, 538511820 } } },
	{ "quipper.throttle-3.8",
	  17001,
	  0,
	  { { "cycles", 9036, 90360000 }, { "instructions", 5944, 59440000 } } },
	{ "simpleperf.arm64-stacks", 239, 0, { { "cpu-cycles", 8, 536 } } },
	{ "simpleperf.lbr", 101, 0, { { "cpu-cycles", 19, 5806423 } } },
	{ "simpleperf.read-group",
	  77,
	  0,
	  { { "cpu-cycles", 12, 1262572 }, { "instructions", 0, 0 } } },
	{ "simpleperf.trace-offcpu",
	  3028,
	  0,
	  { { "cpu-cycles", 2270, 892880099 }, { "sched:sched_switch", 99, 99 } } },
};
enum { N_RECORDINGS = sizeof(recordings) / sizeof(recordings[0]) };

static void need_recordings(void)
{
	if (access(RECORDINGS, R_OK)) {
		print_message("skipped: no " RECORDINGS " here\n");
		skip();
	}
}

static void recording_path(size_t index, char *path, size_t size)
{
	snprintf(path, size, RECORDINGS "%s.data", recordings[index].name);
}

static struct data_file *open_recording(size_t index)
{
	struct data_file *file;
	char path[256], *error;

	recording_path(index, path, sizeof(path));
	if (data_file_open(path, &file, &error))
		fail_msg("%s", error);
	return file;
}

static void recordings_of_other_machines_have_the_samples_perf_counts(void **state)
{
	(void)state;
	need_recordings();
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		struct data_file *file = open_recording(i);
		struct counts counts = count_all(file);
		assert_int_equal(counts.end, recordings[i].end);
		assert_int_equal(counts.n_records, recordings[i].n_records);
		assert_int_equal(counts.n_undecodable, 0);
		assert_int_equal(counts.n_unknown, 0);
		for (size_t j = 0; j < data_file_n_events(file); j++) {
			const struct expected_event *expected = &recordings[i].events[j];
			assert_string_equal(data_file_event(file, j)->name, expected->name);
			assert_int_equal(counts.n_samples[j], expected->n_samples);
			assert_int_equal(counts.periods[j], expected->periods);
		}
		data_file_close(file);
	}
}

static size_t drain_in_order(struct order *order, uint64_t *last_ns)
{
	struct raw_record raw;
	uint64_t time_ns;
	size_t n = 0;

	while (order_pop(order, &raw, &time_ns)) {
		assert_true(time_ns >= *last_ns);
		*last_ns = time_ns;
		data_block_unref(raw.block);
		n++;
	}
	return n;
}

static void check_order(struct data_file *file)
{
	struct order *order = order_create(64 << 20);
	size_t n_pushed = 0, n_popped = 0, event;
	struct raw_record raw;
	struct record record;
	uint64_t last_ns = 0;

	assert_non_null(order);
	while (data_file_next(file, &raw) > 0) {
		assert_int_equal(data_file_decode(file, raw.header, &record, &event), RECORD_OK);
		assert_int_equal(
			order_push(order, &raw, record.has_time ? record.time_ns : UINT64_MAX), 0);
		n_pushed++;
		if (record.type == RECORD_FINISHED_ROUND)
			order_finish_round(order);
		n_popped += drain_in_order(order, &last_ns);
	}
	order_finish(order);
	n_popped += drain_in_order(order, &last_ns);
	assert_int_equal(n_popped, n_pushed);
	assert_int_equal(order_n_late(order), 0);
	order_destroy(order);
}

static void recordings_come_out_in_time_order_and_whole(void **state)
{
	(void)state;
	need_recordings();
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		struct data_file *file = open_recording(i);
		check_order(file);
		data_file_close(file);
	}
}

/* perf script prints a sample for each event of the group. */
static void a_group_sample_counts_for_each_member_that_grew(void **state)
{
	struct counts counts;

	(void)state;
	need_recordings();
	struct data_file *file = open_recording(N_RECORDINGS - 2);
	counts = count_all(file);
	assert_int_equal(counts.n_group[0], 12);
	assert_int_equal(counts.n_group[1], 12);
	data_file_close(file);
}

static void the_zero_size_sample_is_named_by_its_offset(void **state)
{
	(void)state;
	need_recordings();
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		if (!recordings[i].end)
			continue;
		struct data_file *file = open_recording(i);
		count_all(file);
		check_error(data_file_error(file), "offset 49104");
		data_file_close(file);
	}
}

static uint8_t *read_whole(size_t index, size_t *size_ret)
{
	char path[256];

	recording_path(index, path, sizeof(path));
	FILE *stream = fopen(path, "rb");
	assert_non_null(stream);
	fseek(stream, 0, SEEK_END);
	*size_ret = (size_t)ftell(stream);
	rewind(stream);
	uint8_t *bytes = malloc(*size_ret);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *size_ret, stream), *size_ret);
	fclose(stream);
	return bytes;
}

static size_t count_cut_recording(const uint8_t *bytes, size_t size)
{
	struct data_file *file;
	struct counts counts;
	char *error;

	if (try_open(bytes, size, &file, &error)) {
		free(error);
		return 0;
	}
	counts = count_all(file);
	data_file_close(file);
	return counts.n_records;
}

static void recordings_cut_anywhere_lose_only_what_follows(void **state)
{
	enum { N_CUTS = 97 };

	(void)state;
	need_recordings();
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		size_t size, n_before = 0;
		uint8_t *bytes = read_whole(i, &size);
		for (size_t cut = 0; cut <= N_CUTS; cut++) {
			size_t n = count_cut_recording(bytes, size * cut / N_CUTS);
			assert_true(n >= n_before);
			n_before = n;
		}
		assert_int_equal(n_before, recordings[i].n_records);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recordings_of_other_machines_have_the_samples_perf_counts),
		cmocka_unit_test(recordings_come_out_in_time_order_and_whole),
		cmocka_unit_test(a_group_sample_counts_for_each_member_that_grew),
		cmocka_unit_test(the_zero_size_sample_is_named_by_its_offset),
		cmocka_unit_test(recordings_cut_anywhere_lose_only_what_follows),
	};

	return cmocka_run_group_tests_name("data_recordings", tests, NULL, NULL);
}
