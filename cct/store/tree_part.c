/*
 * Writes and reads the tree: its distinct frames, sorted; the nodes (tree_nodes.h); then marks and
 * costs. Most nodes lack these but the leaves, which all have samples, so there are columns over
 * the leaves, and lists of the other nodes with values. Trees as versions 1 and 2 of the format
 * have them are read, too: there all are such lists.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/store/profile_parts.h"
#include "cct/store/tree_nodes.h"

#define KIND_BITS 8 /* below a frame's part, in one number */

static void add_kind(struct byte_buffer *body, const struct frame *frame)
{
	byte_buffer_add_unsigned(body, frame->kind | (uint64_t)frame->part << KIND_BITS);
}

static void write_frames(struct byte_buffer *body, const struct cct *cct,
			 const struct sorted_frames *sorted)
{
	const struct frame *frames = cct->frames.frames;
	uint64_t offset = 0;

	byte_buffer_add_unsigned(body, sorted->n);
	for (uint32_t i = 0; i < sorted->n; i++)
		add_kind(body, &frames[sorted->numbers[i]]);
	byte_buffer_end_piece(body);
	for (uint32_t i = 0; i < sorted->n; i++)
		byte_buffer_add_unsigned(body, frames[sorted->numbers[i]].module);
	byte_buffer_end_piece(body);
	for (uint32_t i = 0; i < sorted->n; i++) {
		byte_buffer_add_unsigned(body, frames[sorted->numbers[i]].offset - offset);
		offset = frames[sorted->numbers[i]].offset;
	}
	byte_buffer_end_piece(body);
}

/* A value of a node, for lists of the values that are not 0. */
typedef uint64_t (*node_value)(const struct cct *cct, uint32_t node, unsigned which);

static uint64_t frame_marks_of(const struct cct *cct, uint32_t node, unsigned which)
{
	(void)which;
	return cct->nodes[node].frame_marks;
}

static uint64_t marked_of(const struct cct *cct, uint32_t node, unsigned mark)
{
	return path_marks_of(&cct->marks, node)[mark];
}

static uint64_t samples_of(const struct cct *cct, uint32_t node, unsigned metric)
{
	return cct_cost(cct, node, metric)->samples;
}

static uint64_t weight_of(const struct cct *cct, uint32_t node, unsigned metric)
{
	return cct_cost(cct, node, metric)->weight;
}

static uint64_t longest_of(const struct cct *cct, uint32_t node, unsigned which)
{
	(void)which;
	return cct->longest[node];
}

/* Which nodes have a value, at most. */
typedef bool (*node_condition)(const struct cct *cct, uint32_t node, unsigned which);

static bool any_node(const struct cct *cct, uint32_t node, unsigned which)
{
	(void)cct;
	(void)node;
	(void)which;
	return true;
}

static bool is_leaf(const struct cct *cct, uint32_t node, unsigned which)
{
	(void)which;
	return node != CCT_ROOT && cct->nodes[node].first_child == CCT_NONE;
}

static bool is_no_leaf(const struct cct *cct, uint32_t node, unsigned which)
{
	return !is_leaf(cct, node, which);
}

static bool has_samples(const struct cct *cct, uint32_t node, unsigned metric)
{
	return samples_of(cct, node, metric);
}

static bool has_no_samples(const struct cct *cct, uint32_t node, unsigned metric)
{
	return !has_samples(cct, node, metric);
}

/* A list of the nodes whose value is not 0, of those with @condition. */
static void write_values(struct byte_buffer *body, const struct cct *cct, node_condition condition,
			 node_value value_of, unsigned which)
{
	struct byte_buffer distances = { 0 }, values = { 0 };
	uint32_t n = 0, last = 0;

	for (uint32_t i = 0; i < cct->n_nodes; i++) {
		const uint64_t value = condition(cct, i, which) ? value_of(cct, i, which) : 0;

		if (!value)
			continue;
		byte_buffer_add_unsigned(&distances, i - last);
		byte_buffer_add_unsigned(&values, value);
		last = i;
		n++;
	}
	byte_buffer_add_unsigned(body, n);
	byte_buffer_add(body, distances.bytes, distances.size);
	byte_buffer_end_piece(body);
	byte_buffer_add(body, values.bytes, values.size);
	byte_buffer_end_piece(body);
	body->lacks_memory |= distances.lacks_memory || values.lacks_memory;
	byte_buffer_deinit(&distances);
	byte_buffer_deinit(&values);
}

/* The values of all nodes with @condition, which the reader knows. */
static void write_column(struct byte_buffer *body, const struct cct *cct, node_condition condition,
			 node_value value_of, unsigned which)
{
	for (uint32_t i = 0; i < cct->n_nodes; i++) {
		if (condition(cct, i, which))
			byte_buffer_add_unsigned(body, value_of(cct, i, which));
	}
	byte_buffer_end_piece(body);
}

