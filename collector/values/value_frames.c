#include "collector/values/value_frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/paths/sample_path.h"
#include "collector/values/fetched_values.h"
#include "collector/values/value_contexts.h"
#include "collector/values/value_function.h"
#include "collector/values/value_stack.h"
#include "perf/records/memory_record.h"
#include "report/dwarf/debug_location.h"
#include "report/values/value_types.h"
#include "report/values/value_variables.h"

#define TYPE_SIZE 128

struct value_frames {
	const struct value_request *request;
	struct value_function function;
	struct symbolizer *symbolizer;
	struct value_stack *stack;
	size_t at;           /* in the stack of the present sample: the frame of the function */
	const char *fetched; /* the expression whose value the kernel has fetched there, or "" */
	uint32_t context;    /* of the function there */
	struct branch_contexts contexts;
	/* What is known of the expressions there; after it, what all of them are together. */
	struct finding *findings;
};

/* A variable in one sample. */
struct finding {
	bool is_there;            /* the function has such a variable at its instruction */
	enum debug_reason reason; /* DEBUG_KNOWN: the text is there */
	struct value_used used;
	struct value_text text;
};

struct value_frames *value_frames_create(const struct value_request *request,
					 const struct profile *recording,
					 struct symbolizer *symbolizer)
{
	struct value_frames *frames = calloc(1, sizeof(*frames));

	if (!frames)
		return NULL;
	frames->request = request;
	frames->symbolizer = symbolizer;
	frames->stack = value_stack_create(&recording->modules);
	frames->findings = calloc(request->n_expressions + 1, sizeof(*frames->findings));
	const int err = branch_contexts_init(&frames->contexts);
	if (!value_function_init(&frames->function, request->function) && frames->stack &&
	    frames->findings && !err)
		return frames;
	value_frames_destroy(frames);
	return NULL;
}

void value_frames_destroy(struct value_frames *frames)
{
	if (!frames)
		return;
	value_stack_destroy(frames->stack);
	branch_contexts_deinit(&frames->contexts);
	free(frames->findings);
	value_function_deinit(&frames->function);
	free(frames);
}

/* The row of an expression, or of a variable. NULL: out of memory. */
static struct value_row *row_of(struct value_table *table, const char *name,
				const struct value_variable *variable, const Dwarf_Die *type)
{
	char text[TYPE_SIZE] = "";

	if (type)
		value_type_name(type, text, sizeof(text));
	return value_table_row(table, name, text,
			       variable->is_parameter ? VALUE_PARAMETER : VALUE_LOCAL);
}

static int add_to_row(struct value_row *row, const struct finding *finding)
{
	if (finding->reason) {
		value_row_miss(row, finding->reason);
		return 0;
	}
	row->n_later += finding->used.later;
	row->n_at_sample += finding->used.at_sample && !finding->used.later;
	return value_row_add(row, &finding->text);
}

/* To the row, and to its part in the present context. @row: NULL: out of memory. */
static int add_finding(struct value_frames *frames, struct value_table *table,
		       struct value_row *row, const struct finding *finding)
{
	struct value_row *part = NULL;
	int err = row ? add_to_row(row, finding) : -ENOMEM;

	if (!err && frames->request->by_context)
		err = value_table_part(table, row, frames->context, value_contexts_callers,
				       &frames->contexts, &part);
	return err || !part ? err : add_to_row(part, finding);
}

/* Adds the value of a place, which is also the finding of the expression @at. */
static int add_place(struct value_frames *frames, struct value_table *table, struct value_row *row,
		     struct value_place *place, enum debug_reason reason, size_t at)
{
	struct finding *finding = &frames->findings[at];

	if (!reason)
		reason = value_stack_write(frames->stack, frames->at, place, frames->symbolizer,
					   &finding->text);
	finding->is_there = true;
	finding->reason = reason;
	finding->used = value_stack_used(frames->stack);
	return add_finding(frames, table, row, finding);
}

/* The expression's number, or the number after the last. */
static size_t find_expression(const struct value_request *request, const char *text)
{
	size_t i = 0;

	while (i < request->n_expressions && strcmp(request->expressions[i].text, text) != 0)
		i++;
	return i;
}

/* The value that the kernel fetched in the innermost frame is more certain than one that the
 * sample's registers and stack tell. 0 or -ENOMEM. */
static int add_fetched(struct value_frames *frames, const struct sample *sample,
		       struct value_table *table)
{
	const struct value_request *request = frames->request;
	const struct event_value *value = &sample->event->value;

	frames->fetched = "";
	if (value->kind == EVENT_VALUE_NONE || frames->at)
		return 0;
	const size_t at = find_expression(request, value->name);
	if (request->n_expressions && at == request->n_expressions)
		return 0;
	frames->fetched = value->name;
	struct finding *finding = &frames->findings[at];
	finding->is_there = true;
	finding->used = (struct value_used){ 0 };
	finding->reason = fetched_value_read(sample, frames->symbolizer, &finding->text);
	return add_finding(frames, table, value_table_row(table, value->name, "", VALUE_PARAMETER),
			   finding);
}

static int add_expression(struct value_frames *frames, size_t at, struct value_variable *variable,
			  struct value_table *table)
{
	const struct value_expression *expression = &frames->request->expressions[at];
	const struct debug_frame *frame = value_stack_debug_frame(frames->stack, frames->at);
	struct value_place place = { .bit = 0 };
	const enum debug_reason reason =
		value_expression_find(expression, &variable->die, frame, &place);
	struct value_row *row =
		row_of(table, expression->text, variable, reason ? NULL : &place.type);

	return add_place(frames, table, row, &place, reason, at);
}

