/*
 * Symbol tables that recordings carry: kallsyms, perf-PID.map files, jitdumps. One thread adds and
 * sorts; then any thread may look up.
 */
#ifndef CCT_CODE_SYMBOL_TABLE_H
#define CCT_CODE_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/base/arena.h"

/* Names are owned by the table, or outlive it. Sorted by offset once symbol_table_sort() ran. */
struct symbol {
	uint64_t offset;
	uint64_t size; /* 0: up to the next symbol */
	const char *name;
};

struct symbol_table {
	struct symbol *symbols;
	size_t n_symbols;
	size_t n_allocated;
	struct arena names;
	uint64_t *addrs; /* where the code of each symbol was in memory; NULL: not known */
	size_t n_addrs_allocated;
};

struct symbol_table *symbol_table_create(void);
void symbol_table_destroy(struct symbol_table *table);
/* Makes room for @n symbols more. 0 or -ENOMEM. */
int symbol_table_reserve(struct symbol_table *table, size_t n);
/* Copies @name (@name_size bytes, no NUL needed). 0 or -ENOMEM. */
int symbol_table_add(struct symbol_table *table, uint64_t offset, uint64_t size, const char *name,
		     size_t name_size);
/* Likewise, with a name that is not copied, because it outlives the table. */
int symbol_table_add_kept(struct symbol_table *table, uint64_t offset, uint64_t size,
			  const char *name);
/* As symbol_table_add(), for code at @addr in memory. For all symbols of a table or for none, and
 * in the order of their offsets: such a table is not sorted. */
int symbol_table_add_at(struct symbol_table *table, uint64_t offset, uint64_t size,
			const char *name, size_t name_size, uint64_t addr);
/* Where the code of one of its symbols was. false: not known, or a later symbol's took its place.
 */
bool symbol_table_find_addr(const struct symbol_table *table, const struct symbol *symbol,
			    uint64_t *addr_ret);
void symbol_table_sort(struct symbol_table *table);
/* The symbol that holds @offset, or NULL. Only after symbol_table_sort(). */
const struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t offset);

#endif
