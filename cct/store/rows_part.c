/*
 * Writes and reads the rows of samples: tasks; streams, which are the rows of one metric on one
 * CPU, and of one run where there are several, in order; then columns over all rows. A column has
 * what cannot be foreseen from the rows before and the tree, so that most of its numbers are small
 * or 0.
 */
#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/store/profile_parts.h"

#define ROW_SIZE_MIN      4 /* bytes: a time, a task, a node, an end */
#define STREAM_SIZE_MIN   4 /* a metric, a CPU, a number of rows, a distance in time */
#define TASK_SIZE_MIN     5
#define N_DISTANCES_KNOWN 1001 /* enough to find the usual one */

struct stream {
	uint32_t run, metric, cpu;
	uint32_t first, n; /* rows */
	int64_t distance;  /* in slices of time, from row to row, usually */
};

struct stream_list {
	struct stream *streams;
	uint32_t n, n_allocated;
};

/* The nodes that have samples, by thread; those with most samples come first. */
struct node_ranks {
	uint32_t *nodes;
	uint32_t *first; /* [thread]: of ->nodes; one more than there are threads */
	uint32_t *ranks; /* [node]: among the nodes of its thread */
};

struct ranked_node {
	uint64_t n_samples;
	uint32_t node, thread;
};

static void node_ranks_deinit(struct node_ranks *ranks)
{
	free(ranks->nodes);
	free(ranks->first);
	free(ranks->ranks);
}

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked_node *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->n_samples != y->n_samples)
		return x->n_samples > y->n_samples ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static uint64_t samples_of(const struct cct *cct, uint32_t node)
{
	uint64_t n = 0;

	for (uint32_t metric = 0; metric < cct->n_metrics; metric++)
		n += cct_cost(cct, node, metric)->samples;
	return n;
}

/* Fills @nodes with those that have samples and a thread. Their number, or -1 without memory. */
static int64_t find_ranked(const struct cct *cct, struct ranked_node *nodes)
{
	_cleanup_free_ uint32_t *threads = calloc(cct->n_nodes, sizeof(*threads));
	int64_t n = 0;

	if (!threads)
		return -1;
	threads[CCT_ROOT] = UINT32_MAX;
	for (uint32_t node = 1; node < cct->n_nodes; node++) {
		const struct frame *frame = cct_frame(cct, node);
		const uint64_t n_samples = samples_of(cct, node);

		threads[node] = frame->kind == FRAME_THREAD ? (uint32_t)frame->offset
							    : threads[cct->nodes[node].parent];
		if (n_samples && threads[node] != UINT32_MAX)
			nodes[n++] = (struct ranked_node){ n_samples, node, threads[node] };
	}
	if (n)
		qsort(nodes, (size_t)n, sizeof(*nodes), compare_ranked);
	return n;
}

static int node_ranks_init(struct node_ranks *ranks, const struct profile *profile)
{
	const struct cct *cct = profile->cct;
	_cleanup_free_ struct ranked_node *found = calloc(cct->n_nodes, sizeof(*found));
	int64_t n = found ? find_ranked(cct, found) : -1;
	uint32_t thread = 0;

	ranks->nodes = calloc(cct->n_nodes, sizeof(*ranks->nodes));
	ranks->first = calloc((size_t)profile->n_threads + 1, sizeof(*ranks->first));
	ranks->ranks = calloc(cct->n_nodes, sizeof(*ranks->ranks));
	if (n < 0 || !ranks->nodes || !ranks->first || !ranks->ranks)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		while (thread < found[i].thread)
			ranks->first[++thread] = i;
		ranks->nodes[i] = found[i].node;
		ranks->ranks[found[i].node] = i - ranks->first[thread];
	}
	while (thread < profile->n_threads)
		ranks->first[++thread] = (uint32_t)n;
	return 0;
}

