/* A queue of bytes for a file that is read slowly. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf/writer/output.h"

enum { MIB = 1 << 20, PART = 3 * MIB + 40 };

/* Reads numbers that follow one another, from when it may. */
struct reader {
	int fd;
	_Atomic uint64_t n_allowed; /* bytes */
	uint64_t n_read;            /* likewise */
	bool is_wrong;
};

static uint8_t byte_at(uint64_t offset)
{
	return (uint8_t)(offset / sizeof(uint64_t) >> 8 * (offset % sizeof(uint64_t)));
}

static void *read_numbers(void *arg)
{
	static uint8_t bytes[1 << 16];
	struct reader *reader = arg;
	ssize_t n;

	do {
		while (reader->n_read >= reader->n_allowed)
			sched_yield();
		n = read(reader->fd, bytes, sizeof(bytes));
		for (ssize_t i = 0; i < n; i++)
			reader->is_wrong |= bytes[i] != byte_at(reader->n_read++);
	} while (n > 0);
	return NULL;
}

static size_t resident_bytes(void)
{
	size_t n_pages = 0, n_resident = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%zu %zu", &n_pages, &n_resident), 2);
	fclose(file);
	return n_resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void bytes_keep_their_order_and_memory_is_given_back(void **state)
{
	uint64_t *numbers = malloc(PART), next = 0;
	struct reader reader = { .n_allowed = 0 };
	struct output *output;
	pthread_t thread;
	int fds[2];

	(void)state;
	assert_non_null(numbers);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	reader.fd = fds[0];
	assert_int_equal(output_create(fds[1], 200 * MIB, &output), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_numbers, &reader), 0);
	for (unsigned round = 0; round < 2; round++) {
		const size_t before = resident_bytes();

		for (unsigned part = 0; part < 50; part++) {
			for (size_t i = 0; i < PART / sizeof(*numbers); i++)
				numbers[i] = next++;
			assert_int_equal(output_write(output, numbers, PART), 0);
		}
		assert_true(resident_bytes() > before + 60 * (size_t)MIB);
		assert_true(output_n_waiting(output) > 100 * (size_t)MIB);
		reader.n_allowed = next * sizeof(*numbers);
		assert_int_equal(output_drain(output), 0);
		while (resident_bytes() > before + 80 * (size_t)MIB)
			sched_yield();
	}
	assert_int_equal(output_n_written(output), next * sizeof(*numbers));
	output_destroy(output);
	reader.n_allowed = UINT64_MAX;
	close(fds[1]);
	pthread_join(thread, NULL);
	close(fds[0]);
	assert_int_equal(reader.n_read, next * sizeof(*numbers));
	assert_false(reader.is_wrong);
	free(numbers);
}

static void a_full_queue_is_waited_for(void **state)
{
	struct reader reader = { .n_allowed = UINT64_MAX };
	struct output *output;
	uint64_t numbers[1000];
	pthread_t thread;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	reader.fd = fds[0];
	assert_int_equal(output_create(fds[1], 3001, &output), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_numbers, &reader), 0);
	for (uint64_t next = 0; next < 100000;) {
		for (size_t i = 0; i < 1000; i++)
			numbers[i] = next++;
		assert_int_equal(output_write(output, numbers, sizeof(numbers)), 0);
	}
	assert_int_equal(output_drain(output), 0);
	output_destroy(output);
	close(fds[1]);
	pthread_join(thread, NULL);
	close(fds[0]);
	assert_int_equal(reader.n_read, 100000 * sizeof(*numbers));
	assert_false(reader.is_wrong);
}

static void after_an_error_nothing_waits(void **state)
{
	const uint8_t bytes[1000] = { 0 };
	struct output *output;
	int fds[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	close(fds[0]);
	assert_int_equal(output_create(fds[1], MIB, &output), 0);
	while (output_write(output, bytes, sizeof(bytes)) == 0)
		sched_yield();
	assert_int_equal(output_write(output, bytes, sizeof(bytes)), -EPIPE);
	assert_int_equal(output_n_waiting(output), 0);
	assert_int_equal(output_drain(output), -EPIPE);
	output_destroy(output);
	close(fds[1]);
}

/* Whether there is something to read, after the thread has had what it was to write. */
static bool has_come(struct output *output, int fd)
{
	int n = 0;

	while (output_n_waiting(output))
		sched_yield();
	assert_int_equal(ioctl(fd, FIONREAD, &n), 0);
	return n;
}

static void little_waits_until_it_is_flushed(void **state)
{
	static const uint8_t bytes[MIB / 2];
	struct output *output;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_true(fcntl(fds[1], F_SETPIPE_SZ, MIB) >= MIB);
	assert_int_equal(output_create(fds[1], 2 * MIB, &output), 0);
	assert_int_equal(output_write(output, bytes, 100), 0);
	assert_false(has_come(output, fds[0]));
	output_flush(output);
	assert_true(has_come(output, fds[0]));
	assert_int_equal(output_n_written(output), 100);
	/* And so does what comes after it. */
	assert_int_equal(output_write(output, bytes, 100), 0);
	assert_false(has_come(output, fds[0]) && output_n_written(output) > 100);
	assert_int_equal(output_drain(output), 0);
	assert_int_equal(output_n_written(output), 200);
	output_destroy(output);
	close(fds[0]);
	close(fds[1]);
}

static void a_mib_is_written_without_a_flush(void **state)
{
	static const uint8_t bytes[MIB / 2];
	struct output *output;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_true(fcntl(fds[1], F_SETPIPE_SZ, MIB) >= MIB);
	assert_int_equal(output_create(fds[1], 2 * MIB, &output), 0);
	assert_int_equal(output_write(output, bytes, sizeof(bytes)), 0);
	assert_int_equal(output_n_waiting(output), 0);
	assert_int_equal(output_write(output, bytes, sizeof(bytes)), 0);
	assert_true(has_come(output, fds[0]));
	assert_int_equal(output_n_written(output), MIB);
	output_destroy(output);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(little_waits_until_it_is_flushed),
		cmocka_unit_test(a_mib_is_written_without_a_flush),
		cmocka_unit_test(bytes_keep_their_order_and_memory_is_given_back),
		cmocka_unit_test(a_full_queue_is_waited_for),
		cmocka_unit_test(after_an_error_nothing_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
