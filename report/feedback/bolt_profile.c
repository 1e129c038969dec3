#include "report/feedback/bolt_profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/sentence.h"
#include "cct/base/stream.h"
#include "cct/object/elf_image.h"
#include "cct/object/module_file.h"
#include "report/branches/branch_paths.h"
#include "report/feedback/bolt_symbols.h"

#define HOW_TO_BUILD "BOLT needs a program with symbols, linked with -Wl,--emit-relocs."

struct bolt_place {
	const struct bolt_function *function; /* NULL: outside the program */
	uint64_t offset;
};

struct bolt_line {
	struct bolt_place from, to; /* of samples @from alone */
	uint64_t n_mispredicted, count;
};

struct writer {
	const struct profile *profile; /* that knows the modules of what is counted */
	const struct path_options *options;
	uint32_t module;
	struct module_file file;
	struct elf_segments segments;
	struct bolt_symbols symbols;
	struct bolt_line *lines;
	size_t n_lines, n_allocated;
	uint64_t all, placed; /* samples, or instructions executed */
};

/* -- lines ------------------------------------------------------------------------------------ */

static struct bolt_place find_place(const struct writer *writer, uint64_t vaddr)
{
	const struct bolt_function *function = bolt_symbols_find(&writer->symbols, vaddr);

	if (!function || !bolt_symbols_can_name(function))
		return (struct bolt_place){ 0 };
	return (struct bolt_place){ function, vaddr - function->start };
}

static int add_line(struct writer *writer, const struct bolt_line *line)
{
	if (array_reserve(writer->lines, writer->n_lines, writer->n_allocated, 1))
		return -ENOMEM;
	writer->lines[writer->n_lines++] = *line;
	return 0;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* What is outside comes first. */
static int compare_places(const struct bolt_place *a, const struct bolt_place *b)
{
	const int order = compare_numbers(a->function ? a->function->start : 0,
					  b->function ? b->function->start : 0);

	return order ? order : compare_numbers(a->offset, b->offset);
}

static int compare_lines(const void *a, const void *b)
{
	const struct bolt_line *x = a, *y = b;
	const int order = compare_places(&x->from, &y->from);

	return order ? order : compare_places(&x->to, &y->to);
}

/* Sorts the lines, and adds up those of the same places. */
static void merge_lines(struct writer *writer)
{
	size_t n = 0;

	if (writer->n_lines)
		qsort(writer->lines, writer->n_lines, sizeof(*writer->lines), compare_lines);
	for (size_t i = 0; i < writer->n_lines; i++) {
		const struct bolt_line *line = &writer->lines[i];

		if (n && compare_lines(&writer->lines[n - 1], line) == 0) {
			writer->lines[n - 1].count += line->count;
			writer->lines[n - 1].n_mispredicted += line->n_mispredicted;
		} else {
			writer->lines[n++] = *line;
		}
	}
	writer->n_lines = n;
}

static void write_place(FILE *out, const struct bolt_place *place)
{
	if (place->function)
		bolt_symbols_write(out, place->function);
	else
		fputs("0 [unknown] ", out);
	fprintf(out, "%" PRIx64 " ", place->offset);
}

static int write_lines(FILE *out, struct writer *writer)
{
	const bool has_branches = writer->options->branches;

	merge_lines(writer);
	if (!has_branches) {
		fputs("no_lbr ", out);
		printable_put(out, writer->profile->metrics[writer->options->metric].name);
		fputs(":\n", out);
	}
	for (size_t i = 0; i < writer->n_lines; i++) {
		const struct bolt_line *line = &writer->lines[i];

		write_place(out, &line->from);
		if (has_branches) {
			write_place(out, &line->to);
			fprintf(out, "%" PRIu64 " ", line->n_mispredicted);
		}
		fprintf(out, "%" PRIu64 "\n", line->count);
	}
	return stream_finish(out);
}

/* -- samples ---------------------------------------------------------------------------------- */

static const struct module *module_of(const struct writer *writer, const struct frame *frame)
{
	const struct module *module =
		frame->kind == FRAME_USER
			? module_table_get(&writer->profile->modules, frame->module)
			: NULL;

	return module && module->key.kind == MODULE_ELF ? module : NULL;
}

static void weigh_samples(struct writer *writer, uint64_t *weights)
{
	const struct cct *cct = writer->profile->cct;

	for (uint32_t i = 0; i < cct->n_nodes; i++) {
		const struct frame *frame = cct_frame(cct, i);
		const uint64_t samples = cct_cost(cct, i, writer->options->metric)->samples;

		writer->all += samples;
		if (module_of(writer, frame))
			weights[frame->module] += samples;
	}
}

static int take_samples(struct writer *writer)
{
	const struct cct *cct = writer->profile->cct;
	int err = 0;

	for (uint32_t i = 0; !err && i < cct->n_nodes; i++) {
		const struct frame *frame = cct_frame(cct, i);
		const uint64_t samples = cct_cost(cct, i, writer->options->metric)->samples;
		uint64_t vaddr;

		if (!samples || !module_of(writer, frame) || frame->module != writer->module ||
		    !elf_segments_to_vaddr(&writer->segments, frame->offset, &vaddr))
			continue;
		const struct bolt_line line = { .from = find_place(writer, vaddr),
						.count = samples };
		if (!line.from.function)
			continue;
		writer->placed += samples;
		err = add_line(writer, &line);
	}
	return err;
}

/* -- branches --------------------------------------------------------------------------------- */

static uint64_t executed_in(const struct branch_function *function)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < function->graph.n_instructions; i++)
		n += function->counts[i].executed;
	return n;
}

