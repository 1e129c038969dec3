#include "report/html/page_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "report/html/page_column.h"

#define COMPARE(field)            \
	if (x->field != y->field) \
	return x->field < y->field ? -1 : 1

static int compare_rows(const void *a, const void *b)
{
	const struct page_row *x = a, *y = b;

	COMPARE(place);
	COMPARE(metric);
	COMPARE(slice);
	COMPARE(task);
	COMPARE(cpu);
	COMPARE(cgroup);
	return 0;
}

/* Sorts the rows, and adds equal ones up. */
static void add_up(struct page_rows *rows)
{
	uint32_t n = 0;

	qsort(rows->rows, rows->n, sizeof(*rows->rows), compare_rows);
	for (uint32_t i = 0; i < rows->n; i++) {
		const struct page_row *row = &rows->rows[i];

		if (n && compare_rows(&rows->rows[n - 1], row) == 0) {
			rows->rows[n - 1].samples += row->samples;
			rows->rows[n - 1].weight += row->weight;
			rows->rows[n - 1].squares += row->squares;
		} else {
			rows->rows[n++] = *row;
		}
	}
	rows->n = n;
}

/* So that a second, a minute or an hour has a whole number of slices, as far as they are shorter.
 */
static uint64_t round_length(uint64_t us)
{
	static const struct {
		uint64_t whole, unit;
	} parts[] = { { 1000000, 1 }, { 60000000, 1000000 }, { 3600000000, 60000000 } };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		uint64_t n = (us + parts[i].unit - 1) / parts[i].unit;

		while (n * parts[i].unit < parts[i].whole && (parts[i].whole / parts[i].unit) % n)
			n++;
		if (n * parts[i].unit <= parts[i].whole)
			return n * parts[i].unit;
	}
	return us;
}

static void choose_slices(struct page_rows *rows, const struct sample_rows *from)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < from->n_rows; i++)
		last = from->rows[i].time > last ? from->rows[i].time : last;
	rows->slice_us = round_length(last / PAGE_SLICES + 1);
	rows->n_slices = last ? (uint32_t)(last / rows->slice_us) + 1 : 0;
}

static void double_slices(struct page_rows *rows)
{
	for (uint32_t i = 0; i < rows->n; i++) {
		if (rows->rows[i].slice)
			rows->rows[i].slice = (rows->rows[i].slice - 1) / 2 + 1;
	}
	rows->slice_us *= 2;
	rows->n_slices = (rows->n_slices + 1) / 2;
}

int page_rows_init(struct page_rows *rows, const struct profile *profile,
		   const struct page_tree *tree, const uint32_t *nodes)
{
	const struct sample_rows *from = profile->rows;

	*rows = (struct page_rows){ 0 };
	if (!from || !from->n_rows)
		return 0;
	rows->rows = calloc(from->n_rows, sizeof(*rows->rows));
	if (!rows->rows)
		return -ENOMEM;
	choose_slices(rows, from);
	for (uint32_t i = 0; i < from->n_rows; i++) {
		const struct sample_row *row = &from->rows[i];

		if (row->metric >= profile->n_metrics || row->node >= profile->cct->n_nodes)
			continue;
		rows->rows[rows->n++] = (struct page_row){
			.place = tree->places[nodes[row->node]],
			.metric = row->metric,
			.task = row->task,
			.cpu = row->cpu + 1, /* 0 if it is not known */
			.cgroup = row->cgroup,
			/* The first sample of a run has time 0, like those without times. */
			.slice = rows->n_slices ? (uint32_t)(row->time / rows->slice_us) + 1 : 0,
			.samples = sample_rows_samples_of(from, i),
			.weight = row->weight,
			.squares = sample_rows_sum_of(from, i).squares,
		};
	}
	add_up(rows);
	while (rows->n > PAGE_ROWS_MAX && rows->n_slices > 1) {
		double_slices(rows);
		add_up(rows);
	}
	if (rows->n > PAGE_ROWS_MAX)
		rows->n = 0;
	return 0;
}

void page_rows_deinit(struct page_rows *rows)
{
	free(rows->rows);
}

static int write_text(struct string_ids *strings, struct byte_buffer *out, const char *text)
{
	uint32_t id;
	bool is_new;
	int err = string_ids_add(strings, text ? text : "[unknown]", &id, &is_new);

	if (!err)
		byte_buffer_add_unsigned(out, id);
	return err;
}

static int write_tasks(const struct sample_rows *rows, struct string_ids *strings,
		       struct byte_buffer *out)
{
	int err = 0;

	byte_buffer_add_unsigned(out, rows->n_tasks);
	for (uint32_t i = 0; i < rows->n_tasks && !err; i++) {
		const struct row_task *task = &rows->tasks[i];

		byte_buffer_add_unsigned(out, (uint32_t)task->pid + 1u);
		byte_buffer_add_unsigned(out, (uint32_t)task->tid + 1u);
		err = write_text(strings, out, rows->names.strings[task->process_name]);
		if (!err)
			err = write_text(strings, out, rows->names.strings[task->thread_name]);
	}
	return err;
}

static int write_cgroups(const struct profile *profile, struct string_ids *strings,
			 struct byte_buffer *out)
{
	int err = 0;

	byte_buffer_add_unsigned(out, profile->cgroups.n_strings);
	for (uint32_t i = 0; i < profile->cgroups.n_strings && !err; i++)
		err = write_text(strings, out, profile->cgroups.strings[i]);
	return err;
}

#define WRITE_COLUMN(field)                                            \
	do {                                                           \
		for (uint32_t i = 0; i < rows->n; i++)                 \
			page_column_add(&column, rows->rows[i].field); \
		page_column_write(&column, out);                       \
	} while (0)

static void write_squares(const struct page_rows *rows, struct byte_buffer *out)
{
	struct page_squares squares = { 0 };

	for (uint32_t i = 0; i < rows->n; i++)
		page_squares_add(&squares, rows->rows[i].squares);
	page_squares_write(&squares, out);
	page_squares_deinit(&squares);
}

static void write_columns(const struct page_rows *rows, struct byte_buffer *out)
{
	struct page_column column = { 0 };

	for (uint32_t i = 0; i < rows->n; i++)
		page_column_add(&column, rows->rows[i].place - (i ? rows->rows[i - 1].place : 0));
	page_column_write(&column, out);
	WRITE_COLUMN(metric);
	WRITE_COLUMN(slice);
	WRITE_COLUMN(task);
	WRITE_COLUMN(cpu);
	WRITE_COLUMN(cgroup);
	WRITE_COLUMN(samples);
	WRITE_COLUMN(weight);
	page_column_deinit(&column);
}

int page_rows_write(const struct page_rows *rows, const struct profile *profile,
		    struct string_ids *strings, bool squares, struct byte_buffer *out)
{
	byte_buffer_add_unsigned(out, rows->n);
	if (!rows->n)
		return 0;
	byte_buffer_add_unsigned(out, rows->n_slices);
	byte_buffer_add_unsigned(out, rows->slice_us);
	int err = write_tasks(profile->rows, strings, out);
	if (!err)
		err = write_cgroups(profile, strings, out);
	if (!err)
		write_columns(rows, out);
	if (!err && squares)
		write_squares(rows, out);
	return err;
}
