#include "report/feedback/line_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

void line_counts_deinit(struct line_counts *counts)
{
	string_ids_deinit(&counts->names);
	free(counts->functions);
	free(counts->lines);
	free(counts->calls);
	free(counts->function_order);
	free(counts->line_order);
	free(counts->call_order);
	pair_map_deinit(&counts->by_function);
	pair_map_deinit(&counts->by_line);
	pair_map_deinit(&counts->by_call);
	*counts = (struct line_counts){ 0 };
}

uint64_t line_counts_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

int line_counts_name(struct line_counts *counts, const char *name, uint32_t *name_ret)
{
	bool is_new;

	return string_ids_add(&counts->names, name, name_ret, &is_new);
}

static uint64_t key_of(struct line_place place)
{
	return (uint64_t)place.offset << 32 | place.block;
}

int line_counts_function(struct line_counts *counts, uint32_t parent, struct line_place place,
			 uint32_t name, uint32_t *function_ret)
{
	const uint64_t owner = (uint64_t)parent << 32 | name;

	*function_ret = pair_map_find(&counts->by_function, owner, key_of(place));
	if (*function_ret != PAIR_MAP_NONE)
		return 0;
	if (array_reserve(counts->functions, counts->n_functions, counts->functions_allocated, 1))
		return -ENOMEM;
	*function_ret = counts->n_functions;
	counts->functions[counts->n_functions++] =
		(struct counted_function){ .parent = parent, .name = name, .place = place };
	return pair_map_add(&counts->by_function, owner, key_of(place), *function_ret);
}

int line_counts_line(struct line_counts *counts, uint32_t function, struct line_place place,
		     uint32_t *line_ret)
{
	*line_ret = pair_map_find(&counts->by_line, function, key_of(place));
	if (*line_ret != PAIR_MAP_NONE)
		return 0;
	if (array_reserve(counts->lines, counts->n_lines, counts->lines_allocated, 1))
		return -ENOMEM;
	*line_ret = counts->n_lines;
	counts->lines[counts->n_lines++] =
		(struct counted_line){ .function = function, .place = place };
	return pair_map_add(&counts->by_line, function, key_of(place), *line_ret);
}

void line_counts_raise(struct line_counts *counts, uint32_t line, uint32_t code, uint64_t count)
{
	struct counted_line *of = &counts->lines[line];

	if (of->code != code) {
		of->earlier = line_counts_sum(of->earlier, of->highest);
		of->highest = 0;
		of->code = code;
	}
	if (count > of->highest)
		of->highest = count;
}

int line_counts_call(struct line_counts *counts, uint32_t line, uint32_t name, uint64_t count)
{
	uint32_t call = pair_map_find(&counts->by_call, line, name);
	int err = 0;

	if (call == PAIR_MAP_NONE) {
		if (array_reserve(counts->calls, counts->n_calls, counts->calls_allocated, 1))
			return -ENOMEM;
		call = counts->n_calls++;
		counts->calls[call] = (struct counted_call){ .line = line, .name = name };
		err = pair_map_add(&counts->by_call, line, name, call);
	}
	counts->calls[call].count = line_counts_sum(counts->calls[call].count, count);
	return err;
}

/* -- sums ------------------------------------------------------------------------------------- */

static void sum_up(struct line_counts *counts, bool are_estimates)
{
	for (uint32_t i = 0; i < counts->n_lines; i++)
		counts->lines[i].count =
			line_counts_sum(counts->lines[i].earlier, counts->lines[i].highest);
	uint64_t called = 0; /* by the line of the calls, which are in order */
	for (uint32_t i = 0; i < counts->n_calls; i++) {
		const struct counted_call *call = &counts->calls[counts->call_order[i]];
		struct counted_line *line = &counts->lines[call->line];

		if (!line->n_calls++) {
			line->first_call = i;
			called = 0;
		}
		called = line_counts_sum(called, call->count);
		if (are_estimates && called > line->count)
			line->count = called;
	}
	for (uint32_t i = 0; i < counts->n_lines; i++) {
		uint64_t *total = &counts->functions[counts->lines[i].function].total;

		*total = line_counts_sum(*total, counts->lines[i].count);
	}
	for (uint32_t i = counts->n_functions; i-- > 0;) {
		const struct counted_function *function = &counts->functions[i];

		if (function->parent == LINE_COUNTS_TOP)
			continue;
		uint64_t *total = &counts->functions[function->parent].total;
		*total = line_counts_sum(*total, function->total);
	}
}

