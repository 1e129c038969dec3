/* Sessions over made-up recordings: files, pipes, damage. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/session/build_profile.h"
#include "collector/session/dendro.h"
#include "perf/file/read_gate.h"
#include "tests/unit/fixtures/made_up_recording.h"

#define N_SAMPLES 1000

/* The sample with number i is of thread PID + i % 2, in ip 0x1000 + i % 10, and weighs i. */
static uint64_t put_samples(struct recording *recording)
{
	uint64_t total = 0;

	for (uint64_t i = 0; i < N_SAMPLES; i++) {
		put_head(recording, CYCLES_ID, 0x1000 + i % 10, (int32_t)(PID + i % 2));
		put_u64(&recording->records, i);
		end_record(&recording->records);
		total += i;
	}
	return total;
}

static struct dendro *open_with(struct recording *recording, const struct dendro_options *options)
{
	struct dendro *dendro = NULL;
	char path[64], *error = NULL;

	recording_finish(recording, NULL, path);
	if (dendro_open(&(struct dendro_source){ .path = path }, options, &dendro, &error))
		fail_msg("%s", error);
	assert_null(error);
	return dendro;
}

static void close_both(struct dendro *dendro, struct recording *recording)
{
	dendro_close(dendro);
	recording_destroy(recording);
}

static void samples_come_in_the_order_of_time(void **state)
{
	static const uint64_t times[] = { 30, 10, 50, 20, 40 };
	struct recording *recording = recording_create(false, false);
	const struct sample *sample;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		recording->time_ns = times[i] - 1;
		put_sample(recording, CYCLES_ID, 0x1000, times[i]);
	}
	struct dendro *dendro = open_with(recording, &(struct dendro_options){ 0 });
	for (uint64_t time_ns = 10; time_ns <= 50; time_ns += 10) {
		assert_int_equal(dendro_next(dendro, &sample), 1);
		assert_int_equal(sample->record.time_ns, time_ns);
		assert_int_equal(sample->weight, time_ns);
		assert_string_equal(sample->event->name, "cycles");
	}
	assert_int_equal(dendro_next(dendro, &sample), 0);
	assert_int_equal(dendro_next(dendro, &sample), 0);
	assert_null(dendro_error(dendro));
	close_both(dendro, recording);
}

static void a_sample_has_its_path(void **state)
{
	struct recording *recording = recording_create(false, false);
	const struct sample *sample;

	(void)state;
	put_sample(recording, CYCLES_ID, 0x1234, 1);
	struct dendro *dendro = open_with(recording, &(struct dendro_options){ 0 });
	assert_int_equal(dendro_next(dendro, &sample), 1);
	assert_int_equal(sample->path.n_frames, 1);
	assert_int_equal(sample->path.frames[0].offset, 0x1234);
	close_both(dendro, recording);
}

static void a_path_may_be_resolved_on_demand(void **state)
{
	struct recording *recording = recording_create(false, false);
	const struct sample *sample;

	(void)state;
	put_samples(recording);
	struct dendro *dendro = open_with(recording, &(struct dendro_options){ .no_paths = true });
	for (uint64_t i = 0; i < N_SAMPLES; i++) {
		assert_int_equal(dendro_next(dendro, &sample), 1);
		assert_int_equal(sample->path.n_frames, 0);
		if (i % 7)
			continue;
		assert_int_equal(dendro_resolve(dendro), 0);
		assert_int_equal(sample->path.frames[0].offset, 0x1000 + i % 10);
	}
	close_both(dendro, recording);
}

static void a_filter_leaves_samples_out(void **state)
{
	static const int32_t tids[] = { PID + 1 };
	const struct dendro_options options = { .filter = { .tids = tids, .n_tids = 1 } };
	struct recording *recording = recording_create(false, false);
	const struct sample *sample;
	uint64_t n = 0;

	(void)state;
	put_samples(recording);
	struct dendro *dendro = open_with(recording, &options);
	for (; dendro_next(dendro, &sample) > 0; n++)
		assert_int_equal(sample->record.tid, PID + 1);
	assert_int_equal(n, N_SAMPLES / 2);
	const struct profile_quality *quality = &dendro_recording(dendro)->quality;
	assert_int_equal(quality->counts[QUALITY_SAMPLES], N_SAMPLES);
	assert_int_equal(quality->counts[QUALITY_FILTERED], N_SAMPLES / 2);
	close_both(dendro, recording);
}

