/*
 * Each frame (module, offset) is resolved once to the functions active there, each with its source
 * position. There are few functions, so each name is demangled once.
 */
#include "report/names/symbolize.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"
#include "cct/base/pair_map.h"
#include "cct/object/elf_image.h"
#include "report/names/active_functions.h"
#include "report/names/kernel_debug.h"
#include "report/names/module_code.h"
#include "report/names/names_ahead.h"

/* Part of a function's key, beside enum start_kind: an inlined function has no start, but a hash of
 * name and declaration. */
#define START_INLINED (START_VADDR + 1)

/* A function active at a frame. */
struct place {
	uint64_t symbol_offset;
	uint32_t function;
	uint32_t line;
	const char *file, *directory;
	bool is_inlined;
};

/* The compiled function and those inlined at the frame, as a range of the places. */
struct resolved_frame {
	uint32_t first_place, n_places;
	bool has_line; /* its last place has one, if the sources know it */
};

struct symbolizer {
	const struct profile *profile;
	struct symbolizer_options options;
	struct work_done *work; /* NULL: nobody wants to know */
	uint32_t n_code;        /* frames of code that are resolved */
	struct kernel_debug_places kernel_places;
	struct module_names *modules; /* by id; grows, because the profile may still get modules */
	uint32_t n_modules;

	struct pair_map frames; /* frame -> index */
	struct resolved_frame *resolved;
	uint32_t n_resolved, n_resolved_allocated;
	struct place *places;
	uint32_t n_places, n_places_allocated;
	struct frame_name
		names[1 + DEBUG_INFO_MAX_INLINED]; /* of the last frame that was expanded */

	struct function_table functions;
};

struct symbolizer *symbolizer_create(const struct profile *profile,
				     const struct symbolizer_options *options)
{
	struct symbolizer *symbolizer = calloc(1, sizeof(*symbolizer));

	if (!symbolizer)
		return NULL;
	symbolizer->profile = profile;
	symbolizer->options = *options;
	symbolizer->kernel_places = (struct kernel_debug_places){
		.no_names = profile->info.no_kernel_names,
		.os_release = profile->info.os_release,
		.vmlinux = options->vmlinux,
	};
	return symbolizer;
}

void symbolizer_destroy(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	for (uint32_t i = 0; i < symbolizer->n_modules; i++)
		module_names_close(&symbolizer->modules[i]);
	free(symbolizer->modules);
	free(symbolizer->resolved);
	free(symbolizer->places);
	pair_map_deinit(&symbolizer->frames);
	function_table_deinit(&symbolizer->functions);
	free(symbolizer);
}

static bool is_code(const struct frame *frame)
{
	return frame->kind == FRAME_USER || frame->kind == FRAME_KERNEL;
}

void symbolizer_count(struct symbolizer *symbolizer, struct work_done *work)
{
	const struct frame_ids *frames = &symbolizer->profile->cct->frames;
	uint32_t n = 0;

	symbolizer->work = work;
	if (!work)
		return;
	for (uint32_t i = 0; i < frames->n_frames; i++)
		n += is_code(&frames->frames[i]);
	work_done_set(work, symbolizer->n_code);
	work_done_expect(work, n);
}

static struct module_names *find_module(struct symbolizer *symbolizer, uint32_t id)
{
	uint32_t n_modules = symbolizer->profile->modules.n_modules;
	struct module_names *larger;

	if (id < symbolizer->n_modules)
		return &symbolizer->modules[id];
	larger = reallocarray(symbolizer->modules, n_modules, sizeof(*larger));
	if (!larger)
		return NULL;
	memset(larger + symbolizer->n_modules, 0,
	       (n_modules - symbolizer->n_modules) * sizeof(*larger));
	symbolizer->modules = larger;
	symbolizer->n_modules = n_modules;
	return &symbolizer->modules[id];
}

/* The sources of a module's names. NULL: out of memory. */
static struct module_names *open_names(struct symbolizer *symbolizer, const struct module *module)
{
	struct module_names *names = find_module(symbolizer, module->id);

	if (!names)
		return NULL;
	names->kernel_places = &symbolizer->kernel_places;
	names->memory_code = &symbolizer->profile->memory_code;
	names->stored = symbolizer->profile->names;
	return names;
}

