/*
 * Names of functions in debug information: the linkage name where there is one, which is what
 * symbols are called, too. Compilers leave it out for functions that are only ever inlined; in
 * languages with namespaces these get the name that demangling the linkage name would give, made of
 * what the function's declaration stands in: std::sort<...>, not sort<...>.
 * Not thread-safe.
 */
#ifndef REPORT_DWARF_DEBUG_NAMES_H
#define REPORT_DWARF_DEBUG_NAMES_H

#include <elfutils/libdw.h>
#include <stdint.h>

struct debug_names {
	void *units;  /* trees, of tsearch() */
	void *joined; /* names that are in no file */
	/* Bytes that may still be read, set by the owner; then names are plain. */
	uint64_t budget;
};

/*
 * The name of the function at @die, or NULL. @language: of the unit, DW_LANG_*. Valid until
 * debug_names_deinit(), and as long as the file it is from.
 */
const char *debug_names_find(struct debug_names *names, Dwarf_Die *die, int language);
void debug_names_deinit(struct debug_names *names);

#endif
