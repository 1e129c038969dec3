/* Recordings in memory, for tests that write or need one. */
#ifndef TESTS_UNIT_MEMORY_RECORDING_H
#define TESTS_UNIT_MEMORY_RECORDING_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf/file/data_file.h"
#include "perf/writer/data_writer.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static inline int memory_create(const void *bytes, size_t size)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	return fd;
}

/* From its start, wherever @fd is. */
static inline struct data_file *memory_open_recording(int fd)
{
	char path[32], *error = NULL;
	struct data_file *file = NULL;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (data_file_open(path, &file, &error))
		fail_msg("%s", error);
	return file;
}

/* A recording without records: pipe mode's 16-byte header. */
static inline struct data_file *memory_empty_recording(void)
{
	const struct {
		char magic[8];
		uint64_t size;
	} header = { "PERFILE2", sizeof(header) };
	int fd = memory_create(&header, sizeof(header));
	struct data_file *file = memory_open_recording(fd);

	close(fd);
	return file;
}

/* A writer of two events of one attr, with the ids 11 and 12, and a host's name. */
static inline struct data_writer *memory_write_recording(int fd, const struct perf_event_attr *attr,
							 const struct data_writer_options *options)
{
	static const uint8_t hostname[68] = { 64, 0, 0, 0, 'b', 'o', 'x' };
	static const uint64_t ids[] = { 11, 12 };
	const struct data_writer_feature features[] = { { 3, hostname, sizeof(hostname) } };
	const struct data_writer_event events[] = { { attr, "cpu-clock", ids, 1 },
						    { attr, "dummy", ids + 1, 1 } };
	struct data_writer *writer;

	assert_int_equal(data_writer_create(fd, options, events, 2, features, 1, &writer), 0);
	return writer;
}

#endif