static void weigh_branches(struct writer *writer, uint64_t *weights)
{
	const struct branch_paths *branches = writer->options->branches;

	for (uint32_t i = 0; i < branches->n_functions; i++) {
		const struct branch_function *function = &branches->functions[i];
		const uint64_t n = executed_in(function);

		writer->all += n;
		if (module_of(writer, &function->frame))
			weights[function->frame.module] += n;
	}
}

static struct bolt_place find_end(const struct writer *writer, const struct branch_end *end)
{
	const struct branch_paths *branches = writer->options->branches;

	if (end->function == BRANCH_NO_FUNCTION || end->instruction == FLOW_NONE)
		return (struct bolt_place){ 0 };
	const struct branch_function *function = &branches->functions[end->function];
	if (!module_of(writer, &function->frame) || function->frame.module != writer->module)
		return (struct bolt_place){ 0 };
	return find_place(writer,
			  function->vaddr + function->graph.instructions[end->instruction].offset);
}

/* Marks what jumps of the function lead to. NULL: no memory. */
static bool *find_targets(const struct flow_graph *graph)
{
	bool *is_target = calloc(graph->n_instructions + 1ul, sizeof(*is_target));

	if (!is_target)
		return NULL;
	for (uint32_t i = 0; i < graph->n_instructions; i++) {
		if (graph->instructions[i].target != FLOW_NONE)
			is_target[graph->instructions[i].target] = true;
	}
	for (uint32_t i = 0; i < graph->n_seen; i++)
		is_target[graph->seen[i].to] = true;
	return is_target;
}

/* Whether BOLT has a block that begins at @i. A jump after a conditional one is in that one's
 * block. */
static bool begins_block(const struct flow_graph *graph, const bool *is_target, uint32_t i)
{
	const struct flow_instruction *at = &graph->instructions[i];

	return at->is_leader &&
	       (is_target[i] || at->flow != CODE_JUMPS || at->target == FLOW_NONE ||
		graph->instructions[i - 1].flow != CODE_MAY_JUMP);
}

/* Where one block runs on into the next one: as often as its last instruction did not branch. */
static int take_runs(struct writer *writer, uint32_t index)
{
	const struct branch_function *function = &writer->options->branches->functions[index];
	const struct flow_graph *graph = &function->graph;
	_cleanup_free_ bool *is_target = find_targets(graph);
	int err = is_target ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i + 1 < graph->n_instructions; i++) {
		const struct branch_counts *counts = &function->counts[i];

		if (counts->executed <= counts->taken || !begins_block(graph, is_target, i + 1))
			continue;
		const struct bolt_line line = {
			.from = find_end(writer, &(struct branch_end){ index, i }),
			.to = find_end(writer, &(struct branch_end){ index, i + 1 }),
			.count = counts->executed - counts->taken,
		};
		if (line.from.function && line.from.function == line.to.function)
			err = add_line(writer, &line);
	}
	return err;
}

