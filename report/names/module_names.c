#include "report/names/module_names.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "cct/object/elf_image.h"
#include "cct/object/packed_elf.h"
#include "report/code/disassembly.h"
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

/* The symbols of a separate debug file; else those that were packed into the file. */
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

/* Go's own table says in part what symbols and debug information do. */
static void open_go_names(struct module_names *names, bool is_named)
{
	names->go = go_names_open(names->file.elf);
	names->go_has_symbols = is_named;
	if (names->go && go_names_knows_inlined(names->go))
		names->lacks_debug = false;
}

/* What a separate debug file adds, where the file itself lacks it. */
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

static bool find_symbol(const struct module_names *names, uint64_t vaddr,
			struct elf_symbol_match *match)
{
	return (names->debug_elf && elf_symbols_find(names->debug_elf, vaddr, match)) ||
	       (names->go && !names->go_has_symbols &&
		go_names_function(names->go, vaddr, match)) ||
	       elf_symbols_find(names->elf, vaddr, match);
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
	if (!find_symbol(names, vaddr, &match)) {
		/* A debug file's symbols know of no FDEs: a function's code may go on behind them.
		 */
		if (!elf_symbols_function_start(names->elf, vaddr, &location->start) ||
		    !find_symbol(names, location->start, &match) || match.start != location->start)
			return;
	}
	location->start = match.start;
	location->symbol = match.name;
	location->plt = match.plt;
}

/*
 * No call ends in the padding before a function ("__pfx_function"): one below its end is the
 * function's first instruction, where it was interrupted.
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

/* The recorded names tell where the functions of its debug information are. */
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

int module_names_locate(struct module_names *names, const struct module *module, uint64_t offset,
			bool reads_debug_info, struct code_location *location_ret)
{
	const struct symbol *symbol =
		module->symbols ? symbol_table_find(module->symbols, offset) : NULL;

	*location_ret = (struct code_location){ .start = offset, .addr = offset };
	if (symbol && module->key.kind == MODULE_KERNEL) {
		symbol = skip_padding(module->symbols, symbol, &offset);
		location_ret->addr = offset;
	}
	if (symbol) {
		location_ret->start_kind = START_CAPTURED;
		location_ret->start = symbol->offset;
		location_ret->symbol = symbol->name;
		if (module->key.kind == MODULE_KERNEL && reads_debug_info && names->kernel_places)
			locate_in_kernel(names, module, symbol, offset, location_ret);
		return 0;
	}
	if (module->key.kind == MODULE_ELF || module->key.kind == MODULE_VDSO) {
		int err = open_module(names, module, reads_debug_info);

		if (err)
			return err;
		if (names->elf)
			locate_in_elf(names, offset, location_ret);
	}
	names->has_unnamed |= !location_ret->symbol;
	return 0;
}

static void code_in_elf(const struct module_names *names, uint64_t offset, struct module_code *code)
{
	struct elf_symbol_match match;

	if (!names->elf || !elf_symbols_vaddr(names->elf, offset, &code->vaddr))
		return;
	code->is_known = true;
	code->start = code->vaddr;
	code->end = UINT64_MAX;
	if (find_symbol(names, code->vaddr, &match)) {
		code->start = match.start;
		code->end = match.end;
	} else {
		elf_symbols_function_start(names->elf, code->vaddr, &code->start);
		elf_symbols_next_function(names->elf, code->vaddr, &code->end);
	}
	code->bytes = elf_code(names->file.elf, code->start, code->end, &code->n_bytes);
	code->machine = elf_code_machine(names->file.elf);
}

/* Where the function of a captured symbol ends. */
static uint64_t captured_end(const struct symbol_table *table, const struct symbol *symbol)
{
	const struct symbol *last = table->symbols + table->n_symbols;

	if (symbol->size)
		return symbol->offset + symbol->size;
	for (const struct symbol *next = symbol + 1; next < last; next++) {
		if (next->offset > symbol->offset)
			return next->offset;
	}
	return UINT64_MAX;
}

