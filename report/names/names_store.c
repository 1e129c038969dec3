#include "report/names/names_store.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/model/stored_names.h"
#include "report/names/active_functions.h"

static int store_call(struct stored_names *names, const struct debug_function *function)
{
	struct stored_call call = { .decl_line = function->decl_line, .line = function->line };
	int err = stored_names_add_text(names, function->name, &call.name);

	if (!err)
		err = stored_names_add_text(names, function->decl_file, &call.decl_file);
	if (!err)
		err = stored_names_add_text(names, function->file, &call.file);
	if (!err)
		err = stored_names_add_text(names, function->directory, &call.directory);
	return err ? err : stored_names_add_call(names, &call);
}

static int store_code(struct stored_names *names, const struct frame *frame,
		      const struct active_functions *active)
{
	const struct code_location *location = &active->location;
	struct stored_code code = {
		.module = frame->module,
		.offset = frame->offset,
		.start = location->start,
		.addr = location->addr,
		.start_kind = (uint8_t)location->start_kind,
		.flags = (uint8_t)((location->debug ? STORED_FROM_DEBUG_INFO : 0) |
				   (location->plt ? STORED_PLT : 0)),
		.first_call = names->n_calls,
		.n_calls = (uint32_t)active->n_functions,
	};
	int err = stored_names_add_text(names, location->symbol, &code.symbol);

	for (size_t i = 0; !err && i < active->n_functions; i++)
		err = store_call(names, &active->functions[i]);
	return err ? err : stored_names_add_code(names, &code);
}

int names_store_more(const struct profile *profile, struct symbolizer *symbolizer,
		     struct stored_names *names)
{
	const struct frame_ids *frames = &profile->cct->frames;

	for (uint32_t i = 0; i < frames->n_frames; i++) {
		const struct frame *frame = &frames->frames[i];
		struct active_functions active;

		if (!module_table_get(&profile->modules, frame->module) ||
		    stored_names_find(names, frame->module, frame->offset))
			continue;
		int err = symbolizer_find_functions(symbolizer, frame, &active);
		if (!err)
			err = store_code(names, frame, &active);
		if (err)
			return err;
	}
	return 0;
}

static int store_lacks(const struct profile *profile, const struct symbolizer *symbolizer,
		       struct stored_names *names)
{
	size_t n_max = (size_t)profile->modules.n_modules * NAME_PROBLEMS_MAX;
	_cleanup_free_ struct symbol_problem *problems = calloc(n_max, sizeof(*problems));

	if (!problems)
		return -ENOMEM;
	size_t n = symbolizer_problems(symbolizer, problems, n_max);
	for (size_t i = 0; i < n; i++) {
		struct stored_lack lack = {
			.module = problems[i].module,
			.lack = (uint8_t)problems[i].lack,
			.build_id = problems[i].build_id,
			.found = problems[i].found,
			.is_changed = problems[i].is_changed,
			.error = problems[i].error,
		};
		int err = stored_names_add_text(names, problems[i].text, &lack.text);
		if (!err)
			err = stored_names_add_lack(names, &lack);
		if (err)
			return err;
	}
	return 0;
}

int names_store(const struct profile *profile, struct symbolizer *symbolizer,
		struct stored_names **names_ret)
{
	struct stored_names *names = stored_names_create();
	int err = names ? names_store_more(profile, symbolizer, names) : -ENOMEM;

	if (!err)
		err = store_lacks(profile, symbolizer, names);
	if (err) {
		stored_names_destroy(names);
		return err;
	}
	*names_ret = names;
	return 0;
}
