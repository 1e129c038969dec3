/*
 * Frames are resolved once each: (module, offset) -> (function, offset in it). Functions are few:
 * their names are demangled once.
 */
#include "report/symbolize.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/module_file.h"
#include "report/demangle.h"
#include "report/elf_symbols.h"
#include "report/pair_map.h"

/* What a function's start is, part of its key: the same number may mean different things. */
enum start_kind {
	START_OFFSET,   /* as in the frame: a file offset, or an address */
	START_CAPTURED, /* an offset in the captured symbol table */
	START_VADDR,    /* the ELF file's */
};

struct function {
	char *name;
	const char *module;
	const char *module_path;
};

struct resolved_frame {
	uint64_t symbol_offset;
	uint32_t function;
};

/* What is known of one module's symbols; made when its first frame is asked for. */
struct module_symbols {
	bool opened;
	bool has_unnamed; /* a frame of it has no symbol */
	enum module_file_state state;
	struct module_file file;
	struct elf_symbols *elf; /* NULL: no file to read */
};

struct symbolizer {
	const struct profile *profile;
	struct module_symbols *modules; /* by id; the profile may still get more */
	uint32_t n_modules;

	struct pair_map frames; /* frame -> index */
	struct resolved_frame *resolved;
	uint32_t n_resolved, n_resolved_allocated;

	struct pair_map functions_by_start;
	struct function *functions;
	uint32_t n_functions, n_functions_allocated;
};

/* Where a frame belongs, before it has a function. */
struct location {
	uint64_t start;     /* of the function; or the address itself */
	uint64_t addr;      /* in the same terms: what is shown where there is no symbol */
	const char *symbol; /* NULL: none */
	bool plt;
	enum start_kind start_kind;
};

struct symbolizer *symbolizer_create(const struct profile *profile)
{
	struct symbolizer *symbolizer = calloc(1, sizeof(*symbolizer));

	if (!symbolizer)
		return NULL;
	symbolizer->profile = profile;
	return symbolizer;
}

void symbolizer_destroy(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	for (uint32_t i = 0; i < symbolizer->n_modules; i++) {
		elf_symbols_destroy(symbolizer->modules[i].elf);
		if (symbolizer->modules[i].opened)
			module_file_close(&symbolizer->modules[i].file);
	}
	for (uint32_t i = 0; i < symbolizer->n_functions; i++)
		free(symbolizer->functions[i].name);
	free(symbolizer->modules);
	free(symbolizer->resolved);
	free(symbolizer->functions);
	pair_map_deinit(&symbolizer->frames);
	pair_map_deinit(&symbolizer->functions_by_start);
	free(symbolizer);
}

static struct module_symbols *find_module(struct symbolizer *symbolizer, uint32_t id)
{
	uint32_t n_modules = symbolizer->profile->modules.n_modules;
	struct module_symbols *larger;

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

static int open_module(const struct module *module, struct module_symbols *symbols)
{
	if (symbols->opened)
		return 0;
	module_file_open(module, &symbols->file);
	symbols->opened = true;
	symbols->state = symbols->file.state;
	if (symbols->state != MODULE_FILE_OK)
		return 0;
	return elf_symbols_create(symbols->file.elf, &symbols->elf);
}

static void locate_in_elf(const struct elf_symbols *elf, uint64_t offset, struct location *location)
{
	struct elf_symbol_match match;
	uint64_t vaddr;

	if (!elf_symbols_vaddr(elf, offset, &vaddr))
		return;
	location->start_kind = START_VADDR;
	location->start = location->addr = vaddr;
	if (elf_symbols_find(elf, vaddr, &match)) {
		location->start = match.start;
		location->symbol = match.name;
		location->plt = match.plt;
		return;
	}
	elf_symbols_function_start(elf, vaddr, &location->start);
}

static int locate(struct symbolizer *symbolizer, const struct module *module, uint64_t offset,
		  struct location *location)
{
	struct module_symbols *symbols = find_module(symbolizer, module->id);
	const struct symbol *symbol = NULL;

