/*
 * What DWARF says of a code address: the calls that were inlined there, and source lines. Reads
 * DWARF 2 to 5 by libdw; of gcc, clang, rustc, Go and others; compressed by zlib or zstd; with the
 * supplementary file that dwz made; split units in .dwo files or packages (.dwp).
 *
 * Nothing is read before it is asked for: one pass over the units' own ranges finds a unit by
 * binary search; a unit's functions are indexed when the first address in it comes up, its lines
 * when the first of them is wanted, what is inlined into a function when the first address in that
 * comes up.
 * The file may be hostile: depths and sizes are bounded, and what contradicts itself is left out.
 * Not thread-safe.
 */
#ifndef REPORT_DWARF_DEBUG_INFO_H
#define REPORT_DWARF_DEBUG_INFO_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Calls inlined into each other; compilers stop far below. */
#define DEBUG_INFO_MAX_INLINED 128

struct debug_info;
struct module;

/* A function that is active at an address. Strings live as long as the debug_info. */
struct debug_function {
	/* The linkage name; else the plain one, in C++, Rust and D with the namespaces and types
	 * that it stands in, as demangling would have it (report/dwarf/debug_names.h); NULL: none.
	 */
	const char *name;
	const char *decl_file; /* where it is declared; NULL: not known */
	uint32_t decl_line;
	const char *file; /* of the instruction, or of the inlined call in it; NULL: not known */
	uint32_t line;    /* 0: not known */
	const char *directory; /* that relative files are relative to; NULL: not known */
};

/*
 * @elf: the module's file, or its separate debug file; it stays the caller's, and open. @module:
 * borrowed; NULL: not known. @fd: what it is read from, which tells where the files are that it
 * names; -1: none that are beside it. NULL: there is no debug information in it, or no memory.
 */
struct debug_info *debug_info_open(Elf *elf, const struct module *module, int fd);
void debug_info_close(struct debug_info *info);
/*
 * The functions at @vaddr, innermost first: inlined ones, then the one that was compiled, whose
 * name may be NULL. Their number; 0: nothing is known. At most @max_functions: the outermost are
 * left out then.
 */
size_t debug_info_find(struct debug_info *info, uint64_t vaddr, struct debug_function *functions,
		       size_t max_functions);
/*
 * The same in less time: nothing but its place is said of the function that was compiled, and that
 * of the instruction only if @wants_line. Calls have their lines.
 */
size_t debug_info_find_calls(struct debug_info *info, uint64_t vaddr, bool wants_line,
			     struct debug_function *functions, size_t max_functions);

#endif
