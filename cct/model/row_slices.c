#include "cct/model/row_slices.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/compare.h"

/* What rows of one sum have in common, but for the time. */
static int compare_places(const struct sample_row *a, const struct sample_row *b)
{
	int order = compare_numbers(a->task, b->task);

	if (!order)
		order = compare_numbers(a->cgroup, b->cgroup);
	if (!order)
		order = compare_numbers(a->node, b->node);
	if (!order)
		order = compare_numbers(a->end, b->end);
	return order ? order : compare_numbers(a->marks, b->marks);
}

static int compare_streams(const struct sample_row *a, const struct sample_row *b)
{
	int order = compare_numbers(a->run, b->run);

	if (!order)
		order = compare_numbers(a->metric, b->metric);
	return order ? order : compare_numbers(a->cpu, b->cpu);
}

static int compare_rows(const void *a, const void *b)
{
	const struct sample_row *x = a, *y = b;
	int order = compare_streams(x, y);

	if (!order)
		order = compare_numbers(x->time, y->time);
	if (!order)
		order = compare_places(x, y);
	if (!order)
		order = compare_numbers(x->weight, y->weight);
	return order ? order : compare_numbers(x->n_guessed, y->n_guessed);
}

/* Rows of one sum follow one another, in the order of time. */
static int compare_for_sums(const void *a, const void *b)
{
	const struct sample_row *x = a, *y = b;
	int order = compare_streams(x, y);

	if (!order)
		order = compare_places(x, y);
	return order ? order : compare_numbers(x->time, y->time);
}

static bool is_sorted(const struct sample_rows *rows, int (*compare)(const void *, const void *))
{
	for (uint32_t i = 1; i < rows->n_rows; i++) {
		if (compare(&rows->rows[i - 1], &rows->rows[i]) > 0)
			return false;
	}
	return true;
}

struct row_order {
	const struct sample_rows *rows;
	int (*compare)(const void *, const void *);
};

static int compare_indices(const void *a, const void *b, void *context)
{
	const struct row_order *order = context;

	return order->compare(&order->rows->rows[*(const uint32_t *)a],
			      &order->rows->rows[*(const uint32_t *)b]);
}

/* Moves rows and sums to the places that an order of their indices gives them, circle by circle:
 * there may be millions, so there is no copy of them. The order is lost. */
static void arrange(struct sample_rows *rows, uint32_t *order)
{
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const struct sample_row row = rows->rows[i];
		const struct row_sum sum = rows->sums[i];
		uint32_t at = i;

		for (uint32_t from = order[at]; from != i; from = order[at]) {
			rows->rows[at] = rows->rows[from];
			rows->sums[at] = rows->sums[from];
			order[at] = at;
			at = from;
		}
		rows->rows[at] = row;
		rows->sums[at] = sum;
		order[at] = at;
	}
}

static int sort_with_sums(struct sample_rows *rows, int (*compare)(const void *, const void *))
{
	struct row_order by = { rows, compare };
	_cleanup_free_ uint32_t *order = calloc((size_t)rows->n_rows + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->n_rows; i++)
		order[i] = i;
	qsort_r(order, rows->n_rows, sizeof(*order), compare_indices, &by);
	arrange(rows, order);
	return 0;
}

static int sort(struct sample_rows *rows, int (*compare)(const void *, const void *))
{
	if (is_sorted(rows, compare))
		return 0;
	if (rows->sums)
		return sort_with_sums(rows, compare);
	qsort(rows->rows, rows->n_rows, sizeof(*rows->rows), compare);
	return 0;
}

int row_slices_sort(struct sample_rows *rows)
{
	return sort(rows, compare_rows);
}

/* The time of the sum that a row belongs to. */
static uint64_t time_of_sum(const struct profile *profile, const struct sample_row *row,
			    unsigned shift)
{
	const uint64_t start_us = row->time >> shift << shift;
	const uint64_t phase_us = profile_phase_since(profile, row);
	const uint64_t epoch_us = profile_epoch_since(profile, row);
	const uint64_t later_us = phase_us > epoch_us ? phase_us : epoch_us;

	return later_us > start_us ? later_us : start_us;
}

static bool are_of_one_place(const struct sample_row *a, const struct sample_row *b)
{
	return !compare_streams(a, b) && !compare_places(a, b);
}

/* Of rows that are sorted for sums. */
static uint32_t count_sums(const struct sample_rows *rows, const struct profile *profile,
			   unsigned shift)
{
	uint64_t last_us = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const uint64_t us = time_of_sum(profile, &rows->rows[i], shift);

		n += !i || us != last_us || !are_of_one_place(&rows->rows[i - 1], &rows->rows[i]);
		last_us = us;
	}
	return n;
}

