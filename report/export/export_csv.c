/* A report as CSV (RFC 4180), one line for each row, depth first; docs/FORMAT.md describes it. */
#include "report/export/export_csv.h"

#include <inttypes.h>

#include "cct/base/stream.h"
#include "cct/text/cgroup_name.h"
#include "report/export/csv_field.h"
#include "report/findings/row_error.h"
#include "report/views/tree_statistics.h"
#include "report/views/view_hot.h"
#include "report/views/view_tree.h"

static void write_metric_headings(FILE *out, const char *metric, const char *const *columns,
				  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		putc(',', out);
		csv_write_field(out, metric, columns[i]);
	}
}

static bool has_process(const struct view *view)
{
	return view->options.kind == VIEW_THREADS || view->options.kind == VIEW_EPOCHS;
}

static bool has_times(const struct view *view)
{
	return view->options.kind == VIEW_PHASES || view->options.kind == VIEW_EPOCHS;
}

/* Of rows that are separate for each CPU or task. */
static void write_whose_headings(FILE *out, const struct view *view)
{
	if (view->options.each_cpu)
		fputs(",cpu", out);
	if (view->options.each_task)
		fputs(",process,pid", out);
	if (view->options.each_task && view->options.grouping == GROUP_THREAD)
		fputs(",thread,tid", out);
}

static void write_heading(FILE *out, const struct view *view, const struct export_options *options)
{
	const struct profile *profile = view->profile;

	fputs("depth,name,module,kind,id", out);
	if (view->options.kind == VIEW_LINES)
		fputs(",file,line", out);
	if (has_process(view))
		fputs(",process,pid", out);
	write_whose_headings(out, view);
	if (view->options.kind == VIEW_CGROUPS)
		fputs(",unit", out);
	if (has_times(view))
		fputs(",start_ns,duration_ns", out);
	if (has_times(view) && view_run_number(profile, 0))
		fputs(",run", out);
	if (view->options.kind == VIEW_EPOCHS)
		fputs(",files,loaded", out);
	if (view->options.kind == VIEW_CALLGRAPH)
		fputs(",arc,entry", out);
	if (view->options.kind == VIEW_HOT)
		fputs(",class", out);
	if (view->options.activations)
		fputs(",activations", out);
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		static const char *const columns[] = { " self", " total", " samples" };
		static const char *const errors[] = { " self error",  " self low",  " self high",
						      " total error", " total low", " total high" };
		static const char *const longest[] = { " longest" };

		write_metric_headings(out, profile->metrics[i].name, columns, 3);
		if (profile->metrics[i].is_waits)
			write_metric_headings(out, profile->metrics[i].name, longest, 1);
		if (view->options.errors)
			write_metric_headings(out, profile->metrics[i].name, errors, 6);
	}
	for (uint32_t i = 0; i < options->n_ratios; i++) {
		putc(',', out);
		csv_write_field(out, options->ratios[i].name, " self");
		putc(',', out);
		csv_write_field(out, options->ratios[i].name, " total");
	}
	fputs(CSV_LINE_END, out);
}

/* Empty where the denominator is 0. */
static void write_ratio(FILE *out, const struct ratio *ratio, const uint64_t *costs)
{
	double value;

	putc(',', out);
	if (ratio_of(ratio, costs, &value))
		fprintf(out, "%.9g", value);
}

/* Both fields are empty if the row is not a thread or epoch, or its process is not known. */
static void write_process(FILE *out, const struct view_row *row)
{
	putc(',', out);
	if (row->process && row->process->name)
		csv_write_field(out, row->process->name, "");
	putc(',', out);
	if (row->process)
		fprintf(out, "%" PRId32, row->process->pid);
}

static void write_task(FILE *out, const char *name, int32_t id)
{
	putc(',', out);
	if (name)
		csv_write_field(out, name, "");
	putc(',', out);
	if (name && id >= 0)
		fprintf(out, "%" PRId32, id);
}

/* Fields are empty where it is not known; all, of the root. */
static void write_whose(FILE *out, const struct view *view, const struct view_row *row)
{
	static const struct row_whose nobody = { .pid = -1, .tid = -1, .cpu = -1 };
	const struct row_whose *whose = row->whose ? row->whose : &nobody;

	if (view->options.each_cpu && whose->cpu >= 0)
		fprintf(out, ",%" PRId32, whose->cpu);
	else if (view->options.each_cpu)
		putc(',', out);
	if (view->options.each_task)
		write_task(out, whose->process, whose->pid);
	if (view->options.each_task && view->options.grouping == GROUP_THREAD)
		write_task(out, whose->thread, whose->tid);
}

/* Empty if the row is not a cgroup, or neither container nor unit is on its path. */
static void write_unit(FILE *out, const struct view_row *row)
{
	char name[CGROUP_NAME_MAX];

	putc(',', out);
	if (row->kind == ROW_CGROUP && cgroup_name(row->name, name))
		csv_write_field(out, name, "");
}

/* Both fields are empty if the row is not an interval of time. */
static void write_times(FILE *out, const struct view_row *row)
{
	if (view_row_has_times(row))
		fprintf(out, ",%" PRIu64 ",%" PRIu64, row->start_ns, row->duration_ns);
	else
		fputs(",,", out);
}

/* Empty outside of phases, and where no epoch is known. */
static void write_run(FILE *out, const struct view_row *row)
{
	putc(',', out);
	if (row->run)
		fprintf(out, "%" PRIu32, row->run);
}

