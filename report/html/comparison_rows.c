#include "report/html/comparison_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "report/html/comparison_columns.h"
#include "report/html/page_column.h"
#include "report/html/page_marks.h"
#include "report/html/page_string.h"

#define KEY_SIZE 32 /* of two numbers */

#define COMPARE(field)            \
	if (x->field != y->field) \
	return x->field < y->field ? -1 : 1

static int compare_rows(const void *a, const void *b)
{
	const struct comparison_row *x = a, *y = b;

	COMPARE(metric);
	COMPARE(run);
	COMPARE(path);
	COMPARE(is_rest);
	COMPARE(slice);
	COMPARE(thread);
	return 0;
}

static void add_cost(struct diff_cost *cost, const struct diff_cost *more)
{
	cost->weight += more->weight;
	cost->samples += more->samples;
	cost->squares += more->squares;
}

/* Sorts rows, and adds equal ones up. How many there are then. */
static uint32_t add_up(struct comparison_row *rows, uint32_t n_before)
{
	uint32_t n = 0;

	if (n_before)
		qsort(rows, n_before, sizeof(*rows), compare_rows);
	for (uint32_t i = 0; i < n_before; i++) {
		if (n && compare_rows(&rows[n - 1], &rows[i]) == 0)
			add_cost(&rows[n - 1].cost, &rows[i].cost);
		else
			rows[n++] = rows[i];
	}
	return n;
}

static bool is_of_run(const struct comparison_run *run, const struct sample_row *row)
{
	return run->profile_run == COMPARISON_ALL_RUNS || row->run == run->profile_run;
}

static uint64_t last_time(const struct comparison_run *run)
{
	const struct sample_rows *rows = run->profile->rows;
	uint64_t last = 0;

	for (uint32_t i = 0; i < rows->n_rows; i++) {
		if (is_of_run(run, &rows->rows[i]) && rows->rows[i].time > last)
			last = rows->rows[i].time;
	}
	return last;
}

static uint32_t longer_slice(uint32_t slice, unsigned shift)
{
	return slice ? ((slice - 1) >> shift) + 1 : 0;
}

/* Makes the slices of a side long enough for one more run. */
static void choose_slices(struct comparison_side *side, uint64_t last)
{
	unsigned more = 0;

	while (last >> (side->shift + more) >= COMPARISON_SLICES)
		more++;
	for (uint32_t i = 0; more && i < side->n; i++)
		side->rows[i].slice = longer_slice(side->rows[i].slice, more);
	side->shift += more;
	side->n_slices = longer_slice(side->n_slices, more);
	if (last && side->n_slices < (uint32_t)(last >> side->shift) + 1)
		side->n_slices = (uint32_t)(last >> side->shift) + 1;
}

/* The number of a task's thread in one process of the tree, which is the same for most samples. */
struct known_thread {
	bool is_known;
	uint32_t process, id;
};

struct adding {
	struct comparison_rows *rows;
	const struct diff_rows *diff;
	const struct comparison_run *run;
	size_t *metrics;            /* compared metrics, by the number in the profile */
	struct known_thread *known; /* by task */
	bool has_times;
};

/* Numbers of metrics that are compared, by that of the profile; SIZE_MAX: it is not. To free().
 * NULL: no memory. */
static size_t *number_metrics(const struct comparison_run *run)
{
	const uint32_t n = run->profile->n_metrics;
	size_t *numbers = calloc((size_t)n + 1, sizeof(*numbers));

	for (uint32_t i = 0; numbers && i < n; i++)
		numbers[i] = SIZE_MAX;
	for (size_t i = run->n_metrics; numbers && i-- > 0;)
		numbers[run->metrics[i]] = i;
	return numbers;
}

static const char *name_of(const struct string_ids *names, uint32_t id)
{
	const char *name = id < names->n_strings ? names->strings[id] : NULL;

	return name ? name : "[unknown]";
}

/* The row of the process that a path is of; DIFF_NO_ROW: none is. */
static uint32_t process_of(const struct diff_rows *diff, uint32_t path)
{
	while (path != DIFF_NO_ROW && diff->rows[path].parent != DIFF_NO_ROW)
		path = diff->rows[path].parent;
	return path != DIFF_NO_ROW && diff->rows[path].kind == ROW_PROCESS ? path : DIFF_NO_ROW;
}

