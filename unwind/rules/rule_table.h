/*
 * A table address -> rule for functions whose call frame instructions have been executed.
 *
 * One thread at a time.
 */
#ifndef UNWIND_RULES_RULE_TABLE_H
#define UNWIND_RULES_RULE_TABLE_H

#include <stddef.h>

#include "unwind/rules/rule.h"

struct rule_table;

/* Up to the next one's start, or the function's end. */
struct rule_row {
	uint32_t start; /* from the function's start on */
	struct rule rule;
};

/* NULL: out of memory. */
struct rule_table *rule_table_create(void);
void rule_table_destroy(struct rule_table *table);
/* The memory it takes. */
size_t rule_table_size(const struct rule_table *table);
/* The rule at @vaddr, if the last look-up in that neighbourhood was in the same function. NULL:
 * unknown; use the function below. Rules are valid as long as the table. */
const struct rule *rule_table_guess(const struct rule_table *table, uint64_t vaddr);
/* The rule at @vaddr, of the function that begins at @start. NULL: the table does not have that
 * function. */
const struct rule *rule_table_find(struct rule_table *table, uint64_t start, uint64_t vaddr);
/* Whether the rows of the function that the last look-up for @vaddr found follow its stack down and
 * up again: after one with another CFA there is one with the first row's. false: unknown, too. */
bool rule_table_follows_stack(const struct rule_table *table, uint64_t vaddr);
/*
 * Adds a function that is not in the table and does not overlap others.
 *
 * @rows: sorted, the first with a start of 0, at least one.
 *
 * 0, or -ENOMEM.
 */
int rule_table_add(struct rule_table *table, uint64_t start, uint32_t size,
		   const struct rule_row *rows, uint32_t n_rows);

#endif