	if (!symbols)
		return -ENOMEM;
	if (module->symbols)
		symbol = symbol_table_find(module->symbols, offset);
	if (symbol) {
		location->start_kind = START_CAPTURED;
		location->start = symbol->offset;
		location->symbol = symbol->name;
		return 0;
	}
	if (module->key.kind == MODULE_ELF || module->key.kind == MODULE_VDSO) {
		int err = open_module(module, symbols);

		if (err)
			return err;
		if (symbols->elf)
			locate_in_elf(symbols->elf, offset, location);
	}
	symbols->has_unnamed |= !location->symbol;
	return 0;
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

static char *symbol_name(const char *symbol, bool plt)
{
	char *demangled = demangle_symbol(symbol);
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
	index = add_function(symbolizer, &function);
	if (index == PAIR_MAP_NONE) {
		free(name);
		return -ENOMEM;
	}
	*function_ret = index;
	return pair_map_add(&symbolizer->functions_by_start, start, key, index);
}

static int resolve_code(struct symbolizer *symbolizer, const struct frame *frame,
			struct resolved_frame *resolved)
{
	const struct module *module =
		module_table_get(&symbolizer->profile->modules, frame->module);
	struct location location = { .start = frame->offset, .addr = frame->offset };
	uint64_t key;
	char *name;

	if (module) {
		int err = locate(symbolizer, module, frame->offset, &location);

		if (err)
			return err;
	}
	resolved->symbol_offset = location.symbol ? location.addr - location.start : UINT64_MAX;
	key = frame_key(frame, location.start_kind);
	resolved->function = pair_map_find(&symbolizer->functions_by_start, location.start, key);
	if (resolved->function != PAIR_MAP_NONE)
		return 0;
	name = location.symbol ? symbol_name(location.symbol, location.plt)
			       : address_name(module, location.start);
	return intern_function(symbolizer, location.start, key, module, name, &resolved->function);
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

static int resolve(struct symbolizer *symbolizer, const struct frame *frame,
		   struct resolved_frame *resolved)
{
	if (frame->kind == FRAME_USER || frame->kind == FRAME_KERNEL)
		return resolve_code(symbolizer, frame, resolved);
	/* One frame is one name here, so no other key leads to the same function. */
	resolved->symbol_offset = UINT64_MAX;
	return intern_function(symbolizer, frame->offset, frame_key(frame, 0), NULL,
			       other_name(symbolizer->profile, frame), &resolved->function);
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
	err = resolve(symbolizer, frame, resolved);
	if (!err)
		err = pair_map_add(&symbolizer->frames, frame->offset, key, symbolizer->n_resolved);
	if (err)
		return err;
	symbolizer->n_resolved++;
	*resolved_ret = resolved;
	return 0;
}

int symbolizer_name(struct symbolizer *symbolizer, const struct frame *frame,
		    struct frame_name *ret)
{
	const struct resolved_frame *resolved;
	const struct function *function;
	int err = find_or_resolve(symbolizer, frame, &resolved);

	if (err)
		return err;
	function = &symbolizer->functions[resolved->function];
	*ret = (struct frame_name){
		.name = function->name,
		.module = function->module,
		.module_path = function->module_path,
		.symbol_offset = resolved->symbol_offset,
		.function = resolved->function,
	};
	return 0;
}

static const char *problem_text(const struct module *module, const struct module_symbols *symbols)
{
	if (module->key.kind == MODULE_KERNEL)
		return module->symbols ? "no name for some addresses"
				       : "kernel names were not recorded";
	if (module->key.kind == MODULE_ANON)
		return "code in memory, of no file; no perf-PID.map names it";
	switch (symbols->state) {
	case MODULE_FILE_MISSING:
		return "the file is missing or not readable";
	case MODULE_FILE_CHANGED:
		return "the file is not the one that was recorded";
	case MODULE_FILE_BAD:
		return "not an ELF file";
	case MODULE_FILE_NONE:
		return "no file";
	case MODULE_FILE_OK:
		break;
	}
	if (symbols->elf && elf_symbols_any(symbols->elf))
		return "stripped: only its exported functions have names";
	return "stripped: no symbols";
}

size_t symbolizer_problems(const struct symbolizer *symbolizer, struct symbol_problem *problems,
			   size_t max_problems)
{
	size_t n_problems = 0;

	for (uint32_t i = 1; i < symbolizer->n_modules && n_problems < max_problems; i++) {
		const struct module_symbols *symbols = &symbolizer->modules[i];

		if (!symbols->has_unnamed)
			continue;
		problems[n_problems++] = (struct symbol_problem){
			.module = i,
			.text = problem_text(symbolizer->profile->modules.modules[i], symbols),
		};
	}
	return n_problems;
}
