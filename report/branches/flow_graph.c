#include "report/branches/flow_graph.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"

/* A search in depth over blocks. Blocks are named by their first instruction. */
struct search {
	struct flow_graph *graph;
	uint32_t *orphans; /* blocks that no instruction leads to */
	uint32_t n_orphans;
	uint32_t next_orphan; /* those before it were visited */
	uint32_t *last;       /* by block: its last instruction */
	uint8_t *state;       /* by block: which successors come next */
	uint32_t *stack;
	uint32_t n_stack, n_left;
};

enum { TRY_NEXT, TRY_TARGET, TRY_ORPHANS, TRIED };

static bool ends_block(uint8_t flow)
{
	return flow != CODE_GOES_ON && flow != CODE_CALLS;
}

static bool falls_through(uint8_t flow)
{
	return flow == CODE_GOES_ON || flow == CODE_CALLS || flow == CODE_MAY_JUMP;
}

static int decode(struct flow_graph *graph, struct disassembler *disassembler, const uint8_t *bytes,
		  size_t size, uint64_t vaddr)
{
	uint32_t n_allocated = 0;

	for (size_t at = 0; at < size;) {
		struct instruction from;

		disassembler_next(disassembler, bytes + at, size - at, vaddr + at, &from);
		if (array_reserve(graph->instructions, graph->n_instructions, n_allocated, 1))
			return -ENOMEM;
		bool jumps = from.flow == CODE_JUMPS || from.flow == CODE_MAY_JUMP;
		bool is_inside = jumps && from.has_target && from.target >= vaddr &&
				 from.target - vaddr < size;
		/* The target is an offset until all instructions are known. */
		graph->instructions[graph->n_instructions++] = (struct flow_instruction){
			.offset = (uint32_t)at,
			.target = is_inside ? (uint32_t)(from.target - vaddr) : FLOW_NONE,
			.order = jumps && !from.has_target, /* mark_leaders() takes it from here */
			.size = (uint8_t)from.size,
			.flow = (uint8_t)from.flow,
		};
		at += from.size;
	}
	return 0;
}

