#include "report/dwarf/debug_scopes.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/sorted.h"

/* Compilers nest far less; only made-up files nest more. */
#define MAX_DEPTH 512

/*
 * How often each byte of a unit may be read on average. Finding the sibling of a DIE without
 * DW_AT_sibling means reading the DIE's children.
 */
#define MAX_READS 64

/* What a walk searches for. */
enum search {
	FUNCTIONS,     /* only in the usual places: the unit and its namespaces */
	ALL_FUNCTIONS, /* in types and other functions, too */
	INLINED,
};

/* A range as in the file; ranges of nested scopes overlap. */
struct nested_span {
	uint64_t start, end;
	uint32_t scope;
};

/* A level of the walk over a unit's tree. */
struct level {
	struct debug_tree_die die;
	uint32_t scope; /* the scope around the DIE */
};

struct builder {
	struct debug_scopes *scopes;
	const struct debug_tree *tree;
	const struct debug_range_source *source;
	Dwarf_CU *cu;
	enum search search;
	struct nested_span *nested;
	size_t n_nested, n_nested_allocated;
	struct debug_ranges ranges;
	const uint8_t *furthest; /* DIE that was visited */
	uint64_t budget;         /* how many bytes may still be read */
	struct level levels[MAX_DEPTH];
};

void debug_scopes_deinit(struct debug_scopes *scopes)
{
	for (uint32_t i = 0; i < scopes->n_functions && scopes->inlined; i++)
		free(scopes->inlined[i].spans);
	free(scopes->inlined);
	free(scopes->scopes);
	free(scopes->functions.spans);
	*scopes = (struct debug_scopes){ 0 };
}

static int add_scope(struct debug_scopes *scopes, const Dwarf_Die *die, uint32_t parent)
{
	if (array_reserve(scopes->scopes, scopes->n_scopes, scopes->n_scopes_allocated, 1))
		return -ENOMEM;
	scopes->scopes[scopes->n_scopes++] = (struct debug_scope){ .die = *die, .parent = parent };
	return 0;
}

static int add_nested(struct builder *builder, const struct nested_span *span)
{
	if (array_reserve(builder->nested, builder->n_nested, builder->n_nested_allocated, 1))
		return -ENOMEM;
	builder->nested[builder->n_nested++] = *span;
	return 0;
}

/* Adds the ranges of @scope. 1: it has none. */
static int add_ranges(struct builder *builder, Dwarf_Die *die, uint32_t scope)
{
	int err = debug_ranges_read(&builder->ranges, builder->source, die);

	for (size_t i = 0; i < builder->ranges.n && !err; i++) {
		struct nested_span span = { builder->ranges.ranges[i].start,
					    builder->ranges.ranges[i].end, scope };

		err = add_nested(builder, &span);
	}
	return err ? err : !builder->ranges.n;
}

/* Adds a function with its ranges. 1: it has no ranges and was not added. */
static int add_function(struct builder *builder, const struct debug_tree_die *at, uint32_t parent)
{
	Dwarf_Die die = { .addr = (void *)at->at, .cu = builder->cu };
	int err = add_ranges(builder, &die, builder->scopes->n_scopes);

	return err ? err : add_scope(builder->scopes, &die, parent);
}

/*
 * Adds @die if the walk searches for it. *@scope: the scope around @die, replaced by @die if that
 * is an inlined call. *@descends_ret: whether the children of @die are visited.
 */