/* "make", "make/worker": the thread's name, as a comparison of threads has it. */
static int add_names(struct comparison_rows *rows, const char *process, const char *name,
		     struct comparison_thread *thread_ret)
{
	_cleanup_free_ char *joined =
		strcmp(process, name) != 0 ? sentence("%s/%s", process, name) : strdup(name);
	bool is_new;

	if (!joined || string_ids_add(&rows->strings, process, &thread_ret->process, &is_new) ||
	    string_ids_add(&rows->strings, joined, &thread_ret->thread, &is_new))
		return -ENOMEM;
	return 0;
}

static int number_thread(struct comparison_rows *rows, const struct diff_rows *diff,
			 uint32_t process, const struct sample_rows *from,
			 const struct row_task *task, uint32_t *id_ret)
{
	const char *process_name = process == DIFF_NO_ROW
					   ? name_of(&from->names, task->process_name)
					   : diff->rows[process].name;
	struct comparison_thread thread;
	char key[KEY_SIZE];
	bool is_new;
	int err = add_names(rows, process_name, name_of(&from->names, task->thread_name), &thread);

	if (err)
		return err;
	snprintf(key, sizeof(key), "%u %u", thread.process, thread.thread);
	err = string_ids_add(&rows->keys, key, id_ret, &is_new);
	if (err || !is_new)
		return err;
	if (array_reserve(rows->threads, rows->n_threads, rows->n_threads_allocated, 1))
		return -ENOMEM;
	rows->threads[rows->n_threads++] = thread;
	return 0;
}

static int find_thread(struct adding *adding, uint32_t path, uint32_t task, uint32_t *id_ret)
{
	const struct sample_rows *from = adding->run->profile->rows;
	const uint32_t process = process_of(adding->diff, path);
	struct known_thread *known = &adding->known[task];
	int err = 0;

	if (!known->is_known || known->process != process)
		err = number_thread(adding->rows, adding->diff, process, from, &from->tasks[task],
				    &known->id);
	known->is_known = true;
	known->process = process;
	*id_ret = known->id;
	return err;
}

static struct diff_cost cost_of(const struct comparison_run *run, uint32_t i)
{
	const struct row_sum sum = sample_rows_sum_of(run->profile->rows, i);

	if (run->counts_samples)
		return (struct diff_cost){ sum.samples, sum.samples, 0 };
	return (struct diff_cost){ run->profile->rows->rows[i].weight, sum.samples,
				   (double)sum.squares };
}

static int add_row(struct adding *adding, uint32_t i)
{
	const struct sample_row *from = &adding->run->profile->rows->rows[i];
	struct comparison_side *side = &adding->rows->sides[adding->run->side];
	struct comparison_row row = {
		.path = adding->run->paths[from->node],
		.metric = (uint32_t)adding->metrics[from->metric],
		.run = (uint32_t)adding->run->number,
		/* The first sample of a run has time 0, like those without times. */
		.slice = adding->has_times ? (uint32_t)(from->time >> side->shift) + 1 : 0,
		.cost = cost_of(adding->run, i),
	};
	int err = find_thread(adding, row.path, from->task, &row.thread);

	if (err || array_reserve(side->rows, side->n, side->n_allocated, 1))
		return -ENOMEM;
	side->rows[side->n++] = row;
	return 0;
}

static bool is_compared(const struct adding *adding, const struct sample_row *row)
{
	const struct profile *profile = adding->run->profile;

	return is_of_run(adding->run, row) && row->metric < profile->n_metrics &&
	       adding->metrics[row->metric] != SIZE_MAX && row->node < profile->cct->n_nodes &&
	       row->task < profile->rows->n_tasks;
}

static int add_rows(struct adding *adding)
{
	const struct sample_rows *from = adding->run->profile->rows;
	struct comparison_side *side = &adding->rows->sides[adding->run->side];
	const uint32_t n_before = side->n;
	const uint64_t last = last_time(adding->run);
	int err = 0;

	adding->has_times = last > 0;
	choose_slices(side, last);
	for (uint32_t i = 0; i < from->n_rows && !err; i++) {
		if (is_compared(adding, &from->rows[i]))
			err = add_row(adding, i);
	}
	side->n = n_before + add_up(side->rows + n_before, side->n - n_before);
	return err;
}

