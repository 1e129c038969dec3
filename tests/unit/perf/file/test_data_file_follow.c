#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "perf/kernel/file_lock.h"
#include "tests/unit/fixtures/built_recording.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define N_SAMPLES     4000
#define DATA_SIZE_AT  48
#define FEATURES_AT   72
#define FEATURES_SIZE (FILE_HEADER_SIZE - FEATURES_AT)

/* A recording of @n samples as it is when it is whole, and the offset where its records end. */
static struct builder whole_recording(uint64_t n, size_t *end_ret)
{
	struct builder data = { 0 };
	struct feature hostname = string_feature(HOSTNAME, "oak");

	for (uint64_t i = 0; i < n; i++)
		put_sample(&data, 1 + i % 3, i);
	const size_t size = data.size;
	struct builder whole = two_events_in_a_file(&data, &hostname, 1);
	uint64_t section[2];
	memcpy(section, whole.bytes + DATA_SIZE_AT - sizeof(uint64_t), sizeof(section));
	assert_int_equal(section[1], size);
	*end_ret = section[0] + section[1];
	return whole;
}

/* What writes the recording while it is read. */
struct recorder {
	int fd;
	const struct builder *whole;
	size_t end, n_written;
	bool finishes;
	atomic_bool *follow; /* it makes this false instead of ending; NULL: it ends */
};

static void write_at(const struct recorder *recorder, size_t offset, size_t size)
{
	assert_int_equal(pwrite(recorder->fd, recorder->whole->bytes + offset, size, (off_t)offset),
			 size);
}

/* The header before the records are known, and the events. */
static void begin(struct recorder *recorder)
{
	static const uint8_t zeros[FEATURES_SIZE];
	uint64_t offset;

	memcpy(&offset, recorder->whole->bytes + DATA_SIZE_AT - sizeof(offset), sizeof(offset));
	write_at(recorder, 0, offset);
	pwrite(recorder->fd, zeros, sizeof(uint64_t), DATA_SIZE_AT);
	pwrite(recorder->fd, zeros, sizeof(zeros), FEATURES_AT);
	recorder->n_written = offset;
	file_lock_take(recorder->fd);
}

/* In pieces of no whole number of records, and some after a pause in which the reader waits. */
static void *record(void *arg)
{
	struct recorder *recorder = arg;
	const struct timespec pause = { .tv_nsec = 20000000 };

	for (size_t piece = 1; recorder->n_written < recorder->end; piece = piece * 3 % 10007) {
		const size_t left = recorder->end - recorder->n_written;
		const size_t size = piece < left ? piece : left;

		write_at(recorder, recorder->n_written, size);
		recorder->n_written += size;
		if (piece % 8 == 1)
			nanosleep(&pause, NULL);
	}
	if (recorder->finishes) {
		write_at(recorder, 0, FILE_HEADER_SIZE);
		write_at(recorder, recorder->end, recorder->whole->size - recorder->end);
	}
	if (recorder->follow)
		atomic_store(recorder->follow, false);
	else
		close(recorder->fd);
	return NULL;
}

static struct counts follow(struct recorder *recorder, atomic_bool *is_followed)
{
	struct data_file *file;
	pthread_t thread;
	char path[32], *error;

	recorder->fd = memfd_create("recording", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", recorder->fd);
	begin(recorder);
	int reader = open(path, O_RDONLY | O_CLOEXEC); /* this path stays */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", reader);
	assert_int_equal(pthread_create(&thread, NULL, record, recorder), 0);
	assert_int_equal(data_file_follow(path, is_followed, &file, &error), 0);
	struct counts counts = count_all(file);
	assert_null(data_file_error(file));
	data_file_close(file);
	pthread_join(thread, NULL);
	close(reader);
	return counts;
}

static void check_all(const struct counts *counts)
{
	assert_int_equal(counts->end, 0);
	assert_int_equal(counts->n_records, N_SAMPLES);
	assert_int_equal(counts->n_samples[0] + counts->n_samples[1], N_SAMPLES);
	assert_int_equal(counts->n_undecodable, 0);
}

static void a_file_that_grows_is_read_up_to_its_end(void **state)
{
	struct recorder recorder = { .finishes = true };
	struct builder whole = whole_recording(N_SAMPLES, &recorder.end);
	atomic_bool is_followed = true;

	(void)state;
	recorder.whole = &whole;
	struct counts counts = follow(&recorder, &is_followed);
	check_all(&counts);
	free(whole.bytes);
}

static void the_end_of_the_recorder_ends_a_file_without_an_end(void **state)
{
	struct recorder recorder = { 0 };
	struct builder whole = whole_recording(N_SAMPLES, &recorder.end);
	atomic_bool is_followed = true;

	(void)state;
	recorder.whole = &whole;
	struct counts counts = follow(&recorder, &is_followed);
	check_all(&counts);
	free(whole.bytes);
}

static void whoever_follows_can_stop(void **state)
{
	atomic_bool is_followed = true;
	struct recorder recorder = { .follow = &is_followed };
	struct builder whole = whole_recording(N_SAMPLES, &recorder.end);

	(void)state;
	recorder.whole = &whole;
	struct counts counts = follow(&recorder, &is_followed);
	check_all(&counts);
	close(recorder.fd);
	free(whole.bytes);
}

static void a_file_that_is_whole_is_read_as_ever(void **state)
{
	size_t end;
	struct builder whole = whole_recording(N_SAMPLES, &end);
	int fd = memory_file(whole.bytes, whole.size);
	atomic_bool is_followed = true;
	struct data_file *file;
	char path[32], *error;

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file_lock_take(fd);
	assert_int_equal(data_file_follow(path, &is_followed, &file, &error), 0);
	assert_string_equal(data_file_info(file)->hostname, "oak");
	struct counts counts = count_all(file);
	check_all(&counts);
	data_file_close(file);
	close(fd);
	free(whole.bytes);
}

static void the_lock_is_seen_by_others_until_its_file_is_closed(void **state)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	char path[32];

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	FILE *reader = fopen(path, "r");
	assert_non_null(reader);
	assert_false(file_lock_is_taken(fileno(reader)));
	file_lock_take(fd);
	assert_true(file_lock_is_taken(fileno(reader)));
	close(fd);
	assert_false(file_lock_is_taken(fileno(reader)));
	fclose(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_grows_is_read_up_to_its_end),
		cmocka_unit_test(the_end_of_the_recorder_ends_a_file_without_an_end),
		cmocka_unit_test(whoever_follows_can_stop),
		cmocka_unit_test(a_file_that_is_whole_is_read_as_ever),
		cmocka_unit_test(the_lock_is_seen_by_others_until_its_file_is_closed),
	};

	return cmocka_run_group_tests_name("data_file_follow", tests, NULL, NULL);
}