static struct active_wanted wanted_by(const struct symbolizer *symbolizer)
{
	return (struct active_wanted){
		.inlines = !symbolizer->options.no_inlines,
		.lines = symbolizer->options.lines,
	};
}

void symbolizer_open_ahead(struct symbolizer *symbolizer)
{
	const struct profile *profile = symbolizer->profile;
	const struct active_wanted wanted = wanted_by(symbolizer);

	for (uint32_t id = 1; id < profile->modules.n_modules; id++) {
		if (!open_names(symbolizer, profile->modules.modules[id]))
			return;
	}
	if (!profile->names && symbolizer->modules)
		names_ahead_open(profile, symbolizer->modules, &wanted);
}

int symbolizer_find_functions(struct symbolizer *symbolizer, const struct frame *frame,
			      struct active_functions *active_ret)
{
	const struct module *module =
		module_table_get(&symbolizer->profile->modules, frame->module);
	struct module_names *names = open_names(symbolizer, module);
	const struct active_wanted wanted = wanted_by(symbolizer);

	return names ? active_functions_find(names, module, frame->offset, &wanted, active_ret)
		     : -ENOMEM;
}

static uint64_t frame_key(const struct frame *frame, unsigned flags)
{
	return (uint64_t)frame->module << 32 | (uint64_t)frame->kind << 16 | flags;
}

static int add_place(struct symbolizer *symbolizer, const struct place *place)
{
	if (array_reserve(symbolizer->places, symbolizer->n_places, symbolizer->n_places_allocated,
			  1))
		return -ENOMEM;
	symbolizer->places[symbolizer->n_places++] = *place;
	return 0;
}

/*
 * Includes the zero at the end, so that two strings in a row have another hash than the same bytes
 * divided elsewhere. NULL counts as "": the tables of Go do not name the file of a declaration.
 */
static uint64_t hash_string(uint64_t hash, const char *text)
{
	return text ? hash_bytes(hash, text, strlen(text) + 1) : hash_bytes(hash, "", 1);
}

/*
 * Many units may describe the same inlined function. Functions with equal names and declarations
 * are one.
 */
static int inlined_function(struct symbolizer *symbolizer, const struct frame *frame,
			    const struct debug_function *inlined, uint32_t *function_ret)
{
	const struct module *module =
		module_table_get(&symbolizer->profile->modules, frame->module);
	const char *name = inlined->name ? inlined->name : "[unknown]";
	uint64_t key = frame_key(frame, START_INLINED);
	uint64_t hash = hash_string(hash_string(HASH_START, name), inlined->decl_file);

	hash += inlined->decl_line;
	*function_ret = function_table_find(&symbolizer->functions, hash, key);
	if (*function_ret != PAIR_MAP_NONE)
		return 0;
	int err = function_table_add(
		&symbolizer->functions, hash, key, module,
		function_table_symbol_name(symbolizer->options.names, name, false), function_ret);
	if (err)
		return err;
	symbolizer->functions.functions[*function_ret].symbol = inlined->name;
	return 0;
}

/* @functions: innermost first, the last is the compiled one. */
static int add_inlined(struct symbolizer *symbolizer, const struct frame *frame,
		       const struct debug_function *functions, size_t n_functions)
{
	for (size_t i = n_functions; i-- > 0;) {
		struct place place = {
			.symbol_offset = UINT64_MAX,
			.file = functions[i].file,
			.directory = functions[i].directory,
			.line = functions[i].line,
			.is_inlined = true,
		};

		int err = inlined_function(symbolizer, frame, &functions[i], &place.function);
		if (err)
			return err;
		err = add_place(symbolizer, &place);
		if (err)
			return err;
	}
	return 0;
}

/* Adds the compiled function @place and the functions that are inlined into it. */
static int add_places(struct symbolizer *symbolizer, const struct frame *frame,
		      const struct active_functions *active, struct place *place)
{
	const struct debug_function *functions = active->functions;
	const size_t n = active->n_functions;

	if (n) {
		place->file = functions[n - 1].file;
		place->directory = functions[n - 1].directory;
		place->line = functions[n - 1].line;
	}
	int err = add_place(symbolizer, place);
	if (err || n < 2 || symbolizer->options.no_inlines)
		return err;
	return add_inlined(symbolizer, frame, functions, n - 1);
}

