#include "report/branches/branch_output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/printable.h"
#include "cct/text/json_string.h"
#include "report/branches/path_classes.h"
#include "report/branches/path_numbers.h"

static const char *const begins[] = { "entry", "loop", "inside" };
static const char *const ends[] = { "exit", "loop", "inside" };

/* What is written, in its order: groups, which are functions or contexts, and their paths, most
 * instructions first. */
struct listing {
	FILE *out;
	const struct branch_paths *paths;
	const struct branch_options *options;
	struct path_classes classes;
	uint32_t *order; /* paths, those of a group together */
	uint32_t n_groups;
	struct path_sums *groups, all;
	bool is_json;
};

static uint32_t group_of(const struct listing *listing, const struct branch_path *path)
{
	return listing->options->by_context ? path->context : path->function;
}

static int compare_paths(const void *a, const void *b, void *arg)
{
	const struct listing *listing = arg;
	const uint32_t *i = a, *j = b;
	const struct branch_path *x = &listing->paths->paths[*i], *y = &listing->paths->paths[*j];
	const uint32_t group = group_of(listing, x), other = group_of(listing, y);
	uint64_t p = listing->groups[group].n_instructions;
	uint64_t q = listing->groups[other].n_instructions;

	if (p != q)
		return p > q ? -1 : 1;
	if (group != other)
		return group < other ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->n_instructions != y->n_instructions)
		return x->n_instructions > y->n_instructions ? -1 : 1;
	return (*i > *j) - (*i < *j);
}

static int prepare(struct listing *listing)
{
	const struct branch_paths *paths = listing->paths;

	listing->n_groups = listing->options->by_context ? paths->contexts.n : paths->n_functions;
	listing->order = calloc(paths->n_paths + 1, sizeof(*listing->order));
	listing->groups = calloc(listing->n_groups + 1, sizeof(*listing->groups));
	if (!listing->order || !listing->groups)
		return -ENOMEM;
	for (uint32_t i = 0; i < paths->n_paths; i++) {
		listing->order[i] = i;
		path_sums_add(&listing->groups[group_of(listing, &paths->paths[i])],
			      &paths->paths[i]);
		path_sums_add(&listing->all, &paths->paths[i]);
	}
	qsort_r(listing->order, paths->n_paths, sizeof(*listing->order), compare_paths, listing);
	path_classes_init(&listing->classes, paths);
	return 0;
}

static uint64_t address_of(const struct branch_function *function, uint32_t instruction)
{
	return function->vaddr + function->graph.instructions[instruction].offset;
}

/* One path: its counts, its number, and its blocks. */
static void write_path(const struct listing *listing, const struct path_numbers *numbers,
		       const struct branch_path *path, bool is_first)
{
	const struct branch_function *function = &listing->paths->functions[path->function];
	const char *class = path_class_name(path_class_of(&listing->classes, path));
	struct path_position at = { 0 };
	uint64_t number;
	FILE *out = listing->out;
	bool has_number = path_numbers_find(numbers, listing->paths, path, &number);
	char text[24] = "-";

	if (has_number)
		snprintf(text, sizeof(text), "%" PRIu64, number);
	if (listing->is_json) {
		fprintf(out,
			"%s\n   {\"begin\":\"%s\",\"end\":\"%s\",\"number\":%s,\"count\":%" PRIu64
			",\"mispredicted\":%" PRIu64 ",\"cycles\":%" PRIu64
			",\"instructions\":%" PRIu64 ",\"class\":\"%s\",\"blocks\":[",
			is_first ? "" : ",", begins[path->begin], ends[path->end],
			has_number ? text : "null", path->count, path->n_mispredicted, path->cycles,
			path->n_instructions, class);
	} else {
		fprintf(out,
			"  %10" PRIu64 " %12" PRIu64 " %10" PRIu64 " %10" PRIu64 "  %-11s %8s  %s",
			path->count, path->n_instructions, path->n_mispredicted, path->cycles,
			class, text, begins[path->begin]);
	}
	for (bool next = false; branch_paths_next_block(listing->paths, path, &at); next = true)
		fprintf(out, listing->is_json ? "%s%" PRIu64 : "%s %" PRIx64,
			next && listing->is_json ? "," : "", address_of(function, at.at));
	if (listing->is_json)
		fputs("]}", out);
	else
		fprintf(out, " %s\n", ends[path->end]);
}

