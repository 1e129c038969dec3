#include "report/branches/branch_paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"

#define NO_JUMP UINT32_MAX

/* A function that was entered, and the path that it is on. */
struct activation {
	uint32_t function;
	uint32_t call;                 /* in branch_walk.calls */
	uint64_t resume, resume_after; /* where it goes on when what it called returns */
	uint32_t at;                   /* the last instruction that was reached */
	uint32_t last_jump;            /* in branch_walk.jumps */
	uint32_t n_jumps;
	struct branch_path path;
};

struct walk_jump {
	struct flow_edge edge;
	uint32_t before;
};

/* A path that was walked; its context is known at the end of the stack. */
struct walked_path {
	struct branch_path path;
	uint32_t last_jump;
	uint32_t call;
};

/* One stack of branches; the arrays are used again for the next one. */
struct branch_walk {
	struct activation *stack;
	uint32_t n_stack, stack_allocated;
	struct walk_jump *jumps;
	uint32_t n_jumps, jumps_allocated;
	struct walked_path *paths;
	uint32_t n_paths, paths_allocated;
	struct stack_calls calls;
	uint32_t *active;
	uint32_t active_allocated;
};

static uint32_t hash_of_path(const struct branch_paths *paths, const struct branch_path *path)
{
	const uint32_t words[] = { path->function, path->context, path->begin,  path->end,
				   path->first,    path->last,    path->n_jumps };
	uint64_t hash = HASH_START;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hash = hash_number(hash) + (uint64_t)words[i];
	if (path->n_jumps)
		hash = hash_bytes(hash, paths->jumps + path->jumps,
				  path->n_jumps * sizeof(*paths->jumps));
	return hash_number(hash);
}

static bool slot_is_used(const void *slot)
{
	return *(const uint32_t *)slot;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	const struct branch_paths *paths = owner;
	const struct branch_path *a = &paths->paths[*(const uint32_t *)slot - 1], *b = key;

	return a->function == b->function && a->context == b->context && a->begin == b->begin &&
	       a->end == b->end && a->first == b->first && a->last == b->last &&
	       a->n_jumps == b->n_jumps &&
	       (!a->n_jumps || memcmp(paths->jumps + a->jumps, paths->jumps + b->jumps,
				      a->n_jumps * sizeof(*paths->jumps)) == 0);
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	const struct branch_paths *paths = owner;

	return hash_of_path(paths, &paths->paths[*(const uint32_t *)slot - 1]);
}

static const struct hash_table_type path_slots = { sizeof(uint32_t), 64, slot_is_used, slot_has_key,
						   slot_hash };

/* The indices in the table begin with 1. */
static int add_path(struct branch_paths *paths, const struct branch_path *path)
{
	uint32_t hash = hash_of_path(paths, path);
	uint32_t *slot = hash_table_find(&paths->by_path, &path_slots, hash, path, paths);

	if (!slot) {
		if (array_reserve(paths->paths, paths->n_paths, paths->paths_allocated, 1))
			return -ENOMEM;
		slot = hash_table_insert(&paths->by_path, &path_slots, hash, paths);
		if (!slot)
			return -ENOMEM;
		paths->paths[paths->n_paths++] = *path;
		paths->n_jumps += path->n_jumps;
		*slot = paths->n_paths;
		return 0;
	}
	struct branch_path *known = &paths->paths[*slot - 1];
	known->count += path->count;
	known->n_mispredicted += path->n_mispredicted;
	known->cycles += path->cycles;
	known->n_instructions += path->n_instructions;
	return 0;
}

static int finish(struct branch_paths *paths, const struct activation *top, enum path_end end)
{
	struct branch_walk *walk = paths->walk;

	if (top->function == BRANCH_NO_FUNCTION)
		return 0;
	if (array_reserve(walk->paths, walk->n_paths, walk->paths_allocated, 1))
		return -ENOMEM;
	struct walked_path *walked = &walk->paths[walk->n_paths++];
	*walked = (struct walked_path){ top->path, top->last_jump, top->call };
	walked->path.end = (uint8_t)end;
	walked->path.last = top->at;
	walked->path.n_jumps = top->n_jumps;
	return 0;
}