/*
 * The identity of a function within its module: its start. JIT code that was compiled again is
 * elsewhere in the jitdump, but the same function, so its name is its identity.
 */
static uint64_t identity_of(const struct module *module, const struct code_location *location)
{
	return module && module->key.kind == MODULE_JIT && location->symbol
		       ? hash_string(HASH_START, location->symbol)
		       : location->start;
}

static int resolve_code(struct symbolizer *symbolizer, const struct frame *frame)
{
	const struct module *module =
		module_table_get(&symbolizer->profile->modules, frame->module);
	struct active_functions active;
	const struct code_location *location = &active.location;
	struct place place = { 0 };

	active.location = (struct code_location){ .start = frame->offset, .addr = frame->offset };
	active.n_functions = 0;
	int err = module ? symbolizer_find_functions(symbolizer, frame, &active) : 0;
	if (err)
		return err;
	place.symbol_offset = location->symbol ? location->addr - location->start : UINT64_MAX;
	uint64_t key = frame_key(frame, location->start_kind);
	uint64_t identity = identity_of(module, location);
	place.function = function_table_find(&symbolizer->functions, identity, key);
	if (place.function == PAIR_MAP_NONE) {
		char *name = location->symbol
				     ? function_table_symbol_name(symbolizer->options.names,
								  location->symbol, location->plt)
				     : function_table_address_name(module, location->start);
		err = function_table_add(&symbolizer->functions, identity, key, module, name,
					 &place.function);
		if (!err)
			symbolizer->functions.functions[place.function].symbol = location->symbol;
	}
	return err ? err : add_places(symbolizer, frame, &active, &place);
}

static char *lock_name(uint64_t addr)
{
	char text[LOCK_TEXT_MAX];

	return strdup(lock_text(addr, text));
}

/* The name of a frame that is not code: a process, a thread, a marker, a lock, a waker or a value.
 */
static char *other_name(const struct profile *profile, const struct frame *frame)
{
	const char *name = NULL;

	switch ((enum frame_kind)frame->kind) {
	case FRAME_MARKER:
		return strdup(marker_text((enum marker)frame->offset));
	case FRAME_LOCK:
		return lock_name(frame->offset);
	case FRAME_WAKER:
		if (frame->offset < profile->wakers.n_strings)
			name = profile->wakers.strings[frame->offset];
		break;
	case FRAME_VALUE:
		if (frame->offset < profile->values.n_strings)
			name = profile->values.strings[frame->offset];
		break;
	case FRAME_PROCESS:
		if (frame->offset < profile->n_processes)
			name = profile->processes[frame->offset].name;
		break;
	case FRAME_THREAD:
		if (frame->offset < profile->n_threads)
			name = profile->threads[frame->offset].name;
		break;
	default:
		return strdup("all");
	}
	return strdup(name && *name ? name : "[unknown]");
}

static int resolve(struct symbolizer *symbolizer, const struct frame *frame)
{
	struct place place = { .symbol_offset = UINT64_MAX };

	if (is_code(frame))
		return resolve_code(symbolizer, frame);
	/* Here each frame has a separate name, so no two keys lead to one function. */
	int err = function_table_add(&symbolizer->functions, frame->offset, frame_key(frame, 0),
				     NULL, other_name(symbolizer->profile, frame), &place.function);
	return err ? err : add_place(symbolizer, &place);
}

static struct resolved_frame *add_resolved(struct symbolizer *symbolizer)
{
	if (array_reserve(symbolizer->resolved, symbolizer->n_resolved,
			  symbolizer->n_resolved_allocated, 1))
		return NULL;
	return &symbolizer->resolved[symbolizer->n_resolved];
}

/* Adds the line of the instruction to a frame that was named before lines were wanted. */
static int find_line(struct symbolizer *symbolizer, const struct frame *frame,
		     struct resolved_frame *resolved)
{
	struct active_functions active = { .n_functions = 0 };
	struct place *last = &symbolizer->places[resolved->first_place + resolved->n_places - 1];
	const bool has_module =
		is_code(frame) && module_table_get(&symbolizer->profile->modules, frame->module);
	int err = has_module ? symbolizer_find_functions(symbolizer, frame, &active) : 0;

