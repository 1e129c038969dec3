#include "collector/values/sample_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/paths/sample_path.h"
#include "collector/values/value_function.h"
#include "collector/values/value_stack.h"
#include "report/values/value_variables.h"

/* A condition, and where its function is found. */
struct asked {
	const struct value_condition *condition;
	struct value_function function;
	struct condition_findings findings;
};

struct sample_values {
	struct symbolizer *symbolizer;
	struct value_stack *stack;
	/* The last sample's record, and the answer. */
	const void *record;
	uint64_t time_ns;
	enum condition_answer answer;
	size_t n_asked;
	struct asked asked[];
};

struct sample_values *sample_values_create(const struct value_condition *const *conditions,
					   size_t n_conditions, const struct profile *recording)
{
	const struct symbolizer_options names = { .names = NAMES_WITHOUT_PARAMETERS };
	struct sample_values *values =
		calloc(1, sizeof(*values) + n_conditions * sizeof(values->asked[0]));

	if (!values)
		return NULL;
	values->symbolizer = symbolizer_create(recording, &names);
	values->stack = value_stack_create(&recording->modules);
	bool has_memory = values->symbolizer && values->stack;
	for (size_t i = 0; has_memory && i < n_conditions; i++) {
		struct asked *asked = &values->asked[values->n_asked++];

		asked->condition = conditions[i];
		has_memory =
			!value_function_init(&asked->function, conditions[i]->subject.function);
	}
	if (has_memory)
		return values;
	sample_values_destroy(values);
	return NULL;
}

void sample_values_destroy(struct sample_values *values)
{
	if (!values)
		return;
	for (size_t i = 0; i < values->n_asked; i++)
		value_function_deinit(&values->asked[i].function);
	value_stack_destroy(values->stack);
	symbolizer_destroy(values->symbolizer);
	free(values);
}

/* Where the variable is: of the function @depth inlined calls into the compiled one of frame @at.
 */
static enum debug_reason find_place(struct sample_values *values,
				    const struct value_expression *expression, size_t at,
				    size_t depth, struct value_place *place)
{
	Dwarf_Die dies[DEBUG_INFO_MAX_INLINED];
	const size_t n_dies = value_stack_functions(values->stack, at, dies);
	struct value_variable variable;

	if (depth >= n_dies)
		return DEBUG_NO_INFORMATION;
	const struct debug_frame *frame = value_stack_debug_frame(values->stack, at);
	if (!value_variables_find(&dies[n_dies - 1 - depth], frame->vaddr, expression->variable,
				  &variable))
		return DEBUG_NO_SUCH_PART;
	return value_expression_find(expression, &variable.die, frame, place);
}

static enum debug_reason test(struct sample_values *values, const struct value_condition *condition,
			      size_t at, size_t depth, bool *holds_ret)
{
	struct value_place place = { .bit = 0 };
	struct value_text text;
	enum debug_reason reason =
		find_place(values, &condition->subject.expression, at, depth, &place);

	if (!reason)
		reason = value_stack_write(values->stack, at, &place, values->symbolizer, &text);
	return reason ? reason : value_condition_test(condition, &text, &place.type, holds_ret);
}

/* At the present walk. An enum condition_answer, or -ENOMEM. */
static int ask_one(struct sample_values *values, struct asked *asked, bool is_whole)
{
	struct condition_findings *findings = &asked->findings;
	size_t at, depth;
	bool holds = false;
	int found = value_function_find(&asked->function, values->symbolizer, values->stack, &at,
					&depth);

	if (found < 0)
		return found;
	if (!found)
		return is_whole ? CONDITION_FAILS : CONDITION_NO_FUNCTION;
	findings->n_found++;
	enum debug_reason reason = test(values, asked->condition, at, depth, &holds);
	findings->n_wrong += reason == DEBUG_NO_SUCH_PART;
	findings->n_without += reason == DEBUG_NO_INFORMATION;
	if (reason)
		return CONDITION_NO_VALUE;
	findings->n_known++;
	findings->n_held += holds;
	return holds ? CONDITION_HOLDS : CONDITION_FAILS;
}

static int ask_all(struct sample_values *values, bool is_whole)
{
	enum condition_answer all = CONDITION_HOLDS;

	/* All are asked, for their findings. */
	for (size_t i = 0; i < values->n_asked; i++) {
		int answer = ask_one(values, &values->asked[i], is_whole);

		if (answer < 0)
			return answer;
		if (all == CONDITION_HOLDS || answer == CONDITION_FAILS)
			all = (enum condition_answer)answer;
	}
	return (int)all;
}

/* Stacks that were not recorded belong to no process, or to one whose path is not known. */
static int ask(struct sample_values *values, const struct sample *sample)
{
	struct user_stack stack;

	if (!sample->raw.header || !sample->record.sample.has_user_regs ||
	    !sample_user_stack(sample, &stack))
		return sample->has_memory ? CONDITION_NO_FUNCTION : CONDITION_FAILS;
	return ask_all(values, value_stack_walk(values->stack, sample->space, &stack));
}

/* Another record may be where the last one was, but has another time. */
static bool is_last_record(const struct sample_values *values, const struct sample *sample)
{
	return sample->raw.header && sample->raw.header == values->record &&
	       sample->record.has_time && sample->record.time_ns == values->time_ns;
}

int sample_values_ask(struct sample_values *values, const struct sample *sample,
		      enum condition_answer *answer_ret)
{
	if (!is_last_record(values, sample)) {
		int answer = ask(values, sample);

		if (answer < 0)
			return answer;
		values->record = sample->raw.header;
		values->time_ns = sample->record.time_ns;
		values->answer = (enum condition_answer)answer;
	}
	*answer_ret = values->answer;
	return 0;
}

const struct condition_findings *sample_values_findings(const struct sample_values *values,
							size_t condition)
{
	return &values->asked[condition].findings;
}
