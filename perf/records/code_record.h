/*
 * Code records: a page of anonymous (JIT) code, as it was read from a living process.
 *
 * Like attachments they are records of type RECORD_ATTACHMENT (65), with a separate magic. The page
 * was read between @begin_ns and @end_ns. @size is CODE_PAGE_SIZE, or 0 if the page has not changed
 * since the previous record of the same process and page. The recorder reads a page after a sample
 * whose pc, or a possible return address on its stack, is in the page or the one before it. The
 * record is written before the next FINISHED_ROUND, so a reader that sorts records has the page
 * before it hands out the sample.
 */
#ifndef PERF_RECORDS_CODE_RECORD_H
#define PERF_RECORDS_CODE_RECORD_H

#include <assert.h>

#include "perf/records/record.h"

#define CODE_RECORD_MAGIC 0x3145444f43444e44ull /* "DNDCODE1" little endian */
#define CODE_PAGE_SIZE    4096u

/* On disk: perf_event_header, this header, @size bytes. */
struct code_record_header {
	uint64_t magic;
	int32_t pid;
	uint32_t size;
	uint64_t addr; /* a multiple of CODE_PAGE_SIZE */
	uint64_t begin_ns, end_ns;
};
static_assert(sizeof(struct code_record_header) == 40, "on-disk layout");

#define CODE_RECORD_SIZE_MAX \
	(sizeof(struct perf_event_header) + sizeof(struct code_record_header) + CODE_PAGE_SIZE)

/* Borrowed from the record. */
struct code_record {
	struct code_record_header header;
	const uint8_t *bytes; /* of header.size */
};

/* Whether this is a code record, valid or malformed. */
bool code_record_is_type(const struct perf_event_header *record);
/* false: not a code record, or malformed. */
bool code_record_decode(const struct perf_event_header *record, struct code_record *ret);
/* Completes the record at @to, whose bytes already follow its headers. @header->magic is set. */
void code_record_encode(const struct code_record_header *header, struct perf_event_header *to);
/* The place of the page's bytes in the record at @to. */
static inline void *code_record_bytes(struct perf_event_header *to)
{
	return (uint8_t *)(to + 1) + sizeof(struct code_record_header);
}

#endif