/* Adds a path that was walked to the paths that are known. */
static int count_path(struct branch_paths *paths, const struct walked_path *walked,
		      bool has_contexts)
{
	struct branch_walk *walk = paths->walk;
	struct branch_path path = walked->path;
	uint32_t at = walked->last_jump;
	int err = 0;

	if (array_reserve(paths->jumps, paths->n_jumps, paths->jumps_allocated, path.n_jumps))
		return -ENOMEM;
	path.jumps = paths->n_jumps;
	for (uint32_t i = path.n_jumps; i-- > 0; at = walk->jumps[at].before)
		paths->jumps[paths->n_jumps + i] = walk->jumps[at].edge;
	if (has_contexts)
		err = stack_calls_context(&walk->calls, &paths->contexts, walked->call,
					  &path.context);
	return err ? err : add_path(paths, &path);
}

static void begin(struct activation *top, enum path_begin begin, uint32_t instruction)
{
	top->at = instruction;
	top->last_jump = NO_JUMP;
	top->n_jumps = 0;
	top->path = (struct branch_path){
		.function = top->function, .begin = (uint8_t)begin, .first = instruction, .count = 1
	};
}

static int push(struct branch_paths *paths, const struct branch_place *place, bool is_call)
{
	struct branch_walk *walk = paths->walk;
	bool is_known = place->instruction != FLOW_NONE;

	if (array_reserve(walk->stack, walk->n_stack, walk->stack_allocated, 1))
		return -ENOMEM;
	const struct branch_function *function =
		is_known ? &paths->functions[place->function] : NULL;
	const struct stack_call call = {
		.function = { .function = is_known ? function->id : 0,
			      .name = is_known ? function->name : NULL,
			      .is_kernel = is_known && function->frame.kind == FRAME_KERNEL },
		.is_code_unknown = !is_known,
		.link = walk->n_stack ? walk->stack[walk->n_stack - 1].call : CALL_NONE,
	};
	struct activation *top = &walk->stack[walk->n_stack];
	*top = (struct activation){ .function = is_known ? place->function : BRANCH_NO_FUNCTION };
	int err = stack_calls_add(&walk->calls, &call, &top->call);
	if (err)
		return err;
	walk->n_stack++;
	if (is_known)
		begin(top, is_call && !place->instruction ? PATH_FROM_ENTRY : PATH_FROM_INSIDE,
		      place->instruction);
	return 0;
}

/* Closes what is above the first @n activations. */
static int cut(struct branch_paths *paths, uint32_t n)
{
	struct branch_walk *walk = paths->walk;
	int err = 0;

	while (walk->n_stack > n && !err)
		err = finish(paths, &walk->stack[--walk->n_stack], PATH_TO_INSIDE);
	return err;
}

/* The stack does not fit the code: what comes is followed anew. */
static int start_anew(struct branch_paths *paths, const struct branch_place *place)
{
	int err = cut(paths, 0);

	return err ? err : push(paths, place, false);
}

/* Goes from one instruction of a function to the next one executed, which may end a path. */
static int move(struct branch_paths *paths, struct activation *top, uint32_t to, bool is_jump)
{
	struct branch_walk *walk = paths->walk;
	uint32_t from = top->at;

	if (flow_graph_closes(&paths->functions[top->function].graph, from, to)) {
		int err = finish(paths, top, PATH_TO_LOOP);

		begin(top, PATH_FROM_LOOP, to);
		return err;
	}
	top->at = to;
	if (!is_jump)
		return 0;
	if (array_reserve(walk->jumps, walk->n_jumps, walk->jumps_allocated, 1))
		return -ENOMEM;
	walk->jumps[walk->n_jumps] = (struct walk_jump){ { from, to }, top->last_jump };
	top->last_jump = walk->n_jumps++;
	top->n_jumps++;
	return 0;
}

static bool runs_to(const struct branch_function *function, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		uint8_t flow = function->graph.instructions[i].flow;

		if (flow != CODE_GOES_ON && flow != CODE_MAY_JUMP)
			return false;
	}
	return from <= to;
}

/* Executes what is from where the activation is up to @place, without jumps. */
static int run(struct branch_paths *paths, const struct branch_place *place)
{
	struct branch_walk *walk = paths->walk;
	struct activation *top = &walk->stack[walk->n_stack - 1];
	bool is_known = place->instruction != FLOW_NONE;

	if (top->function == BRANCH_NO_FUNCTION && !is_known)
		return 0;
	if (!is_known || top->function != place->function ||
	    !runs_to(&paths->functions[top->function], top->at, place->instruction)) {
		paths->n_broken++;
		int err = start_anew(paths, place);

		if (err || !is_known)
			return err;
		top = &walk->stack[0];
	}
	struct branch_counts *counts = paths->functions[top->function].counts;
	counts[top->at].executed++;
	top->path.n_instructions++;
	while (top->at < place->instruction) {
		int err = move(paths, top, top->at + 1, false);

		if (err)
			return err;
		counts[top->at].executed++;
		top->path.n_instructions++;
	}
	return 0;
}

