#include "report/debug_scopes.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cct/cleanup.h"

/* Compilers nest far less; files that do more are made up. */
#define MAX_DEPTH 512
#define MAX_SPANS (1u << 26)

/* A range as the file has it; ranges of nested scopes overlap. */
struct nested_span {
	uint64_t start, end;
	uint32_t scope;
};

/* A place in the walk over a unit's tree. */
struct level {
	Dwarf_Die die;
	uint32_t scope; /* that it stands in */
};

struct builder {
	struct debug_scopes *scopes;
	struct nested_span *nested;
	size_t n_nested, n_nested_allocated;
	struct level levels[MAX_DEPTH];
};

void debug_scopes_deinit(struct debug_scopes *scopes)
{
	free(scopes->scopes);
	free(scopes->spans);
	*scopes = (struct debug_scopes){ 0 };
}

static int add_scope(struct debug_scopes *scopes, const Dwarf_Die *die, uint32_t parent)
{
	if (scopes->n_scopes == scopes->n_scopes_allocated) {
		uint32_t n = scopes->n_scopes ? scopes->n_scopes * 2 : 256;
		struct debug_scope *larger = reallocarray(scopes->scopes, n, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		scopes->scopes = larger;
		scopes->n_scopes_allocated = n;
	}
	scopes->scopes[scopes->n_scopes++] = (struct debug_scope){ .die = *die, .parent = parent };
	return 0;
}

static int add_nested(struct builder *builder, const struct nested_span *span)
{
	if (builder->n_nested == builder->n_nested_allocated) {
		size_t n = builder->n_nested ? builder->n_nested * 2 : 256;
		struct nested_span *larger = reallocarray(builder->nested, n, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		builder->nested = larger;
		builder->n_nested_allocated = n;
	}
	builder->nested[builder->n_nested++] = *span;
	return 0;
}

/* Adds the function with its ranges. 1: it has none, and is no scope. */
static int add_function(struct builder *builder, Dwarf_Die *die, uint32_t parent)
{
	uint32_t scope = builder->scopes->n_scopes;
	size_t n_before = builder->n_nested;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (builder->n_nested < MAX_SPANS &&
	       (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		/* At 0 lies what the linker left out. */
		if (!start || start >= end)
			continue;
		struct nested_span span = { start, end, scope };
		int err = add_nested(builder, &span);
		if (err)
			return err;
	}
	return builder->n_nested == n_before ? 1 : add_scope(builder->scopes, die, parent);
}

/* Whether code may be described below @die, whose scope becomes *@scope. */
static int enter(struct builder *builder, Dwarf_Die *die, uint32_t *scope, bool *descends_ret)
{
	int err = 0;

	*descends_ret = false;
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_entry_point:
		err = add_function(builder, die, *scope);
		if (err == 0)
			*scope = builder->scopes->n_scopes - 1;
		*descends_ret = err == 0 || dwarf_tag(die) == DW_TAG_subprogram;
		return err < 0 ? err : 0;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_namespace:
	case DW_TAG_module:
		*descends_ret = true;
		return 0;
	default:
		return 0;
	}
}

static int walk(struct builder *builder, Dwarf_Die *unit)
{
	struct level *levels = builder->levels;
	size_t depth = 0;
	Dwarf_Die next;

	levels[0] = (struct level){ .scope = SCOPE_NONE };
	if (dwarf_child(unit, &levels[0].die) != 0)
		return 0;
	for (;;) {
		struct level *level = &levels[depth];
		uint32_t scope = level->scope;
		bool descends;
		int err = enter(builder, &level->die, &scope, &descends);

		if (err)
			return err;
		if (descends && depth + 1 < MAX_DEPTH && dwarf_child(&level->die, &next) == 0) {
			levels[++depth] = (struct level){ next, scope };
			continue;
		}
		while (dwarf_siblingof(&levels[depth].die, &next) != 0) {
			if (!depth--)
				return 0;
		}
		levels[depth].die = next;
	}
}

/* Outer before inner where they begin alike: scopes are numbered from the outside in. */
static int compare_nested(const void *a, const void *b)
{
	const struct nested_span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->scope > y->scope) - (x->scope < y->scope);
}

static void add_span(struct debug_scopes *scopes, uint64_t start, uint64_t end, uint32_t scope)
{
	if (start < end)
		scopes->spans[scopes->n_spans++] = (struct debug_span){ start, end, scope };
}

/* Closes the ranges on @stack that end up to @bound. */
static size_t close_until(struct debug_scopes *scopes, const struct nested_span *stack, size_t n,
			  uint64_t bound, uint64_t *at)
{
	while (n && stack[n - 1].end <= bound) {
		add_span(scopes, *at, stack[n - 1].end, stack[n - 1].scope);
		if (stack[n - 1].end > *at)
			*at = stack[n - 1].end;
		n--;
	}
	return n;
}

static int flatten(struct builder *builder)
{
	struct debug_scopes *scopes = builder->scopes;
	size_t n = builder->n_nested, n_open = 0;
	_cleanup_free_ struct nested_span *open = calloc(n + 1, sizeof(*open));
	uint64_t at = 0;

	/* Each range adds a span where it begins at most, and one where it ends. */
	scopes->spans = calloc(2 * n + 1, sizeof(*scopes->spans));
	if (!open || !scopes->spans)
		return -ENOMEM;
	if (n)
		qsort(builder->nested, n, sizeof(*builder->nested), compare_nested);
	for (size_t i = 0; i < n; i++) {
		struct nested_span span = builder->nested[i];

		n_open = close_until(scopes, open, n_open, span.start, &at);
		if (n_open) {
			const struct nested_span *outer = &open[n_open - 1];

			add_span(scopes, at, span.start, outer->scope);
			if (span.end > outer->end)
				span.end = outer->end;
		}
		at = span.start;
		open[n_open++] = span;
	}
	close_until(scopes, open, n_open, UINT64_MAX, &at);
	return 0;
}

int debug_scopes_init(struct debug_scopes *scopes, Dwarf_Die *unit)
{
	struct builder builder = { .scopes = scopes };

	*scopes = (struct debug_scopes){ 0 };
	int err = walk(&builder, unit);
	if (!err)
		err = flatten(&builder);
	free(builder.nested);
	if (err)
		debug_scopes_deinit(scopes);
	return err;
}

uint32_t debug_scopes_find(const struct debug_scopes *scopes, uint64_t vaddr)
{
	size_t low = 0, high = scopes->n_spans;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scopes->spans[middle].end <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < scopes->n_spans && scopes->spans[low].start <= vaddr ? scopes->spans[low].scope
									  : SCOPE_NONE;
}
