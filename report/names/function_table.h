/* The functions of a report. The name of each is made once. */
#ifndef REPORT_NAMES_FUNCTION_TABLE_H
#define REPORT_NAMES_FUNCTION_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/base/pair_map.h"
#include "cct/model/module.h"

enum symbol_names { NAMES_WHOLE, NAMES_WITHOUT_PARAMETERS, NAMES_RAW };

struct function {
	char *name;
	char *base_name;    /* the original function's name if this is a clone; else NULL */
	const char *symbol; /* borrowed from the module's file */
	const char *module;
	const char *module_path;
	bool is_hidden; /* the user wants it left out of paths */
};

/* All zero is an empty table. */
struct function_table {
	struct function *functions;
	uint32_t n_functions, n_functions_allocated;
	struct pair_map by_start; /* (start, key) -> index */
};

void function_table_deinit(struct function_table *table);
/* The index of the function with this start and key, or PAIR_MAP_NONE. */
uint32_t function_table_find(const struct function_table *table, uint64_t start, uint64_t key);
/*
 * Adds a function that is not in the table. Takes ownership of @name, which may be NULL if making
 * it ran out of memory. @module: NULL if the frame is not code. 0 or -ENOMEM.
 */
int function_table_add(struct function_table *table, uint64_t start, uint64_t key,
		       const struct module *module, char *name, uint32_t *function_ret);

/*
 * Makes a name for function_table_add() from a symbol: heap, NULL if out of memory. @plt: the code
 * is the symbol's entry in the procedure linkage table.
 */
char *function_table_symbol_name(enum symbol_names names, const char *symbol, bool plt);
/* Makes a name for a function without a symbol from its address. Likewise. */
char *function_table_address_name(const struct module *module, uint64_t addr);

#endif
