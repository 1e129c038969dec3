/*
 * Everything that costs are added to has a slot. A frame hits up to four slots: those of its
 * function, line, inlined part and instruction. First the slots that each frame hits are found,
 * then costs are added to them (annotate_costs.c), then the lists are sorted (annotate_order.c).
 */
#include "report/annotate/annotate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/sorted.h"
#include "report/annotate/annotate_costs.h"
#include "report/annotate/annotate_maps.h"
#include "report/annotate/annotate_order.h"
#include "report/names/function_query.h"
#include "report/names/source_paths.h"

#define NONE ANNOTATE_NONE

#define APPEND(array, n, ...)                                  \
	({                                                     \
		int append_err_ = array_reserve_one(array, n); \
		if (!append_err_)                              \
			(array)[(n)++] = __VA_ARGS__;          \
		append_err_;                                   \
	})

void annotation_destroy(struct annotation *annotation)
{
	struct annotation_maps *maps = annotation ? annotation->maps : NULL;

	if (!annotation)
		return;
	for (uint32_t i = 0; i < annotation->n_codes; i++)
		free(annotation->codes[i].starts);
	if (maps) {
		pair_map_deinit(&maps->functions);
		pair_map_deinit(&maps->lines);
		pair_map_deinit(&maps->parts);
		pair_map_deinit(&maps->addresses);
		pair_map_deinit(&maps->codes);
		pair_map_deinit(&maps->frames);
		disassembler_destroy(maps->disassembler);
		free(maps->matches);
		free(maps->hits);
		free(maps->frame_hits);
	}
	free(maps);
	free(annotation->functions);
	free(annotation->lines);
	free(annotation->parts);
	free(annotation->addresses);
	free(annotation->codes);
	free(annotation->costs);
	source_paths_destroy(annotation->paths);
	free(annotation);
}

static bool is_code(const struct frame *frame)
{
	return frame->kind == FRAME_USER || frame->kind == FRAME_KERNEL;
}

static int grow_matches(struct annotation_maps *maps, uint32_t function)
{
	uint32_t n = maps->n_matches;

	if (array_reserve(maps->matches, n, maps->n_matches, function + 1 - n) || !maps->matches)
		return -ENOMEM;
	memset(maps->matches + n, 0, maps->n_matches - n);
	return 0;
}

static int note_match(struct annotation_maps *maps, const struct function_query *query,
		      const struct frame_name *name, enum function_match *best)
{
	enum function_match match;

	if (name->function >= maps->n_matches && grow_matches(maps, name->function))
		return -ENOMEM;
	if (maps->matches[name->function])
		return 0;
	match = function_query_match(query, name);
	maps->matches[name->function] = (uint8_t)(1 + match);
	if (match > *best)
		*best = match;
	return 0;
}

/* Compares every function of the tree with @wanted. @best_ret: the quality of the best match. */
static int match_functions(struct annotation *annotation, const char *wanted,
			   enum function_match *best_ret)
{
	const struct cct *cct = annotation->profile->cct;
	struct function_query *query = function_query_create(wanted);
	int err = query ? 0 : -ENOMEM;

	*best_ret = FUNCTION_DIFFERS;
	for (uint32_t i = 0; i < cct->n_nodes && !err; i++) {
		const struct frame_name *names;
		size_t n_names = 0;

		if (!is_code(cct_frame(cct, i)))
			continue;
		err = symbolizer_expand(annotation->symbolizer, cct_frame(cct, i), &names,
					&n_names);
		for (size_t j = 0; j < n_names && !err; j++)
			err = note_match(annotation->maps, query, &names[j], best_ret);
	}
	function_query_destroy(query);
	return err;
}

/* The same for the functions with the highest self cost. */
static int match_hottest(struct annotation *annotation, const struct hottest_limits *limits,
			 enum function_match *best_ret)
{
	struct annotation_maps *maps = annotation->maps;
	_cleanup_free_ struct hottest_function *hottest = calloc(limits->max, sizeof(*hottest));
	size_t n = 0;

