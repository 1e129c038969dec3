/* What programs record by libdendro, read back by it; and what it refuses. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/api/dendro.h"

#define FRAME_SIZE sizeof(struct dendro_path_frame)
#define USER(function)                                                                     \
	{                                                                                  \
		.kind = DENDRO_FRAME_USER, .name = (function), .module = "/usr/bin/server" \
	}

static const struct dendro_path_frame parse_path[] = {
	USER("main"),
	{ .kind = DENDRO_FRAME_USER,
	  .name = "_ZN3net5parseEv",
	  .module = "/usr/bin/server",
	  .file = "net.cc",
	  .line = 7 },
	{ .kind = DENDRO_FRAME_INLINED, .name = "skip", .file = "text.h", .line = 3 },
};
static const struct dendro_path_frame recursion[] = { USER("main"), USER("walk"), USER("walk") };
static const struct dendro_path_frame read_path[] = {
	USER("main"),
	{ .kind = DENDRO_FRAME_KERNEL, .name = "ksys_read" },
	{ .kind = DENDRO_FRAME_KERNEL, .name = "ext4_read", .module = "[ext4]" },
};
static const struct dendro_path_frame cut[] = {
	{ .kind = DENDRO_FRAME_MARKER, .name = "stack_cut" },
	USER("walk"),
};

struct written {
	struct dendro_writer *writer;
	uint32_t bytes, requests, thread;
	char path[32], *error;
};

static struct written begin(void)
{
	struct written written = { .path = "/tmp/test_writer-XXXXXX" };
	uint32_t process;

	close(mkstemp(written.path));
	assert_int_equal(dendro_writer_create(&written.writer, &written.error), 0);
	assert_int_equal(dendro_writer_add_metric(written.writer, "requests", "events", 1,
						  &written.requests, NULL),
			 0);
	assert_int_equal(dendro_writer_add_process(written.writer, 42, "server", &process, NULL),
			 0);
	assert_int_equal(dendro_writer_add_thread(written.writer, process, 43, "worker",
						  &written.thread, NULL),
			 0);
	return written;
}

static uint32_t add_path(const struct written *written, const struct dendro_path_frame *frames,
			 size_t n)
{
	uint32_t path;

	assert_int_equal(dendro_writer_add_path(written->writer, written->thread, frames, n,
						FRAME_SIZE, &path, NULL),
			 0);
	return path;
}

static void add(const struct written *written, const struct dendro_path_frame *frames, size_t n,
		uint32_t metric, uint64_t weight, uint64_t time_ns)
{
	assert_int_equal(dendro_writer_add_sample(written->writer, add_path(written, frames, n),
						  metric, weight, time_ns, 5, NULL),
			 0);
}

/* Saves it, and reads it. */
static struct dendro_profile *end(struct written *written,
				  const struct dendro_read_options *options)
{
	struct dendro_profile *profile;

	assert_int_equal(dendro_writer_save(written->writer, written->path, &written->error), 0);
	dendro_writer_destroy(written->writer);
	if (dendro_profile_open(written->path, options, &profile, &written->error))
		fail_msg("%s", written->error);
	unlink(written->path);
	return profile;
}

static struct dendro_profile *make(const struct dendro_read_options *options)
{
	struct written written = begin();

	assert_int_equal(dendro_writer_describe(written.writer, "server -v",
						UINT64_C(1700000000000000000), NULL),
			 0);
	assert_int_equal(
		dendro_writer_add_metric(written.writer, "bytes", "bytes", 0, &written.bytes, NULL),
		0);
	add(&written, parse_path, 3, written.requests, 3, 0);
	add(&written, parse_path, 3, written.requests, 4, 5000);
	add(&written, recursion, 3, written.requests, 10, 3000);
	add(&written, read_path, 3, written.bytes, 100, 7000);
	add(&written, cut, 2, written.bytes, 50, 9000);
	assert_int_equal(dendro_writer_add_lost(written.writer, written.bytes, 9, NULL), 0);
	return end(&written, options);
}

static uint32_t find(const struct dendro_profile *profile, const char *name)
{
	for (uint32_t i = 0; i < dendro_profile_n_frames(profile); i++) {
		if (strcmp(dendro_profile_frame(profile, i)->name, name) == 0)
			return i;
	}
	fail_msg("no frame is called %s", name);
	return DENDRO_NONE;
}

