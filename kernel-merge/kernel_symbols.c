/*
 * Mappings and KSYMBOL records change layouts, which give frames; symbols go to the tables of their
 * modules.
 */
#include "kernel-merge/kernel_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/hash.h"
#include "cct/base/hash_table.h"
#include "cct/system/huge_pages.h"
#include "kernel-merge/kallsyms_text.h"

#define KERNEL_NAME  "[kernel.kallsyms]"
#define DYNAMIC_NAME "[kernel]" /* as the report calls all kernel code */
#define OOL_NAME     "[kernel.ool]"
#define BPF_NAME     "[bpf]"

/*
 * Keeps a gap between symbols of code that is loaded and unloaded, because a lookup address may be
 * one below a symbol.
 */
#define CODE_ALIGNMENT 16

/* Modules begin and end with pages, and are far smaller than this. */
#define TAKEN_STEP     4096
#define TAKEN_MAX_SIZE (1u << 28)

/* The module of BPF programs, or that of other code that is loaded and unloaded. */
struct code_module {
	uint32_t module;      /* 0: none so far */
	uint64_t next_offset; /* offset of the next new symbol */
};

/* A symbol of a code module. All code with this name and size is one symbol. */
struct known_code {
	uint64_t offset;
	uint32_t hash;
	uint32_t module;
	uint32_t len;
	const char *name; /* NULL: the slot is free */
};

struct kernel_symbols_names {
	char *text;                   /* that the names are in; NULL: given away */
	struct symbol_table **tables; /* by module; NULL: it has no names, or has them itself */
	uint32_t n_modules;
};

struct kernel_symbols {
	struct module_table *modules;
	struct kernel_layouts *layouts;
	const struct kernel_layout *mapped; /* only mappings, before the first sample */
	const struct kernel_layout *first;  /* mappings and code, before the first sample */
	struct kernel_range *ranges;        /* until the mappings are finished */
	size_t n_ranges, n_ranges_allocated;
	struct kernel_symbols_code *pending; /* the same; names owned */
	size_t n_pending, n_pending_allocated;
	bool is_finished, is_full;
	bool has_first_code;      /* KSYMBOL records described code loaded before the recording */
	uint32_t n_first_modules; /* of @first and those before it */
	uint64_t n_dropped;
	uint32_t dynamic_module;
	struct code_module bpf, ool;
	uint64_t entry_start, entry_end;
	struct hash_table known_codes;
};

struct kernel_symbols *kernel_symbols_create(struct module_table *modules)
{
	struct kernel_symbols *kernel = calloc(1, sizeof(*kernel));
	struct module_key key = { .kind = MODULE_KERNEL, .path = DYNAMIC_NAME };

	if (!kernel)
		return NULL;
	kernel->modules = modules;
	kernel->dynamic_module = module_table_add(modules, &key);
	kernel->layouts = kernel_layouts_create();
	if (!kernel->dynamic_module || !kernel->layouts) {
		kernel_symbols_destroy(kernel);
		return NULL;
	}
	return kernel;
}

static void free_pending(struct kernel_symbols *kernel)
{
	for (size_t i = 0; i < kernel->n_pending; i++)
		free((char *)kernel->pending[i].name);
	free(kernel->pending);
	kernel->pending = NULL;
	kernel->n_pending = kernel->n_pending_allocated = 0;
}

void kernel_symbols_destroy(struct kernel_symbols *kernel)
{
	if (!kernel)
		return;
	free_pending(kernel);
	kernel_layouts_destroy(kernel->layouts);
	free(kernel->ranges);
	hash_table_deinit(&kernel->known_codes);
	free(kernel);
}

uint64_t kernel_symbols_n_dropped(const struct kernel_symbols *kernel)
{
	return kernel->n_dropped;
}

/* Changes the layout, or gives up on changes for good, because outdated names must not stay. */
static int change(struct kernel_symbols *kernel, const struct kernel_range *range, bool is_gone)
{
	int err = 0;

	if (kernel->is_full) {
		kernel->n_dropped++;
		return 0;
	}
	err = is_gone ? kernel_layouts_remove(kernel->layouts, range->start, range->end)
		      : kernel_layouts_put(kernel->layouts, range);
	if (err == -E2BIG) {
		kernel->is_full = true;
		kernel->n_dropped++;
		kernel_layouts_return_to(kernel->layouts, kernel->mapped);
		return 0;
	}
	return err;
}

static int add_range(struct kernel_symbols *kernel, const struct kernel_range *range)
{
	if (array_reserve(kernel->ranges, kernel->n_ranges, kernel->n_ranges_allocated, 1))
		return -ENOMEM;
	kernel->ranges[kernel->n_ranges++] = *range;
	return 0;
}