/* The call that the walk's stack begins with, if only code that is not known follows. */
static uint32_t bottom_call(const struct branch_walk *walk)
{
	for (uint32_t i = 0; i < walk->n_stack; i++)
		if (walk->stack[i].function != BRANCH_NO_FUNCTION)
			return CALL_NONE;
	return walk->n_stack ? walk->stack[0].call : CALL_NONE;
}

/* Control comes back from what was called, to an activation that waits for it or to one before the
 * stack's beginning. */
static int come_back(struct branch_paths *paths, const struct branch_place *to, bool is_return)
{
	struct branch_walk *walk = paths->walk;
	uint32_t n = walk->n_stack;

	while (n && walk->stack[n - 1].resume != to->addr &&
	       walk->stack[n - 1].resume_after != to->addr)
		n--;
	if (n) {
		struct activation *top = &walk->stack[n - 1];
		int err = cut(paths, n);

		if (err || top->function == BRANCH_NO_FUNCTION || to->instruction == FLOW_NONE ||
		    to->instruction == top->at)
			return err;
		return move(paths, top, to->instruction, false);
	}
	/* The caller's code is not known, but it is on the stack. */
	if (to->instruction == FLOW_NONE && walk->n_stack &&
	    walk->stack[walk->n_stack - 1].function == BRANCH_NO_FUNCTION)
		return 0;
	/* Unknown code calls known code, or the callers are older than the stack. */
	if (!is_return)
		return to->instruction == FLOW_NONE ? 0 : push(paths, to, true);
	const uint32_t last = bottom_call(walk);
	int err = cut(paths, 0);
	if (!err)
		err = push(paths, to, false);
	if (!err && last != CALL_NONE)
		walk->calls.calls[last].link = walk->stack[0].call;
	return err;
}

/* Leaves the function for good, or calls another one. */
static int leave(struct branch_paths *paths, const struct branch_step *step,
		 const struct flow_instruction *from)
{
	struct branch_walk *walk = paths->walk;
	struct activation *top = &walk->stack[walk->n_stack - 1];

	if (from->flow != CODE_JUMPS && from->flow != CODE_MAY_JUMP && from->flow != CODE_RETURNS) {
		/* A call, a system call or an interrupt, which may be followed by itself. */
		top->resume_after = step->from.addr + from->size;
		top->resume = from->flow == CODE_CALLS ? top->resume_after : step->from.addr;
		return push(paths, &step->to, true);
	}
	const uint32_t call = top->call;
	const bool returns = from->flow == CODE_RETURNS;
	int err = finish(paths, top, PATH_TO_EXIT);
	const bool is_last = !--walk->n_stack;
	if (!err)
		err = returns ? come_back(paths, &step->to, true) : push(paths, &step->to, true);
	if (!err && is_last) {
		walk->calls.calls[call].link = walk->stack[0].call;
		walk->calls.calls[call].is_replaced = !returns;
	}
	return err;
}

static int jump(struct branch_paths *paths, const struct branch_step *step)
{
	struct branch_walk *walk = paths->walk;
	struct activation *top = &walk->stack[walk->n_stack - 1];

	paths->n_unknown += top->function == BRANCH_NO_FUNCTION;
	if (top->function == BRANCH_NO_FUNCTION)
		return come_back(paths, &step->to, false);
	struct branch_function *function = &paths->functions[top->function];
	const struct flow_instruction *from = &function->graph.instructions[top->at];
	bool jumps = from->flow == CODE_JUMPS || from->flow == CODE_MAY_JUMP;

	function->counts[top->at].taken++;
	function->counts[top->at].mispredicted += step->is_mispredicted;
	top->path.n_mispredicted += step->is_mispredicted;
	top->path.cycles += step->cycles;
	if (!jumps || step->to.function != top->function || step->to.instruction == FLOW_NONE)
		return leave(paths, step, from);
	if (from->target != FLOW_NONE && from->target != step->to.instruction) {
		paths->n_broken++;
		return start_anew(paths, &step->to);
	}
	int err = flow_graph_note(&function->graph, top->at, step->to.instruction);
	return err ? err : move(paths, top, step->to.instruction, true);
}

