/* A sorted array. */
#include "unwind/code/functions.h"

#include <stdlib.h>

#include "cct/base/sorted.h"
#include "cct/code/start_order.h"
#include "cct/object/elf_symtab.h"

struct function {
	uint64_t start, end;
};

struct functions {
	size_t n_functions;
	struct function functions[];
};

static bool is_function(const GElf_Sym *symbol)
{
	return elf_symbol_is_function(symbol) && symbol->st_shndx != SHN_ABS && symbol->st_value &&
	       symbol->st_size <= UINT64_MAX - symbol->st_value;
}

/* Of the functions that begin at one address, keeps the longest. */
static void keep_longest(struct functions *functions)
{
	struct function *all = functions->functions;
	size_t n_kept = 0;

	for (size_t i = 0; i < functions->n_functions; i++) {
		if (!n_kept || all[n_kept - 1].start != all[i].start)
			all[n_kept++] = all[i];
		else if (all[n_kept - 1].end < all[i].end)
			all[n_kept - 1] = all[i];
	}
	functions->n_functions = n_kept;
}

/* Assembly may give no size: such a function ends where the next begins. */
static void fill_sizes(struct functions *functions)
{
	uint64_t next = 0;

	for (size_t i = functions->n_functions; i-- > 0;) {
		struct function *function = &functions->functions[i];

		if (function->end == function->start && next)
			function->end = next;
		next = function->start;
	}
}

struct functions *functions_create(Elf *elf)
{
	struct elf_symtab table = { 0 };
	GElf_Sym symbol;

	if (!elf_symtab_open(elf, SHT_SYMTAB, &table))
		elf_symtab_open(elf, SHT_DYNSYM, &table);
	struct functions *functions =
		malloc(sizeof(*functions) + table.n * sizeof(functions->functions[0]));
	if (!functions)
		return NULL;
	functions->n_functions = 0;
	for (size_t i = 0; elf_symtab_get(&table, i, &symbol); i++)
		if (is_function(&symbol))
			functions->functions[functions->n_functions++] =
				(struct function){ symbol.st_value,
						   symbol.st_value + symbol.st_size };
	if (sort_by_start(functions->functions, functions->n_functions,
			  sizeof(functions->functions[0]))) {
		free(functions);
		return NULL;
	}
	keep_longest(functions);
	fill_sizes(functions);
	return functions;
}

void functions_destroy(struct functions *functions)
{
	free(functions);
}

size_t functions_size(const struct functions *functions)
{
	return sizeof(*functions) + functions->n_functions * sizeof(functions->functions[0]);
}

bool functions_find(const struct functions *functions, uint64_t vaddr, uint64_t *start_ret,
		    uint64_t *end_ret)
{
	/* The first that begins above @vaddr. */
	size_t low =
		sorted_count(functions->n_functions, i, functions->functions[i].start <= vaddr);

	if (!low || functions->functions[low - 1].end <= vaddr)
		return false;
	*start_ret = functions->functions[low - 1].start;
	*end_ret = functions->functions[low - 1].end;
	return true;
}
