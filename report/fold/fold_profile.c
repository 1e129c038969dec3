#include "report/fold/fold_profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/hash.h"
#include "cct/base/pair_map.h"
#include "cct/text/name_pattern.h"
#include "report/fold/fold_recursion.h"
#include "report/fold/frame_places.h"
#include "report/fold/kernel_part.h"
#include "report/fold/merge_copies.h"
#include "report/fold/node_index.h"
#include "report/fold/view_traits.h"
#include "report/names/function_query.h"
#include "report/names/source_paths.h"

#define NONE FOLD_NONE
/* That the columns have room for. */
#define MAX_SQUARES 0x1p103

/* State of the single pass over the tree that makes a fold. */
struct folding {
	const struct profile *profile;
	const struct view_options *options;
	struct symbolizer *symbolizer;
	struct fold *fold;
	uint32_t *folded;      /* node of the tree -> node of the fold */
	uint32_t *by_function; /* function -> entity */
	uint32_t n_functions;
	uint32_t *by_process; /* index in the profile -> entity */
	uint32_t *by_thread;
	struct pair_map by_group;    /* (kind, offset) of a frame -> entity */
	struct function_query *root; /* VIEW_PATHS */
	struct frame_places places;
	struct node_index nodes; /* those of the fold */
	struct pair_map lines;   /* (file and line, module) -> its first entity */
	/* (a line's first entity, function; line_name_key(), hash of its name) -> entity */
	struct pair_map line_functions;
};

/* A process that occurs in the tree. */
struct seen_process {
	uint32_t index;
	int32_t pid;
	const char *name;
	uint32_t number; /* of processes that it stands for */
};

static bool is_kernel_mark(const struct frame *frame)
{
	return frame->kind == FRAME_MARKER && frame->offset == MARKER_KERNEL;
}

static int grow_functions(struct folding *folding, uint32_t function)
{
	uint32_t n = folding->n_functions;

	if (array_reserve(folding->by_function, n, folding->n_functions, function + 1 - n))
		return -ENOMEM;
	memset(folding->by_function + n, 0xff,
	       (folding->n_functions - n) * sizeof(*folding->by_function));
	return 0;
}

/* How well a function is what the user typed: as a name, as a glob, or as a part of the name. */
static uint8_t match_root(const struct folding *folding, const struct frame_name *name)
{
	enum function_match match;

	if (!folding->root)
		return 0;
	match = function_query_match(folding->root, name);
	if (match == FUNCTION_MATCHES)
		return 3;
	if (name_pattern_matches(folding->options->root, name->name))
		return 2;
	return match == FUNCTION_SIMILAR;
}

/* Finds or adds the entity of a function or marker. */
static int function_entity(struct folding *folding, const struct frame *frame,
			   const struct frame_name *name, uint32_t *entity_ret)
{
	if (name->function >= folding->n_functions) {
		int err = grow_functions(folding, name->function);

		if (err)
			return err;
	}
	if (folding->by_function[name->function] == NONE) {
		struct fold_entity entity = {
			.name = name->name,
			.base_name = name->base_name,
			.symbol = name->symbol,
			.module = name->module,
			.id = -1,
			.module_id = frame->module,
			.lowest_offset = frame->offset,
			.root_match = match_root(folding, name),
			.frame_kind = (enum frame_kind)frame->kind,
			.is_inlined = name->is_inlined,
			.is_kernel_mark = is_kernel_mark(frame),
		};

		folding->by_function[name->function] = fold_add_entity(folding->fold, &entity);
	}
	*entity_ret = folding->by_function[name->function];
	return *entity_ret == NONE ? -ENOMEM : 0;
}

/* A key beside function numbers: a compiled and an inlined copy have one name, so they are one. */
static uint64_t line_name_key(uint32_t first)
{
	return UINT64_C(1) << 32 | first;
}

/* Adds a function of the source line whose first one is @first, NONE: it is this one. */
static int add_line_function(struct folding *folding, const struct frame *frame,
			     const struct frame_name *name, uint32_t path, uint32_t first,
			     uint32_t *entity_ret)
{
	const struct fold_entity entity = {
		.name = name->name,
		.symbol = name->symbol,
		.module = name->module,
		.id = -1,
		.n_merged = 1,
		.module_id = frame->module,
		.frame_kind = (enum frame_kind)frame->kind,
		.file = source_paths_get(folding->fold->paths, path),
		.line = name->line,
		.line_group = first == NONE ? 0 : first,
	};

	*entity_ret = fold_add_entity(folding->fold, &entity);
	return *entity_ret == NONE ? -ENOMEM : 0;
}

