/*
 * Any bytes as a jitdump: all reads are inside it, and the code that is valid over a process's
 * memory at a time is what a model says that is too simple to be wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/paths/jit_layer.h"

#define MODULE_OF_FILE 1u
#define MODULE_OF_DUMP 2u
/* The model tries all codes at each address. */
#define MODEL_CODES_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_codes(const struct jitdump *dump, size_t size)
{
	for (size_t i = 0; i < dump->n_codes; i++) {
		const struct jit_code *code = &dump->codes[i];

		if (!code->size || code->addr + code->size < code->addr || code->offset > size ||
		    size - code->offset < code->size || code->name > size ||
		    size - code->name < code->name_size)
			abort();
		if (i && dump->codes[i - 1].time_ns > code->time_ns)
			abort();
	}
}

static void check_tables(const struct jitdump *dump, const uint8_t *data, size_t size)
{
	struct symbol_table *symbols = jitdump_symbols(dump, data);
	struct symbol_table *latest = jitdump_latest_symbols(dump, data);
	struct line_table *lines = jitdump_lines(dump, data);

	for (size_t i = 0; i < dump->n_codes && i < MODEL_CODES_MAX; i++) {
		const struct jit_code *code = &dump->codes[i];
		const struct code_line *line =
			line_table_find(lines, code->offset + code->size / 2);

		if (!symbol_table_find(symbols, code->offset) ||
		    !symbol_table_find(latest, code->addr))
			abort();
		if (line && (line->offset + line->size > size || !line->file))
			abort();
	}
	for (size_t i = 1; i < latest->n_symbols; i++) {
		const struct symbol *before = &latest->symbols[i - 1];

		if (before->offset + before->size > latest->symbols[i].offset)
			abort();
	}
	symbol_table_destroy(symbols);
	symbol_table_destroy(latest);
	line_table_destroy(lines);
}

static bool overlaps(const struct jit_code *a, const struct jit_code *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

static bool is_alone(const struct jitdump *dump, const struct jit_code *code)
{
	for (size_t i = 0; i < dump->n_codes; i++)
		if (&dump->codes[i] != code && overlaps(&dump->codes[i], code))
			return false;
	return true;
}

static const struct jit_code *model_find(const struct jitdump *dump, bool is_timed,
					 uint64_t time_ns, uint64_t addr)
{
	const struct jit_code *found = NULL;

	for (size_t i = 0; i < dump->n_codes; i++) {
		const struct jit_code *code = &dump->codes[i];

		if (addr - code->addr < code->size &&
		    (!is_timed || code->time_ns <= time_ns || is_alone(dump, code)))
			found = code;
	}
	return found;
}

static void check_address(const struct jitdump *dump, const struct address_space *space,
			  bool is_timed, uint64_t time_ns, uint64_t addr)
{
	const struct jit_code *code = model_find(dump, is_timed, time_ns, addr);
	const struct mapping *mapping = address_space_find(space, addr);

	if (!code != !mapping)
		abort();
	if (code &&
	    (mapping->module != MODULE_OF_DUMP || !mapping->is_exec ||
	     mapping->offset + (addr - mapping->start) != code->offset + (addr - code->addr)))
		abort();
}

static void check_time(const struct jitdump *dump, const struct address_space *space, bool is_timed,
		       uint64_t time_ns)
{
	for (size_t i = 0; i < dump->n_codes; i++) {
		const struct jit_code *code = &dump->codes[i];

		check_address(dump, space, is_timed, time_ns, code->addr);
		check_address(dump, space, is_timed, time_ns, code->addr + code->size - 1);
		check_address(dump, space, is_timed, time_ns, code->addr + code->size);
		check_address(dump, space, is_timed, time_ns, code->addr - 1);
	}
}

static void check_order(const struct address_space *space, size_t size)
{
	for (size_t i = 0; i < space->n_mappings; i++) {
		const struct mapping *mapping = &space->mappings[i];

		if (mapping->start >= mapping->end ||
		    (i && space->mappings[i - 1].end > mapping->start))
			abort();
		if (mapping->module == MODULE_OF_DUMP &&
		    mapping->offset + (mapping->end - mapping->start) > size)
			abort();
	}
}

/* All that happens to a process, as the bytes of the dump have it. */
static void follow(struct jit_layer *layer, const struct jitdump *dump,
		   struct address_space **space)
{
	for (size_t i = 0; i < dump->n_codes; i++) {
		const struct jit_code *code = &dump->codes[i];
		bool is_file = code->name_size & 1, is_exec = code->name_size & 2;
		const struct mapping mapping = {
			.start = code->addr + code->size / 2,
			.end = code->addr + code->size,
			.module = is_file && is_exec ? MODULE_OF_FILE : 0,
			.is_exec = is_exec,
		};

		if (jit_layer_advance(layer, code->time_ns, space) ||
		    address_space_map(space, &mapping) ||
		    jit_layer_follow(layer, mapping.start, mapping.end, is_file, space))
			abort();
		const struct mapping *at = address_space_find(*space, mapping.start);
		if (is_file && at->module == MODULE_OF_DUMP)
			abort();
		struct jit_layer *child = jit_layer_fork(layer);
		struct address_space *copy = address_space_ref(*space);
		if (jit_layer_follow(child, mapping.start, mapping.end, !is_file, &copy))
			abort();
		jit_layer_destroy(child);
		address_space_unref(copy);
	}
}

static void check_layer(const struct jitdump *dump, const struct module_table *modules,
			bool is_timed, size_t size)
{
	struct jit_codes *codes = jit_codes_create(dump, MODULE_OF_DUMP, is_timed);
	struct address_space *space = address_space_create();
	struct jit_layer *layer;

	if (jit_layer_create(codes, modules, &space, &layer) || jit_layer_advance(layer, 0, &space))
		abort();
	check_time(dump, space, is_timed, 0);
	for (size_t i = 0; i < dump->n_codes; i++) {
		uint64_t time_ns = dump->codes[i].time_ns;

		if (jit_layer_advance(layer, time_ns, &space))
			abort();
		check_time(dump, space, is_timed, time_ns);
	}
	check_order(space, size);
	jit_layer_destroy(layer);
	if (jit_layer_create(codes, modules, &space, &layer))
		abort();
	follow(layer, dump, &space);
	check_order(space, size);
	jit_layer_destroy(layer);
	jit_codes_destroy(codes);
	address_space_unref(space);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct module_table modules; /* costly to make */
	struct jitdump *dump;

	if (!modules.n_modules) {
		module_table_init(&modules);
		module_table_add(&modules,
				 &(struct module_key){ .kind = MODULE_ELF, .path = "/lib" });
		module_table_add(&modules,
				 &(struct module_key){ .kind = MODULE_JIT, .path = "/dump" });
	}
	if (jitdump_parse(data, size, &dump))
		return 0;
	check_codes(dump, size);
	check_tables(dump, data, size);
	for (int is_timed = 0; is_timed < 2 && dump->n_codes <= MODEL_CODES_MAX; is_timed++)
		check_layer(dump, &modules, is_timed, size);
	jitdump_destroy(dump);
	return 0;
}