static bool is_call(const struct branch_paths *paths, const struct branch_step *step)
{
	if (step->from.instruction == FLOW_NONE || step->to.instruction != 0)
		return false;
	const struct flow_graph *graph = &paths->functions[step->from.function].graph;
	const uint8_t flow = graph->instructions[step->from.instruction].flow;
	const bool jumps = flow == CODE_JUMPS || flow == CODE_MAY_JUMP;

	return flow == CODE_CALLS || (jumps && step->to.function != step->from.function);
}

static uint64_t key_of_end(const struct branch_end *end)
{
	return (uint64_t)end->function << 32 | end->instruction;
}

static bool is_in_kernel(const struct branch_place *place)
{
	return place->addr >> 63;
}

/* What interrupts a program is no branch of it. */
static int count_edge(struct branch_paths *paths, const struct branch_step *step)
{
	const struct branch_end from = { step->from.function, step->from.instruction };
	const struct branch_end to = { step->to.function, step->to.instruction };

	if (is_in_kernel(&step->from) || is_in_kernel(&step->to))
		return 0;
	uint32_t edge = pair_map_find(&paths->by_edge, key_of_end(&from), key_of_end(&to));
	if (edge == PAIR_MAP_NONE) {
		edge = paths->n_edges;
		if (array_reserve(paths->edges, edge, paths->edges_allocated, 1) ||
		    pair_map_add(&paths->by_edge, key_of_end(&from), key_of_end(&to), edge))
			return -ENOMEM;
		paths->edges[paths->n_edges++] = (struct branch_edge){
			.from = from, .to = to, .is_call = is_call(paths, step)
		};
	}
	paths->edges[edge].count++;
	paths->edges[edge].n_mispredicted += step->is_mispredicted;
	return 0;
}

/* Whether the sample's callers called the functions that are active at the end. */
static int fit_callers(struct branch_paths *paths, const struct branch_callers *callers)
{
	struct branch_walk *walk = paths->walk;

	if (array_reserve(walk->active, 0, walk->active_allocated, walk->n_stack))
		return -ENOMEM;
	for (uint32_t i = 0; i < walk->n_stack; i++)
		walk->active[i] = walk->stack[i].call;
	paths->n_without_callers += !stack_calls_fit(&walk->calls, &paths->contexts, walk->active,
						     walk->n_stack, callers);
	return 0;
}

static int walk_along(struct branch_paths *paths, const struct branch_step *steps, size_t n_steps)
{
	int err = start_anew(paths, &steps[0].from);

	if (steps[0].from.instruction != FLOW_NONE)
		paths->functions[steps[0].from.function].counts[steps[0].from.instruction].begun++;
	for (size_t i = 0; i < n_steps && !err; i++) {
		err = run(paths, &steps[i].from);
		if (!err)
			err = jump(paths, &steps[i]);
		if (!err)
			err = count_edge(paths, &steps[i]);
	}
	return err;
}

int branch_paths_add(struct branch_paths *paths, const struct branch_step *steps, size_t n_steps,
		     const struct branch_callers *callers)
{
	struct branch_walk *walk = paths->walk;

	paths->n_stacks++;
	paths->n_branches += n_steps;
	walk->n_jumps = 0;
	walk->n_paths = 0;
	walk->calls.n = 0;
	int err = n_steps ? walk_along(paths, steps, n_steps) : 0;
	if (!err && callers)
		err = fit_callers(paths, callers);
	if (!err)
		err = cut(paths, 0);
	for (uint32_t i = 0; i < walk->n_paths && !err; i++)
		err = count_path(paths, &walk->paths[i], callers);
	return err;
}

static int add_function(struct branch_paths *paths, const struct frame *frame,
			const struct frame_code *code, uint32_t *index_ret)
{
	struct frame_name name;

	if (array_reserve(paths->functions, paths->n_functions, paths->functions_allocated, 1))
		return -ENOMEM;
	struct branch_function function = { .frame = *frame, .vaddr = code->start };
	int err = symbolizer_name(paths->symbolizer, frame, &name);
	if (err)
		return err;
	function.id = name.function;
	function.name = name.name;
	function.symbol = name.symbol;
	function.module = name.module;
	function.module_path = name.module_path;
	err = flow_graph_init(&function.graph, code->machine, code->bytes, code->n_bytes,
			      code->start);
	if (err)
		return err;
	function.counts = calloc(function.graph.n_instructions, sizeof(*function.counts));
	if (!function.counts ||
	    pair_map_add(&paths->by_start, code->start, frame->module, paths->n_functions)) {
		free(function.counts);
		flow_graph_deinit(&function.graph);
		return -ENOMEM;
	}
	*index_ret = paths->n_functions;
	paths->functions[paths->n_functions++] = function;
	return 0;
}

