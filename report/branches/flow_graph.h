/*
 * The flow of control inside a function, from its code: blocks, the jumps between them, and which
 * of these close a loop. Acyclic paths end there: Ball and Larus, Efficient path profiling
 * (MICRO-29, 1996), section 3.
 *
 * Targets of jumps through registers and memory (switches) are those that were seen
 * (flow_graph_note()). Where a jump has none yet, it may lead to each block that no other
 * instruction leads to, as far as the order of blocks is concerned; so the order, and with it what
 * closes a loop, is known from the first look at the code and never changes.
 */
#ifndef REPORT_BRANCHES_FLOW_GRAPH_H
#define REPORT_BRANCHES_FLOW_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/base/pair_map.h"
#include "report/code/disassembly.h"

#define FLOW_NONE     UINT32_MAX
#define FLOW_MAX_CODE (1u << 20) /* bytes of a function that are decoded at most */

struct flow_instruction {
	uint32_t offset; /* from the function's start */
	uint32_t target; /* index of the instruction that it jumps to; FLOW_NONE: outside, or not
			    known */
	uint32_t order;  /* of its block: topological without the edges that close loops */
	uint8_t size;
	uint8_t flow;   /* enum instruction_flow */
	bool is_leader; /* a block begins here */
	bool is_open;   /* it jumps to where only a run shows */
};

struct flow_edge {
	uint32_t from, to; /* indices of instructions */
};

struct flow_graph {
	struct flow_instruction *instructions; /* by offset, without gaps */
	uint32_t n_instructions;
	struct flow_edge *seen; /* of jumps without known target; each once */
	uint32_t n_seen, n_allocated;
	struct pair_map seen_edges; /* their indices */
};

/* Decodes a function whose first byte has the address @vaddr. 0, or an error of
 * disassembler_create(). */
int flow_graph_init(struct flow_graph *graph, uint16_t machine, const uint8_t *bytes, size_t size,
		    uint64_t vaddr);
void flow_graph_deinit(struct flow_graph *graph);
/* The index of the instruction at an offset, or FLOW_NONE: none begins there. */
uint32_t flow_graph_find(const struct flow_graph *graph, uint64_t offset);
/* Whether going from one instruction to another closes a loop: a path ends there. */
bool flow_graph_closes(const struct flow_graph *graph, uint32_t from, uint32_t to);
/*
 * Finds what is executed at most once when the function is entered: by instruction, in an array of
 * n_instructions on the heap. Where only a run shows what leads where, that is the first block
 * alone, if nothing leads to it. NULL: no memory.
 */
bool *flow_graph_find_once(const struct flow_graph *graph);
/* A jump was seen. It is kept if the code alone does not tell it. 0 or -ENOMEM. */
int flow_graph_note(struct flow_graph *graph, uint32_t from, uint32_t to);

#endif
