#include "report/export/json_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/text/cgroup_name.h"
#include "cct/text/decimal.h"
#include "cct/text/json_string.h"
#include "report/export/json_errors.h"
#include "report/views/view_hot.h"
#include "report/views/view_tree.h"

#define NO_FRAME UINT32_MAX

/* Members of an object. */
struct members {
	FILE *out;
	const char *start; /* text before the first one */
	size_t n;
};

static void write_key(struct members *members, const char *key)
{
	fprintf(members->out, "%s\"%s\":", members->n++ ? "," : members->start, key);
}

void json_write_costs(FILE *out, const uint64_t *costs, uint32_t n)
{
	putc('[', out);
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			putc(',', out);
		decimal_write(out, costs[i]);
	}
	putc(']', out);
}

/* null where the denominator is 0. */
static void write_ratios(struct members *members, const char *key,
			 const struct export_options *options, const uint64_t *costs)
{
	if (!options->n_ratios)
		return;
	write_key(members, key);
	putc('[', members->out);
	for (uint32_t i = 0; i < options->n_ratios; i++) {
		double value;

		if (i)
			putc(',', members->out);
		if (ratio_of(&options->ratios[i], costs, &value))
			fprintf(members->out, "%.9g", value);
		else
			fputs("null", members->out);
	}
	putc(']', members->out);
}

/* Writes the marks that occur, or nothing if there are none. */
static void write_marks(struct members *members, const uint64_t marked[N_PATH_MARKS])
{
	struct members marks = { .out = members->out, .start = "{" };

	for (int mark = 0; mark < N_PATH_MARKS; mark++) {
		if (!marked[mark])
			continue;
		if (!marks.n)
			write_key(members, "mark");
		write_key(&marks, path_mark_name((enum path_mark)mark));
		decimal_write(members->out, marked[mark]);
	}
	if (marks.n)
		putc('}', members->out);
}

/* The process of a thread or epoch. */
static void write_process(FILE *out, const struct view_row *row)
{
	if (!row->process)
		return;
	if (row->process->name) {
		fputs(",\"process\":", out);
		json_write_string(out, row->process->name);
	}
	fprintf(out, ",\"pid\":%" PRId32, row->process->pid);
}

/* Whose samples a row has, where rows are separate for each CPU or task. */
static void write_whose(FILE *out, const struct row_whose *whose)
{
	if (!whose)
		return;
	if (whose->cpu >= 0)
		fprintf(out, ",\"cpu\":%" PRId32, whose->cpu);
	if (whose->process) {
		fputs(",\"process\":", out);
		json_write_string(out, whose->process);
	}
	if (whose->pid >= 0)
		fprintf(out, ",\"pid\":%" PRId32, whose->pid);
	if (whose->thread) {
		fputs(",\"thread\":", out);
		json_write_string(out, whose->thread);
		fprintf(out, ",\"tid\":%" PRId32, whose->tid);
	}
}

/* The container or unit that a cgroup is, or is in. */
static void write_unit(FILE *out, const struct view_row *row)
{
	char name[CGROUP_NAME_MAX];

	if (row->kind != ROW_CGROUP || !cgroup_name(row->name, name))
		return;
	fputs(",\"unit\":", out);
	json_write_string(out, name);
}

/* The source line of a row, and the number of its functions unless it is one. */
static void write_line(FILE *out, const struct view_row *row)
{
	if (row->file) {
		fputs(",\"file\":", out);
		json_write_string(out, row->file);
		fprintf(out, ",\"line\":%" PRIu32, row->line);
	}
	if (row->n_merged > 1)
		fprintf(out, ",\"functions\":%" PRIu32, row->n_merged);
}

static void write_times(FILE *out, const struct view_row *row)
{
	if (!view_row_has_times(row))
		return;
	fprintf(out, ",\"start_ns\":%" PRIu64 ",\"duration_ns\":%" PRIu64, row->start_ns,
		row->duration_ns);
	if (row->run)
		fprintf(out, ",\"run\":%" PRIu32, row->run);
}

/* What an epoch began with. */
static void write_files(FILE *out, const struct view_row *row)
{
	const char *rest = row->files;
	char name[FILE_NAME_SIZE];

	if (!rest)
		return;
	fprintf(out, ",\"files\":%" PRIu32 ",\"loaded\":[", row->n_files);
	for (bool is_first = true; file_names_next(&rest, name); is_first = false) {
		if (!is_first)
			putc(',', out);
		json_write_string(out, name);
	}
	putc(']', out);
}

