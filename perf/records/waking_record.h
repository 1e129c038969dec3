/*
 * Waking records: who woke a recorded thread, and when. They are records of type RECORD_ATTACHMENT
 * (65), like stack records, with a separate magic and a time that sorts them among the other
 * records. docs/FORMAT.md shows the layout.
 */
#ifndef PERF_RECORDS_WAKING_RECORD_H
#define PERF_RECORDS_WAKING_RECORD_H

#include <assert.h>
#include <string.h>

#include "perf/records/attachment.h"

#define WAKING_RECORD_MAGIC 0x31454b4157444e44ull /* "DNDWAKE1" little endian */
#define WAKING_COMM_MAX     16                    /* with its NUL */

enum waking_kind {
	WAKING_BY_THREAD = 1,    /* it ran the code that woke the other thread */
	WAKING_BY_INTERRUPT = 2, /* whatever it interrupted has no part in it */
	WAKING_BY_SOFTIRQ = 3,   /* in the thread: maybe on behalf of it, as in the network */
};

/* On disk, whole. */
struct waking_record {
	struct perf_event_header header;
	uint64_t magic;
	uint64_t time_ns;
	int32_t tid; /* of the thread that was woken */
	uint32_t kind;
	int32_t waker_pid, waker_tid; /* tid 0: an idle task, or an interrupt; -1: it was exiting */
	char waker_comm[WAKING_COMM_MAX]; /* empty: not known, or the recording names the thread */
};
static_assert(sizeof(struct waking_record) == 56, "on-disk layout");

static inline bool waking_record_is_type(const struct perf_event_header *record)
{
	return attachment_has_magic(record, WAKING_RECORD_MAGIC);
}

/* The time alone. false: the record is too small. */
static inline bool waking_record_peek_time(const struct perf_event_header *record,
					   uint64_t *time_ns_ret)
{
	const struct waking_record *waking = (const void *)record;

	if (record->size < sizeof(*waking))
		return false;
	*time_ns_ret = waking->time_ns;
	return true;
}

/* The name ends with a NUL. false: too short, or of an unknown kind. */
static inline bool waking_record_decode(const struct perf_event_header *record,
					struct waking_record *ret)
{
	if (!waking_record_is_type(record) || record->size < sizeof(*ret))
		return false;
	memcpy(ret, record, sizeof(*ret));
	ret->waker_comm[WAKING_COMM_MAX - 1] = '\0';
	return ret->kind >= WAKING_BY_THREAD && ret->kind <= WAKING_BY_SOFTIRQ;
}

/* Fills in what all of them have. */
static inline void waking_record_init(struct waking_record *record)
{
	*record = (struct waking_record){
		.header = { .type = RECORD_ATTACHMENT, .size = sizeof(*record) },
		.magic = WAKING_RECORD_MAGIC,
	};
}

#endif
