#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/fixtures/built_recording.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static void a_file_with_two_events_is_read(void **state)
{
	struct builder data = { 0 }, b;
	struct feature features[] = {
		string_feature(HOSTNAME, "oak"),
		{ .number = NRCPUS },
		{ .number = CMDLINE },
		event_desc_feature(),
	};

	(void)state;
	put_sample(&data, 2, 1);
	put_sample(&data, 3, 2);
	put_sample(&data, 1, 3);
	put_pair(&features[1].content, 8, 4);
	put_u32(&features[2].content, 4);
	put_feature_string(&features[2].content, "perf");
	put_feature_string(&features[2].content, "it's two words");
	put_feature_string(&features[2].content, "");
	put_feature_string(&features[2].content, "-o=x");
	b = two_events_in_a_file(&data, features, 4);
	struct data_file *file = open_built(&b);
	const struct data_file_info *info = data_file_info(file);
	assert_string_equal(info->hostname, "oak");
	assert_int_equal(info->n_cpus_available, 8);
	assert_int_equal(info->n_cpus_online, 4);
	assert_string_equal(info->command_line, "perf 'it'\\''s two words' '' -o=x");
	assert_false(info->is_pipe || info->is_cut || info->is_compressed || info->is_dendro);
	assert_int_equal(data_file_n_events(file), 2);
	assert_string_equal(data_file_event(file, 0)->name, "the cycles");
	assert_string_equal(data_file_event(file, 1)->name, "the clock");
	assert_int_equal(data_file_event(file, 0)->n_ids, 2);
	check_two_events(file, 2, 1);
	assert_null(data_file_truncation(file));
	data_file_close(file);
}

/* What has no memory any more has not come back either, and what is still used stays. */
static void records_can_outlive_the_memory_for_others(void **state)
{
	struct builder data = { 0 };
	struct raw_record first, record;

	(void)state;
	put_sample(&data, 2, 1);
	put_sample(&data, 3, 2);
	struct builder b = two_events_in_a_file(&data, NULL, 0);
	struct data_file *file = open_built(&b);
	assert_int_equal(data_file_next(file, &first), 1);
	assert_int_equal(data_file_next(file, &record), 1);
	data_block_unref(record.block);
	assert_int_equal(data_file_next(file, &record), 0);
	data_file_drop_blocks(file);
	assert_int_equal(first.header->type, PERF_RECORD_SAMPLE);
	assert_int_equal(data_file_next(file, &record), 0);
	data_block_unref(first.block);
	data_file_drop_blocks(file);
	data_file_close(file);
}

/* The time of day is known only with the version of the feature that is described. */
static void a_clock_is_related_to_the_time_of_day(void **state)
{
	(void)state;
	for (uint32_t version = 0; version <= 2; version++) {
		struct builder data = { 0 };
		struct feature clock = { .number = CLOCK_DATA };

		put_sample(&data, 2, 1);
		put_pair(&clock.content, version, CLOCK_MONOTONIC);
		put_u64(&clock.content, 1700000000000000000);
		put_u64(&clock.content, 5000);
		struct builder b = two_events_in_a_file(&data, &clock, 1);
		struct data_file *file = open_built(&b);
		const struct data_file_info *info = data_file_info(file);
		assert_int_equal(info->wall_ns, version == 1 ? 1700000000000000000 : 0);
		assert_int_equal(info->clock_ns, version == 1 ? 5000 : 0);
		assert_int_equal(info->clock_id, version == 1 ? CLOCK_MONOTONIC : 0);
		data_file_close(file);
	}
}

static void a_pipe_names_its_events_and_features_in_records(void **state)
{
	struct builder b = two_events_in_a_pipe();

	(void)state;
	begin_record(&b, RECORD_EVENT_UPDATE, 0);
	put_u64(&b, 2); /* NAME */
	put_u64(&b, 3);
	put_string(&b, "my clock");
	end_record(&b);
	begin_record(&b, RECORD_FEATURE, 0);
	put_u64(&b, HOSTNAME);
	put_feature_string(&b, "elm");
	end_record(&b);
	put_sample(&b, 3, 1);
	struct data_file *file = open_built(&b);
	assert_true(data_file_info(file)->is_pipe);
	assert_string_equal(data_file_info(file)->hostname, "elm");
	assert_string_equal(data_file_event(file, 0)->name, "cycles:u");
	assert_string_equal(data_file_event(file, 1)->name, "my clock");
	check_two_events(file, 0, 1);
	data_file_close(file);
}