	if (err)
		return err;
	resolved->has_line = true;
	if (active.n_functions != resolved->n_places)
		return 0;
	last->file = active.functions[0].file;
	last->directory = active.functions[0].directory;
	last->line = active.functions[0].line;
	return 0;
}

static int find_or_resolve(struct symbolizer *symbolizer, const struct frame *frame,
			   const struct resolved_frame **resolved_ret)
{
	uint64_t key = frame_key(frame, 0);
	uint32_t index = pair_map_find(&symbolizer->frames, frame->offset, key);
	struct resolved_frame *resolved;
	int err;

	if (index != PAIR_MAP_NONE) {
		resolved = &symbolizer->resolved[index];
		*resolved_ret = resolved;
		return symbolizer->options.lines && !resolved->has_line
			       ? find_line(symbolizer, frame, resolved)
			       : 0;
	}
	resolved = add_resolved(symbolizer);
	if (!resolved)
		return -ENOMEM;
	resolved->first_place = symbolizer->n_places;
	resolved->has_line = symbolizer->options.lines;
	err = resolve(symbolizer, frame);
	if (err)
		return err;
	resolved->n_places = symbolizer->n_places - resolved->first_place;
	err = pair_map_add(&symbolizer->frames, frame->offset, key, symbolizer->n_resolved);
	if (err)
		return err;
	symbolizer->n_resolved++;
	symbolizer->n_code += is_code(frame);
	if (symbolizer->work)
		work_done_set(symbolizer->work, symbolizer->n_code);
	*resolved_ret = resolved;
	return 0;
}

static void fill_name(const struct symbolizer *symbolizer, const struct place *place,
		      struct frame_name *ret)
{
	const struct function *function = &symbolizer->functions.functions[place->function];

	*ret = (struct frame_name){
		.name = function->name,
		.base_name = function->base_name,
		.symbol = function->symbol,
		.module = function->module,
		.module_path = function->module_path,
		.symbol_offset = place->symbol_offset,
		.function = place->function,
		.file = place->file,
		.directory = place->directory,
		.line = place->line,
		.is_inlined = place->is_inlined,
	};
}

int symbolizer_name(struct symbolizer *symbolizer, const struct frame *frame,
		    struct frame_name *ret)
{
	const struct resolved_frame *resolved;
	int err = find_or_resolve(symbolizer, frame, &resolved);

	if (err)
		return err;
	fill_name(symbolizer, &symbolizer->places[resolved->first_place], ret);
	return 0;
}

int symbolizer_expand(struct symbolizer *symbolizer, const struct frame *frame,
		      const struct frame_name **names_ret, size_t *n_names_ret)
{
	const struct resolved_frame *resolved;
	int err = find_or_resolve(symbolizer, frame, &resolved);

	if (err)
		return err;
	uint32_t first, end;
	*n_names_ret = 0;
	frame_part_range(frame, resolved->n_places, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		const struct place *place = &symbolizer->places[resolved->first_place + i];

		if (!symbolizer->functions.functions[place->function].is_hidden)
			fill_name(symbolizer, place, &symbolizer->names[(*n_names_ret)++]);
	}
	*names_ret = symbolizer->names;
	return 0;
}

void symbolizer_want_lines(struct symbolizer *symbolizer)
{
	assert(!symbolizer->options.no_inlines || symbolizer->options.lines);
	symbolizer->options.lines = true;
}

void symbolizer_hide(struct symbolizer *symbolizer, uint32_t function)
{
	symbolizer->functions.functions[function].is_hidden = true;
}

static uint64_t address_of(const struct module *module, uint64_t offset)
{
	return module && module->key.kind == MODULE_KERNEL ? module->key.base + offset : offset;
}

int symbolizer_code(struct symbolizer *symbolizer, const struct frame *frame,
		    struct frame_code *code_ret)
{
	const struct module *module =
		module_table_get(&symbolizer->profile->modules, frame->module);
	struct code_location location = { 0 };
	struct module_code code = { 0 };
	struct module_names *names = module ? open_names(symbolizer, module) : NULL;
	int err = 0;

