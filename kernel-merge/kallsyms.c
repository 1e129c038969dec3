/* Mappings -> regions -> frames; symbols -> the tables of the modules whose regions hold them. */
#include "kernel-merge/kallsyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_NAME  "[kernel.kallsyms]"
#define DYNAMIC_NAME "[kernel.dynamic]"

struct region {
	uint64_t start, end;
	uint32_t module;
};

struct parsed_symbol {
	uint64_t addr;
	const char *name; /* in the text */
	uint32_t name_size;
};

struct kallsyms_text {
	struct parsed_symbol *symbols; /* by address */
	size_t n_symbols, n_allocated;
};

struct kallsyms {
	struct module_table *modules;
	struct region *regions; /* sorted by start once the mappings are finished */
	size_t n_regions, n_allocated;
	uint32_t dynamic_module;
	struct symbol_table *ksymbols; /* by address, until kallsyms_name() */
};

struct kallsyms *kallsyms_create(struct module_table *modules)
{
	struct kallsyms *kallsyms = calloc(1, sizeof(*kallsyms));
	struct module_key key = { .kind = MODULE_KERNEL, .path = DYNAMIC_NAME };

	if (!kallsyms)
		return NULL;
	kallsyms->modules = modules;
	kallsyms->dynamic_module = module_table_add(modules, &key);
	kallsyms->ksymbols = symbol_table_create();
	if (!kallsyms->dynamic_module || !kallsyms->ksymbols) {
		kallsyms_destroy(kallsyms);
		return NULL;
	}
	return kallsyms;
}

void kallsyms_destroy(struct kallsyms *kallsyms)
{
	if (!kallsyms)
		return;
	symbol_table_destroy(kallsyms->ksymbols);
	free(kallsyms->regions);
	free(kallsyms);
}

int kallsyms_map(struct kallsyms *kallsyms, uint64_t start, uint64_t len, const char *filename)
{
	struct module_key key = { .kind = MODULE_KERNEL, .path = filename, .base = start };

	if (!len || start + len < start)
		return 0;
	if (strncmp(filename, KERNEL_NAME, strlen(KERNEL_NAME)) == 0)
		key.path = KERNEL_NAME;
	if (kallsyms->n_regions == kallsyms->n_allocated) {
		size_t n = kallsyms->n_allocated ? kallsyms->n_allocated * 2 : 16;
		struct region *regions = reallocarray(kallsyms->regions, n, sizeof(*regions));
		if (!regions)
			return -ENOMEM;
		kallsyms->regions = regions;
		kallsyms->n_allocated = n;
	}
	uint32_t module = module_table_add(kallsyms->modules, &key);
	if (!module)
		return -ENOMEM;
	kallsyms->regions[kallsyms->n_regions++] =
		(struct region){ .start = start, .end = start + len, .module = module };
	return 0;
}