static bool is_kernel_name(const char *filename)
{
	return strncmp(filename, KERNEL_NAME, strlen(KERNEL_NAME)) == 0;
}

static uint32_t module_of(struct kernel_symbols *kernel,
			  const struct kernel_symbols_mapping *mapping)
{
	struct module_key key = { .kind = MODULE_KERNEL,
				  .path = mapping->filename,
				  .build_id = mapping->build_id,
				  .base = mapping->start };

	if (is_kernel_name(mapping->filename))
		key.path = KERNEL_NAME;
	return module_table_add(kernel->modules, &key);
}

int kernel_symbols_map(struct kernel_symbols *kernel, const struct kernel_symbols_mapping *mapping)
{
	struct kernel_range range = { .start = mapping->start,
				      .end = mapping->start + mapping->len,
				      .has_room = is_kernel_name(mapping->filename) };

	if (range.end <= range.start)
		return 0;
	range.module = module_of(kernel, mapping);
	if (!range.module)
		return -ENOMEM;
	return kernel->is_finished ? change(kernel, &range, false) : add_range(kernel, &range);
}

bool kernel_symbols_is_taken(const struct kernel_symbols *kernel,
			     const struct kernel_symbols_mapping *mapping)
{
	const struct kernel_layout *layout = kernel_layouts_peek(kernel->layouts);

	if (mapping->len > TAKEN_MAX_SIZE || mapping->start > UINT64_MAX - mapping->len)
		return true;
	for (uint64_t at = 0; at < mapping->len; at += TAKEN_STEP) {
		const struct kernel_range *range = kernel_layout_find(layout, mapping->start + at);

		if (range && !range->has_room && range->module != kernel->dynamic_module)
			return true;
	}
	return false;
}

int kernel_symbols_doubt(struct kernel_symbols *kernel,
			 const struct kernel_symbols_mapping *mapping)
{
	const struct kernel_range range = { .start = mapping->start,
					    .end = mapping->start + mapping->len,
					    .offset = mapping->start,
					    .module = kernel->dynamic_module };

	return range.end > range.start ? change(kernel, &range, false) : 0;
}

