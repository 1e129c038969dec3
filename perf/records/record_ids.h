/*
 * The ids of counters in a record: of the counter that wrote it, in a group's values of all
 * members, in records about another record's counter of that.
 */
#ifndef PERF_RECORDS_RECORD_IDS_H
#define PERF_RECORDS_RECORD_IDS_H

#include "perf/records/record_fields.h"

struct record_id_map {
	/* The id that replaces @id, or @id. */
	uint64_t (*map)(const void *owner, uint64_t id);
	const void *owner;
};

/* Replaces the ids in the record at @header, of header->size bytes and aligned to 8. What its size
 * has no room for is left alone. */
void record_map_ids(const struct record_layout *layout, struct perf_event_header *header,
		    const struct record_id_map *map);

#endif