static int region_compare(const void *a, const void *b)
{
	const struct region *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

void kallsyms_finish_mappings(struct kallsyms *kallsyms)
{
	if (!kallsyms->n_regions)
		return;
	qsort(kallsyms->regions, kallsyms->n_regions, sizeof(*kallsyms->regions), region_compare);
	/* The kernel's own mapping may be said to reach over all of its modules. */
	for (size_t i = 0; i + 1 < kallsyms->n_regions; i++) {
		if (kallsyms->regions[i].end > kallsyms->regions[i + 1].start)
			kallsyms->regions[i].end = kallsyms->regions[i + 1].start;
	}
}

struct frame kallsyms_frame(const struct kallsyms *kallsyms, uint64_t addr)
{
	size_t low = 0, high = kallsyms->n_regions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kallsyms->regions[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	const struct region *region = low ? &kallsyms->regions[low - 1] : NULL;
	struct frame frame = { .kind = FRAME_KERNEL,
			       .module = kallsyms->dynamic_module,
			       .offset = addr };

	if (region && addr < region->end) {
		frame.module = region->module;
		frame.offset = addr - module_table_get(kallsyms->modules, region->module)->key.base;
	}
	return frame;
}

static bool is_text_type(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* Up to 16 hexadecimal digits; the first character after them, or NULL. */
static const char *parse_address(const char *text, const char *end, uint64_t *addr_ret)
{
	uint64_t addr = 0;
	const char *c = text;

	for (; c < end && c - text < 16; c++) {
		char lower = (char)(*c | 0x20);

		if (*c >= '0' && *c <= '9')
			addr = addr << 4 | (uint64_t)(*c - '0');
		else if (lower >= 'a' && lower <= 'f')
			addr = addr << 4 | (uint64_t)(lower - 'a' + 10);
		else
			break;
	}
	*addr_ret = addr;
	return c > text ? c : NULL;
}

/* "ffffffffc0201000 t name\t[module]"; false: not a text symbol, or the "$x" that marks code in
 * arm64's modules. */
static bool parse_line(const char *line, const char *end, struct parsed_symbol *symbol)
{
	const char *c = parse_address(line, end, &symbol->addr);

	if (!c || end - c < 4 || c[0] != ' ' || c[2] != ' ' || !is_text_type(c[1]))
		return false;
	symbol->name = c + 3;
	const char *tab = memchr(symbol->name, '\t', (size_t)(end - symbol->name));
	symbol->name_size = (uint32_t)((tab ? tab : end) - symbol->name);
	return symbol->name_size > 0 && *symbol->name != '$';
}

static int append_symbol(struct kallsyms_text *parsed, const struct parsed_symbol *symbol)
{
	if (parsed->n_symbols == parsed->n_allocated) {
		size_t n = parsed->n_allocated ? parsed->n_allocated * 2 : 1 << 17;
		struct parsed_symbol *symbols = reallocarray(parsed->symbols, n, sizeof(*symbols));
		if (!symbols)
			return -ENOMEM;
		parsed->symbols = symbols;
		parsed->n_allocated = n;
	}
	parsed->symbols[parsed->n_symbols++] = *symbol;
	return 0;
}

static int parse_lines(struct kallsyms_text *parsed, const char *text, size_t size)
{
	for (const char *line = text, *end = text + size, *next; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		struct parsed_symbol symbol;

		next = newline ? newline + 1 : end;
		if (!parse_line(line, newline ? newline : end, &symbol) || !symbol.addr)
			continue;
		int err = append_symbol(parsed, &symbol);
		if (err)
			return err;
	}
	return parsed->n_symbols ? 0 : -EPERM;
}

int kallsyms_text_parse(const char *text, size_t size, struct kallsyms_text **parsed_ret)
{
	struct kallsyms_text *parsed = calloc(1, sizeof(*parsed));
	int err = parsed ? parse_lines(parsed, text, size) : -ENOMEM;

	if (err) {
		kallsyms_text_destroy(parsed);
		return err;
	}
	*parsed_ret = parsed;
	return 0;
}

void kallsyms_text_destroy(struct kallsyms_text *parsed)
{
	if (!parsed)
		return;
	free(parsed->symbols);
	free(parsed);
}

static int name_address(struct kallsyms *kallsyms, uint64_t addr, uint64_t size, const char *name,
			size_t name_size)
{
	struct frame frame = kallsyms_frame(kallsyms, addr);
	struct module *module = module_table_get(kallsyms->modules, frame.module);

	if (!module->symbols)
		module->symbols = symbol_table_create();
	if (!module->symbols)
		return -ENOMEM;
	return symbol_table_add(module->symbols, frame.offset, size, name, name_size);
}

static void sort_symbols(struct kallsyms *kallsyms)
{
	for (uint32_t id = 1; id < kallsyms->modules->n_modules; id++) {
		struct module *module = module_table_get(kallsyms->modules, id);

		if (module->key.kind == MODULE_KERNEL && module->symbols)
			symbol_table_sort(module->symbols);
	}
}

int kallsyms_name(struct kallsyms *kallsyms, const struct kallsyms_text *parsed)
{
	int err = 0;

	for (size_t i = 0; parsed && i < parsed->n_symbols && !err; i++)
		err = name_address(kallsyms, parsed->symbols[i].addr, 0, parsed->symbols[i].name,
				   parsed->symbols[i].name_size);
	for (size_t i = 0; i < kallsyms->ksymbols->n_symbols && !err; i++) {
		const struct symbol *symbol = &kallsyms->ksymbols->symbols[i];

		err = name_address(kallsyms, symbol->offset, symbol->size, symbol->name,
				   strlen(symbol->name));
	}
	kallsyms->ksymbols->n_symbols = 0;
	if (!err)
		sort_symbols(kallsyms);
	return err;
}

int kallsyms_ksymbol(struct kallsyms *kallsyms, uint64_t addr, uint32_t len, const char *name,
		     bool unregister)
{
	if (unregister)
		return 0;
	return symbol_table_add(kallsyms->ksymbols, addr, len, name, strlen(name));
}
