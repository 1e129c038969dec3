#include "collector/paths/runtime_layer.h"

#include <errno.h>

static_assert(RUNTIME_NEVER_COMPLETE == RUNTIME_CODE_NEVER_COMPLETE, "they are passed on");

#define ALIGNMENT   16
#define SYMBOLS_MAX (1u << 20)

static enum runtime_frame frame_of(uint32_t kind)
{
	switch ((enum runtime_code_kind)kind) {
	case RUNTIME_COMPILED:
		return RUNTIME_FRAME_SIZED;
	case RUNTIME_INTERPRETER:
		return RUNTIME_FRAME_INTERPRETED;
	case RUNTIME_STUB:
		return RUNTIME_FRAME_STUB;
	case RUNTIME_METHOD:
	case RUNTIME_INLINED:
		break;
	}
	return RUNTIME_FRAME_METHOD;
}

/* The module of a process's code, with a table of symbols. NULL: out of memory. */
static struct module *find_module(struct module_table *modules, int32_t pid)
{
	const struct module_key key = {
		.kind = MODULE_JIT,
		.path = "[java]",
		.inode = (uint32_t)pid,
	};
	struct module *module = module_table_get(modules, module_table_add(modules, &key));

	if (module && !module->symbols)
		module->symbols = symbol_table_create();
	return module && module->symbols ? module : NULL;
}

/* Symbols are sorted, because each begins after the one before. */
static int add_symbol(struct symbol_table *symbols, const struct runtime_record *record,
		      uint64_t *offset_ret)
{
	const size_t n = symbols->n_symbols;
	const struct symbol *last = n ? &symbols->symbols[n - 1] : NULL;
	const uint64_t end = last ? last->offset + last->size : 0;

	if (n >= SYMBOLS_MAX)
		return -EINVAL;
	*offset_ret = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return symbol_table_add_at(symbols, *offset_ret, record->header.size, record->name,
				   record->header.name_size, record->header.start);
}

static int add_inlined(const struct module_table *modules, const struct runtime_record *record,
		       const struct runtime_codes *codes)
{
	const struct runtime_record_header *header = &record->header;
	const struct runtime_code *code = runtime_codes_find(codes, header->start);

	if (!code || code->frame != RUNTIME_FRAME_SIZED || header->size > code->end - header->start)
		return -EINVAL;
	struct module *module = module_table_get(modules, codes->module);
	if (!module->inlines)
		module->inlines = inline_table_create();
	if (!module->inlines)
		return -ENOMEM;
	return inline_table_add(module->inlines, code->offset + (header->start - code->start),
				header->size, record->name, header->name_size);
}

int runtime_layer_add(struct module_table *modules, const struct runtime_record *record,
		      struct runtime_codes **codes)
{
	const struct runtime_record_header *header = &record->header;
	if (header->kind == RUNTIME_INLINED)
		return add_inlined(modules, record, *codes);
	struct module *module = find_module(modules, header->pid);
	struct runtime_code code = {
		.start = header->start,
		.end = header->start + header->size,
		.frame_size = header->frame_size,
		.complete = header->complete,
		.frame = frame_of(header->kind),
	};

	if (!module)
		return -ENOMEM;
	if (!*codes)
		*codes = runtime_codes_create(module->id);
	if (!*codes)
		return -ENOMEM;
	int err = add_symbol(module->symbols, record, &code.offset);
	return err ? err : runtime_codes_add(codes, &code);
}
