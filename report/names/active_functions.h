/*
 * The functions that are active at a code address: the compiled one and those inlined into it, from
 * debug information, Go's tables, what the recording carries, or a stored profile.
 */
#ifndef REPORT_NAMES_ACTIVE_FUNCTIONS_H
#define REPORT_NAMES_ACTIVE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/dwarf/debug_info.h"
#include "report/names/module_names.h"

struct active_functions {
	struct code_location location;
	/*
	 * Innermost first; the last is the compiled one, of which only the source position is
	 * there: its name is the location's symbol. None: nothing but the location is known.
	 */
	struct debug_function functions[DEBUG_INFO_MAX_INLINED];
	size_t n_functions;
};

/* What to look for. Lines of inlined calls are always found with these. */
struct active_wanted {
	bool inlines; /* inlined functions */
	bool lines;   /* the source line of the instruction */
};

/*
 * @names: the names of @module. @wanted: the same in all calls for a module, but that lines may be
 * wanted later if inlined functions are from the first call on. Strings are valid until
 * module_names_close(). 0 or -ENOMEM.
 */
int active_functions_find(struct module_names *names, const struct module *module, uint64_t offset,
			  const struct active_wanted *wanted, struct active_functions *ret);

#endif
