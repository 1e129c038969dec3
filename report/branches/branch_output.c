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

/* What is written, in its order: functions and their paths, most instructions first. */
struct listing {
	FILE *out;
	const struct branch_paths *paths;
	const struct branch_options *options;
	struct path_classes classes;
	uint32_t *order;   /* paths, those of a function together */
	uint64_t *weights; /* by function: instructions of its paths */
	bool is_json;
};

static int compare_paths(const void *a, const void *b, void *arg)
{
	const struct listing *listing = arg;
	const uint32_t *i = a, *j = b;
	const struct branch_path *x = &listing->paths->paths[*i], *y = &listing->paths->paths[*j];
	uint64_t p = listing->weights[x->function], q = listing->weights[y->function];

	if (p != q)
		return p > q ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->n_instructions != y->n_instructions)
		return x->n_instructions > y->n_instructions ? -1 : 1;
	return (*i > *j) - (*i < *j);
}

static int prepare(struct listing *listing)
{
	const struct branch_paths *paths = listing->paths;

	listing->order = calloc(paths->n_paths + 1, sizeof(*listing->order));
	listing->weights = calloc(paths->n_functions + 1, sizeof(*listing->weights));
	if (!listing->order || !listing->weights)
		return -ENOMEM;
	for (uint32_t i = 0; i < paths->n_paths; i++) {
		listing->order[i] = i;
		listing->weights[paths->paths[i].function] += paths->paths[i].n_instructions;
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

static void write_head(const struct listing *listing, const struct branch_function *function,
		       const struct path_numbers *numbers, bool is_first)
{
	FILE *out = listing->out;

	if (listing->is_json) {
		fputs(is_first ? "\n  {\"function\":" : ",\n  {\"function\":", out);
		json_write_string(out, function->name);
		fputs(",\"module\":", out);
		json_write_string(out, function->module_path);
		fprintf(out, ",\"address\":%" PRIu64 ",\"possible_paths\":", function->vaddr);
		fprintf(out, numbers->n_paths ? "%" PRIu64 : "null", numbers->n_paths);
		fputs(",\"paths\":[", out);
		return;
	}
	fputs("\n", out);
	printable_put(out, function->name);
	fputs(" (", out);
	printable_put(out, function->module);
	fputs("), ", out);
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
	const struct branch_function *function =
		&paths->functions[paths->paths[listing->order[first]].function];
	uint32_t n_top = listing->options->n_top;
	struct path_numbers numbers;

	int err = path_numbers_init(&numbers, &function->graph);
	if (err)
		return err;
	write_head(listing, function, &numbers, is_first);
	for (uint32_t i = first; i < end && (listing->is_json || i - first < n_top); i++)
		write_path(listing, &numbers, &paths->paths[listing->order[i]], i == first);
	if (!listing->is_json && end - first > n_top)
		fprintf(listing->out, "  and %" PRIu32 " other paths\n", end - first - n_top);
	if (listing->is_json)
		fputs("],\"blocks\":[", listing->out);
	if (listing->is_json || listing->options->has_blocks)
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

static int write_functions(const struct listing *listing)
{
	const struct branch_paths *paths = listing->paths;
	uint32_t n_written = 0, n_left = 0;
	int err = 0;

	for (uint32_t i = 0, end; i < paths->n_paths && !err; i = end) {
		uint32_t function = paths->paths[listing->order[i]].function;

		for (end = i; end < paths->n_paths; end++)
			if (paths->paths[listing->order[end]].function != function)
				break;
		if (!is_wanted(listing, &paths->functions[function]))
			continue;
		if (listing->is_json || n_written < listing->options->n_top)
			err = write_function(listing, i, end, !n_written++);
		else
			n_left++;
	}
	if (n_left && !listing->is_json)
		fprintf(listing->out, "\nand %" PRIu32 " other functions\n", n_left);
	return err;
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
		" whose branches are not all that were taken\n\n",
		paths->n_stacks, paths->n_branches, paths->n_unknown, paths->n_broken,
		listing->options->n_without, listing->options->n_filtered);
	fputs("class           paths     executed instructions mispredicted\n", out);
	for (int i = 0; i < N_PATH_CLASSES; i++) {
		const struct path_sums *sums = &listing->classes.of[i];

		fprintf(out, "%-11s %9" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n",
			path_class_name((enum path_class)i), sums->n_paths, sums->count,
			sums->n_instructions, sums->n_mispredicted);
	}
}

static int write(struct listing *listing)
{
	int err = prepare(listing);

	if (!err && listing->is_json)
		fprintf(listing->out,
			"{\"stacks\":%" PRIu64 ",\"branches\":%" PRIu64 ",\"unknown\":%" PRIu64
			",\"broken\":%" PRIu64 ",\"without_branches\":%" PRIu64
			",\"filtered\":%" PRIu64 ",\n \"functions\":[",
			listing->paths->n_stacks, listing->paths->n_branches,
			listing->paths->n_unknown, listing->paths->n_broken,
			listing->options->n_without, listing->options->n_filtered);
	else if (!err)
		write_summary(listing);
	if (!err)
		err = write_functions(listing);
	if (!err && listing->is_json)
		fputs("]}\n", listing->out);
	free(listing->order);
	free(listing->weights);
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