static void a_profile_has_the_costs_of_all_samples(void **state)
{
	(void)state;
	for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
		const struct dendro_options options = { .n_threads = n_threads };
		struct recording *recording = recording_create(false, false);
		uint64_t total = put_samples(recording);
		struct dendro *dendro = open_with(recording, &options);
		struct profile *profile = NULL;

		assert_int_equal(dendro_build(dendro, &profile), 0);
		assert_null(dendro_recording(dendro));
		close_both(dendro, recording);
		assert_int_equal(profile->metrics[0].samples, N_SAMPLES);
		assert_int_equal(profile->metrics[0].total, total);
		assert_int_equal(profile_check_conservation(profile), -1);
		/* The root, the process, ten leaves. */
		assert_int_equal(profile->cct->n_nodes, 12);
		profile_destroy(profile);
	}
}

/* All samples are in the rows, however few these may be. */
static void check_bounded_rows(const struct profile *profile, uint32_t n_max)
{
	const struct sample_rows *rows = profile->rows;
	uint64_t weight = 0;

	assert_non_null(rows);
	assert_in_range(rows->n_rows, 1, n_max);
	assert_true(rows->sums && rows->slice_shift);
	assert_int_equal(sample_rows_check(rows, profile->cct), 0);
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		assert_int_equal(rows->rows[i].run, 0);
		assert_in_range(rows->rows[i].time, 0, 5 * N_SAMPLES);
		weight += rows->rows[i].weight;
	}
	assert_int_equal(weight, profile->metrics[0].total);
}

static void too_many_rows_become_sums_while_they_are_read(void **state)
{
	(void)state;
	for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
		const struct dendro_options options = { .n_threads = n_threads,
							.keeps_rows = true,
							.by_thread = true,
							.n_rows_max = 300 };
		struct recording *recording = recording_create(false, false);
		struct profile *profile = NULL;

		for (uint64_t i = 0; i < N_SAMPLES; i++) {
			recording->time_ns += 4999;
			put_sample(recording, CYCLES_ID, 0x1000 + i % 10, i);
		}
		struct dendro *dendro = open_with(recording, &options);
		assert_int_equal(dendro_build(dendro, &profile), 0);
		close_both(dendro, recording);
		assert_int_equal(profile->metrics[0].samples, N_SAMPLES);
		check_bounded_rows(profile, 300);
		profile_destroy(profile);
	}
}

static struct profile *build_with(const struct dendro_options *options)
{
	struct recording *recording = recording_create(false, false);
	struct profile *profile = NULL;

	for (uint64_t i = 0; i < 20 * N_SAMPLES; i++)
		put_sample(recording, CYCLES_ID, 0x1000 + i * 7919 % 5000, i);
	struct dendro *dendro = open_with(recording, options);
	assert_int_equal(dendro_build(dendro, &profile), 0);
	close_both(dendro, recording);
	return profile;
}

/* Nodes, their frames and the rows, whose order is that of the samples. */
static void with_rows_a_profile_is_the_same_whatever_the_number_of_threads(void **state)
{
	struct dendro_options options = { .n_threads = 1, .keeps_rows = true, .by_thread = true };
	struct profile *first = build_with(&options);

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		options.n_threads = 2 + i / 2;
		options.adds_threads = i % 2;
		struct profile *profile = build_with(&options);

		assert_int_equal(profile->cct->n_nodes, first->cct->n_nodes);
		for (uint32_t node = 0; node < first->cct->n_nodes; node++) {
			assert_int_equal(profile->cct->nodes[node].parent,
					 first->cct->nodes[node].parent);
			assert_int_equal(cct_frame(profile->cct, node)->offset,
					 cct_frame(first->cct, node)->offset);
		}
		assert_int_equal(profile->rows->n_rows, first->rows->n_rows);
		for (uint32_t row = 0; row < first->rows->n_rows; row++)
			assert_int_equal(profile->rows->rows[row].node,
					 first->rows->rows[row].node);
		profile_destroy(profile);
	}
	profile_destroy(first);
}

struct building {
	struct dendro *dendro;
	struct profile *profile;
};

static void *build_main(void *arg)
{
	struct building *building = arg;

	assert_int_equal(dendro_build(building->dendro, &building->profile), 0);
	return NULL;
}

/* Looks until the profile has @n samples, and checks that it has all of their costs. */
static void look_for(struct dendro *dendro, struct read_gate *gate, uint64_t n)
{
	for (uint64_t seen = 0; seen < n; sched_yield()) {
		struct profile_peek peek;

		read_gate_visit(gate);
		int err = dendro_pause(dendro, &peek);
		if (!err) {
			assert_int_equal(dendro_finish_peek(dendro, &peek, 0), 0);
			dendro_go_on(dendro);
			seen = peek.profile.metrics[0].samples;
			assert_int_equal(profile_check_conservation(&peek.profile), -1);
			assert_int_equal(peek.profile.quality.counts[QUALITY_SAMPLES], seen);
			profile_peek_deinit(&peek);
		}
		read_gate_end_visit(gate);
		assert_true(!err || err == -EAGAIN);
	}
}

