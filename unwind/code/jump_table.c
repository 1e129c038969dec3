/* Entries are 32 bits, and so are addresses: sums wrap. */
#include "unwind/code/jump_table.h"

#include <string.h>

static uint64_t to_64_bits(int32_t value)
{
	return (uint64_t)(int64_t)value;
}

bool jump_table_targets(const struct code *code, uint64_t pc, const struct place *entry,
			uint64_t targets_ret[JUMP_TABLE_TARGETS])
{
	int32_t words[JUMP_TABLE_TARGETS];

	if (entry->kind != PLACE_ENTRY || !code->find_data)
		return false;
	const uint8_t *table =
		code->find_data(code->module, pc, to_64_bits(entry->addend), sizeof(words));
	if (!table)
		return false;
	memcpy(words, table, sizeof(words));
	for (size_t i = 0; i < JUMP_TABLE_TARGETS; i++) {
		targets_ret[i] = (uint32_t)(to_64_bits(entry->offset) + to_64_bits(words[i]));
		if (targets_ret[i] - code->start >= code->size)
			return false;
	}
	return true;
}