	if (module)
		err = names ? module_names_locate(names, module, frame->offset,
						  !symbolizer->options.no_inlines ||
							  symbolizer->options.lines,
						  &location)
			    : -ENOMEM;
	if (err)
		return err;
	if (module)
		module_code_find(&symbolizer->modules[module->id], module, frame->offset, &code);
	*code_ret = (struct frame_code){ code.bytes, code.n_bytes, code.machine, NULL,
					 code.vaddr, code.start,   code.end };
	if (!code.bytes)
		code_ret->problem = name_problems_of_code(
			module ? &symbolizer->modules[module->id] : NULL, module, location.symbol);
	if (code.is_known)
		return 0;
	code_ret->vaddr = address_of(module, frame->offset);
	code_ret->start = module ? address_of(module, location.start) : code_ret->vaddr;
	return 0;
}

bool symbolizer_frame_at(struct symbolizer *symbolizer, const struct frame *frame, uint64_t vaddr,
			 struct frame *frame_ret)
{
	const struct module *module =
		module_table_get(&symbolizer->profile->modules, frame->module);

	*frame_ret = *frame;
	return module && frame->module < symbolizer->n_modules &&
	       module_names_offset(&symbolizer->modules[frame->module], module, frame->offset,
				   vaddr, &frame_ret->offset);
}

int symbolizer_expand_all(struct symbolizer *symbolizer)
{
	const struct cct *cct = symbolizer->profile->cct;
	int err = 0;

	for (uint32_t i = 0; !err && i < cct->n_nodes; i++) {
		const struct frame_name *names;
		size_t n_names;

		err = symbolizer_expand(symbolizer, cct_frame(cct, i), &names, &n_names);
	}
	return err;
}

const char *symbolizer_refuses_vmlinux(const struct profile *profile, const char *vmlinux)
{
	for (uint32_t id = 1; id < profile->modules.n_modules; id++) {
		const struct module *module = module_table_get(&profile->modules, id);

		if (kernel_debug_is_kernel(module))
			return kernel_debug_refusal(module, vmlinux);
	}
	return "the recording contains no kernel mapping";
}

bool symbolizer_problem(const struct symbolizer *symbolizer, uint32_t module, enum symbol_lack lack,
			struct symbol_problem *problem_ret)
{
	return module < symbolizer->n_modules &&
	       name_problems_find(&symbolizer->modules[module],
				  symbolizer->profile->modules.modules[module], lack, problem_ret);
}

size_t symbolizer_problems_of(const struct symbolizer *symbolizer, uint32_t module,
			      struct symbol_problem problems[static NAME_PROBLEMS_MAX])
{
	size_t n = 0;

	for (int lack = 0; lack < NAME_PROBLEMS_MAX; lack++)
		n += symbolizer_problem(symbolizer, module, (enum symbol_lack)lack, &problems[n]);
	return n;
}

size_t symbolizer_problems(const struct symbolizer *symbolizer, struct symbol_problem *problems,
			   size_t max_problems)
{
	struct symbol_problem of_module[NAME_PROBLEMS_MAX];
	size_t n = 0;

	for (uint32_t i = 1; i < symbolizer->n_modules; i++) {
		const size_t n_of_module = symbolizer_problems_of(symbolizer, i, of_module);

		for (size_t k = 0; k < n_of_module && n < max_problems; k++)
			problems[n++] = of_module[k];
	}
	return n;
}

bool symbolizer_has_file(const struct symbolizer *symbolizer, uint32_t module)
{
	const struct module_names *names =
		module < symbolizer->n_modules ? &symbolizer->modules[module] : NULL;

	return names && names->is_opened && names->file.state == MODULE_FILE_OK &&
	       !elf_is_cut(names->file.elf);
}

void symbolizer_close(struct symbolizer *symbolizer, uint32_t module)
{
	if (module >= symbolizer->n_modules)
		return;
	module_names_close(&symbolizer->modules[module]);
	symbolizer->modules[module] = (struct module_names){ .is_opened = false };
}