	if (!hottest)
		return -ENOMEM;
	int err = hottest_functions_find(annotation->profile, annotation->symbolizer,
					 annotation->sort_metric, limits, hottest, &n);
	for (size_t i = 0; i < n && !err; i++) {
		const uint32_t function = hottest[i].name.function;

		if (function >= maps->n_matches && grow_matches(maps, function))
			err = -ENOMEM;
		else
			maps->matches[function] = 1 + FUNCTION_MATCHES;
	}
	*best_ret = n ? FUNCTION_MATCHES : FUNCTION_DIFFERS;
	return err;
}

/* Finds the slot for a pair in the map, or adds a new one and sets *@is_new_ret. */
static int find_slot(struct annotation *annotation, struct pair_map *map, uint64_t a, uint64_t b,
		     uint32_t *slot_ret, bool *is_new_ret)
{
	*slot_ret = pair_map_find(map, a, b);
	*is_new_ret = *slot_ret == PAIR_MAP_NONE;
	if (!*is_new_ret)
		return 0;
	*slot_ret = annotation->n_slots++;
	return pair_map_add(map, a, b, *slot_ret);
}

static int find_path(struct annotation *annotation, const struct frame_name *name, uint32_t *path,
		     uint32_t *line)
{
	*path = NONE;
	*line = 0;
	if (!name->file || !name->line)
		return 0;
	*line = name->line;
	return source_paths_intern(annotation->paths, name->directory, name->file, path);
}

static int add_hit(struct annotation *annotation, uint32_t slot, bool is_self)
{
	struct annotation_maps *maps = annotation->maps;

	return APPEND(maps->hits, maps->n_hits, (struct hit){ slot, is_self });
}

static int hit_line(struct annotation *annotation, uint32_t function, const struct frame_name *name,
		    bool is_self, uint32_t *slot_ret)
{
	struct annotated_line line = { .function = function };
	bool is_new = false;
	int err = find_path(annotation, name, &line.path, &line.line);

	if (err)
		return err;
	err = find_slot(annotation, &annotation->maps->lines, (uint64_t)line.path << 32 | line.line,
			function, &line.slot, &is_new);
	if (err)
		return err;
	if (is_new)
		err = APPEND(annotation->lines, annotation->n_lines, line);
	*slot_ret = line.slot;
	return err ? err : add_hit(annotation, line.slot, is_self);
}

/* @inlined: the innermost function, whose code the sample is in. */
static int hit_part(struct annotation *annotation, uint32_t function, uint32_t line_slot,
		    const struct frame_name *inlined)
{
	struct annotated_part part = {
		.function = function,
		.line_slot = line_slot,
		.inlined = inlined->name,
	};
	bool is_new = false;
	int err = find_path(annotation, inlined, &part.path, &part.line);

	if (err)
		return err;
	err = find_slot(annotation, &annotation->maps->parts, (uint64_t)part.path << 32 | part.line,
			(uint64_t)line_slot << 32 | inlined->function, &part.slot, &is_new);
	if (err)
		return err;
	if (is_new)
		err = APPEND(annotation->parts, annotation->n_parts, part);
	return err ? err : add_hit(annotation, part.slot, true);
}

/* NULL: there is none for this machine; maps->disassembler_err says why. */
static struct disassembler *disassembler_for(struct annotation_maps *maps, uint16_t machine)
{
	if (maps->machine != machine) {
		disassembler_destroy(maps->disassembler);
		maps->disassembler = NULL;
		maps->machine = machine;
		maps->disassembler_err = disassembler_create(machine, false, &maps->disassembler);
	}
	return maps->disassembler;
}