/* Nothing if no metric is of waits. */
static void write_waits(struct members *members, const struct profile *profile,
			const struct view_row *row)
{
	uint32_t metric = profile_waits_metric(profile);

	if (metric == UINT32_MAX)
		return;
	write_key(members, "waits");
	decimal_write(members->out, row->samples[metric]);
	write_key(members, "longest");
	decimal_write(members->out, row->longest);
}

/* Grouped by name, rows have no id: each name has one row. But CPUs and intervals of time have
 * numbers. */
static bool has_id(const struct view *view, const struct view_row *row)
{
	return row->id >= 0 && (row->kind == ROW_CPU || row->kind == ROW_PHASE ||
				row->kind == ROW_EPOCH || view->options.grouping != GROUP_COMM);
}

/* Writes the members that are equal in all rows of a function, process, thread, CPU or marker. */
static void write_frame(FILE *out, const struct view *view, const struct view_row *row)
{
	fputs("{\"name\":", out);
	json_write_string(out, row->name);
	fputs(",\"module\":", out);
	json_write_string(out, row->module);
	fputs(",\"kind\":", out);
	json_write_string(out, view_row_kind_name(row->kind));
	if (has_id(view, row))
		fprintf(out, ",\"id\":%" PRId32, row->id);
	if (row->kind == ROW_PROCESS && row->n_merged > 1 && view->options.grouping != GROUP_COMM)
		fprintf(out, ",\"processes\":%" PRIu32, row->n_merged);
}

static void write_errors(struct members *members, const struct view *view,
			 const struct view_row *row)
{
	if (view->options.errors)
		json_write_errors(members->out, members->n++ ? "," : members->start, view, row);
}

static void write_activations(struct members *members, const struct view *view,
			      const struct view_row *row)
{
	if (!view->options.activations || !view_row_is_code(row))
		return;
	write_key(members, "activations");
	decimal_write(members->out, row->activations);
}

/* What only some rows have. */
static void write_more(struct members *members, const struct view *view,
		       const struct export_options *options, const struct view_row *row)
{
	if (row->call_file) {
		write_key(members, "call");
		fputs("{\"file\":", members->out);
		json_write_string(members->out, row->call_file);
		fprintf(members->out, ",\"line\":%" PRIu32 "}", row->call_line);
	}
	write_errors(members, view, row);
	write_activations(members, view, row);
	write_waits(members, view->profile, row);
	write_ratios(members, "ratio_self", options, row->self);
	write_ratios(members, "ratio_total", options, row->total);
	write_marks(members, row->marked);
}

static void write_row_costs(FILE *out, const struct view_row *row, uint32_t n_metrics)
{
	fputs("\"self\":", out);
	json_write_costs(out, row->self, n_metrics);
	fputs(",\"total\":", out);
	json_write_costs(out, row->total, n_metrics);
}

/* @row: NULL for a caller that is missing. */
static void write_row_index(FILE *out, const struct view_row *row)
{
	if (row)
		decimal_write(out, row->number - 1);
	else
		fputs("null", out);
}

static void write_arcs(FILE *out, const struct view *view, const struct export_options *options,
		       const struct view_row *function, enum row_arc kind)
{
	const char *before = "";

	putc('[', out);
	for (const struct view_row *arc = function->children; arc; arc = arc->next) {
		struct members members = { .out = out, .start = "," };

		if (arc->arc != kind)
			continue;
		fprintf(out, "%s\n  {\"row\":", before);
		write_row_index(out, arc->function);
		putc(',', out);
		write_row_costs(out, arc, view->profile->n_metrics);
		write_errors(&members, view, arc);
		write_activations(&members, view, arc);
		write_ratios(&members, "ratio_self", options, arc->self);
		write_ratios(&members, "ratio_total", options, arc->total);
		putc('}', out);
		before = ",";
	}
	putc(']', out);
}

/* A row of a call graph has arcs, unless --depth leaves them out. */
static void write_callers_and_callees(FILE *out, const struct view *view,
				      const struct export_options *options,
				      const struct view_row *row)
{
	if (view->options.kind != VIEW_CALLGRAPH || options->max_depth == 1)
		return;
	fputs(",\n \"callers\":", out);
	write_arcs(out, view, options, row, ARC_FROM_CALLER);
	fputs(",\n \"callees\":", out);
	write_arcs(out, view, options, row, ARC_TO_CALLEE);
}

