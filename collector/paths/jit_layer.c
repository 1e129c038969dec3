#include "collector/paths/jit_layer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "collector/attached/latest_ranges.h"

struct jit_codes {
	uint32_t module;
	struct jit_code *codes; /* those from the start first, then by time */
	size_t n, n_from_start;
};

struct jit_layer {
	const struct jit_codes *codes;
	const struct module_table *modules;
	size_t next;              /* the first code that is still to come */
	struct address_space *on; /* codes that are there; module 0: none is any more */
};

bool jit_layer_is_file(const char *path)
{
	return path[0] == '/' && strncmp(path, "/memfd:", 7) != 0;
}

static int compare_addrs(const void *a, const void *b)
{
	const struct jit_code *const *x = a, *const *y = b;

	return ((*x)->addr > (*y)->addr) - ((*x)->addr < (*y)->addr);
}

/* @is_alone: for each code, whether no other one is ever where it is. */
static int find_alone(const struct jitdump *dump, bool *is_alone)
{
	_cleanup_free_ const struct jit_code **by_addr =
		calloc(dump->n_codes + 1, sizeof(*by_addr));
	uint64_t end = 0;

	if (!by_addr)
		return -ENOMEM;
	for (size_t i = 0; i < dump->n_codes; i++)
		by_addr[i] = &dump->codes[i];
	if (dump->n_codes)
		qsort(by_addr, dump->n_codes, sizeof(*by_addr), compare_addrs);
	for (size_t i = 0; i < dump->n_codes; i++) {
		const struct jit_code *code = by_addr[i];
		uint64_t code_end = code->addr + code->size;
		bool is_free = code->addr >= end &&
			       (i + 1 == dump->n_codes || by_addr[i + 1]->addr >= code_end);

		is_alone[code - dump->codes] = is_free;
		end = code_end > end ? code_end : end;
	}
	return 0;
}

static size_t append(const struct jitdump *dump, const bool *is_alone, bool wanted,
		     struct jit_code *codes)
{
	size_t n = 0;

	for (size_t i = 0; i < dump->n_codes; i++) {
		if (is_alone[i] == wanted)
			codes[n++] = dump->codes[i];
	}
	return n;
}

struct jit_codes *jit_codes_create(const struct jitdump *dump, uint32_t module, bool is_timed)
{
	struct jit_codes *codes = calloc(1, sizeof(*codes));
	_cleanup_free_ bool *is_alone = calloc(dump->n_codes + 1, sizeof(*is_alone));

	if (!codes || !is_alone) {
		jit_codes_destroy(codes);
		return NULL;
	}
	codes->module = module;
	codes->codes = calloc(dump->n_codes + 1, sizeof(*codes->codes));
	if (!codes->codes || (is_timed && find_alone(dump, is_alone))) {
		jit_codes_destroy(codes);
		return NULL;
	}
	codes->n_from_start = append(dump, is_alone, true, codes->codes);
	codes->n = codes->n_from_start +
		   append(dump, is_alone, false, codes->codes + codes->n_from_start);
	if (!is_timed)
		codes->n_from_start = codes->n;
	return codes;
}

void jit_codes_destroy(struct jit_codes *codes)
{
	if (!codes)
		return;
	free(codes->codes);
	free(codes);
}

void jit_layer_destroy(struct jit_layer *layer)
{
	if (!layer)
		return;
	address_space_unref(layer->on);
	free(layer);
}

/* Code of a file is not replaced: V8's dump also lists its builtins, which are in V8's program
 * file. */
static bool is_file_code(const struct jit_layer *layer, const struct mapping *mapping)
{
	const struct module *module = module_table_get(layer->modules, mapping->module);

	return mapping->is_exec && module &&
	       (module->key.kind == MODULE_VDSO ||
		(module->key.kind == MODULE_ELF && jit_layer_is_file(module->key.path)));
}

static size_t append_mapping(struct mapping *mappings, size_t n, const struct mapping *mapping,
			     uint64_t start, uint64_t end)
{
	if (start >= end)
		return n;
	mappings[n] = *mapping;
	mappings[n].start = start;
	mappings[n].end = end;
	mappings[n].offset += start - mapping->start;
	return n + 1;
}

/* The parts of a mapping that do not overlap code of a file. */
static size_t append_free(const struct jit_layer *layer, const struct address_space *space,
			  const struct mapping *mapping, struct mapping *mappings, size_t n)
{
	uint64_t at = mapping->start;

	for (size_t i = address_space_first(space, at);
	     i < space->n_mappings && space->mappings[i].start < mapping->end; i++) {
		const struct mapping *under = &space->mappings[i];

		if (!is_file_code(layer, under))
			continue;
		n = append_mapping(mappings, n, mapping, at, under->start);
		at = under->end;
	}
	return append_mapping(mappings, n, mapping, at, mapping->end);
}

