/*
 * Memory records: what was read for a sample from its living process (record --follow), at the
 * sample itself or a moment later. What was read later may have changed, and whoever uses it says
 * so.
 *
 * Like attachments they are records of type RECORD_ATTACHMENT (65), with a separate magic. In the
 * file a record may follow its sample, but precedes the end of the sample's round, and it is sorted
 * before the sample: a reader has it when it hands the sample out. docs/FORMAT.md has the layout.
 */
#ifndef PERF_RECORDS_MEMORY_RECORD_H
#define PERF_RECORDS_MEMORY_RECORD_H

#include <assert.h>

#include "perf/records/record.h"

#define MEMORY_RECORD_MAGIC 0x314f4d454d444e44ull /* "DNDMEMO1" little endian */
#define MEMORY_PARTS_MAX    64
#define MEMORY_BYTES_MAX    4096u /* of all parts */

/* What became of the reading. Where it failed, the parts are what was read before. */
enum memory_outcome {
	MEMORY_READ,
	MEMORY_GONE,      /* the process had ended */
	MEMORY_UNMAPPED,  /* nothing is mapped there, or what is cannot be read */
	MEMORY_FORBIDDEN, /* no permission to read the process */
	MEMORY_TOO_MUCH,  /* more parts or bytes than a record has */
	MEMORY_TOO_LATE,  /* not looked at in time: whether the sample needed it is not known */
	N_MEMORY_OUTCOMES
};

/* On disk: perf_event_header, this header, the parts, their bytes in this order, zeros up to 8. */
struct memory_record_header {
	uint64_t magic;
	int32_t pid, tid;
	uint64_t time_ns;  /* of the sample */
	uint64_t delay_ns; /* from then until the last part was read; 0: all at the sample */
	uint32_t outcome;
	uint32_t n_parts;
};
static_assert(sizeof(struct memory_record_header) == 40, "on-disk layout");

struct memory_part {
	uint64_t addr;
	uint32_t size;
	uint32_t is_at_sample; /* 1: the kernel has read it at the sample; 0: it was read later */
};
static_assert(sizeof(struct memory_part) == 16, "on-disk layout");

#define MEMORY_RECORD_SIZE_MAX                                                    \
	(sizeof(struct perf_event_header) + sizeof(struct memory_record_header) + \
	 MEMORY_PARTS_MAX * sizeof(struct memory_part) + MEMORY_BYTES_MAX)

/* The parts are borrowed. */
struct memory_record {
	struct memory_record_header header;
	const struct memory_part *parts;
	const uint8_t *bytes; /* of all parts */
	size_t n_bytes;
};

/* Whether this is a memory record, valid or malformed. */
bool memory_record_is_type(const struct perf_event_header *record);
/* The time that sorts it. false: the record is too small. */
bool memory_record_peek_time(const struct perf_event_header *record, uint64_t *time_ns_ret);
/* false: not a memory record, or malformed. @record is aligned to 8. */
bool memory_record_decode(const struct perf_event_header *record, struct memory_record *ret);
/* Fills @to, of MEMORY_RECORD_SIZE_MAX bytes and aligned to 8; @record keeps to the bounds above.
 * The magic is filled in. */
void memory_record_encode(const struct memory_record *record, struct perf_event_header *to);
/* The bytes of an address, if one part has them all; NULL: none has. *@is_at_sample_ret: as the
 * part says. */
const uint8_t *memory_record_find(const struct memory_record *record, uint64_t addr, size_t size,
				  bool *is_at_sample_ret);
/* Whether all that was read was read at the sample. */
bool memory_record_is_at_sample(const struct memory_record *record);
/* "the process had ended", ... as a reason; NULL: MEMORY_READ. */
const char *memory_outcome_text(enum memory_outcome outcome);

#endif
