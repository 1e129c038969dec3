/*
 * Runtime records: what a run-time system (HotSpot) knows of a piece of its code: which function it
 * is, and how its frames lie on the stack.
 *
 * Like attachments they are records of type RECORD_ATTACHMENT (65), with a separate magic. Each is
 * valid from @time_ns on, until another record of the process describes some of the same addresses,
 * or until the process begins another program. The recorder reads a description after the first
 * samples that need it, dates it just before them, and writes it before the next FINISHED_ROUND.
 * docs/FORMAT.md shows the layout.
 */
#ifndef PERF_RECORDS_RUNTIME_RECORD_H
#define PERF_RECORDS_RUNTIME_RECORD_H

#include <assert.h>

#include "perf/records/record.h"

#define RUNTIME_RECORD_MAGIC   0x31544e5552444e44ull /* "DNDRUNT1" little endian */
#define RUNTIME_NAME_MAX       1024u
#define RUNTIME_NAMES_MAX      8192u /* RUNTIME_INLINED: of all names */
#define RUNTIME_CODE_SIZE_MAX  (256u << 20)
#define RUNTIME_FRAME_SIZE_MAX (64u << 20)
#define RUNTIME_NEVER_COMPLETE UINT32_MAX

enum runtime_code_kind {
	/* A function whose frame has @frame_size bytes: the caller's frame pointer is in its
	 * second-highest word, the return address in its highest. */
	RUNTIME_COMPILED = 1,
	/* The interpreter: frames with a frame pointer, the caller's stack pointer in the word
	 * below where that points, and the address of the method in the third word below. */
	RUNTIME_INTERPRETER = 2,
	/* Other code, which keeps a frame pointer where it calls. */
	RUNTIME_STUB = 3,
	/* No code, but a method that the interpreter executes: @start is its address, @size 1. */
	RUNTIME_METHOD = 4,
	/* What is inlined in a part of the code of a RUNTIME_COMPILED record: the functions' names,
	 * the outermost first, a zero between each two. The function of that record is not among
	 * them. It ends with that record. */
	RUNTIME_INLINED = 5,
};

/* On disk: perf_event_header, this header, the name (without NUL) or names, zeros up to a multiple
 * of 8. */
struct runtime_record_header {
	uint64_t magic;
	int32_t pid;
	uint32_t kind; /* enum runtime_code_kind */
	uint64_t time_ns;
	uint64_t start;
	uint32_t size;
	uint32_t frame_size; /* bytes; RUNTIME_COMPILED only, a multiple of 8, at least 16 */
	uint32_t complete;   /* how far from @start the frame is complete; RUNTIME_NEVER_COMPLETE:
				wherever the code calls */
	uint32_t name_size;
};
static_assert(sizeof(struct runtime_record_header) == 48, "on-disk layout");

#define RUNTIME_RECORD_SIZE_MAX                                                    \
	(sizeof(struct perf_event_header) + sizeof(struct runtime_record_header) + \
	 RUNTIME_NAMES_MAX)

/* Borrowed from the record. */
struct runtime_record {
	struct runtime_record_header header;
	const char *name; /* header.name_size bytes, which may be any */
};

/* Whether this is a runtime record, valid or malformed. */
bool runtime_record_is_type(const struct perf_event_header *record);
/* The time alone. false: the record is too small. */
bool runtime_record_peek_time(const struct perf_event_header *record, uint64_t *time_ns_ret);
/* false: not a runtime record, or malformed. */
bool runtime_record_decode(const struct perf_event_header *record, struct runtime_record *ret);
/* Writes the record to @to, which has room for RUNTIME_RECORD_SIZE_MAX bytes; the magic is set. */
void runtime_record_encode(const struct runtime_record *record, struct perf_event_header *to);

#endif
