#include "cct/store/tree_nodes.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/encoding/byte_columns.h"
#include "cct/encoding/child_places.h"

/* A chain begins at the node above its first one: at most so many levels above the last node of the
 * chain before. The number in the file is one more, and 0 for a distance that is stored apart. */
#define LEVELS_MAX 126

/* Places are in columns by the length of the list that they are in: 1, 2, 3, and more. */
#define N_PLACE_COLUMNS 4

static unsigned column_of(const struct child_list *list)
{
	return (list->n < N_PLACE_COLUMNS ? list->n : N_PLACE_COLUMNS) - 1u;
}

bool tree_may_be_child(const struct frame *parent, const struct frame *frame)
{
	if ((parent->kind == FRAME_ROOT) != (frame->kind == FRAME_PROCESS))
		return false;
	return frame->kind != FRAME_THREAD || parent->kind == FRAME_PROCESS;
}

/* The columns that are being written. */
struct nodes_writer {
	const struct cct *cct;
	const struct sorted_frames *sorted;
	struct child_places places;
	struct byte_buffer lengths, levels; /* of chains */
	uint32_t n_chains;
	uint32_t *distances; /* to the nodes that chains begin at, where levels do not tell */
	uint32_t n_distances;
	struct byte_buffer in_lists[N_PLACE_COLUMNS];
	struct byte_buffer near; /* frames, less the last one of the list */
	uint32_t *far;           /* first frames of a list */
	uint32_t n_far;
	bool lacks_memory;
};

static void nodes_writer_deinit(struct nodes_writer *writer)
{
	child_places_deinit(&writer->places);
	byte_buffer_deinit(&writer->lengths);
	byte_buffer_deinit(&writer->levels);
	free(writer->distances);
	for (unsigned i = 0; i < N_PLACE_COLUMNS; i++)
		byte_buffer_deinit(&writer->in_lists[i]);
	byte_buffer_deinit(&writer->near);
	free(writer->far);
}

/* How many levels @above is above a node; LEVELS_MAX + 1: it is not, or further. */
static unsigned levels_between(const struct cct *cct, uint32_t node, uint32_t above)
{
	unsigned n = 0;

	/* Parents have lower numbers. */
	for (; node > above && n <= LEVELS_MAX; n++)
		node = cct->nodes[node].parent;
	return node == above ? n : LEVELS_MAX + 1;
}

static void begin_chain(struct nodes_writer *writer, uint32_t node)
{
	const uint32_t parent = writer->cct->nodes[node].parent;
	const unsigned n = levels_between(writer->cct, node - 1, parent);

	writer->n_chains++;
	byte_buffer_add_unsigned(&writer->levels, n > LEVELS_MAX ? 0 : n + 1);
	if (n > LEVELS_MAX)
		writer->distances[writer->n_distances++] = node - parent;
}

static void write_chains(struct nodes_writer *writer)
{
	const struct cct *cct = writer->cct;
	uint32_t next;

	for (uint32_t first = 1; first < cct->n_nodes; first = next) {
		begin_chain(writer, first);
		for (next = first + 1; next < cct->n_nodes && cct->nodes[next].parent == next - 1;)
			next++;
		byte_buffer_add_unsigned(&writer->lengths, next - first);
	}
}

static uint32_t frame_number(const struct nodes_writer *writer, uint32_t node)
{
	return node == CCT_ROOT ? 0 : writer->sorted->indices[writer->cct->nodes[node].frame] + 1;
}

static void write_place(struct nodes_writer *writer, uint32_t node)
{
	const uint32_t parent = writer->cct->nodes[node].parent;
	const uint32_t number = frame_number(writer, node);
	struct child_list *list = child_places_of(&writer->places, frame_number(writer, parent),
						  cct_frame(writer->cct, parent));
	const unsigned place = child_list_find(list, number);
	const uint8_t stored = (uint8_t)(place == list->n ? 0 : place + 1);

	if (list->n)
		byte_buffer_add(&writer->in_lists[column_of(list)], &stored, 1);
	if (!stored && list->n)
		byte_buffer_add_signed(&writer->near, (int64_t)number - list->last);
	else if (!stored)
		writer->far[writer->n_far++] = number - 1;
	writer->lacks_memory |= child_places_count(&writer->places, list, place, number) != 0;
}

static int nodes_writer_init(struct nodes_writer *writer, const struct cct *cct,
			     const struct sorted_frames *sorted)
{
	*writer = (struct nodes_writer){
		.cct = cct,
		.sorted = sorted,
		.distances = calloc(cct->n_nodes, sizeof(*writer->distances)),
		.far = calloc(cct->n_nodes, sizeof(*writer->far)),
	};
	if (!writer->distances || !writer->far)
		return -ENOMEM;
	return child_places_init(&writer->places, sorted->n + 1);
}

void tree_nodes_write(struct byte_buffer *body, const struct cct *cct,
		      const struct sorted_frames *sorted)
{
	struct nodes_writer writer;

	if (nodes_writer_init(&writer, cct, sorted)) {
		nodes_writer_deinit(&writer);
		body->lacks_memory = true;
		return;
	}
	write_chains(&writer);
	for (uint32_t node = 1; node < cct->n_nodes; node++)
		write_place(&writer, node);
	byte_buffer_add_unsigned(body, cct->n_nodes - 1);
	byte_buffer_add_unsigned(body, writer.n_chains);
	column_write(body, &writer.lengths);
	column_write(body, &writer.levels);
	byte_columns_write(body, writer.distances, writer.n_distances);
	for (unsigned i = 0; i < N_PLACE_COLUMNS; i++)
		column_write(body, &writer.in_lists[i]);
	column_write(body, &writer.near);
	byte_columns_write(body, writer.far, writer.n_far);
	body->lacks_memory |= writer.lacks_memory;
	nodes_writer_deinit(&writer);
}

