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
#include "cct/encoding/byte_columns.h"
#include "cct/encoding/sections.h"
#include "cct/store/profile_parts.h"
#include "cct/store/row_blocks.h"
#include "cct/store/row_nodes.h"
#include "cct/store/row_tasks.h"

#define ROW_SIZE_MIN      4    /* bytes: a time, a task, a node, an end */
#define STREAM_SIZE_MIN   4    /* a metric, a CPU, a number of rows, a distance in time */
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

/* How many rows, from the first of these on, are of one stream. */
static uint32_t count_stream(const struct sample_row *rows, uint32_t n_left)
{
	uint32_t n = 1;

	while (n < n_left && rows[n].metric == rows->metric && rows[n].cpu == rows->cpu)
		n++;
	return n;
}

/* Those of a run. */
static void add_streams(struct stream_list *list, const struct row_blocks *blocks,
			struct byte_buffer *body)
{
	uint32_t n;

	for (uint32_t first = 0; first < blocks->n; first += n) {
		const struct sample_row *at = &blocks->rows[first];

		n = count_stream(at, blocks->n - first);
		const struct stream stream = {
			at->run, at->metric,
			at->cpu, blocks->first + first,
			n,       usual_distance(at, n, blocks->from->slice_shift)
		};
		body->lacks_memory |= add_stream(list, &stream) != 0;
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

static void write_tasks_of(struct byte_buffer *body, struct byte_buffer *others,
			   const struct sample_row *rows, uint32_t n)
{
	struct recent_tasks recent = { .n = 0 };

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t place = recent_tasks_write(&recent, rows[i].task, others);

		byte_buffer_add(body, &place, 1);
	}
}

static uint64_t pack_end(const struct sample_row *row)
{
	return (uint64_t)row->n_guessed << 16 | (uint64_t)row->marks << 8 | row->end;
}

/* 0: as the last row of the node; else plus 1. */
static void write_ends(struct byte_buffer *body, const struct row_blocks *blocks, uint64_t *last)
{
	for (uint32_t i = 0; i < blocks->n; i++) {
		const uint64_t end = pack_end(&blocks->rows[i]);
		uint64_t *of_node = &last[blocks->rows[i].node];

		byte_buffer_add_unsigned(body, end == *of_node ? 0 : end + 1);
		*of_node = end;
	}
}

/* What a sample of these rows weighs, usually. */
static uint64_t usual_weight(const struct sample_row *rows, const struct row_sum *sums, uint32_t n)
{
	int64_t weights[N_DISTANCES_KNOWN] = { 0 };
	const uint32_t step = n / N_DISTANCES_KNOWN + 1;
	size_t n_known = 0;

	for (uint32_t i = 0; i < n; i += step)
		weights[n_known++] = (int64_t)(rows[i].weight / sums[i].samples);
	qsort(weights, n_known, sizeof(*weights), compare_distances);
	return n_known ? (uint64_t)weights[n_known / 2] : 0;
}

/* Of sums: what a sample of the stream weighs, usually, and of each row what it weighs beyond. */
static void write_weights_of_sums(struct byte_buffer *body, const struct sample_row *rows,
				  const struct row_sum *sums, uint32_t n)
{
	const uint64_t usual = usual_weight(rows, sums, n);

	byte_buffer_add_unsigned(body, usual);
	for (uint32_t i = 0; i < n; i++)
		byte_buffer_add_signed(body, (int64_t)(rows[i].weight - usual * sums[i].samples));
}

/* Of a metric's rows in a run, from *@at on. If all weigh the same, 1, and the weight; else 0, and
 * the weight of each. */
static void write_weights(struct byte_buffer *body, const struct row_blocks *blocks,
			  uint32_t metric, uint32_t *at)
{
	const uint32_t first = *at;
	bool is_constant = true;

	for (; *at < blocks->n && blocks->rows[*at].metric == metric; ++*at)
		is_constant &= blocks->rows[*at].weight == blocks->rows[first].weight;
	byte_buffer_add_unsigned(body, is_constant);
	const uint32_t end = is_constant && *at > first ? first + 1 : *at;
	for (uint32_t i = first; i < end; i++)
		byte_buffer_add_unsigned(body, blocks->rows[i].weight);
}

/* Rows without runs are of one. */
static uint32_t count_runs(const struct sample_rows *rows)
{
	return rows->n_runs ? rows->n_runs : 1;
}

/* The columns over all rows: those of one run after another are added to each, so that packed rows
 * are unpacked once. */
struct columns {
	struct stream_list streams;
	struct byte_buffer times, tasks, other_tasks, weights, ends;
	struct row_nodes *nodes;
	uint64_t *last_ends; /* by node */
};

/* 0 or -ENOMEM; it may be deinitialized in any case. */
static int columns_init(struct columns *columns, const struct profile *profile)
{
	*columns = (struct columns){
		.nodes = row_nodes_create(profile),
		.last_ends = calloc(profile->cct->n_nodes, sizeof(*columns->last_ends)),
	};
	return columns->nodes && columns->last_ends ? 0 : -ENOMEM;
}

static void columns_deinit(struct columns *columns)
{
	free(columns->streams.streams);
	byte_buffer_deinit(&columns->times);
	byte_buffer_deinit(&columns->tasks);
	byte_buffer_deinit(&columns->other_tasks);
	byte_buffer_deinit(&columns->weights);
	byte_buffer_deinit(&columns->ends);
	row_nodes_destroy(columns->nodes);
	free(columns->last_ends);
}

/* The rows of a run. */
static void add_block(struct columns *columns, const struct profile *profile,
		      const struct row_blocks *blocks, struct byte_buffer *body)
{
	const uint32_t first = columns->streams.n;
	uint32_t at = 0;

	add_streams(&columns->streams, blocks, body);
	for (uint32_t i = first; i < columns->streams.n; i++) {
		const struct stream *stream = &columns->streams.streams[i];
		const struct sample_row *rows = &blocks->rows[stream->first - blocks->first];

		write_times(&columns->times, stream, rows, profile->rows->slice_shift);
		write_tasks_of(&columns->tasks, &columns->other_tasks, rows, stream->n);
		if (blocks->sums)
			write_weights_of_sums(&columns->weights, rows,
					      &blocks->sums[stream->first - blocks->first],
					      stream->n);
	}
	row_nodes_add(columns->nodes, blocks->rows, blocks->sums, blocks->n);
	for (uint32_t metric = 0; !blocks->sums && metric < profile->n_metrics; metric++)
		write_weights(&columns->weights, blocks, metric, &at);
	write_ends(&columns->ends, blocks, columns->last_ends);
}

/* Moves a column, whose memory is free then. */
static void append(struct byte_buffer *body, struct byte_buffer *column)
{
	body->lacks_memory |= column->lacks_memory;
	byte_buffer_add(body, column->bytes, column->size);
	byte_buffer_end_piece(body);
	byte_buffer_deinit(column);
}

void rows_part_write(struct byte_buffer *body, const struct profile *profile)
{
	struct row_blocks blocks = row_blocks_of(profile->rows);
	struct columns columns;

	body->lacks_memory |= columns_init(&columns, profile) != 0;
	while (row_blocks_next(&blocks, body))
		add_block(&columns, profile, &blocks, body);
	row_tasks_write(body, profile);
	write_streams(body, profile->rows, &columns.streams);
	byte_buffer_end_piece(body);
	append(body, &columns.times);
	append(body, &columns.tasks);
	column_write(body, &columns.other_tasks);
	row_nodes_write(columns.nodes, body);
	append(body, &columns.weights);
	append(body, &columns.ends);
	columns_deinit(&columns);
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

static int read_row_tasks(struct dwarf_reader *body, struct sample_rows *rows,
			  const struct stream_list *list)
{
	const uint8_t *places = dwarf_read_block(body, rows->n_rows);
	struct dwarf_reader others = column_read(body);

	if (body->is_broken)
		return -EINVAL;
	for (uint32_t i = 0; i < list->n; i++) {
		const struct stream *stream = &list->streams[i];
		struct recent_tasks recent = { .n = 0 };

		for (uint32_t k = stream->first; k < stream->first + stream->n; k++) {
			const int64_t task =
				recent_tasks_read(&recent, places[k], &others, rows->n_tasks);

			if (task < 0)
				return -EINVAL;
			rows->rows[k].task = (uint32_t)task;
		}
	}
	return dwarf_left(&others) ? -EINVAL : 0;
}

/* As versions 1 and 2 of the format have them: 0: as the stream's last row. */
static int read_row_tasks_before_3(struct dwarf_reader *body, struct sample_rows *rows,
				   const struct stream_list *list)
{
	for (uint32_t i = 0; i < list->n; i++) {
		const struct stream *stream = &list->streams[i];
		uint64_t task = 0; /* plus 1 */

		for (uint32_t k = stream->first; k < stream->first + stream->n; k++) {
			const uint64_t given = dwarf_read_uleb(body);

			task = given ? given : task;
			if (!task || task > rows->n_tasks)
				return -EINVAL;
			rows->rows[k].task = (uint32_t)task - 1;
		}
	}
	return 0;
}

static bool is_of(const struct sample_row *row, uint32_t run, uint32_t metric)
{
	return row->run == run && row->metric == metric;
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

static void read_weights_of_sums(struct dwarf_reader *body, struct sample_rows *rows,
				 const struct stream *stream)
{
	const uint64_t usual = dwarf_read_uleb(body);

	for (uint32_t i = stream->first; i < stream->first + stream->n; i++)
		rows->rows[i].weight =
			usual * rows->sums[i].samples + (uint64_t)dwarf_read_sleb(body);
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

/* What is not the same in all versions of the format. */
struct row_readers {
	int (*tasks)(struct dwarf_reader *body, const struct profile *profile);
	int (*row_tasks)(struct dwarf_reader *body, struct sample_rows *rows,
			 const struct stream_list *list);
	int (*row_nodes)(struct dwarf_reader *body, const struct profile *profile);
};

static const struct row_readers readers_of_sums = {
	row_tasks_read,
	read_row_tasks,
	row_nodes_read_sums,
};

static const struct row_readers readers = {
	row_tasks_read,
	read_row_tasks,
	row_nodes_read,
};
static const struct row_readers readers_3 = {
	row_tasks_read,
	read_row_tasks,
	row_nodes_read_3,
};
static const struct row_readers readers_before_3 = {
	row_tasks_read_before_3,
	read_row_tasks_before_3,
	row_nodes_read_before_3,
};

static int read_columns(struct dwarf_reader *body, const struct profile *profile,
			const struct stream_list *list, const struct row_readers *read)
{
	struct sample_rows *rows = profile->rows;
	_cleanup_free_ uint64_t *ends = calloc(profile->cct->n_nodes, sizeof(*ends));
	int err = ends ? 0 : -ENOMEM;
	uint32_t at = 0;

	for (uint32_t i = 0; !err && i < list->n; i++)
		err = read_times(body, &list->streams[i], &rows->rows[list->streams[i].first],
				 rows->slice_shift);
	if (!err)
		err = read->row_tasks(body, rows, list);
	if (!err)
		err = read->row_nodes(body, profile);
	for (uint32_t i = 0; !err && rows->sums && i < list->n; i++)
		read_weights_of_sums(body, rows, &list->streams[i]);
	for (uint32_t run = 0; !err && !rows->sums && run < count_runs(rows); run++) {
		for (uint32_t metric = 0; metric < profile->n_metrics; metric++)
			read_weights(body, rows, run, metric, &at);
	}
	return err ? err : read_ends(body, rows, ends);
}

int part_read_rows(struct dwarf_reader *body, struct profile *profile, unsigned version)
{
	const bool has_sums = version > 4 && profile->rows->slice_shift;
	const struct row_readers *read = version < 3    ? &readers_before_3
					 : version == 3 ? &readers_3
					 : has_sums     ? &readers_of_sums
							: &readers;
	struct stream_list list = { .n = 0 };

	int err = read->tasks(body, profile);
	if (!err)
		err = read_streams(body, profile, &list);
	if (!err)
		err = read_columns(body, profile, &list, read);
	free(list.streams);
	return !err && body->is_broken ? -EINVAL : err;
}

static int read_part(struct dwarf_reader *body, struct profile *profile, unsigned version)
{
	profile->rows = calloc(1, sizeof(*profile->rows));
	int err = profile->rows ? part_read_rows(body, profile, version) : -ENOMEM;
	return err ? err : sample_rows_check(profile->rows, profile->cct);
}

int rows_part_read(struct dwarf_reader *body, struct profile *profile)
{
	return read_part(body, profile, SECTIONS_VERSION);
}

int rows_part_read_3(struct dwarf_reader *body, struct profile *profile)
{
	return read_part(body, profile, 3);
}

int rows_part_read_before_3(struct dwarf_reader *body, struct profile *profile)
{
	return read_part(body, profile, 2);
}
