/*
 * Writes perf.data version 2, file or pipe mode, records plain or in zstd-compressed
 * RECORD_COMPRESSED, one independent zstd frame each.
 *
 * All that a reader needs precedes the first record, so that a file that was cut at any byte is
 * readable up to that byte: attrs and ids in the header, features copied as attachments at the
 * start of the data (the section table at the end is written by data_writer_finish()).
 *
 * Facts kept for perf's readers: a compressed payload stays under 65 528 bytes and expands to at
 * most mmap_len of HEADER_COMPRESSED; attr.size as opened; PERF_SAMPLE_IDENTIFIER in all events.
 *
 * Errors persist: after a failed write every function does nothing and returns the same -errno; the
 * bytes written before stay readable. Not thread-safe.
 */
#ifndef PERF_WRITER_DATA_WRITER_H
#define PERF_WRITER_DATA_WRITER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perf/records/attachment.h"
#include "perf/writer/compressed_frame.h"

struct data_writer_event {
	const struct perf_event_attr *attr;
	const char *name;
	const uint64_t *ids;
	size_t n_ids;
};

struct data_writer_feature {
	uint32_t number; /* HEADER_* of tools/perf/util/header.h */
	const void *bytes;
	size_t size;
};

#define DATA_WRITER_DEFAULT_LEVEL COMPRESSED_FRAME_DEFAULT_LEVEL

#define DATA_WRITER_QUEUE_SIZE ((size_t)64 << 20)

struct data_writer_options {
	int compression_level; /* zstd's; 0: plain records */
	/* That compress beside the caller, at most, as many as are busy (compressor.h); 0: none. */
	unsigned n_threads;
	size_t queue_size; /* bytes that may wait to be written; 0: DATA_WRITER_QUEUE_SIZE */
	bool is_pipe;
};

struct data_writer;

/* @fd: borrowed, at offset 0 of an empty file, or a pipe. */
int data_writer_create(int fd, const struct data_writer_options *options,
		       const struct data_writer_event *events, size_t n_events,
		       const struct data_writer_feature *features, size_t n_features,
		       struct data_writer **writer_ret);
/*
 * Room for one record of @size bytes, 8-byte aligned, to be built in place; valid until the next
 * call. data_writer_commit() appends what the caller made there: a record of header.size bytes, at
 * most @size.
 */
int data_writer_reserve(struct data_writer *writer, size_t size, void **room_ret);
int data_writer_commit(struct data_writer *writer);
/* Appends whole records. Bytes may stay buffered until data_writer_flush(). */
int data_writer_append(struct data_writer *writer, const void *records, size_t size);
int data_writer_attach(struct data_writer *writer, enum attachment_kind kind, const char *key,
		       const void *bytes, size_t size);
/*
 * Adds records of build IDs (feature_bytes_add_build_id()) to the section HEADER_BUILD_ID, which
 * data_writer_finish() writes; a pipe gets them as records now. Once, and after the last sample.
 */
int data_writer_add_build_ids(struct data_writer *writer, const void *records, size_t size);
/* Passes everything appended so far to a thread of the writer, which writes it to the file. The
 * call waits only if the queue is full of bytes that are still unwritten. */
int data_writer_flush(struct data_writer *writer);
/* Flushes, writes the section table, completes the header, waits until all of it is written. */
int data_writer_finish(struct data_writer *writer);
void data_writer_destroy(struct data_writer *writer);
uint64_t data_writer_n_bytes(const struct data_writer *writer); /* written to @fd so far */
/* Bytes that were passed to the thread, and which it has not written. */
size_t data_writer_n_waiting(const struct data_writer *writer);

#endif
