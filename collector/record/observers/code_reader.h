/*
 * Reads code that no file holds (V8's, HotSpot's, Python's trampolines) from living processes,
 * while samples stand in it or have return addresses to it on their stacks: the page and the next
 * one, at the end of the round of the rings in which a sample was seen. A page that has not changed
 * since costs a record without bytes.
 *
 * Which memory that is, the kernel's own records say. Nothing is looked up for processes that have
 * none of it. What could not be read is counted.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_CODE_READER_H
#define COLLECTOR_RECORD_OBSERVERS_CODE_READER_H

#include "collector/record/observing/recording_observer.h"

struct code_reader_stats {
	uint64_t n_pages;  /* recorded with their bytes */
	uint64_t n_missed; /* not readable, or too many at once or in all */
};

/* Needs the clock of the records to be known. */
extern const struct recording_observer code_reader_observer;

struct code_reader;

/* NULL: out of memory. */
struct code_reader *code_reader_create(void);
void code_reader_destroy(struct code_reader *reader);

/* Takes note of executable memory that no file holds, of what fork copies and exec drops; in any
 * order, for their times tell. */
void code_reader_see_record(struct code_reader *reader, const struct record *record);
void code_reader_see_mapping(struct code_reader *reader, int32_t pid, uint64_t start, uint64_t end,
			     uint64_t time_ns);
/* false: its samples need not be shown. */
bool code_reader_has_process(const struct code_reader *reader, int32_t pid);
/* A sample of the round, and where its user code stands. */
void code_reader_see_sample(struct code_reader *reader, int32_t pid, uint64_t pc);
/* The copy of its stack: words there may be return addresses to such code. */
void code_reader_see_stack(struct code_reader *reader, int32_t pid, const void *bytes, size_t size);
/* Reads what the round's samples need, and records it. 0 or the writer's -errno. */
int code_reader_end_round(struct code_reader *reader, struct data_writer *writer);

const struct code_reader_stats *code_reader_stats(const struct code_reader *reader);

#endif
