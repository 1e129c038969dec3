/* A memory record of any bytes: decoded; then addresses in and around its parts are read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perf/records/attachment.h"
#include "perf/records/memory_record.h"

#define SIZE_MAX_OF_RECORD 65528u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void ask(const struct memory_record *memory, uint64_t addr, size_t size)
{
	bool is_at_sample;
	const uint8_t *found = memory_record_find(memory, addr, size, &is_at_sample);

	if (found && (found < memory->bytes || size > memory->n_bytes ||
		      (size_t)(found - memory->bytes) > memory->n_bytes - size))
		abort();
}

/* What was decoded can be encoded, and says the same. */
static void encode(const struct memory_record *memory)
{
	static uint64_t space[MEMORY_RECORD_SIZE_MAX / sizeof(uint64_t) + 1];
	struct perf_event_header *record = (struct perf_event_header *)space;
	struct memory_record again;

	memory_record_encode(memory, record);
	if (record->size > MEMORY_RECORD_SIZE_MAX || !memory_record_decode(record, &again) ||
	    again.n_bytes != memory->n_bytes ||
	    (again.n_bytes && memcmp(again.bytes, memory->bytes, again.n_bytes) != 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const uint64_t magic = MEMORY_RECORD_MAGIC;
	uint64_t time_ns;

	size = size < SIZE_MAX_OF_RECORD ? size : SIZE_MAX_OF_RECORD;
	/* On the heap, so that a read beyond the record is seen. */
	struct perf_event_header *record = malloc(sizeof(*record) + sizeof(magic) + size);
	if (!record)
		return 0;
	*record = (struct perf_event_header){
		.type = RECORD_ATTACHMENT,
		.size = (uint16_t)(sizeof(*record) + (size < sizeof(magic) ? sizeof(magic) : size)),
	};
	memset(record + 1, 0, sizeof(magic));
	if (size)
		memcpy(record + 1, bytes, size);
	memcpy(record + 1, &magic, sizeof(magic));

	struct memory_record memory;
	memory_record_peek_time(record, &time_ns);
	if (memory_record_decode(record, &memory)) {
		encode(&memory);
		for (uint32_t i = 0; i < memory.header.n_parts; i++) {
			const struct memory_part *part = &memory.parts[i];

			ask(&memory, part->addr, part->size);
			ask(&memory, part->addr - 1, 2);
			ask(&memory, part->addr + part->size, 1);
			ask(&memory, part->addr, SIZE_MAX);
		}
	}
	free(record);
	return 0;
}
