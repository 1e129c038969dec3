#include "report/formats/firefox_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/text/decimal.h"
#include "cct/text/json_string.h"

#define NONE           UINT32_MAX
#define ADDRESS_MAX    INT32_MAX /* Firefox Profiler has 32 bits for them */
#define BREAKPAD_BYTES 16

struct tables {
	struct firefox_file *file;
	const struct stack_tree *tree;
	uint32_t *libs;    /* by module; NONE: it has none */
	uint32_t *natives; /* by function: its native symbol; NONE: always inlined, or no code */
	uint32_t *sources; /* by function; NONE: its file is not known */
	uint32_t n_libs, n_natives, n_sources;
};

/* -- columns --------------------------------------------------------------------------------- */

static void start_column(const struct tables *tables, const char *name)
{
	fprintf(tables->file->out, "\"%s\":[", name);
}

static void end_column(const struct tables *tables)
{
	fputs("],\n", tables->file->out);
}

static void separate(const struct tables *tables, uint32_t i)
{
	if (i)
		putc(',', tables->file->out);
}

/* A column of equal values. */
static void write_equal(const struct tables *tables, const char *name, const char *value,
			uint32_t n)
{
	start_column(tables, name);
	for (uint32_t i = 0; i < n; i++) {
		separate(tables, i);
		fputs(value, tables->file->out);
	}
	end_column(tables);
}

/* A number, or @none for NONE. */
static void write_index(const struct tables *tables, uint32_t index, const char *none)
{
	if (index == NONE)
		fputs(none, tables->file->out);
	else
		decimal_write(tables->file->out, index);
}

static void write_length(const struct tables *tables, uint32_t n)
{
	fprintf(tables->file->out, "\"length\":%" PRIu32 "}", n);
}

/* -- files and modules ----------------------------------------------------------------------- */

/* A GUID: the first three fields have the other order of bytes; then an age of 0. */
static void write_breakpad_id(const struct tables *tables, const struct build_id *build_id)
{
	static const uint8_t order[BREAKPAD_BYTES] = { 3, 2, 1,  0,  5,  4,  7,  6,
						       8, 9, 10, 11, 12, 13, 14, 15 };

	fputs(",\"breakpadId\":\"", tables->file->out);
	for (int i = 0; i < BREAKPAD_BYTES; i++) {
		const unsigned at = order[i];

		fprintf(tables->file->out, "%02X", at < build_id->size ? build_id->bytes[at] : 0);
	}
	fputs("0\"", tables->file->out);
}

static void write_lib(const struct tables *tables, const struct module *module)
{
	const struct firefox_file *file = tables->file;
	char build_id[BUILD_ID_TEXT_SIZE];

	build_id_format(&module->key.build_id, build_id);
	fputs("{\"name\":", file->out);
	json_write_printable(file->out, module_name(module));
	firefox_write_text(file, "path", module->key.path);
	firefox_write_text(file, "debugName", module_name(module));
	firefox_write_text(file, "debugPath", module->key.path);
	firefox_write_text(file, "arch", file->profile->info.arch);
	firefox_write_text(file, "codeId", module->key.build_id.size ? build_id : NULL);
	write_breakpad_id(tables, &module->key.build_id);
	putc('}', file->out);
}

static void write_libs(struct tables *tables)
{
	const struct module_table *modules = &tables->file->profile->modules;

	for (uint32_t i = 0; i < tables->tree->n_functions; i++)
		tables->libs[tables->tree->functions[i].module] = 0;
	tables->libs[0] = NONE;
	fputs(",\n\"libs\":[", tables->file->out);
	for (uint32_t id = 1; id < modules->n_modules; id++) {
		if (tables->libs[id] == NONE)
			continue;
		fputs(tables->n_libs ? ",\n" : "\n", tables->file->out);
		tables->libs[id] = tables->n_libs++;
		write_lib(tables, module_table_get(modules, id));
	}
	putc(']', tables->file->out);
}

/* A resource for each lib. */
static void write_resources(const struct tables *tables)
{
	const struct module_table *modules = &tables->file->profile->modules;

	fputs(",\n\"resourceTable\":{", tables->file->out);
	start_column(tables, "name");
	for (uint32_t id = 1; id < modules->n_modules; id++) {
		if (tables->libs[id] == NONE)
			continue;
		separate(tables, tables->libs[id]);
		decimal_write(
			tables->file->out,
			firefox_string(tables->file, module_name(module_table_get(modules, id))));
	}
	end_column(tables);
	start_column(tables, "lib");
	for (uint32_t i = 0; i < tables->n_libs; i++) {
		separate(tables, i);
		decimal_write(tables->file->out, i);
	}
	end_column(tables);
	write_equal(tables, "host", "null", tables->n_libs);
	write_equal(tables, "type", "1", tables->n_libs);
	write_length(tables, tables->n_libs);
}

