#include "perf/file/data_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"
#include "perf/events/attr_name.h"

enum {
	MAX_EVENTS = 1 << 16,
	ATTR_SIZE_OFFSET = offsetof(struct perf_event_attr, size),
};

struct event_of_id {
	uint64_t id;
	uint32_t event; /* index + 1; 0: the slot is free */
};

static bool slot_is_used(const void *slot)
{
	return ((const struct event_of_id *)slot)->event != 0;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	(void)owner;
	return ((const struct event_of_id *)slot)->id == *(const uint64_t *)key;
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	(void)owner;
	return hash_number(((const struct event_of_id *)slot)->id);
}

static const struct hash_table_type events_by_id = {
	.slot_size = sizeof(struct event_of_id),
	.first_slots = 64,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

static void event_destroy(struct data_file_event *event)
{
	if (!event)
		return;
	free(event->name);
	free(event->ids);
	free(event);
}

void data_events_deinit(struct data_events *events)
{
	for (size_t i = 0; i < events->n_events; i++)
		event_destroy(events->events[i]);
	free(events->events);
	hash_table_deinit(&events->by_id);
	*events = (struct data_events){ 0 };
}

size_t data_events_find(const struct data_events *events, uint64_t id)
{
	const struct event_of_id *found =
		hash_table_find(&events->by_id, &events_by_id, hash_number(id), &id, NULL);

	return found ? found->event - 1 : SIZE_MAX;
}

static int index_ids(struct data_events *events, const struct data_file_event *event)
{
	for (size_t i = 0; i < event->n_ids; i++) {
		/* The first event that claims an id keeps it. */
		if (data_events_find(events, event->ids[i]) != SIZE_MAX)
			continue;
		struct event_of_id *slot = hash_table_insert(&events->by_id, &events_by_id,
							     hash_number(event->ids[i]), NULL);
		if (!slot)
			return -ENOMEM;
		*slot = (struct event_of_id){ event->ids[i], (uint32_t)events->n_events + 1 };
	}
	return 0;
}

static void parse_attr(const uint8_t *bytes, size_t space, struct perf_event_attr *attr)
{
	uint32_t size;

	memcpy(&size, bytes + ATTR_SIZE_OFFSET, sizeof(size));
	if (size < PERF_ATTR_SIZE_VER0) /* 0: as first published */
		size = PERF_ATTR_SIZE_VER0;
	if (size > space)
		size = (uint32_t)space;
	if (size > sizeof(*attr))
		size = sizeof(*attr);
	memset(attr, 0, sizeof(*attr));
	memcpy(attr, bytes, size);
}

static struct data_file_event *event_create(const uint8_t *bytes, size_t space, const uint8_t *ids,
					    size_t n_ids)
{
	struct data_file_event *event = calloc(1, sizeof(*event));

	if (!event)
		return NULL;
	parse_attr(bytes, space, &event->attr);
	record_layout_init(&event->layout, &event->attr);
	event->unit = event_unit(&event->attr);
	event->name = attr_name(&event->attr);
	event->ids = calloc(n_ids + 1, sizeof(*event->ids));
	if (!event->name || !event->ids) {
		event_destroy(event);
		return NULL;
	}
	if (n_ids)
		memcpy(event->ids, ids, n_ids * sizeof(*event->ids));
	event->n_ids = n_ids;
	return event;
}

/* The words before a sample's id, and those after the id of a trailer. perf compares these
 * positions, not the sample types. */
static bool id_stands_alike(const struct record_layout *a, const struct record_layout *b)
{
	const uint64_t before =
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
	const uint64_t behind = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
	const uint64_t either = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID;

	if (a->sample_type & b->sample_type & PERF_SAMPLE_IDENTIFIER)
		return true;
	if ((a->sample_type ^ b->sample_type) & either)
		return false;
	return __builtin_popcountll(a->sample_type & before) ==
		       __builtin_popcountll(b->sample_type & before) &&
	       __builtin_popcountll(a->sample_type & behind) ==
		       __builtin_popcountll(b->sample_type & behind);
}

static int make_room_for_event(struct data_events *events)
{
	if (events->n_events == MAX_EVENTS)
		return -E2BIG;
	return array_reserve(events->events, events->n_events, events->n_allocated, 1);
}

int data_events_add(struct data_events *events, const uint8_t *bytes, size_t space,
		    const uint8_t *ids, size_t n_ids)
{
	int err = make_room_for_event(events);

	if (err)
		return err;
	if (space < PERF_ATTR_SIZE_VER0)
		return -EINVAL;
	struct data_file_event *event = event_create(bytes, space, ids, n_ids);
	if (!event)
		return -ENOMEM;
	err = index_ids(events, event);
	if (err) {
		event_destroy(event);
		return err;
	}
	events->ids_stand_alike =
		!events->n_events || (events->ids_stand_alike &&
				      id_stands_alike(&events->events[0]->layout, &event->layout));
	events->events[events->n_events++] = event;
	return 0;
}

size_t data_events_of_record(const struct data_events *events,
			     const struct perf_event_header *header)
{
	uint64_t id;

	if (events->n_events <= 1)
		return events->n_events ? 0 : SIZE_MAX;
	const struct record_layout *first = &events->events[0]->layout;
	if (!events->ids_stand_alike ||
	    !record_peek_id(first->sample_type, first->sample_id_all, header, &id))
		return 0;
	if (!id) /* synthesized by the recorder */
		return 0;
	return data_events_find(events, id);
}

int data_events_rename(struct data_events *events, size_t index, const char *name)
{
	char *copy = strdup(name);

	if (!copy)
		return -ENOMEM;
	free(events->events[index]->name);
	events->events[index]->name = copy;
	return 0;
}
