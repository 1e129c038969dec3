#include "perf/file/block_holds.h"

#include <errno.h>
#include <stdlib.h>

enum { NO_HOLD = -1 };

void block_holds_init(struct block_holds *holds)
{
	*holds = (struct block_holds){ .first_free = NO_HOLD };
	for (size_t i = 0; i < BLOCK_HOLDS_RECENT; i++)
		holds->recent[i] = NO_HOLD;
}

void block_holds_deinit(struct block_holds *holds)
{
	free(holds->holds);
}

int block_holds_reserve(struct block_holds *holds, size_t n)
{
	struct block_hold *grown = reallocarray(holds->holds, n, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	holds->holds = grown;
	return 0;
}

static uint32_t add_hold(struct block_holds *holds, struct data_block *block)
{
	uint32_t index;

	if (holds->first_free == NO_HOLD) {
		index = holds->n_holds++;
	} else {
		index = (uint32_t)holds->first_free;
		uint32_t next = holds->holds[index].n_records;
		holds->first_free = next == UINT32_MAX ? NO_HOLD : (int64_t)next;
	}
	holds->holds[index] = (struct block_hold){ .block = block };
	holds->n_bytes += block->size;
	holds->recent[holds->next_recent++ % BLOCK_HOLDS_RECENT] = index;
	return index;
}

uint32_t block_holds_take(struct block_holds *holds, struct data_block *block)
{
	for (size_t i = 0; i < BLOCK_HOLDS_RECENT; i++) {
		int64_t recent = holds->recent[i];

		if (recent != NO_HOLD && holds->holds[recent].block == block) {
			holds->holds[recent].n_records++;
			return (uint32_t)recent;
		}
	}
	uint32_t index = add_hold(holds, block);
	holds->holds[index].n_records = 1;
	return index;
}

void block_holds_release(struct block_holds *holds, uint32_t index)
{
	struct block_hold *hold = &holds->holds[index];

	if (--hold->n_records)
		return;
	holds->n_bytes -= hold->block->size;
	hold->block = NULL;
	hold->n_records = holds->first_free == NO_HOLD ? UINT32_MAX : (uint32_t)holds->first_free;
	holds->first_free = index;
}
