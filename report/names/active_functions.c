#include "report/names/active_functions.h"

#include <assert.h>

#include "cct/code/inline_table.h"
#include "cct/code/line_table.h"
#include "cct/model/stored_names.h"
#include "report/names/go_names.h"

/* The functions that the recording has for the code, like debug_info_find(). 0: none. */
static size_t find_recorded_calls(const struct module *module, uint64_t offset,
				  struct debug_function *functions)
{
	const struct inlined_code *code = inline_table_find(module->inlines, offset);
	const size_t n = code ? code->n_names : 0;

	static_assert(INLINE_DEPTH_MAX < DEBUG_INFO_MAX_INLINED, "one more has room");
	if (!n)
		return 0;
	for (size_t i = 0; i < n; i++)
		functions[i] = (struct debug_function){ .name = code->names[n - 1 - i] };
	functions[n] = (struct debug_function){ .name = NULL };
	return n + 1;
}

static void find_calls(const struct module *module, uint64_t offset, bool wants_line,
		       struct active_functions *active)
{
	const struct code_location *location = &active->location;

	if (location->debug)
		active->n_functions =
			debug_info_find_calls(location->debug, location->debug_vaddr, wants_line,
					      active->functions, DEBUG_INFO_MAX_INLINED);
	if (!active->n_functions && location->go)
		active->n_functions = go_names_find(location->go, location->debug_vaddr,
						    active->functions, DEBUG_INFO_MAX_INLINED);
	if (!active->n_functions)
		active->n_functions = find_recorded_calls(module, offset, active->functions);
}

/* Adds the source line if the recording contains it. */
static void add_recorded_line(const struct module *module, uint64_t offset,
			      struct active_functions *active)
{
	const struct code_line *line =
		module->lines ? line_table_find(module->lines, offset) : NULL;

	if (!line)
		return;
	if (!active->n_functions)
		active->functions[active->n_functions++] = (struct debug_function){ 0 };
	struct debug_function *compiled = &active->functions[active->n_functions - 1];
	compiled->file = line->file;
	compiled->line = line->line;
}

static struct debug_function call_of(const struct stored_names *names,
				     const struct stored_call *call)
{
	return (struct debug_function){
		.name = stored_names_text(names, call->name),
		.decl_file = stored_names_text(names, call->decl_file),
		.decl_line = call->decl_line,
		.file = stored_names_text(names, call->file),
		.line = call->line,
		.directory = stored_names_text(names, call->directory),
	};
}

/* A profile is stored with inlined functions and lines. What was not requested is left out, as if
 * it had not been read. */
static void find_stored(const struct stored_names *names, const struct active_wanted *wanted,
			struct active_functions *active)
{
	const struct stored_code *code = active->location.stored;
	bool is_from_debug_info = code->flags & STORED_FROM_DEBUG_INFO;

	if (is_from_debug_info && !wanted->inlines && !wanted->lines)
		return;
	static_assert(STORED_CALLS_MAX == DEBUG_INFO_MAX_INLINED, "all have room");
	active->n_functions = code->n_calls;
	for (uint32_t i = 0; i < code->n_calls; i++)
		active->functions[i] = call_of(names, &names->calls[code->first_call + i]);
	if (is_from_debug_info && !wanted->lines && code->n_calls) {
		active->functions[0].file = active->functions[0].directory = NULL;
		active->functions[0].line = 0;
	}
}

int active_functions_find(struct module_names *names, const struct module *module, uint64_t offset,
			  const struct active_wanted *wanted, struct active_functions *ret)
{
	ret->n_functions = 0;
	int err = module_names_locate(names, module, offset, wanted->inlines || wanted->lines,
				      &ret->location);
	if (err)
		return err;
	if (ret->location.stored) {
		find_stored(names->stored, wanted, ret);
		return 0;
	}
	find_calls(module, offset, wanted->lines, ret);
	add_recorded_line(module, offset, ret);
	return 0;
}
