#include "report/names/module_names.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cct/model/stored_names.h"
#include "cct/object/elf_image.h"
#include "cct/object/packed_elf.h"
#include "report/code/elf_symbols.h"
#include "report/dwarf/debug_info.h"
#include "report/names/go_names.h"
#include "report/names/kernel_debug.h"

static bool has_symbols(Elf *elf)
{
	struct elf_section section;

	return elf_find_section_type(elf, SHT_SYMTAB, &section);
}

static bool has_debug_info(Elf *elf)
{
	struct elf_section section;

	return elf_find_section(elf, ".debug_info", &section) ||
	       elf_find_section(elf, ".zdebug_info", &section);
}

/* Opens the symbols of a separate debug file, or else those packed into the file itself. */
static int open_symbols(struct module_names *names)
{
	Elf *separate = names->debug_file.elf;
	bool is_in_separate = separate && has_symbols(separate);

	if (!is_in_separate)
		names->packed = packed_elf_open(names->file.elf, &names->packed_bytes);
	if (!is_in_separate && !names->packed)
		return 0;
	return elf_symbols_create(is_in_separate ? separate : names->packed, &names->debug_elf);
}

/*
 * Opens the table of a Go program, which replaces a part of missing symbols and debug information.
 */
static void open_go_names(struct module_names *names, bool is_named)
{
	names->go = go_names_open(names->file.elf);
	names->go_has_symbols = is_named;
	if (names->go && go_names_knows_inlined(names->go))
		names->lacks_debug = false;
}

/* Opens a separate debug file for symbols or debug information that the file itself lacks. */
static int open_debug_file(struct module_names *names, const struct module *module,
			   bool reads_debug_info)
{
	Elf *elf = names->file.elf;
	bool needs_symbols = !has_symbols(elf);
	bool needs_debug = reads_debug_info && !has_debug_info(elf);
	int err = 0;

	if (needs_symbols || needs_debug)
		module_file_open_debug(module, elf, &names->debug_file);
	if (names->debug_file.state != MODULE_FILE_OK)
		names->debug_file = (struct module_file){ .state = MODULE_FILE_NONE, .fd = -1 };
	if (needs_symbols)
		err = open_symbols(names);
	if (!err && reads_debug_info)
		names->debug = needs_debug && names->debug_file.elf
				       ? debug_info_open(names->debug_file.elf, module,
							 names->debug_file.fd)
				       : debug_info_open(elf, module, names->file.fd);
	names->lacks_debug = needs_debug && module->key.kind == MODULE_ELF &&
			     !(names->debug_file.elf && has_debug_info(names->debug_file.elf));
	if (names->lacks_debug || (needs_symbols && !names->debug_elf))
		open_go_names(names, !needs_symbols || names->debug_elf);
	return err;
}

static int open_module(struct module_names *names, const struct module *module,
		       bool reads_debug_info)
{
	if (names->is_opened)
		return 0;
	module_file_open(module, &names->file);
	names->debug_file = (struct module_file){ .state = MODULE_FILE_NONE, .fd = -1 };
	names->is_opened = true;
	if (names->file.state != MODULE_FILE_OK)
		return 0;
	int err = elf_symbols_create(names->file.elf, &names->elf);
	return err ? err : open_debug_file(names, module, reads_debug_info);
}

bool module_names_symbol(const struct module_names *names, uint64_t vaddr,
			 struct elf_symbol_match *match_ret)
{
	return (names->debug_elf && elf_symbols_find(names->debug_elf, vaddr, match_ret)) ||
	       (names->go && !names->go_has_symbols &&
		go_names_function(names->go, vaddr, match_ret)) ||
	       elf_symbols_find(names->elf, vaddr, match_ret);
}

static void locate_in_elf(const struct module_names *names, uint64_t offset,
			  struct code_location *location)
{
	struct elf_symbol_match match;
	uint64_t vaddr;

	if (!elf_symbols_vaddr(names->elf, offset, &vaddr))
		return;
	location->start_kind = START_VADDR;
	location->start = location->addr = location->debug_vaddr = vaddr;
	location->debug = names->debug;
	location->go = names->go;
	if (!module_names_symbol(names, vaddr, &match)) {
		/*
		 * The symbols of a debug file come without FDEs, so a function's code may continue
		 * after the end of its symbol.
		 */
		if (!elf_symbols_function_start(names->elf, vaddr, &location->start) ||
		    !module_names_symbol(names, location->start, &match) ||
		    match.start != location->start)
			return;
	}
	location->start = match.start;
	location->symbol = match.name;
	location->plt = match.plt;
}

/*
 * The padding before a function ("__pfx_function") contains no calls. So a lookup address on its
 * last byte is one below a function's first instruction, which was interrupted.
 */
static const struct symbol *skip_padding(const struct symbol_table *table,
					 const struct symbol *symbol, uint64_t *offset)
{
	const struct symbol *next = strncmp(symbol->name, "__pfx_", strlen("__pfx_")) == 0
					    ? symbol_table_find(table, *offset + 1)
					    : symbol;

	if (!next || next == symbol || next->offset != *offset + 1)
		return symbol;
	++*offset;
	return next;
}

