#include "report/feedback/context_counts.h"

#include <errno.h>
#include <stdlib.h>

#include "report/feedback/block_estimates.h"
#include "report/names/active_functions.h"

#define NONE        CODE_LINES_NONE
#define CONTEXT_MAX 256 /* functions in a context; what is called then begins another one */

/* A node of the tree that is code with lines. */
struct context_node {
	uint64_t start, vaddr; /* of the function, and of the node's instruction */
	uint32_t module;
	uint32_t node;
	uint32_t base; /* the function in its context, in the counts */
};

struct builder {
	const struct profile *profile;
	struct symbolizer *symbolizer;
	struct code_lines lines;
	struct sampled_weights *weights;
	uint32_t metric;
	uint32_t *node_lines; /* by node: the line of its instruction; NONE: not known */
	struct context_node *nodes;
	uint32_t n_nodes;
};

/* -- contexts --------------------------------------------------------------------------------- */

/* The function on the path from the top to @function that has this name, or NONE. *@depth_ret: the
 * functions on the path up to there. */
static uint32_t find_on_path(const struct line_counts *counts, uint32_t function, uint32_t name,
			     unsigned *depth_ret)
{
	*depth_ret = 0;
	for (; function != LINE_COUNTS_TOP; function = counts->functions[function].parent) {
		if (counts->functions[function].name == name)
			return function;
		++*depth_ret;
	}
	return NONE;
}

/* The function in the counts that is called at a line; @line NONE: by unknown code. */
static int find_base(struct builder *builder, uint32_t line, uint32_t name, uint32_t *base_ret)
{
	struct line_counts *counts = builder->lines.counts;
	const struct line_place none = { 0 };

	unsigned depth;

	if (line == NONE)
		return line_counts_function(counts, LINE_COUNTS_TOP, none, name, base_ret);
	const uint32_t caller = counts->lines[line].function;
	*base_ret = find_on_path(counts, caller, name, &depth);
	if (*base_ret != NONE)
		return 0;
	return depth < CONTEXT_MAX
		       ? line_counts_function(counts, caller, counts->lines[line].place, name,
					      base_ret)
		       : line_counts_function(counts, LINE_COUNTS_TOP, none, name, base_ret);
}

static int find_source(struct builder *builder, const struct frame *frame,
		       struct code_source *source_ret, uint64_t *vaddr_ret)
{
	struct active_functions active;
	struct frame_code code = { 0 };
	int err = symbolizer_find_functions(builder->symbolizer, frame, &active);

	if (!err)
		err = symbolizer_code(builder->symbolizer, frame, &code);
	if (err)
		return err;
	*source_ret =
		(struct code_source){ active.location.debug, active.location.symbol, code.start };
	*vaddr_ret = code.vaddr;
	return 0;
}

static bool is_program(const struct builder *builder, const struct frame *frame)
{
	const struct module *module =
		frame->kind == FRAME_USER
			? module_table_get(&builder->profile->modules, frame->module)
			: NULL;

	return module && module->key.kind == MODULE_ELF;
}

/* Finds the context of a node, whose parent's is known. 0 or -ENOMEM. */
static int place_node(struct builder *builder, uint32_t node)
{
	const struct cct *cct = builder->profile->cct;
	const struct frame *frame = cct_frame(cct, node);
	const uint64_t weight = cct_cost(cct, node, builder->metric)->weight;
	const uint32_t caller_line = node ? builder->node_lines[cct->nodes[node].parent] : NONE;
	struct code_source source;
	struct found_line found;
	uint64_t vaddr;
	uint32_t name, base;

	builder->node_lines[node] = NONE;
	builder->weights->all += weight;
	if (!is_program(builder, frame)) {
		builder->weights->elsewhere += weight;
		/* A row that is no code is between callers and the code that they call. */
		if (node && frame->kind != FRAME_USER && frame->kind != FRAME_KERNEL)
			builder->node_lines[node] = caller_line;
		return 0;
	}
	int err = find_source(builder, frame, &source, &vaddr);
	if (err)
		return err;
	if (!source.debug) {
		builder->weights->without_debug += weight;
		return 0;
	}
	err = code_lines_name(&builder->lines, &source, &name);
	if (err || name == NONE) {
		builder->weights->unnamed += weight;
		return err;
	}
	err = find_base(builder, caller_line, name, &base);
	if (!err)
		err = code_lines_find_in(&builder->lines, &source, base, vaddr, &found);
	if (err)
		return err;
	builder->node_lines[node] = found.line;
	builder->nodes[builder->n_nodes++] =
		(struct context_node){ source.start, vaddr, frame->module, node, base };
	return 0;
}

/* -- counts ----------------------------------------------------------------------------------- */

static int compare_nodes(const void *a, const void *b)
{
	const struct context_node *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->base > y->base) - (x->base < y->base);
}

