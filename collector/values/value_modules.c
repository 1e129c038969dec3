#include "collector/values/value_modules.h"

#include <stdlib.h>
#include <string.h>

#include "collector/values/data_symbols.h"

#define LARGEST_PAGE 65536

void value_modules_init(struct value_modules *modules, const struct module_table *table)
{
	*modules = (struct value_modules){ .modules = table };
}

static void close_module(struct value_module *module)
{
	if (!module)
		return;
	symbol_table_destroy(module->data);
	debug_call_sites_destroy(module->call_sites);
	debug_info_close(module->info);
	elf_segments_deinit(&module->segments);
	module_file_close(&module->debug_file);
	module_file_close(&module->file);
	free(module);
}

void value_modules_deinit(struct value_modules *modules)
{
	for (uint32_t i = 0; i < modules->n_opened; i++)
		close_module(modules->opened[i]);
	free(modules->opened);
}

static bool has_debug_info(Elf *elf)
{
	struct elf_section section;

	return elf_find_section(elf, ".debug_info", &section) ||
	       elf_find_section(elf, ".zdebug_info", &section);
}

static void open_module(struct value_module *opened, const struct module *module)
{
	opened->debug_file = (struct module_file){ .state = MODULE_FILE_NONE, .fd = -1 };
	module_file_open(module, &opened->file);
	if (opened->file.state != MODULE_FILE_OK)
		return;
	if (elf_segments_init(&opened->segments, opened->file.elf))
		return;
	if (!has_debug_info(opened->file.elf))
		module_file_open_debug(module, opened->file.elf, &opened->debug_file);
	const bool is_separate = opened->debug_file.state == MODULE_FILE_OK;
	const struct module_file *file = is_separate ? &opened->debug_file : &opened->file;
	opened->info = debug_info_open_with_locations(file->elf, module, file->fd);
	opened->call_sites = debug_call_sites_create();
}

struct value_module *value_modules_get(struct value_modules *modules, uint32_t id)
{
	const struct module *module = module_table_get(modules->modules, id);

	if (!module || (module->key.kind != MODULE_ELF && module->key.kind != MODULE_VDSO))
		return NULL;
	if (id >= modules->n_opened) {
		struct value_module **larger =
			reallocarray(modules->opened, id + 1ul, sizeof(struct value_module *));

		if (!larger)
			return NULL;
		memset(larger + modules->n_opened, 0,
		       (id + 1ul - modules->n_opened) * sizeof(struct value_module *));
		modules->opened = larger;
		modules->n_opened = id + 1;
	}
	if (!modules->opened[id]) {
		modules->opened[id] = calloc(1, sizeof(struct value_module));
		if (modules->opened[id])
			open_module(modules->opened[id], module);
	}
	struct value_module *opened = modules->opened[id];
	return opened && opened->file.state == MODULE_FILE_OK ? opened : NULL;
}

bool value_module_mapped(const struct value_module *module, uint64_t offset, bool is_exec,
			 uint64_t *vaddr_ret)
{
	GElf_Phdr header;
	size_t index = 0;

	/* The page may hold the end of the segment before, which has other addresses. */
	while (elf_next_segment(module->file.elf, &index, &header)) {
		const bool has_code = header.p_flags & PF_X;

		if (header.p_type != PT_LOAD || has_code != is_exec ||
		    offset + LARGEST_PAGE <= header.p_offset ||
		    (offset > header.p_offset && offset - header.p_offset >= header.p_filesz))
			continue;
		*vaddr_ret = header.p_vaddr - header.p_offset + offset;
		return true;
	}
	return false;
}

bool value_module_read(const struct value_module *module, uint64_t vaddr, size_t size,
		       uint8_t *bytes_ret)
{
	GElf_Phdr header;
	size_t index = 0;

	while (elf_next_segment(module->file.elf, &index, &header)) {
		const uint64_t at = vaddr - header.p_vaddr;

		if (header.p_type != PT_LOAD || header.p_flags & PF_W || at >= header.p_filesz ||
		    header.p_filesz - at < size)
			continue;
		const uint8_t *bytes = elf_file_bytes(module->file.elf, header.p_offset + at, size);
		if (bytes)
			memcpy(bytes_ret, bytes, size);
		return bytes;
	}
	return false;
}

const struct symbol *value_module_data(struct value_module *module, uint64_t vaddr)
{
	Elf *debug_elf = module->debug_file.state == MODULE_FILE_OK ? module->debug_file.elf : NULL;

	if (!module->data)
		module->data = data_symbols_read(module->file.elf, debug_elf);
	return module->data ? symbol_table_find(module->data, vaddr) : NULL;
}
