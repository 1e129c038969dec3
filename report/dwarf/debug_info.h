/*
 * The functions inlined at a code address, and source lines, from DWARF debug information. Reads
 * DWARF 2 to 5 through libdw: of gcc, clang, rustc, Go and others; compressed by zlib or zstd; with
 * the supplementary file that dwz made; split units in .dwo files or packages (.dwp).
 *
 * All data is read on demand. One pass over the address ranges of the units lets a binary search
 * find the unit of an address. A unit's functions are indexed at the first address in the unit, its
 * lines when the first of them is requested, and the functions inlined into a function at the first
 * address in that function. The file may be hostile: depths and sizes are bounded, and
 * contradictory data is skipped. Not thread-safe.
 */
#ifndef REPORT_DWARF_DEBUG_INFO_H
#define REPORT_DWARF_DEBUG_INFO_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How deeply inlined calls may be nested; compilers nest far less. */
#define DEBUG_INFO_MAX_INLINED 128

struct debug_info;
struct module;

/* A function that is active at an address. Strings live as long as the debug_info. */
struct debug_function {
	/*
	 * The linkage name. If there is none, the plain name, which in C++, Rust and D is qualified
	 * with the surrounding namespaces and types as in a demangled name
	 * (report/dwarf/debug_names.h). NULL: no name.
	 */
	const char *name;
	const char *decl_file; /* of its declaration; NULL: not known */
	uint32_t decl_line;
	const char *file; /* of the instruction, or of the inlined call in it; NULL: not known */
	uint32_t line;    /* 0: not known */
	const char *directory; /* the folder of relative files; NULL: not known */
	/* Of debug_info_find_discriminated(): tells apart the blocks of the line; 0: the first. */
	uint32_t discriminator;
};

/*
 * Opens the debug information of a file. @elf: the module's file, or its separate debug file;
 * borrowed, and must stay open. @module: borrowed; NULL: not known. @fd: the file of @elf, which
 * gives the folder of the files that it names; -1: do not search for such files. NULL: no debug
 * information, or out of memory.
 */
struct debug_info *debug_info_open(Elf *elf, const struct module *module, int fd);
/* Likewise, and knows where variables are: that takes more time and memory. */
struct debug_info *debug_info_open_with_locations(Elf *elf, const struct module *module, int fd);
void debug_info_close(struct debug_info *info);
/*
 * Finds the functions at @vaddr, innermost first: the inlined ones, then the compiled one, whose
 * name may be NULL. Returns their number; 0: nothing is known. If there are more than
 * @max_functions, the outermost are left out.
 */
size_t debug_info_find(struct debug_info *info, uint64_t vaddr, struct debug_function *functions,
		       size_t max_functions);
/*
 * Likewise, with discriminators: of the instruction, and of the inlined calls. *@is_of_llvm_ret:
 * the unit was not compiled by gcc, whose discriminators are plain numbers.
 */
size_t debug_info_find_discriminated(struct debug_info *info, uint64_t vaddr,
				     struct debug_function *functions, size_t max_functions,
				     bool *is_of_llvm_ret);
/*
 * Like debug_info_find(), but faster: the compiled function gets no name and no declaration, and
 * the line of the instruction is only looked up if @wants_line. Inlined calls have their lines.
 */
size_t debug_info_find_calls(struct debug_info *info, uint64_t vaddr, bool wants_line,
			     struct debug_function *functions, size_t max_functions);
/*
 * The DIEs of the functions at @vaddr, in the order of debug_info_find(): of inlined calls
 * (DW_TAG_inlined_subroutine), and at last of the compiled function (DW_TAG_subprogram). Returns
 * their number; 0: no function is known. If there are more than @max_dies, the outermost are left
 * out. They are valid until debug_info_close().
 */
size_t debug_info_find_dies(struct debug_info *info, uint64_t vaddr, Dwarf_Die *dies,
			    size_t max_dies);

#endif