static int take_branches(struct writer *writer)
{
	const struct branch_paths *branches = writer->options->branches;
	int err = 0;

	for (uint32_t i = 0; !err && i < branches->n_edges; i++) {
		const struct branch_edge *edge = &branches->edges[i];
		const struct bolt_line line = { .from = find_end(writer, &edge->from),
						.to = find_end(writer, &edge->to),
						.n_mispredicted = edge->n_mispredicted,
						.count = edge->count };

		if (line.from.function || line.to.function)
			err = add_line(writer, &line);
	}
	for (uint32_t i = 0; !err && i < branches->n_functions; i++) {
		const struct branch_function *function = &branches->functions[i];

		if (!module_of(writer, &function->frame) ||
		    function->frame.module != writer->module)
			continue;
		writer->placed += executed_in(function);
		err = take_runs(writer, i);
	}
	return err;
}

/* -- the program ------------------------------------------------------------------------------ */

static bool is_named(const struct module *module, const char *name)
{
	return !name || strcmp(module->key.path, name) == 0 ||
	       strcmp(module_name(module), name) == 0;
}

/* The program with the most samples or instructions, of those with the wanted name. 0, -ENOMEM, or
 * -ENODATA with a finding. */
static int choose_module(struct writer *writer)
{
	const struct module_table *modules = &writer->profile->modules;
	const char *name = writer->options->module;
	_cleanup_free_ uint64_t *weights = calloc(modules->n_modules + 1ul, sizeof(*weights));

	if (!weights)
		return -ENOMEM;
	(writer->options->branches ? weigh_branches : weigh_samples)(writer, weights);
	for (uint32_t i = 1; i < modules->n_modules; i++) {
		if (weights[i] > weights[writer->module] &&
		    is_named(module_table_get(modules, i), name))
			writer->module = i;
	}
	if (writer->module)
		return 0;
	*writer->options->finding_ret =
		name ? sentence("no sample is in a file with the name %s.", name)
		     : sentence("no sample is in a program's file.");
	return -ENODATA;
}

/* Likewise. */
static int open_program(struct writer *writer)
{
	const struct module *module = module_table_get(&writer->profile->modules, writer->module);

	module_file_open(module, &writer->file);
	if (writer->file.state != MODULE_FILE_OK) {
		*writer->options->finding_ret =
			sentence("%s: %s. BOLT changes the file itself.", module->key.path,
				 module_file_problem(&writer->file));
		return -ENODATA;
	}
	int err = elf_segments_init(&writer->segments, writer->file.elf);
	if (!err)
		err = bolt_symbols_init(&writer->symbols, writer->file.elf);
	if (err != -ENOENT)
		return err;
	*writer->options->finding_ret =
		sentence("%s has no table of symbols. " HOW_TO_BUILD, module->key.path);
	return -ENODATA;
}

/* NULL: no memory. */
static char *describe(const struct writer *writer)
{
	const struct module *module = module_table_get(&writer->profile->modules, writer->module);
	const char *chosen = writer->options->module ? "" : "; --module chooses another file";

	return sentence("the profile is of %s, with %" PRIu64 " of %" PRIu64 " %s%s.",
			module->key.path, writer->placed, writer->all,
			writer->options->branches ? "instructions in stacks of branches"
						  : "samples",
			chosen);
}

static int write_all(FILE *out, struct writer *writer)
{
	int err = choose_module(writer);

	if (!err)
		err = open_program(writer);
	if (!err)
		err = writer->options->branches ? take_branches(writer) : take_samples(writer);
	if (err)
		return err;
	*writer->options->finding_ret = describe(writer);
	return write_lines(out, writer);
}

int bolt_profile_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		       const struct path_options *options)
{
	struct writer writer = { .profile =
					 options->branches ? options->branches->profile : profile,
				 .options = options,
				 .file = { .state = MODULE_FILE_NONE, .fd = -1 } };
	int err = write_all(out, &writer);

	(void)symbolizer;
	bolt_symbols_deinit(&writer.symbols);
	elf_segments_deinit(&writer.segments);
	module_file_close(&writer.file);
	free(writer.lines);
	return err;
}
