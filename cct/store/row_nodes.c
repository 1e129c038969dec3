#include "cct/store/row_nodes.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/encoding/byte_columns.h"

#define RECENT_MAX 16
#define IS_OTHER   (RECENT_MAX + 1) /* 0: the next without a row; from 1 on: a recent one's place */

/* What is known of a thread's nodes when a row of it comes. */
struct thread_nodes {
	uint32_t first, end; /* of those in thread_table.nodes */
	uint32_t next;       /* after the last one whose first row came, or ->first */
	uint32_t recent[RECENT_MAX];
	unsigned n_recent;
};

/* The nodes that have samples, by thread, in their order. */
struct thread_table {
	struct thread_nodes *threads;
	uint32_t *nodes;
	uint32_t *indices; /* by node: in ->nodes, if it is there */
	uint64_t *left;    /* by node: its samples without a row */
	/* By index, and one more: the index itself if its node has no row, else a later one on the
	 * way to the next such index: the sets of a union-find (Gabow and Tarjan 1985). */
	uint32_t *free;
	bool is_first_next; /* as in version 3: ->next stays at the thread's first */
};

static void thread_table_deinit(struct thread_table *table)
{
	free(table->threads);
	free(table->nodes);
	free(table->indices);
	free(table->left);
	free(table->free);
}

static uint64_t samples_of(const struct cct *cct, uint32_t node)
{
	uint64_t n = 0;

	for (uint32_t metric = 0; metric < cct->n_metrics; metric++)
		n += cct_cost(cct, node, metric)->samples;
	return n;
}

/* Of each node; UINT32_MAX: none. NULL without memory. */
static uint32_t *find_threads(const struct cct *cct)
{
	uint32_t *threads = calloc(cct->n_nodes, sizeof(*threads));

	for (uint32_t node = 0; threads && node < cct->n_nodes; node++) {
		const struct frame *frame = cct_frame(cct, node);

		if (node == CCT_ROOT)
			threads[node] = UINT32_MAX;
		else
			threads[node] = frame->kind == FRAME_THREAD
						? (uint32_t)frame->offset
						: threads[cct->nodes[node].parent];
	}
	return threads;
}

static void sort_nodes(struct thread_table *table, const struct profile *profile,
		       const uint32_t *thread_of)
{
	const uint32_t n_nodes = profile->cct->n_nodes;
	uint32_t n = 0;

	for (uint32_t node = 0; node < n_nodes; node++) {
		table->left[node] = samples_of(profile->cct, node);
		if (table->left[node] && thread_of[node] != UINT32_MAX)
			table->threads[thread_of[node]].end++;
	}
	for (uint32_t i = 0; i < profile->n_threads; i++) {
		struct thread_nodes *thread = &table->threads[i];

		thread->first = thread->next = n;
		n += thread->end;
		thread->end = thread->first;
	}
	for (uint32_t node = 0; node < n_nodes; node++) {
		if (!table->left[node] || thread_of[node] == UINT32_MAX)
			continue;
		const uint32_t index = table->threads[thread_of[node]].end++;
		table->nodes[index] = node;
		table->indices[node] = index;
	}
}

/* 0 or -ENOMEM; it may be deinitialized in any case. */
static int thread_table_init(struct thread_table *table, const struct profile *profile)
{
	const uint32_t n_nodes = profile->cct->n_nodes;
	_cleanup_free_ uint32_t *thread_of = find_threads(profile->cct);

	*table = (struct thread_table){
		.threads = calloc((size_t)profile->n_threads + 1, sizeof(*table->threads)),
		.nodes = calloc(n_nodes, sizeof(*table->nodes)),
		.indices = calloc(n_nodes, sizeof(*table->indices)),
		.left = calloc(n_nodes, sizeof(*table->left)),
		.free = calloc((size_t)n_nodes + 1, sizeof(*table->free)),
	};
	if (!thread_of || !table->threads || !table->nodes || !table->indices || !table->left ||
	    !table->free)
		return -ENOMEM;
	for (uint32_t i = 0; i <= n_nodes; i++)
		table->free[i] = i;
	sort_nodes(table, profile, thread_of);
	return 0;
}

/* The first index from @index on whose node has no row; it may be another thread's. */
static uint32_t find_free(const struct thread_table *table, uint32_t index)
{
	uint32_t *free = table->free;

	while (free[index] != index) {
		free[index] = free[free[index]];
		index = free[index];
	}
	return index;
}

/* The node of the thread that comes after the last new one, of those without a row; its end, or
 * more: there is none. */
static uint32_t next_new(const struct thread_table *table, const struct thread_nodes *thread)
{
	const uint32_t next = find_free(table, thread->next);

	return next < thread->end ? next : find_free(table, thread->first);
}