/* Lays @added, in order and without overlaps, over the process's memory. */
static int lay(struct jit_layer *layer, const struct mapping *added, size_t n,
	       struct address_space **space)
{
	_cleanup_free_ struct mapping *mappings =
		reallocarray(NULL, n + (*space)->n_mappings + 1, sizeof(*mappings));
	size_t n_free = 0;

	if (!mappings)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		n_free = append_free(layer, *space, &added[i], mappings, n_free);
	if (!n_free)
		return 0;
	int err = address_space_map_all(&layer->on, mappings, n_free);
	return err ? err : address_space_map_all(space, mappings, n_free);
}

/* Parts of codes, numbered from @codes on -> mappings. */
static struct mapping *map_parts(const struct jit_layer *layer, const struct jit_code *codes,
				 const struct range *parts, size_t n)
{
	struct mapping *mappings = calloc(n + 1, sizeof(*mappings));

	for (size_t i = 0; i < n && mappings; i++) {
		const struct jit_code *code = &codes[parts[i].number];

		mappings[i] = (struct mapping){
			.start = parts[i].start,
			.end = parts[i].end,
			.offset = code->offset + (parts[i].start - code->addr),
			.module = layer->codes->module,
			.is_exec = true,
		};
	}
	return mappings;
}

/* Codes that came one after the other. */
static int lay_codes(struct jit_layer *layer, const struct jit_code *codes, size_t n,
		     struct address_space **space)
{
	_cleanup_free_ struct range *ranges = calloc(n + 1, sizeof(*ranges));
	struct range *parts = NULL;
	size_t n_parts;

	if (!ranges)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		ranges[i] =
			(struct range){ codes[i].addr, codes[i].addr + codes[i].size, (uint32_t)i };
	int err = latest_ranges(ranges, n, &parts, &n_parts);
	if (err)
		return err;
	_cleanup_free_ struct mapping *mappings = map_parts(layer, codes, parts, n_parts);
	free(parts);
	return mappings ? lay(layer, mappings, n_parts, space) : -ENOMEM;
}

int jit_layer_create(const struct jit_codes *codes, const struct module_table *modules,
		     struct address_space **space, struct jit_layer **layer_ret)
{
	struct jit_layer *layer = calloc(1, sizeof(*layer));

	if (!layer)
		return -ENOMEM;
	layer->codes = codes;
	layer->modules = modules;
	layer->next = codes->n_from_start;
	layer->on = address_space_create();
	int err = layer->on ? lay_codes(layer, codes->codes, codes->n_from_start, space) : -ENOMEM;
	if (err) {
		jit_layer_destroy(layer);
		return err;
	}
	*layer_ret = layer;
	return 0;
}

struct jit_layer *jit_layer_fork(const struct jit_layer *layer)
{
	struct jit_layer *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *layer;
	copy->next = layer->codes->n;
	address_space_ref(copy->on);
	return copy;
}

int jit_layer_advance(struct jit_layer *layer, uint64_t time_ns, struct address_space **space)
{
	const struct jit_codes *codes = layer->codes;
	size_t first = layer->next;

	while (layer->next < codes->n && codes->codes[layer->next].time_ns <= time_ns)
		layer->next++;
	if (layer->next == first)
		return 0;
	return lay_codes(layer, codes->codes + first, layer->next - first, space);
}

static int lay_again(struct jit_layer *layer, uint64_t start, uint64_t end,
		     struct address_space **space)
{
	const struct address_space *on = layer->on;
	size_t first = address_space_first(on, start), after = first, n = 0;

	while (after < on->n_mappings && on->mappings[after].start < end)
		after++;
	if (after == first)
		return 0;
	_cleanup_free_ struct mapping *again = calloc(after - first, sizeof(*again));
	if (!again)
		return -ENOMEM;
	for (size_t i = first; i < after; i++) {
		const struct mapping *code = &on->mappings[i];

		if (code->module)
			n = append_mapping(again, n, code,
					   code->start > start ? code->start : start,
					   code->end < end ? code->end : end);
	}
	return n ? address_space_map_all(space, again, n) : 0;
}

int jit_layer_follow(struct jit_layer *layer, uint64_t start, uint64_t end, bool is_file,
		     struct address_space **space)
{
	if (!is_file)
		return lay_again(layer, start, end, space);
	const struct mapping nothing = { .start = start, .end = end };
	return address_space_map(&layer->on, &nothing);
}
