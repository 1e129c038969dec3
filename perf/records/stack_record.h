/*
 * Stack records: memory of a thread's stack that is not in samples, and until when it is valid.
 *
 * Like attachments they are records of type RECORD_ATTACHMENT (65), with a separate magic. They are
 * timestamped, and sorted among the other records by time. Memory that does not fit in one record
 * is a run of consecutive records with increasing offsets.
 *
 * unwind/rules/stack_memory.h explains when the memory may be used; docs/FORMAT.md has the layout.
 */
#ifndef PERF_RECORDS_STACK_RECORD_H
#define PERF_RECORDS_STACK_RECORD_H

#include <assert.h>

#include "perf/records/record.h"

#define STACK_RECORD_MAGIC 0x314b415453444e44ull /* "DNDSTAK1" little endian */

enum stack_record_kind {
	/* The rest of the thread's stack, read at @time_ns: @n_words / 2 guards (address, value).
	 * Each guard is valid from then on until it is touched. */
	STACK_RECORD_REST = 1,
	/* The guard at @start was touched. */
	STACK_RECORD_TOUCHED = 2,
	/* A context that a signal interrupted at @born_ns: registers (abi, mask, values), and the
	 * stack from @start, the stack pointer. */
	STACK_RECORD_CONTEXT = 3,
	/* The thread's context of @born_ns has ended. */
	STACK_RECORD_CONTEXT_OVER = 4,
	/* Contexts may have been missed: contexts of all threads up to @born_ns must not be used.
	 */
	STACK_RECORD_CONTEXTS_LOST = 5,
	/*
	 * The losses of the whole recording; the last such record counts. Words: 0, or the errno
	 * because of which contexts are missing; then the number of rests that were not read, by
	 * reason.
	 */
	STACK_RECORD_MISSES = 6,
	/* A stack that the thread had left for the sample's, as it was when the sample of this time
	 * was taken; directly before that sample. A signal interrupted it at @start. */
	STACK_RECORD_INTERRUPTED = 7,
	/* The same of a stack that a function of Go's runtime left; it saved @start. */
	STACK_RECORD_GOROUTINE = 8,
};

#define STACK_RECORD_WORDS_MAX 80
#define STACK_RECORD_PART_MAX  (60u << 10) /* bytes in one record */
#define STACK_RECORD_SIZE_MAX  (8u << 20)  /* in a run of records */

/* On disk: perf_event_header, this header, the words, this part's bytes, zeros up to 8. */
struct stack_record_header {
	uint64_t magic;
	uint32_t kind;
	uint32_t n_words;
	int32_t pid, tid;
	uint64_t time_ns; /* sorts it among the records */
	uint64_t born_ns;
	uint64_t start;  /* address of the first byte */
	uint64_t end;    /* REST: the end of the memory; bytes beyond start + size are as in the
			    thread's previous REST. CONTEXT, INTERRUPTED, GOROUTINE: start + size,
			    or above if the stack was larger */
	uint32_t size;   /* of all parts */
	uint32_t offset; /* of this part */
	uint32_t part_size;
	uint32_t reserved;
};
static_assert(sizeof(struct stack_record_header) == 72, "on-disk layout");

/* Borrowed from the record. */
struct stack_record {
	struct stack_record_header header;
	const uint64_t *words;
	const uint8_t *bytes; /* of header.part_size */
};

/* Whether this is a stack record, valid or malformed. */
bool stack_record_is_type(const struct perf_event_header *record);
/* The time alone. false: the record is too small. */
bool stack_record_peek_time(const struct perf_event_header *record, uint64_t *time_ns_ret);
/* false: not a stack record, or malformed. */
bool stack_record_decode(const struct perf_event_header *record, struct stack_record *ret);

/* The size of the record of a part. */
size_t stack_record_size(size_t n_words, size_t part_size);
/* Fills @to, of stack_record_size() bytes and aligned to 8. @header->magic is filled in. */
void stack_record_encode(const struct stack_record_header *header, const uint64_t *words,
			 const void *bytes, struct perf_event_header *to);

#endif