/* Its place; n_recent: it is not among them. */
static unsigned find_recent(const struct thread_nodes *thread, uint32_t node)
{
	unsigned place = 0;

	while (place < thread->n_recent && thread->recent[place] != node)
		place++;
	return place;
}

/* A row of the node came, which was at this place among the recent ones. It is the newest now, but
 * nodes whose samples all have rows are none. */
static void count_row(struct thread_table *table, struct thread_nodes *thread, unsigned place,
		      uint32_t node)
{
	const uint32_t index = table->indices[node];

	if (table->free[index] == index) {
		table->free[index] = index + 1;
		if (!table->is_first_next)
			thread->next = index + 1;
	}
	if (table->left[node])
		table->left[node]--;
	if (!table->left[node]) {
		if (place == thread->n_recent)
			return;
		thread->n_recent--;
		memmove(&thread->recent[place], &thread->recent[place + 1],
			(thread->n_recent - place) * sizeof(*thread->recent));
		return;
	}
	if (place == thread->n_recent && place < RECENT_MAX)
		thread->n_recent++;
	else if (place == thread->n_recent)
		place--;
	memmove(&thread->recent[1], &thread->recent[0], place * sizeof(*thread->recent));
	thread->recent[0] = node;
}

/*
 * The nodes of rows that are sums. Rows of one slice and task are in the order of their nodes, so
 * the distance from one to the next is small: counted in nodes that have samples without a row.
 */
struct sum_nodes {
	struct thread_table table;
	/* By index, from 1 on: sums of how many nodes have samples left (Fenwick 1994). */
	uint32_t *counts;
	uint32_t n;         /* of nodes with samples */
	uint32_t from;      /* the index of the last row's node, or the first of its thread */
	uint32_t last_task; /* of the last row, its stream, and slice */
	uint32_t last_stream[3];
	uint64_t last_slice;
};

static void sum_nodes_deinit(struct sum_nodes *nodes)
{
	thread_table_deinit(&nodes->table);
	free(nodes->counts);
}

/* 0 or -ENOMEM; it may be deinitialized in any case. */
static int sum_nodes_init(struct sum_nodes *nodes, const struct profile *profile)
{
	*nodes = (struct sum_nodes){ .last_task = UINT32_MAX };
	int err = thread_table_init(&nodes->table, profile);

	if (err)
		return err;
	nodes->n = profile->n_threads ? nodes->table.threads[profile->n_threads - 1].end : 0;
	nodes->counts = calloc((size_t)nodes->n + 1, sizeof(*nodes->counts));
	for (uint32_t i = 1; nodes->counts && i <= nodes->n; i++)
		nodes->counts[i] = i & -i;
	return nodes->counts ? 0 : -ENOMEM;
}

/* How many nodes below @index have samples left. */
static uint32_t count_left(const struct sum_nodes *nodes, uint32_t index)
{
	uint32_t n = 0;

	for (uint32_t i = index; i; i -= i & -i)
		n += nodes->counts[i];
	return n;
}

/* The index of the node that has samples left and @n such before it. */
static uint32_t find_left(const struct sum_nodes *nodes, uint32_t n)
{
	uint32_t index = 0, step = 1;

	while (step <= nodes->n / 2)
		step *= 2;
	for (; step; step /= 2) {
		if (step <= nodes->n - index && nodes->counts[index + step] <= n) {
			index += step;
			n -= nodes->counts[index];
		}
	}
	return index;
}

/* The next row is this one. */
static void begin_row(struct sum_nodes *nodes, const struct profile *profile,
		      const struct sample_row *row)
{
	const uint32_t stream[3] = { row->run, row->metric, row->cpu };
	const uint64_t slice = row->time >> profile->rows->slice_shift;

	if (row->task == nodes->last_task && slice == nodes->last_slice &&
	    !memcmp(stream, nodes->last_stream, sizeof(stream)))
		return;
	nodes->from = nodes->table.threads[profile->rows->tasks[row->task].thread].first;
	nodes->last_task = row->task;
	nodes->last_slice = slice;
	memcpy(nodes->last_stream, stream, sizeof(stream));
}

/* The row has so many of the node's samples. */
static void take_samples(struct sum_nodes *nodes, uint32_t index, uint64_t n)
{
	uint64_t *left = &nodes->table.left[nodes->table.nodes[index]];

	nodes->from = index;
	*left -= n;
	if (*left)
		return;
	for (uint32_t i = index + 1; i <= nodes->n; i += i & -i)
		nodes->counts[i]--;
}

