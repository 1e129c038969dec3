/*
 * Frames are resolved once each: (module, offset) -> the functions active there, each with its
 * place. Functions are few: their names are demangled once.
 */
#include "report/names/symbolize.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/pair_map.h"
#include "cct/object/elf_image.h"
#include "report/demangle/clone_name.h"
#include "report/demangle/demangle.h"
#include "report/dwarf/debug_info.h"
#include "report/names/go_names.h"
#include "report/names/kernel_debug.h"
#include "report/names/module_names.h"

/* Part of a function's key, beside enum start_kind: an inlined function has no start, but a hash of
 * name and declaration. */
#define START_INLINED (START_VADDR + 1)

struct function {
	char *name, *base_name;
	const char *symbol; /* borrowed from the module's file */
	const char *module;
	const char *module_path;
};

/* A function active at a frame. */
struct place {
	uint64_t symbol_offset;
	uint32_t function;
	uint32_t line;
	const char *file, *directory;
	bool is_inlined;
};

/* The compiled function and what is inlined there, one behind the other. */
struct resolved_frame {
	uint32_t first_place, n_places;
};

struct symbolizer {
	const struct profile *profile;
	struct symbolizer_options options;
	struct kernel_debug_places kernel_places;
	struct module_names *modules; /* by id; the profile may still get more */
	uint32_t n_modules;

	struct pair_map frames; /* frame -> index */
	struct resolved_frame *resolved;
	uint32_t n_resolved, n_resolved_allocated;
	struct place *places;
	uint32_t n_places, n_places_allocated;
	struct frame_name names[1 + DEBUG_INFO_MAX_INLINED]; /* of the last frame asked for */

