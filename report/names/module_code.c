#include "report/names/module_code.h"

#include <gelf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "cct/code/memory_code.h"
#include "report/code/elf_symbols.h"
#include "report/code/machine_code.h"
#include "report/names/kernel_debug.h"

static void code_in_elf(const struct module_names *names, uint64_t offset, struct module_code *code)
{
	struct elf_symbol_match match;

	if (!names->elf || !elf_symbols_vaddr(names->elf, offset, &code->vaddr))
		return;
	code->is_known = true;
	code->start = code->vaddr;
	code->end = UINT64_MAX;
	if (module_names_symbol(names, code->vaddr, &match)) {
		code->start = match.start;
		code->end = match.end;
	} else {
		elf_symbols_function_start(names->elf, code->vaddr, &code->start);
		elf_symbols_next_function(names->elf, code->vaddr, &code->end);
	}
	code->bytes = machine_code_bytes(names->file.elf, code->start, code->end, &code->n_bytes);
	code->machine = machine_code_arch(names->file.elf);
}

/* The end of the function of a captured symbol. */
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

/* Addresses are shown as recorded, because users know them from other tools. */
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
	code->bytes =
		machine_code_bytes(elf, vaddr, vaddr + (end - symbol->offset), &code->n_bytes);
	code->machine = machine_code_arch(elf);
}

static void map_dump(struct module_names *names, const struct module *module)
{
	struct stat status;

	if (names->dump || module->located.image_fd < 0 ||
	    fstat(module->located.image_fd, &status) || status.st_size <= 0)
		return;
	void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE,
			   module->located.image_fd, 0);
	if (bytes == MAP_FAILED)
		return;
	names->dump = bytes;
	names->dump_size = (size_t)status.st_size;
}

/* The machine according to the jitdump's header. */
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

/* The code of a symbol at @addr. */
static void code_in_memory(const struct module_names *names, const struct module *module,
			   const struct symbol *symbol, uint64_t addr, uint64_t offset,
			   struct module_code *code)
{
	uint64_t end = captured_end(module->symbols, symbol);
	const uint8_t *bytes;

	if (!names->memory_code || end <= symbol->offset)
		return;
	bytes = memory_code_find(names->memory_code, (int32_t)module->key.inode, addr,
				 end - symbol->offset, &code->n_bytes, &code->machine);
	if (!bytes)
		return;
	code->is_known = true;
	code->bytes = bytes;
	code->vaddr = addr + (offset - symbol->offset);
	code->start = addr;
	code->end = addr + (end - symbol->offset);
}

/* Code that a run-time system has described. */
static void code_described(const struct module_names *names, const struct module *module,
			   const struct symbol *symbol, uint64_t offset, struct module_code *code)
{
	uint64_t addr;

	if (symbol_table_find_addr(module->symbols, symbol, &addr))
		code_in_memory(names, module, symbol, addr, offset, code);
}

void module_code_find(struct module_names *names, const struct module *module, uint64_t offset,
		      struct module_code *code_ret)
{
	const struct symbol *symbol = module_names_captured(module, &offset);

	*code_ret = (struct module_code){ 0 };
	if (symbol && module->key.kind == MODULE_KERNEL) {
		code_in_kernel(names, module, symbol, offset, code_ret);
	} else if (symbol && module->symbols->addrs) {
		code_described(names, module, symbol, offset, code_ret);
	} else if (symbol && module->key.kind == MODULE_JIT) {
		code_in_dump(names, module, symbol, offset, code_ret);
	} else if (symbol && module->key.kind == MODULE_ANON) {
		code_in_memory(names, module, symbol, symbol->offset, offset, code_ret);
	} else {
		code_in_elf(names, offset, code_ret);
	}
}
