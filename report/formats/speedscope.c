/*
 * speedscope's format (https://www.speedscope.app/file-format-schema.json, release 1.25.0). A file
 * has frames, which are functions here, and profiles, from which the user chooses one. A profile
 * has samples, which are lists of frames, outermost first, and their weights.
 *
 * A profile of all processes has each distinct path once, below the process. One of a thread has
 * its samples in the order of time, where the profile has them, so that speedscope's view by time
 * shows what the thread did when.
 */
#include "report/formats/speedscope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/stream.h"
#include "cct/paths/sample_list.h"
#include "cct/text/decimal.h"
#include "cct/text/json_string.h"
#include "report/stacks/path_groups.h"
#include "report/stacks/stack_tree.h"

#define SCHEMA      "https://www.speedscope.app/file-format-schema.json"
#define MAX_THREADS 100 /* with more, there is no profile for each unless --by thread is given */

struct writer {
	FILE *out;
	const struct profile *profile;
	const struct path_options *options;
	struct stack_tree *tree;
	struct path_groups processes; /* whose names are frames after those of the tree */
	struct path_groups parts;     /* what has profiles alone */
	struct sample_list samples;
	bool has_rows;
	bool has_whole;
	uint32_t *path; /* innermost first */
	size_t n_path_allocated;
	uint32_t n_profiles;
};

/* A stack with its weight, which is that of several samples if they follow one another. */
struct step {
	uint32_t node; /* of the profile's tree */
	uint64_t weight;
};

/* Goes through what a profile of the file consists of. */
struct steps {
	const struct writer *writer;
	const uint32_t *at, *end; /* nodes, or rows of ->samples */
	uint32_t metric;
	bool are_rows;
};

static struct step step_of(const struct steps *steps, uint32_t index)
{
	const struct profile *profile = steps->writer->profile;

	if (!steps->are_rows)
		return (struct step){ index, cct_cost(profile->cct, index, steps->metric)->weight };
	const struct sample_row *row = &profile->rows->rows[index];
	return (struct step){ row->node,
			      row->metric == steps->metric
				      ? sample_list_weight(&steps->writer->samples, index)
				      : 0 };
}

/* false: there are no more. */
static bool next_step(struct steps *steps, struct step *step_ret)
{
	const struct stack_tree *tree = steps->writer->tree;
	struct step step = { 0 };

	while (steps->at < steps->end && !step.weight)
		step = step_of(steps, *steps->at++);
	while (step.weight && steps->are_rows && steps->at < steps->end) {
		const struct step next = step_of(steps, *steps->at);

		if (next.weight && tree->node_of[next.node] != tree->node_of[step.node])
			break;
		step.weight += next.weight;
		steps->at++;
	}
	*step_ret = step;
	return step.weight != 0;
}

static void write_key(const struct writer *writer, const char *key, const char *text)
{
	fprintf(writer->out, "\"%s\":", key);
	json_write_printable(writer->out, text);
}

static void write_frames(const struct writer *writer)
{
	const struct stack_tree *tree = writer->tree;
	FILE *out = writer->out;

	for (uint32_t i = 0; i < tree->n_functions; i++) {
		const struct stack_function *function = &tree->functions[i];

		fputs(i ? ",\n{" : "\n{", out);
		write_key(writer, "name", function->name);
		if (function->file) {
			putc(',', out);
			write_key(writer, "file", function->file);
		}
		if (function->file && function->line) {
			fputs(",\"line\":", out);
			decimal_write(out, function->line);
		}
		putc('}', out);
	}
	for (uint32_t i = 0; writer->has_whole && i < writer->processes.n_groups; i++) {
		fputs(i || tree->n_functions ? ",\n{" : "\n{", out);
		write_key(writer, "name", writer->processes.names.strings[i]);
		putc('}', out);
	}
}

/* @process: the frame of the process; STACK_NONE: none. 0 or -ENOMEM. */
static int write_stack(struct writer *writer, uint32_t node, uint32_t process)
{
	const struct stack_tree *tree = writer->tree;
	size_t n = 0;

	for (node = tree->node_of[node]; node != STACK_NONE; node = tree->nodes[node].parent) {
		if (array_reserve(writer->path, n, writer->n_path_allocated, 2))
			return -ENOMEM;
		writer->path[n++] = tree->frames[tree->nodes[node].frame].function;
	}
	if (process != STACK_NONE) {
		if (array_reserve(writer->path, n, writer->n_path_allocated, 1))
			return -ENOMEM;
		writer->path[n++] = process;
	}
	putc('[', writer->out);
	while (n) {
		decimal_write(writer->out, writer->path[--n]);
		if (n)
			putc(',', writer->out);
	}
	putc(']', writer->out);
	return 0;
}

static const char *unit_of(const struct metric *metric)
{
	return strcmp(metric->unit, "ns") == 0      ? "nanoseconds"
	       : strcmp(metric->unit, "bytes") == 0 ? "bytes"
						    : "none";
}

/* @part: NULL: the whole. @steps is a copy, as the file has the stacks first, and then the weights.
 */
static int write_profile(struct writer *writer, const char *part, uint64_t total,
			 struct steps steps)
{
	const struct metric *metric = &writer->profile->metrics[steps.metric];
	FILE *out = writer->out;
	struct steps weights = steps;
	struct step step;
	_cleanup_free_ char *name = NULL;
	bool is_first = true;
	int err = 0;

