#include "collector/exchange/branch_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "collector/command-line/messages.h"

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

int recorded_counts_read(struct recorded_counts *counts, const char *command, const char *path,
			 const struct profile *profile, const struct dendro_options *build,
			 const struct symbolizer_options *symbolizer)
{
	const struct symbolizer_options names = { .names = symbolizer->names,
						  .vmlinux = symbolizer->vmlinux,
						  .no_inlines = true };
	_cleanup_free_ char *error = NULL;

	*counts = (struct recorded_counts){ .known = NULL };
	if (!profile->quality.counts[QUALITY_BRANCHES] || strcmp(path, "-") == 0)
		return 0;
	int err = branch_stacks_read_again(command, path, build, &names, &counts->session,
					   &counts->stacks, &error);
	if (!err)
		err = branch_counts_collect(&counts->stacks.paths, &counts->executed);
	if (err)
		return message_error_of_file(command, path, error ? error : strerror(-err));
	if (counts->stacks.paths.n_stacks)
		counts->known = &counts->executed;
	return 0;
}

void recorded_counts_deinit(struct recorded_counts *counts)
{
	executed_code_deinit(&counts->executed);
	branch_stacks_deinit(&counts->stacks);
	dendro_close(counts->session);
}
