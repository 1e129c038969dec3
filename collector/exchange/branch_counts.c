#include "collector/exchange/branch_counts.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"

static int compare_starts(const void *a, const void *b)
{
	const struct executed_function *left = a, *right = b;

	return (left->start > right->start) - (left->start < right->start);
}

static int add_function(const struct branch_function *function, struct executed_code *code)
{
	const struct flow_graph *graph = &function->graph;
	const struct executed_function executed = { function->module_path, function->vaddr,
						    code->n_instructions, 0 };

	if (array_reserve(code->functions, code->n_functions, code->functions_allocated, 1) ||
	    array_reserve(code->instructions, code->n_instructions, code->instructions_allocated,
			  graph->n_instructions))
		return -ENOMEM;
	for (uint32_t i = 0; i < graph->n_instructions; i++) {
		const struct branch_counts *counts = &function->counts[i];

		if (!counts->executed)
			continue;
		code->instructions[code->n_instructions++] = (struct executed_instruction){
			function->vaddr + graph->instructions[i].offset,
			{ counts->executed, counts->taken, counts->mispredicted },
		};
	}
	code->functions[code->n_functions] = executed;
	code->functions[code->n_functions++].n = code->n_instructions - executed.first;
	return 0;
}

int branch_counts_collect(const struct branch_paths *paths, struct executed_code *code_ret)
{
	int err = 0;

	*code_ret = (struct executed_code){ 0 };
	for (uint32_t i = 0; i < paths->n_functions && !err; i++)
		err = add_function(&paths->functions[i], code_ret);
	if (code_ret->n_functions)
		qsort(code_ret->functions, code_ret->n_functions, sizeof(*code_ret->functions),
		      compare_starts);
	return err;
}
