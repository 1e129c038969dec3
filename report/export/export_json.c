/* A report as one JSON object; docs/FORMAT.md describes it. */
#include "report/export/export_json.h"

#include <inttypes.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/stream.h"
#include "cct/text/json_string.h"
#include "report/export/json_recording.h"
#include "report/views/missing.h"

/* Like printf("%" PRIu64), but many times as fast: most of a report's bytes are numbers. */
static void write_number(FILE *out, uint64_t number)
{
	char digits[20], *first = digits + sizeof(digits);

	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	fwrite(first, 1, (size_t)(digits + sizeof(digits) - first), out);
}

static void write_numbers(FILE *out, const uint64_t *numbers, uint32_t n)
{
	putc('[', out);
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			putc(',', out);
		write_number(out, numbers[i]);
	}
	putc(']', out);
}

static void write_counts(FILE *out, const struct metric *metric)
{
	if (metric->has_counted)
		fprintf(out, ",\"counted\":%" PRIu64, metric->counted);
	if (metric->time_enabled_ns)
		fprintf(out, ",\"time_enabled\":%" PRIu64 ",\"time_running\":%" PRIu64,
			metric->time_enabled_ns, metric->time_running_ns);
	if (metric->is_scaled)
		fprintf(out, ",\"scaled\":%.9g",
			(double)metric->time_enabled_ns / (double)metric->time_running_ns);
}

static void write_metrics(FILE *out, const struct profile *profile)
{
	fputs("\"metrics\":[", out);
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		const struct metric *metric = &profile->metrics[i];

		fputs(i ? ",\n  {\"event\":" : "\n  {\"event\":", out);
		json_write_string(out, metric->name);
		fputs(",\"unit\":", out);
		json_write_string(out, metric->unit);
		fprintf(out, ",\"samples\":%" PRIu64 ",\"total\":%" PRIu64, metric->samples,
			metric->total);
		write_counts(out, metric);
		putc('}', out);
	}
	fputs("],\n", out);
}

static void write_ratio_names(FILE *out, const struct export_options *options)
{
	if (!options->n_ratios)
		return;
	fputs("\"ratios\":[", out);
	for (uint32_t i = 0; i < options->n_ratios; i++) {
		const struct ratio *ratio = &options->ratios[i];

		fputs(i ? ",{\"name\":" : "{\"name\":", out);
		json_write_string(out, ratio->name);
		fprintf(out,
			",\"numerator\":%" PRIu32 ",\"denominator\":%" PRIu32 ",\"factor\":%.17g}",
			ratio->numerator, ratio->denominator, ratio->factor);
	}
	fputs("],\n", out);
}

/* null where the denominator is 0. */
static void write_ratios(FILE *out, const char *key, const struct export_options *options,
			 const uint64_t *costs)
{
	if (!options->n_ratios)
		return;
	fprintf(out, ",\"%s\":[", key);
	for (uint32_t i = 0; i < options->n_ratios; i++) {
		double value;

		if (i)
			putc(',', out);
		if (ratio_of(&options->ratios[i], costs, &value))
			fprintf(out, "%.9g", value);
		else
			fputs("null", out);
	}
	putc(']', out);
}

/* Writes the counters of a section; @before: text before the first one. */
static void write_counters(FILE *out, const struct profile_quality *quality,
			   enum quality_section section, const char *before)
{
	for (int i = 0; i < N_QUALITY_COUNTERS; i++) {
		const struct quality_description *of = quality_describe((enum quality_counter)i);

		if (of->section != section)
			continue;
		fprintf(out, "%s\"%s\":%" PRIu64, before, of->name,
			i == QUALITY_SAMPLES ? quality_n_used(quality) : quality->counts[i]);
		before = ",";
	}
}

/* Written only if there are problems. */
static void write_jitdumps(FILE *out, const struct profile_quality *quality)
{
	uint64_t n = 0;

	for (int i = 0; i < N_QUALITY_COUNTERS; i++) {
		if (quality_describe((enum quality_counter)i)->section == QUALITY_JITDUMPS)
			n += quality->counts[i];
	}
	if (!n)
		return;
	write_counters(out, quality, QUALITY_JITDUMPS, ",\n  \"jitdumps\":{");
	putc('}', out);
}

