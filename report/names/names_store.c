#include "report/names/names_store.h"

#include <errno.h>
#include <stdlib.h>

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

static int store_frame(const struct profile *profile, struct symbolizer *symbolizer,
		       const struct frame *frame, struct stored_names *names)
{
	struct active_functions active;

	if (!module_table_get(&profile->modules, frame->module) ||
	    stored_names_find(names, frame->module, frame->offset))
		return 0;
	int err = symbolizer_find_functions(symbolizer, frame, &active);
	return err ? err : store_code(names, frame, &active);
}

int names_store_more(const struct profile *profile, struct symbolizer *symbolizer,
		     struct stored_names *names)
{
	const struct frame_ids *frames = &profile->cct->frames;
	int err = 0;

	for (uint32_t i = 0; !err && i < frames->n_frames; i++)
		err = store_frame(profile, symbolizer, &frames->frames[i], names);
	return err;
}

static int store_lacks(const struct symbolizer *symbolizer, uint32_t module,
		       struct stored_names *names)
{
	struct symbol_problem problems[NAME_PROBLEMS_MAX];
	size_t n = symbolizer_problems_of(symbolizer, module, problems);
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		struct stored_lack lack = {
			.module = problems[i].module,
			.lack = (uint8_t)problems[i].lack,
			.build_id = problems[i].build_id,
			.found = problems[i].found,
			.is_changed = problems[i].is_changed,
			.error = problems[i].error,
		};
		err = stored_names_add_text(names, problems[i].text, &lack.text);
		if (!err)
			err = stored_names_add_lack(names, &lack);
	}
	return err;
}

/* The frames of code by module; the frames of one module keep their order. */
struct frames_by_module {
	uint32_t *first;   /* by module, in @numbers; one more for the end */
	uint32_t *numbers; /* of frames */
};

static void frames_by_module_deinit(struct frames_by_module *by_module)
{
	free(by_module->first);
	free(by_module->numbers);
}

static int frames_by_module_init(struct frames_by_module *by_module, const struct profile *profile)
{
	const struct frame_ids *frames = &profile->cct->frames;
	const uint32_t n_modules = profile->modules.n_modules;

	/* While it is filled, that of a module is where its next one belongs, one further up. */
	by_module->first = calloc(n_modules + 2ul, sizeof(*by_module->first));
	by_module->numbers = calloc(frames->n_frames + 1ul, sizeof(*by_module->numbers));
	if (!by_module->first || !by_module->numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < frames->n_frames; i++) {
		if (frames->frames[i].module < n_modules)
			by_module->first[frames->frames[i].module + 2]++;
	}
	for (uint32_t id = 0; id < n_modules; id++)
		by_module->first[id + 2] += by_module->first[id + 1];
	for (uint32_t i = 0; i < frames->n_frames; i++) {
		if (frames->frames[i].module < n_modules)
			by_module->numbers[by_module->first[frames->frames[i].module + 1]++] = i;
	}
	return 0;
}

/* A module at a time, so that no more than one of them has its files open. */
static int store_all(const struct profile *profile, struct symbolizer *symbolizer,
		     const struct frames_by_module *by_module, struct stored_names *names)
{
	int err = 0;

	for (uint32_t id = 1; !err && id < profile->modules.n_modules; id++) {
		for (uint32_t i = by_module->first[id]; !err && i < by_module->first[id + 1]; i++)
			err = store_frame(profile, symbolizer,
					  &profile->cct->frames.frames[by_module->numbers[i]],
					  names);
		if (!err)
			err = store_lacks(symbolizer, id, names);
		symbolizer_close(symbolizer, id);
	}
	return err;
}

int names_store(const struct profile *profile, struct symbolizer *symbolizer,
		struct stored_names **names_ret)
{
	struct frames_by_module by_module = { NULL, NULL };
	struct stored_names *names = stored_names_create();
	int err = names ? frames_by_module_init(&by_module, profile) : -ENOMEM;

	if (!err)
		err = store_all(profile, symbolizer, &by_module, names);
	frames_by_module_deinit(&by_module);
	if (err) {
		stored_names_destroy(names);
		return err;
	}
	*names_ret = names;
	return 0;
}
