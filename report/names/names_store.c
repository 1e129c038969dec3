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

/* What names are put into. */
struct naming {
	const struct profile *profile;
	struct symbolizer *symbolizer;
	struct known_names *known; /* NULL: nothing is */
	struct stored_names *names;
};

/* @number: of its module in ->known; 0: it is not there. Returns 1 if the name had to be looked
 * for, 0 if it was known, or -ENOMEM. */
static int store_frame(const struct naming *naming, const struct frame *frame, uint32_t number)
{
	struct active_functions active;

	if (!module_table_get(&naming->profile->modules, frame->module) ||
	    stored_names_find(naming->names, frame->module, frame->offset))
		return 0;
	int got = number ? known_names_take(naming->known, number, frame->offset, frame->module,
					    naming->names)
			 : 0;
	if (got)
		return got < 0 ? got : 0;
	int err = symbolizer_find_functions(naming->symbolizer, frame, &active);
	if (!err)
		err = store_code(naming->names, frame, &active);
	return err ? err : 1;
}

int names_store_more(const struct profile *profile, struct symbolizer *symbolizer,
		     struct stored_names *names)
{
	const struct naming naming = { profile, symbolizer, NULL, names };
	const struct frame_ids *frames = &profile->cct->frames;
	int got = 0;

	for (uint32_t i = 0; got >= 0 && i < frames->n_frames; i++)
		got = store_frame(&naming, &frames->frames[i], 0);
	return got < 0 ? got : 0;
}

static int add_lack(struct stored_names *names, uint32_t module, struct stored_lack lack,
		    const char *text)
{
	int err = stored_names_add_text(names, text, &lack.text);

	lack.module = module;
	return err ? err : stored_names_add_lack(names, &lack);
}

static struct stored_lack lack_of(const struct symbol_problem *problem)
{
	return (struct stored_lack){
		.lack = (uint8_t)problem->lack,
		.build_id = problem->build_id,
		.found = problem->found,
		.is_changed = problem->is_changed,
		.error = problem->error,
	};
}

static int store_lacks(const struct naming *naming, uint32_t module)
{
	struct symbol_problem problems[NAME_PROBLEMS_MAX];
	size_t n = symbolizer_problems_of(naming->symbolizer, module, problems);
	int err = 0;

	for (size_t i = 0; !err && i < n; i++)
		err = add_lack(naming->names, module, lack_of(&problems[i]), problems[i].text);
	return err;
}

/* @names has the codes of one known module from @first on. Whether one lacks a name. */
static bool has_unnamed(const struct stored_names *names, uint32_t first)
{
	for (uint32_t i = first; i < names->n_codes; i++) {
		if (names->codes[i].symbol == STORED_NO_TEXT)
			return true;
	}
	return false;
}

/* Likewise. That names are missing is only said where one is. */
static int store_known_lacks(const struct naming *naming, uint32_t module, uint32_t number,
			     uint32_t first)
{
	const bool lacks_names = has_unnamed(naming->names, first);
	int err = 0;

	for (uint8_t lack = 0; !err && lack < NAME_PROBLEMS_MAX; lack++) {
		const char *text;
		const struct stored_lack *known =
			lack != LACKS_NAMES || lacks_names
				? known_names_lack(naming->known, number, lack, &text)
				: NULL;

		if (known)
			err = add_lack(naming->names, module, *known, text);
	}
	return err;
}

/* Remembers the codes from @first on, and what is missing, also for code that has no name. */
static int keep_names(const struct naming *naming, uint32_t module, uint32_t number, uint32_t first)
{
	int err = 0;

	for (uint32_t i = first; !err && i < naming->names->n_codes; i++)
		err = known_names_keep(naming->known, number, naming->names,
				       &naming->names->codes[i]);
	for (int lack = 0; !err && lack < NAME_PROBLEMS_MAX; lack++) {
		struct symbol_problem problem;
		const bool has_lack = symbolizer_problem(naming->symbolizer, module,
							 (enum symbol_lack)lack, &problem);
		const struct stored_lack kept = lack_of(&problem);

		if (has_lack || lack == LACKS_NAMES)
			err = known_names_keep_lack(naming->known, number, &kept, problem.text);
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

/* The frames @numbers of one module. */
static int store_module(const struct naming *naming, uint32_t module, const uint32_t *numbers,
			uint32_t n)
{
	const struct profile *profile = naming->profile;
	const uint32_t first = naming->names->n_codes;
	const uint32_t number =
		naming->known && n
			? known_names_number(naming->known, profile->modules.modules[module])
			: 0;
	bool is_asked = false;
	int got = 0;

	for (uint32_t i = 0; got >= 0 && i < n; i++) {
		got = store_frame(naming, &profile->cct->frames.frames[numbers[i]], number);
		is_asked |= got > 0;
	}
	if (got < 0)
		return got;
	if (!number || (is_asked && !symbolizer_has_file(naming->symbolizer, module)))
		return store_lacks(naming, module);
	int err = is_asked ? keep_names(naming, module, number, first) : 0;
	return err ? err : store_known_lacks(naming, module, number, first);
}

/* A module at a time, so that no more than one of them has its files open. */
static int store_all(const struct naming *naming, const struct frames_by_module *by_module)
{
	int err = 0;

	for (uint32_t id = 1; !err && id < naming->profile->modules.n_modules; id++) {
		const uint32_t first = by_module->first[id];

		err = store_module(naming, id, &by_module->numbers[first],
				   by_module->first[id + 1] - first);
		symbolizer_close(naming->symbolizer, id);
	}
	return err;
}

int names_store(const struct profile *profile, struct symbolizer *symbolizer,
		struct known_names *known, struct stored_names **names_ret)
{
	struct frames_by_module by_module = { NULL, NULL };
	struct stored_names *names = stored_names_create();
	const struct naming naming = { profile, symbolizer, known, names };
	int err = names ? frames_by_module_init(&by_module, profile) : -ENOMEM;

	if (!err)
		err = store_all(&naming, &by_module);
	frames_by_module_deinit(&by_module);
	if (err) {
		stored_names_destroy(names);
		return err;
	}
	*names_ret = names;
	return 0;
}