static void names_may_come_before_their_events(void **state)
{
	struct perf_event_attr cycles = cycles_attr();
	struct feature desc = event_desc_feature();
	struct builder b = { 0 };

	(void)state;
	put_pipe_start(&b);
	begin_record(&b, RECORD_FEATURE, 0);
	put_u64(&b, EVENT_DESC);
	put_bytes(&b, desc.content.bytes, desc.content.size);
	end_record(&b);
	free(desc.content.bytes);
	put_attr_record(&b, &cycles, (const uint64_t[]){ 2 }, 1);
	put_sample(&b, 2, 1);
	struct data_file *file = open_built(&b);
	assert_string_equal(data_file_event(file, 0)->name, "the cycles");
	check_two_events(file, 1, 0);
	data_file_close(file);
}

static void attrs_of_any_age_are_read(void **state)
{
	static const size_t sizes[] = { 64, 72, 80, 96, 112, 120, 128, 136, 144, 512 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint8_t bytes[512];
		struct perf_event_attr attr = cycles_attr();
		struct builder b = { 0 };
		memset(bytes, 0xff, sizeof(bytes));
		memcpy(bytes, &attr, ATTR_SIZE);
		memcpy(bytes + offsetof(struct perf_event_attr, size), &(uint32_t){ sizes[i] }, 4);
		put_pipe_start(&b);
		begin_record(&b, RECORD_HEADER_ATTR, 0);
		put_bytes(&b, bytes, sizes[i]);
		put_u64(&b, 5);
		end_record(&b);
		put_sample(&b, 5, 1);
		struct data_file *file = open_built(&b);
		assert_int_equal(data_file_event(file, 0)->n_ids, 1);
		assert_int_equal(data_file_event(file, 0)->ids[0], 5);
		assert_int_equal(data_file_event(file, 0)->attr.sample_type, SAMPLE_TYPE);
		check_two_events(file, 1, 0);
		data_file_close(file);
	}
}

static void the_event_of_a_record_is_found_as_perf_finds_it(void **state)
{
	struct builder b = two_events_in_a_pipe();
	struct counts counts;

	(void)state;
	put_sample(&b, 0, 1); /* synthesized: the first event's */
	put_sample(&b, 3, 2);
	put_sample(&b, 99, 3); /* nobody's */
	struct data_file *file = open_built(&b);
	counts = count_all(file);
	assert_int_equal(counts.n_samples[0], 1);
	assert_int_equal(counts.n_samples[1], 1);
	assert_int_equal(counts.n_unknown, 1);
	assert_int_equal(data_file_find_event(file, 3), 1);
	assert_int_equal(data_file_find_event(file, 99), SIZE_MAX);
	data_file_close(file);
}

static void samples_before_any_event_are_refused(void **state)
{
	struct builder b = { 0 };
	struct counts counts;

	(void)state;
	put_pipe_start(&b);
	put_sample(&b, 1, 1);
	struct data_file *file = open_built(&b);
	counts = count_all(file);
	assert_int_equal(counts.end, -EINVAL);
	check_error(data_file_error(file), "offset 16");
	data_file_close(file);
}

