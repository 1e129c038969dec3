/* Mappings and KSYMBOL records -> layouts -> frames; symbols -> the tables of their modules. */
#include "kernel-merge/kallsyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_NAME  "[kernel.kallsyms]"
#define DYNAMIC_NAME "[kernel.dynamic]"
#define OOL_NAME     "[kernel.ool]"
#define BPF_NAME     "[bpf]"

/* Between the symbols of code that comes and goes: a lookup address may be one below. */
#define CODE_ALIGNMENT 16

/* Modules begin and end with pages, and are far smaller than this. */
#define TAKEN_STEP     4096
#define TAKEN_MAX_SIZE (1u << 28)

struct parsed_symbol {
	uint64_t addr;
	const char *name; /* in the text, with "\t[module]" behind it */
	uint32_t name_size;
	uint16_t tag_size; /* of "[module]" */
	char type;
};

struct kallsyms_text {
	struct parsed_symbol *symbols; /* by address */
	size_t n_symbols, n_allocated;
};

/* BPF programs, or other code that comes and goes. */
struct code_module {
	uint32_t module;      /* 0: none so far */
	uint64_t next_offset; /* of the next new symbol */
};

/* A symbol of a code module: what has this name and size is one thing. */
struct known_code {
	uint64_t hash;
	uint64_t offset;
	uint32_t module;
	uint32_t len;
	const char *name; /* NULL: the slot is free */
};

struct kallsyms {
	struct module_table *modules;
	struct kernel_layouts *layouts;
	const struct kernel_layout *mapped; /* mappings alone, before the first sample */
	const struct kernel_layout *first;  /* all that was there before the first sample */
	struct kernel_range *ranges;        /* until the mappings are finished */
	size_t n_ranges, n_ranges_allocated;
	struct kallsyms_code *pending; /* the same; names owned */
	size_t n_pending, n_pending_allocated;
	bool is_finished, is_full;
	bool has_first_code; /* KSYMBOL records told of code that was there before */
	uint64_t n_dropped;
	uint32_t dynamic_module;
	struct code_module bpf, ool;
	uint64_t entry_start, entry_end;
	struct known_code *known; /* by hash */
	size_t n_known, n_slots;
};

struct kallsyms *kallsyms_create(struct module_table *modules)
{
	struct kallsyms *kallsyms = calloc(1, sizeof(*kallsyms));
	struct module_key key = { .kind = MODULE_KERNEL, .path = DYNAMIC_NAME };

	if (!kallsyms)
		return NULL;
	kallsyms->modules = modules;
	kallsyms->dynamic_module = module_table_add(modules, &key);
	kallsyms->layouts = kernel_layouts_create();
	if (!kallsyms->dynamic_module || !kallsyms->layouts) {
		kallsyms_destroy(kallsyms);
		return NULL;
	}
	return kallsyms;
}

static void free_pending(struct kallsyms *kallsyms)
{
	for (size_t i = 0; i < kallsyms->n_pending; i++)
		free((char *)kallsyms->pending[i].name);
	free(kallsyms->pending);
	kallsyms->pending = NULL;
	kallsyms->n_pending = kallsyms->n_pending_allocated = 0;
}

void kallsyms_destroy(struct kallsyms *kallsyms)
{
	if (!kallsyms)
		return;
	free_pending(kallsyms);
	kernel_layouts_destroy(kallsyms->layouts);
	free(kallsyms->ranges);
	free(kallsyms->known);
	free(kallsyms);
}

uint64_t kallsyms_n_dropped(const struct kallsyms *kallsyms)
{
	return kallsyms->n_dropped;
}

/* Changes the layout, or gives up on changes for good: names that were true once must not stay. */
static int change(struct kallsyms *kallsyms, const struct kernel_range *range, bool is_gone)
{
	int err = 0;

	if (kallsyms->is_full) {
		kallsyms->n_dropped++;
		return 0;
	}
	err = is_gone ? kernel_layouts_remove(kallsyms->layouts, range->start, range->end)
		      : kernel_layouts_put(kallsyms->layouts, range);
	if (err == -E2BIG) {
		kallsyms->is_full = true;
		kallsyms->n_dropped++;
		kernel_layouts_return_to(kallsyms->layouts, kallsyms->mapped);
		return 0;
	}
	return err;
}

static int add_range(struct kallsyms *kallsyms, const struct kernel_range *range)
{
	if (kallsyms->n_ranges == kallsyms->n_ranges_allocated) {
		size_t n = kallsyms->n_ranges_allocated ? kallsyms->n_ranges_allocated * 2 : 16;
		struct kernel_range *ranges = reallocarray(kallsyms->ranges, n, sizeof(*ranges));

		if (!ranges)
			return -ENOMEM;
		kallsyms->ranges = ranges;
		kallsyms->n_ranges_allocated = n;
	}
	kallsyms->ranges[kallsyms->n_ranges++] = *range;
	return 0;
}

