/* libdendro over made-up recordings and damaged profiles. */
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
#include "tests/unit/fixtures/made_up_recording.h"

/* The sample with number i is of thread PID + i % 2, in ip 0x1000 + i % 10, and weighs i. */
static void put_samples(struct recording *recording, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		put_head(recording, CYCLES_ID, 0x1000 + i % 10, (int32_t)(PID + i % 2));
		put_u64(&recording->records, i);
		end_record(&recording->records);
	}
}

/* What is to hold of any profile. */
static void check_sums(const struct dendro_profile *profile)
{
	const uint32_t n_metrics = dendro_profile_n_metrics(profile);
	const uint32_t *parents = dendro_node_parents(profile);
	struct dendro_sample sample;

	for (uint32_t metric = 0; metric < n_metrics; metric++) {
		const struct dendro_metric *of = dendro_profile_metric(profile, metric);
		uint64_t total = 0, samples = 0, of_frames = 0;

		for (uint32_t i = 0; i < dendro_profile_n_nodes(profile); i++) {
			total += dendro_node_self(profile)[i * n_metrics + metric];
			samples += dendro_node_self_samples(profile)[i * n_metrics + metric];
			assert_true(i ? parents[i] < i : parents[i] == DENDRO_NONE);
			assert_non_null(
				dendro_profile_frame(profile, dendro_node_frames(profile)[i])
					->name);
		}
		for (uint32_t i = 0; i < dendro_profile_n_frames(profile); i++)
			of_frames += dendro_frame_self(profile)[i * n_metrics + metric];
		assert_int_equal(total, of->total);
		assert_int_equal(of_frames, of->total);
		assert_int_equal(samples, of->samples);
		assert_int_equal(dendro_node_total(profile)[metric], of->total);
	}
	for (uint32_t i = 0; i < dendro_profile_n_samples(profile); i++) {
		assert_int_equal(
			dendro_profile_read_samples(profile, i, 1, &sample, sizeof(sample)), 1);
		assert_true(sample.node < dendro_profile_n_nodes(profile));
		assert_true(sample.thread < dendro_profile_n_threads(profile));
	}
}

static struct dendro_profile *open_with(struct recording *recording,
					const struct dendro_read_options *options)
{
	struct dendro_profile *profile = NULL;
	char path[64], *error;

	recording_finish(recording, NULL, path);
	if (dendro_profile_open(path, options, &profile, &error))
		fail_msg("%s", error);
	assert_null(error);
	return profile;
}

static void a_recording_is_read(void **state)
{
	struct recording *recording = recording_create(false, false);
	struct dendro_read_options options = DENDRO_READ_OPTIONS_INIT;

	(void)state;
	put_samples(recording, 1000);
	put_sample(recording, INSTRUCTIONS_ID, 0x1000, 7);
	options.grouping = DENDRO_BY_THREAD;
	struct dendro_profile *profile = open_with(recording, &options);
	check_sums(profile);
	assert_int_equal(dendro_profile_n_metrics(profile), 2);
	assert_string_equal(dendro_profile_metric(profile, 0)->name, "cycles");
	assert_int_equal(dendro_profile_metric(profile, 0)->total, 999 * 1000 / 2);
	assert_int_equal(dendro_profile_metric(profile, 1)->total, 7);
	assert_int_equal(dendro_profile_n_samples(profile), 1001);
	assert_int_equal(dendro_profile_n_threads(profile), 2);
	assert_int_equal(dendro_thread_total(profile)[0] + dendro_thread_total(profile)[2],
			 999 * 1000 / 2);
	assert_int_equal(dendro_process_total(profile)[1], 7);
	dendro_profile_close(profile);
	recording_destroy(recording);
}

/* A reading of it, which must give an error or a profile whose numbers hold. */
static bool reads(const char *bytes, size_t size)
{
	struct dendro_profile *profile = NULL;
	char path[64], *error;
	const int fd = memfd_create("damaged", MFD_CLOEXEC);

	assert_int_equal(write(fd, bytes, size), size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const int err = dendro_profile_open(path, NULL, &profile, &error);
	if (err) {
		assert_null(profile);
		assert_non_null(error);
	} else {
		check_sums(profile);
	}
	dendro_free(error);
	dendro_profile_close(profile);
	close(fd);
	return !err;
}

static char *read_file(const char *path, size_t *size_ret)
{
	FILE *file = fopen(path, "re");
	char *bytes = malloc(1 << 20);

	assert_non_null(file);
	*size_ret = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

static void damaged_profiles_give_errors(void **state)
{
	char path[] = "/tmp/test_open-XXXXXX";
	const struct dendro_path_frame frames[] = {
		{ .kind = DENDRO_FRAME_USER, .name = "main" },
		{ .kind = DENDRO_FRAME_USER, .name = "work", .file = "w.c", .line = 3 },
	};
	struct dendro_writer *writer;
	uint32_t number;
	size_t size;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(dendro_writer_create(&writer, NULL), 0);
	assert_int_equal(dendro_writer_add_metric(writer, "steps", "events", 1, &number, NULL), 0);
	assert_int_equal(dendro_writer_add_process(writer, 1, "program", &number, NULL), 0);
	assert_int_equal(dendro_writer_add_thread(writer, number, 1, "program", &number, NULL), 0);
	assert_int_equal(
		dendro_writer_add_path(writer, number, frames, 2, sizeof(*frames), &number, NULL),
		0);
	for (uint64_t i = 0; i < 50; i++)
		assert_int_equal(
			dendro_writer_add_sample(writer, number, 0, i, i * 1000, DENDRO_NONE, NULL),
			0);
	assert_int_equal(dendro_writer_save(writer, path, NULL), 0);
	dendro_writer_destroy(writer);
	char *bytes = read_file(path, &size);
	unlink(path);
	assert_true(reads(bytes, size));
	for (size_t i = 0; i < size; i++)
		assert_false(reads(bytes, i));
	for (size_t i = 0; i < size; i++) {
		bytes[i] ^= (char)0x55;
		reads(bytes, size);
		bytes[i] ^= (char)0x55;
	}
	free(bytes);
}

static void a_recording_that_is_cut_says_so(void **state)
{
	struct recording *recording = recording_create(false, false);
	struct dendro_profile *profile;
	char path[64], *error;
	size_t size;

	(void)state;
	put_samples(recording, 100);
	recording_finish(recording, NULL, path);
	char *bytes = read_file(path, &size);
	assert_int_equal(ftruncate(recording->fd, (off_t)size / 2), 0);
	if (dendro_profile_open(path, NULL, &profile, &error))
		fail_msg("%s", error);
	check_sums(profile);
	assert_in_range(dendro_profile_n_samples(profile), 1, 99);
	assert_true(dendro_profile_n_notes(profile) > 0);
	print_message("%s\n", dendro_profile_note(profile, 0));
	dendro_profile_close(profile);
	for (size_t i = 0; i < size; i += 7)
		reads(bytes, i);
	free(bytes);
	recording_destroy(recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_is_read),
		cmocka_unit_test(damaged_profiles_give_errors),
		cmocka_unit_test(a_recording_that_is_cut_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