/* Finds or adds the entity of a function in the source line of an instruction or inlined call. */
static int line_entity(struct folding *folding, const struct frame *frame,
		       const struct frame_name *name, uint32_t *entity_ret)
{
	struct pair_map *known = &folding->line_functions;
	uint32_t path;
	int err = source_paths_intern(folding->fold->paths, name->directory, name->file, &path);

	if (err)
		return err;
	const uint64_t line = (uint64_t)path << 32 | name->line;
	const uint64_t text = hash_text(HASH_START, name->name);
	uint32_t first = pair_map_find(&folding->lines, line, frame->module);
	if (first != PAIR_MAP_NONE) {
		*entity_ret = pair_map_find(known, first, name->function);
		if (*entity_ret != PAIR_MAP_NONE)
			return 0;
		*entity_ret = pair_map_find(known, line_name_key(first), text);
		if (*entity_ret != PAIR_MAP_NONE)
			return pair_map_add(known, first, name->function, *entity_ret);
	}
	err = add_line_function(folding, frame, name, path, first, entity_ret);
	if (!err && first == PAIR_MAP_NONE) {
		first = *entity_ret;
		err = pair_map_add(&folding->lines, line, frame->module, first);
	}
	if (!err)
		err = pair_map_add(known, line_name_key(first), text, *entity_ret);
	return err ? err : pair_map_add(known, first, name->function, *entity_ret);
}

static int code_entity(struct folding *folding, const struct frame *frame,
		       const struct frame_name *name, uint32_t *entity_ret)
{
	if (folding->options->kind == VIEW_LINES && name->file && name->line)
		return line_entity(folding, frame, name, entity_ret);
	return function_entity(folding, frame, name, entity_ret);
}

