#include "report/feedback/block_estimates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/sorted.h"

struct block_count {
	uint64_t weight;
	uint64_t count;
};

int block_estimates_init(struct block_estimates *estimates, const struct flow_graph *graph)
{
	const size_t n = graph->n_instructions + 1ul;

	*estimates = (struct block_estimates){
		.graph = graph,
		.weights = calloc(n, sizeof(*estimates->weights)),
		.counts = calloc(n, sizeof(*estimates->counts)),
		.is_once = flow_graph_find_once(graph),
	};
	return estimates->weights && estimates->counts && estimates->is_once ? 0 : -ENOMEM;
}

void block_estimates_deinit(struct block_estimates *estimates)
{
	free(estimates->weights);
	free(estimates->counts);
	free(estimates->is_once);
}

void block_estimates_clear(struct block_estimates *estimates)
{
	const size_t n = estimates->graph->n_instructions;

	memset(estimates->weights, 0, n * sizeof(*estimates->weights));
	memset(estimates->counts, 0, n * sizeof(*estimates->counts));
	estimates->entered = 0;
}

uint32_t block_estimates_instruction_at(const struct flow_graph *graph, uint64_t offset)
{
	const size_t n =
		sorted_count(graph->n_instructions, i, graph->instructions[i].offset <= offset);

	if (!n)
		return FLOW_NONE;
	const struct flow_instruction *last = &graph->instructions[n - 1];
	return offset - last->offset < last->size ? (uint32_t)n - 1 : FLOW_NONE;
}

bool block_estimates_add(struct block_estimates *estimates, uint64_t offset, uint64_t weight)
{
	const uint32_t at = block_estimates_instruction_at(estimates->graph, offset);

	if (at != FLOW_NONE)
		estimates->weights[at] += weight;
	return at != FLOW_NONE;
}

/* How often each of @n instructions was executed. */
static uint64_t average(uint64_t weight, uint32_t n)
{
	const uint64_t count = weight / n + (weight % n >= n / 2 + n % 2);

	return weight && !count ? 1 : count;
}

/* The first block of a function is often too short for samples. What no loop contains is executed
 * at most as often as the function is entered, so a block of it with more samples tells, too. */
static uint64_t estimate_entries(const struct block_count *first, const struct block_count *once)
{
	return once->count > first->count && once->weight > first->weight ? once->count
									  : first->count;
}

void block_estimates_make(struct block_estimates *estimates)
{
	const struct flow_graph *graph = estimates->graph;
	struct block_count entry = { 0 }, once = { 0 };
	uint32_t end;

	for (uint32_t first = 0; first < graph->n_instructions; first = end) {
		struct block_count block = { .weight = estimates->weights[first] };

		for (end = first + 1;
		     end < graph->n_instructions && !graph->instructions[end].is_leader; end++)
			block.weight += estimates->weights[end];
		block.count = average(block.weight, end - first);
		for (uint32_t i = first; i < end; i++)
			estimates->counts[i] = block.count;
		if (!first)
			entry = block;
		if (estimates->is_once[first] && block.weight > once.weight)
			once = block;
	}
	estimates->entered = estimate_entries(&entry, &once);
}
