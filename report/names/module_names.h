/*
 * Where the names of one module's code come from: those captured while recording, the symbols of
 * its file or of a separate debug file, debug information. All is opened when the first name is
 * asked for. Not thread-safe.
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

/* What a function's start is: the same number may mean different things. */
enum start_kind {
	START_OFFSET,   /* as in the frame: a file offset, or an address */
	START_CAPTURED, /* an offset in the captured symbol table */
	START_VADDR,    /* the ELF file's */
};

/* A code address, and the function it belongs to. */
struct code_location {
	uint64_t start;     /* of the function; or the address itself */
	uint64_t addr;      /* in the same terms: what is shown where there is no symbol */
	const char *symbol; /* as in the file; valid until module_names_close(). NULL: none */
	bool plt;           /* the PLT's entry for @symbol */
	enum start_kind start_kind;
	struct debug_info *debug; /* what knows more of it; NULL: nothing */
	struct go_names *go;      /* likewise, where @debug does not */
	uint64_t debug_vaddr;     /* where it is there */
};

/* All zero at first. */
struct module_names {
	bool is_opened;
	bool has_unnamed; /* a location without a symbol was found */
	struct module_file file;
	struct elf_symbols *elf; /* NULL: no file to read */
	/* A separate debug file, if there is one, and its symbols where the file is stripped. */
	struct module_file debug_file;
	struct elf_symbols *debug_elf;
	/* The file in .gnu_debugdata, where nothing else has symbols: they are in @debug_elf. */
	Elf *packed;
	uint8_t *packed_bytes;
	struct debug_info *debug; /* NULL: none */
	struct go_names *go; /* of a Go program that lacks symbols or debug information; or NULL */
	bool go_has_symbols; /* @go is for lines only */
	bool lacks_debug;    /* debug information was wanted, and there is none */
	/* Of kernel code: where to look, and what was found. */
	const struct kernel_debug_places *kernel_places; /* borrowed; set before the first name */
	struct kernel_debug *kernel_debug;               /* NULL: none */
	/* Of code made at run time: the jitdump, once its code is asked for. */
	const uint8_t *dump; /* NULL: none */
	size_t dump_size;
};

/* 0 or -ENOMEM. @reads_debug_info: at first call, whether names->debug is wanted. */
int module_names_locate(struct module_names *names, const struct module *module, uint64_t offset,
			bool reads_debug_info, struct code_location *location_ret);
/* The symbol that was captured while recording; NULL: none. *@offset moves to the function's start
 * where it is in the padding before. */
const struct symbol *module_names_captured(const struct module *module, uint64_t *offset);
/* The function at an address of the module's file, which has been read. */
bool module_names_symbol(const struct module_names *names, uint64_t vaddr,
			 struct elf_symbol_match *match_ret);
/* The offset of an address in the file or memory that the module's code is in. */
bool module_names_offset(const struct module_names *names, const struct module *module,
			 uint64_t vaddr, uint64_t *offset_ret);
void module_names_close(struct module_names *names);

#endif
