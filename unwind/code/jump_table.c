/* Entries are 32 bits, and so are addresses: sums wrap. */
#include "unwind/code/jump_table.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/rules/machine_instruction.h"

/* How far before a jump the table's address is loaded, and how far the jump leads: bytes. */
#define LOAD_DISTANCE   4096
#define NEAR_DISTANCE   64
#define TARGET_DISTANCE 65536
/* So many that other bytes than the table's are unlikely to lead to code with each. */
#define ENTRIES_TELLING 4

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

static int compare_offsets(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

static size_t sort_unique(uint64_t *targets, size_t n)
{
	size_t n_unique = 0;

	qsort(targets, n, sizeof(*targets), compare_offsets);
	for (size_t i = 0; i < n; i++)
		if (!n_unique || targets[n_unique - 1] != targets[i])
			targets[n_unique++] = targets[i];
	return n_unique;
}

/* The table at offset @at, as far as it goes on there in memory. */
static bool read_table(const struct code *code, uint64_t pc, uint64_t at, uint32_t n_entries,
		       uint64_t *targets_ret)
{
	const uint8_t *table = code->find_data(code->module, pc, at, n_entries * sizeof(int32_t));
	int32_t distance;

	if (!table)
		return false;
	for (size_t i = 0; i < n_entries; i++) {
		memcpy(&distance, table + i * sizeof(distance), sizeof(distance));
		targets_ret[i] = at + to_64_bits(distance);
		if (targets_ret[i] - code->start >= code->size ||
		    targets_ret[i] - pc + TARGET_DISTANCE > (uint64_t)2 * TARGET_DISTANCE)
			return false;
	}
	return true;
}

size_t jump_table_bounded(const struct code *code, uint64_t pc, uint64_t *targets_ret)
{
	const struct arch *arch = code->arch;
	const size_t size = pc - code->start;
	struct jump_by_table jump;
	int64_t distance;

	if (!arch->find_switch || !code->find_data || size > code->size ||
	    !arch->find_switch(code->bytes, size, &jump))
		return 0;
	for (size_t back = 1; back <= LOAD_DISTANCE && back <= size; back++) {
		if (back > NEAR_DISTANCE && jump.n_entries < ENTRIES_TELLING)
			break;
		if (arch->loads_table(code->bytes + size - back, back, jump.base, &distance) &&
		    read_table(code, pc, pc - back + (uint64_t)distance, jump.n_entries,
			       targets_ret))
			return sort_unique(targets_ret, jump.n_entries);
	}
	return 0;
}
