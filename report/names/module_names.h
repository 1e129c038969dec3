/*
 * The sources of names for one module's code: symbols captured while recording, the symbols of its
 * file or of a separate debug file, and debug information. They are opened when the first name is
 * requested. Not thread-safe.
 */
#ifndef REPORT_NAMES_MODULE_NAMES_H
#define REPORT_NAMES_MODULE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/model/module.h"
#include "cct/object/module_file.h"

struct debug_info;
struct elf_symbol_match;
struct elf_symbols;
struct go_names;
struct kernel_debug;
struct kernel_debug_places;
struct memory_code;
struct stored_code;
struct stored_names;

/*
 * What the start of a function is relative to. Starts are only comparable if their kinds are equal.
 */
enum start_kind {
	START_OFFSET,   /* a file offset or an address, as in the frame */
	START_CAPTURED, /* an offset as in the captured symbol table */
	START_VADDR,    /* a virtual address of the ELF file */
};

/* A code address and the function that contains it. */
struct code_location {
	uint64_t start;     /* start of the function; the address itself if not known */
	uint64_t addr;      /* the address in the same terms, shown if there is no symbol */
	const char *symbol; /* as in the file; valid until module_names_close(); NULL: no symbol */
	bool plt;           /* the function is the PLT entry for @symbol */
	enum start_kind start_kind;
	struct debug_info *debug; /* debug information for the address; NULL: none */
	struct go_names *go;      /* Go's tables for the address if @debug is NULL; NULL: none */
	uint64_t debug_vaddr;     /* the address in @debug or @go */
	const struct stored_code *stored; /* what a stored profile knows of it; NULL: nothing */
};

/* All zero before the first call. */
struct module_names {
	bool is_opened;
	bool has_unnamed; /* a location without a symbol was found */
	struct module_file file;
	struct elf_symbols *elf; /* NULL: there is no file to read */
	/*
	 * A separate debug file, if there is one, and its symbols if the module's file is stripped.
	 */
	struct module_file debug_file;
	struct elf_symbols *debug_elf;
	/*
	 * The ELF file in .gnu_debugdata, if nothing else has symbols. Its symbols are in
	 * @debug_elf.
	 */
	Elf *packed;
	uint8_t *packed_bytes;
	struct debug_info *debug; /* NULL: none */
	struct go_names
		*go; /* tables of a Go program that lacks symbols or debug information; or NULL */
	bool go_has_symbols; /* @go is used for lines only */
	bool lacks_debug;    /* debug information was requested, but not found */
	/* Kernel code only: where to search for debug information, and the result. */
	const struct kernel_debug_places *kernel_places; /* borrowed; set before the first name */
	struct kernel_debug *kernel_debug;               /* NULL: none */
	const struct memory_code *memory_code; /* borrowed; code of modules without a file */
	/* Of a stored profile, borrowed: all names come from it, and no file is opened. NULL: files
	 * are read. */
	const struct stored_names *stored;
	bool wants_debug_info; /* only with @stored: a name was requested, with debug information */
	bool is_named;         /* only with @stored: a name was requested */
	/* JIT code only: the mapped jitdump, from the first request for code. */
	const uint8_t *dump; /* NULL: none */
	size_t dump_size;
};

/*
 * Finds the function at an offset. @reads_debug_info: whether to open names->debug; only the first
 * call decides. 0 or -ENOMEM.
 */
int module_names_locate(struct module_names *names, const struct module *module, uint64_t offset,
			bool reads_debug_info, struct code_location *location_ret);
/*
 * The symbol at *@offset that was captured while recording; NULL: none. If *@offset is in the
 * padding before a function, it moves to the function's start.
 */
const struct symbol *module_names_captured(const struct module *module, uint64_t *offset);
/* Finds the function at an address of the module's file, which must be open. */
bool module_names_symbol(const struct module_names *names, uint64_t vaddr,
			 struct elf_symbol_match *match_ret);
/*
 * Translates an address to an offset, as frames have it, in the file or memory with the module's
 * code. @near: the offset of a frame; of code that a run-time system has described, only addresses
 * in the same function are translated.
 */
bool module_names_offset(const struct module_names *names, const struct module *module,
			 uint64_t near, uint64_t vaddr, uint64_t *offset_ret);
void module_names_close(struct module_names *names);

#endif
