#include "collector/record/follow/ring_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perf/counters/follow_program.h"
#include "perf/records/memory_record.h"
#include "perf/records/record.h"

static_assert(FOLLOW_STEPS_MAX <= MEMORY_PARTS_MAX &&
		      FOLLOW_STEPS_MAX * FOLLOW_PART_MAX <= MEMORY_BYTES_MAX,
	      "a memory record has room for all that is read at a sample");

struct waiting {
	bool is_there;
	int32_t pid, tid;
	struct follow_bytes bytes;
};

struct ring_memory {
	const struct evlist *evlist;
	struct record_layout layout;
	uint64_t record[MEMORY_RECORD_SIZE_MAX / sizeof(uint64_t) + 1];
	uint64_t n_lost; /* their samples did not follow */
	struct waiting rings[];
};

int ring_memory_create(const struct evlist *evlist, struct ring_memory **memory_ret)
{
	const size_t n_rings = evlist->second_stacks.n_ids;

	*memory_ret = NULL;
	if (evlist->follow_err || !n_rings)
		return 0;
	struct ring_memory *memory =
		calloc(1, sizeof(*memory) + n_rings * sizeof(memory->rings[0]));
	if (!memory)
		return -ENOMEM;
	memory->evlist = evlist;
	record_layout_init(&memory->layout, &evlist->second_stacks.attr);
	*memory_ret = memory;
	return 0;
}

void ring_memory_destroy(struct ring_memory *memory)
{
	free(memory);
}

static bool has_id(const struct perf_event_header *header, uint64_t id)
{
	return header->type == PERF_RECORD_SAMPLE && header->size >= sizeof(*header) + sizeof(id) &&
	       memcmp(header + 1, &id, sizeof(id)) == 0;
}

bool ring_memory_take(struct ring_memory *memory, size_t ring,
		      const struct perf_event_header *header)
{
	struct waiting *waiting = &memory->rings[ring];
	struct follow_bytes bytes;
	struct record record;

	if (!has_id(header, memory->evlist->second_stacks.ids[ring]) ||
	    record_decode(&memory->layout, header, &record) != RECORD_OK ||
	    record.sample.raw_size < sizeof(bytes))
		return false;
	memcpy(&bytes, record.sample.raw, sizeof(bytes));
	if (bytes.kind != FOLLOW_KIND)
		return false;
	ring_memory_see_other(memory, ring);
	*waiting = (struct waiting){ true, record.pid, record.tid, bytes };
	return true;
}

/* Those steps that could read; the words of steps on the way are parts, too. */
static void encode(const struct follow_bytes *from, const struct record *record,
		   struct perf_event_header *to)
{
	struct memory_part parts[FOLLOW_STEPS_MAX];
	uint8_t bytes[FOLLOW_STEPS_MAX * FOLLOW_PART_MAX];
	struct memory_record memory = {
		.header = { .pid = record->pid, .tid = record->tid, .time_ns = record->time_ns },
		.parts = parts,
		.bytes = bytes,
	};

	for (size_t i = 0; i < FOLLOW_STEPS_MAX && i < from->n_parts; i++) {
		const uint64_t size = from->parts[i].size;

		if (!(from->was_read >> i & 1) || size > FOLLOW_PART_MAX)
			continue;
		parts[memory.header.n_parts++] = (struct memory_part){ .addr = from->parts[i].addr,
								       .size = (uint32_t)size,
								       .is_at_sample = 1 };
		memcpy(bytes + memory.n_bytes, from->bytes[i], size);
		memory.n_bytes += size;
	}
	memory_record_encode(&memory, to);
}

const struct perf_event_header *ring_memory_of_sample(struct ring_memory *memory, size_t ring,
						      const struct record *record)
{
	struct waiting *waiting = &memory->rings[ring];
	struct perf_event_header *to = (struct perf_event_header *)memory->record;

	if (!waiting->is_there)
		return NULL;
	waiting->is_there = false;
	if (waiting->pid != record->pid || waiting->tid != record->tid) {
		memory->n_lost++;
		return NULL;
	}
	if (!waiting->bytes.was_read)
		return NULL;
	encode(&waiting->bytes, record, to);
	return to;
}

void ring_memory_see_other(struct ring_memory *memory, size_t ring)
{
	memory->n_lost += memory->rings[ring].is_there;
	memory->rings[ring].is_there = false;
}

void ring_memory_describe(const struct ring_memory *memory, struct recording_notes *notes)
{
	if (memory && memory->n_lost)
		recording_notes_add(notes, false,
				    "--follow: what a BPF program read at %" PRIu64
				    " sample%s was lost with %s.",
				    memory->n_lost, memory->n_lost == 1 ? "" : "s",
				    memory->n_lost == 1 ? "it" : "them");
}