static int compare_distances(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t usual_distance(const struct sample_row *rows, uint32_t n, unsigned shift)
{
	int64_t distances[N_DISTANCES_KNOWN];
	const uint32_t step = n / N_DISTANCES_KNOWN + 1;
	size_t n_known = 0;

	for (uint32_t i = 1; i < n; i += step)
		distances[n_known++] =
			(int64_t)((rows[i].time >> shift) - (rows[i - 1].time >> shift));
	if (!n_known)
		return 0;
	qsort(distances, n_known, sizeof(*distances), compare_distances);
	return distances[n_known / 2];
}

static int add_stream(struct stream_list *list, const struct stream *stream)
{
	if (array_reserve(list->streams, list->n, list->n_allocated, 1))
		return -ENOMEM;
	list->streams[list->n++] = *stream;
	return 0;
}

static int find_streams(struct stream_list *list, const struct sample_rows *rows)
{
	uint32_t n;

	for (uint32_t first = 0; first < rows->n_rows; first += n) {
		const struct sample_row *at = &rows->rows[first];

		for (n = 1; first + n < rows->n_rows; n++) {
			if (at[n].run != at->run || at[n].metric != at->metric ||
			    at[n].cpu != at->cpu)
				break;
		}
		const struct stream stream = { at->run, at->metric,
					       at->cpu, first,
					       n,       usual_distance(at, n, rows->slice_shift) };
		if (add_stream(list, &stream))
			return -ENOMEM;
	}
	return 0;
}

static void write_tasks(struct byte_buffer *body, const struct sample_rows *rows)
{
	byte_buffer_add_unsigned(body, rows->n_tasks);
	for (uint32_t i = 0; i < rows->n_tasks; i++) {
		const struct row_task *task = &rows->tasks[i];

		byte_buffer_add_unsigned(body, task->thread);
		byte_buffer_add_signed(body, task->pid);
		byte_buffer_add_signed(body, task->tid);
		byte_buffer_add_text(body, rows->names.strings[task->thread_name]);
		byte_buffer_add_text(body, rows->names.strings[task->process_name]);
	}
}

static void write_streams(struct byte_buffer *body, const struct sample_rows *rows,
			  const struct stream_list *list)
{
	byte_buffer_add_unsigned(body, list->n);
	for (uint32_t i = 0; i < list->n; i++) {
		if (rows->n_runs)
			byte_buffer_add_unsigned(body, list->streams[i].run);
		byte_buffer_add_unsigned(body, list->streams[i].metric);
		byte_buffer_add_unsigned(body, list->streams[i].cpu);
		byte_buffer_add_unsigned(body, list->streams[i].n);
		byte_buffer_add_signed(body, list->streams[i].distance);
	}
}

static void write_times(struct byte_buffer *body, const struct stream *stream,
			const struct sample_row *rows, unsigned shift)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < stream->n; i++) {
		const uint64_t time = rows[i].time >> shift;

		byte_buffer_add_signed(body, (int64_t)(time - last) - stream->distance);
		last = time;
	}
}

static void write_row_tasks(struct byte_buffer *body, const struct stream *stream,
			    const struct sample_row *rows)
{
	for (uint32_t i = 0; i < stream->n; i++)
		byte_buffer_add_unsigned(
			body, i && rows[i].task == rows[i - 1].task ? 0 : rows[i].task + 1ull);
}

static uint64_t pack_end(const struct sample_row *row)
{
	return (uint64_t)row->n_guessed << 16 | (uint64_t)row->marks << 8 | row->end;
}

/* 0: as the last row of the node; else plus 1. */
static void write_ends(struct byte_buffer *body, const struct sample_rows *rows, uint64_t *last)
{
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const uint64_t end = pack_end(&rows->rows[i]);
		uint64_t *of_node = &last[rows->rows[i].node];

		byte_buffer_add_unsigned(body, end == *of_node ? 0 : end + 1);
		*of_node = end;
	}
}

static bool is_of(const struct sample_row *row, uint32_t run, uint32_t metric)
{
	return row->run == run && row->metric == metric;
}

/* If all rows of a metric in a run weigh the same, 1, and the weight; else 0, and the weight of
 * each. */
static void write_weights(struct byte_buffer *body, const struct sample_rows *rows, uint32_t run,
			  uint32_t metric, uint32_t *at)
{
	const uint32_t first = *at;
	bool is_constant = true;

	for (; *at < rows->n_rows && is_of(&rows->rows[*at], run, metric); ++*at)
		is_constant &= rows->rows[*at].weight == rows->rows[first].weight;
	byte_buffer_add_unsigned(body, is_constant);
	const uint32_t end = is_constant && *at > first ? first + 1 : *at;
	for (uint32_t i = first; i < end; i++)
		byte_buffer_add_unsigned(body, rows->rows[i].weight);
}

/* Rows without runs are of one. */
static uint32_t count_runs(const struct sample_rows *rows)
{
	return rows->n_runs ? rows->n_runs : 1;
}

static void write_columns(struct byte_buffer *body, const struct profile *profile,
			  const struct stream_list *list, const struct node_ranks *ranks)
{
	const struct sample_rows *rows = profile->rows;
	uint32_t at = 0;

	for (uint32_t i = 0; i < list->n; i++)
		write_times(body, &list->streams[i], &rows->rows[list->streams[i].first],
			    rows->slice_shift);
	for (uint32_t i = 0; i < list->n; i++)
		write_row_tasks(body, &list->streams[i], &rows->rows[list->streams[i].first]);
	for (uint32_t i = 0; i < rows->n_rows; i++)
		byte_buffer_add_unsigned(body, ranks->ranks[rows->rows[i].node]);
	for (uint32_t run = 0; run < count_runs(rows); run++) {
		for (uint32_t metric = 0; metric < profile->n_metrics; metric++)
			write_weights(body, rows, run, metric, &at);
	}
}

