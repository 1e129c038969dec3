/*
 * Reads perf.data: file mode and pipe mode, plain, COMPRESSED and COMPRESSED2 records, files of
 * perf, simpleperf and dendro, of any architecture in host byte order.
 *
 * Streaming: memory in use is that of the blocks whose records the caller has not released.
 * Features are read from the section table; from records (type 80) in pipe mode; from attachments
 * (perf/records/attachment.h) where a file was cut before its table was written.
 *
 * Format: tools/perf/Documentation/perf.data-file-format.txt. Not thread-safe, but blocks may be
 * released from any thread, and any thread may help.
 */
#ifndef PERF_FILE_DATA_FILE_H
#define PERF_FILE_DATA_FILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/file/data_blocks.h"
#include "perf/file/data_types.h"
#include "perf/records/record.h"
#include "perf/records/simpleperf_files.h"

struct data_file;
struct read_gate; /* perf/file/read_gate.h */

/*
 * Opens @path ("-": standard input) and reads ahead to the first record that is the caller's: the
 * events, features and attachments that precede it are known then. On failure returns -errno and
 * fills *@error_ret with a sentence for the user, with the offset where a byte is to blame (heap,
 * to free).
 */
int data_file_open(const char *path, struct data_file **file_ret, char **error_ret);
/* Likewise, but the records of a file that is still written are waited for, while *@follow is true
 * and its recorder lives (perf/kernel/file_lock.h). It is borrowed. */
int data_file_follow(const char *path, const atomic_bool *follow, struct data_file **file_ret,
		     char **error_ret);
void data_file_close(struct data_file *file); /* all blocks must have been released */
/* From now on the thread that reads is inside this gate, which is left while it waits for bytes.
 * Borrowed. */
void data_file_set_gate(struct data_file *file, struct read_gate *gate);

/*
 * The next record in file order; attachments, features, attrs, compressed wrappers and build IDs
 * are interpreted on the way and not returned. All other records are returned, including
 * FINISHED_ROUND and stack records (perf/records/stack_record.h, perf/records/code_record.h,
 * perf/records/window_record.h, perf/records/runtime_record.h, perf/records/phase_record.h). 1: a
 * record; 0: the end; -errno: corrupt from here on: data_file_error() says where and why, and what
 * came before stays valid. A file cut inside a record ends with 0 and data_file_truncation() says
 * so.
 */
int data_file_next(struct data_file *file, struct raw_record *record_ret);
/* Does a part of the work of the next calls of data_file_next(); in any thread, at any time. false:
 * there is nothing to do now. */
bool data_file_help(struct data_file *file);
/* After the end: frees the memory for records that are no longer used. */
void data_file_drop_blocks(struct data_file *file);
/* How many bytes were read, by the thread that calls data_file_next(), and of how many; a pipe has
 * none. */
uint64_t data_file_position(const struct data_file *file);
uint64_t data_file_size(const struct data_file *file);
/* A sentence with the offset, or NULL. Valid until close. */
const char *data_file_error(const struct data_file *file);
const char *data_file_truncation(const struct data_file *file);

const struct data_file_info *data_file_info(const struct data_file *file);
/* In pipe mode, events may be added up to the first record that is not a header. */
size_t data_file_n_events(const struct data_file *file);
const struct data_file_event *data_file_event(const struct data_file *file, size_t index);
/* The index of the event that owns a counter's id (as in the values of a group), or SIZE_MAX. */
size_t data_file_find_event(const struct data_file *file, uint64_t id);
/* The record's time, without decoding the rest of it; 0: none. */
uint64_t data_file_peek_time(const struct data_file *file, const struct perf_event_header *header);
/* Decodes with the layout of the record's event; *event_ret is its index, or SIZE_MAX if the file
 * names no such id (the first event's layout is used then). */
enum record_error data_file_decode(const struct data_file *file,
				   const struct perf_event_header *header, struct record *ret,
				   size_t *event_ret);

/* HEADER_TRACING_DATA, for tracing_formats.h; NULL: it has none, or comes through a pipe. */
const uint8_t *data_file_tracing_data(const struct data_file *file, size_t *size_ret);
/* simpleperf's files and their symbols; size 0: none. Valid until close. */
struct simpleperf_section data_file_simpleperf_files(const struct data_file *file);
size_t data_file_n_build_ids(const struct data_file *file);
const struct data_file_build_id *data_file_build_id(const struct data_file *file, size_t index);
/* Attachments seen so far; grows as records are read. */
size_t data_file_n_attachments(const struct data_file *file);
const struct data_file_attachment *data_file_attachment(const struct data_file *file, size_t index);

#endif