void json_write_cycles(FILE *out, const struct view *view)
{
	fputs(",\n\"cycles\":[", out);
	for (const struct view_row *row = view->cycles->children; row; row = row->next) {
		fputs(row == view->cycles->children ? "\n{\"rows\":[" : ",\n{\"rows\":[", out);
		for (const struct view_row *step = row->children; step; step = step->next) {
			fputs(step == row->children ? "" : ",", out);
			write_row_index(out, step->function);
		}
		fputs("],\"total\":", out);
		json_write_costs(out, row->total, view->profile->n_metrics);
		putc('}', out);
	}
	fputs("\n]", out);
}

void json_write_rows(FILE *out, const struct view *view, const struct export_options *options)
{
	fputs("\"rows\":[", out);
	for (const struct view_row *row = view->root->children; row; row = row->next) {
		struct members members = { .out = out, .start = "," };

		fputs(row == view->root->children ? "\n" : ",\n", out);
		write_frame(out, view, row);
		if (view->options.kind == VIEW_LINES)
			write_line(out, row);
		if (view->options.kind == VIEW_HOT)
			fprintf(out, ",\"class\":\"%s\"", heat_name(row->heat));
		write_process(out, row);
		write_whose(out, row->whose);
		write_unit(out, row);
		write_times(out, row);
		write_files(out, row);
		putc(',', out);
		write_row_costs(out, row, view->profile->n_metrics);
		write_more(&members, view, options, row);
		write_callers_and_callees(out, view, options, row);
		putc('}', out);
	}
	fputs("\n]", out);
}

static struct row_walk walk_rows(const struct view *view, const struct export_options *options)
{
	return (struct row_walk){ view, view->root, 0, options->max_depth };
}

/* @frames: by entity, receives the indexes. 0 or -ENOMEM. */
static int write_frames(FILE *out, const struct view *view, const struct export_options *options,
			uint32_t *frames)
{
	struct row_walk walk = walk_rows(view, options);
	uint32_t n_frames = 0;
	int err = 0;

	memset(frames, 0xff, view->n_entities * sizeof(*frames));
	fputs("\"frames\":[", out);
	for (; !err && walk.row; err = row_walk_next(&walk)) {
		if (frames[walk.row->entity] != NO_FRAME)
			continue;
		frames[walk.row->entity] = n_frames;
		fputs(n_frames++ ? ",\n" : "\n", out);
		write_frame(out, view, walk.row);
		putc('}', out);
	}
	fputs("\n],\n", out);
	return err;
}

/* @parent: NULL for the root. */
static void write_node(FILE *out, const struct view *view, const struct export_options *options,
		       const struct view_row *row, uint32_t frame, const uint64_t *parent)
{
	struct members more = { .out = out, .start = ",{" };
	uint32_t n_metrics = view->profile->n_metrics;

	fputs(parent ? ",\n[" : "\n[-1", out);
	if (parent)
		decimal_write(out, *parent);
	putc(',', out);
	decimal_write(out, frame);
	putc(',', out);
	json_write_costs(out, row->self, n_metrics);
	putc(',', out);
	json_write_costs(out, row->total, n_metrics);
	write_more(&more, view, options, row);
	fputs(more.n ? "}]" : "]", out);
}

int json_write_nodes(FILE *out, const struct view *view, const struct export_options *options)
{
	_cleanup_free_ uint64_t *above = NULL; /* indexes of the last nodes, by depth */
	_cleanup_free_ uint32_t *frames = malloc((view->n_entities + 1u) * sizeof(*frames));
	size_t n_allocated = 0;
	struct row_walk walk = walk_rows(view, options);
	uint64_t index = 0;
	int err = frames ? write_frames(out, view, options, frames) : -ENOMEM;

	if (err)
		return err;
	fputs("\"nodes\":[", out);
	for (; !err && walk.row; err = row_walk_next(&walk)) {
		if (array_reserve(above, walk.depth, n_allocated, 1))
			return -ENOMEM;
		above[walk.depth] = index++;
		write_node(out, view, options, walk.row, frames[walk.row->entity],
			   walk.depth ? &above[walk.depth - 1] : NULL);
	}
	fputs("\n]", out);
	return err;
}