/* Both fields are empty if the row is not an epoch. */
static void write_files(FILE *out, const struct view_row *row)
{
	if (!row->files) {
		fputs(",,", out);
		return;
	}
	fprintf(out, ",%" PRIu32 ",", row->n_files);
	csv_write_field(out, row->files, "");
}

/* Both fields are empty if the row is not a source line. */
static void write_line(FILE *out, const struct view_row *row)
{
	putc(',', out);
	if (row->file)
		csv_write_field(out, row->file, "");
	putc(',', out);
	if (row->file)
		fprintf(out, "%" PRIu32, row->line);
}

/* Which arc of the function above it the row is, and the number of the function it names. */
static void write_arc(FILE *out, const struct view_row *row)
{
	static const char *const names[] = {
		[ARC_NONE] = "",
		[ARC_FROM_CALLER] = "caller",
		[ARC_TO_CALLEE] = "callee",
	};
	uint32_t number = row->function ? row->function->number : row->number;

	fprintf(out, ",%s,", names[row->arc]);
	if (number)
		fprintf(out, "%" PRIu32, number);
}

/* Of an arc it is not known. */
static void write_longest(FILE *out, const struct view_row *row)
{
	putc(',', out);
	if (!row->arc)
		fprintf(out, "%" PRIu64, row->longest);
}

/* Empty where a metric has no cost. */
static void write_error(FILE *out, const struct view *view, const struct view_row *row,
			uint32_t metric, enum share_kind kind)
{
	struct share_error error;

	if (row_error(view, row, metric, kind, &error))
		fprintf(out, ",%.6g,%.6g,%.6g", error.error, error.low, error.high);
	else
		fputs(",,,", out);
}

static void write_costs(FILE *out, const struct view *view, const struct view_row *row,
			uint32_t metric)
{
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, row->self[metric], row->total[metric],
		row->samples[metric]);
	if (view->profile->metrics[metric].is_waits)
		write_longest(out, row);
	if (!view->options.errors)
		return;
	write_error(out, view, row, metric, SHARE_SELF);
	write_error(out, view, row, metric, SHARE_TOTAL);
}

/* Empty if the row is not of code. */
static void write_activations(FILE *out, const struct view_row *row)
{
	putc(',', out);
	if (view_row_is_code(row))
		fprintf(out, "%" PRIu64, row->activations);
}

static void write_row(FILE *out, const struct view *view, const struct view_row *row,
		      unsigned depth, const struct export_options *options)
{
	uint32_t n_metrics = view->profile->n_metrics;

	fprintf(out, "%u,", depth);
	csv_write_field(out, row->name, "");
	putc(',', out);
	csv_write_field(out, row->module, "");
	fprintf(out, ",%s,", view_row_kind_name(row->kind));
	if (row->id >= 0)
		fprintf(out, "%" PRId32, row->id);
	if (view->options.kind == VIEW_LINES)
		write_line(out, row);
	if (has_process(view))
		write_process(out, row);
	write_whose(out, view, row);
	if (view->options.kind == VIEW_CGROUPS)
		write_unit(out, row);
	if (has_times(view))
		write_times(out, row);
	if (has_times(view) && view_run_number(view->profile, 0))
		write_run(out, row);
	if (view->options.kind == VIEW_EPOCHS)
		write_files(out, row);
	if (view->options.kind == VIEW_CALLGRAPH)
		write_arc(out, row);
	if (view->options.kind == VIEW_HOT)
		fprintf(out, ",%s", depth ? heat_name(row->heat) : "");
	if (view->options.activations)
		write_activations(out, row);
	for (uint32_t i = 0; i < n_metrics; i++)
		write_costs(out, view, row, i);
	for (uint32_t i = 0; i < options->n_ratios; i++) {
		write_ratio(out, &options->ratios[i], row->self);
		write_ratio(out, &options->ratios[i], row->total);
	}
	fputs(CSV_LINE_END, out);
}

static int write_statistics(FILE *out, const struct view *view)
{
	fputs("tree,size,nodes,node size,interior nodes,out-degree,average height,height,"
	      "replication,name,module" CSV_LINE_END,
	      out);
	for (int kind = 0; kind < N_TREES; kind++) {
		const struct tree_statistics *tree = &view->trees[kind];

		fprintf(out,
			"%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.9g,%.9g,%" PRIu64,
			tree_kind_name((enum tree_kind)kind), tree->size, tree->n_nodes,
			tree_node_size(tree), tree->n_interior, tree_out_degree(tree),
			tree_average_height(tree), tree->max_height);
		if (tree->replication)
			fprintf(out, ",%" PRIu64 ",", tree->replication);
		else
			fputs(",,", out);
		csv_write_field(out, tree->replication ? tree->replicated : "", "");
		putc(',', out);
		csv_write_field(out, tree->replication ? tree->module : "", "");
		fputs(CSV_LINE_END, out);
	}
	return stream_finish(out);
}

int export_csv(FILE *out, const struct view *view, struct symbolizer *symbolizer,
	       const struct export_options *options)
{
	struct row_walk walk = { view, view->root, 0, options->max_depth };
	int err = 0;

	(void)symbolizer;
	if (view->options.kind == VIEW_STATS)
		return write_statistics(out, view);
	write_heading(out, view, options);
	for (; !err && walk.row; err = row_walk_next(&walk))
		write_row(out, view, walk.row, walk.depth, options);
	return err ? err : stream_finish(out);
}