/* The blocks of a function that were executed, with what their branches did. */
static void write_blocks(const struct listing *listing, const struct branch_function *function)
{
	const struct flow_graph *graph = &function->graph;
	bool is_first = true;

	if (!listing->is_json)
		fputs("     block        executed        taken    mispredicted\n", listing->out);
	for (uint32_t i = 0; i < graph->n_instructions; i++) {
		uint32_t last = i;

		if (!graph->instructions[i].is_leader)
			continue;
		while (last + 1 < graph->n_instructions && !graph->instructions[last + 1].is_leader)
			last++;
		/* A part of a path may begin or end in a block: its most executed instruction. */
		uint64_t executed = 0, taken = 0, mispredicted = 0;
		for (uint32_t k = i; k <= last; k++) {
			if (function->counts[k].executed > executed)
				executed = function->counts[k].executed;
			taken += function->counts[k].taken;
			mispredicted += function->counts[k].mispredicted;
		}
		if (!executed)
			continue;
		fprintf(listing->out,
			listing->is_json ? "%s\n   {\"start\":%" PRIu64 ",\"executed\":%" PRIu64
					   ",\"taken\":%" PRIu64 ",\"mispredicted\":%" PRIu64 "}"
					 : "%s  %8" PRIx64 " %15" PRIu64 " %12" PRIu64 " %15" PRIu64
					   "\n",
			listing->is_json && !is_first ? "," : "", address_of(function, i), executed,
			taken, mispredicted);
		is_first = false;
	}
}

/* Its functions, the outermost first. */
static void write_context(const struct listing *listing, uint32_t context, bool is_last)
{
	const struct branch_context *at = &listing->paths->contexts.all[context];

	if (at->parent != CONTEXT_TOP)
		write_context(listing, at->parent, false);
	if (listing->is_json)
		json_write_string(listing->out, at->name);
	else
		printable_put(listing->out, at->name);
	if (!is_last)
		fputs(listing->is_json ? "," : " > ", listing->out);
}

static const char *class_of_group(const struct listing *listing, uint32_t group)
{
	return path_class_name(path_sums_class(&listing->groups[group], &listing->all));
}

static void write_json_head(const struct listing *listing, const struct branch_path *path,
			    const struct path_numbers *numbers, bool is_first)
{
	const struct branch_function *function = &listing->paths->functions[path->function];
	FILE *out = listing->out;

	fputs(is_first ? "\n  {\"function\":" : ",\n  {\"function\":", out);
	json_write_string(out, function->name);
	fputs(",\"module\":", out);
	json_write_string(out, function->module_path);
	if (listing->options->by_context) {
		fputs(",\"context\":[", out);
		write_context(listing, path->context, true);
		fputs("]", out);
	}
	fprintf(out, ",\"class\":\"%s\"", class_of_group(listing, group_of(listing, path)));
	fprintf(out, ",\"address\":%" PRIu64 ",\"possible_paths\":", function->vaddr);
	fprintf(out, numbers->n_paths ? "%" PRIu64 : "null", numbers->n_paths);
	fputs(",\"paths\":[", out);
}

static void write_head(const struct listing *listing, const struct branch_path *path,
		       const struct path_numbers *numbers, bool is_first)
{
	const struct branch_function *function = &listing->paths->functions[path->function];
	FILE *out = listing->out;

	if (listing->is_json) {
		write_json_head(listing, path, numbers, is_first);
		return;
	}
	fputs("\n", out);
	if (listing->options->by_context)
		write_context(listing, path->context, true);
	else
		printable_put(out, function->name);
	fputs(" (", out);
	printable_put(out, function->module);
	fprintf(out, "), %s, ", class_of_group(listing, group_of(listing, path)));
	if (numbers->n_paths)
		fprintf(out, "%" PRIu64 " possible paths\n", numbers->n_paths);
	else
		fputs("more than 2^53 possible paths\n", out);
	fputs("    executed instructions mispredict     cycles  class         number  path\n", out);
}

/* The function whose paths are listing->order[@first] up to @end. */
static int write_function(const struct listing *listing, uint32_t first, uint32_t end,
			  bool is_first)
{
	const struct branch_paths *paths = listing->paths;
	const struct branch_path *path = &paths->paths[listing->order[first]];
	const struct branch_function *function = &paths->functions[path->function];
	const bool has_blocks = !listing->options->by_context;
	uint32_t n_top = listing->options->n_top;
	struct path_numbers numbers;

	int err = path_numbers_init(&numbers, &function->graph);
	if (err)
		return err;
	write_head(listing, path, &numbers, is_first);
	for (uint32_t i = first; i < end && (listing->is_json || i - first < n_top); i++)
		write_path(listing, &numbers, &paths->paths[listing->order[i]], i == first);
	if (!listing->is_json && end - first > n_top)
		fprintf(listing->out, "  and %" PRIu32 " other paths\n", end - first - n_top);
	if (listing->is_json && has_blocks)
		fputs("],\"blocks\":[", listing->out);
	if (has_blocks && (listing->is_json || listing->options->has_blocks))
		write_blocks(listing, function);
	if (listing->is_json)
		fputs("]}", listing->out);
	path_numbers_deinit(&numbers);
	return 0;
}

static bool is_wanted(const struct listing *listing, const struct branch_function *function)
{
	const char *wanted = listing->options->function;

	return !wanted || strcmp(wanted, function->name) == 0 ||
	       (function->symbol && strcmp(wanted, function->symbol) == 0);
}