static void expect_costs(const struct dendro_profile *profile, const char *name, uint32_t metric,
			 uint64_t self, uint64_t total)
{
	const uint32_t at = find(profile, name) * dendro_profile_n_metrics(profile) + metric;

	print_message("%s\n", name);
	assert_int_equal(dendro_frame_self(profile)[at], self);
	assert_int_equal(dendro_frame_total(profile)[at], total);
}

static uint64_t counter(const struct dendro_profile *profile, const char *name)
{
	for (size_t i = 0; i < dendro_profile_n_counters(profile); i++) {
		if (strcmp(dendro_profile_counter(profile, i)->name, name) == 0)
			return dendro_profile_counter(profile, i)->value;
	}
	fail_msg("no counter is called %s", name);
	return 0;
}

static void what_was_recorded_is_read(void **state)
{
	struct dendro_profile *profile = make(NULL);
	const struct dendro_info *info = dendro_profile_info(profile);

	(void)state;
	assert_string_equal(info->command_line, "server -v");
	assert_int_equal(info->duration_ns, 9000);
	assert_int_equal(info->start_unix_ns, UINT64_C(1700000000000000000));
	assert_int_equal(dendro_profile_n_metrics(profile), 2);
	assert_string_equal(dendro_profile_metric(profile, 1)->unit, "bytes");
	assert_int_equal(dendro_profile_metric(profile, 1)->total, 150);
	assert_int_equal(dendro_profile_metric(profile, 1)->lost, 9);
	assert_null(dendro_profile_metric(profile, 2));
	expect_costs(profile, "all", 0, 0, 17);
	expect_costs(profile, "main", 0, 0, 17);
	expect_costs(profile, "walk", 0, 10, 10); /* once, in spite of the recursion */
	expect_costs(profile, "walk", 1, 50, 50);
	expect_costs(profile, "net::parse()", 0, 0, 7);
	expect_costs(profile, "skip", 0, 7, 7);
	expect_costs(profile, "ext4_read", 1, 100, 100);
	expect_costs(profile, "[stack deeper than the copy]", 1, 0, 50);
	assert_int_equal(counter(profile, "samples"), 5);
	assert_int_equal(counter(profile, "lost"), 9);
	assert_int_equal(counter(profile, "unwind.complete"), 4);
	assert_int_equal(counter(profile, "unwind.stack_cut"), 1);
	assert_int_equal(dendro_profile_n_notes(profile), 0);
	assert_int_equal(dendro_profile_n_missing(profile), 0);
	dendro_profile_close(profile);
}

static void frames_say_what_they_are(void **state)
{
	struct dendro_profile *profile = make(NULL);
	const struct dendro_frame *parse =
		dendro_profile_frame(profile, find(profile, "net::parse()"));
	const struct dendro_frame *skip = dendro_profile_frame(profile, find(profile, "skip"));
	const struct dendro_frame *read = dendro_profile_frame(profile, find(profile, "ext4_read"));

	(void)state;
	assert_int_equal(parse->kind, DENDRO_FRAME_USER);
	assert_string_equal(parse->symbol, "_ZN3net5parseEv");
	assert_string_equal(parse->module, "server");
	assert_string_equal(parse->module_path, "/usr/bin/server");
	assert_int_equal(skip->kind, DENDRO_FRAME_INLINED);
	assert_int_equal(read->kind, DENDRO_FRAME_KERNEL);
	assert_string_equal(read->module, "[ext4]");
	assert_int_equal(dendro_profile_frame(profile, 0)->kind, DENDRO_FRAME_ROOT);
	assert_int_equal(dendro_profile_process(profile, 0)->pid, 42);
	assert_string_equal(dendro_profile_process(profile, 0)->name, "server");
	assert_int_equal(dendro_process_total(profile)[1], 150);
	assert_int_equal(dendro_profile_thread(profile, 0)->tid, 43);
	assert_int_equal(dendro_thread_total(profile)[0], 17);
	dendro_profile_close(profile);
}

/* Names from the root on. */
static void write_path(const struct dendro_profile *profile, uint32_t node, FILE *out)
{
	const uint32_t parent = dendro_node_parents(profile)[node];

	if (parent != DENDRO_NONE)
		write_path(profile, parent, out);
	fprintf(out, "%s;", dendro_profile_frame(profile, dendro_node_frames(profile)[node])->name);
}

