/*
 * The files of a recording's modules as the evaluation of variables needs them: debug information
 * with locations, and the bytes that the program could not change. Each is opened when it is first
 * needed. One thread only.
 */
#ifndef COLLECTOR_VALUES_VALUE_MODULES_H
#define COLLECTOR_VALUES_VALUE_MODULES_H

#include "cct/code/symbol_table.h"
#include "cct/model/module.h"
#include "cct/object/elf_image.h"
#include "cct/object/module_file.h"
#include "report/dwarf/debug_call_sites.h"
#include "report/dwarf/debug_info.h"

struct value_module {
	struct module_file file, debug_file;
	struct elf_segments segments;
	struct debug_info *info;             /* NULL: none */
	struct debug_call_sites *call_sites; /* NULL: out of memory */
	struct symbol_table *data;           /* its variables; NULL: not read yet */
};

struct value_modules {
	const struct module_table *modules;
	struct value_module **opened; /* by id */
	uint32_t n_opened;
};

/* All borrowed. */
void value_modules_init(struct value_modules *modules, const struct module_table *table);
void value_modules_deinit(struct value_modules *modules);
/* NULL: no such module, or its file cannot be read. */
struct value_module *value_modules_get(struct value_modules *modules, uint32_t id);
/* The address in the file of what is mapped from an offset on, which is rounded down to a page. */
bool value_module_mapped(const struct value_module *module, uint64_t offset, bool is_exec,
			 uint64_t *vaddr_ret);
/* Copies bytes of a segment that the program cannot write to. false: there are none. */
bool value_module_read(const struct value_module *module, uint64_t vaddr, size_t size,
		       uint8_t *bytes_ret);
/* The variable that lies at an address, which is in the file. NULL: none. */
const struct symbol *value_module_data(struct value_module *module, uint64_t vaddr);

#endif