/* Finds where each instruction of the code begins. */
static int find_instructions(struct annotation *annotation, struct annotated_code *code)
{
	struct disassembler *disassembler = disassembler_for(annotation->maps, code->machine);
	struct instruction instruction;
	int err = 0;

	if (!disassembler) {
		code->problem = annotation->maps->disassembler_err == -ELIBACC
					? "libcapstone, which disassembles, is not here"
					: "code of this architecture cannot be disassembled";
		code->bytes = NULL;
		return 0;
	}
	for (size_t at = 0; at < code->n_bytes && !err; at += instruction.size) {
		err = APPEND(code->starts, code->n_starts, (uint32_t)at);
		disassembler_next(disassembler, code->bytes + at, code->n_bytes - at,
				  code->start + at, &instruction);
	}
	return err;
}

static int read_code(struct annotation *annotation, const struct frame_code *at,
		     struct annotated_code *code)
{
	code->start = at->start;
	code->problem = at->problem;
	code->machine = at->machine;
	code->size = at->end > at->start && at->end != UINT64_MAX ? at->end - at->start : 0;
	code->bytes = at->bytes;
	code->n_bytes = at->n_bytes < ANNOTATE_MAX_CODE ? at->n_bytes : ANNOTATE_MAX_CODE;
	return code->bytes ? find_instructions(annotation, code) : 0;
}

/* Finds or adds the compiled function that contains the frame. */
static int find_code(struct annotation *annotation, const struct frame *frame, const char *name,
		     uint32_t *code_ret, uint64_t *vaddr_ret)
{
	struct annotated_code code = { .frame = *frame, .name = name };
	struct frame_code at;
	int err = symbolizer_code(annotation->symbolizer, frame, &at);

	if (err)
		return err;
	*vaddr_ret = at.vaddr;
	*code_ret = pair_map_find(&annotation->maps->codes, at.start, frame->module);
	if (*code_ret != PAIR_MAP_NONE)
		return 0;
	*code_ret = annotation->n_codes;
	err = read_code(annotation, &at, &code);
	if (!err)
		err = APPEND(annotation->codes, annotation->n_codes, code);
	if (err) {
		free(code.starts);
		return err;
	}
	return pair_map_add(&annotation->maps->codes, at.start, frame->module, *code_ret);
}

/*
 * The start of the instruction that contains @vaddr. The lookup address of a caller lies inside its
 * call instruction.
 */
static uint64_t instruction_start(const struct annotated_code *code, uint64_t vaddr)
{
	if (!code->bytes || vaddr < code->start || vaddr - code->start >= code->n_bytes)
		return vaddr;
	/* The first one begins with the code. */
	size_t last =
		sorted_count(code->n_starts - 1, i, code->starts[i + 1] <= vaddr - code->start);
	return code->start + code->starts[last];
}

static int hit_address(struct annotation *annotation, uint32_t function, uint32_t code,
		       uint64_t vaddr)
{
	struct annotated_address address = {
		.function = function,
		.code = code,
		.vaddr = instruction_start(&annotation->codes[code], vaddr),
	};
	bool is_new;
	int err = find_slot(annotation, &annotation->maps->addresses, address.vaddr, function,
			    &address.slot, &is_new);

	if (!err && is_new)
		err = APPEND(annotation->addresses, annotation->n_addresses, address);
	return err ? err : add_hit(annotation, address.slot, true);
}

/* Code that was compiled more than once stands for a function with one of its pieces. */
static void prefer_available_code(struct annotation *annotation, uint32_t index, uint32_t code)
{
	struct annotated_function *function = &annotation->functions[index];

	if (!annotation->codes[function->code].bytes && annotation->codes[code].bytes)
		function->code = code;
}

static int find_function(struct annotation *annotation, const struct frame *frame,
			 const struct frame_name *name, uint32_t code, uint32_t *function_ret)
{
	struct annotated_function function = {
		.id = name->function,
		.index = annotation->n_functions,
		.name = name->name,
		.module = name->module,
		.module_path = name->module_path,
		.is_inlined = name->is_inlined,
		.is_kernel = frame->kind == FRAME_KERNEL,
		.code = code,
	};

	*function_ret = pair_map_find(&annotation->maps->functions, name->function, 0);
	if (*function_ret != PAIR_MAP_NONE) {
		prefer_available_code(annotation, *function_ret, code);
		return 0;
	}
	*function_ret = annotation->n_functions;
	function.slot = annotation->n_slots++;
	if (APPEND(annotation->functions, annotation->n_functions, function))
		return -ENOMEM;
	return pair_map_add(&annotation->maps->functions, name->function, 0, *function_ret);
}