static void samples_lead_to_their_paths(void **state)
{
	static const struct {
		uint64_t time_ns, weight;
		const char *path;
	} expected[] = {
		{ 0, 3, "all;server;main;net::parse();skip;" },
		{ 5000, 4, "all;server;main;net::parse();skip;" },
		{ 3000, 10, "all;server;main;walk;walk;" },
		{ 7000, 100, "all;server;main;[kernel];ksys_read;ext4_read;" },
		{ 9000, 50, "all;server;[stack deeper than the copy];walk;" },
	};
	struct dendro_profile *profile = make(NULL);
	struct dendro_sample samples[8];

	(void)state;
	assert_true(dendro_profile_has_samples(profile));
	assert_int_equal(dendro_profile_n_samples(profile), 5);
	assert_int_equal(dendro_profile_read_samples(profile, 0, 8, samples, sizeof(*samples)), 5);
	for (size_t i = 0; i < 5; i++) {
		char *path;
		size_t size;
		FILE *out = open_memstream(&path, &size);

		write_path(profile, samples[i].node, out);
		fclose(out);
		assert_string_equal(path, expected[i].path);
		assert_int_equal(samples[i].time_ns, expected[i].time_ns);
		assert_int_equal(samples[i].weight, expected[i].weight);
		assert_int_equal(samples[i].samples, 1);
		assert_int_equal(samples[i].metric, i >= 3);
		assert_int_equal(samples[i].cpu, 5);
		assert_int_equal(samples[i].tid, 43);
		assert_string_equal(samples[i].thread_name, "worker");
		free(path);
	}
	assert_int_equal(dendro_profile_read_samples(profile, 4, 8, samples, sizeof(*samples)), 1);
	assert_int_equal(dendro_profile_read_samples(profile, 5, 8, samples, sizeof(*samples)), 0);
	dendro_profile_close(profile);
}

/* What a program sees that was compiled when samples had fewer members. */
static void smaller_structs_of_older_programs_are_filled(void **state)
{
	struct dendro_profile *profile = make(NULL);
	uint64_t times_and_weights[5][2];

	(void)state;
	assert_int_equal(dendro_profile_read_samples(
				 profile, 0, 5, (struct dendro_sample *)(void *)times_and_weights,
				 sizeof(times_and_weights[0])),
			 5);
	assert_int_equal(times_and_weights[3][0], 7000);
	assert_int_equal(times_and_weights[3][1], 100);
	dendro_profile_close(profile);
}

static void options_change_names_lines_and_groups(void **state)
{
	struct dendro_read_options options = DENDRO_READ_OPTIONS_INIT;

	(void)state;
	options.raw_names = options.by_line = 1;
	options.grouping = DENDRO_BY_THREAD;
	struct dendro_profile *profile = make(&options);
	const struct dendro_frame *parse =
		dendro_profile_frame(profile, find(profile, "_ZN3net5parseEv"));
	assert_string_equal(parse->file, "net.cc");
	assert_int_equal(parse->line, 7);
	expect_costs(profile, "worker", 0, 0, 17);
	dendro_profile_close(profile);

	options = (struct dendro_read_options)DENDRO_READ_OPTIONS_INIT;
	options.no_inlines = options.no_samples = 1;
	options.kernel = DENDRO_KERNEL_NONE;
	profile = make(&options);
	expect_costs(profile, "net::parse()", 0, 7, 7);
	expect_costs(profile, "main", 1, 100, 100);
	assert_false(dendro_profile_has_samples(profile));
	assert_int_equal(dendro_profile_n_samples(profile), 0);
	dendro_profile_close(profile);
}

static void options_of_a_later_version_are_refused(void **state)
{
	struct {
		struct dendro_read_options known;
		int later;
	} options = { .known.size = sizeof(options), .later = 1 };
	struct dendro_profile *profile;
	char *error;

	(void)state;
	assert_int_equal(dendro_profile_open("none", &options.known, &profile, &error), -E2BIG);
	assert_non_null(strstr(error, "does not know these options"));
	dendro_free(error);
	options.later = 0;
	assert_int_equal(dendro_profile_open("none", &options.known, &profile, &error), -ENOENT);
	assert_string_equal(
		error, "none: No such file or directory: make one with 'dendro record COMMAND'");
	dendro_free(error);
	assert_int_equal(dendro_profile_open("none", NULL, &profile, NULL), -ENOENT);
}