static void add_sum(struct sum_nodes *nodes, const struct profile *profile,
		    const struct sample_row *row, uint64_t n_samples, struct byte_buffer *distances,
		    struct byte_buffer *numbers)
{
	const struct thread_table *table = &nodes->table;
	const struct thread_nodes *thread = &table->threads[profile->rows->tasks[row->task].thread];
	const uint32_t index = table->indices[row->node];
	const uint64_t left = table->left[row->node];

	begin_row(nodes, profile, row);
	uint32_t distance = count_left(nodes, index) - count_left(nodes, nodes->from);
	if (index < nodes->from)
		distance += count_left(nodes, thread->end) - count_left(nodes, thread->first);
	assert(left >= n_samples);
	byte_buffer_add_unsigned(distances, distance);
	byte_buffer_add_unsigned(numbers, n_samples == left ? 0 : n_samples);
	take_samples(nodes, index, n_samples);
}

/* 0 or -EINVAL. */
static int read_sum(struct sum_nodes *nodes, const struct profile *profile, uint32_t row,
		    uint64_t distance, uint64_t number)
{
	struct sample_rows *rows = profile->rows;
	const struct thread_nodes *thread =
		&nodes->table.threads[rows->tasks[rows->rows[row].task].thread];

	begin_row(nodes, profile, &rows->rows[row]);
	const uint32_t first = count_left(nodes, thread->first);
	const uint32_t n = count_left(nodes, thread->end) - first;
	if (distance >= n)
		return -EINVAL;
	const uint64_t place = (count_left(nodes, nodes->from) - first + distance) % n;
	const uint32_t index = find_left(nodes, first + (uint32_t)place);
	const uint64_t left = nodes->table.left[nodes->table.nodes[index]];
	if (number > left)
		return -EINVAL;
	rows->rows[row].node = nodes->table.nodes[index];
	rows->sums[row].samples = number ? number : left;
	take_samples(nodes, index, rows->sums[row].samples);
	return 0;
}

int row_nodes_read_sums(struct dwarf_reader *body, const struct profile *profile)
{
	struct sample_rows *rows = profile->rows;
	struct dwarf_reader distances = column_read(body), numbers = column_read(body);
	struct sum_nodes nodes;
	int err = sum_nodes_init(&nodes, profile);

	rows->sums = calloc((size_t)rows->n_rows + 1, sizeof(*rows->sums));
	if (!err && !rows->sums)
		err = -ENOMEM;
	if (!err && body->is_broken)
		err = -EINVAL;
	for (uint32_t i = 0; !err && i < rows->n_rows; i++) {
		const uint64_t distance = dwarf_read_uleb(&distances);

		err = read_sum(&nodes, profile, i, distance, dwarf_read_uleb(&numbers));
	}
	sum_nodes_deinit(&nodes);
	if (err)
		return err;
	return distances.is_broken || numbers.is_broken || dwarf_left(&distances) ||
			       dwarf_left(&numbers)
		       ? -EINVAL
		       : 0;
}

struct row_nodes {
	const struct profile *profile;
	bool has_sums;
	struct thread_table table;
	struct sum_nodes sums;
	struct byte_buffer codes, others; /* of sums: distances, numbers of samples */
};

struct row_nodes *row_nodes_create(const struct profile *profile)
{
	struct row_nodes *nodes = calloc(1, sizeof(*nodes));

	if (!nodes)
		return NULL;
	nodes->profile = profile;
	nodes->has_sums = profile->rows->slice_shift;
	if (nodes->has_sums ? sum_nodes_init(&nodes->sums, profile)
			    : thread_table_init(&nodes->table, profile)) {
		row_nodes_destroy(nodes);
		return NULL;
	}
	return nodes;
}

void row_nodes_destroy(struct row_nodes *nodes)
{
	if (!nodes)
		return;
	thread_table_deinit(&nodes->table);
	sum_nodes_deinit(&nodes->sums);
	byte_buffer_deinit(&nodes->codes);
	byte_buffer_deinit(&nodes->others);
	free(nodes);
}

static void add_node(struct row_nodes *nodes, struct thread_nodes *thread, uint32_t node)
{
	struct thread_table *table = &nodes->table;
	const unsigned place = find_recent(thread, node);
	const uint32_t new = next_new(table, thread);
	uint8_t code = IS_OTHER;

	if (new < thread->end && table->nodes[new] == node)
		code = 0;
	else if (place < thread->n_recent)
		code = (uint8_t)(place + 1);
	byte_buffer_add(&nodes->codes, &code, 1);
	if (code == IS_OTHER)
		byte_buffer_add_unsigned(&nodes->others, table->indices[node] - thread->first);
	count_row(table, thread, place, node);
}