/* The columns that are being read. */
struct nodes_reader {
	struct cct *cct;
	struct child_places places;
	struct dwarf_reader lengths, levels, in_lists[N_PLACE_COLUMNS], near;
	struct byte_columns distances, far;
};

/* The node that the next chain begins at, after @last. 0 or -EINVAL. */
static int read_chain(struct nodes_reader *reader, uint32_t last, uint32_t *parent_ret)
{
	const uint8_t levels = dwarf_read_byte(&reader->levels);

	if (reader->levels.is_broken || levels > LEVELS_MAX + 1)
		return -EINVAL;
	if (!levels) {
		if (byte_columns_are_over(&reader->distances))
			return -EINVAL;
		const uint32_t distance = byte_columns_next(&reader->distances);
		*parent_ret = last + 1 - distance;
		return distance && distance <= last + 1 ? 0 : -EINVAL;
	}
	for (unsigned i = 1; i < levels; i++) {
		if (last == CCT_ROOT)
			return -EINVAL;
		last = reader->cct->nodes[last].parent;
	}
	*parent_ret = last;
	return 0;
}

/* A frame without a place in its list. 0, which is the root's: there is none. */
static uint32_t read_other_frame(struct nodes_reader *reader, const struct child_list *list)
{
	const uint32_t n_frames = reader->places.n_frames;

	if (list->n) {
		const int64_t near = dwarf_read_sleb(&reader->near);
		const int64_t number = (int64_t)((uint64_t)near + list->last);

		return reader->near.is_broken || number < 1 || number >= n_frames
			       ? 0
			       : (uint32_t)number;
	}
	if (byte_columns_are_over(&reader->far))
		return 0;
	const uint32_t number = byte_columns_next(&reader->far);
	return number < n_frames - 1 ? number + 1 : 0;
}

static int read_node(struct nodes_reader *reader, uint32_t parent)
{
	struct cct *cct = reader->cct;
	const struct frame *frame = cct_frame(cct, parent);
	struct child_list *list = child_places_of(&reader->places, cct->nodes[parent].frame, frame);
	unsigned place = 0;
	uint32_t number;

	if (list->n)
		place = dwarf_read_byte(&reader->in_lists[column_of(list)]);
	if (place > list->n || (list->n && reader->in_lists[column_of(list)].is_broken))
		return -EINVAL;
	if (place) {
		number = child_list_at(list, --place);
	} else {
		number = read_other_frame(reader, list);
		place = list->n;
	}
	if (!number || !tree_may_be_child(frame, &cct->frames.frames[number]))
		return -EINVAL;
	if (child_places_count(&reader->places, list, place, number))
		return -ENOMEM;
	return cct_add_child(cct, parent, number) == CCT_NONE ? -ENOMEM : 0;
}

static int read_nodes(struct nodes_reader *reader, uint64_t n_nodes, uint64_t n_chains)
{
	uint64_t left = n_nodes;

	for (; n_chains; n_chains--) {
		const uint64_t length = dwarf_read_uleb(&reader->lengths);
		uint32_t parent;
		int err = read_chain(reader, reader->cct->n_nodes - 1, &parent);

		if (err || !length || length > left)
			return -EINVAL;
		left -= length;
		for (uint64_t i = 0; !err && i < length; i++) {
			err = read_node(reader, parent);
			parent = reader->cct->n_nodes - 1;
		}
		if (err)
			return err;
	}
	return left ? -EINVAL : 0;
}

/* Each column is read to its end. */
static bool is_over(const struct nodes_reader *reader)
{
	size_t left = dwarf_left(&reader->lengths) + dwarf_left(&reader->levels) +
		      dwarf_left(&reader->near);

	for (unsigned i = 0; i < N_PLACE_COLUMNS; i++)
		left += dwarf_left(&reader->in_lists[i]);
	return !left && byte_columns_are_over(&reader->distances) &&
	       byte_columns_are_over(&reader->far);
}

int tree_nodes_read(struct dwarf_reader *body, struct cct *cct)
{
	struct nodes_reader reader = { .cct = cct };
	const uint64_t n_nodes = dwarf_read_uleb(body), n_chains = dwarf_read_uleb(body);

	reader.lengths = column_read(body);
	reader.levels = column_read(body);
	reader.distances = byte_columns_read(body);
	for (unsigned i = 0; i < N_PLACE_COLUMNS; i++)
		reader.in_lists[i] = column_read(body);
	reader.near = column_read(body);
	reader.far = byte_columns_read(body);
	/* Memory grows with what is there: a node has a byte of its own in some column. */
	uint64_t n_bytes = reader.far.n;
	for (unsigned i = 0; i < N_PLACE_COLUMNS; i++)
		n_bytes += dwarf_left(&reader.in_lists[i]);
	if (body->is_broken || n_nodes > n_bytes || n_chains > n_nodes)
		return -EINVAL;
	int err = cct_reserve(cct, (uint32_t)n_nodes);
	if (!err)
		err = child_places_init(&reader.places, cct->frames.n_frames);
	if (!err)
		err = read_nodes(&reader, n_nodes, n_chains);
	if (!err && !is_over(&reader))
		err = -EINVAL;
	child_places_deinit(&reader.places);
	return err;
}
