#include "report/feedback/branch_code.h"

#include <errno.h>
#include <stdlib.h>

#include "report/names/active_functions.h"

struct counter {
	const struct branch_paths *paths;
	struct code_lines lines;
	struct code_source *sources; /* by function */
	uint32_t *names;             /* likewise; CODE_LINES_NONE: it is left out */
	uint64_t n, n_placed;
};

static int find_line(struct counter *counter, uint32_t function, uint32_t instruction,
		     struct found_line *ret)
{
	const struct code_source *source = &counter->sources[function];
	const struct flow_graph *graph = &counter->paths->functions[function].graph;

	return code_lines_find(&counter->lines, source,
			       source->start + graph->instructions[instruction].offset, ret);
}

/* Finds the debug information and the name of a function. 0 or -ENOMEM. */
static int open_function(struct counter *counter, uint32_t i)
{
	const struct branch_function *function = &counter->paths->functions[i];
	struct code_source *source = &counter->sources[i];
	struct active_functions active;

	counter->names[i] = CODE_LINES_NONE;
	if (function->frame.kind != FRAME_USER)
		return 0;
	int err = symbolizer_find_functions(counter->paths->symbolizer, &function->frame, &active);
	/* An entry of the procedure linkage table is no function, though it has the name of one. */
	if (err || !active.location.debug || active.location.plt)
		return err;
	*source = (struct code_source){ active.location.debug, active.location.symbol,
					function->vaddr };
	return code_lines_name(&counter->lines, source, &counter->names[i]);
}

static int count_function(struct counter *counter, uint32_t i)
{
	const struct branch_function *function = &counter->paths->functions[i];
	const bool is_named = counter->names[i] != CODE_LINES_NONE;
	struct found_line found;
	int err = 0;

	for (uint32_t k = 0; !err && k < function->graph.n_instructions; k++) {
		const uint64_t count = function->counts[k].executed - function->counts[k].begun;

		counter->n += count;
		if (!count || !is_named)
			continue;
		err = find_line(counter, i, k, &found);
		if (err || found.line == CODE_LINES_NONE)
			continue;
		counter->n_placed += count;
		code_lines_raise(&counter->lines, &found, i, count);
	}
	return err;
}

/* How often a function was entered is how often it was called. */
static int count_call(struct counter *counter, const struct branch_edge *call)
{
	const uint32_t callee = call->to.function, name = counter->names[callee];
	struct found_line found;
	int err = 0;

	if (name == CODE_LINES_NONE || code_source_is_part(&counter->sources[callee]))
		return 0;
	err = code_lines_enter(&counter->lines, &counter->sources[callee], name, call->count);
	if (err || counter->names[call->from.function] == CODE_LINES_NONE)
		return err;
	err = find_line(counter, call->from.function, call->from.instruction, &found);
	return err || found.line == CODE_LINES_NONE
		       ? err
		       : line_counts_call(counter->lines.counts, found.line, name, call->count);
}

static int count(struct counter *counter)
{
	const struct branch_paths *paths = counter->paths;
	int err = 0;

	counter->sources = calloc(paths->n_functions + 1ul, sizeof(*counter->sources));
	counter->names = calloc(paths->n_functions + 1ul, sizeof(*counter->names));
	if (!counter->sources || !counter->names)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < paths->n_functions; i++)
		err = open_function(counter, i);
	for (uint32_t i = 0; !err && i < paths->n_functions; i++)
		err = count_function(counter, i);
	for (uint32_t i = 0; !err && i < paths->n_edges; i++) {
		if (paths->edges[i].is_call)
			err = count_call(counter, &paths->edges[i]);
	}
	return err;
}

int branch_code_count(const struct branch_paths *paths, const struct code_naming *naming,
		      struct line_counts *counts, uint64_t *n_ret, uint64_t *n_placed_ret)
{
	struct counter counter = { .paths = paths };
	int err = code_lines_init(&counter.lines, counts, naming);

	if (!err)
		err = count(&counter);
	*n_ret = counter.n;
	*n_placed_ret = counter.n_placed;
	free(counter.sources);
	free(counter.names);
	code_lines_deinit(&counter.lines);
	return err;
}