/* -- functions ------------------------------------------------------------------------------- */

static void write_sources(struct tables *tables)
{
	const struct stack_tree *tree = tables->tree;
	struct string_ids ids = { 0 };
	bool is_new;

	for (uint32_t i = 0; i < tree->n_functions; i++) {
		const char *source = tree->functions[i].file;

		tables->sources[i] = NONE;
		if (source && string_ids_add(&ids, source, &tables->sources[i], &is_new))
			tables->file->lacks_memory = true;
	}
	tables->n_sources = ids.n_strings;
	fputs(",\n\"sources\":{", tables->file->out);
	start_column(tables, "filename");
	for (uint32_t i = 0; i < ids.n_strings; i++) {
		separate(tables, i);
		decimal_write(tables->file->out, firefox_string(tables->file, ids.strings[i]));
	}
	end_column(tables);
	write_equal(tables, "id", "null", ids.n_strings);
	write_equal(tables, "startLine", "1", ids.n_strings);
	write_equal(tables, "startColumn", "1", ids.n_strings);
	write_equal(tables, "sourceMapURL", "null", ids.n_strings);
	write_equal(tables, "content", "null", ids.n_strings);
	write_length(tables, ids.n_strings);
	string_ids_deinit(&ids);
}

static void write_functions(const struct tables *tables)
{
	const struct stack_tree *tree = tables->tree;
	const uint32_t n = tree->n_functions;

	fputs(",\n\"funcTable\":{", tables->file->out);
	start_column(tables, "name");
	for (uint32_t i = 0; i < n; i++) {
		separate(tables, i);
		decimal_write(tables->file->out,
			      firefox_string(tables->file, tree->functions[i].name));
	}
	end_column(tables);
	start_column(tables, "resource");
	for (uint32_t i = 0; i < n; i++) {
		separate(tables, i);
		write_index(tables, tables->libs[tree->functions[i].module], "-1");
	}
	end_column(tables);
	start_column(tables, "source");
	for (uint32_t i = 0; i < n; i++) {
		separate(tables, i);
		write_index(tables, tables->sources[i], "null");
	}
	end_column(tables);
	write_equal(tables, "isJS", "false", n);
	write_equal(tables, "relevantForJS", "false", n);
	write_equal(tables, "lineNumber", "null", n);
	write_equal(tables, "columnNumber", "null", n);
	write_equal(tables, "originalLocation", "null", n);
	write_length(tables, n);
}

/* Compiled functions of libs, whose code is at addresses that can be written. */
static void find_natives(struct tables *tables)
{
	const struct stack_tree *tree = tables->tree;

	memset(tables->natives, 0xff, tree->n_functions * sizeof(*tables->natives));
	for (uint32_t i = 0; i < tree->n_frames; i++) {
		const struct stack_frame *frame = &tree->frames[i];
		const struct stack_function *function = &tree->functions[frame->function];
		uint32_t *native = &tables->natives[frame->function];

		if (!frame->depth && *native == NONE && tables->libs[function->module] != NONE &&
		    function->start <= ADDRESS_MAX)
			*native = tables->n_natives++;
	}
}

/* The functions with native symbols, by number of these. NULL: no memory. */
static uint32_t *sort_natives(const struct tables *tables)
{
	uint32_t *functions = calloc(tables->n_natives + 1u, sizeof(*functions));

	for (uint32_t i = 0; functions && i < tables->tree->n_functions; i++) {
		if (tables->natives[i] != NONE)
			functions[tables->natives[i]] = i;
	}
	return functions;
}

static int write_natives(const struct tables *tables)
{
	_cleanup_free_ uint32_t *functions = sort_natives(tables);
	const struct stack_function *all = tables->tree->functions;
	const uint32_t n = tables->n_natives;

	if (!functions)
		return -ENOMEM;
	fputs(",\n\"nativeSymbols\":{", tables->file->out);
	start_column(tables, "libIndex");
	for (uint32_t i = 0; i < n; i++) {
		separate(tables, i);
		decimal_write(tables->file->out, tables->libs[all[functions[i]].module]);
	}
	end_column(tables);
	start_column(tables, "address");
	for (uint32_t i = 0; i < n; i++) {
		separate(tables, i);
		decimal_write(tables->file->out, all[functions[i]].start);
	}
	end_column(tables);
	start_column(tables, "name");
	for (uint32_t i = 0; i < n; i++) {
		separate(tables, i);
		decimal_write(tables->file->out,
			      firefox_string(tables->file, all[functions[i]].name));
	}
	end_column(tables);
	write_equal(tables, "functionSize", "null", n);
	write_length(tables, n);
	return 0;
}

/* -- frames and stacks ----------------------------------------------------------------------- */

enum frame_column { ADDRESS, DEPTH, CATEGORY, FUNCTION, NATIVE, LINE, N_FRAME_COLUMNS };

