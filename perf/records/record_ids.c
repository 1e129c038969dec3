#include "perf/records/record_ids.h"

#include <string.h>

#include "perf/records/read_values.h"
#include "perf/records/record.h"
#include "perf/records/record_words.h"

static void map_word(const struct record_id_map *map, uint8_t *at)
{
	uint64_t id;

	memcpy(&id, at, sizeof(id));
	id = map->map(map->owner, id);
	memcpy(at, &id, sizeof(id));
}

/* The word that @position words precede in the body. */
static void map_body_word(const struct record_id_map *map, struct perf_event_header *header,
			  size_t position)
{
	size_t offset = sizeof(*header) + position * sizeof(uint64_t);

	if (offset + sizeof(uint64_t) <= header->size)
		map_word(map, (uint8_t *)header + offset);
}

/* Of the counter that wrote the record. */
static void map_own_id(const struct record_layout *layout, struct perf_event_header *header,
		       const struct record_id_map *map)
{
	bool is_sample = header->type == PERF_RECORD_SAMPLE;
	size_t position;

	if ((!is_sample && !layout->sample_id_all) ||
	    !record_words_find_id(layout->sample_type, is_sample, &position))
		return;
	if (is_sample) {
		map_body_word(map, header, position);
		return;
	}
	const size_t size = record_written_size(layout->sample_type, true, header);
	if (size >= sizeof(*header) + (position + 1) * sizeof(uint64_t))
		map_word(map, (uint8_t *)header + size - (position + 1) * sizeof(uint64_t));
}

static void map_values(const struct record_layout *layout, struct perf_event_header *header,
		       const struct record_id_map *map)
{
	struct record record;

	if (!(layout->sample_type & PERF_SAMPLE_READ) || !(layout->read_format & PERF_FORMAT_ID) ||
	    record_decode(layout, header, &record) != RECORD_OK)
		return;
	for (size_t i = 0; i < record.sample.n_read_values; i++) {
		const uint64_t *at =
			read_values_id_of_sample(&record.sample, layout->read_format, i);

		map_word(map, (uint8_t *)header + ((const uint8_t *)at - (uint8_t *)header));
	}
}

void record_map_ids(const struct record_layout *layout, struct perf_event_header *header,
		    const struct record_id_map *map)
{
	map_own_id(layout, header, map);
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		map_values(layout, header, map);
		break;
	case PERF_RECORD_LOST:
		map_body_word(map, header, 0);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE: /* the time, the id, the id of the stream */
		map_body_word(map, header, 1);
		map_body_word(map, header, 2);
		break;
	default:
		break;
	}
}