/* Written only if the recording explains why paths end. */
static void write_why(FILE *out, const struct profile *profile)
{
	size_t n = 0;

	for (int marker = 0; marker < N_MARKERS; marker++) {
		if (!profile->info.why[marker] || !profile->quality.incomplete[marker])
			continue;
		fprintf(out, "%s\"%s\":", n++ ? "," : ",\n  \"why\":{",
			marker_name((enum marker)marker));
		json_write_string(out, profile->info.why[marker]);
	}
	if (n)
		putc('}', out);
}

/* Written only if a CPU was not recorded for a time. */
static void write_cpu_gaps(FILE *out, const struct profile_info *info)
{
	for (size_t i = 0; i < info->n_cpu_gaps; i++) {
		const struct cpu_gap *gap = &info->cpu_gaps[i];

		fprintf(out, "%s{\"cpu\":%" PRIu32 ",\"start_ns\":%" PRIu64,
			i ? "," : ",\n  \"cpu_gaps\":[", gap->cpu, gap->start_ns - info->start_ns);
		if (gap->end_ns)
			fprintf(out, ",\"end_ns\":%" PRIu64, gap->end_ns - info->start_ns);
		putc('}', out);
	}
	if (info->n_cpu_gaps)
		putc(']', out);
}

static void write_quality(FILE *out, const struct profile *profile)
{
	const struct profile_quality *quality = &profile->quality;

	write_counters(out, quality, QUALITY_TOP, "\"quality\":{");
	write_counters(out, quality, QUALITY_UNWIND, ",\n  \"unwind\":{");
	for (int marker = 0; marker < N_MARKERS; marker++) {
		if (marker_is_reason((enum marker)marker))
			fprintf(out, ",\"%s\":%" PRIu64, marker_name((enum marker)marker),
				quality->incomplete[marker]);
	}
	write_counters(out, quality, QUALITY_OFF_CPU, "},\n  \"off_cpu\":{");
	putc('}', out);
	write_jitdumps(out, quality);
	write_cpu_gaps(out, &profile->info);
	write_why(out, profile);
	fputs("},\n", out);
}

