#include "collector/values/sample_values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/paths/sample_path.h"
#include "collector/values/value_function.h"
#include "collector/values/value_rows.h"
#include "collector/values/value_stack.h"

/* A condition, and where its function is found. */
struct asked {
	const struct value_condition *condition;
	struct value_function function;
	struct condition_findings findings;
};

/* What paths are divided by. */
struct split {
	const struct value_subject *subject; /* NULL: they are not */
	struct value_function function;
	struct value_rows rows;
	uint32_t unknown[N_DEBUG_REASONS]; /* texts in the profile, plus 1; 0: none yet */
};

struct sample_values {
	struct symbolizer *symbolizer;
	struct value_stack *stack;
	struct split split;
	/* The last sample's record: */
	const void *record;
	uint64_t time_ns;
	bool has_stack; /* it is what the stack has walked last */
	bool is_whole;  /* up to its start */
	bool is_later;  /* of the last sample asked: a condition was answered by such memory */
	size_t n_asked;
	struct asked asked[];
};

/* 0 or -ENOMEM. */
static int init_functions(struct sample_values *values, const struct value_questions *questions)
{
	struct split *split = &values->split;

	for (size_t i = 0; i < questions->n_conditions; i++) {
		struct asked *asked = &values->asked[values->n_asked++];

		asked->condition = questions->conditions[i];
		if (value_function_init(&asked->function, asked->condition->subject.function))
			return -ENOMEM;
	}
	split->subject = questions->split;
	split->rows.name = split->subject ? split->subject->expression.text : NULL;
	return split->subject ? value_function_init(&split->function, split->subject->function) : 0;
}

struct sample_values *sample_values_create(const struct value_questions *questions,
					   const struct profile *recording)
{
	const struct symbolizer_options names = { .names = NAMES_WITHOUT_PARAMETERS };
	struct sample_values *values =
		calloc(1, sizeof(*values) + questions->n_conditions * sizeof(values->asked[0]));

	if (!values)
		return NULL;
	values->symbolizer = symbolizer_create(recording, &names);
	values->stack = value_stack_create(&recording->modules);
	if (values->symbolizer && values->stack && !init_functions(values, questions))
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
	value_function_deinit(&values->split.function);
	value_stack_destroy(values->stack);
	symbolizer_destroy(values->symbolizer);
	free(values);
}

/* Another record may be where the last one was, but has another time. */
static bool is_last_record(const struct sample_values *values, const struct sample *sample)
{
	return sample->raw.header && sample->raw.header == values->record &&
	       sample->record.has_time && sample->record.time_ns == values->time_ns;
}

/* Samples of one record have one stack. */
static void walk(struct sample_values *values, const struct sample *sample)
{
	struct user_stack stack;

	if (is_last_record(values, sample))
		return;
	values->record = sample->raw.header;
	values->time_ns = sample->record.time_ns;
	values->has_stack = sample->raw.header && sample->record.sample.has_user_regs &&
			    !(sample->record.misc & RECORD_MISC_STACK_LEFT_OUT) &&
			    sample_user_stack(sample, &stack);
	values->is_whole =
		values->has_stack && value_stack_walk(values->stack, sample->space, &stack);
	if (values->has_stack)
		value_stack_use_record(values->stack, sample->later.header);
}

/* The value that the expression has there. */
static enum debug_reason find_value(struct sample_values *values,
				    const struct value_subject *subject, size_t at, size_t depth,
				    struct value_text *text_ret, Dwarf_Die *type_ret)
{
	return value_stack_evaluate(values->stack, at, depth, &subject->expression,
				    values->symbolizer, text_ret, type_ret);
}

/* At the present walk. An enum condition_answer, or -ENOMEM. */
static int ask_one(struct sample_values *values, struct asked *asked)
{
	struct condition_findings *findings = &asked->findings;
	struct value_depth depth;
	struct value_text text;
	bool holds = false;
	Dwarf_Die type;
	size_t at;
	int found = value_function_find(&asked->function, values->symbolizer, values->stack, &at,
					&depth);

	if (found < 0)
		return found;
	if (!found)
		return values->is_whole ? CONDITION_FAILS : CONDITION_NO_FUNCTION;
	findings->n_found++;
	enum debug_reason reason = find_value(values, &asked->condition->subject, at,
					      depth.n_outer - 1u, &text, &type);
	if (!reason)
		reason = value_condition_test(asked->condition, &text, &type, &holds);
	values->is_later |= value_stack_used(values->stack).later && !reason;
	findings->n_wrong += reason == DEBUG_NO_SUCH_PART;
	findings->n_without += reason == DEBUG_NO_INFORMATION;
	if (reason)
		return CONDITION_NO_VALUE;
	findings->n_known++;
	findings->n_held += holds;
	return holds ? CONDITION_HOLDS : CONDITION_FAILS;
}