static void wrong_paths_are_refused(void **state)
{
	static const struct {
		struct dendro_path_frame frames[3];
		size_t n;
		const char *error;
	} cases[] = {
		{ { USER("main"), USER(NULL) }, 2, "frame 1 of the path has no name" },
		{ { { .kind = DENDRO_FRAME_INLINED, .name = "f" } },
		  1,
		  "frame 0 of the path is inlined into nothing" },
		{ { { .kind = DENDRO_FRAME_KERNEL, .name = "k" }, USER("main") },
		  2,
		  "frame 1 of the path is user code below the kernel's" },
		{ { { .kind = DENDRO_FRAME_MARKER, .name = "because" } },
		  1,
		  "frame 0 of the path is a marker of an unknown name" },
		{ { USER("main"), { .kind = DENDRO_FRAME_MARKER, .name = "stack_cut" } },
		  2,
		  "frame 1 of the path is a marker, which only the first may be" },
		{ { { .kind = DENDRO_FRAME_THREAD, .name = "t" } },
		  1,
		  "frame 0 of the path is neither a function nor a marker" },
	};
	struct written written = begin();
	uint32_t path;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(dendro_writer_add_path(written.writer, written.thread,
							cases[i].frames, cases[i].n, FRAME_SIZE,
							&path, &written.error),
				 -EINVAL);
		assert_string_equal(written.error, cases[i].error);
		dendro_free(written.error);
	}
	assert_int_equal(
		dendro_writer_add_path(written.writer, 7, recursion, 3, FRAME_SIZE, &path, NULL),
		-EINVAL);
	dendro_writer_destroy(written.writer);
	unlink(written.path);
}

static void wrong_samples_are_refused(void **state)
{
	struct written written = begin();
	const uint32_t path = add_path(&written, recursion, 3);

	(void)state;
	assert_int_equal(path, add_path(&written, recursion, 3));
	assert_int_equal(dendro_writer_add_sample(written.writer, path - 1, 0, 1, 0, 0, NULL),
			 -EINVAL);
	assert_int_equal(dendro_writer_add_sample(written.writer, path, 1, 1, 0, 0, NULL), -EINVAL);
	assert_int_equal(dendro_writer_add_sample(written.writer, path, 0, 1, 0, 0, NULL), 0);
	assert_int_equal(dendro_writer_add_sample(written.writer, path, 0, 1, DENDRO_NO_TIME, 0,
						  &written.error),
			 -EINVAL);
	assert_string_equal(written.error, "either all samples have times, or none");
	dendro_free(written.error);
	assert_int_equal(dendro_writer_save(written.writer, "/none/profile.cct", &written.error),
			 -ENOENT);
	assert_string_equal(written.error, "/none/profile.cct: No such file or directory");
	dendro_free(written.error);
	assert_int_equal(dendro_writer_add_lost(written.writer, 0, 1, NULL), -EINVAL);
	dendro_writer_destroy(written.writer);
	unlink(written.path);
}

static void a_profile_may_have_no_samples_and_no_times(void **state)
{
	struct written written = begin();
	struct dendro_profile *profile = end(&written, NULL);
	struct dendro_sample sample;

	(void)state;
	assert_int_equal(dendro_profile_n_nodes(profile), 1);
	assert_int_equal(dendro_node_parents(profile)[0], DENDRO_NONE);
	assert_int_equal(dendro_node_first_child(profile, 0), DENDRO_NONE);
	dendro_profile_close(profile);

	written = begin();
	add(&written, recursion, 3, 0, 1, DENDRO_NO_TIME);
	profile = end(&written, NULL);
	assert_int_equal(dendro_profile_read_samples(profile, 0, 1, &sample, sizeof(sample)), 1);
	assert_int_equal(sample.time_ns, DENDRO_NO_TIME);
	dendro_profile_close(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_recorded_is_read),
		cmocka_unit_test(frames_say_what_they_are),
		cmocka_unit_test(samples_lead_to_their_paths),
		cmocka_unit_test(smaller_structs_of_older_programs_are_filled),
		cmocka_unit_test(options_change_names_lines_and_groups),
		cmocka_unit_test(options_of_a_later_version_are_refused),
		cmocka_unit_test(wrong_paths_are_refused),
		cmocka_unit_test(wrong_samples_are_refused),
		cmocka_unit_test(a_profile_may_have_no_samples_and_no_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