void rows_part_write(struct byte_buffer *body, const struct profile *profile)
{
	struct stream_list list = { .n = 0 };
	struct node_ranks ranks = { .nodes = NULL };
	_cleanup_free_ uint64_t *ends = calloc(profile->cct->n_nodes, sizeof(*ends));

	if (!ends || find_streams(&list, profile->rows) || node_ranks_init(&ranks, profile)) {
		body->lacks_memory = true;
	} else {
		write_tasks(body, profile->rows);
		write_streams(body, profile->rows, &list);
		write_columns(body, profile, &list, &ranks);
		write_ends(body, profile->rows, ends);
	}
	node_ranks_deinit(&ranks);
	free(list.streams);
}

static int read_task(struct dwarf_reader *body, const struct profile *profile)
{
	_cleanup_free_ char *thread_name = NULL, *process_name = NULL;
	uint64_t thread = dwarf_read_uleb(body);
	int64_t pid = dwarf_read_sleb(body), tid = dwarf_read_sleb(body);
	uint32_t n = profile->rows->n_tasks, index;
	int err = part_read_text(body, &thread_name);

	if (!err)
		err = part_read_text(body, &process_name);
	if (err || !thread_name || !process_name || thread >= profile->n_threads)
		return err ? err : -EINVAL;
	const struct row_task task = {
		.thread = (uint32_t)thread,
		.pid = (int32_t)pid,
		.tid = (int32_t)tid,
	};
	err = sample_rows_enter_task(profile->rows, &task, thread_name, process_name, &index);
	/* Each differs from the one before of its thread. */
	return err || index == n ? err : -EINVAL;
}

static int read_tasks(struct dwarf_reader *body, const struct profile *profile)
{
	int64_t n = part_read_count(body, TASK_SIZE_MIN);
	int err = n < 0 ? -EINVAL : 0;

	for (int64_t i = 0; !err && i < n; i++)
		err = read_task(body, profile);
	return err;
}

static bool comes_after(const struct stream *stream, const struct stream *last)
{
	if (!last || stream->run != last->run)
		return !last || stream->run > last->run;
	return stream->metric > last->metric ||
	       (stream->metric == last->metric && stream->cpu > last->cpu);
}

static int read_stream(struct dwarf_reader *body, const struct profile *profile,
		       struct stream_list *list)
{
	const struct stream *last = list->n ? &list->streams[list->n - 1] : NULL;
	uint64_t run = profile->rows->n_runs ? dwarf_read_uleb(body) : 0;
	uint64_t metric = dwarf_read_uleb(body), cpu = dwarf_read_uleb(body);
	uint64_t n = dwarf_read_uleb(body), first = last ? last->first + last->n : 0;

	if (run >= count_runs(profile->rows) || metric >= profile->n_metrics || cpu > UINT32_MAX ||
	    !n || n > SAMPLE_ROWS_MAX || first + n > SAMPLE_ROWS_MAX)
		return -EINVAL;
	const struct stream stream = { (uint32_t)run,   (uint32_t)metric, (uint32_t)cpu,
				       (uint32_t)first, (uint32_t)n,      dwarf_read_sleb(body) };
	return comes_after(&stream, last) ? add_stream(list, &stream) : -EINVAL;
}

/* Makes the rows of all streams, with what these know of them. */
static int make_rows(const struct dwarf_reader *body, struct sample_rows *rows,
		     const struct stream_list *list)
{
	const struct stream *last = list->n ? &list->streams[list->n - 1] : NULL;
	const uint32_t n = last ? last->first + last->n : 0;

	if (n > dwarf_left(body) / ROW_SIZE_MIN)
		return -EINVAL;
	rows->rows = calloc((size_t)n + 1, sizeof(*rows->rows));
	if (!rows->rows)
		return -ENOMEM;
	rows->n_rows = n;
	rows->n_rows_allocated = n + 1;
	for (uint32_t i = 0; i < list->n; i++) {
		struct sample_row *row = &rows->rows[list->streams[i].first];

		for (uint32_t left = list->streams[i].n; left; left--, row++) {
			row->run = list->streams[i].run;
			row->metric = (uint16_t)list->streams[i].metric;
			row->cpu = list->streams[i].cpu;
		}
	}
	return 0;
}

static int read_streams(struct dwarf_reader *body, const struct profile *profile,
			struct stream_list *list)
{
	int64_t n = part_read_count(body, STREAM_SIZE_MIN);
	int err = n < 0 || profile->n_metrics > UINT16_MAX ? -EINVAL : 0;