/* All of @recording from @at on, but at most @size bytes. How many. */
static off_t pass_on(const struct recording *recording, off_t at, size_t size, int fd)
{
	char bytes[4096];
	off_t end = at + (off_t)size;
	ssize_t n;

	while (at < end && (n = pread(recording->fd, bytes, sizeof(bytes), at)) > 0) {
		assert_int_equal(write(fd, bytes, (size_t)n), n);
		at += n;
	}
	return at;
}

static void a_profile_may_be_looked_at_while_workers_make_it(void **state)
{
	struct recording *recording = recording_create_as(true, false, false);
	const uint64_t n = 10 * N_SAMPLES;
	struct read_gate gate;
	const struct dendro_options options = { .n_threads = 4, .gate = &gate };
	struct building building = { NULL, NULL };
	char path[64], *error = NULL;
	pthread_t thread;
	int fds[2];

	(void)state;
	for (uint64_t i = 0; i < n; i++) {
		put_sample(recording, CYCLES_ID, 0x1000 + i % 100, i);
		if (i % 100 == 99) {
			begin_record(&recording->records, RECORD_FINISHED_ROUND, 0);
			end_record(&recording->records);
		}
	}
	recording_finish(recording, NULL, path);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	read_gate_init(&gate);
	off_t at = pass_on(recording, 0, 50000, fds[1]);
	if (dendro_open(&(struct dendro_source){ .path = path }, &options, &building.dendro,
			&error))
		fail_msg("%s", error);
	assert_int_equal(pthread_create(&thread, NULL, build_main, &building), 0);
	look_for(building.dendro, &gate, 1);
	at = pass_on(recording, at, 200000, fds[1]);
	look_for(building.dendro, &gate, 3000);
	pass_on(recording, at, SIZE_MAX / 4, fds[1]);
	look_for(building.dendro, &gate, n / 2);
	close(fds[1]);
	pthread_join(thread, NULL);
	assert_int_equal(building.profile->metrics[0].samples, n);
	assert_int_equal(profile_check_conservation(building.profile), -1);
	profile_destroy(building.profile);
	dendro_close(building.dendro);
	read_gate_deinit(&gate);
	close(fds[0]);
	recording_destroy(recording);
}

static void threads_have_nodes_on_demand(void **state)
{
	const struct dendro_options options = { .by_thread = true };
	struct recording *recording = recording_create(false, false);
	struct profile *profile = NULL;
	uint32_t n_threads = 0;

	(void)state;
	put_samples(recording);
	struct dendro *dendro = open_with(recording, &options);
	assert_int_equal(dendro_build(dendro, &profile), 0);
	for (uint32_t i = 0; i < profile->cct->n_nodes; i++)
		n_threads += cct_frame(profile->cct, i)->kind == FRAME_THREAD;
	assert_int_equal(n_threads, 2);
	profile_destroy(profile);
	close_both(dendro, recording);
}

static void samples_are_read_by_one_function_and_once(void **state)
{
	struct recording *recording = recording_create(false, false);
	struct profile *profile = NULL;
	const struct sample *sample;

	(void)state;
	put_samples(recording);
	struct dendro *dendro = open_with(recording, &(struct dendro_options){ 0 });
	assert_int_equal(dendro_next(dendro, &sample), 1);
	assert_int_equal(dendro_build(dendro, &profile), -EINVAL);
	assert_null(profile);
	close_both(dendro, recording);
}

static void a_recording_without_samples_has_an_empty_profile(void **state)
{
	struct recording *recording = recording_create(false, false);
	struct profile *profile = NULL;

	(void)state;
	struct dendro *dendro = open_with(recording, &(struct dendro_options){ 0 });
	assert_int_equal(dendro_build(dendro, &profile), 0);
	assert_int_equal(profile->cct->n_nodes, 1);
	assert_int_equal(profile->n_metrics, 2);
	profile_destroy(profile);
	close_both(dendro, recording);
}

static void what_cannot_be_opened_is_named(void **state)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	char path[64];

	(void)state;
	assert_int_equal(write(fd, "not a recording, but long enough for a header", 45), 45);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const char *const paths[] = { "/nonexistent/dendro.data", path };
	for (size_t i = 0; i < 2; i++) {
		struct dendro_source source = { .path = paths[i] };
		struct dendro *dendro = NULL;
		char *error = NULL;

		assert_true(dendro_open(&source, &(struct dendro_options){ 0 }, &dendro, &error) <
			    0);
		assert_null(dendro);
		assert_non_null(strstr(error, paths[i]));
		free(error);
	}
	close(fd);
}

