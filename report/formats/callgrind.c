/*
 * The profile format of Callgrind (version 1; valgrind 3.19, docs/html/cl-format.html). Names have
 * numbers, with which they are written but for the first time; objects and files that are still the
 * same, or a called function's that are its caller's, are left out. Inlined functions are called by
 * the functions that contain them; lines of another file than the function's, as with --no-inline,
 * follow fi=. A function at a second level of recursion is written f'2, as Callgrind does with
 * --separate-recs, so that inclusive costs are right.
 *
 * Readers count calls, which samples do not know: in their place are samples.
 */
#include "report/formats/callgrind.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/stream.h"
#include "cct/text/decimal.h"
#include "cct/text/string_ids.h"
#include "report/stacks/call_costs.h"

#define NO_FILE   "???"
#define NO_OBJECT "???"
#define PROCESSES "[processes]" /* their object */

struct writer {
	FILE *out;
	const struct profile *profile;
	const struct path_options *options;
	struct stack_tree *tree;
	struct path_groups groups;
	struct call_costs costs;
	struct string_ids objects, files;
	const char *object, *file; /* where readers are; NULL: nowhere yet */
	bool *has_name;            /* by function of the costs: it was written */
};

/* "event_name": readers take no other characters in names of events. */
static void write_event(const struct writer *writer, const struct metric *metric)
{
	for (const char *at = metric->name; *at; at++)
		putc(isalnum((unsigned char)*at) ? *at : '_', writer->out);
}

static void write_header(const struct writer *writer)
{
	const struct profile *profile = writer->profile;
	const struct profile_info *info = &profile->info;
	FILE *out = writer->out;

	fputs("# callgrind format\nversion: 1\ncreator: dendro " DENDRO_VERSION "\n", out);
	if (info->command_line) {
		fputs("cmd: ", out);
		printable_put(out, info->command_line);
		putc('\n', out);
	}
	fputs("positions: line\n", out);
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		fputs("event: ", out);
		write_event(writer, &profile->metrics[i]);
		fputs(" : ", out);
		printable_put(out, profile->metrics[i].name);
		fprintf(out, " (%s)\n", profile->metrics[i].unit);
	}
	fputs("events:", out);
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		putc(' ', out);
		write_event(writer, &profile->metrics[i]);
	}
	putc('\n', out);
}

static void write_costs(const struct writer *writer, const uint64_t *weights)
{
	for (uint32_t i = 0; i < writer->profile->n_metrics; i++) {
		putc(' ', writer->out);
		decimal_write(writer->out, weights[i]);
	}
	putc('\n', writer->out);
}

/* "KEY=(number) name", the name when it is new. 0 or -ENOMEM. */
static int write_name(const struct writer *writer, struct string_ids *ids, const char *key,
		      const char *name)
{
	uint32_t number;
	bool is_new;
	int err = string_ids_add(ids, name, &number, &is_new);

	if (err)
		return err;
	fprintf(writer->out, "%s=(%" PRIu32 ")", key, number + 1);
	if (is_new) {
		putc(' ', writer->out);
		printable_put(writer->out, name);
	}
	putc('\n', writer->out);
	return 0;
}

static const struct stack_function *function_of(const struct writer *writer, uint32_t number)
{
	const uint32_t function = writer->costs.functions[number].function;

	return function == CALL_NONE ? NULL : &writer->tree->functions[function];
}

static const char *file_of(const struct writer *writer, uint32_t number)
{
	const struct stack_function *function = function_of(writer, number);

	return function && function->file ? function->file : NO_FILE;
}

static const char *object_of(const struct writer *writer, uint32_t number)
{
	const struct stack_function *function = function_of(writer, number);
	const struct module *module =
		function ? module_table_get(&writer->profile->modules, function->module) : NULL;

	if (!function)
		return PROCESSES;
	return module && *module->key.path ? module->key.path : NO_OBJECT;
}

static void write_function_name(struct writer *writer, const char *key, uint32_t number)
{
	const struct call_function *of = &writer->costs.functions[number];
	const struct stack_function *function = function_of(writer, number);
	const char *name = function ? function->name : writer->groups.names.strings[of->group];

	fprintf(writer->out, "%s=(%" PRIu32 ")", key, number + 1);
	if (!writer->has_name[number]) {
		putc(' ', writer->out);
		printable_put(writer->out, *name ? name : NO_FILE);
		if (of->level > 1)
			fprintf(writer->out, "'%" PRIu32, of->level);
		writer->has_name[number] = true;
	}
	putc('\n', writer->out);
}