static int write_marks(FILE *out, const struct comparison_run *run)
{
	const bool is_alone = run->profile_run == COMPARISON_ALL_RUNS;

	if (is_alone) /* of a merged profile, whose runs they are is not known */
		page_losses_write(out, &run->profile->info);
	return page_phases_write_of_run(out, run->profile, is_alone ? 0 : run->profile_run);
}

static int add_marks(struct comparison_rows *rows, const struct comparison_run *run)
{
	const size_t n = rows->n_marks > run->number ? rows->n_marks : run->number + 1;
	char **marks = reallocarray(rows->marks, n, sizeof(*marks));
	size_t size;

	if (!marks)
		return -ENOMEM;
	rows->marks = marks;
	for (; rows->n_marks < n; rows->n_marks++)
		marks[rows->n_marks] = NULL;
	FILE *out = open_memstream(&marks[run->number], &size);
	if (!out)
		return -ENOMEM;
	int err = write_marks(out, run);
	return fclose(out) ? -ENOMEM : err;
}

int comparison_rows_add(struct comparison_rows *rows, const struct diff_rows *diff,
			const struct comparison_run *run)
{
	struct adding adding = { .rows = rows, .diff = diff, .run = run };

	if (!run->profile->rows)
		return 0;
	adding.metrics = number_metrics(run);
	adding.known = calloc((size_t)run->profile->rows->n_tasks + 1, sizeof(*adding.known));
	int err = adding.metrics && adding.known ? add_rows(&adding) : -ENOMEM;
	if (!err)
		err = add_marks(rows, run);
	free(adding.metrics);
	free(adding.known);
	return err;
}

void comparison_rows_drop_metrics(struct comparison_rows *rows, const bool *is_dropped)
{
	for (int i = 0; i < N_DIFF_SIDES; i++) {
		struct comparison_side *side = &rows->sides[i];
		uint32_t n = 0;

		for (uint32_t j = 0; j < side->n; j++) {
			struct comparison_row row = side->rows[j];

			if (is_dropped[row.metric])
				continue;
			for (uint32_t k = side->rows[j].metric; k-- > 0;)
				row.metric -= is_dropped[k];
			side->rows[n++] = row;
		}
		side->n = n;
	}
}

void comparison_rows_deinit(struct comparison_rows *rows)
{
	for (int i = 0; i < N_DIFF_SIDES; i++)
		free(rows->sides[i].rows);
	for (size_t i = 0; i < rows->n_marks; i++)
		free(rows->marks[i]);
	free(rows->marks);
	free(rows->threads);
	string_ids_deinit(&rows->strings);
	string_ids_deinit(&rows->keys);
}

/* Where a path's rows are written. */
struct destination {
	uint32_t number; /* of the page's node */
	bool is_rest;
};

struct writing {
	const struct diff *paths;
	struct destination *destinations; /* by row of the comparison */
	struct comparison_row *rows;      /* by metric, run, node, slice, thread; path: a number */
	uint32_t n;
	struct page_column column; /* reused */
};

static uint64_t count_samples(const struct diff *paths, size_t row)
{
	const size_t n_runs = paths->rows.n_runs;
	uint64_t n = 0;

	for (size_t metric = 0; metric < paths->rows.n_metrics; metric++) {
		const struct diff_cost *total = paths->rows.metrics[metric].rows[DIFF_TOTAL];

		for (size_t run = 0; run < n_runs; run++)
			n += total[row * n_runs + run].samples;
	}
	return n;
}

/* Each row of the comparison follows the one above it. */
static int find_destinations(struct writing *writing, uint64_t least)
{
	const struct diff *paths = writing->paths;
	const size_t n = paths->rows.n_rows;
	struct destination *to = writing->destinations = calloc(n + 1, sizeof(*to));

	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < paths->n_shown; i++)
		to[paths->order[i]].number = (uint32_t)i + 1;
	for (size_t i = 0; i < n; i++) {
		const uint32_t above = paths->rows.rows[i].parent;

		if (count_samples(paths, i) >= least)
			continue;
		to[i].number = above == DIFF_NO_ROW ? 0 : to[above].number;
		to[i].is_rest = true;
	}
	return 0;
}