	if (asprintf(&name, "%s%s%s", metric->name, part ? ": " : "", part ? part : "") < 0)
		return -ENOMEM;
	fputs(writer->n_profiles++ ? ",\n" : "\n", out);
	fprintf(out, "{\"type\":\"sampled\",\"unit\":\"%s\",\"startValue\":0,\"endValue\":",
		unit_of(metric));
	decimal_write(out, total);
	putc(',', out);
	write_key(writer, "name", name);
	fputs(",\"samples\":[", out);
	const uint32_t *counted = steps.at;
	for (; !err && next_step(&steps, &step); is_first = false) {
		const uint32_t group = writer->processes.group_of[step.node];

		fputs(is_first ? "\n" : ",\n", out);
		err = write_stack(writer, step.node,
				  part ? STACK_NONE : writer->tree->n_functions + group);
		path_options_written(writer->options, (uint64_t)(steps.at - counted));
		counted = steps.at;
	}
	path_options_written(writer->options, (uint64_t)(steps.at - counted));
	fputs("],\n\"weights\":[", out);
	for (is_first = true; next_step(&weights, &step); is_first = false) {
		if (!is_first)
			putc(',', out);
		decimal_write(out, step.weight);
	}
	fputs("]}", out);
	return err;
}

static uint64_t total_of(const struct writer *writer, uint32_t metric)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < writer->processes.n_groups; i++)
		total += path_groups_cost(&writer->processes, writer->profile, i, metric).weight;
	return total;
}

static int write_whole(struct writer *writer, uint32_t metric)
{
	const struct path_groups *all = &writer->processes;
	const struct steps steps = {
		.writer = writer,
		.at = all->nodes,
		.end = all->nodes + (all->groups ? all->groups[all->n_groups].first : 0),
		.metric = metric,
	};

	return write_profile(writer, NULL, total_of(writer, metric), steps);
}

static int write_part(struct writer *writer, uint32_t part, uint32_t metric)
{
	const struct path_groups *parts = &writer->parts;
	const struct cct_cost cost = path_groups_cost(parts, writer->profile, part, metric);
	struct steps steps = {
		.writer = writer,
		.at = parts->nodes + parts->groups[part].first,
		.end = parts->nodes + parts->groups[part + 1].first,
		.metric = metric,
		.are_rows = writer->has_rows,
	};

	if (steps.are_rows) {
		steps.at = writer->samples.rows + writer->samples.first[part];
		steps.end = writer->samples.rows + writer->samples.first[part + 1];
	}
	if (!cost.weight) {
		path_options_written(writer->options, (uint64_t)(steps.end - steps.at));
		return 0;
	}
	return write_profile(writer, parts->names.strings[part], cost.weight, steps);
}

/* How many nodes or rows are gone through. */
static uint64_t count_steps(const struct writer *writer)
{
	const struct path_groups *all = &writer->processes, *parts = &writer->parts;
	const uint64_t n_whole = all->groups ? all->groups[all->n_groups].first : 0;
	uint64_t n_parts = parts->groups ? parts->groups[parts->n_groups].first : 0, n = 0;

	if (writer->has_rows)
		n_parts = writer->samples.first[parts->n_groups];
	for (uint32_t i = 0; i < writer->profile->n_metrics; i++) {
		const bool has_whole = writer->has_whole && writer->profile->metrics[i].samples;

		n += n_parts + (has_whole ? n_whole : 0);
	}
	return n;
}

/* All events of the whole, then all of the parts; an empty profile where there is no sample. */
static int write_profiles(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	int err = 0;

	path_options_expect(writer->options, count_steps(writer));
	for (uint32_t i = 0; writer->has_whole && !err && i < profile->n_metrics; i++) {
		if (profile->metrics[i].samples)
			err = write_whole(writer, i);
	}
	for (uint32_t i = 0; !err && i < profile->n_metrics; i++) {
		for (uint32_t part = 0; !err && part < writer->parts.n_groups; part++)
			err = write_part(writer, part, i);
	}
	return !err && !writer->n_profiles && profile->n_metrics ? write_whole(writer, 0) : err;
}

static int write_file(struct writer *writer)
{
	const struct profile_info *info = &writer->profile->info;
	FILE *out = writer->out;

	fputs("{\"$schema\":\"" SCHEMA "\",\n\"exporter\":\"dendro " DENDRO_VERSION "\",", out);
	if (info->command_line) {
		write_key(writer, "name", info->command_line);
		putc(',', out);
	}
	fputs("\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[", out);
	write_frames(writer);
	fputs("]},\n\"profiles\":[", out);
	int err = write_profiles(writer);
	fputs("]}\n", out);
	return err ? err : stream_finish(out);
}

static int prepare(struct writer *writer, struct symbolizer *symbolizer,
		   const struct path_options *options)
{
	const struct profile *profile = writer->profile;
	const bool are_processes = options->grouping == GROUP_PROCESS;
	int err = path_groups_init(&writer->processes, profile, options->grouping);

	if (!err)
		err = path_groups_init(&writer->parts, profile,
				       are_processes ? GROUP_PROCESS : GROUP_THREAD);
	if (!err && profile->rows && !are_processes) {
		writer->has_rows = true;
		err = sample_list_init_groups(&writer->samples, profile, writer->parts.group_of,
					      writer->parts.n_groups);
	}
	writer->has_whole = options->grouping == GROUP_COMM;
	if (writer->has_whole && writer->parts.n_groups > MAX_THREADS)
		writer->parts.n_groups = 0;
	return err ? err
		   : stack_tree_create(profile, symbolizer, STACKS_OF_FUNCTIONS, &writer->tree);
}

int speedscope_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		     const struct path_options *options)
{
	struct writer writer = { .out = out, .profile = profile, .options = options };
	int err = prepare(&writer, symbolizer, options);

	if (!err)
		err = write_file(&writer);
	sample_list_deinit(&writer.samples);
	path_groups_deinit(&writer.processes);
	path_groups_deinit(&writer.parts);
	stack_tree_destroy(writer.tree);
	free(writer.path);
	return err;
}