static void write_address(const struct tables *tables, const struct stack_frame *frame)
{
	const struct frame *code = &tables->file->profile->cct->frames.frames[frame->cct];

	if (tables->libs[code->module] == NONE || code->offset > ADDRESS_MAX)
		fputs("-1", tables->file->out);
	else
		decimal_write(tables->file->out, code->offset);
}

static void write_frame(const struct tables *tables, uint32_t i, enum frame_column column)
{
	const struct stack_frame *frame = &tables->tree->frames[i];
	FILE *out = tables->file->out;

	switch (column) {
	case ADDRESS:
		write_address(tables, frame);
		break;
	case DEPTH:
		decimal_write(out, frame->depth);
		break;
	case CATEGORY:
		decimal_write(out, tables->tree->functions[frame->function].kind);
		break;
	case FUNCTION:
		decimal_write(out, frame->function);
		break;
	case NATIVE: /* of the compiled function */
		write_index(tables,
			    tables->natives[tables->tree->frames[i - frame->depth].function],
			    "null");
		break;
	case LINE:
		write_index(tables, frame->line ? frame->line : NONE, "null");
		break;
	case N_FRAME_COLUMNS:
		break;
	}
}

static void write_frames(const struct tables *tables)
{
	static const char *const names[N_FRAME_COLUMNS] = {
		[ADDRESS] = "address", [DEPTH] = "inlineDepth",   [CATEGORY] = "category",
		[FUNCTION] = "func",   [NATIVE] = "nativeSymbol", [LINE] = "line",
	};
	const uint32_t n = tables->tree->n_frames;

	fputs(",\n\"frameTable\":{", tables->file->out);
	for (int column = 0; column < N_FRAME_COLUMNS; column++) {
		start_column(tables, names[column]);
		for (uint32_t i = 0; i < n; i++) {
			separate(tables, i);
			write_frame(tables, i, (enum frame_column)column);
		}
		end_column(tables);
	}
	write_equal(tables, "subcategory", "0", n);
	write_equal(tables, "innerWindowID", "0", n);
	write_equal(tables, "column", "null", n);
	write_equal(tables, "originalLocation", "null", n);
	write_length(tables, n);
}

/* The offset of a stack's prefix is how many rows before it that is; 0: it has none. */
static void write_stacks(const struct tables *tables)
{
	const struct stack_tree *tree = tables->tree;

	fputs(",\n\"stackTable\":{", tables->file->out);
	start_column(tables, "frame");
	for (uint32_t i = 0; i < tree->n_nodes; i++) {
		separate(tables, i);
		decimal_write(tables->file->out, tree->nodes[i].frame);
	}
	end_column(tables);
	start_column(tables, "prefixOffset");
	for (uint32_t i = 0; i < tree->n_nodes; i++) {
		const uint32_t parent = tree->nodes[i].parent;

		separate(tables, i);
		decimal_write(tables->file->out, parent == STACK_NONE ? 0 : i - parent);
	}
	end_column(tables);
	write_length(tables, tree->n_nodes);
}

static void write_strings(const struct tables *tables)
{
	const struct string_ids *strings = &tables->file->strings;

	fputs(",\n\"stringArray\":[", tables->file->out);
	for (uint32_t i = 0; i < strings->n_strings; i++) {
		fputs(i ? ",\n" : "\n", tables->file->out);
		json_write_printable(tables->file->out, strings->strings[i]);
	}
	putc(']', tables->file->out);
}

static int write_tables(struct tables *tables)
{
	write_libs(tables);
	find_natives(tables);
	fputs(",\n\"shared\":{\"sourceLocationTable\":"
	      "{\"source\":[],\"line\":[],\"column\":[],\"length\":0}",
	      tables->file->out);
	write_sources(tables);
	write_resources(tables);
	write_functions(tables);
	write_frames(tables);
	write_stacks(tables);
	int err = write_natives(tables);
	write_strings(tables);
	putc('}', tables->file->out);
	return err;
}

int firefox_write_tables(struct firefox_file *file)
{
	const uint32_t n_modules = file->profile->modules.n_modules;
	const uint32_t n_functions = file->tree->n_functions;
	_cleanup_free_ uint32_t *libs = malloc((n_modules + 1u) * sizeof(*libs));
	_cleanup_free_ uint32_t *natives = malloc((n_functions + 1u) * sizeof(*natives));
	_cleanup_free_ uint32_t *sources = malloc((n_functions + 1u) * sizeof(*sources));
	struct tables tables = {
		.file = file,
		.tree = file->tree,
		.libs = libs,
		.natives = natives,
		.sources = sources,
	};

	if (!libs || !natives || !sources)
		return -ENOMEM;
	memset(libs, 0xff, (n_modules + 1u) * sizeof(*libs));
	return write_tables(&tables);
}