static bool is_kernel_name(const char *filename)
{
	return strncmp(filename, KERNEL_NAME, strlen(KERNEL_NAME)) == 0;
}

static uint32_t module_of(struct kallsyms *kallsyms, const struct kallsyms_mapping *mapping)
{
	struct module_key key = { .kind = MODULE_KERNEL,
				  .path = mapping->filename,
				  .build_id = mapping->build_id,
				  .base = mapping->start };

	if (is_kernel_name(mapping->filename))
		key.path = KERNEL_NAME;
	return module_table_add(kallsyms->modules, &key);
}

int kallsyms_map(struct kallsyms *kallsyms, const struct kallsyms_mapping *mapping)
{
	struct kernel_range range = { .start = mapping->start,
				      .end = mapping->start + mapping->len,
				      .has_room = is_kernel_name(mapping->filename) };

	if (range.end <= range.start)
		return 0;
	range.module = module_of(kallsyms, mapping);
	if (!range.module)
		return -ENOMEM;
	return kallsyms->is_finished ? change(kallsyms, &range, false)
				     : add_range(kallsyms, &range);
}

bool kallsyms_is_taken(const struct kallsyms *kallsyms, const struct kallsyms_mapping *mapping)
{
	const struct kernel_layout *layout = kernel_layouts_peek(kallsyms->layouts);

	if (mapping->len > TAKEN_MAX_SIZE || mapping->start > UINT64_MAX - mapping->len)
		return true;
	for (uint64_t at = 0; at < mapping->len; at += TAKEN_STEP) {
		const struct kernel_range *range = kernel_layout_find(layout, mapping->start + at);

		if (range && !range->has_room && range->module != kallsyms->dynamic_module)
			return true;
	}
	return false;
}

int kallsyms_doubt(struct kallsyms *kallsyms, const struct kallsyms_mapping *mapping)
{
	const struct kernel_range range = { .start = mapping->start,
					    .end = mapping->start + mapping->len,
					    .offset = mapping->start,
					    .module = kallsyms->dynamic_module };

	return range.end > range.start ? change(kallsyms, &range, false) : 0;
}

