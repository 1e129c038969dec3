/*
 * Branch stacks that lie about code that is any bytes. Input: the machine and the size of the first
 * of two functions (one byte each), their code up to a byte 0xf4, and branches of 8 bytes: function
 * and instruction of both ends, whether a new stack begins, and flags. What is executed is in
 * exactly one path.
 */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/branches/branch_output.h"

#define STEPS_MAX   64
#define CALLERS_MAX 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct branch_place place_of(const struct branch_paths *paths, uint8_t function,
				    uint16_t instruction)
{
	struct branch_place place = { 0x400000u + instruction, BRANCH_NO_FUNCTION, FLOW_NONE };
	uint32_t index = function % (paths->n_functions + 1);

	if (index == paths->n_functions)
		return place;
	const struct flow_graph *graph = &paths->functions[index].graph;
	place.function = index;
	if (function & 0x80)
		return place; /* the midst of an instruction */
	place.instruction = instruction % graph->n_instructions;
	place.addr = 0x10000u * (index + 1) + graph->instructions[place.instruction].offset;
	return place;
}

static void add_function(struct branch_paths *paths, struct branch_function *function,
			 uint16_t machine, const uint8_t *code, size_t size)
{
	*function = (struct branch_function){ .name = "f", .module = "m", .module_path = "/m" };
	function->id = paths->n_functions;
	function->id = paths->n_functions;
	function->vaddr = 0x10000u * (paths->n_functions + 1);
	if (!size || flow_graph_init(&function->graph, machine, code, size, function->vaddr))
		return;
	function->counts = calloc(function->graph.n_instructions, sizeof(*function->counts));
	bool *is_once = flow_graph_find_once(&function->graph);
	if (!function->counts || !is_once)
		abort();
	free(is_once);
	paths->n_functions++;
}

/* Callers as the first bytes of the code say: the functions, and others. */
static size_t enter_callers(struct branch_paths *paths, uint32_t *contexts, const uint8_t *code,
			    size_t size)
{
	const size_t n = size < CALLERS_MAX ? size : CALLERS_MAX;
	uint32_t context = CONTEXT_TOP;

	for (size_t i = n; i-- > 0;) {
		const struct branch_context callee = { .function = code[i] % 5,
						       .name = "g",
						       .is_kernel = code[i] & 0x80 };

		if (branch_contexts_enter(&paths->contexts, context, &callee, &context))
			abort();
		contexts[i] = context;
	}
	return n;
}

static void check_sums(const struct branch_paths *paths)
{
	uint64_t executed = 0, mispredicted = 0;

	for (uint32_t f = 0; f < paths->n_functions; f++)
		for (uint32_t i = 0; i < paths->functions[f].graph.n_instructions; i++) {
			executed += paths->functions[f].counts[i].executed;
			mispredicted += paths->functions[f].counts[i].mispredicted;
		}
	for (uint32_t i = 0; i < paths->n_paths; i++) {
		executed -= paths->paths[i].n_instructions;
		mispredicted -= paths->paths[i].n_mispredicted;
	}
	if (executed || mispredicted)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct branch_step steps[STEPS_MAX];
	struct branch_paths paths;
	size_t n_steps = 0;

	if (size < 3)
		return 0;
	const uint16_t machine = data[0] & 1 ? EM_AARCH64 : EM_X86_64;
	const uint8_t *code = data + 2, *end = memchr(code, 0xf4, size - 2);
	size_t code_size = end ? (size_t)(end - code) : size - 2;
	size_t first_size = data[1] < code_size ? data[1] : code_size;

	if (branch_paths_init(&paths, NULL, NULL))
		abort();
	paths.functions = calloc(2, sizeof(*paths.functions));
	if (!paths.functions)
		abort();
	add_function(&paths, &paths.functions[paths.n_functions], machine, code, first_size);
	add_function(&paths, &paths.functions[paths.n_functions], machine, code + first_size,
		     code_size - first_size);
	uint32_t contexts[CALLERS_MAX];
	const struct branch_callers callers = { contexts,
						enter_callers(&paths, contexts, code, code_size) };
	const struct branch_callers *some = data[0] & 2 ? &callers : NULL;
	for (const uint8_t *at = end; at && data + size - at > 8; at += 8) {
		struct branch_step step = {
			.from = place_of(&paths, at[1], (uint16_t)(at[2] | at[3] << 8)),
			.to = place_of(&paths, at[4], (uint16_t)(at[5] | at[6] << 8)),
			.is_mispredicted = at[7] & 1,
			.cycles = at[7],
		};
		if (n_steps == STEPS_MAX || at[7] & 0x80) {
			if (branch_paths_add(&paths, steps, n_steps, some))
				abort();
			n_steps = 0;
		}
		steps[n_steps++] = step;
	}
	if (branch_paths_add(&paths, steps, n_steps, some))
		abort();
	check_sums(&paths);
	FILE *out = fopen("/dev/null", "w");
	const struct branch_options options = { .n_top = 3,
						.has_blocks = true,
						.by_context = some };
	if (!out || branch_write_json(out, &paths, &options) ||
	    branch_write_text(out, &paths, &options))
		abort();
	fclose(out);
	branch_paths_deinit(&paths);
	return 0;
}