static const char *group_word(const struct listing *listing)
{
	return listing->options->by_context ? "contexts" : "functions";
}

static bool has_group(const struct branch_path *path, const struct branch_path *other)
{
	return path->function == other->function && path->context == other->context;
}

static int write_functions(const struct listing *listing)
{
	const struct branch_paths *paths = listing->paths;
	uint32_t n_written = 0, n_left = 0;
	int err = 0;

	for (uint32_t i = 0, end; i < paths->n_paths && !err; i = end) {
		const struct branch_path *path = &paths->paths[listing->order[i]];

		for (end = i; end < paths->n_paths; end++)
			if (!has_group(&paths->paths[listing->order[end]], path))
				break;
		if (!is_wanted(listing, &paths->functions[path->function]))
			continue;
		if (listing->is_json || n_written < listing->options->n_top)
			err = write_function(listing, i, end, !n_written++);
		else
			n_left++;
	}
	if (n_left && !listing->is_json)
		fprintf(listing->out, "\nand %" PRIu32 " other %s\n", n_left, group_word(listing));
	return err;
}

/* Functions or contexts by class: how many, with how many paths each. */
static void write_group_classes(const struct listing *listing)
{
	struct path_sums of[N_PATH_CLASSES] = { 0 };
	uint64_t n[N_PATH_CLASSES] = { 0 };
	FILE *out = listing->out;

	for (uint32_t i = 0; i < listing->n_groups; i++) {
		const struct path_sums *sums = &listing->groups[i];
		const enum path_class class = path_sums_class(sums, &listing->all);

		if (!sums->n_paths)
			continue;
		n[class]++;
		of[class].n_paths += sums->n_paths;
		of[class].n_instructions += sums->n_instructions;
		of[class].n_mispredicted += sums->n_mispredicted;
	}
	fprintf(out, "\nclass       %9s  paths each instructions mispredicted\n",
		group_word(listing));
	for (int i = 0; i < PATH_PART; i++)
		fprintf(out, "%-11s %9" PRIu64 " %11.1f %12" PRIu64 " %12" PRIu64 "\n",
			path_class_name((enum path_class)i), n[i],
			n[i] ? (double)of[i].n_paths / (double)n[i] : 0.0, of[i].n_instructions,
			of[i].n_mispredicted);
}

static void write_summary(const struct listing *listing)
{
	const struct branch_paths *paths = listing->paths;
	FILE *out = listing->out;

	fprintf(out,
		"%" PRIu64 " branch stacks with %" PRIu64 " branches, %" PRIu64
		" of them in code that is not known\n"
		"%" PRIu64 " places where a stack does not fit the code; %" PRIu64
		" samples without branches; %" PRIu64
		" whose branches are not all that were taken\n",
		paths->n_stacks, paths->n_branches, paths->n_unknown, paths->n_broken,
		listing->options->n_without, listing->options->n_filtered);
	if (listing->options->by_context)
		fprintf(out,
			"%" PRIu64 " branch stacks without callers: the sample's call path has "
			"none, or ends in another function\n",
			paths->n_without_callers);
	fputs("\n", out);
	fputs("class           paths     executed instructions mispredicted\n", out);
	for (int i = 0; i < N_PATH_CLASSES; i++) {
		const struct path_sums *sums = &listing->classes.of[i];

		fprintf(out, "%-11s %9" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n",
			path_class_name((enum path_class)i), sums->n_paths, sums->count,
			sums->n_instructions, sums->n_mispredicted);
	}
	write_group_classes(listing);
}

static int write(struct listing *listing)
{
	int err = prepare(listing);

	if (!err && listing->is_json)
		fprintf(listing->out,
			"{\"stacks\":%" PRIu64 ",\"branches\":%" PRIu64 ",\"unknown\":%" PRIu64
			",\"broken\":%" PRIu64 ",\"without_branches\":%" PRIu64
			",\"filtered\":%" PRIu64 ",\"without_callers\":%" PRIu64
			",\n \"functions\":[",
			listing->paths->n_stacks, listing->paths->n_branches,
			listing->paths->n_unknown, listing->paths->n_broken,
			listing->options->n_without, listing->options->n_filtered,
			listing->paths->n_without_callers);
	else if (!err)
		write_summary(listing);
	if (!err)
		err = write_functions(listing);
	if (!err && listing->is_json)
		fputs("]}\n", listing->out);
	free(listing->order);
	free(listing->groups);
	return err;
}

int branch_write_text(FILE *out, const struct branch_paths *paths,
		      const struct branch_options *options)
{
	return write(&(struct listing){ .out = out, .paths = paths, .options = options });
}

int branch_write_json(FILE *out, const struct branch_paths *paths,
		      const struct branch_options *options)
{
	return write(&(struct listing){
		.out = out, .paths = paths, .options = options, .is_json = true });
}
