#include "collector/values/value_frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/paths/sample_path.h"
#include "collector/values/fetched_values.h"
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
	if (!value_function_init(&frames->function, request->function) && frames->stack)
		return frames;
	value_frames_destroy(frames);
	return NULL;
}

void value_frames_destroy(struct value_frames *frames)
{
	if (!frames)
		return;
	value_stack_destroy(frames->stack);
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
	return value_table_row(table, name, text, variable->is_parameter);
}

static int add_place(struct value_frames *frames, struct value_row *row, struct value_place *place,
		     enum debug_reason reason)
{
	struct value_text text;

	if (!row)
		return -ENOMEM;
	if (!reason)
		reason = value_stack_write(frames->stack, frames->at, place, frames->symbolizer,
					   &text);
	const struct value_used used = value_stack_used(frames->stack);
	if (!reason) {
		row->n_later += used.later;
		row->n_at_sample += used.at_sample && !used.later;
		return value_row_add(row, &text);
	}
	value_row_miss(row, reason);
	return 0;
}

/* The value that the kernel fetched in the innermost frame is more certain than one that the
 * sample's registers and stack tell. 0 or -ENOMEM. */
static int add_fetched(struct value_frames *frames, const struct sample *sample,
		       struct value_table *table)
{
	const struct value_request *request = frames->request;
	const struct event_value *value = &sample->event->value;
	bool is_requested = !request->n_expressions;
	struct value_text text;

	frames->fetched = "";
	for (size_t i = 0; i < request->n_expressions; i++)
		is_requested |= strcmp(request->expressions[i].text, value->name) == 0;
	if (value->kind == EVENT_VALUE_NONE || frames->at || !is_requested)
		return 0;
	frames->fetched = value->name;
	struct value_row *row = value_table_row(table, value->name, "", true);
	if (!row)
		return -ENOMEM;
	const enum debug_reason reason = fetched_value_read(sample, frames->symbolizer, &text);
	if (!reason)
		return value_row_add(row, &text);
	value_row_miss(row, reason);
	return 0;
}

static int add_expression(struct value_frames *frames, const struct value_expression *expression,
			  struct value_variable *variable, struct value_table *table)
{
	const struct debug_frame *frame = value_stack_debug_frame(frames->stack, frames->at);
	struct value_place place = { .bit = 0 };
	const enum debug_reason reason =
		value_expression_find(expression, &variable->die, frame, &place);
	struct value_row *row =
		row_of(table, expression->text, variable, reason ? NULL : &place.type);

	return add_place(frames, row, &place, reason);
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

	return add_place(frames, row, &place, has_type ? reason : DEBUG_NOT_SUPPORTED);
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
			err = add_expression(frames, &request->expressions[i], variable, table);
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
	int err = add_fetched(frames, sample, table);
	return err ? err : add_variables(frames, depth.n_outer - 1u, table);
}
