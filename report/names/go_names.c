#include "report/names/go_names.h"

#include <stdlib.h>

#include "cct/base/pair_map.h"
#include "cct/object/go/go_pclntab.h"
#include "report/code/elf_symbols.h"
#include "report/dwarf/debug_info.h"

/*
 * How many table rows are read in all. An address takes 100 to 500 rows in real programs, more in
 * larger ones. The limit stops made-up files whose large tables lead nowhere.
 */
#define BUDGET_MIN      (1u << 23)
#define BUDGET_MAX      (1u << 30)
#define BUDGET_PER_BYTE 16u

struct go_names {
	struct go_pclntab *table;
	uint64_t budget;
	bool knows_inlined;
	struct pair_map sizes; /* record of a function -> size of its code */
};

static uint64_t budget_of(const struct go_pclntab *table)
{
	uint64_t size = go_pclntab_size(table);

	return size < (BUDGET_MAX - BUDGET_MIN) / BUDGET_PER_BYTE
		       ? BUDGET_MIN + BUDGET_PER_BYTE * size
		       : BUDGET_MAX;
}

struct go_names *go_names_open(Elf *elf)
{
	struct go_pclntab *table = go_pclntab_create(elf);
	struct go_names *names = table ? malloc(sizeof(*names)) : NULL;

	if (!names) {
		go_pclntab_destroy(table);
		return NULL;
	}
	*names = (struct go_names){ .table = table, .budget = budget_of(table) };
	names->knows_inlined = go_pclntab_open_inlined(table);
	return names;
}

void go_names_close(struct go_names *names)
{
	if (!names)
		return;
	pair_map_deinit(&names->sizes);
	go_pclntab_destroy(names->table);
	free(names);
}

bool go_names_knows_inlined(const struct go_names *names)
{
	return names->knows_inlined;
}

bool go_names_gave_up(const struct go_names *names)
{
	return !names->budget;
}

static uint64_t end_of(struct go_names *names, const struct go_function *function)
{
	uint32_t size = pair_map_find(&names->sizes, function->record, 0);
	if (size != PAIR_MAP_NONE)
		return function->start + size;

	uint64_t end = go_pclntab_end(names->table, function, &names->budget);
	/* If memory is lacking for the cache, the size is computed again each time. */
	if (end - function->start < PAIR_MAP_NONE)
		pair_map_add(&names->sizes, function->record, 0, (uint32_t)(end - function->start));
	return end;
}

static bool find_function(struct go_names *names, uint64_t vaddr, struct go_function *function,
			  uint64_t *end_ret)
{
	if (!go_pclntab_find(names->table, vaddr, function) || !*function->name)
		return false;
	*end_ret = end_of(names, function);
	return vaddr < *end_ret;
}

bool go_names_function(struct go_names *names, uint64_t vaddr, struct elf_symbol_match *match_ret)
{
	struct go_function function;
	uint64_t end;

	if (!find_function(names, vaddr, &function, &end))
		return false;
	*match_ret = (struct elf_symbol_match){ .name = function.name,
						.start = function.start,
						.end = end };
	return true;
}

static struct debug_function place_at(struct go_names *names, const struct go_function *function,
				      uint64_t vaddr)
{
	struct debug_function place = { .name = function->name };

	go_pclntab_line(names->table, function, vaddr, &names->budget, &place.file, &place.line);
	return place;
}

size_t go_names_find(struct go_names *names, uint64_t vaddr, struct debug_function *functions,
		     size_t max_functions)
{
	struct go_function function;
	uint64_t end, at = vaddr;

	if (!find_function(names, vaddr, &function, &end))
		return 0;
	for (size_t n = 0; n < max_functions; n++) {
		const char *inlined;

		functions[n] = place_at(names, &function, at);
		if (!go_pclntab_inlined(names->table, &function, at, &names->budget, &inlined, &at))
			return n + 1;
		functions[n].name = inlined;
	}
	/* No compiler nests this deeply: the calls lead in a circle. */
	if (!max_functions)
		return 0;
	functions[0] = place_at(names, &function, vaddr);
	return 1;
}
