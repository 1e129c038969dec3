/*
 * Tables that position-independent code jumps by: words that are added to an address in the code,
 * or to that of the table.
 */
#ifndef UNWIND_CODE_JUMP_TABLE_H
#define UNWIND_CODE_JUMP_TABLE_H

#include "unwind/code/code.h"
#include "unwind/code/code_rule.h"

/* Enough that other bytes than a table's are unlikely to lead to code with each. */
#define JUMP_TABLE_TARGETS 4

/* The offsets that the first entries of @entry's table lead to, from a jump at @pc. false: one of
 * them is not in @code, or @entry is not a PLACE_ENTRY. */
bool jump_table_targets(const struct code *code, uint64_t pc, const struct place *entry,
			uint64_t targets_ret[JUMP_TABLE_TARGETS]);

/*
 * All offsets that the jump at @pc leads to, sorted, each once, if the code before it bounds its
 * table: at most JUMP_ENTRIES_MAX. 0: it does not, or an entry leads elsewhere than near the jump.
 */
size_t jump_table_bounded(const struct code *code, uint64_t pc, uint64_t *targets_ret);

#endif
