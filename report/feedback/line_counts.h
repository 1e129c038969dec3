/*
 * How often the lines of functions were executed, as estimated or counted: a tree in which an
 * inlined function is below the function and the place that it was inlined at. What profiles for
 * compilers are written from.
 *
 * Use: line_counts_function() and _line() find what counts are added to; line_counts_finish(), then
 * read. Memory is bounded by the distinct functions, places and callees.
 */
#ifndef REPORT_FEEDBACK_LINE_COUNTS_H
#define REPORT_FEEDBACK_LINE_COUNTS_H

#include "cct/base/pair_map.h"
#include "cct/text/string_ids.h"
#include "report/feedback/line_place.h"

#define LINE_COUNTS_TOP UINT32_MAX

struct counted_function {
	uint32_t parent;         /* what it is inlined into; LINE_COUNTS_TOP: it is not */
	uint32_t name;           /* in line_counts.names */
	struct line_place place; /* of its call in the parent */
	uint64_t head;           /* how often it was entered, if it is not inlined */
	uint64_t total;          /* the sum of its lines, and of what is inlined into it */
	/* Set by line_counts_finish(): in ->line_order and ->function_order. */
	uint32_t first_line, n_lines;
	uint32_t first_inlined, n_inlined;
};

struct counted_line {
	uint32_t function;
	uint32_t code; /* the code that ->highest is of */
	struct line_place place;
	uint64_t earlier; /* the sum of the counts of other code */
	uint64_t highest;
	uint64_t count; /* set by line_counts_finish() */
	/* Set by line_counts_finish(): in ->call_order. */
	uint32_t first_call, n_calls;
};

/* A function that a line calls. */
struct counted_call {
	uint32_t line;
	uint32_t name; /* in line_counts.names */
	uint64_t count;
};

/* All zero is an empty tree. */
struct line_counts {
	struct string_ids names;
	struct counted_function *functions; /* a parent is before what is inlined into it */
	uint32_t n_functions, functions_allocated;
	struct counted_line *lines;
	uint32_t n_lines, lines_allocated;
	struct counted_call *calls;
	uint32_t n_calls, calls_allocated;
	/* Set by line_counts_finish(): indices. */
	uint32_t *function_order; /* those not inlined first: by total, the highest first, and by
				     name; then by parent, place and name */
	uint32_t n_top;           /* those that are not inlined */
	uint32_t *line_order;     /* by function and place */
	uint32_t *call_order;     /* by line; the highest count first, then by name */
	struct pair_map by_function, by_line, by_call;
};

void line_counts_deinit(struct line_counts *counts);
/* 0 or -ENOMEM. */
int line_counts_name(struct line_counts *counts, const char *name, uint32_t *name_ret);
int line_counts_function(struct line_counts *counts, uint32_t parent, struct line_place place,
			 uint32_t name, uint32_t *function_ret);
int line_counts_line(struct line_counts *counts, uint32_t function, struct line_place place,
		     uint32_t *line_ret);
/*
 * Blocks of code that belong to a line were executed so often: of those of one function of the
 * program, whose number is @code, the highest count holds; counts of several functions are added.
 * All of one function are given before those of the next.
 */
void line_counts_raise(struct line_counts *counts, uint32_t line, uint32_t code, uint64_t count);
/* A line called a function so often. 0 or -ENOMEM. */
int line_counts_call(struct line_counts *counts, uint32_t line, uint32_t name, uint64_t count);
/* Sums up and sorts. @are_estimates: a line's count is raised to how often it called others. 0 or
 * -ENOMEM. */
int line_counts_finish(struct line_counts *counts, bool are_estimates);
/* @a + @b, or the highest number. */
uint64_t line_counts_sum(uint64_t a, uint64_t b);

#endif