/* Writes the marks that occur, or nothing if there are none. */
static void write_marks(FILE *out, const char *start, const uint64_t marked[N_PATH_MARKS])
{
	const char *before = start;

	for (int mark = 0; mark < N_PATH_MARKS; mark++) {
		if (!marked[mark])
			continue;
		fprintf(out, "%s\"%s\":%" PRIu64, before, cct_path_mark_name((enum path_mark)mark),
			marked[mark]);
		before = ",";
	}
	if (before != start)
		putc('}', out);
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

/* Nothing if no metric is of waits. */
static void write_waits(FILE *out, const struct profile *profile, const struct view_row *row)
{
	uint32_t metric = profile_waits_metric(profile);

	if (metric == UINT32_MAX)
		return;
	fputs(",\"waits\":", out);
	write_number(out, row->samples[metric]);
	fputs(",\"longest\":", out);
	write_number(out, row->longest);
}

static void write_fields(FILE *out, const struct view *view, const struct export_options *options,
			 const struct view_row *row)
{
	uint32_t n_metrics = view->profile->n_metrics;

	fputs("\"name\":", out);
	json_write_string(out, row->name);
	fputs(",\"module\":", out);
	json_write_string(out, row->module);
	fputs(",\"kind\":", out);
	json_write_string(out, view_row_kind_name(row->kind));
	/* Grouped by name, rows have no id: each name has one row. */
	if (view->options.grouping != GROUP_COMM && row->id >= 0)
		fprintf(out, ",\"id\":%" PRId32, row->id);
	if (view->options.kind == VIEW_LINES)
		write_line(out, row);
	if (row->call_file) {
		fputs(",\"call\":{\"file\":", out);
		json_write_string(out, row->call_file);
		fprintf(out, ",\"line\":%" PRIu32 "}", row->call_line);
	}
	fputs(",\"self\":", out);
	write_numbers(out, row->self, n_metrics);
	fputs(",\"total\":", out);
	write_numbers(out, row->total, n_metrics);
	write_waits(out, view->profile, row);
	write_ratios(out, "ratio_self", options, row->self);
	write_ratios(out, "ratio_total", options, row->total);
	write_marks(out, ",\"mark\":{", row->marked);
}

static void write_rows(FILE *out, const struct view *view, const struct export_options *options)
{
	fputs("\"rows\":[", out);
	for (const struct view_row *row = view->root->children; row; row = row->next) {
		fputs(row == view->root->children ? "\n{" : ",\n{", out);
		write_fields(out, view, options, row);
		putc('}', out);
	}
	fputs("\n]", out);
}

/* @parent: NULL for the root. */
static void write_node(FILE *out, const struct view *view, const struct export_options *options,
		       const struct view_row *row, const uint64_t *parent)
{
	fputs(parent ? ",\n{\"parent\":" : "\n{\"parent\":", out);
	if (parent)
		write_number(out, *parent);
	else
		fputs("-1", out);
	putc(',', out);
	write_fields(out, view, options, row);
	putc('}', out);
}

/* Depth first without recursion: trees may be as deep as the input made them. */
static int write_nodes(FILE *out, const struct view *view, const struct export_options *options)
{
	_cleanup_free_ uint64_t *above =
		NULL; /* indexes of the nodes from the root to the parent */
	size_t depth = 0, n_allocated = 0;
	const struct view_row *row = view->root;

	fputs("\"nodes\":[", out);
	for (uint64_t index = 0;; index++) {
		write_node(out, view, options, row, depth ? &above[depth - 1] : NULL);
		if (row->children && (!options->max_depth || depth < options->max_depth)) {
			if (array_reserve(above, depth, n_allocated, 1))
				return -ENOMEM;
			above[depth++] = index;
			row = row->children;
			continue;
		}
		for (; depth && !row->next; depth--)
			row = row->parent;
		if (!depth)
			break;
		row = row->next;
	}
	fputs("\n]", out);
	return 0;
}

static void write_build_id(FILE *out, const char *key, const struct build_id *build_id)
{
	char id[BUILD_ID_TEXT_SIZE];

	build_id_format(build_id, id);
	if (build_id->size)
		fprintf(out, ",\"%s\":\"%s\"", key, id);
}

static void write_missing(FILE *out, const struct view *view, const struct missing *missing)
{
	const struct symbol_problem *problem = &missing->problem;
	const struct module *module = module_table_get(&view->profile->modules, problem->module);

	fputs("{\"module\":", out);
	json_write_string(out, module_name(module));
	fputs(",\"path\":", out);
	json_write_string(out, module->key.path);
	fprintf(out, ",\"lacks\":\"%s\",\"problem\":", missing_lack_name(problem->lack));
	json_write_string(out, problem->text);
	write_build_id(out, "build_id", &problem->build_id);
	write_build_id(out, "found_build_id", &problem->found);
	fputs(",\"self\":", out);
	write_numbers(out, missing->self, view->profile->n_metrics);
	fputs(",\"total\":", out);
	write_numbers(out, missing->total, view->profile->n_metrics);
	putc('}', out);
}

static int write_all_missing(FILE *out, const struct view *view,
			     const struct symbolizer *symbolizer)
{
	struct missing_list list;
	int err = missing_list_init(&list, view->profile, symbolizer, view->options.sort_metric);

	if (err)
		return err;
	fputs("\"missing\":[", out);
	for (size_t i = 0; i < list.n; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		write_missing(out, view, &list.items[i]);
	}
	fputs("],\n", out);
	missing_list_deinit(&list);
	return 0;
}

int export_json(FILE *out, const struct view *view, struct symbolizer *symbolizer,
		const struct export_options *options)
{
	putc('{', out);
	json_write_recording(out, &view->profile->info);
	write_metrics(out, view->profile);
	write_ratio_names(out, options);
	write_quality(out, view->profile);
	int err = write_all_missing(out, view, symbolizer);
	if (err)
		return err;
	if (view_is_flat(view))
		write_rows(out, view, options);
	else
		err = write_nodes(out, view, options);
	if (err)
		return err;
	fputs("}\n", out);
	return stream_finish(out);
}