/* All are asked, for their findings. */
static int ask_all(struct sample_values *values)
{
	enum condition_answer all = CONDITION_HOLDS;

	values->is_later = false;
	for (size_t i = 0; i < values->n_asked; i++) {
		int answer = ask_one(values, &values->asked[i]);

		if (answer < 0)
			return answer;
		if (all == CONDITION_HOLDS || answer == CONDITION_FAILS)
			all = (enum condition_answer)answer;
	}
	return (int)all;
}

int sample_values_ask(struct sample_values *values, const struct sample *sample,
		      enum condition_answer *answer_ret)
{
	walk(values, sample);
	/* Threads without user memory have no such function. */
	int answer = values->has_stack    ? ask_all(values)
		     : sample->has_memory ? CONDITION_NO_FUNCTION
					  : CONDITION_FAILS;
	if (answer < 0)
		return answer;
	*answer_ret = (enum condition_answer)answer;
	return 0;
}

static uint32_t add_unknown(struct split *split, enum debug_reason reason, struct profile *profile)
{
	uint32_t *known = &split->unknown[reason];

	if (!*known)
		*known = value_rows_unknown(&split->rows, debug_reason_text(reason), profile);
	return *known;
}

/* The frame at which the path is divided. 1, 0 or -ENOMEM. All frames are looked at: other samples
 * may be joined to them. */
static int find_frame(struct sample_values *values, struct path_value *value)
{
	struct split *split = &values->split;
	struct value_depth depth;

	for (size_t i = 0; i < value_stack_n(values->stack); i++) {
		if (value_function_look_up(&split->function, values->symbolizer,
					   value_stack_frame(values->stack, i), &depth))
			return -ENOMEM;
		if (!depth.n_outer || value->is_there)
			continue;
		value->is_there = true;
		value->at = i;
		value->n_outer = depth.n_outer;
		value->has_inner = depth.n > depth.n_outer;
	}
	return value->is_there;
}

/* The row of the sample's path; 0: out of memory. @reason: why its value is not known, or none. */
static int set_row(struct sample *sample, uint32_t row, enum debug_reason reason)
{
	if (!row)
		return -ENOMEM;
	sample->value.text = row - 1;
	sample->is_value_unknown = reason;
	return 0;
}

static int set_value(struct sample_values *values, struct sample *sample, struct profile *profile)
{
	const struct path_value *value = &sample->value;
	struct split *split = &values->split;
	struct value_text text;
	Dwarf_Die type;
	const enum debug_reason reason =
		find_value(values, split->subject, value->at, value->n_outer - 1u, &text, &type);

	sample->is_value_later = value_stack_used(values->stack).later && !reason;
	return set_row(sample,
		       reason ? add_unknown(split, reason, profile)
			      : value_rows_find(&split->rows, value_text_without_address(&text),
						sample->is_value_later, profile),
		       reason);
}

int sample_values_split(struct sample_values *values, struct sample *sample,
			struct profile *profile)
{
	walk(values, sample);
	int found = values->has_stack ? find_frame(values, &sample->value) : 0;
	if (found < 0)
		return found;
	if (found)
		return set_value(values, sample, profile);
	sample->is_value_open = values->has_stack ? !values->is_whole : sample->has_memory;
	/* If the path will be joined: */
	return sample->is_value_open
		       ? set_row(sample, add_unknown(&values->split, DEBUG_NO_MEMORY, profile),
				 DEBUG_NO_MEMORY)
		       : 0;
}

void sample_values_join(struct sample_values *values, struct sample *sample,
			const struct placed_frame *outer, size_t n_outer)
{
	struct path_value *value = &sample->value;

	for (size_t i = 0; sample->is_value_open && !value->is_there && i < n_outer; i++) {
		const struct value_depth depth =
			value_function_known(&values->split.function, &outer[i].frame);

		value->is_there = depth.n_outer;
		value->at = sample->path.n_user + i;
		value->n_outer = depth.n_outer;
		value->has_inner = depth.n > depth.n_outer;
	}
}

bool sample_values_used_later(const struct sample_values *values)
{
	return values->is_later;
}

const struct condition_findings *sample_values_findings(const struct sample_values *values,
							size_t condition)
{
	return &values->asked[condition].findings;
}