/* The function's index, or BRANCH_NO_FUNCTION. 0 or -ENOMEM. */
static int find_function(struct branch_paths *paths, const struct frame *frame, uint32_t *index_ret)
{
	struct frame_code code;

	*index_ret = BRANCH_NO_FUNCTION;
	if (frame->kind != FRAME_USER && frame->kind != FRAME_KERNEL)
		return 0;
	int err = symbolizer_code(paths->symbolizer, frame, &code);
	if (err || !code.bytes || !code.n_bytes || code.vaddr < code.start)
		return err;
	*index_ret = pair_map_find(&paths->by_start, code.start, frame->module);
	if (*index_ret == PAIR_MAP_NONE)
		err = add_function(paths, frame, &code, index_ret);
	return err == -ENOTSUP ? 0 : err;
}

int branch_paths_place(struct branch_paths *paths, const struct frame *frame, uint64_t addr,
		       struct branch_place *place_ret)
{
	uint32_t known = pair_map_find(&paths->by_frame, frame->offset, frame->module);
	struct frame_code code;
	int err = 0;

	*place_ret = (struct branch_place){ addr, BRANCH_NO_FUNCTION, FLOW_NONE };
	if (known == PAIR_MAP_NONE) {
		err = find_function(paths, frame, &known);
		/* What is not known is looked for once, too: the map has indices plus 1. */
		if (!err)
			err = pair_map_add(&paths->by_frame, frame->offset, frame->module,
					   known == BRANCH_NO_FUNCTION ? 0 : known + 1);
		if (err)
			return err;
		known = known == BRANCH_NO_FUNCTION ? 0 : known + 1;
	}
	if (!known)
		return 0;
	err = symbolizer_code(paths->symbolizer, frame, &code);
	if (err)
		return err;
	place_ret->function = known - 1;
	place_ret->instruction =
		flow_graph_find(&paths->functions[known - 1].graph, code.vaddr - code.start);
	return 0;
}

bool branch_paths_next_block(const struct branch_paths *paths, const struct branch_path *path,
			     struct path_position *position)
{
	const struct flow_graph *graph = &paths->functions[path->function].graph;

	if (!position->is_begun) {
		*position = (struct path_position){ .at = path->first, .is_begun = true };
		return true;
	}
	for (;;) {
		const struct flow_edge *jump =
			position->n_jumps < path->n_jumps
				? &paths->jumps[path->jumps + position->n_jumps]
				: NULL;

		if (jump && jump->from == position->at) {
			position->at = jump->to;
			position->n_jumps++;
			return true;
		}
		if (position->at >= path->last && !jump)
			return false;
		position->at++;
		if (graph->instructions[position->at].is_leader)
			return true;
	}
}

int branch_paths_init(struct branch_paths *paths, const struct profile *profile,
		      struct symbolizer *symbolizer)
{
	*paths = (struct branch_paths){ .profile = profile, .symbolizer = symbolizer };
	paths->walk = calloc(1, sizeof(*paths->walk));
	return paths->walk ? branch_contexts_init(&paths->contexts) : -ENOMEM;
}

void branch_paths_deinit(struct branch_paths *paths)
{
	for (uint32_t i = 0; i < paths->n_functions; i++) {
		flow_graph_deinit(&paths->functions[i].graph);
		free(paths->functions[i].counts);
	}
	free(paths->functions);
	free(paths->paths);
	free(paths->jumps);
	free(paths->edges);
	branch_contexts_deinit(&paths->contexts);
	pair_map_deinit(&paths->by_edge);
	hash_table_deinit(&paths->by_path);
	pair_map_deinit(&paths->by_frame);
	pair_map_deinit(&paths->by_start);
	if (paths->walk) {
		free(paths->walk->stack);
		free(paths->walk->jumps);
		free(paths->walk->paths);
		free(paths->walk->active);
		stack_calls_deinit(&paths->walk->calls);
	}
	free(paths->walk);
	*paths = (struct branch_paths){ 0 };
}
