/* The text of an expression, which is taken apart; what is right must be so in few steps. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/values/value_expression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct value_expression expression;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	if (!value_expression_parse(&expression, text)) {
		if (expression.n_steps > VALUE_STEPS_MAX || !*expression.variable)
			abort();
		for (size_t i = 0; i < expression.n_steps; i++)
			if (expression.steps[i].kind == STEP_MEMBER && !*expression.steps[i].name)
				abort();
	}
	free(text);
	return 0;
}
