/*
 * Names of functions in debug information. Normally that is the linkage name, which symbols have,
 * too. Compilers leave it out for functions that are only ever inlined. In languages with
 * namespaces the name is then built as demangling the linkage name would give it, from the
 * function's name and the scopes around its declaration: std::sort<...>, not sort<...>. Not
 * thread-safe.
 */
#ifndef REPORT_DWARF_DEBUG_NAMES_H
#define REPORT_DWARF_DEBUG_NAMES_H

#include <elfutils/libdw.h>
#include <stdint.h>

struct debug_names {
	void *units;  /* trees of tsearch() */
	void *joined; /* names that were built */
	/*
	 * How many bytes may still be read, set by the owner. When they are used up, names are
	 * plain.
	 */
	uint64_t budget;
};

/*
 * The name of the function at @die, or NULL. @language: of the unit, DW_LANG_*. Valid until
 * debug_names_deinit(), and as long as the file of @die.
 */
const char *debug_names_find(struct debug_names *names, Dwarf_Die *die, int language);
void debug_names_deinit(struct debug_names *names);

#endif