static int range_compare(const void *a, const void *b)
{
	const struct kernel_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int put_ranges(struct kernel_symbols *kernel)
{
	struct kernel_range *ranges = kernel->ranges;
	int err = 0;

	if (kernel->n_ranges)
		qsort(ranges, kernel->n_ranges, sizeof(*ranges), range_compare);
	for (size_t i = 0; i < kernel->n_ranges && !err; i++) {
		/*
		 * The mapping of the kernel itself may be recorded as covering all of its modules.
		 */
		if (i + 1 < kernel->n_ranges && ranges[i].end > ranges[i + 1].start)
			ranges[i].end = ranges[i + 1].start;
		if (ranges[i].end > ranges[i].start)
			err = change(kernel, &ranges[i], false);
	}
	return err;
}

static uint32_t code_hash(const struct kernel_symbols_code *code)
{
	uint64_t hash = hash_text(HASH_START, code->name);

	return hash_pair(hash, code->len ^ (uint64_t)code->is_bpf << 32);
}

static bool slot_is_used(const void *slot)
{
	return ((const struct known_code *)slot)->name != NULL;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	const struct known_code *known = slot, *wanted = key;

	(void)owner;
	return known->hash == wanted->hash && known->len == wanted->len &&
	       known->module == wanted->module && strcmp(known->name, wanted->name) == 0;
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	(void)owner;
	return ((const struct known_code *)slot)->hash;
}

static const struct hash_table_type known_codes = {
	.slot_size = sizeof(struct known_code),
	.first_slots = 256,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

static int open_code_module(struct kernel_symbols *kernel, struct code_module *module,
			    const char *path)
{
	struct module_key key = { .kind = MODULE_KERNEL, .path = path };

	if (module->module)
		return 0;
	module->module = module_table_add(kernel->modules, &key);
	if (!module->module)
		return -ENOMEM;
	struct module *added = module_table_get(kernel->modules, module->module);
	if (!added->symbols)
		added->symbols = symbol_table_create();
	return added->symbols ? 0 : -ENOMEM;
}

/* @code at the next free offset of its module, with a name that the module owns. */
static int add_code(struct kernel_symbols *kernel, struct code_module *module,
		    struct known_code *code)
{
	struct symbol_table *symbols = module_table_get(kernel->modules, module->module)->symbols;

	if (hash_table_reserve(&kernel->known_codes, &known_codes, 1, NULL) ||
	    symbol_table_add(symbols, module->next_offset, code->len, code->name,
			     strlen(code->name)))
		return -ENOMEM;
	code->offset = module->next_offset;
	code->name = symbols->symbols[symbols->n_symbols - 1].name;
	*(struct known_code *)hash_table_insert(&kernel->known_codes, &known_codes, code->hash,
						NULL) = *code;
	module->next_offset +=
		((uint64_t)code->len + 2 * CODE_ALIGNMENT - 1) & -(uint64_t)CODE_ALIGNMENT;
	return 0;
}

/* Finds or adds the offset of code with this name and size in its module. */
static int find_code(struct kernel_symbols *kernel, const struct kernel_symbols_code *code,
		     struct kernel_range *range)
{
	struct code_module *module = code->is_bpf ? &kernel->bpf : &kernel->ool;
	int err = open_code_module(kernel, module, code->is_bpf ? BPF_NAME : OOL_NAME);

	if (err)
		return err;
	struct known_code wanted = { .hash = code_hash(code),
				     .module = module->module,
				     .len = code->len,
				     .name = code->name };
	const struct known_code *known =
		hash_table_find(&kernel->known_codes, &known_codes, wanted.hash, &wanted, NULL);
	if (!known) {
		err = add_code(kernel, module, &wanted);
		if (err)
			return err;
	}
	range->module = wanted.module;
	range->offset = known ? known->offset : wanted.offset;
	return 0;
}

static int apply_code(struct kernel_symbols *kernel, const struct kernel_symbols_code *code)
{
	struct kernel_range range = { .start = code->addr, .end = code->addr + code->len };
	int err = code->is_gone ? 0 : find_code(kernel, code, &range);

	return err ? err : change(kernel, &range, code->is_gone);
}

static int add_pending(struct kernel_symbols *kernel, const struct kernel_symbols_code *code)
{
	if (array_reserve(kernel->pending, kernel->n_pending, kernel->n_pending_allocated, 1))
		return -ENOMEM;
	char *name = strdup(code->name);
	if (!name)
		return -ENOMEM;
	kernel->pending[kernel->n_pending] = *code;
	kernel->pending[kernel->n_pending++].name = name;
	return 0;
}

int kernel_symbols_change(struct kernel_symbols *kernel, const struct kernel_symbols_code *code)
{
	struct kernel_symbols_code named = *code;

	if (!code->len || code->addr > UINT64_MAX - code->len)
		return 0;
	if (!*code->name)
		named.name = "[unknown]";
	return kernel->is_finished ? apply_code(kernel, &named) : add_pending(kernel, &named);
}

int kernel_symbols_finish_mappings(struct kernel_symbols *kernel)
{
	int err = put_ranges(kernel);

	kernel->is_finished = true;
	kernel->mapped = kernel_layouts_take(kernel->layouts);
	kernel->has_first_code = kernel->n_pending;
	for (size_t i = 0; i < kernel->n_pending && !err; i++)
		err = apply_code(kernel, &kernel->pending[i]);
	kernel->first = kernel_layouts_take(kernel->layouts);
	kernel->n_first_modules = kernel->modules->n_modules;
	free_pending(kernel);
	free(kernel->ranges);
	kernel->ranges = NULL;
	kernel->n_ranges = kernel->n_ranges_allocated = 0;
	return err;
}

void kernel_symbols_set_entry(struct kernel_symbols *kernel, uint64_t start, uint64_t end)
{
	kernel->entry_start = start;
	kernel->entry_end = end;
}

static bool is_entry(const struct kernel_symbols *kernel, uint64_t addr)
{
	return addr >= kernel->entry_start && addr < kernel->entry_end;
}

bool kernel_symbols_is_interrupted(const struct kernel_symbols *kernel, uint64_t callee_addr,
				   uint64_t addr)
{
	return is_entry(kernel, callee_addr) && !is_entry(kernel, addr);
}

const struct kernel_layout *kernel_symbols_layout(struct kernel_symbols *kernel)
{
	return kernel_layouts_take(kernel->layouts);
}

/* @range: what holds the address; NULL: nothing does. */
static struct frame frame_in(const struct kernel_symbols *kernel, const struct kernel_range *range,
			     uint64_t addr)
{
	if (!range)
		return (struct frame){ .kind = FRAME_KERNEL,
				       .module = kernel->dynamic_module,
				       .offset = addr };
	return (struct frame){ .kind = FRAME_KERNEL,
			       .module = range->module,
			       .offset = addr - range->start + range->offset };
}

struct frame kernel_symbols_frame(const struct kernel_symbols *kernel,
				  const struct kernel_layout *layout, uint64_t addr)
{
	return frame_in(kernel, kernel_layout_find(layout, addr), addr);
}

/*
 * Whether the symbol is code that is loaded and unloaded, which KSYMBOL records describe more
 * exactly.
 */
static bool is_code_that_goes(const struct kallsyms_symbol *symbol)
{
	return kallsyms_symbol_has_tag(symbol, "[bpf]") ||
	       kallsyms_symbol_has_tag(symbol, "[__builtin__");
}

/*
 * Adds the symbol to the table, which is made if it is missing, with room for those in the rest of
 * the text if the symbol is of the kernel itself: these come first, and are nearly all.
 */
static int add_symbol(struct symbol_table **table, uint64_t offset,
		      const struct kallsyms_symbol *symbol, const struct kallsyms_text *text)
{
	if (!*table) {
		size_t n_expected = (size_t)(text->end - text->at) / KALLSYMS_LINE_SIZE;

		*table = symbol_table_create();
		if (!*table || symbol_table_reserve(*table, symbol->tag_size ? 1 : n_expected + 2))
			return -ENOMEM;
		huge_pages_allow((*table)->symbols, (*table)->n_allocated * sizeof(struct symbol));
	}
	return symbol_table_add_kept(*table, offset, 0, symbol->name);
}

static int read_names(const struct kernel_symbols *kernel, size_t size,
		      struct kernel_symbols_names *names)
{
	struct kallsyms_text text = { .at = names->text, .end = names->text + size };
	const struct kernel_range *range = NULL; /* where the last one was: mostly the next, too */
	struct kallsyms_symbol symbol;
	bool is_any = false;
	int err = 0;

	while (!err && kallsyms_text_next(&text, &symbol)) {
		is_any = true;
		if (kernel->has_first_code && is_code_that_goes(&symbol))
			continue;
		if (!range || symbol.addr - range->start >= range->end - range->start)
			range = kernel_layout_find(kernel->first, symbol.addr);
		struct frame frame = frame_in(kernel, range, symbol.addr);
		err = add_symbol(&names->tables[frame.module], frame.offset, &symbol, &text);
	}
	for (uint32_t id = 0; id < names->n_modules && !err; id++) {
		if (names->tables[id])
			symbol_table_sort(names->tables[id]);
	}
	return !err && !is_any ? -EPERM : err;
}

int kernel_symbols_read_names(const struct kernel_symbols *kernel, char *text, size_t size,
			      struct kernel_symbols_names **names_ret)
{
	struct kernel_symbols_names *names = calloc(1, sizeof(*names));
	int err = -ENOMEM;

	if (!names) {
		free(text);
		return err;
	}
	names->text = text;
	names->n_modules = kernel->n_first_modules;
	names->tables = calloc(names->n_modules, sizeof(struct symbol_table *));
	if (names->tables)
		err = read_names(kernel, size, names);
	if (err) {
		kernel_symbols_names_destroy(names);
		return err;
	}
	*names_ret = names;
	return 0;
}

void kernel_symbols_names_destroy(struct kernel_symbols_names *names)
{
	if (!names)
		return;
	for (uint32_t id = 0; names->tables && id < names->n_modules; id++)
		symbol_table_destroy(names->tables[id]);
	free(names->tables);
	free(names->text);
	free(names);
}

static void sort_symbols(struct kernel_symbols *kernel)
{
	for (uint32_t id = 1; id < kernel->modules->n_modules; id++) {
		struct module *module = module_table_get(kernel->modules, id);

		if (module->key.kind == MODULE_KERNEL && module->symbols)
			symbol_table_sort(module->symbols);
	}
}

/* "[bpf]" and "[kernel.ool]" have their names already. */
static void give_tables(struct kernel_symbols *kernel, struct kernel_symbols_names *names)
{
	for (uint32_t id = 1; id < names->n_modules; id++) {
		struct module *module = module_table_get(kernel->modules, id);

		if (names->tables[id] && !module->symbols)
			module->symbols = steal_ptr(names->tables[id]);
	}
}

int kernel_symbols_name(struct kernel_symbols *kernel, struct kernel_symbols_names *names)
{
	sort_symbols(kernel);
	if (!names)
		return 0;
	int err = module_table_take_text(kernel->modules, names->text);
	if (!err) {
		names->text = NULL;
		give_tables(kernel, names);
	}
	return err;
}

int kernel_symbols_name_module(struct kernel_symbols *kernel,
			       const struct kernel_symbols_mapping *mapping, char *text,
			       size_t size)
{
	struct module *module = module_table_get(kernel->modules, module_of(kernel, mapping));
	struct kallsyms_text lines = { .at = text, .end = text + size };
	struct kallsyms_symbol symbol;
	int err = 0;

	if (!module || module->symbols || module_table_take_text(kernel->modules, text)) {
		free(text);
		return module && module->symbols ? 0 : -ENOMEM;
	}
	while (!err && kallsyms_text_next(&lines, &symbol)) {
		if (symbol.addr - mapping->start < mapping->len)
			err = add_symbol(&module->symbols, symbol.addr - mapping->start, &symbol,
					 &lines);
	}
	if (!err && module->symbols)
		symbol_table_sort(module->symbols);
	return err;
}
