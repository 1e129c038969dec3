/*
 * Code records: a page of code that no file holds, as it was read from a living process.
 *
 * Like attachments they are records of type RECORD_ATTACHMENT (65), with a magic of their own.
 * The page was read between @begin_ns and @end_ns; @size is 0 where it was as in the record
 * before of the same process and page, else CODE_PAGE_SIZE. The recorder reads a page after
 * samples that stand in it, before they are followed by a FINISHED_ROUND, so a reader that puts
 * records in order has it before it lets the sample go.
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
	const uint8_t *bytes; /* header.size of them */
};

/* Is this one of them, sound or not? */
bool code_record_is_type(const struct perf_event_header *record);
/* false: not one of them, or not a sound one. */
bool code_record_decode(const struct perf_event_header *record, struct code_record *ret);
/* Fills in the record at @to, whose bytes are already behind its headers. @header->magic is set. */
void code_record_encode(const struct code_record_header *header, struct perf_event_header *to);
/* Where the bytes of the record at @to go. */
static inline void *code_record_bytes(struct perf_event_header *to)
{
	return (uint8_t *)(to + 1) + sizeof(struct code_record_header);
}

#endif