static int enter(struct builder *builder, const struct debug_tree_die *die, uint32_t *scope,
		 bool *descends_ret)
{
	int err = 0;

	*descends_ret = false;
	switch (die->tag) {
	case DW_TAG_subprogram:
		*descends_ret = builder->search == ALL_FUNCTIONS;
		if (builder->search != INLINED)
			err = add_function(builder, die, SCOPE_NONE);
		return err < 0 ? err : 0;
	case DW_TAG_inlined_subroutine:
		if (builder->search == INLINED)
			err = add_function(builder, die, *scope);
		else
			err = 1;
		*descends_ret = err == 0;
		if (err == 0)
			*scope = builder->scopes->n_scopes - 1;
		return err < 0 ? err : 0;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		*descends_ret = builder->search != FUNCTIONS;
		return 0;
	case DW_TAG_namespace:
	case DW_TAG_module:
		*descends_ret = builder->search != INLINED;
		return 0;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		*descends_ret = builder->search == ALL_FUNCTIONS;
		return 0;
	default:
		return 0;
	}
}

/* The DIEs of a tree are in the file's order, but a malformed DW_AT_sibling may lead anywhere. */
static bool is_ahead(struct builder *builder, const struct debug_tree_die *die)
{
	if (die->at <= builder->furthest)
		return false;
	builder->furthest = die->at;
	return true;
}

static bool next_sibling(struct builder *builder, struct debug_tree_die *die)
{
	const uint8_t *start = die->at;
	struct debug_tree_die next;

	if (!builder->budget)
		return false;
	bool has_next = debug_tree_next(builder->tree, die, &next) && is_ahead(builder, &next);
	uint64_t n_read = (uint64_t)(builder->furthest - start);
	builder->budget -= n_read < builder->budget ? n_read : builder->budget;
	if (has_next)
		*die = next;
	return has_next;
}

/*
 * Moves to the next sibling of the DIE at *@depth, or of the nearest one around it that has a
 * sibling.
 */
static bool leave(struct builder *builder, size_t *depth)
{
	while (!next_sibling(builder, &builder->levels[*depth].die))
		if (!(*depth)--)
			return false;
	return true;
}

/* Visits the DIEs below @root, whose scope is @scope. */
static int walk(struct builder *builder, const Dwarf_Die *root, uint32_t scope)
{
	struct level *levels = builder->levels;
	struct debug_tree_die root_die, next;
	size_t depth = 0;

	levels[0].scope = scope;
	builder->furthest = root->addr;
	builder->budget = MAX_READS * (uint64_t)(builder->tree->end - builder->tree->start);
	if (!debug_tree_read(builder->tree, root->addr, &root_die) ||
	    !debug_tree_child(builder->tree, &root_die, &levels[0].die) ||
	    !is_ahead(builder, &levels[0].die))
		return 0;
	do {
		uint32_t inner = levels[depth].scope;
		bool descends = true;

		while (descends) {
			int err = enter(builder, &levels[depth].die, &inner, &descends);

			if (err)
				return err;
			if (!descends || depth + 1 == MAX_DEPTH ||
			    !debug_tree_child(builder->tree, &levels[depth].die, &next) ||
			    !is_ahead(builder, &next))
				break;
			levels[++depth] = (struct level){ next, inner };
		}
	} while (leave(builder, &depth));
	return 0;
}

/* By start. Of ranges with the same start, outer scopes come first; they have lower numbers. */
static int compare_nested(const void *a, const void *b)
{
	const struct nested_span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->scope > y->scope) - (x->scope < y->scope);
}

static void add_span(struct debug_spans *spans, uint64_t start, uint64_t end, uint32_t scope)
{
	if (start < end)
		spans->spans[spans->n++] = (struct debug_span){ start, end, scope };
}

/* Closes the ranges on @stack that end at @bound or before. */
static size_t close_until(struct debug_spans *spans, const struct nested_span *stack, size_t n,
			  uint64_t bound, uint64_t *at)
{
	while (n && stack[n - 1].end <= bound) {
		add_span(spans, *at, stack[n - 1].end, stack[n - 1].scope);
		if (stack[n - 1].end > *at)
			*at = stack[n - 1].end;
		n--;
	}
	return n;
}

