/* The events of a recording. Finds the event that a record belongs to. */
#ifndef PERF_FILE_DATA_EVENTS_H
#define PERF_FILE_DATA_EVENTS_H

#include "cct/base/hash_table.h"
#include "perf/file/data_types.h"

struct data_events {
	struct data_file_event **events; /* a pointer stays valid for the file's life */
	size_t n_events, n_allocated;
	struct hash_table by_id;
	bool ids_stand_alike; /* the id has one position in the records of all events */
};

void data_events_deinit(struct data_events *events);

/*
 * Adds the event described by @bytes: an attr as its writer knew it, of any age, in at most @space
 * bytes. @ids (@n_ids of them, maybe unaligned) are copied. -EINVAL: malformed attr; -E2BIG: too
 * many events.
 */
int data_events_add(struct data_events *events, const uint8_t *bytes, size_t space,
		    const uint8_t *ids, size_t n_ids);
/* The index of the event that owns @id, or SIZE_MAX. */
size_t data_events_find(const struct data_events *events, uint64_t id);
/* Like data_file_decode(). */
size_t data_events_of_record(const struct data_events *events,
			     const struct perf_event_header *header);
/* Copies @name. 0 or -ENOMEM. */
int data_events_rename(struct data_events *events, size_t index, const char *name);

#endif