const struct symbol *module_names_captured(const struct module *module, uint64_t *offset)
{
	const struct symbol *symbol =
		module->symbols ? symbol_table_find(module->symbols, *offset) : NULL;

	return symbol && module->key.kind == MODULE_KERNEL
		       ? skip_padding(module->symbols, symbol, offset)
		       : symbol;
}

/*
 * Finds the debug information of kernel code; recorded symbols give the distance to its addresses.
 */
static void locate_in_kernel(struct module_names *names, const struct module *module,
			     const struct symbol *symbol, uint64_t offset,
			     struct code_location *location)
{
	if (!names->is_opened) {
		names->is_opened = true;
		names->file = (struct module_file){ .state = MODULE_FILE_NONE, .fd = -1 };
		names->debug_file = names->file;
		names->kernel_debug = kernel_debug_open(module, names->kernel_places);
	}
	if (names->kernel_debug &&
	    kernel_debug_vaddr(names->kernel_debug, symbol, offset, &location->debug_vaddr))
		location->debug = kernel_debug_info(names->kernel_debug);
}

/* The file's own names come first: simpleperf records only the names of functions with samples. */
static int locate_in_file(struct module_names *names, const struct module *module, uint64_t offset,
			  bool reads_debug_info, struct code_location *location)
{
	if (module->key.kind != MODULE_ELF && module->key.kind != MODULE_VDSO)
		return 0;
	int err = open_module(names, module, reads_debug_info);
	if (!err && names->elf)
		locate_in_elf(names, offset, location);
	return err;
}

static void locate_in_stored(struct module_names *names, const struct module *module,
			     uint64_t offset, bool reads_debug_info, struct code_location *location)
{
	const struct stored_code *code = stored_names_find(names->stored, module->id, offset);

	if (!names->is_named)
		names->wants_debug_info = reads_debug_info;
	names->is_named = true;
	if (code) {
		location->start = code->start;
		location->addr = code->addr;
		location->symbol = stored_names_text(names->stored, code->symbol);
		location->plt = code->flags & STORED_PLT;
		location->start_kind = (enum start_kind)code->start_kind;
		location->stored = code;
	}
	names->has_unnamed |= !location->symbol;
}

int module_names_locate(struct module_names *names, const struct module *module, uint64_t offset,
			bool reads_debug_info, struct code_location *location_ret)
{
	*location_ret = (struct code_location){ .start = offset, .addr = offset };
	if (names->stored) {
		locate_in_stored(names, module, offset, reads_debug_info, location_ret);
		return 0;
	}
	int err = locate_in_file(names, module, offset, reads_debug_info, location_ret);
	if (err || location_ret->symbol)
		return err;
	const struct symbol *symbol = module_names_captured(module, &offset);
	names->has_unnamed |= !symbol;
	if (!symbol)
		return 0;
	location_ret->start_kind = START_CAPTURED;
	location_ret->start = symbol->offset;
	location_ret->addr = offset;
	location_ret->symbol = symbol->name;
	if (module->key.kind == MODULE_KERNEL && reads_debug_info && names->kernel_places)
		locate_in_kernel(names, module, symbol, offset, location_ret);
	return 0;
}

/* The offset in the function at @near whose code was at @vaddr. */
static bool offset_described(const struct symbol_table *symbols, uint64_t near, uint64_t vaddr,
			     uint64_t *offset_ret)
{
	const struct symbol *symbol = symbol_table_find(symbols, near);
	uint64_t addr;

	if (!symbol || !symbol_table_find_addr(symbols, symbol, &addr) ||
	    vaddr - addr >= symbol->size)
		return false;
	*offset_ret = symbol->offset + (vaddr - addr);
	return true;
}

bool module_names_offset(const struct module_names *names, const struct module *module,
			 uint64_t near, uint64_t vaddr, uint64_t *offset_ret)
{
	if (module->symbols && module->symbols->addrs)
		return offset_described(module->symbols, near, vaddr, offset_ret);
	if (module->key.kind == MODULE_ELF || module->key.kind == MODULE_VDSO)
		return names->elf && elf_symbols_offset(names->elf, vaddr, offset_ret);
	*offset_ret = vaddr - module->key.base;
	return vaddr >= module->key.base;
}

void module_names_close(struct module_names *names)
{
	if (names->dump)
		munmap((void *)names->dump, names->dump_size);
	if (!names->is_opened)
		return;
	kernel_debug_close(names->kernel_debug);
	debug_info_close(names->debug);
	go_names_close(names->go);
	elf_symbols_destroy(names->debug_elf);
	elf_symbols_destroy(names->elf);
	elf_end(names->packed);
	free(names->packed_bytes);
	module_file_close(&names->debug_file);
	module_file_close(&names->file);
}