	struct pair_map functions_by_start;
	struct function *functions;
	uint32_t n_functions, n_functions_allocated;
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

static void free_function(const struct function *function)
{
	free(function->name);
	free(function->base_name);
}

void symbolizer_destroy(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	for (uint32_t i = 0; i < symbolizer->n_modules; i++)
		module_names_close(&symbolizer->modules[i]);
	for (uint32_t i = 0; i < symbolizer->n_functions; i++)
		free_function(&symbolizer->functions[i]);
	free(symbolizer->modules);
	free(symbolizer->resolved);
	free(symbolizer->places);
	free(symbolizer->functions);
	pair_map_deinit(&symbolizer->frames);
	pair_map_deinit(&symbolizer->functions_by_start);
	free(symbolizer);
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

static int locate(struct symbolizer *symbolizer, const struct module *module, uint64_t offset,
		  struct code_location *location)
{
	struct module_names *names = find_module(symbolizer, module->id);

	const struct symbolizer_options *options = &symbolizer->options;

	if (names)
		names->kernel_places = &symbolizer->kernel_places;
	return names ? module_names_locate(names, module, offset,
					   !options->no_inlines || options->lines, location)
		     : -ENOMEM;
}

__attribute__((format(printf, 1, 2))) static char *format_name(const char *format, ...)
{
	va_list arguments;
	char *name;
	int size;

	va_start(arguments, format);
	size = vasprintf(&name, format, arguments);
	va_end(arguments);
	return size < 0 ? NULL : name;
}

static char *demangle(const struct symbolizer *symbolizer, const char *symbol)
{
	switch (symbolizer->options.names) {
	case NAMES_WHOLE:
		return demangle_symbol(symbol);
	case NAMES_WITHOUT_PARAMETERS:
		return demangle_without_parameters(symbol);
	default:
		return NULL;
	}
}

static char *symbol_name(const struct symbolizer *symbolizer, const char *symbol, bool plt)
{
	char *demangled = demangle(symbolizer, symbol);
	char *name;

	if (!plt)
		return demangled ? demangled : strdup(symbol);
	name = format_name("%s@plt", demangled ? demangled : symbol);
	free(demangled);
	return name;
}

static char *address_name(const struct module *module, uint64_t addr)
{
	if (!module || module->key.kind == MODULE_ANON)
		return format_name("0x%" PRIx64, addr);
	if (module->key.kind == MODULE_KERNEL)
		return format_name("0x%" PRIx64, module->key.base + addr);
	return format_name("%s+0x%" PRIx64, module_name(module), addr);
}

static uint32_t add_function(struct symbolizer *symbolizer, const struct function *function)
{
	if (symbolizer->n_functions == symbolizer->n_functions_allocated) {
		uint32_t n = symbolizer->n_functions ? symbolizer->n_functions * 2 : 256;
		struct function *larger = reallocarray(symbolizer->functions, n, sizeof(*larger));

		if (!larger)
			return PAIR_MAP_NONE;
		symbolizer->functions = larger;
		symbolizer->n_functions_allocated = n;
	}
	symbolizer->functions[symbolizer->n_functions] = *function;
	return symbolizer->n_functions++;
}

static uint64_t frame_key(const struct frame *frame, unsigned flags)
{
	return (uint64_t)frame->module << 32 | (uint64_t)frame->kind << 16 | flags;
}

/* "[kernel.kallsyms]_stext" and its like are one thing to people: the kernel. */
static const char *module_title(const struct module *module)
{
	if (module->key.kind == MODULE_KERNEL &&
	    strncmp(module->key.path, "[kernel.", strlen("[kernel.")) == 0)
		return "[kernel]";
	return module_name(module);
}

/* The function with this key. A new one takes @name, which may be NULL: out of memory. */
static int intern_function(struct symbolizer *symbolizer, uint64_t start, uint64_t key,
			   const struct module *module, char *name, uint32_t *function_ret)
{
	struct function function = {
		.name = name,
		.module = module ? module_title(module) : "",
		.module_path = module ? module->key.path : "",
	};
	uint32_t index;

	if (!name)
		return -ENOMEM;
	function.base_name = module ? clone_base_name(name) : NULL;
	index = add_function(symbolizer, &function);
	if (index == PAIR_MAP_NONE) {
		free_function(&function);
		return -ENOMEM;
	}
	*function_ret = index;
	return pair_map_add(&symbolizer->functions_by_start, start, key, index);
}

static int add_place(struct symbolizer *symbolizer, const struct place *place)
{
	if (symbolizer->n_places == symbolizer->n_places_allocated) {
		uint32_t n = symbolizer->n_places ? symbolizer->n_places * 2 : 1024;
		struct place *larger = reallocarray(symbolizer->places, n, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		symbolizer->places = larger;
		symbolizer->n_places_allocated = n;
	}
	symbolizer->places[symbolizer->n_places++] = *place;
	return 0;
}

/* FNV-1a, 64 bits. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash * 0x100000001b3ull;
}

/* The same function may be described in many units: name and declaration tell that it is one. */
static int inlined_function(struct symbolizer *symbolizer, const struct frame *frame,
			    const struct debug_function *inlined, uint32_t *function_ret)
{
	const struct module *module =
		module_table_get(&symbolizer->profile->modules, frame->module);
	const char *name = inlined->name ? inlined->name : "[unknown]";
	uint64_t key = frame_key(frame, START_INLINED);
	uint64_t hash = hash_text(hash_text(0xcbf29ce484222325ull, name), inlined->decl_file);

	hash += inlined->decl_line;
	*function_ret = pair_map_find(&symbolizer->functions_by_start, hash, key);
	if (*function_ret != PAIR_MAP_NONE)
		return 0;
	int err = intern_function(symbolizer, hash, key, module,
				  symbol_name(symbolizer, name, false), function_ret);
	if (!err)
		symbolizer->functions[*function_ret].symbol = inlined->name;
	return err;
}

/* @functions: innermost first, the last is the compiled one. */
static int add_inlined(struct symbolizer *symbolizer, const struct frame *frame,
		       const struct debug_function *functions, size_t n_functions)
{
	int err = 0;

	for (size_t i = n_functions; i-- > 0 && !err;) {
		struct place place = {
			.symbol_offset = UINT64_MAX,
			.file = functions[i].file,
			.directory = functions[i].directory,
			.line = functions[i].line,
			.is_inlined = true,
		};

		err = inlined_function(symbolizer, frame, &functions[i], &place.function);
		if (!err)
			err = add_place(symbolizer, &place);
	}
	return err;
}

/* The line, where the recording says it. */
static void add_captured_line(const struct symbolizer *symbolizer, const struct frame *frame,
			      struct place *place)
{
	const struct module *module =
		module_table_get(&symbolizer->profile->modules, frame->module);
	const struct code_line *line =
		module && module->lines ? line_table_find(module->lines, frame->offset) : NULL;

	if (!line)
		return;
	place->file = line->file;
	place->line = line->line;
}

/* The compiled function is @place; where there is debug information, what is inlined into it. */
static int add_places(struct symbolizer *symbolizer, const struct frame *frame,
		      const struct code_location *location, struct place *place)
{
	struct debug_function functions[DEBUG_INFO_MAX_INLINED];
	size_t n = 0;

	if (location->debug)
		n = debug_info_find_calls(location->debug, location->debug_vaddr,
					  symbolizer->options.lines, functions,
					  DEBUG_INFO_MAX_INLINED);
	if (!n && location->go)
		n = go_names_find(location->go, location->debug_vaddr, functions,
				  DEBUG_INFO_MAX_INLINED);
	if (n) {
		place->file = functions[n - 1].file;
		place->directory = functions[n - 1].directory;
		place->line = functions[n - 1].line;
	}
	add_captured_line(symbolizer, frame, place);
	int err = add_place(symbolizer, place);
	if (err || n < 2 || symbolizer->options.no_inlines)
		return err;
	return add_inlined(symbolizer, frame, functions, n - 1);
}

/* What tells functions of a module apart: where they start. Code that is made anew, at another
 * place in the jitdump, is the same function by its name. */
static uint64_t identity_of(const struct module *module, const struct code_location *location)
{
	return module && module->key.kind == MODULE_JIT && location->symbol
		       ? hash_text(0xcbf29ce484222325ull, location->symbol)
		       : location->start;
}

static int resolve_code(struct symbolizer *symbolizer, const struct frame *frame)
{
	const struct module *module =
		module_table_get(&symbolizer->profile->modules, frame->module);
	struct code_location location = { .start = frame->offset, .addr = frame->offset };
	struct place place = { 0 };
	int err = module ? locate(symbolizer, module, frame->offset, &location) : 0;

	if (err)
		return err;
	place.symbol_offset = location.symbol ? location.addr - location.start : UINT64_MAX;
	uint64_t key = frame_key(frame, location.start_kind);
	uint64_t identity = identity_of(module, &location);
	place.function = pair_map_find(&symbolizer->functions_by_start, identity, key);
	if (place.function == PAIR_MAP_NONE) {
		char *name = location.symbol
				     ? symbol_name(symbolizer, location.symbol, location.plt)
				     : address_name(module, location.start);
		err = intern_function(symbolizer, identity, key, module, name, &place.function);
		if (!err)
			symbolizer->functions[place.function].symbol = location.symbol;
	}
	return err ? err : add_places(symbolizer, frame, &location, &place);
}

/* Names of what is not code: processes, threads, markers. */
static char *other_name(const struct profile *profile, const struct frame *frame)
{
	const char *name = NULL;

	switch ((enum frame_kind)frame->kind) {
	case FRAME_MARKER:
		return strdup(marker_text((enum marker)frame->offset));
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

	if (frame->kind == FRAME_USER || frame->kind == FRAME_KERNEL)
		return resolve_code(symbolizer, frame);
	/* One frame is one name here, so no other key leads to the same function. */
	int err = intern_function(symbolizer, frame->offset, frame_key(frame, 0), NULL,
				  other_name(symbolizer->profile, frame), &place.function);
	return err ? err : add_place(symbolizer, &place);
}

static struct resolved_frame *add_resolved(struct symbolizer *symbolizer)
{
	if (symbolizer->n_resolved == symbolizer->n_resolved_allocated) {
		uint32_t n = symbolizer->n_resolved ? symbolizer->n_resolved * 2 : 1024;
		struct resolved_frame *larger =
			reallocarray(symbolizer->resolved, n, sizeof(*larger));

		if (!larger)
			return NULL;
		symbolizer->resolved = larger;
		symbolizer->n_resolved_allocated = n;
	}
	return &symbolizer->resolved[symbolizer->n_resolved];
}

static int find_or_resolve(struct symbolizer *symbolizer, const struct frame *frame,
			   const struct resolved_frame **resolved_ret)
{
	uint64_t key = frame_key(frame, 0);
	uint32_t index = pair_map_find(&symbolizer->frames, frame->offset, key);
	struct resolved_frame *resolved;
	int err;

	if (index != PAIR_MAP_NONE) {
		*resolved_ret = &symbolizer->resolved[index];
		return 0;
	}
	resolved = add_resolved(symbolizer);
	if (!resolved)
		return -ENOMEM;
	resolved->first_place = symbolizer->n_places;
	err = resolve(symbolizer, frame);
	resolved->n_places = symbolizer->n_places - resolved->first_place;
	if (!err)
		err = pair_map_add(&symbolizer->frames, frame->offset, key, symbolizer->n_resolved);
	if (err)
		return err;
	symbolizer->n_resolved++;
	*resolved_ret = resolved;
	return 0;
}

static void fill_name(const struct symbolizer *symbolizer, const struct place *place,
		      struct frame_name *ret)
{
	const struct function *function = &symbolizer->functions[place->function];

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

	if (!err)
		fill_name(symbolizer, &symbolizer->places[resolved->first_place], ret);
	return err;
}

int symbolizer_expand(struct symbolizer *symbolizer, const struct frame *frame,
		      const struct frame_name **names_ret, size_t *n_names_ret)
{
	const struct resolved_frame *resolved;
	int err = find_or_resolve(symbolizer, frame, &resolved);

	if (err)
		return err;
	for (uint32_t i = 0; i < resolved->n_places; i++)
		fill_name(symbolizer, &symbolizer->places[resolved->first_place + i],
			  &symbolizer->names[i]);
	*names_ret = symbolizer->names;
	*n_names_ret = resolved->n_places;
	return 0;
}

static const char *code_problem(const struct module *module, const struct module_names *names)
{
	if (!module || module->key.kind == MODULE_ANON)
		return "code in memory, of no file; perf-PID.map has names, but no code";
	if (module->key.kind == MODULE_KERNEL)
		return kernel_debug_is_kernel(module)
			       ? "the kernel's code is in no file that is known here (--vmlinux "
				 "FILE)"
			       : "code of kernel modules and BPF programs is not read";
	if (module->key.kind == MODULE_JIT)
		return module->image_fd < 0 ? "the jitdump is not to be had"
					    : "the jitdump does not have the code";
	return names && names->file.state != MODULE_FILE_OK
		       ? module_file_state_text(names->file.state)
		       : "the file does not have the code";
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
	struct code_location location;
	struct module_code code = { 0 };
	int err = module ? locate(symbolizer, module, frame->offset, &location) : 0;

	if (err)
		return err;
	if (module)
		module_names_code(&symbolizer->modules[module->id], module, frame->offset, &code);
	*code_ret = (struct frame_code){ code.bytes, code.n_bytes, code.machine, NULL,
					 code.vaddr, code.start,   code.end };
	if (!code.bytes)
		code_ret->problem =
			code_problem(module, module ? &symbolizer->modules[module->id] : NULL);
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
	       module_names_offset(&symbolizer->modules[frame->module], module, vaddr,
				   &frame_ret->offset);
}

int symbolizer_expand_all(struct symbolizer *symbolizer)
{
	const struct cct *cct = symbolizer->profile->cct;
	int err = 0;

	for (uint32_t i = 0; !err && i < cct->n_nodes; i++) {
		const struct frame_name *names;
		size_t n_names;

		err = symbolizer_expand(symbolizer, &cct->nodes[i].frame, &names, &n_names);
	}
	return err;
}

/* Why some code has no name. */
static void explain_names(const struct module_names *names, const struct module *module,
			  struct symbol_problem *problem)
{
	bool is_file = module->key.kind == MODULE_ELF || module->key.kind == MODULE_VDSO;

	if (!is_file || names->file.state == MODULE_FILE_OK) {
		problem->text = module_names_problem(names, module);
		return;
	}
	problem->text = module_file_problem(&names->file);
	problem->error = names->file.error;
	problem->is_changed = names->file.state == MODULE_FILE_CHANGED;
	problem->found = names->file.found;
}

#define CUT_SHORT "the file is cut short"

static bool explain(const struct module_names *names, const struct module *module,
		    enum symbol_lack lack, struct symbol_problem *problem)
{
	*problem = (struct symbol_problem){ .module = module->id,
					    .lack = lack,
					    .build_id = module->key.build_id };
	if (!problem->build_id.size && names->file.elf)
		elf_build_id(names->file.elf, &problem->build_id);
	bool is_cut = names->file.elf && elf_is_cut(names->file.elf);
	switch (lack) {
	case LACKS_NAMES:
		explain_names(names, module, problem);
		if (is_cut)
			problem->text = CUT_SHORT;
		return names->has_unnamed;
	case LACKS_DEBUG_INFO:
		problem->text = is_cut               ? CUT_SHORT
				: names->lacks_debug ? "no debug information"
						     : "Go's own tables are too long to be read";
		return names->lacks_debug || (names->go && go_names_gave_up(names->go));
	case LACKS_CERTAINTY:
		problem->text = "may have changed: written after it was mapped, without a build ID";
		return names->file.is_newer;
	}
	return false;
}

const char *symbolizer_refuses_vmlinux(const struct profile *profile, const char *vmlinux)
{
	for (uint32_t id = 1; id < profile->modules.n_modules; id++) {
		const struct module *module = module_table_get(&profile->modules, id);

		if (kernel_debug_is_kernel(module))
			return kernel_debug_refusal(module, vmlinux);
	}
	return "the recording does not tell of a kernel";
}

size_t symbolizer_problems(const struct symbolizer *symbolizer, struct symbol_problem *problems,
			   size_t max_problems)
{
	size_t n = 0;

	for (uint32_t i = 1; i < symbolizer->n_modules; i++) {
		for (int lack = 0; lack < SYMBOL_MAX_PROBLEMS && n < max_problems; lack++)
			n += explain(&symbolizer->modules[i],
				     symbolizer->profile->modules.modules[i],
				     (enum symbol_lack)lack, &problems[n]);
	}
	return n;
}