/* -- order ------------------------------------------------------------------------------------ */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_names(const struct line_counts *counts, uint32_t a, uint32_t b)
{
	return strcmp(counts->names.strings[a], counts->names.strings[b]);
}

static int compare_functions(const void *a, const void *b, void *opaque)
{
	const struct line_counts *counts = opaque;
	const struct counted_function *x = &counts->functions[*(const uint32_t *)a];
	const struct counted_function *y = &counts->functions[*(const uint32_t *)b];
	/* As the top's number is the highest, that of the next one is 0. */
	int order = compare_numbers(x->parent + 1u, y->parent + 1u);

	if (!order && x->parent == LINE_COUNTS_TOP)
		order = compare_numbers(y->total, x->total);
	if (!order)
		order = compare_numbers(key_of(x->place), key_of(y->place));
	return order ? order : compare_names(counts, x->name, y->name);
}

static int compare_lines(const void *a, const void *b, void *opaque)
{
	const struct line_counts *counts = opaque;
	const struct counted_line *x = &counts->lines[*(const uint32_t *)a];
	const struct counted_line *y = &counts->lines[*(const uint32_t *)b];
	const int order = compare_numbers(x->function, y->function);

	return order ? order : compare_numbers(key_of(x->place), key_of(y->place));
}

static int compare_calls(const void *a, const void *b, void *opaque)
{
	const struct line_counts *counts = opaque;
	const struct counted_call *x = &counts->calls[*(const uint32_t *)a];
	const struct counted_call *y = &counts->calls[*(const uint32_t *)b];
	int order = compare_numbers(x->line, y->line);

	if (!order)
		order = compare_numbers(y->count, x->count);
	return order ? order : compare_names(counts, x->name, y->name);
}

/* The numbers below @n in that order. NULL: out of memory. */
static uint32_t *sort(struct line_counts *counts, uint32_t n,
		      int (*compare)(const void *, const void *, void *))
{
	uint32_t *order = calloc(n + 1ul, sizeof(*order));

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = i;
	if (order && n)
		qsort_r(order, n, sizeof(*order), compare, counts);
	return order;
}

static void find_parts(struct line_counts *counts)
{
	for (uint32_t i = 0; i < counts->n_lines; i++) {
		const struct counted_line *line = &counts->lines[counts->line_order[i]];
		struct counted_function *function = &counts->functions[line->function];

		if (!function->n_lines++)
			function->first_line = i;
	}
	for (uint32_t i = 0; i < counts->n_functions; i++) {
		const uint32_t parent = counts->functions[counts->function_order[i]].parent;

		if (parent == LINE_COUNTS_TOP)
			counts->n_top++;
		else if (!counts->functions[parent].n_inlined++)
			counts->functions[parent].first_inlined = i;
	}
}

int line_counts_finish(struct line_counts *counts, bool are_estimates)
{
	counts->call_order = sort(counts, counts->n_calls, compare_calls);
	if (!counts->call_order)
		return -ENOMEM;
	sum_up(counts, are_estimates);
	counts->line_order = sort(counts, counts->n_lines, compare_lines);
	counts->function_order = sort(counts, counts->n_functions, compare_functions);
	if (!counts->line_order || !counts->function_order)
		return -ENOMEM;
	find_parts(counts);
	return 0;
}