static int flatten(struct builder *builder, struct debug_spans *spans)
{
	size_t n = builder->n_nested, n_open = 0;
	_cleanup_free_ struct nested_span *open = calloc(n + 1, sizeof(*open));
	uint64_t at = 0;

	/* Each range adds at most one span at its start and one at its end. */
	*spans = (struct debug_spans){ .spans = calloc(2 * n + 1, sizeof(*spans->spans)) };
	if (!open || !spans->spans)
		return -ENOMEM;
	if (n)
		qsort(builder->nested, n, sizeof(*builder->nested), compare_nested);
	for (size_t i = 0; i < n; i++) {
		struct nested_span span = builder->nested[i];

		n_open = close_until(spans, open, n_open, span.start, &at);
		if (n_open) {
			const struct nested_span *outer = &open[n_open - 1];

			add_span(spans, at, span.start, outer->scope);
			if (span.end > outer->end)
				span.end = outer->end;
		}
		at = span.start;
		open[n_open++] = span;
	}
	close_until(spans, open, n_open, UINT64_MAX, &at);
	return 0;
}

static void init_builder(struct builder *builder, struct debug_scopes *scopes, Dwarf_CU *cu,
			 const struct debug_tree *tree, const struct debug_range_source *source,
			 enum search search)
{
	memset(builder, 0, offsetof(struct builder, levels));
	builder->scopes = scopes;
	builder->cu = cu;
	builder->tree = tree;
	builder->source = source;
	builder->search = search;
}

static void release_builder(struct builder *builder)
{
	free(builder->nested);
	debug_ranges_deinit(&builder->ranges);
}

static int read_functions(struct builder *builder, Dwarf_Die *unit, struct debug_scopes *scopes)
{
	int err = walk(builder, unit, SCOPE_NONE);

	if (err)
		return err;
	err = flatten(builder, &scopes->functions);
	if (err)
		return err;
	scopes->n_functions = scopes->n_scopes;
	scopes->inlined = calloc(scopes->n_functions + 1ul, sizeof(*scopes->inlined));
	return scopes->inlined ? 0 : -ENOMEM;
}

int debug_scopes_init(struct debug_scopes *scopes, Dwarf_Die *unit, const struct debug_tree *tree,
		      const struct debug_range_source *source, bool is_thorough)
{
	struct builder builder;

	init_builder(&builder, scopes, unit->cu, tree, source,
		     is_thorough ? ALL_FUNCTIONS : FUNCTIONS);
	*scopes = (struct debug_scopes){ 0 };
	int err = read_functions(&builder, unit, scopes);
	release_builder(&builder);
	if (err)
		debug_scopes_deinit(scopes);
	return err;
}

static int read_inlined(struct debug_scopes *scopes, const struct debug_tree *tree,
			const struct debug_range_source *source, uint32_t function)
{
	Dwarf_Die die = scopes->scopes[function].die;
	struct builder builder;

	init_builder(&builder, scopes, die.cu, tree, source, INLINED);
	int err = add_ranges(&builder, &die, function);
	if (err >= 0)
		err = walk(&builder, &die, function);
	if (!err)
		err = flatten(&builder, &scopes->inlined[function]);
	release_builder(&builder);
	return err;
}

static uint32_t find_span(const struct debug_spans *spans, uint64_t vaddr)
{
	size_t low = sorted_count(spans->n, i, spans->spans[i].end <= vaddr);

	return low < spans->n && spans->spans[low].start <= vaddr ? spans->spans[low].scope
								  : SCOPE_NONE;
}

int debug_scopes_find(struct debug_scopes *scopes, const struct debug_tree *tree,
		      const struct debug_range_source *source, uint64_t vaddr, uint32_t *scope_ret)
{
	uint32_t function = find_span(&scopes->functions, vaddr), scope;
	int err = 0;

	if (function != SCOPE_NONE && !scopes->inlined[function].spans)
		err = read_inlined(scopes, tree, source, function);
	if (err)
		return err;
	scope = function == SCOPE_NONE ? function : find_span(&scopes->inlined[function], vaddr);
	*scope_ret = scope == SCOPE_NONE ? function : scope;
	return 0;
}
