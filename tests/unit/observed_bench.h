/* One observer, a /proc made of files, and what it attached to a recording in memory. */
#ifndef TESTS_UNIT_OBSERVED_BENCH_H
#define TESTS_UNIT_OBSERVED_BENCH_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/attached/attached_text.h"
#include "collector/record/observing/recording_observer.h"
#include "perf/file/data_file.h"

struct observed_bench {
	char folder[64], proc[96];
	int fd;
	struct perf_event_attr attr;
	struct data_writer *writer;
	struct recording_notes notes;
	struct observed_recording recording;
	const struct recording_observer *observer;
	void *state;
	struct data_file *file; /* once it is read back */
};

/* A file in the bench's folder, and the folders on its way. */
static inline void bench_put(const struct observed_bench *bench, const char *name, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", bench->folder, name);
	for (char *slash = path + strlen(bench->folder) + 1; (slash = strchr(slash, '/'));
	     slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static inline struct observed_bench *bench_create(const struct recording_observer *observer)
{
	static const uint64_t id = 1;
	struct observed_bench *bench = calloc(1, sizeof(*bench));
	struct data_writer_options options = { .compression_level = 0 };

	assert_non_null(bench);
	snprintf(bench->folder, sizeof(bench->folder), "/tmp/dendro-test-XXXXXX");
	assert_non_null(mkdtemp(bench->folder));
	snprintf(bench->proc, sizeof(bench->proc), "%s/proc", bench->folder);
	assert_int_equal(mkdir(bench->proc, 0700), 0);
	bench->fd = memfd_create("recording", MFD_CLOEXEC);
	bench->attr = (struct perf_event_attr){ .size = PERF_ATTR_SIZE_VER7,
						.sample_type = PERF_SAMPLE_IDENTIFIER };
	const struct data_writer_event event = { &bench->attr, "dummy", &id, 1 };
	assert_int_equal(
		data_writer_create(bench->fd, &options, &event, 1, NULL, 0, &bench->writer), 0);
	bench->observer = observer;
	bench->recording = (struct observed_recording){ .proc = bench->proc,
							.notes = &bench->notes,
							.writer = bench->writer,
							.has_known_clock = true };
	return bench;
}

static inline void bench_begin(struct observed_bench *bench)
{
	if (bench->observer->prepare)
		assert_int_equal(bench->observer->prepare(&bench->recording, &bench->state), 0);
	assert_int_equal(bench->observer->begin(&bench->recording, &bench->state), 0);
}

static inline void bench_exit(struct observed_bench *bench, int32_t pid)
{
	const struct record record = { .type = PERF_RECORD_EXIT,
				       .task = { .pid = pid, .tid = pid } };

	assert_int_equal(bench->observer->see_sideband(bench->state, &record), 0);
}

static inline void bench_end_round(struct observed_bench *bench)
{
	static const struct observed_round round = { .end_ns = UINT64_MAX };

	assert_int_equal(bench->observer->end_round(bench->state, &round), 0);
}

/* Finishes the recording. How many attachments it has. */
static inline size_t bench_finish(struct observed_bench *bench)
{
	struct raw_record raw;
	char path[32], *error = NULL;

	assert_int_equal(bench->observer->finish(bench->state), 0);
	assert_int_equal(data_writer_finish(bench->writer), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", bench->fd);
	assert_int_equal(data_file_open(path, &bench->file, &error), 0);
	while (data_file_next(bench->file, &raw) == 1)
		data_block_unref(raw.block);
	return data_file_n_attachments(bench->file);
}

/* The @index-th attachment is this one, with this text. */
static inline void bench_expect(const struct observed_bench *bench, size_t index,
				enum attachment_kind kind, const char *key, const char *expected)
{
	const struct data_file_attachment *attachment = data_file_attachment(bench->file, index);
	struct file_text text = { 0 };

	assert_int_equal(attachment->kind, kind);
	assert_string_equal(attachment->key, key);
	assert_int_equal(attached_text_decompress(&text, attachment->fd), 0);
	assert_int_equal(text.size, strlen(expected));
	assert_memory_equal(text.bytes, expected, text.size);
	free(text.bytes);
}

/* What it advises is @expected; NULL: nothing. */
static inline void bench_expect_advice(struct observed_bench *bench, const char *expected)
{
	struct recording_notes notes = { .n = 0 };

	bench->observer->advise(bench->state, &notes);
	assert_int_equal(notes.n, expected ? 1 : 0);
	if (expected)
		assert_string_equal(notes.notes[0].text, expected);
	recording_notes_deinit(&notes);
}

static inline void bench_destroy(struct observed_bench *bench)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf '%s'", bench->folder);
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
	if (bench->state)
		bench->observer->destroy(bench->state);
	data_file_close(bench->file);
	data_writer_destroy(bench->writer);
	recording_notes_deinit(&bench->notes);
	close(bench->fd);
	free(bench);
}

#endif
