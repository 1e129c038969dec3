#include "cct/code/symbol_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/sorted.h"

struct symbol_table *symbol_table_create(void)
{
	return calloc(1, sizeof(struct symbol_table));
}

void symbol_table_destroy(struct symbol_table *table)
{
	if (!table)
		return;
	arena_deinit(&table->names);
	free(table->symbols);
	free(table->addrs);
	free(table);
}

int symbol_table_reserve(struct symbol_table *table, size_t n)
{
	return array_reserve(table->symbols, table->n_symbols, table->n_allocated, n);
}

int symbol_table_add_kept(struct symbol_table *table, uint64_t offset, uint64_t size,
			  const char *name)
{
	int err = symbol_table_reserve(table, 1);

	if (!err)
		table->symbols[table->n_symbols++] =
			(struct symbol){ .offset = offset, .size = size, .name = name };
	return err;
}

int symbol_table_add(struct symbol_table *table, uint64_t offset, uint64_t size, const char *name,
		     size_t name_size)
{
	char *copy = arena_copy_text(&table->names, name, name_size);

	return copy ? symbol_table_add_kept(table, offset, size, copy) : -ENOMEM;
}

int symbol_table_add_at(struct symbol_table *table, uint64_t offset, uint64_t size,
			const char *name, size_t name_size, uint64_t addr)
{
	if (array_reserve(table->addrs, table->n_symbols, table->n_addrs_allocated, 1))
		return -ENOMEM;
	int err = symbol_table_add(table, offset, size, name, name_size);
	if (!err)
		table->addrs[table->n_symbols - 1] = addr;
	return err;
}

/* Whether the code at @later was put where that at @index had been. The same code may be there
 * again. */
static bool replaces(const struct symbol_table *table, size_t later, size_t index)
{
	const struct symbol *symbol = &table->symbols[index], *other = &table->symbols[later];
	uint64_t addr = table->addrs[index], other_addr = table->addrs[later];
	bool overlaps = other_addr - addr < symbol->size || addr - other_addr < other->size;

	return overlaps && (other_addr != addr || other->size != symbol->size ||
			    strcmp(other->name, symbol->name) != 0);
}

bool symbol_table_find_addr(const struct symbol_table *table, const struct symbol *symbol,
			    uint64_t *addr_ret)
{
	size_t index = (size_t)(symbol - table->symbols);

	if (!table->addrs)
		return false;
	for (size_t i = index + 1; i < table->n_symbols; i++) {
		if (replaces(table, i, index))
			return false;
	}
	*addr_ret = table->addrs[index];
	return true;
}

static int symbol_compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	/* A look-up finds the last of several names at one address: the longest symbol, then the
	 * name with the fewest leading underscores, then by name, so that the order of the input
	 * does not matter.
	 */
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	size_t x_underscores = strspn(x->name, "_"), y_underscores = strspn(y->name, "_");
	if (x_underscores != y_underscores)
		return x_underscores > y_underscores ? -1 : 1;
	return -strcmp(x->name, y->name);
}

/* Sorts what is nearly sorted, as kallsyms is but for aliases. false: it is not, stopped half-way.
 */
static bool symbol_table_insertion_sort(struct symbol_table *table)
{
	size_t n_moves_left = table->n_symbols * 4;

	for (size_t i = 1; i < table->n_symbols; i++) {
		struct symbol symbol = table->symbols[i];
		size_t k = i;

		for (; k && symbol_compare(&table->symbols[k - 1], &symbol) > 0; k--) {
			table->symbols[k] = table->symbols[k - 1];
			if (!n_moves_left--) {
				table->symbols[k - 1] = symbol;
				return false;
			}
		}
		table->symbols[k] = symbol;
	}
	return true;
}

void symbol_table_sort(struct symbol_table *table)
{
	if (table->n_symbols && !symbol_table_insertion_sort(table))
		qsort(table->symbols, table->n_symbols, sizeof(*table->symbols), symbol_compare);
}

const struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t offset)
{
	size_t n = sorted_count(table->n_symbols, i, table->symbols[i].offset <= offset);

	if (!n)
		return NULL;
	const struct symbol *symbol = &table->symbols[n - 1];
	if (symbol->size && offset - symbol->offset >= symbol->size)
		return NULL;
	return symbol;
}