/* Samples, a record that is made too small to be one, and more samples. */
static struct dendro *open_damaged(struct recording **recording_ret)
{
	struct recording *recording = recording_create(false, false);
	uint64_t ip = 0x6465676d61640123, first;
	uint16_t size = 0;
	char bytes[8];

	put_samples(recording);
	put_sample(recording, CYCLES_ID, ip, 1);
	put_samples(recording);
	struct dendro *dendro = NULL;
	char path[64], *error = NULL;
	recording_finish(recording, NULL, path);
	/* Its ip follows its header and its id. */
	for (first = 0; pread(recording->fd, bytes, 8, (off_t)first) == 8; first += 8) {
		if (memcmp(bytes, &ip, 8) == 0)
			break;
	}
	assert_int_equal(pwrite(recording->fd, &size, 2, (off_t)first - 16 + 6), 2);
	assert_int_equal(dendro_open(&(struct dendro_source){ .path = path },
				     &(struct dendro_options){ 0 }, &dendro, &error),
			 0);
	*recording_ret = recording;
	return dendro;
}

static void what_precedes_damage_counts(void **state)
{
	struct recording *recording;
	struct dendro *dendro = open_damaged(&recording);
	struct profile *profile = NULL;

	(void)state;
	assert_int_equal(dendro_build(dendro, &profile), 0);
	assert_non_null(dendro_error(dendro));
	assert_string_equal(profile->info.truncated, dendro_error(dendro));
	assert_int_equal(profile->metrics[0].samples, N_SAMPLES);
	profile_destroy(profile);
	close_both(dendro, recording);
}

static void samples_before_damage_are_handed_out(void **state)
{
	struct recording *recording;
	struct dendro *dendro = open_damaged(&recording);
	const struct sample *sample;
	uint64_t n = 0;

	(void)state;
	while (dendro_next(dendro, &sample) > 0)
		n++;
	assert_int_equal(n, N_SAMPLES);
	assert_non_null(dendro_error(dendro));
	close_both(dendro, recording);
}

static void a_cut_recording_is_not_damaged(void **state)
{
	struct recording *recording = recording_create_as(true, false, false);
	struct profile *profile = NULL;
	char path[64], *error = NULL;

	(void)state;
	put_samples(recording);
	recording_finish(recording, NULL, path);
	assert_int_equal(ftruncate(recording->fd, lseek(recording->fd, 0, SEEK_END) - 1), 0);
	assert_int_equal(dendro_build_from(&(struct dendro_source){ .path = path },
					   &(struct dendro_options){ 0 }, &profile, &error),
			 0);
	assert_null(error);
	assert_non_null(profile->info.truncated);
	profile_destroy(profile);
	recording_destroy(recording);
}

static void a_pipe_is_a_source(void **state)
{
	struct recording *recording = recording_create_as(true, false, false);
	struct profile *profile = NULL;
	char path[64], *error = NULL, bytes[60000];
	int fds[2];

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		put_sample(recording, CYCLES_ID, 0x1000, i);
	recording_finish(recording, NULL, path);
	ssize_t size = pread(recording->fd, bytes, sizeof(bytes), 0);
	assert_in_range(size, 1, sizeof(bytes) - 1);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(write(fds[1], bytes, (size_t)size), size);
	close(fds[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	if (dendro_build_from(&(struct dendro_source){ .path = path },
			      &(struct dendro_options){ 0 }, &profile, &error))
		fail_msg("%s", error);
	assert_null(error);
	assert_int_equal(profile->metrics[0].total, 99 * 100 / 2);
	profile_destroy(profile);
	close(fds[0]);
	recording_destroy(recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_come_in_the_order_of_time),
		cmocka_unit_test(a_sample_has_its_path),
		cmocka_unit_test(a_path_may_be_resolved_on_demand),
		cmocka_unit_test(a_filter_leaves_samples_out),
		cmocka_unit_test(a_profile_has_the_costs_of_all_samples),
		cmocka_unit_test(too_many_rows_become_sums_while_they_are_read),
		cmocka_unit_test(with_rows_a_profile_is_the_same_whatever_the_number_of_threads),
		cmocka_unit_test(a_profile_may_be_looked_at_while_workers_make_it),
		cmocka_unit_test(threads_have_nodes_on_demand),
		cmocka_unit_test(samples_are_read_by_one_function_and_once),
		cmocka_unit_test(a_recording_without_samples_has_an_empty_profile),
		cmocka_unit_test(what_cannot_be_opened_is_named),
		cmocka_unit_test(what_precedes_damage_counts),
		cmocka_unit_test(samples_before_damage_are_handed_out),
		cmocka_unit_test(a_cut_recording_is_not_damaged),
		cmocka_unit_test(a_pipe_is_a_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