static void write_costs(struct byte_buffer *body, const struct cct *cct)
{
	for (unsigned metric = 0; metric < cct->n_metrics; metric++) {
		write_column(body, cct, is_leaf, samples_of, metric);
		write_values(body, cct, is_no_leaf, samples_of, metric);
		write_column(body, cct, has_samples, weight_of, metric);
		write_values(body, cct, has_no_samples, weight_of, metric);
	}
}

void tree_part_write(struct byte_buffer *body, const struct profile *profile)
{
	const struct cct *cct = profile->cct;
	struct sorted_frames sorted;

	if (sorted_frames_init(&sorted, cct)) {
		body->lacks_memory = true;
		return;
	}
	write_frames(body, cct, &sorted);
	tree_nodes_write(body, cct, &sorted);
	sorted_frames_deinit(&sorted);
	write_values(body, cct, any_node, frame_marks_of, 0);
	byte_buffer_add_unsigned(body, N_PATH_MARKS);
	for (unsigned mark = 0; mark < N_PATH_MARKS; mark++)
		write_values(body, cct, any_node, marked_of, mark);
	write_costs(body, cct);
	byte_buffer_add_unsigned(body, cct->longest ? cct->longest_metric + 1u : 0);
	if (cct->longest)
		write_values(body, cct, any_node, longest_of, 0);
}

static bool frame_is_possible(const struct frame *frame, const struct profile *profile)
{
	const bool is_code = frame->kind == FRAME_USER || frame->kind == FRAME_KERNEL;

	if (frame->module >= (is_code ? profile->modules.n_modules : 1) ||
	    (frame->part && frame->kind != FRAME_USER))
		return false;
	switch ((enum frame_kind)frame->kind) {
	case FRAME_PROCESS:
		return frame->offset < profile->n_processes;
	case FRAME_THREAD:
		return frame->offset < profile->n_threads;
	case FRAME_MARKER:
		return frame->offset < N_MARKERS;
	case FRAME_WAKER:
		return frame->offset < profile->wakers.n_strings;
	case FRAME_VALUE:
		return frame->offset < profile->values.n_strings;
	case FRAME_USER:
	case FRAME_KERNEL:
	case FRAME_LOCK:
		return true;
	case FRAME_ROOT:
	case FRAME_CPU:
	case FRAME_CGROUP:
	case FRAME_PHASE:
	case FRAME_EPOCH:
		return false;
	}
	return false;
}

/* A frame of the file, whose @kind has its part above. 0, -EINVAL or -ENOMEM. */
static int add_frame(const struct profile *profile, uint64_t kind, uint64_t module, uint64_t offset,
		     uint32_t *number_ret)
{
	const uint64_t part = kind >> KIND_BITS;

	kind &= (1u << KIND_BITS) - 1;
	if (kind > FRAME_VALUE || module > UINT32_MAX || part > UINT16_MAX)
		return -EINVAL;
	const struct frame frame = {
		.kind = (uint8_t)kind,
		.part = (uint16_t)part,
		.module = (uint32_t)module,
		.offset = offset,
	};
	if (!frame_is_possible(&frame, profile))
		return -EINVAL;
	*number_ret = frame_ids_enter(&profile->cct->frames, &frame);
	return *number_ret == FRAME_IDS_NONE ? -ENOMEM : 0;
}

/* A column of @n numbers, which is passed over. */
static struct dwarf_reader read_column(struct dwarf_reader *body, int64_t n)
{
	const struct dwarf_reader column = *body;

	for (int64_t i = 0; i < n; i++)
		dwarf_read_uleb(body);
	return column;
}

/* They are numbered as in the file, from 1 on. */
static int read_frames(struct dwarf_reader *body, const struct profile *profile)
{
	const int64_t n = part_read_count(body, 3);
	struct dwarf_reader kinds = read_column(body, n), modules = read_column(body, n);
	uint64_t offset = 0;

	if (n < 0)
		return -EINVAL;
	if (frame_ids_reserve(&profile->cct->frames, (uint32_t)n))
		return -ENOMEM;
	for (int64_t i = 0; i < n; i++) {
		const uint64_t kind = dwarf_read_uleb(&kinds), module = dwarf_read_uleb(&modules);
		uint32_t number;

		offset += dwarf_read_uleb(body);
		int err = add_frame(profile, kind, module, offset, &number);
		if (err || number != i + 1)
			return err ? err : -EINVAL;
	}
	return 0;
}