static bool is_there(const char *place, const char *wanted)
{
	return place && strcmp(place, wanted) == 0;
}

/* @keys: of the object, the file and the function. 0 or -ENOMEM. */
static int write_function(struct writer *writer, const char *const keys[3], uint32_t number)
{
	const char *object = object_of(writer, number), *file = file_of(writer, number);
	int err = 0;

	if (!is_there(writer->object, object))
		err = write_name(writer, &writer->objects, keys[0], object);
	if (!err && !is_there(writer->file, file))
		err = write_name(writer, &writer->files, keys[1], file);
	if (!err)
		write_function_name(writer, keys[2], number);
	return err;
}

/* The function whose costs follow. 0 or -ENOMEM. */
static int begin_function(struct writer *writer, uint32_t number)
{
	putc('\n', writer->out);
	int err = write_function(writer, (const char *const[]){ "ob", "fl", "fn" }, number);

	writer->object = object_of(writer, number);
	writer->file = file_of(writer, number);
	return err;
}

/* The file of the lines that follow. 0 or -ENOMEM. */
static int change_file(struct writer *writer, const struct call_cost *cost)
{
	const char *own = file_of(writer, cost->function);
	const char *wanted = cost->file ? cost->file : own;

	if (is_there(writer->file, wanted))
		return 0;
	writer->file = wanted;
	return write_name(writer, &writer->files, strcmp(wanted, own) == 0 ? "fe" : "fi", wanted);
}

/* Line 0 is none: callgrind_annotate stumbles over it. */
static uint32_t line_of(uint32_t line)
{
	return line ? line : 1;
}

static int write_call(struct writer *writer, const struct call_cost *cost)
{
	const struct stack_function *called = function_of(writer, cost->called);
	int err =
		write_function(writer, (const char *const[]){ "cob", "cfi", "cfn" }, cost->called);

	fputs("calls=", writer->out);
	decimal_write(writer->out, cost->samples);
	fprintf(writer->out, " %" PRIu32 "\n", line_of(called ? called->line : 0));
	return err;
}

static int write_body(struct writer *writer)
{
	const struct call_costs *costs = &writer->costs;
	const uint32_t n_metrics = writer->profile->n_metrics;
	int err = 0;

	path_options_expect(writer->options, costs->n_costs);
	for (uint32_t i = 0; !err && i < costs->n_costs; i++) {
		const struct call_cost *cost = &costs->costs[i];

		if (!i || cost->function != cost[-1].function)
			err = begin_function(writer, cost->function);
		if (!err)
			err = change_file(writer, cost);
		if (!err && cost->called != CALL_NONE)
			err = write_call(writer, cost);
		decimal_write(writer->out, line_of(cost->line));
		write_costs(writer, &costs->weights[(size_t)i * n_metrics]);
		path_options_written(writer->options, 1);
	}
	return err;
}

static int write_totals(const struct writer *writer)
{
	const uint32_t n_metrics = writer->profile->n_metrics;
	_cleanup_free_ uint64_t *totals = calloc(n_metrics + 1u, sizeof(*totals));

	if (!totals)
		return -ENOMEM;
	for (uint32_t metric = 0; metric < n_metrics; metric++) {
		for (uint32_t i = 0; i < writer->groups.n_groups; i++)
			totals[metric] +=
				path_groups_cost(&writer->groups, writer->profile, i, metric)
					.weight;
	}
	fputs("\ntotals:", writer->out);
	write_costs(writer, totals);
	return 0;
}

static int write_file(struct writer *writer)
{
	writer->has_name = calloc(writer->costs.n_functions + 1u, sizeof(*writer->has_name));
	if (!writer->has_name)
		return -ENOMEM;
	write_header(writer);
	int err = write_body(writer);
	if (!err)
		err = write_totals(writer);
	return err ? err : stream_finish(writer->out);
}

int callgrind_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		    const struct path_options *options)
{
	struct writer writer = { .out = out, .profile = profile, .options = options };
	int err = stack_tree_create(profile, symbolizer, STACKS_OF_LINES, &writer.tree);

	if (!err)
		err = path_groups_init(&writer.groups, profile, options->grouping);
	if (!err)
		err = call_costs_init(&writer.costs, profile, writer.tree, &writer.groups);
	if (!err)
		err = write_file(&writer);
	call_costs_deinit(&writer.costs);
	path_groups_deinit(&writer.groups);
	stack_tree_destroy(writer.tree);
	string_ids_deinit(&writer.objects);
	string_ids_deinit(&writer.files);
	free(writer.has_name);
	return err;
}