/* Counts the lines of a function in one context. 0 or -ENOMEM. */
static int count_context(struct builder *builder, const struct code_source *source,
			 struct block_estimates *estimates, const struct context_node *nodes,
			 uint32_t n)
{
	struct sampled_weights *sums = builder->weights;
	struct counted_function *function;
	struct found_line found;
	int err = 0;

	block_estimates_clear(estimates);
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t weight =
			cct_cost(builder->profile->cct, nodes[i].node, builder->metric)->weight;

		if (!block_estimates_add(estimates, nodes[i].vaddr - source->start, weight))
			sums->without_debug += weight;
	}
	block_estimates_make(estimates);
	for (uint32_t i = 0; !err && i < estimates->graph->n_instructions; i++) {
		if (!estimates->counts[i])
			continue;
		err = code_lines_find_in(&builder->lines, source, nodes[0].base,
					 source->start + estimates->graph->instructions[i].offset,
					 &found);
		if (!err && found.line == NONE)
			*(found.is_unnamed ? &sums->unnamed : &sums->without_debug) +=
				estimates->weights[i];
		else if (!err)
			sums->placed += estimates->weights[i];
		if (!err && found.line != NONE)
			code_lines_raise(&builder->lines, &found, nodes[0].base,
					 estimates->counts[i]);
	}
	function = &builder->lines.counts->functions[nodes[0].base];
	if (!code_source_is_part(source))
		function->head = line_counts_sum(function->head, estimates->entered);
	return err;
}

/* Counts a function in all its contexts. 0 or -ENOMEM. */
static int count_function(struct builder *builder, const struct context_node *nodes, uint32_t n)
{
	const struct frame *frame = cct_frame(builder->profile->cct, nodes[0].node);
	struct block_estimates estimates = { 0 };
	struct flow_graph graph = { 0 };
	struct code_source source;
	struct frame_code code = { 0 };
	uint64_t vaddr;
	uint32_t end;
	int err = find_source(builder, frame, &source, &vaddr);

	if (!err)
		err = symbolizer_code(builder->symbolizer, frame, &code);
	if (!err)
		err = code.n_bytes ? flow_graph_init(&graph, code.machine, code.bytes, code.n_bytes,
						     source.start)
				   : -ENOTSUP;
	if (err == -ENOTSUP) {
		for (uint32_t i = 0; i < n; i++)
			builder->weights->without_debug +=
				cct_cost(builder->profile->cct, nodes[i].node, builder->metric)
					->weight;
		return 0;
	}
	if (!err)
		err = block_estimates_init(&estimates, &graph);
	for (uint32_t i = 0; !err && i < n; i = end) {
		for (end = i + 1; end < n && nodes[end].base == nodes[i].base; end++)
			;
		err = count_context(builder, &source, &estimates, &nodes[i], end - i);
	}
	block_estimates_deinit(&estimates);
	flow_graph_deinit(&graph);
	return err;
}

static int count_functions(struct builder *builder)
{
	uint32_t end;
	int err = 0;

	if (builder->n_nodes)
		qsort(builder->nodes, builder->n_nodes, sizeof(*builder->nodes), compare_nodes);
	for (uint32_t i = 0; !err && i < builder->n_nodes; i = end) {
		const struct context_node *first = &builder->nodes[i];

		for (end = i + 1; end < builder->n_nodes; end++)
			if (builder->nodes[end].module != first->module ||
			    builder->nodes[end].start != first->start)
				break;
		err = count_function(builder, first, end - i);
	}
	return err;
}

/* What a line calls is below it with the number of its entries. 0 or -ENOMEM. */
static int count_calls(struct builder *builder)
{
	struct line_counts *counts = builder->lines.counts;
	int err = 0;

	for (uint32_t i = 0; !err && i < counts->n_functions; i++) {
		const struct counted_function function = counts->functions[i];
		uint32_t line;

		if (function.parent == LINE_COUNTS_TOP || !function.head)
			continue;
		err = line_counts_line(counts, function.parent, function.place, &line);
		if (!err)
			err = line_counts_call(counts, line, function.name, function.head);
	}
	return err;
}

int context_counts_fill(const struct profile *profile, struct symbolizer *symbolizer,
			uint32_t metric, const struct code_naming *naming,
			struct line_counts *counts, struct sampled_weights *weights_ret)
{
	const uint32_t n = profile->cct->n_nodes;
	struct builder builder = {
		.profile = profile,
		.symbolizer = symbolizer,
		.weights = weights_ret,
		.metric = metric,
		.node_lines = calloc(n + 1ul, sizeof(*builder.node_lines)),
		.nodes = calloc(n + 1ul, sizeof(*builder.nodes)),
	};
	int err = code_lines_init(&builder.lines, counts, naming);

	*weights_ret = (struct sampled_weights){ 0 };
	if (!builder.node_lines || !builder.nodes)
		err = -ENOMEM;
	for (uint32_t i = 0; !err && i < n; i++)
		err = place_node(&builder, i);
	if (!err)
		err = count_functions(&builder);
	if (!err)
		err = count_calls(&builder);
	code_lines_deinit(&builder.lines);
	free(builder.node_lines);
	free(builder.nodes);
	return err;
}
