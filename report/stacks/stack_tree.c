#include "report/stacks/stack_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "report/names/source_paths.h"

/* The frames that a frame of the profile's tree has become: they follow one another in ->ids. */
struct expansion {
	uint32_t first, n;
};

struct building {
	const struct profile *profile;
	struct symbolizer *symbolizer;
	struct stack_tree *tree;
	enum stack_detail detail;
	struct expansion *expansions; /* by number of the frame; n is UINT32_MAX: not expanded */
	uint32_t *ids;                /* frames, of all expansions */
	uint32_t n_ids, n_ids_allocated;
	uint32_t *by_symbolizer; /* functions, plus 1, by the symbolizer's number */
	uint32_t n_by_symbolizer;
	struct pair_map frames; /* (function, file and line) -> frame */
	struct node_index nodes;
};

static enum stack_kind kind_of(const struct profile *profile, const struct frame *frame)
{
	const struct module *module = module_table_get(&profile->modules, frame->module);

	if (frame->kind == FRAME_KERNEL)
		return STACK_KERNEL;
	if (frame->kind != FRAME_USER)
		return STACK_MARK;
	return module && (module->key.kind == MODULE_JIT || module->key.kind == MODULE_ANON)
		       ? STACK_JIT
		       : STACK_USER;
}

static uint32_t *place_of_function(struct building *building, uint32_t number)
{
	const uint32_t n = building->n_by_symbolizer;

	if (number >= n) {
		if (array_reserve(building->by_symbolizer, n, building->n_by_symbolizer,
				  number + 1 - n))
			return NULL;
		for (uint32_t i = n; i < building->n_by_symbolizer; i++)
			building->by_symbolizer[i] = 0;
	}
	return &building->by_symbolizer[number];
}

/* A function is known by the first of its files, and by the lowest line there. */
static void note_line(struct stack_function *function, const char *file, uint32_t line)
{
	if (!function->file) {
		function->file = file;
		function->line = line;
	} else if (function->file == file && line && (!function->line || line < function->line)) {
		function->line = line;
	}
}

/* @frame: has ->cct, ->file and ->line. Sets its function. 0 or -ENOMEM. */
static int enter_function(struct building *building, const struct frame_name *name,
			  struct stack_frame *frame)
{
	struct stack_tree *tree = building->tree;
	uint32_t *place = place_of_function(building, name->function);

	if (!place)
		return -ENOMEM;
	if (!*place) {
		const struct frame *code = &building->profile->cct->frames.frames[frame->cct];

		if (array_reserve(tree->functions, tree->n_functions, tree->n_functions_allocated,
				  1))
			return -ENOMEM;
		tree->functions[tree->n_functions++] = (struct stack_function){
			.name = name->name,
			.module = code->module,
			.first_cct = frame->cct,
			.start = name->symbol_offset <= code->offset
					 ? code->offset - name->symbol_offset
					 : code->offset,
			.kind = kind_of(building->profile, code),
		};
		*place = tree->n_functions;
	}
	frame->function = *place - 1;
	if (frame->file)
		note_line(&tree->functions[frame->function], frame->file, frame->line);
	return 0;
}

static int add_frame(struct stack_tree *tree, const struct stack_frame *frame, uint32_t *number_ret)
{
	if (array_reserve(tree->frames, tree->n_frames, tree->n_frames_allocated, 1))
		return -ENOMEM;
	*number_ret = tree->n_frames;
	tree->frames[tree->n_frames++] = *frame;
	return 0;
}

/* @file: its number, plus 1. */
static int enter_frame(struct building *building, const struct stack_frame *frame, uint32_t file,
		       uint32_t *number_ret)
{
	const bool has_lines = building->detail == STACKS_OF_LINES;
	const uint64_t line = has_lines ? (uint64_t)file << 32 | frame->line : 0;

	if (building->detail == STACKS_OF_CODE)
		return add_frame(building->tree, frame, number_ret);
	*number_ret = pair_map_find(&building->frames, frame->function, line);
	if (*number_ret != PAIR_MAP_NONE)
		return 0;
	int err = add_frame(building->tree, frame, number_ret);
	return err ? err : pair_map_add(&building->frames, frame->function, line, *number_ret);
}

