#include "kernel-merge/io_wait.h"

#include <string.h>

static const char *const names[] = { "io_schedule", "io_schedule_timeout", "mutex_lock_io",
				     "mutex_lock_io_nested" };

static bool is_io_wait(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static uint64_t symbol_end(const struct symbol_table *table, size_t i)
{
	const struct symbol *symbol = &table->symbols[i];

	if (symbol->size)
		return symbol->offset + symbol->size;
	while (i < table->n_symbols && table->symbols[i].offset == symbol->offset)
		i++;
	return i < table->n_symbols ? table->symbols[i].offset : UINT64_MAX;
}

static void add_functions(struct io_wait *io_wait, const struct module *module)
{
	const struct symbol_table *table = module->symbols;

	for (size_t i = 0; i < table->n_symbols && io_wait->n_functions < IO_WAIT_MAX; i++) {
		if (!is_io_wait(table->symbols[i].name))
			continue;
		size_t n = io_wait->n_functions++;
		io_wait->functions[n].module = module->id;
		io_wait->functions[n].start = table->symbols[i].offset;
		io_wait->functions[n].end = symbol_end(table, i);
	}
}

void io_wait_find(const struct module_table *modules, struct io_wait *ret)
{
	ret->n_functions = 0;
	for (uint32_t id = 1; id < modules->n_modules; id++) {
		const struct module *module = module_table_get(modules, id);

		if (module->key.kind == MODULE_KERNEL && module->symbols)
			add_functions(ret, module);
	}
}

bool io_wait_has(const struct io_wait *io_wait, const struct frame *frames, size_t n_frames)
{
	for (size_t i = 0; i < n_frames; i++) {
		for (size_t j = 0; j < io_wait->n_functions; j++) {
			if (frames[i].module == io_wait->functions[j].module &&
			    frames[i].offset >= io_wait->functions[j].start &&
			    frames[i].offset < io_wait->functions[j].end)
				return true;
		}
	}
	return false;
}