static int range_compare(const void *a, const void *b)
{
	const struct kernel_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int put_ranges(struct kallsyms *kallsyms)
{
	struct kernel_range *ranges = kallsyms->ranges;
	int err = 0;

	if (kallsyms->n_ranges)
		qsort(ranges, kallsyms->n_ranges, sizeof(*ranges), range_compare);
	for (size_t i = 0; i < kallsyms->n_ranges && !err; i++) {
		/* The kernel's own mapping may be said to reach over all of its modules. */
		if (i + 1 < kallsyms->n_ranges && ranges[i].end > ranges[i + 1].start)
			ranges[i].end = ranges[i + 1].start;
		if (ranges[i].end > ranges[i].start)
			err = change(kallsyms, &ranges[i], false);
	}
	return err;
}

/* FNV-1a, 64 bits. */
static uint64_t code_hash(const struct kallsyms_code *code)
{
	uint64_t hash = 0xcbf29ce484222325ull ^ code->len ^ (uint64_t)code->is_bpf << 32;

	for (const char *c = code->name; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 0x100000001b3ull;
	return hash ^ hash >> 32;
}

static struct known_code *known_slot(const struct kallsyms *kallsyms, uint64_t hash, uint32_t len,
				     uint32_t module, const char *name)
{
	for (size_t i = hash & (kallsyms->n_slots - 1);; i = (i + 1) & (kallsyms->n_slots - 1)) {
		struct known_code *known = &kallsyms->known[i];

		if (!known->name || (known->hash == hash && known->len == len &&
				     known->module == module && strcmp(known->name, name) == 0))
			return known;
	}
}

static int grow_known(struct kallsyms *kallsyms)
{
	struct known_code *old = kallsyms->known;
	size_t n_old = kallsyms->n_slots;

	if (kallsyms->n_known * 2 < n_old)
		return 0;
	struct known_code *slots = calloc(n_old ? n_old * 2 : 256, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	kallsyms->known = slots;
	kallsyms->n_slots = n_old ? n_old * 2 : 256;
	for (size_t i = 0; i < n_old; i++) {
		if (old[i].name)
			*known_slot(kallsyms, old[i].hash, old[i].len, old[i].module, old[i].name) =
				old[i];
	}
	free(old);
	return 0;
}

static int open_code_module(struct kallsyms *kallsyms, struct code_module *module, const char *path)
{
	struct module_key key = { .kind = MODULE_KERNEL, .path = path };

	if (module->module)
		return 0;
	module->module = module_table_add(kallsyms->modules, &key);
	if (!module->module)
		return -ENOMEM;
	struct module *added = module_table_get(kallsyms->modules, module->module);
	if (!added->symbols)
		added->symbols = symbol_table_create();
	return added->symbols ? 0 : -ENOMEM;
}

/* Where code of this name and size is in its module. */
static int find_code(struct kallsyms *kallsyms, const struct kallsyms_code *code,
		     struct kernel_range *range)
{
	struct code_module *module = code->is_bpf ? &kallsyms->bpf : &kallsyms->ool;
	uint64_t hash = code_hash(code);
	int err = open_code_module(kallsyms, module, code->is_bpf ? BPF_NAME : OOL_NAME);

	if (!err)
		err = grow_known(kallsyms);
	if (err)
		return err;
	struct known_code *known =
		known_slot(kallsyms, hash, code->len, module->module, code->name);
	if (!known->name) {
		struct symbol_table *symbols =
			module_table_get(kallsyms->modules, module->module)->symbols;

		err = symbol_table_add(symbols, module->next_offset, code->len, code->name,
				       strlen(code->name));
		if (err)
			return err;
		*known = (struct known_code){
			.hash = hash,
			.offset = module->next_offset,
			.module = module->module,
			.len = code->len,
			.name = symbols->symbols[symbols->n_symbols - 1].name
		};
		kallsyms->n_known++;
		module->next_offset +=
			((uint64_t)code->len + 2 * CODE_ALIGNMENT - 1) & -(uint64_t)CODE_ALIGNMENT;
	}
	range->module = known->module;
	range->offset = known->offset;
	return 0;
}

static int apply_code(struct kallsyms *kallsyms, const struct kallsyms_code *code)
{
	struct kernel_range range = { .start = code->addr, .end = code->addr + code->len };
	int err = code->is_gone ? 0 : find_code(kallsyms, code, &range);

	return err ? err : change(kallsyms, &range, code->is_gone);
}

static int add_pending(struct kallsyms *kallsyms, const struct kallsyms_code *code)
{
	if (kallsyms->n_pending == kallsyms->n_pending_allocated) {
		size_t n = kallsyms->n_pending_allocated ? kallsyms->n_pending_allocated * 2 : 16;
		struct kallsyms_code *pending =
			reallocarray(kallsyms->pending, n, sizeof(*pending));

		if (!pending)
			return -ENOMEM;
		kallsyms->pending = pending;
		kallsyms->n_pending_allocated = n;
	}
	char *name = strdup(code->name);
	if (!name)
		return -ENOMEM;
	kallsyms->pending[kallsyms->n_pending] = *code;
	kallsyms->pending[kallsyms->n_pending++].name = name;
	return 0;
}

int kallsyms_ksymbol(struct kallsyms *kallsyms, const struct kallsyms_code *code)
{
	struct kallsyms_code named = *code;

	if (!code->len || code->addr > UINT64_MAX - code->len)
		return 0;
	if (!*code->name)
		named.name = "[unknown]";
	return kallsyms->is_finished ? apply_code(kallsyms, &named) : add_pending(kallsyms, &named);
}

int kallsyms_finish_mappings(struct kallsyms *kallsyms)
{
	int err = put_ranges(kallsyms);

	kallsyms->is_finished = true;
	kallsyms->mapped = kernel_layouts_take(kallsyms->layouts);
	kallsyms->has_first_code = kallsyms->n_pending;
	for (size_t i = 0; i < kallsyms->n_pending && !err; i++)
		err = apply_code(kallsyms, &kallsyms->pending[i]);
	kallsyms->first = kernel_layouts_take(kallsyms->layouts);
	free_pending(kallsyms);
	free(kallsyms->ranges);
	kallsyms->ranges = NULL;
	kallsyms->n_ranges = kallsyms->n_ranges_allocated = 0;
	return err;
}

void kallsyms_set_entry(struct kallsyms *kallsyms, uint64_t start, uint64_t end)
{
	kallsyms->entry_start = start;
	kallsyms->entry_end = end;
}

static bool is_entry(const struct kallsyms *kallsyms, uint64_t addr)
{
	return addr >= kallsyms->entry_start && addr < kallsyms->entry_end;
}

bool kallsyms_is_interrupted(const struct kallsyms *kallsyms, uint64_t callee_addr, uint64_t addr)
{
	return is_entry(kallsyms, callee_addr) && !is_entry(kallsyms, addr);
}

const struct kernel_layout *kallsyms_layout(struct kallsyms *kallsyms)
{
	return kernel_layouts_take(kallsyms->layouts);
}

struct frame kallsyms_frame(const struct kallsyms *kallsyms, const struct kernel_layout *layout,
			    uint64_t addr)
{
	const struct kernel_range *range = kernel_layout_find(layout, addr);

	if (!range)
		return (struct frame){ .kind = FRAME_KERNEL,
				       .module = kallsyms->dynamic_module,
				       .offset = addr };
	return (struct frame){ .kind = FRAME_KERNEL,
			       .module = range->module,
			       .offset = addr - range->start + range->offset };
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
	symbol->type = c[1];
	symbol->name = c + 3;
	const char *tab = memchr(symbol->name, '\t', (size_t)(end - symbol->name));
	ptrdiff_t tag_size = tab ? end - tab - 1 : 0;
	symbol->name_size = (uint32_t)((tab ? tab : end) - symbol->name);
	symbol->tag_size = tag_size > UINT16_MAX ? 0 : (uint16_t)tag_size;
	return symbol->name_size > 0 && *symbol->name != '$';
}

static bool begins(const struct parsed_symbol *symbol, const char *text)
{
	size_t size = strlen(text);

	return symbol->name_size > size && memcmp(symbol->name, text, size) == 0;
}

static size_t leading_underscores(const struct parsed_symbol *symbol)
{
	size_t n = 0;

	while (n < symbol->name_size && symbol->name[n] == '_')
		n++;
	return n;
}

/* How well a name tells what the code at its address is: no padding in front of a function, no
 * label, no weak one that another could have replaced. */
static int symbol_rank(const struct parsed_symbol *symbol)
{
	if (begins(symbol, "__pfx_") || begins(symbol, ".L"))
		return 0;
	/* System calls without arguments are one function for all ABIs. */
	if (begins(symbol, "__ia32_"))
		return 1;
	if (symbol->type == 'T')
		return 3;
	return symbol->type == 't' ? 2 : 1;
}

/* Which of two names of one address to show; the same one whatever their order. */
static bool is_better(const struct parsed_symbol *a, const struct parsed_symbol *b)
{
	int rank = symbol_rank(a) - symbol_rank(b);

	if (rank)
		return rank > 0;
	size_t underscores_a = leading_underscores(a), underscores_b = leading_underscores(b);
	if (underscores_a != underscores_b)
		return underscores_a < underscores_b;
	size_t common = a->name_size < b->name_size ? a->name_size : b->name_size;
	int order = memcmp(a->name, b->name, common);
	return order ? order < 0 : a->name_size < b->name_size;
}

static int append_symbol(struct kallsyms_text *parsed, const struct parsed_symbol *symbol)
{
	struct parsed_symbol *last =
		parsed->n_symbols ? &parsed->symbols[parsed->n_symbols - 1] : NULL;

	if (last && last->addr == symbol->addr) {
		if (is_better(symbol, last))
			*last = *symbol;
		return 0;
	}
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

static bool has_tag(const struct parsed_symbol *symbol, const char *tag)
{
	size_t size = strlen(tag);

	return symbol->tag_size >= size &&
	       memcmp(symbol->name + symbol->name_size + 1, tag, size) == 0;
}

/* Code that comes and goes, which KSYMBOL records tell of more exactly. */
static bool is_code_that_goes(const struct parsed_symbol *symbol)
{
	return has_tag(symbol, "[bpf]") || has_tag(symbol, "[__builtin__");
}

static int add_symbol(struct module *module, uint64_t offset, const struct parsed_symbol *symbol)
{
	if (!module->symbols)
		module->symbols = symbol_table_create();
	if (!module->symbols)
		return -ENOMEM;
	return symbol_table_add(module->symbols, offset, 0, symbol->name, symbol->name_size);
}

static int name_first(struct kallsyms *kallsyms, const struct parsed_symbol *symbol)
{
	if (kallsyms->has_first_code && is_code_that_goes(symbol))
		return 0;
	struct frame frame = kallsyms_frame(kallsyms, kallsyms->first, symbol->addr);
	/* Their names stand there already. */
	if (frame.module == kallsyms->bpf.module || frame.module == kallsyms->ool.module)
		return 0;
	return add_symbol(module_table_get(kallsyms->modules, frame.module), frame.offset, symbol);
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
		err = name_first(kallsyms, &parsed->symbols[i]);
	if (!err)
		sort_symbols(kallsyms);
	return err;
}

int kallsyms_name_module(struct kallsyms *kallsyms, const struct kallsyms_mapping *mapping,
			 const struct kallsyms_text *parsed)
{
	struct module *module = module_table_get(kallsyms->modules, module_of(kallsyms, mapping));
	int err = module ? 0 : -ENOMEM;

	if (err || module->symbols)
		return err;
	for (size_t i = 0; i < parsed->n_symbols && !err; i++) {
		const struct parsed_symbol *symbol = &parsed->symbols[i];

		if (symbol->addr - mapping->start < mapping->len)
			err = add_symbol(module, symbol->addr - mapping->start, symbol);
	}
	if (!err && module->symbols)
		symbol_table_sort(module->symbols);
	return err;
}