static int compare_seen(const void *a, const void *b)
{
	const struct seen_process *x = a, *y = b;
	int by_name = strcmp(x->name, y->name);

	if (by_name)
		return by_name;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static bool same_group(const struct folding *folding, const struct seen_process *a,
		       const struct seen_process *b)
{
	if (strcmp(a->name, b->name) != 0)
		return false;
	return folding->options->grouping == GROUP_COMM || a->pid == b->pid;
}

/* Notes the processes that are children of @parent, each once. */
static void note_processes(const struct folding *folding, uint32_t parent,
			   struct seen_process *seen, size_t *n_seen, bool *is_seen)
{
	const struct profile *profile = folding->profile;
	const struct cct *cct = profile->cct;

	for (uint32_t i = cct->nodes[parent].first_child; i != CCT_NONE;
	     i = cct->nodes[i].next_sibling) {
		const struct frame *frame = cct_frame(cct, i);

		if (frame->kind != FRAME_PROCESS || frame->offset >= profile->n_processes ||
		    is_seen[frame->offset])
			continue;
		is_seen[frame->offset] = true;
		const struct profile_process *process = &profile->processes[frame->offset];
		seen[(*n_seen)++] = (struct seen_process){
			.index = (uint32_t)frame->offset,
			.pid = process->pid,
			.name = process->name ? process->name : "[unknown]",
			.number = profile_process_number(process),
		};
	}
}

/* The processes that occur in the tree, sorted by name and pid. 0 or -ENOMEM. */
static int find_processes(const struct folding *folding, struct seen_process **seen_ret,
			  size_t *n_seen_ret)
{
	const struct cct *cct = folding->profile->cct;
	const size_t n = (size_t)folding->profile->n_processes + 1;
	_cleanup_free_ bool *is_seen = calloc(n, sizeof(*is_seen));
	struct seen_process *seen = calloc(n, sizeof(*seen));
	size_t n_seen = 0;

	if (!is_seen || !seen) {
		free(seen);
		return -ENOMEM;
	}
	note_processes(folding, CCT_ROOT, seen, &n_seen, is_seen);
	for (uint32_t i = cct->nodes[CCT_ROOT].first_child; i != CCT_NONE;
	     i = cct->nodes[i].next_sibling) {
		if (cct_frame(cct, i)->kind == FRAME_CPU)
			note_processes(folding, i, seen, &n_seen, is_seen);
	}
	qsort(seen, n_seen, sizeof(*seen), compare_seen);
	*seen_ret = seen;
	*n_seen_ret = n_seen;
	return 0;
}

static uint32_t add_process_group(struct folding *folding, const struct seen_process *first)
{
	struct fold_entity entity = {
		.name = first->name,
		.module = "",
		.id = first->pid,
		.n_merged = first->number,
		.frame_kind = FRAME_PROCESS,
	};

	return fold_add_entity(folding->fold, &entity);
}

/* Adds one entity for each group of processes with one name, or with one name and pid. */
static int group_processes(struct folding *folding)
{
	_cleanup_free_ struct seen_process *seen = NULL;
	size_t n_seen;
	uint32_t group = NONE;
	int err = find_processes(folding, &seen, &n_seen);

	if (err)
		return err;
	for (size_t i = 0; i < n_seen; i++) {
		if (!i || !same_group(folding, &seen[i - 1], &seen[i])) {
			group = add_process_group(folding, &seen[i]);
			if (group == NONE)
				return -ENOMEM;
		} else if (seen[i - 1].pid != seen[i].pid) {
			folding->fold->entities[group].id = -1;
			fold_entity_add_merged(&folding->fold->entities[group], seen[i].number);
		}
		folding->by_process[seen[i].index] = group;
	}
	return 0;
}

static uint32_t thread_entity(struct folding *folding, const struct frame *frame)
{
	const struct profile *profile = folding->profile;
	const struct profile_thread *thread;
	uint32_t *entity;

	if (frame->offset >= profile->n_threads)
		return NONE;
	entity = &folding->by_thread[frame->offset];
	if (*entity != NONE)
		return *entity;
	thread = &profile->threads[frame->offset];
	*entity = fold_add_entity(folding->fold,
				  &(struct fold_entity){
					  .name = thread->name ? thread->name : "[unknown]",
					  .module = "",
					  .id = thread->tid,
					  .n_merged = 1,
					  .process = thread->process < profile->n_processes
							     ? &profile->processes[thread->process]
							     : NULL,
					  .frame_kind = FRAME_THREAD,
				  });
	return *entity;
}

static struct fold_entity make_cpu(const struct frame *frame)
{
	const bool is_known = frame->offset != UINT32_MAX;

	return (struct fold_entity){ .name = is_known ? "CPU" : "[unknown CPU]",
				     .id = is_known ? (int32_t)frame->offset : -1 };
}

static struct fold_entity make_cgroup(const struct profile *profile, const struct frame *frame)
{
	const struct string_ids *paths = &profile->cgroups;
	const bool is_known = frame->offset && frame->offset <= paths->n_strings;

	return (struct fold_entity){ .name = is_known ? paths->strings[frame->offset - 1]
						      : "[unknown cgroup]",
				     .id = -1 };
}

static struct fold_entity make_phase(const struct phases *phases, const struct frame *frame)
{
	if (frame->offset < phases->n)
		return (struct fold_entity){ .name = phases->phases[frame->offset].name,
					     .id = (int32_t)frame->offset + 1 };
	return frame->offset == FRAME_PHASE_BEFORE
		       ? (struct fold_entity){ .name = "[before the first phase]", .id = -1 }
		       : (struct fold_entity){ .name = "[no phase]", .id = -1 };
}

static struct fold_entity make_epoch(const struct profile *profile, const struct frame *frame)
{
	const struct profile_process *process = &profile->processes[frame_epoch_process(frame)];

	return (struct fold_entity){ .name = process->name,
				     .id = (int32_t)frame_epoch_index(frame) + 1,
				     .process = process };
}

static struct fold_entity make_group(const struct profile *profile, const struct frame *frame)
{
	switch ((enum frame_kind)frame->kind) {
	case FRAME_CPU:
		return make_cpu(frame);
	case FRAME_CGROUP:
		return make_cgroup(profile, frame);
	case FRAME_EPOCH:
		return make_epoch(profile, frame);
	default:
		return make_phase(&profile->phases, frame);
	}
}

/* Of a CPU, a cgroup, a phase or an epoch. */
static uint32_t group_entity(struct folding *folding, const struct frame *frame)
{
	uint32_t entity = pair_map_find(&folding->by_group, frame->kind, frame->offset);

	if (entity != PAIR_MAP_NONE)
		return entity;
	struct fold_entity made = make_group(folding->profile, frame);
	made.module = "";
	made.n_merged = 1;
	made.frame_kind = (enum frame_kind)frame->kind;
	entity = fold_add_entity(folding->fold, &made);
	if (entity == NONE || pair_map_add(&folding->by_group, frame->kind, frame->offset, entity))
		return NONE;
	return entity;
}

/* Whether the options leave the frame out. Its cost then goes to the parent. */
static bool is_folded_away(const struct view_options *options, const struct frame *frame)
{
	if (view_traits(options->kind)->subject == ROWS_PROCESSES && !frame_is_above_code(frame))
		return true;
	if (frame->kind == FRAME_THREAD)
		return options->grouping != GROUP_THREAD;
	return kernel_part_hides(options->kernel, (enum frame_kind)frame->kind,
				 is_kernel_mark(frame)) ||
	       (options->kind == VIEW_SYSCALLS && is_kernel_mark(frame));
}

/* A table of lines adds nodes up by their lines, so that they are not looked for by parents. */
static int find_node(struct folding *folding, uint32_t parent, uint32_t entity, uint32_t *node_ret)
{
	if (folding->options->kind == VIEW_LINES)
		return fold_add_node(folding->fold, parent, entity, node_ret);
	return fold_find_node(folding->fold, &folding->nodes, parent, entity, node_ret);
}

/* Records the position of the call in the parent of the node with @detail. */
static void note_call(struct fold_detail *detail, const struct frame_place *place)
{
	bool is_first = !detail->call_file;

	if (is_first)
		detail->call_file = place->call_file;
	if (is_first)
		detail->call_line = place->call_line;
	else if (!place->call_file || place->call_line != detail->call_line ||
		 (place->call_file != detail->call_file &&
		  strcmp(place->call_file, detail->call_file) != 0))
		detail->call_line = 0;
}

/* Whoever called a function called those inlined at the place where it was seen, too. */
static void count_calls(struct folding *folding, uint32_t node, uint32_t from)
{
	const struct cct *cct = folding->profile->cct;

	if (cct->activations)
		folding->fold->activations[node] += cct->activations[from];
}

/* Where the outermost function of a frame's inner part was called: in its outer part. 0 or -errno.
 */
static int find_outer_call(struct folding *folding, const struct frame *frame,
			   struct frame_place *place)
{
	const struct frame outer = frame_outer(*frame, frame->part & FRAME_PART_MAX);
	const struct frame_name *names;
	size_t n_names = 0;

	*place = (struct frame_place){ .call_file = NULL };
	if (!frame_is_inner(frame))
		return 0;
	int err = symbolizer_expand(folding->symbolizer, &outer, &names, &n_names);
	if (err || !n_names)
		return err;
	place->call_file = names[n_names - 1].file;
	place->call_line = names[n_names - 1].line;
	return 0;
}

static void note_offset(struct fold_entity *entity, const struct frame *frame)
{
	if (frame->offset < entity->lowest_offset)
		entity->lowest_offset = frame->offset;
}

/* Finds what a code frame or marker is in the fold. 0 or -errno. */
static int find_places(struct folding *folding, uint32_t number)
{
	const struct frame_ids *frames = &folding->profile->cct->frames;
	const struct frame *frame = &frames->frames[number];
	const struct frame_name *names;
	struct frame_place place;
	size_t n_names = 0;
	int err = find_outer_call(folding, frame, &place);

	if (!err)
		err = symbolizer_expand(folding->symbolizer, frame, &names, &n_names);
	if (!err)
		err = frame_places_begin(&folding->places, number, frames->n_frames);
	for (size_t i = 0; i < n_names && !err; i++) {
		if (i)
			place = (struct frame_place){ .call_file = names[i - 1].file,
						      .call_line = names[i - 1].line };
		err = code_entity(folding, frame, &names[i], &place.entity);
		if (!err)
			note_offset(&folding->fold->entities[place.entity], frame);
		if (!err)
			err = frame_places_add(&folding->places, number, &place);
	}
	return err;
}

/*
 * Adds the nodes of a code frame or marker below @parent: the compiled function's, and below it,
 * one below the other, those of the functions inlined at the frame.
 */
static int fold_functions(struct folding *folding, uint32_t parent, uint32_t node,
			  uint32_t *node_ret)
{
	const struct cct *cct = folding->profile->cct;
	const uint32_t number = cct->nodes[node].frame;
	size_t n_places;
	int err = frame_places_know(&folding->places, number) ? 0 : find_places(folding, number);

	if (err)
		return err;
	const struct frame_place *places = frame_places_of(&folding->places, number, &n_places);
	*node_ret = parent;
	for (size_t i = 0; i < n_places; i++) {
		err = find_node(folding, *node_ret, places[i].entity, node_ret);
		if (err)
			return err;
		count_calls(folding, *node_ret, node);
		struct fold_detail *detail = &folding->fold->details[*node_ret];
		if (i || frame_is_inner(cct_frame(cct, node)))
			note_call(detail, &places[i]);
		else
			detail->frame_marks |= cct->nodes[node].frame_marks;
	}
	return 0;
}

/* The fold's node for the tree's @node, below @parent. */
static int fold_node(struct folding *folding, uint32_t parent, uint32_t node, uint32_t *node_ret)
{
	const struct frame *frame = cct_frame(folding->profile->cct, node);
	uint32_t entity;

	if (is_folded_away(folding->options, frame)) {
		*node_ret = parent;
		return 0;
	}
	switch ((enum frame_kind)frame->kind) {
	case FRAME_PROCESS:
		entity = frame->offset < folding->profile->n_processes
				 ? folding->by_process[frame->offset]
				 : NONE;
		break;
	case FRAME_THREAD:
		entity = thread_entity(folding, frame);
		break;
	case FRAME_CPU:
	case FRAME_CGROUP:
	case FRAME_PHASE:
	case FRAME_EPOCH:
		entity = group_entity(folding, frame);
		break;
	default:
		return fold_functions(folding, parent, node, node_ret);
	}
	return entity == NONE ? -EINVAL : find_node(folding, parent, entity, node_ret);
}

/* Squares of weights as they were received become those of scaled weights. Times of a stored
 * profile may be any numbers. */
static unsigned __int128 scale_squares(unsigned __int128 squares, const struct metric *metric)
{
	if (!metric->is_scaled || !metric->time_running_ns)
		return squares;
	const double scale = (double)metric->time_enabled_ns / (double)metric->time_running_ns;
	const double scaled = (double)squares * scale * scale;

	return (unsigned __int128)fmin(scaled, MAX_SQUARES);
}

/* Samples of equal weight, if the tree has no squares. */
static unsigned __int128 squares_of(const struct profile *profile, uint32_t node, uint32_t metric)
{
	const struct cct *cct = profile->cct;
	const struct cct_cost *cost = cct_cost(cct, node, metric);

	if (!cost->samples)
		return 0;
	if (!cct->squares)
		return (unsigned __int128)cost->weight * cost->weight / cost->samples;
	return scale_squares(cct->squares[(size_t)node * cct->n_metrics + metric],
			     &profile->metrics[metric]);
}

static void add_error_columns(const struct folding *folding, uint32_t node, uint32_t cct_node)
{
	const struct profile *profile = folding->profile;
	const uint32_t n_metrics = profile->cct->n_metrics;
	uint64_t *self = folding->fold->self + (size_t)node * folding->fold->n_metrics;

	for (uint32_t metric = 0; metric < n_metrics; metric++) {
		uint64_t *columns = self + fold_error_columns(n_metrics, metric);
		unsigned __int128 squares = squares_of(profile, cct_node, metric);

		columns[FOLD_SAMPLES] += cct_cost(profile->cct, cct_node, metric)->samples;
		columns[FOLD_SQUARES_LOW] +=
			(uint64_t)squares & ((UINT64_C(1) << FOLD_SQUARES_LOW_BITS) - 1);
		columns[FOLD_SQUARES_HIGH] += (uint64_t)(squares >> FOLD_SQUARES_LOW_BITS);
	}
}

/* 0 or -ENOMEM. */
static int add_cost(const struct folding *folding, uint32_t node, uint32_t cct_node)
{
	const struct cct *cct = folding->profile->cct;
	struct fold *fold = folding->fold;
	size_t at = (size_t)node * fold->n_metrics;

	if (folding->options->errors)
		add_error_columns(folding, node, cct_node);
	for (uint32_t metric = 0; metric < cct->n_metrics; metric++) {
		const struct cct_cost *cost = cct_cost(cct, cct_node, metric);

		fold->self[at + metric] += cost->weight;
		fold->self_samples[at + metric] += cost->samples;
	}
	if (cct->longest)
		fold_raise_self_longest(fold, node, cct->longest[cct_node]);
	return path_marks_add_all(&fold->marks, node, path_marks_of(&cct->marks, cct_node));
}

static int fold_tree(struct folding *folding)
{
	const struct cct *cct = folding->profile->cct;
	uint32_t *folded = calloc(cct->n_nodes, sizeof(*folded));

	if (!folded)
		return -ENOMEM;
	folding->folded = folded;
	int err = add_cost(folding, 0, CCT_ROOT);
	for (uint32_t i = 1; i < cct->n_nodes && !err; i++) {
		err = fold_node(folding, folded[cct->nodes[i].parent], i, &folded[i]);
		if (!err)
			err = add_cost(folding, folded[i], i);
	}
	return err;
}

static uint32_t *allocate_indexes(uint32_t n)
{
	uint32_t *indexes = calloc((size_t)n + 1, sizeof(*indexes));

	if (indexes)
		memset(indexes, 0xff, ((size_t)n + 1) * sizeof(*indexes));
	return indexes;
}

/*
 * In a tree, inlined functions stay in their callers; in a table their cost may be added to the
 * function that was inlined.
 */
static int merge_functions(struct folding *folding)
{
	const struct view_traits *traits = view_traits(folding->options->kind);

	if (traits->subject != ROWS_FUNCTIONS)
		return 0;
	return merge_copies(folding->fold, traits->merges_inlined);
}

static int fill(struct folding *folding)
{
	static const struct fold_entity root = {
		.name = "all", .module = "", .id = -1, .frame_kind = FRAME_ROOT
	};

	const struct view_traits *traits = view_traits(folding->options->kind);

	if (folding->options->kind == VIEW_PATHS) {
		folding->root = function_query_create(folding->options->root);
		if (!folding->root)
			return -ENOMEM;
	}
	folding->fold = fold_create(folding->profile->cct, folding->options->errors);
	folding->by_process = allocate_indexes(folding->profile->n_processes);
	folding->by_thread = allocate_indexes(folding->profile->n_threads);
	if (!folding->fold || !folding->by_process || !folding->by_thread ||
	    fold_add_entity(folding->fold, &root) == NONE)
		return -ENOMEM;
	int err = group_processes(folding);
	if (err)
		return err;
	/* A file that is opened and not asked would be listed as a file without names. */
	if ((traits->subject == ROWS_FUNCTIONS || traits->subject == ROWS_LINES) &&
	    folding->options->kernel != KERNEL_ONLY)
		symbolizer_open_ahead(folding->symbolizer);
	err = fold_tree(folding);
	if (err)
		return err;
	if (folding->options->merge_copies)
		err = merge_functions(folding);
	if (!err && folding->options->fold_recursion && traits->is_calling_tree)
		err = fold_recursion(folding->fold);
	return err ? err : fold_sum_up(folding->fold);
}

int fold_profile_mapped(const struct profile *profile, struct symbolizer *symbolizer,
			const struct view_options *options, struct fold **fold_ret,
			uint32_t **nodes_ret)
{
	struct folding folding = {
		.profile = profile,
		.options = options,
		.symbolizer = symbolizer,
	};
	int err = fill(&folding);

	function_query_destroy(folding.root);
	free(folding.by_function);
	free(folding.by_process);
	free(folding.by_thread);
	frame_places_deinit(&folding.places);
	node_index_deinit(&folding.nodes);
	pair_map_deinit(&folding.by_group);
	pair_map_deinit(&folding.lines);
	pair_map_deinit(&folding.line_functions);
	if (err) {
		free(folding.folded);
		fold_destroy(folding.fold);
		return err;
	}
	*fold_ret = folding.fold;
	*nodes_ret = folding.folded;
	return 0;
}

int fold_profile(const struct profile *profile, struct symbolizer *symbolizer,
		 const struct view_options *options, struct fold **fold_ret)
{
	_cleanup_free_ uint32_t *nodes = NULL;

	return fold_profile_mapped(profile, symbolizer, options, fold_ret, &nodes);
}
