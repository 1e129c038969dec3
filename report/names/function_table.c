#include "report/names/function_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/sentence.h"
#include "report/demangle/clone_name.h"
#include "report/demangle/demangle.h"

static void free_function(const struct function *function)
{
	free(function->name);
	free(function->base_name);
}

void function_table_deinit(struct function_table *table)
{
	for (uint32_t i = 0; i < table->n_functions; i++)
		free_function(&table->functions[i]);
	free(table->functions);
	pair_map_deinit(&table->by_start);
}

uint32_t function_table_find(const struct function_table *table, uint64_t start, uint64_t key)
{
	return pair_map_find(&table->by_start, start, key);
}

static char *demangle(enum symbol_names names, const char *symbol)
{
	switch (names) {
	case NAMES_WHOLE:
		return demangle_symbol(symbol);
	case NAMES_WITHOUT_PARAMETERS:
		return demangle_without_parameters(symbol);
	default:
		return NULL;
	}
}

char *function_table_symbol_name(enum symbol_names names, const char *symbol, bool plt)
{
	char *demangled = demangle(names, symbol);
	char *name;

	if (!plt)
		return demangled ? demangled : strdup(symbol);
	name = sentence("%s@plt", demangled ? demangled : symbol);
	free(demangled);
	return name;
}

char *function_table_address_name(const struct module *module, uint64_t addr)
{
	if (!module || module->key.kind == MODULE_ANON)
		return sentence("0x%" PRIx64, addr);
	if (module->key.kind == MODULE_KERNEL)
		return sentence("0x%" PRIx64, module->key.base + addr);
	return sentence("%s+0x%" PRIx64, module_name(module), addr);
}

static uint32_t append(struct function_table *table, const struct function *function)
{
	if (array_reserve(table->functions, table->n_functions, table->n_functions_allocated, 1))
		return PAIR_MAP_NONE;
	table->functions[table->n_functions] = *function;
	return table->n_functions++;
}

int function_table_add(struct function_table *table, uint64_t start, uint64_t key,
		       const struct module *module, char *name, uint32_t *function_ret)
{
	struct function function = {
		.name = name,
		.module = module ? module_title(module) : "",
		.module_path = module ? module->key.path : "",
	};
	uint32_t index;

	if (!name)
		return -ENOMEM;
	function.base_name = module ? clone_base_name(name) : NULL;
	index = append(table, &function);
	if (index == PAIR_MAP_NONE) {
		free_function(&function);
		return -ENOMEM;
	}
	*function_ret = index;
	return pair_map_add(&table->by_start, start, key, index);
}