/* The addresses are those that were recorded, for they are known from elsewhere. */
static void code_in_kernel(const struct module_names *names, const struct module *module,
			   const struct symbol *symbol, uint64_t offset, struct module_code *code)
{
	uint64_t base = module->key.base, end = captured_end(module->symbols, symbol), vaddr;
	Elf *elf = names->kernel_debug ? kernel_debug_code(names->kernel_debug) : NULL;

	if (!elf || end == UINT64_MAX || end <= symbol->offset ||
	    !kernel_debug_vaddr(names->kernel_debug, symbol, symbol->offset, &vaddr))
		return;
	code->is_known = true;
	code->vaddr = base + offset;
	code->start = base + symbol->offset;
	code->end = base + end;
	code->bytes = elf_code(elf, vaddr, vaddr + (end - symbol->offset), &code->n_bytes);
	code->machine = elf_code_machine(elf);
}

static void map_dump(struct module_names *names, const struct module *module)
{
	struct stat status;

	if (names->dump || module->image_fd < 0 || fstat(module->image_fd, &status) ||
	    status.st_size <= 0)
		return;
	void *bytes =
		mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, module->image_fd, 0);
	if (bytes == MAP_FAILED)
		return;
	names->dump = bytes;
	names->dump_size = (size_t)status.st_size;
}

/* As the head of a jitdump says. */
static uint16_t dump_machine(const struct module_names *names)
{
	uint32_t machine;

	if (names->dump_size < 16)
		return EM_NONE;
	memcpy(&machine, names->dump + 12, sizeof(machine));
	return machine == EM_X86_64 || machine == EM_386 || machine == EM_AARCH64
		       ? (uint16_t)machine
		       : EM_NONE;
}

static void code_in_dump(struct module_names *names, const struct module *module,
			 const struct symbol *symbol, uint64_t offset, struct module_code *code)
{
	uint64_t end = captured_end(module->symbols, symbol);

	map_dump(names, module);
	if (!names->dump || symbol->offset >= names->dump_size || end <= symbol->offset)
		return;
	code->is_known = true;
	code->vaddr = offset;
	code->start = symbol->offset;
	code->end = end < names->dump_size ? end : names->dump_size;
	code->bytes = names->dump + code->start;
	code->n_bytes = (size_t)(code->end - code->start);
	code->machine = dump_machine(names);
}

void module_names_code(struct module_names *names, const struct module *module, uint64_t offset,
		       struct module_code *code_ret)
{
	const struct symbol *symbol =
		module->symbols ? symbol_table_find(module->symbols, offset) : NULL;

	*code_ret = (struct module_code){ 0 };
	if (symbol && module->key.kind == MODULE_KERNEL) {
		symbol = skip_padding(module->symbols, symbol, &offset);
		code_in_kernel(names, module, symbol, offset, code_ret);
	} else if (symbol && module->key.kind == MODULE_JIT) {
		code_in_dump(names, module, symbol, offset, code_ret);
	} else {
		code_in_elf(names, offset, code_ret);
	}
}

bool module_names_offset(const struct module_names *names, const struct module *module,
			 uint64_t vaddr, uint64_t *offset_ret)
{
	if (module->key.kind != MODULE_KERNEL && module->key.kind != MODULE_JIT)
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

const char *module_names_problem(const struct module_names *names, const struct module *module)
{
	if (module->key.kind == MODULE_KERNEL && names->kernel_places &&
	    names->kernel_places->no_names)
		return names->kernel_places->no_names;
	if (module->key.kind == MODULE_KERNEL)
		return module->symbols ? "no name for some addresses"
				       : "kernel names were not recorded";
	if (module->key.kind == MODULE_ANON)
		return "code in memory, of no file; no perf-PID.map or jitdump names it";
	if (module->key.kind == MODULE_JIT)
		return module->symbols ? "code that the jitdump does not name"
				       : "the jitdump is not to be had";
	if (names->go && !names->go_has_symbols)
		return "stripped: only its Go functions have names";
	if (names->elf && elf_symbols_any(names->elf))
		return "stripped: only its exported functions have names";
	return "stripped: no symbols";
}
