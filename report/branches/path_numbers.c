#include "report/branches/path_numbers.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"

#define MOST_PATHS (1ull << 53) /* what a double of JSON has exactly */
/* Ways out of a block that do not lead to a block, after all others. */
#define WAY_OUT  (FLOW_NONE - 1)
#define WAY_LOOP FLOW_NONE

/* The ways out of a block, by their targets, each once. */
struct ways {
	uint32_t *to;
	uint32_t n, n_allocated;
};

static int compare_targets(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static int add_way(struct ways *ways, const struct flow_graph *graph, uint32_t last, uint32_t to)
{
	if (to < WAY_OUT && flow_graph_closes(graph, last, to))
		to = WAY_LOOP;
	for (uint32_t i = 0; i < ways->n; i++)
		if (ways->to[i] == to)
			return 0;
	if (array_reserve(ways->to, ways->n, ways->n_allocated, 1))
		return -ENOMEM;
	ways->to[ways->n++] = to;
	return 0;
}

static bool may_go_on(uint8_t flow)
{
	return flow == CODE_GOES_ON || flow == CODE_CALLS || flow == CODE_MAY_JUMP;
}

/* Those of the block that ends with the instruction @last. */
static int find_ways(struct ways *ways, const struct flow_graph *graph, uint32_t last)
{
	const struct flow_instruction *from = &graph->instructions[last];
	bool jumps = from->flow == CODE_JUMPS || from->flow == CODE_MAY_JUMP;
	int err = 0;

	ways->n = 0;
	if (may_go_on(from->flow))
		err = add_way(ways, graph, last,
			      last + 1 < graph->n_instructions ? last + 1 : WAY_OUT);
	if (!err && from->target != FLOW_NONE)
		err = add_way(ways, graph, last, from->target);
	uint32_t n_known = ways->n;
	for (uint32_t i = 0; i < graph->n_seen && !err && from->is_open; i++)
		if (graph->seen[i].from == last)
			err = add_way(ways, graph, last, graph->seen[i].to);
	/* A jump that was never seen to stay in the function leaves it. */
	if (!err && (!may_go_on(from->flow) || jumps) && from->target == FLOW_NONE &&
	    ways->n == n_known)
		err = add_way(ways, graph, last, WAY_OUT);
	if (ways->n)
		qsort(ways->to, ways->n, sizeof(*ways->to), compare_targets);
	return err;
}

static uint32_t last_of_block(const struct flow_graph *graph, uint32_t block)
{
	while (block + 1 < graph->n_instructions && !graph->instructions[block + 1].is_leader)
		block++;
	return block;
}

static uint64_t below_way(const struct path_numbers *numbers, uint32_t to)
{
	return to >= WAY_OUT ? 1 : numbers->below[to];
}

static uint64_t add_paths(uint64_t a, uint64_t b)
{
	return a + b > MOST_PATHS ? MOST_PATHS : a + b;
}

/* Blocks are counted after those that they lead to. */
static int count_below(struct path_numbers *numbers, struct ways *ways, const uint32_t *blocks,
		       uint32_t n_blocks)
{
	for (uint32_t i = n_blocks; i-- > 0;) {
		uint64_t n = 0;
		int err = find_ways(ways, numbers->graph, last_of_block(numbers->graph, blocks[i]));

		if (err)
			return err;
		for (uint32_t w = 0; w < ways->n; w++)
			n = add_paths(n, below_way(numbers, ways->to[w]));
		numbers->below[blocks[i]] = n;
	}
	return 0;
}

static int compare_blocks(const void *a, const void *b, void *graph)
{
	const struct flow_instruction *instructions =
		((const struct flow_graph *)graph)->instructions;
	const uint32_t *left = a, *right = b;
	uint32_t x = instructions[*left].order, y = instructions[*right].order;

	return x != y ? (x > y) - (x < y) : (*left > *right) - (*left < *right);
}

static bool closes_to(const struct flow_graph *graph, uint32_t from, uint32_t to)
{
	return to != FLOW_NONE && flow_graph_closes(graph, from, to);
}

/* Marks the blocks that rounds of loops begin with. */
static void mark_rounds(struct path_numbers *numbers)
{
	const struct flow_graph *graph = numbers->graph;

	for (uint32_t i = 0; i < graph->n_instructions; i++) {
		const struct flow_instruction *from = &graph->instructions[i];

		if (closes_to(graph, i, from->target))
			numbers->begins_round[from->target] = true;
		if (may_go_on(from->flow) && i + 1 < graph->n_instructions &&
		    closes_to(graph, i, i + 1))
			numbers->begins_round[i + 1] = true;
	}
	for (uint32_t i = 0; i < graph->n_seen; i++)
		if (closes_to(graph, graph->seen[i].from, graph->seen[i].to))
			numbers->begins_round[graph->seen[i].to] = true;
}

int path_numbers_init(struct path_numbers *numbers, const struct flow_graph *graph)
{
	const uint32_t n = graph->n_instructions;
	uint32_t *blocks = malloc(n * sizeof(*blocks)), n_blocks = 0;
	struct ways ways = { 0 };

	*numbers = (struct path_numbers){ .graph = graph };
	numbers->below = calloc(n, sizeof(*numbers->below));
	numbers->begins_round = calloc(n, sizeof(*numbers->begins_round));
	int err = blocks && numbers->below && numbers->begins_round ? 0 : -ENOMEM;
	if (!err) {
		for (uint32_t i = 0; i < n; i++)
			if (graph->instructions[i].is_leader)
				blocks[n_blocks++] = i;
		qsort_r(blocks, n_blocks, sizeof(*blocks), compare_blocks, (void *)graph);
		err = count_below(numbers, &ways, blocks, n_blocks);
	}
	if (!err) {
		mark_rounds(numbers);
		numbers->n_paths = numbers->below[0];
		for (uint32_t i = 0; i < n; i++)
			if (numbers->begins_round[i])
				numbers->n_paths = add_paths(numbers->n_paths, numbers->below[i]);
		if (numbers->n_paths == MOST_PATHS)
			numbers->n_paths = 0;
	} else {
		path_numbers_deinit(numbers);
	}
	free(blocks);
	free(ways.to);
	return err;
}

void path_numbers_deinit(struct path_numbers *numbers)
{
	free(numbers->below);
	free(numbers->begins_round);
	*numbers = (struct path_numbers){ 0 };
}

/* The paths of the ways before @to out of the block. */
static int value_of_way(const struct path_numbers *numbers, struct ways *ways, uint32_t block,
			uint32_t to, uint64_t *number)
{
	int err = find_ways(ways, numbers->graph, last_of_block(numbers->graph, block));

	for (uint32_t i = 0; i < ways->n && !err; i++) {
		if (ways->to[i] == to)
			return 0;
		*number += below_way(numbers, ways->to[i]);
	}
	return err ? err : -ENOENT;
}

bool path_numbers_find(const struct path_numbers *numbers, const struct branch_paths *paths,
		       const struct branch_path *path, uint64_t *number_ret)
{
	struct path_position at = { 0 };
	struct ways ways = { 0 };
	uint64_t number = 0;
	int err = 0;

	if (!numbers->n_paths || path->begin == PATH_FROM_INSIDE || path->end == PATH_TO_INSIDE)
		return false;
	if (path->begin == PATH_FROM_LOOP) {
		number = numbers->below[0];
		for (uint32_t i = 0; i < path->first; i++)
			number += numbers->begins_round[i] ? numbers->below[i] : 0;
	}
	branch_paths_next_block(paths, path, &at);
	for (uint32_t block = at.at; !err && branch_paths_next_block(paths, path, &at);
	     block = at.at)
		err = value_of_way(numbers, &ways, block, at.at, &number);
	if (!err) {
		uint32_t block = path->last;

		while (!numbers->graph->instructions[block].is_leader)
			block--;
		err = value_of_way(numbers, &ways, block,
				   path->end == PATH_TO_EXIT ? WAY_OUT : WAY_LOOP, &number);
	}
	free(ways.to);
	*number_ret = number;
	return !err;
}