static void add_row(struct sample_rows *rows, struct row_sum *sum, uint32_t to, uint32_t from)
{
	struct sample_row *row = &rows->rows[to];
	const struct row_sum more = sample_rows_sum_of(rows, from);

	row->weight += rows->rows[from].weight;
	if (__builtin_add_overflow(row->n_guessed, rows->rows[from].n_guessed, &row->n_guessed))
		row->n_guessed = UINT32_MAX;
	if (__builtin_add_overflow(sum->squares, more.squares, &sum->squares))
		sum->squares = ~(unsigned __int128)0;
	sum->samples += more.samples;
	if (more.longest > sum->longest)
		sum->longest = more.longest;
}

/* Of rows that are sorted for sums. @sums: room for those of the result; may be those that the rows
 * have. */
static void add_up(struct sample_rows *rows, const struct profile *profile, struct row_sum *sums,
		   unsigned shift)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const uint64_t us = time_of_sum(profile, &rows->rows[i], shift);

		if (n && us == rows->rows[n - 1].time &&
		    are_of_one_place(&rows->rows[n - 1], &rows->rows[i])) {
			add_row(rows, &sums[n - 1], n - 1, i);
			continue;
		}
		sums[n] = sample_rows_sum_of(rows, i);
		rows->rows[n] = rows->rows[i];
		rows->rows[n].time = us;
		n++;
	}
	rows->n_rows = n;
	rows->sums = sums;
	rows->slice_shift = shift;
}

int row_slices_make(struct sample_rows *rows, const struct profile *profile, unsigned shift)
{
	if (shift < rows->slice_shift || !shift)
		return 0;
	if (sort(rows, compare_for_sums))
		return -ENOMEM;
	/* The rows are many, the sums are few. */
	struct row_sum *sums = rows->sums;
	if (!sums)
		sums = calloc((size_t)count_sums(rows, profile, shift) + 1, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	add_up(rows, profile, sums, shift);
	return sort(rows, compare_rows);
}

/* The shortest slices, from @shift on, in which two rows are one sum; ROW_SLICE_SHIFT_MAX + 1:
 * there are none. What is one sum stays one in longer slices. */
static unsigned find_common_slice(const struct profile *profile, const struct sample_row *a,
				  const struct sample_row *b, unsigned shift)
{
	if (!are_of_one_place(a, b))
		return ROW_SLICE_SHIFT_MAX + 1;
	while (shift <= ROW_SLICE_SHIFT_MAX &&
	       time_of_sum(profile, a, shift) != time_of_sum(profile, b, shift))
		shift++;
	return shift;
}

int row_slices_count(struct sample_rows *rows, const struct profile *profile,
		     struct row_slice_counts *counts)
{
	const unsigned least = rows->slice_shift + !rows->slice_shift;
	uint64_t n_joined[ROW_SLICE_SHIFT_MAX + 2] = { 0 }, n = rows->n_rows;

	if (sort(rows, compare_for_sums))
		return -ENOMEM;
	for (uint32_t i = 1; i < rows->n_rows; i++)
		n_joined[find_common_slice(profile, &rows->rows[i - 1], &rows->rows[i], least)]++;
	for (unsigned shift = least; shift <= ROW_SLICE_SHIFT_MAX; shift++) {
		n -= n_joined[shift];
		counts->n[shift] += n;
	}
	return 0;
}

unsigned row_slices_choose(const struct row_slice_counts *counts, uint32_t n_max)
{
	unsigned shift = 1;

	while (shift <= ROW_SLICE_SHIFT_MAX && (!counts->n[shift] || counts->n[shift] > n_max))
		shift++;
	return shift <= ROW_SLICE_SHIFT_MAX ? shift : 0;
}

int row_slices_fit(struct sample_rows *rows, const struct profile *profile, uint32_t n_max)
{
	struct row_slice_counts counts = { .n = { 0 } };

	if (rows->n_rows <= n_max)
		return 0;
	if (row_slices_count(rows, profile, &counts))
		return -ENOMEM;
	const unsigned shift = row_slices_choose(&counts, n_max);
	return shift ? row_slices_make(rows, profile, shift) : -E2BIG;
}

static int append_as_sums(struct sample_rows *rows, const struct sample_rows *from)
{
	if (array_reserve(rows->rows, rows->n_rows, rows->n_rows_allocated, from->n_rows))
		return -ENOMEM;
	struct row_sum *sums =
		reallocarray(rows->sums, (size_t)rows->n_rows_allocated + 1, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	rows->sums = sums;
	for (uint32_t i = 0; i < from->n_rows; i++, rows->n_rows++) {
		rows->rows[rows->n_rows] = from->rows[i];
		rows->sums[rows->n_rows] = sample_rows_sum_of(from, i);
	}
	return 0;
}

int row_slices_add(struct sample_rows *rows, const struct profile *profile,
		   struct sample_rows *from, uint32_t n_max)
{
	int err = append_as_sums(rows, from);

	if (err)
		return err;
	from->n_rows = 0;
	err = row_slices_make(rows, profile, rows->slice_shift ? rows->slice_shift : 1);
	if (!err)
		err = row_slices_fit(rows, profile, n_max);
	return err == -E2BIG ? row_slices_make(rows, profile, ROW_SLICE_SHIFT_MAX) : err;
}