/* As versions 1 and 2 have them. @numbers_ret: of the frames, in the tree. */
static int read_frame_list(struct dwarf_reader *body, const struct profile *profile,
			   uint32_t **numbers_ret, int64_t *n_ret)
{
	struct frame_ids *known = &profile->cct->frames;
	uint64_t offset = 0;

	*n_ret = part_read_count(body, 3);
	if (*n_ret < 0)
		return -EINVAL;
	uint32_t *numbers = calloc((size_t)*n_ret + 1, sizeof(*numbers));
	*numbers_ret = numbers;
	if (!numbers || frame_ids_reserve(known, (uint32_t)*n_ret))
		return -ENOMEM;
	for (int64_t i = 0; i < *n_ret; i++) {
		const uint64_t kind = dwarf_read_uleb(body), module = dwarf_read_uleb(body);

		offset += dwarf_read_uleb(body);
		int err = add_frame(profile, kind, module, offset, &numbers[i]);
		if (err)
			return err;
	}
	return 0;
}

static int read_node(struct cct *cct, uint64_t distance, uint64_t index, const uint32_t *numbers,
		     int64_t n_frames)
{
	uint32_t node = cct->n_nodes;

	if (!distance || distance > node || index >= (uint64_t)n_frames)
		return -EINVAL;
	uint32_t parent = node - (uint32_t)distance;
	if (!tree_may_be_child(cct_frame(cct, parent), &cct->frames.frames[numbers[index]]))
		return -EINVAL;
	return cct_add_child(cct, parent, numbers[index]) == CCT_NONE ? -ENOMEM : 0;
}

static int read_nodes(struct dwarf_reader *body, struct cct *cct, const uint32_t *numbers,
		      int64_t n_frames)
{
	int64_t n = part_read_count(body, 2);
	struct dwarf_reader distances = *body;

	if (n > 0 && cct_reserve(cct, (uint32_t)n))
		return -ENOMEM;
	for (int64_t i = 0; i < n; i++)
		dwarf_read_uleb(body);
	for (int64_t i = 0; i < n; i++) {
		uint64_t distance = dwarf_read_uleb(&distances);
		int err = read_node(cct, distance, dwarf_read_uleb(body), numbers, n_frames);

		if (err)
			return err;
	}
	return n < 0 || body->is_broken ? -EINVAL : 0;
}

/* 0 or -ENOMEM. */
typedef int (*node_setter)(struct cct *cct, uint32_t node, unsigned which, uint64_t value);

static int set_frame_marks(struct cct *cct, uint32_t node, unsigned which, uint64_t value)
{
	(void)which;
	cct->nodes[node].frame_marks = (uint32_t)value & ((1u << N_PATH_MARKS) - 1);
	return 0;
}

static int set_marked(struct cct *cct, uint32_t node, unsigned mark, uint64_t value)
{
	if (mark >= N_PATH_MARKS)
		return 0;
	return path_marks_add(&cct->marks, node, (enum path_mark)mark, value);
}

static int set_samples(struct cct *cct, uint32_t node, unsigned metric, uint64_t value)
{
	cct_cost(cct, node, metric)->samples = value;
	return 0;
}

static int set_weight(struct cct *cct, uint32_t node, unsigned metric, uint64_t value)
{
	cct_cost(cct, node, metric)->weight = value;
	return 0;
}

static int set_longest(struct cct *cct, uint32_t node, unsigned which, uint64_t value)
{
	(void)which;
	cct->longest[node] = value;
	return 0;
}

static int read_values(struct dwarf_reader *body, struct cct *cct, node_setter set, unsigned which)
{
	int64_t n = part_read_count(body, 2);
	struct dwarf_reader nodes = *body;
	uint64_t node = 0;

	for (int64_t i = 0; i < n; i++)
		dwarf_read_uleb(body);
	for (int64_t i = 0; i < n; i++) {
		uint64_t distance = dwarf_read_uleb(&nodes);

		if (distance >= cct->n_nodes - node)
			return -EINVAL;
		node += distance;
		int err = set(cct, (uint32_t)node, which, dwarf_read_uleb(body));
		if (err)
			return err;
	}
	return n < 0 || body->is_broken ? -EINVAL : 0;
}

static int read_marks(struct dwarf_reader *body, struct cct *cct)
{
	int err = read_values(body, cct, set_frame_marks, 0);
	uint64_t n = err ? 0 : dwarf_read_uleb(body);

	for (uint64_t mark = 0; !err && mark < n; mark++)
		err = read_values(body, cct, set_marked, (unsigned)mark);
	return err;
}

/* Values of all nodes with @condition. */
static int read_all_values(struct dwarf_reader *body, struct cct *cct, node_condition condition,
			   node_setter set, unsigned which)
{
	for (uint32_t node = 0; node < cct->n_nodes; node++) {
		const uint64_t value = condition(cct, node, which) ? dwarf_read_uleb(body) : 0;

		if (value && set(cct, node, which, value))
			return -ENOMEM;
	}
	return body->is_broken ? -EINVAL : 0;
}

