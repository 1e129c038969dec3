/* The variables of a function's frame by its debug information. */
#ifndef REPORT_VALUES_VALUE_VARIABLES_H
#define REPORT_VALUES_VALUE_VARIABLES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VALUE_VARIABLES_MAX 256 /* of one frame: no more are listed */

struct value_variable {
	Dwarf_Die die;
	const char *name; /* as long as the file */
	bool is_parameter;
};

/*
 * Lists the parameters of @function, a compiled function or an inlined call, in their order, and
 * with @locals the variables that can be named at @vaddr: of several with one name the innermost.
 * Returns their number, at most VALUE_VARIABLES_MAX.
 */
size_t value_variables_list(Dwarf_Die *function, uint64_t vaddr, bool locals,
			    struct value_variable *variables);
/* The one with this name, of those that value_variables_list() would list with locals. */
bool value_variables_find(Dwarf_Die *function, uint64_t vaddr, const char *name,
			  struct value_variable *variable_ret);

#endif