uint32_t flow_graph_find(const struct flow_graph *graph, uint64_t offset)
{
	uint32_t low = 0, high = graph->n_instructions;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (graph->instructions[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < graph->n_instructions && graph->instructions[low].offset == offset ? low
											: FLOW_NONE;
}

static void mark_leaders(struct flow_graph *graph)
{
	graph->instructions[0].is_leader = true;
	for (uint32_t i = 0; i < graph->n_instructions; i++) {
		struct flow_instruction *from = &graph->instructions[i];

		from->is_open = from->order;
		if (from->target != FLOW_NONE)
			from->target = flow_graph_find(graph, from->target);
		if (from->target != FLOW_NONE)
			graph->instructions[from->target].is_leader = true;
		if (ends_block(from->flow) && i + 1 < graph->n_instructions)
			graph->instructions[i + 1].is_leader = true;
	}
}

/* The next successor of the block on top that was not looked at yet, or FLOW_NONE. */
static uint32_t next(struct search *search, uint32_t block)
{
	const struct flow_graph *graph = search->graph;
	uint32_t last = search->last[block];
	const struct flow_instruction *from = &graph->instructions[last];

	if (search->state[block] == TRY_NEXT) {
		search->state[block] = TRY_TARGET;
		if (falls_through(from->flow) && last + 1 < graph->n_instructions)
			return last + 1;
	}
	if (search->state[block] == TRY_TARGET) {
		search->state[block] = TRY_ORPHANS;
		if (from->target != FLOW_NONE)
			return from->target;
	}
	if (from->is_open && search->next_orphan < search->n_orphans)
		return search->orphans[search->next_orphan++];
	search->state[block] = TRIED;
	return FLOW_NONE;
}

/* Orders are given from the last block to the first, as the search leaves them. */
static void visit(struct search *search, bool *is_seen, uint32_t root)
{
	if (is_seen[root])
		return;
	is_seen[root] = true;
	search->stack[search->n_stack++] = root;
	while (search->n_stack) {
		uint32_t block = search->stack[search->n_stack - 1], to = next(search, block);

		if (to == FLOW_NONE) {
			search->graph->instructions[block].order = --search->n_left;
			search->n_stack--;
		} else if (!is_seen[to]) {
			is_seen[to] = true;
			search->stack[search->n_stack++] = to;
		}
	}
}

static void find_orphans(struct search *search, bool *is_led_to)
{
	const struct flow_graph *graph = search->graph;

	for (uint32_t i = 0; i < graph->n_instructions; i++) {
		const struct flow_instruction *from = &graph->instructions[i];

		if (from->target != FLOW_NONE)
			is_led_to[from->target] = true;
		if (falls_through(from->flow) && i + 1 < graph->n_instructions)
			is_led_to[i + 1] = true;
	}
	for (uint32_t i = 1; i < graph->n_instructions; i++)
		if (graph->instructions[i].is_leader && !is_led_to[i])
			search->orphans[search->n_orphans++] = i;
}

static int order_blocks(struct flow_graph *graph)
{
	const uint32_t n = graph->n_instructions;
	_cleanup_free_ uint32_t *words = calloc(3 * (size_t)n, sizeof(*words));
	_cleanup_free_ uint8_t *state = calloc(n, 1);
	_cleanup_free_ bool *flags = calloc(2 * (size_t)n, sizeof(*flags));

	if (!words || !state || !flags)
		return -ENOMEM;
	struct search search = { .graph = graph,
				 .orphans = words,
				 .last = words + n,
				 .stack = words + 2 * (size_t)n,
				 .state = state,
				 .n_left = n };
	find_orphans(&search, flags);
	for (uint32_t i = n; i-- > 0;)
		search.last[i] =
			i + 1 < n && !graph->instructions[i + 1].is_leader ? search.last[i + 1] : i;
	for (uint32_t i = 0; i < n; i++)
		if (graph->instructions[i].is_leader)
			visit(&search, flags + n, i);
	for (uint32_t i = 1; i < n; i++)
		if (!graph->instructions[i].is_leader)
			graph->instructions[i].order = graph->instructions[i - 1].order;
	return 0;
}

int flow_graph_init(struct flow_graph *graph, uint16_t machine, const uint8_t *bytes, size_t size,
		    uint64_t vaddr)
{
	struct disassembler *disassembler;

	*graph = (struct flow_graph){ 0 };
	int err = disassembler_create(machine, false, &disassembler);
	if (err)
		return err;
	err = decode(graph, disassembler, bytes, size < FLOW_MAX_CODE ? size : FLOW_MAX_CODE,
		     vaddr);
	disassembler_destroy(disassembler);
	if (!err && graph->n_instructions) {
		mark_leaders(graph);
		err = order_blocks(graph);
	}
	if (err)
		flow_graph_deinit(graph);
	return err;
}

void flow_graph_deinit(struct flow_graph *graph)
{
	free(graph->instructions);
	free(graph->seen);
	pair_map_deinit(&graph->seen_edges);
	*graph = (struct flow_graph){ 0 };
}

bool flow_graph_closes(const struct flow_graph *graph, uint32_t from, uint32_t to)
{
	uint32_t a = graph->instructions[from].order, b = graph->instructions[to].order;

	return b < a || (a == b && to <= from);
}

/* Marks the orders that a cycle may have which an edge closes. All other edges of it go up, so of
 * the edges that close cycles one leads across each of its blocks. */
static void mark_cycle(const struct flow_graph *graph, uint32_t from, uint32_t to, int32_t *changes)
{
	if (!flow_graph_closes(graph, from, to))
		return;
	changes[graph->instructions[to].order]++;
	changes[graph->instructions[from].order + 1]--;
}

bool *flow_graph_find_once(const struct flow_graph *graph)
{
	const uint32_t n = graph->n_instructions;
	_cleanup_free_ int32_t *depths = calloc(n + 1ul, sizeof(*depths));
	bool *is_once = calloc(n + 1ul, sizeof(*is_once)), is_open = false;

	if (!depths || !is_once) {
		free(is_once);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct flow_instruction *from = &graph->instructions[i];

		is_open |= from->is_open;
		if (from->target != FLOW_NONE)
			mark_cycle(graph, i, from->target, depths);
		if (falls_through(from->flow) && i + 1 < n && graph->instructions[i + 1].is_leader)
			mark_cycle(graph, i, i + 1, depths);
	}
	for (uint32_t order = 1; order < n; order++)
		depths[order] += depths[order - 1];
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t order = graph->instructions[i].order;

		is_once[i] = !depths[order] && (!is_open || order == graph->instructions[0].order);
	}
	return is_once;
}

int flow_graph_note(struct flow_graph *graph, uint32_t from, uint32_t to)
{
	if (!graph->instructions[from].is_open)
		return 0;
	if (pair_map_find(&graph->seen_edges, from, to) != PAIR_MAP_NONE)
		return 0;
	if (array_reserve(graph->seen, graph->n_seen, graph->n_allocated, 1) ||
	    pair_map_add(&graph->seen_edges, from, to, graph->n_seen))
		return -ENOMEM;
	graph->seen[graph->n_seen++] = (struct flow_edge){ from, to };
	graph->instructions[to].is_leader = true;
	return 0;
}
