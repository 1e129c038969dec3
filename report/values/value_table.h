/*
 * What the variables of a function were: for each how often it was known, why it was not else, and
 * its values with their numbers of samples; in all, and in each calling context of the function.
 * Memory is bounded by the number of different values, of which at most VALUE_TEXTS_MAX are told
 * apart, and of contexts; the others are counted together.
 */
#ifndef REPORT_VALUES_VALUE_TABLE_H
#define REPORT_VALUES_VALUE_TABLE_H

#include "cct/base/pair_map.h"
#include "cct/text/string_ids.h"
#include "report/dwarf/debug_pieces.h"
#include "report/values/value_text.h"

#define VALUE_TEXTS_MAX      65536 /* of a variable */
#define VALUE_PARTS_MAX      1000  /* of all variables: each in one context */
#define VALUE_PART_TEXTS_MAX 1000  /* of a part */
#define VALUE_POWERS         64
#define VALUE_FAILURES_MAX   8

struct value_count {
	uint64_t n;
	double number; /* if the variable's values are numbers */
	uint32_t text; /* in the row's texts */
};

/* A row of a histogram over powers of two: from 2^(i - 1) to less than 2^i, the first below 1. */
struct value_powers {
	uint64_t n[VALUE_POWERS + 1];
};

enum value_row_kind {
	VALUE_PARAMETER,
	VALUE_LOCAL,
	VALUE_TOGETHER, /* what several expressions were at the same samples */
};

struct value_row {
	char *name, *type; /* name: or an expression; type: as in C; "": not known */
	enum value_row_kind kind;
	/* Of a part: the functions that called the variable's function, its caller first, each
	 * ended by a zero, and all by an empty one. NULL: in all contexts. */
	char *callers;
	uint32_t texts_max;
	uint64_t n_apart; /* samples of contexts that are not told apart */
	uint64_t n_known, n_missing[N_DEBUG_REASONS];
	/* Of those known: by memory that was read a moment after the sample, and of the others: at
	 * the sample. */
	uint64_t n_later, n_at_sample;
	struct string_ids texts;
	struct value_count *counts; /* by text; in the order of value_table_finish() then */
	uint32_t n_counts, n_allocated;
	uint64_t n_others; /* with values that are not told apart */
	/* Of those that are numbers: */
	uint64_t n_numbers;
	double sum, squares, min, max;
	struct value_powers below, above; /* below 0, by their amounts; and the others */
};

/* What was read from the processes at the samples, or a moment later. */
struct value_later {
	uint64_t n_at_sample; /* samples at which all was */
	uint64_t n;           /* samples for which it was later; how long after them, in ns: */
	uint64_t sum_ns, max_ns;
	/* Those for which it could not be read, with why: static texts. */
	struct value_failure {
		const char *why;
		uint64_t n;
	} failures[VALUE_FAILURES_MAX];
};

struct value_table {
	struct value_row *rows;
	uint32_t n_rows, n_allocated;
	/* In single contexts; their names are those of their rows, their types NULL. */
	struct value_row *parts;
	uint32_t n_parts, n_parts_allocated;
	struct pair_map parts_by_context;
	/* Samples: all, those with the function on their path, and of the others those whose path
	 * is not complete, so that the function may be on it. */
	uint64_t n_samples, n_found, n_incomplete;
	uint64_t n_inlined, n_leaf; /* of those found: as an inlined call, at the leaf */
	uint64_t n_without;         /* of those found: without debug information */
	struct value_later later;   /* of all samples */
};

void value_table_deinit(struct value_table *table);
/* The row of a variable or an expression, new or old; its type is the first that is not "". NULL:
 * out of memory. Valid until the next call. */
struct value_row *value_table_row(struct value_table *table, const char *name, const char *type,
				  enum value_row_kind kind);
/*
 * The part of a row in the calling context with that number, new or old. @make_callers: on the
 * heap, as in struct value_row; NULL: out of memory. 0 or -ENOMEM; *@part_ret: NULL: there are too
 * many, which is counted. Valid until the next call.
 */
int value_table_part(struct value_table *table, struct value_row *row, uint32_t context,
		     char *(*make_callers)(void *data, uint32_t context), void *data,
		     struct value_row **part_ret);
/* 0 or -ENOMEM. */
int value_row_add(struct value_row *row, const struct value_text *value);
static inline void value_row_miss(struct value_row *row, enum debug_reason reason)
{
	row->n_missing[reason]++;
}
/* A sample for which memory was read, @delay_ns after it; @why: not, or not all, for this reason,
 * of which there are at most VALUE_FAILURES_MAX; NULL: none. */
void value_later_add(struct value_later *later, uint64_t delay_ns, const char *why);
/* Sorts rows (parameters first), values (the commonest first), and parts (by their rows, those with
 * most samples first). */
void value_table_finish(struct value_table *table);

/* The samples that the row has. */
static inline uint64_t value_row_n(const struct value_row *row)
{
	uint64_t n = row->n_known;

	for (unsigned i = 0; i < N_DEBUG_REASONS; i++)
		n += row->n_missing[i];
	return n;
}
/* After value_table_finish(): whether a part is one of the row's. */
static inline bool value_row_has_part(const struct value_row *row, const struct value_row *part)
{
	return part->name == row->name;
}
/* The smallest number that @share (0 to 1) of the numbers do not exceed. false: there are other
 * values, or more than are told apart. */
bool value_row_quantile(const struct value_row *row, double share, double *number_ret);

#endif
