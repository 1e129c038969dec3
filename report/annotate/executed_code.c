#include "report/annotate/executed_code.h"

#include <stdlib.h>
#include <string.h>

void executed_code_deinit(struct executed_code *code)
{
	free(code->functions);
	free(code->instructions);
	*code = (struct executed_code){ 0 };
}

const struct executed_function *executed_code_find(const struct executed_code *code,
						   const char *module_path, uint64_t start)
{
	size_t low = 0, high = code->n_functions;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (code->functions[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < code->n_functions && code->functions[low].start == start; low++)
		if (strcmp(code->functions[low].module_path, module_path) == 0)
			return &code->functions[low];
	return NULL;
}

struct executed_counts executed_code_at(const struct executed_code *code,
					const struct executed_function *function, uint64_t vaddr)
{
	const struct executed_instruction *all = code->instructions + function->first;
	size_t low = 0, high = function->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (all[middle].vaddr < vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < function->n && all[low].vaddr == vaddr ? all[low].counts
							    : (struct executed_counts){ 0 };
}