static int read_costs(struct dwarf_reader *body, struct cct *cct)
{
	int err = 0;

	for (unsigned metric = 0; !err && metric < cct->n_metrics; metric++) {
		err = read_all_values(body, cct, is_leaf, set_samples, metric);
		if (!err)
			err = read_values(body, cct, set_samples, metric);
		if (!err)
			err = read_all_values(body, cct, has_samples, set_weight, metric);
		if (!err)
			err = read_values(body, cct, set_weight, metric);
	}
	return err;
}

/* As versions 1 and 2 have them. */
static int read_cost_lists(struct dwarf_reader *body, struct cct *cct)
{
	int err = 0;

	for (unsigned metric = 0; !err && metric < cct->n_metrics; metric++) {
		err = read_values(body, cct, set_samples, metric);
		if (!err)
			err = read_values(body, cct, set_weight, metric);
	}
	return err;
}

/* The tree keeps longest weights from its beginning on, so their metric comes first. */
static int read_longest(struct dwarf_reader *body, struct cct *cct)
{
	uint64_t metric = dwarf_read_uleb(body);

	if (!metric || body->is_broken)
		return body->is_broken ? -EINVAL : 0;
	if (metric > cct->n_metrics)
		return -EINVAL;
	int err = cct_keep_longest(cct, (uint32_t)metric - 1);
	return err ? err : read_values(body, cct, set_longest, 0);
}

int tree_part_read(struct dwarf_reader *body, struct profile *profile)
{
	profile->cct = cct_create(profile->n_metrics);
	if (!profile->cct)
		return -ENOMEM;
	int err = read_frames(body, profile);
	if (!err)
		err = tree_nodes_read(body, profile->cct);
	if (!err)
		err = read_marks(body, profile->cct);
	if (!err)
		err = read_costs(body, profile->cct);
	return err ? err : read_longest(body, profile->cct);
}

int tree_part_read_before_3(struct dwarf_reader *body, struct profile *profile)
{
	_cleanup_free_ uint32_t *numbers = NULL;
	int64_t n_frames;

	profile->cct = cct_create(profile->n_metrics);
	if (!profile->cct)
		return -ENOMEM;
	int err = read_frame_list(body, profile, &numbers, &n_frames);
	if (!err)
		err = read_nodes(body, profile->cct, numbers, n_frames);
	if (!err)
		err = read_marks(body, profile->cct);
	if (!err)
		err = read_cost_lists(body, profile->cct);
	return err ? err : read_longest(body, profile->cct);
}

/* A path was called once where it parts from others, and below that as often as there. */
static uint64_t expected_activations(const struct cct *cct, uint32_t node)
{
	const struct cct_node *of = &cct->nodes[node];
	const enum frame_kind kind = cct_frame(cct, node)->kind;

	if (kind == FRAME_ROOT || kind == FRAME_PROCESS || kind == FRAME_THREAD)
		return 0;
	const enum frame_kind above = cct_frame(cct, of->parent)->kind;
	const bool is_only_child =
		of->next_sibling == CCT_NONE && cct->nodes[of->parent].first_child == node;
	return is_only_child && above != FRAME_PROCESS && above != FRAME_THREAD
		       ? cct->activations[of->parent]
		       : 1;
}

/* The difference to what is expected, so that small ones of both signs are small numbers. */
static uint64_t more_activations_of(const struct cct *cct, uint32_t node, unsigned which)
{
	const uint64_t more = cct->activations[node] - expected_activations(cct, node);

	(void)which;
	return more << 1 ^ -(more >> 63);
}

void activations_part_write(struct byte_buffer *body, const struct profile *profile)
{
	write_values(body, profile->cct, any_node, more_activations_of, 0);
}

static int set_activations(struct cct *cct, uint32_t node, unsigned which, uint64_t value)
{
	(void)which;
	cct->activations[node] = value;
	return 0;
}

int activations_part_read(struct dwarf_reader *body, struct profile *profile)
{
	struct cct *cct = profile->cct;
	int err = cct_keep_activations(cct);

	if (!err)
		err = read_values(body, cct, set_activations, 0);
	for (uint32_t node = 0; !err && node < cct->n_nodes; node++) {
		const uint64_t more = cct->activations[node];

		cct->activations[node] =
			expected_activations(cct, node) + (more >> 1 ^ -(more & 1));
	}
	return err;
}

int activations_part_read_before_3(struct dwarf_reader *body, struct profile *profile)
{
	int err = cct_keep_activations(profile->cct);

	return err ? err : read_values(body, profile->cct, set_activations, 0);
}