/*
 * Records the hits of one of the functions active at a frame. @n_names counts it and those inlined
 * into it.
 */
static int hit_function(struct annotation *annotation, const struct frame *frame,
			const struct frame_name *names, size_t n_names, uint32_t code,
			uint64_t vaddr)
{
	bool is_innermost = true;
	uint32_t function, line;
	int err = find_function(annotation, frame, &names[0], code, &function);

	if (err)
		return err;
	for (size_t i = 1; i < n_names; i++)
		is_innermost &= names[i].function != names[0].function;
	err = hit_line(annotation, function, &names[0], is_innermost, &line);
	/* A function that is inlined into itself gets the cost once. */
	if (err || !is_innermost)
		return err;
	err = add_hit(annotation, annotation->functions[function].slot, true);
	if (err)
		return err;
	err = hit_address(annotation, function, code, vaddr);
	if (err || n_names < 2)
		return err;
	return hit_part(annotation, function, line, &names[n_names - 1]);
}

static bool is_wanted(const struct annotation_maps *maps, const struct frame_name *name,
		      enum function_match best)
{
	return name->function < maps->n_matches && maps->matches[name->function] == 1 + best;
}

static int hit_functions(struct annotation *annotation, const struct frame *frame,
			 enum function_match best)
{
	const struct frame_name *names;
	size_t n_names, first = 0;
	uint64_t vaddr;
	uint32_t code;
	int err = symbolizer_expand(annotation->symbolizer, frame, &names, &n_names);

	while (!err && first < n_names && !is_wanted(annotation->maps, &names[first], best))
		first++;
	if (err || first == n_names)
		return err;
	err = find_code(annotation, frame, names[0].name, &code, &vaddr);
	for (size_t i = first; i < n_names && !err; i++) {
		if (is_wanted(annotation->maps, &names[i], best))
			err = hit_function(annotation, frame, &names[i], n_names - i, code, vaddr);
	}
	return err;
}

/* Finds the hits of each node's frame. @by_node receives indexes of frame_hits, or NONE. */
static int find_hits(struct annotation *annotation, enum function_match best, uint32_t *by_node)
{
	const struct cct *cct = annotation->profile->cct;
	struct annotation_maps *maps = annotation->maps;

	for (uint32_t i = 0; i < cct->n_nodes; i++) {
		const struct frame *frame = cct_frame(cct, i);
		uint64_t key = (uint64_t)frame->kind << 32 | frame->module;
		uint32_t first = maps->n_hits;

		by_node[i] = NONE;
		if (!is_code(frame))
			continue;
		by_node[i] = pair_map_find(&maps->frames, frame->offset, key);
		if (by_node[i] != PAIR_MAP_NONE)
			continue;
		int err = hit_functions(annotation, frame, best);
		if (err)
			return err;
		by_node[i] = maps->n_frame_hits;
		struct frame_hits hits = { first, maps->n_hits - first };
		if (APPEND(maps->frame_hits, maps->n_frame_hits, hits) ||
		    pair_map_add(&maps->frames, frame->offset, key, by_node[i]))
			return -ENOMEM;
	}
	return 0;
}

static int fill(struct annotation *annotation, enum function_match best)
{
	if (best == FUNCTION_DIFFERS)
		return 0;
	_cleanup_free_ uint32_t *by_node =
		calloc((size_t)annotation->profile->cct->n_nodes + 1, sizeof(*by_node));
	if (!by_node)
		return -ENOMEM;
	int err = find_hits(annotation, best, by_node);
	if (err)
		return err;
	err = annotation_add_costs(annotation, by_node);
	if (err)
		return err;
	annotation_arrange(annotation);
	return 0;
}

