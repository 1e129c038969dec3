/*
 * Reads JIT code, which is in no file (of V8, HotSpot, Python's trampolines), from living
 * processes. A page and the next one are read if the pc of a sample, or a possible return address
 * on its stack, is in the page, at the end of the round of the rings in which the sample was seen.
 * If a page has not changed since it was last read, the record has no bytes.
 *
 * The kernel's records show where such memory is mapped. Processes without such memory are not
 * examined. Pages that could not be read are counted.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_CODE_READER_H
#define COLLECTOR_RECORD_OBSERVERS_CODE_READER_H

#include "collector/record/observing/recording_observer.h"

struct code_reader_stats {
	uint64_t n_pages;  /* recorded with their bytes */
	uint64_t n_missed; /* unreadable, or too many in one round or in total */
};

/* Needs the clock of the records to be known. */
extern const struct recording_observer code_reader_observer;

struct code_reader;

/* NULL: out of memory. */
struct code_reader *code_reader_create(void);
void code_reader_destroy(struct code_reader *reader);

/* Remembers mappings of executable memory without a file, and by records that fork copies them and
 * exec drops them. They may come in any order, because their times decide. */
void code_reader_see_mapping(struct code_reader *reader, int32_t pid, uint64_t start, uint64_t end,
			     uint64_t time_ns);
void code_reader_see_record(struct code_reader *reader, const struct record *record);
/* false: the samples of this process need not be passed to the functions below. */
bool code_reader_has_process(const struct code_reader *reader, int32_t pid);
/* A sample of the round, with the pc of its user code. */
void code_reader_see_sample(struct code_reader *reader, int32_t pid, uint64_t pc);
/* The copy of a sample's stack: words there may be return addresses to such code. */
void code_reader_see_stack(struct code_reader *reader, int32_t pid, const void *bytes, size_t size);
/* Reads the pages that the round's samples need, and records them. 0 or the writer's -errno. */
int code_reader_end_round(struct code_reader *reader, struct data_writer *writer);

const struct code_reader_stats *code_reader_stats(const struct code_reader *reader);

#endif