static int expand_name(struct building *building, uint32_t cct, uint32_t depth,
		       const struct frame_name *name)
{
	struct stack_frame frame = { .cct = cct, .depth = depth, .line = name->line };
	uint32_t file = 0;
	int err = 0;

	if (name->file) {
		err = source_paths_intern(building->tree->paths, name->directory, name->file,
					  &file);
		if (err)
			return err;
		frame.file = source_paths_get(building->tree->paths, file++);
	}
	if (array_reserve(building->ids, building->n_ids, building->n_ids_allocated, 1))
		return -ENOMEM;
	err = enter_function(building, name, &frame);
	return err ? err : enter_frame(building, &frame, file, &building->ids[building->n_ids++]);
}

/* Finds the frames of a frame of the profile's tree. 0 or -ENOMEM. */
static int expand(struct building *building, uint32_t cct)
{
	const struct frame *frame = &building->profile->cct->frames.frames[cct];
	struct expansion *expansion = &building->expansions[cct];
	const struct frame_name *names;
	size_t n_names;

	*expansion = (struct expansion){ .first = building->n_ids };
	if (frame_is_above_code(frame) ||
	    (frame->kind == FRAME_MARKER && frame->offset == MARKER_KERNEL))
		return 0;
	int err = symbolizer_expand(building->symbolizer, frame, &names, &n_names);
	for (size_t i = 0; !err && i < n_names; i++)
		err = expand_name(building, cct, (uint32_t)i, &names[i]);
	expansion->n = building->n_ids - expansion->first;
	return err;
}

static struct node_array nodes_of(const struct stack_tree *tree)
{
	return (struct node_array){ tree->nodes, sizeof(*tree->nodes), tree->n_nodes };
}

/* The child of *@node with that frame, made if new. 0 or -ENOMEM. */
static int descend(struct building *building, uint32_t *node, uint32_t frame)
{
	struct stack_tree *tree = building->tree;
	struct node_array nodes = nodes_of(tree);
	const uint32_t known =
		node_index_find(&building->nodes, &nodes, (struct node_key){ *node, frame });

	if (known != NODE_NONE) {
		*node = known;
		return 0;
	}
	if (array_reserve(tree->nodes, tree->n_nodes, tree->n_nodes_allocated, 1))
		return -ENOMEM;
	tree->nodes[tree->n_nodes] = (struct stack_node){ .parent = *node, .frame = frame };
	*node = tree->n_nodes++;
	nodes = nodes_of(tree);
	return node_index_add_last(&building->nodes, &nodes);
}

static int add_node(struct building *building, uint32_t i)
{
	const struct cct_node *from = &building->profile->cct->nodes[i];
	const struct expansion *expansion = &building->expansions[from->frame];
	uint32_t node = building->tree->node_of[from->parent];
	int err = expansion->n == UINT32_MAX ? expand(building, from->frame) : 0;

	for (uint32_t k = 0; !err && k < expansion->n; k++)
		err = descend(building, &node, building->ids[expansion->first + k]);
	building->tree->node_of[i] = node;
	return err;
}

static int build(struct building *building)
{
	const struct cct *cct = building->profile->cct;
	struct stack_tree *tree = building->tree;
	int err = 0;

	building->expansions = calloc(cct->frames.n_frames + 1u, sizeof(*building->expansions));
	tree->node_of = calloc(cct->n_nodes, sizeof(*tree->node_of));
	tree->paths = source_paths_create();
	if (!building->expansions || !tree->node_of || !tree->paths)
		return -ENOMEM;
	for (uint32_t i = 0; i < cct->frames.n_frames; i++)
		building->expansions[i].n = UINT32_MAX;
	tree->node_of[CCT_ROOT] = STACK_NONE;
	for (uint32_t i = 1; !err && i < cct->n_nodes; i++)
		err = add_node(building, i);
	return err;
}

int stack_tree_create(const struct profile *profile, struct symbolizer *symbolizer,
		      enum stack_detail detail, struct stack_tree **tree_ret)
{
	struct building building = {
		.profile = profile,
		.symbolizer = symbolizer,
		.tree = calloc(1, sizeof(*building.tree)),
		.detail = detail,
	};
	int err = building.tree ? build(&building) : -ENOMEM;

	free(building.expansions);
	free(building.ids);
	free(building.by_symbolizer);
	pair_map_deinit(&building.frames);
	node_index_deinit(&building.nodes);
	if (err) {
		stack_tree_destroy(building.tree);
		return err;
	}
	*tree_ret = building.tree;
	return 0;
}

void stack_tree_destroy(struct stack_tree *tree)
{
	if (!tree)
		return;
	free(tree->functions);
	free(tree->frames);
	free(tree->nodes);
	free(tree->node_of);
	source_paths_destroy(tree->paths);
	free(tree);
}