/* An annotation without functions. NULL: out of memory. */
static struct annotation *create_empty(const struct profile *profile, struct symbolizer *symbolizer,
				       uint32_t sort_metric)
{
	struct annotation *annotation = calloc(1, sizeof(*annotation));

	if (!annotation)
		return NULL;
	annotation->profile = profile;
	annotation->symbolizer = symbolizer;
	annotation->n_metrics = profile->cct->n_metrics;
	annotation->sort_metric = sort_metric;
	annotation->paths = source_paths_create();
	annotation->maps = calloc(1, sizeof(*annotation->maps));
	if (annotation->paths && annotation->maps)
		return annotation;
	annotation_destroy(annotation);
	return NULL;
}

/* Takes the annotation, whose functions are chosen unless @err says what went wrong. */
static int finish(struct annotation *annotation, enum function_match best, int err,
		  struct annotation **annotation_ret)
{
	if (!err)
		err = fill(annotation, best);
	if (err)
		annotation_destroy(annotation);
	else
		*annotation_ret = annotation;
	return err;
}

int annotation_create(const struct profile *profile, struct symbolizer *symbolizer,
		      const char *wanted, uint32_t sort_metric, struct annotation **annotation_ret)
{
	struct annotation *annotation = create_empty(profile, symbolizer, sort_metric);
	enum function_match best = FUNCTION_DIFFERS;

	if (!annotation)
		return -ENOMEM;
	int err = match_functions(annotation, wanted, &best);
	return finish(annotation, best, err, annotation_ret);
}

int annotation_create_hottest(const struct profile *profile, struct symbolizer *symbolizer,
			      uint32_t sort_metric, const struct hottest_limits *limits,
			      struct annotation **annotation_ret)
{
	struct annotation *annotation = create_empty(profile, symbolizer, sort_metric);
	enum function_match best = FUNCTION_DIFFERS;

	if (!annotation)
		return -ENOMEM;
	int err = match_hottest(annotation, limits, &best);
	return finish(annotation, best, err, annotation_ret);
}

const char *annotation_path(const struct annotation *annotation, uint32_t path)
{
	return source_paths_get(annotation->paths, path);
}

uint32_t annotation_slot_at(const struct annotation *annotation,
			    const struct annotated_function *function, uint64_t vaddr)
{
	return pair_map_find(&annotation->maps->addresses, vaddr, function->index);
}

int annotation_place(struct annotation *annotation, const struct annotated_function *function,
		     const struct annotated_code *code, uint64_t vaddr, bool *belongs_ret,
		     struct annotated_place *place_ret)
{
	const struct frame_name *names;
	struct frame frame;
	size_t n_names, at;

	*belongs_ret = false;
	if (!symbolizer_frame_at(annotation->symbolizer, &code->frame, vaddr, &frame))
		return 0;
	int err = symbolizer_expand(annotation->symbolizer, &frame, &names, &n_names);
	for (at = err ? 0 : n_names; at > 0 && names[at - 1].function != function->id; at--)
		;
	if (!at)
		return err;
	*belongs_ret = true;
	*place_ret = (struct annotated_place){ .inlined_path = NONE };
	err = find_path(annotation, &names[at - 1], &place_ret->path, &place_ret->line);
	if (err || at == n_names)
		return err;
	place_ret->inlined = names[n_names - 1].name;
	return find_path(annotation, &names[n_names - 1], &place_ret->inlined_path,
			 &place_ret->inlined_line);
}

int annotation_symbol(struct annotation *annotation, const struct annotated_code *code,
		      uint64_t vaddr, char *buffer, size_t size)
{
	struct frame_name name;
	struct frame frame;
	int err;

	buffer[0] = '\0';
	if (!symbolizer_frame_at(annotation->symbolizer, &code->frame, vaddr, &frame))
		return 0;
	err = symbolizer_name(annotation->symbolizer, &frame, &name);
	if (err || name.symbol_offset == UINT64_MAX)
		return err;
	snprintf(buffer, size, name.symbol_offset ? "%s+0x%" PRIx64 : "%s", name.name,
		 name.symbol_offset);
	return 0;
}