static int take_rows(struct writing *writing, const struct comparison_rows *rows, unsigned shift)
{
	uint32_t n = 0;

	writing->rows = calloc((size_t)rows->sides[DIFF_BEFORE].n + rows->sides[DIFF_AFTER].n + 1,
			       sizeof(*writing->rows));
	if (!writing->rows)
		return -ENOMEM;
	for (int i = 0; i < N_DIFF_SIDES; i++) {
		for (uint32_t j = 0; j < rows->sides[i].n; j++) {
			struct comparison_row row = rows->sides[i].rows[j];
			struct destination to = { 0 };

			if (row.path != DIFF_NO_ROW)
				to = writing->destinations[row.path];
			row.path = to.number;
			row.is_rest = to.is_rest;
			row.slice = longer_slice(row.slice, shift);
			writing->rows[n++] = row;
		}
	}
	writing->n = add_up(writing->rows, n);
	return 0;
}

/* Columns of the @n rows from @rows on, of one metric and run. */
static void write_columns(struct page_column *column, const struct comparison_row *rows, uint32_t n,
			  struct byte_buffer *out)
{
	uint64_t before = 0;

	byte_buffer_add_unsigned(out, n);
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t node = 2 * (uint64_t)rows[i].path + rows[i].is_rest;

		page_column_add(column, node - before);
		before = node;
	}
	page_column_write(column, out);
	for (uint32_t i = 0; i < n; i++)
		page_column_add(column, rows[i].slice);
	page_column_write(column, out);
	for (uint32_t i = 0; i < n; i++)
		page_column_add(column, rows[i].thread);
	page_column_write(column, out);
	for (uint32_t i = 0; i < n; i++)
		page_column_add(column, rows[i].cost.weight);
	page_column_write(column, out);
	for (uint32_t i = 0; i < n; i++)
		page_column_add(column, rows[i].cost.samples);
	page_column_write(column, out);
	for (uint32_t i = 0; i < n; i++)
		page_column_add(column, comparison_unevenness(&rows[i].cost));
	page_column_write(column, out);
}

static void write_rows(struct writing *writing, struct byte_buffer *out)
{
	const struct diff_rows *diff = &writing->paths->rows;
	uint32_t at = 0;

	for (size_t metric = 0; metric < diff->n_metrics; metric++) {
		for (size_t run = 0; run < diff->n_runs; run++) {
			const uint32_t first = at;

			while (at < writing->n && writing->rows[at].metric == metric &&
			       writing->rows[at].run == run)
				at++;
			write_columns(&writing->column, writing->rows + first, at - first, out);
		}
	}
}

static void write_head(struct writing *writing, const struct comparison_rows *rows,
		       const struct comparison_coarseness *coarseness, struct byte_buffer *out)
{
	byte_buffer_add_unsigned(out, coarseness->least);
	for (int i = 0; i < N_DIFF_SIDES; i++) {
		const struct comparison_side *side = &rows->sides[i];

		byte_buffer_add_unsigned(out, longer_slice(side->n_slices, coarseness->shift));
		byte_buffer_add_unsigned(out, UINT64_C(1) << (side->shift + coarseness->shift));
	}
	page_strings_write(&rows->strings, out);
	byte_buffer_add_unsigned(out, rows->n_threads);
	for (uint32_t i = 0; i < rows->n_threads; i++)
		page_column_add(&writing->column, rows->threads[i].process);
	page_column_write(&writing->column, out);
	for (uint32_t i = 0; i < rows->n_threads; i++)
		page_column_add(&writing->column, rows->threads[i].thread);
	page_column_write(&writing->column, out);
}

static uint32_t count_rows_of_paths(const struct writing *writing)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < writing->n; i++)
		n += !writing->rows[i].is_rest;
	return n;
}

int comparison_rows_write(const struct comparison_rows *rows, const struct diff *paths,
			  const struct comparison_coarseness *coarseness, struct byte_buffer *out,
			  uint32_t *n_ret)
{
	struct writing writing = { .paths = paths };
	int err = find_destinations(&writing, coarseness->least);

	if (!err)
		err = take_rows(&writing, rows, coarseness->shift);
	if (!err) {
		write_head(&writing, rows, coarseness, out);
		write_rows(&writing, out);
		err = out->lacks_memory ? -ENOMEM : 0;
		*n_ret = count_rows_of_paths(&writing);
	}
	free(writing.destinations);
	free(writing.rows);
	page_column_deinit(&writing.column);
	return err;
}