	for (int64_t i = 0; !err && i < n; i++)
		err = read_stream(body, profile, list);
	return err ? err : make_rows(body, profile->rows, list);
}

static int read_times(struct dwarf_reader *body, const struct stream *stream,
		      struct sample_row *rows, unsigned shift)
{
	int64_t time = 0;

	for (uint32_t i = 0; i < stream->n; i++) {
		if (__builtin_add_overflow(time, stream->distance, &time) ||
		    __builtin_add_overflow(time, dwarf_read_sleb(body), &time) || time < 0 ||
		    time > INT64_MAX >> shift)
			return -EINVAL;
		rows[i].time = (uint64_t)time << shift;
	}
	return 0;
}

static int read_row_tasks(struct dwarf_reader *body, const struct stream *stream,
			  struct sample_row *rows, uint32_t n_tasks)
{
	uint64_t task = 0; /* plus 1 */

	for (uint32_t i = 0; i < stream->n; i++) {
		const uint64_t given = dwarf_read_uleb(body);

		task = given ? given : task;
		if (!task || task > n_tasks)
			return -EINVAL;
		rows[i].task = (uint32_t)task - 1;
	}
	return 0;
}

static int read_row_nodes(struct dwarf_reader *body, struct sample_rows *rows,
			  const struct node_ranks *ranks)
{
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const uint32_t thread = rows->tasks[rows->rows[i].task].thread;
		const uint32_t first = ranks->first[thread], end = ranks->first[thread + 1];
		const uint64_t rank = dwarf_read_uleb(body);

		if (rank >= end - first)
			return -EINVAL;
		rows->rows[i].node = ranks->nodes[first + rank];
	}
	return 0;
}

static void read_weights(struct dwarf_reader *body, struct sample_rows *rows, uint32_t run,
			 uint32_t metric, uint32_t *at)
{
	const bool is_constant = dwarf_read_uleb(body);
	const uint32_t first = *at;

	for (; *at < rows->n_rows && is_of(&rows->rows[*at], run, metric); ++*at)
		rows->rows[*at].weight = is_constant && *at > first ? rows->rows[first].weight
								    : dwarf_read_uleb(body);
}

static int read_ends(struct dwarf_reader *body, struct sample_rows *rows, uint64_t *last)
{
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		struct sample_row *row = &rows->rows[i];
		const uint64_t given = dwarf_read_uleb(body),
			       end = given ? given - 1 : last[row->node];

		row->end = (uint8_t)end;
		row->marks = (uint8_t)(end >> 8);
		row->n_guessed = (uint32_t)(end >> 16);
		if (row->end >= N_ROW_ENDS || row->marks >> N_PATH_MARKS || end != pack_end(row))
			return -EINVAL;
		last[row->node] = end;
	}
	return 0;
}

static int read_columns(struct dwarf_reader *body, const struct profile *profile,
			const struct stream_list *list, const struct node_ranks *ranks)
{
	struct sample_rows *rows = profile->rows;
	_cleanup_free_ uint64_t *ends = calloc(profile->cct->n_nodes, sizeof(*ends));
	int err = ends ? 0 : -ENOMEM;
	uint32_t at = 0;

	for (uint32_t i = 0; !err && i < list->n; i++)
		err = read_times(body, &list->streams[i], &rows->rows[list->streams[i].first],
				 rows->slice_shift);
	for (uint32_t i = 0; !err && i < list->n; i++)
		err = read_row_tasks(body, &list->streams[i], &rows->rows[list->streams[i].first],
				     rows->n_tasks);
	if (!err)
		err = read_row_nodes(body, rows, ranks);
	for (uint32_t run = 0; !err && run < count_runs(rows); run++) {
		for (uint32_t metric = 0; metric < profile->n_metrics; metric++)
			read_weights(body, rows, run, metric, &at);
	}
	return err ? err : read_ends(body, rows, ends);
}

int part_read_rows(struct dwarf_reader *body, struct profile *profile)
{
	struct stream_list list = { .n = 0 };
	struct node_ranks ranks = { .nodes = NULL };

	int err = read_tasks(body, profile);
	if (!err)
		err = read_streams(body, profile, &list);
	if (!err)
		err = node_ranks_init(&ranks, profile);
	if (!err)
		err = read_columns(body, profile, &list, &ranks);
	node_ranks_deinit(&ranks);
	free(list.streams);
	return !err && body->is_broken ? -EINVAL : err;
}

int rows_part_read(struct dwarf_reader *body, struct profile *profile)
{
	profile->rows = calloc(1, sizeof(*profile->rows));
	int err = profile->rows ? part_read_rows(body, profile) : -ENOMEM;
	return err ? err : sample_rows_check(profile->rows, profile->cct);
}