void row_nodes_add(struct row_nodes *nodes, const struct sample_row *rows,
		   const struct row_sum *sums, uint32_t n)
{
	const struct row_task *tasks = nodes->profile->rows->tasks;

	for (uint32_t i = 0; nodes->has_sums && i < n; i++)
		add_sum(&nodes->sums, nodes->profile, &rows[i], sums[i].samples, &nodes->codes,
			&nodes->others);
	if (nodes->has_sums)
		return;
	for (uint32_t i = 0; i < n; i++)
		add_node(nodes, &nodes->table.threads[tasks[rows[i].task].thread], rows[i].node);
}

void row_nodes_write(const struct row_nodes *nodes, struct byte_buffer *body)
{
	body->lacks_memory |= !nodes || nodes->codes.lacks_memory;
	if (!nodes)
		return;
	if (nodes->has_sums) {
		column_write(body, &nodes->codes);
	} else {
		byte_buffer_add(body, nodes->codes.bytes, nodes->codes.size);
		byte_buffer_end_piece(body);
	}
	column_write(body, &nodes->others);
}

/* 0 or -EINVAL. */
static int read_node(struct thread_table *table, struct thread_nodes *thread, uint8_t code,
		     struct dwarf_reader *others, uint32_t *node_ret)
{
	unsigned place = thread->n_recent;
	uint64_t index;

	if (code && code <= thread->n_recent) {
		place = code - 1u;
		*node_ret = thread->recent[place];
	} else {
		index = code ? thread->first + dwarf_read_uleb(others) : next_new(table, thread);
		if ((code && code != IS_OTHER) || others->is_broken || index < thread->first ||
		    index >= thread->end)
			return -EINVAL;
		*node_ret = table->nodes[index];
		place = find_recent(thread, *node_ret);
	}
	count_row(table, thread, place, *node_ret);
	return 0;
}

static int read_nodes(struct dwarf_reader *body, const struct profile *profile, bool is_first_next)
{
	struct sample_rows *rows = profile->rows;
	const uint8_t *codes = dwarf_read_block(body, rows->n_rows);
	struct dwarf_reader others = column_read(body);
	struct thread_table table;
	int err = thread_table_init(&table, profile);

	table.is_first_next = is_first_next;
	if (!err && body->is_broken)
		err = -EINVAL;
	for (uint32_t i = 0; !err && i < rows->n_rows; i++) {
		struct sample_row *row = &rows->rows[i];

		err = read_node(&table, &table.threads[rows->tasks[row->task].thread], codes[i],
				&others, &row->node);
	}
	thread_table_deinit(&table);
	return !err && dwarf_left(&others) ? -EINVAL : err;
}

struct ranked_node {
	uint64_t n_samples;
	uint32_t index; /* among those of all threads */
	uint32_t node;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked_node *x = a, *y = b;

	if (x->n_samples != y->n_samples)
		return x->n_samples > y->n_samples ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Sorts the nodes of each thread: those with most samples come first. 0 or -ENOMEM. */
static int rank_nodes(struct thread_table *table, const struct profile *profile)
{
	_cleanup_free_ struct ranked_node *ranked = calloc(profile->cct->n_nodes, sizeof(*ranked));

	if (!ranked)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->n_threads; i++) {
		const struct thread_nodes *thread = &table->threads[i];

		for (uint32_t k = thread->first; k < thread->end; k++)
			ranked[k] = (struct ranked_node){ table->left[table->nodes[k]], k,
							  table->nodes[k] };
		if (thread->end > thread->first)
			qsort(&ranked[thread->first], thread->end - thread->first, sizeof(*ranked),
			      compare_ranked);
		for (uint32_t k = thread->first; k < thread->end; k++)
			table->nodes[k] = ranked[k].node;
	}
	return 0;
}

int row_nodes_read(struct dwarf_reader *body, const struct profile *profile)
{
	return read_nodes(body, profile, false);
}

int row_nodes_read_3(struct dwarf_reader *body, const struct profile *profile)
{
	return read_nodes(body, profile, true);
}

int row_nodes_read_before_3(struct dwarf_reader *body, const struct profile *profile)
{
	struct sample_rows *rows = profile->rows;
	struct thread_table table;
	int err = thread_table_init(&table, profile);

	if (!err)
		err = rank_nodes(&table, profile);
	for (uint32_t i = 0; !err && i < rows->n_rows; i++) {
		const struct thread_nodes *thread =
			&table.threads[rows->tasks[rows->rows[i].task].thread];
		const uint64_t rank = dwarf_read_uleb(body);

		if (rank >= thread->end - thread->first)
			err = -EINVAL;
		else
			rows->rows[i].node = table.nodes[thread->first + rank];
	}
	thread_table_deinit(&table);
	return err;
}