static void events_without_a_name_are_named_as_perf_names_them(void **state)
{
	/* As `perf evlist` of 6.1 prints them, but for bpf-output, which it does not know. */
	static const struct {
		struct perf_event_attr attr;
		const char *name;
	} cases[] = {
		{ { .type = PERF_TYPE_HARDWARE, .exclude_guest = 1 }, "cycles" },
		{ { .type = PERF_TYPE_HARDWARE }, "cycles:HG" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 5, .exclude_kernel = 1 },
		  "branch-misses:uh" },
		{ { .type = PERF_TYPE_HARDWARE, .exclude_kernel = 1, .exclude_hv = 1 },
		  "cycles:u" },
		{ { .type = PERF_TYPE_HARDWARE, .exclude_user = 1, .exclude_guest = 1 },
		  "cycles:khH" },
		{ { .type = PERF_TYPE_HARDWARE, .precise_ip = 3 }, "cycles:ppp" },
		{ { .type = PERF_TYPE_HARDWARE, .precise_ip = 2, .exclude_guest = 1 },
		  "cycles:ppH" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 99, .exclude_host = 1 },
		  "unknown-hardware:G" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 0x400000001, .exclude_guest = 1 },
		  "instructions" },
		{ { .type = PERF_TYPE_SOFTWARE, .config = 1, .exclude_user = 1 }, "task-clock:kh" },
		{ { .type = PERF_TYPE_SOFTWARE, .config = 9 }, "dummy:HG" },
		{ { .type = PERF_TYPE_SOFTWARE, .config = 10, .exclude_guest = 1 }, "bpf-output" },
		{ { .type = PERF_TYPE_RAW, .config = 0x1a8, .precise_ip = 1 }, "raw 0x1a8:p" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0x10000, .exclude_guest = 1 },
		  "L1-dcache-load-misses" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0x103, .exclude_guest = 1 },
		  "dTLB-stores" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0xff, .exclude_guest = 1 },
		  "unknown-ext-hardware-cache-type" },
		{ { .type = PERF_TYPE_BREAKPOINT,
		    .bp_addr = 0x1000,
		    .bp_type = 3,
		    .exclude_guest = 1 },
		  "mem:0x1000:rw" },
		{ { .type = PERF_TYPE_TRACEPOINT, .config = 47 }, "unknown tracepoint" },
		{ { .type = 42 }, "unknown attr type: 42" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perf_event_attr attr = cases[i].attr;
		struct builder b = { 0 };
		attr.size = ATTR_SIZE;
		put_pipe_start(&b);
		put_attr_record(&b, &attr, NULL, 0);
		struct data_file *file = open_built(&b);
		assert_string_equal(data_file_event(file, 0)->name, cases[i].name);
		data_file_close(file);
	}
}

static int open_as_stdin(int fd, struct data_file **file, char **error)
{
	int saved = dup(STDIN_FILENO);

	assert_true(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
	int err = data_file_open("-", file, error);
	if (!err) {
		check_two_events(*file, 1, 0);
		data_file_close(*file);
	}
	if (saved >= 0) {
		dup2(saved, STDIN_FILENO);
		close(saved);
	}
	return err;
}

static void a_pipe_is_read_from_standard_input(void **state)
{
	struct builder b = two_events_in_a_pipe(), data = { 0 };
	struct data_file *file;
	char *error;
	int fds[2];

	(void)state;
	put_sample(&b, 1, 1);
	put_sample(&data, 1, 1);
	struct builder in_file = two_events_in_a_file(&data, NULL, 0);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], b.bytes, b.size), b.size);
	close(fds[1]);
	assert_int_equal(open_as_stdin(fds[0], &file, &error), 0);
	close(fds[0]);

	/* What was recorded to a file can come from a file only. */
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], in_file.bytes, in_file.size), in_file.size);
	close(fds[1]);
	assert_int_equal(open_as_stdin(fds[0], &file, &error), -ESPIPE);
	check_error(error, "standard input");
	free(error);
	close(fds[0]);
	int fd = memory_file(in_file.bytes, in_file.size);
	assert_int_equal(open_as_stdin(fd, &file, &error), 0);
	close(fd);
	free(b.bytes);
	free(in_file.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_with_two_events_is_read),
		cmocka_unit_test(records_can_outlive_the_memory_for_others),
		cmocka_unit_test(a_clock_is_related_to_the_time_of_day),
		cmocka_unit_test(a_pipe_names_its_events_and_features_in_records),
		cmocka_unit_test(names_may_come_before_their_events),
		cmocka_unit_test(attrs_of_any_age_are_read),
		cmocka_unit_test(the_event_of_a_record_is_found_as_perf_finds_it),
		cmocka_unit_test(samples_before_any_event_are_refused),
		cmocka_unit_test(events_without_a_name_are_named_as_perf_names_them),
		cmocka_unit_test(a_pipe_is_read_from_standard_input),
	};

	return cmocka_run_group_tests_name("data_file", tests, NULL, NULL);
}
