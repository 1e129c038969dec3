/* A sorted array. */
#include "unwind/code/functions.h"

#include <stdlib.h>

#include "cct/base/sorted.h"
#include "cct/code/address_sort.h"
#include "cct/object/elf_symtab.h"

struct functions {
	size_t n_functions;
	struct address_value functions[]; /* where each begins, and its end */
};

static bool is_function(const GElf_Sym *symbol)
{
	return elf_symbol_is_function(symbol) && symbol->st_shndx != SHN_ABS && symbol->st_value &&
	       symbol->st_size <= UINT64_MAX - symbol->st_value;
}

/* Assembly may give no size: such a function ends where the next begins. */
static void fill_sizes(struct functions *functions)
{
	uint64_t next = 0;

	for (size_t i = functions->n_functions; i-- > 0;) {
		struct address_value *function = &functions->functions[i];

		if (i + 1 < functions->n_functions && function[1].addr > function->addr)
			next = function[1].addr;
		if (function->value == function->addr && next)
			function->value = next;
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
				(struct address_value){ symbol.st_value,
							symbol.st_value + symbol.st_size };
	if (address_sort(functions->functions, functions->n_functions)) {
		free(functions);
		return NULL;
	}
	fill_sizes(functions);
	return functions;
}

void functions_destroy(struct functions *functions)
{
	free(functions);
}

bool functions_find(const struct functions *functions, uint64_t vaddr, uint64_t *start_ret,
		    uint64_t *end_ret)
{
	/* The first that begins above @vaddr. */
	size_t low = sorted_count(functions->n_functions, i, functions->functions[i].addr <= vaddr);

	if (!low || functions->functions[low - 1].value <= vaddr)
		return false;
	*start_ret = functions->functions[low - 1].addr;
	*end_ret = functions->functions[low - 1].value;
	return true;
}