static int add_variable(struct value_frames *frames, struct value_variable *variable,
			struct value_table *table)
{
	const struct debug_frame *frame = value_stack_debug_frame(frames->stack, frames->at);
	struct value_place place = { .bit = 0 };
	enum debug_reason reason = debug_location_find(&place.location, &variable->die, frame);
	const bool has_type = value_type_of(&variable->die, &place.type);
	struct value_row *row =
		row_of(table, variable->name, variable, has_type ? &place.type : NULL);

	return add_place(frames, table, row, &place, has_type ? reason : DEBUG_NOT_SUPPORTED,
			 frames->request->n_expressions);
}

/* What was asked for, of one variable. */
static int add_requested(struct value_frames *frames, struct value_variable *variable,
			 struct value_table *table)
{
	const struct value_request *request = frames->request;
	int err = 0;

	if (!request->n_expressions && strcmp(variable->name, frames->fetched) == 0)
		return 0;
	if (!request->n_expressions)
		return variable->is_parameter || request->locals
			       ? add_variable(frames, variable, table)
			       : 0;
	for (size_t i = 0; i < request->n_expressions && !err; i++)
		if (strcmp(request->expressions[i].variable, variable->name) == 0 &&
		    strcmp(request->expressions[i].text, frames->fetched) != 0)
			err = add_expression(frames, i, variable, table);
	return err;
}

/* The variables of the function @depth inlined calls into the compiled one of the frame. */
static int add_variables(struct value_frames *frames, size_t depth, struct value_table *table)
{
	struct value_variable variables[VALUE_VARIABLES_MAX];
	const struct value_request *request = frames->request;
	Dwarf_Die dies[DEBUG_INFO_MAX_INLINED];
	const size_t n_dies = value_stack_functions(frames->stack, frames->at, dies);
	int err = 0;

	if (depth >= n_dies) {
		table->n_without += !*frames->fetched;
		return 0;
	}
	const struct debug_frame *frame = value_stack_debug_frame(frames->stack, frames->at);
	const size_t n = value_variables_list(&dies[n_dies - 1 - depth], frame->vaddr,
					      request->locals || request->n_expressions, variables);
	for (size_t i = 0; i < n && !err; i++)
		err = add_requested(frames, &variables[i], table);
	return err;
}

/* Appends as much as has room. */
static void join(char text[VALUE_TEXT_MAX + 1], size_t *n, const char *comma, const char *more)
{
	const int added = snprintf(text + *n, VALUE_TEXT_MAX + 1 - *n, "%s%s", comma, more);

	*n = added > 0 && (size_t)added > VALUE_TEXT_MAX - *n ? VALUE_TEXT_MAX : *n + (size_t)added;
}

/* What all expressions were, "RED, 512", if all are known; else the reason of the first that is
 * not. Nothing is added where the function lacks the variable of one. */
static int add_together(struct value_frames *frames, struct value_table *table)
{
	const struct value_request *request = frames->request;
	struct finding *together = &frames->findings[request->n_expressions];
	char name[VALUE_TEXT_MAX + 1] = "";
	size_t n_name = 0;

	*together = (struct finding){ 0 };
	for (size_t i = 0; i < request->n_expressions; i++) {
		const struct finding *finding = &frames->findings[i];
		const char *const comma = i ? ", " : "";

		if (!finding->is_there)
			return 0;
		join(name, &n_name, comma, request->expressions[i].text);
		join(together->text.text, &together->text.n, comma, finding->text.text);
		together->used.later |= finding->used.later;
		together->used.at_sample |= finding->used.at_sample;
		if (!together->reason)
			together->reason = finding->reason;
	}
	return add_finding(frames, table, value_table_row(table, name, "", VALUE_TOGETHER),
			   together);
}

/* Tells what was read for the sample. */
static void use_later(struct value_frames *frames, const struct sample *sample,
		      struct value_later *later)
{
	struct memory_record memory;

	value_stack_use_record(frames->stack, sample->later.header);
	if (!sample->later.header || !memory_record_decode(sample->later.header, &memory))
		return;
	if (memory.header.outcome == MEMORY_READ && memory_record_is_at_sample(&memory))
		later->n_at_sample++;
	else
		value_later_add(later, memory.header.delay_ns,
				memory_outcome_text((enum memory_outcome)memory.header.outcome));
}

/* Of the function that was found, @n_outer functions into its frame. */
static int add_values(struct value_frames *frames, const struct sample *sample, size_t n_outer,
		      bool is_whole, struct value_table *table)
{
	const struct value_request *request = frames->request;
	int err = 0;

	for (size_t i = 0; i < request->n_expressions; i++)
		frames->findings[i].is_there = false;
	if (request->by_context)
		err = value_contexts_find(&frames->contexts, frames->symbolizer, frames->stack,
					  frames->at, n_outer, is_whole, &frames->context);
	if (!err)
		err = add_fetched(frames, sample, table);
	if (!err)
		err = add_variables(frames, n_outer - 1, table);
	return err || !request->together ? err : add_together(frames, table);
}

int value_frames_add(struct value_frames *frames, const struct sample *sample,
		     struct value_table *table)
{
	struct user_stack stack;
	struct value_depth depth;

	table->n_samples++;
	if (!sample->record.sample.has_user_regs || !sample_user_stack(sample, &stack)) {
		table->n_incomplete += sample->has_memory;
		return 0;
	}
	const bool is_whole = value_stack_walk(frames->stack, sample->space, &stack);
	use_later(frames, sample, &table->later);
	int found = value_function_find(&frames->function, frames->symbolizer, frames->stack,
					&frames->at, &depth);
	if (found <= 0) {
		table->n_incomplete += !is_whole;
		return found;
	}
	table->n_found++;
	table->n_inlined += depth.n_outer > 1;
	table->n_leaf += frames->at == 0;
	return add_values(frames, sample, depth.n_outer, is_whole, table);
}
