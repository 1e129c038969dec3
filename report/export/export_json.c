/* A report as one JSON object; docs/FORMAT.md describes it. */
#include "report/export/export_json.h"

#include <inttypes.h>

#include "cct/base/cleanup.h"
#include "cct/base/stream.h"
#include "cct/text/json_string.h"
#include "report/export/json_hot.h"
#include "report/export/json_recording.h"
#include "report/export/json_rows.h"
#include "report/export/json_statistics.h"
#include "report/findings/missing.h"
#include "report/findings/path_ends.h"

static void write_counts(FILE *out, const struct metric *metric)
{
	if (metric->has_counted)
		fprintf(out, ",\"counted\":%" PRIu64, metric->counted);
	if (metric->time_enabled_ns)
		fprintf(out, ",\"time_enabled\":%" PRIu64 ",\"time_running\":%" PRIu64,
			metric->time_enabled_ns, metric->time_running_ns);
	if (metric_is_exact(metric))
		fputs(",\"exact\":true", out);
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

static void write_option(FILE *out, const char *before, const char *option)
{
	fprintf(out, "%s{\"option\":\"%s\",\"value\":", before, option);
}

static void write_selection_options(FILE *out, const struct path_selection *selection)
{
	const char *before = "";

	for (size_t i = 0; i < selection->n_conditions; i++) {
		write_option(out, before, condition_kind_name(selection->conditions[i].kind));
		json_write_string(out, selection->conditions[i].text);
		putc('}', out);
		before = ",";
	}
	if (selection->has_caller_depth) {
		write_option(out, before, "caller-depth");
		fprintf(out, "%" PRIu32 "}", selection->caller_depth);
	}
}

static void write_selection(FILE *out, const struct profile *profile,
			    const struct selected_paths *selected)
{
	if (!selected)
		return;
	fputs("\"selection\":{\"options\":[", out);
	write_selection_options(out, selected->selection);
	fputs("],\n  \"samples\":[", out);
	for (uint32_t i = 0; i < profile->n_metrics; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", selected->costs[i].samples);
	fputs("],\"total\":[", out);
	for (uint32_t i = 0; i < profile->n_metrics; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", selected->costs[i].weight);
	fprintf(out, "],\"hidden_functions\":%" PRIu32 "},\n", selected->n_hidden);
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
		_cleanup_free_ char *why = path_ends_explain(profile, (enum marker)marker);

		if (!why || !profile->quality.incomplete[marker])
			continue;
		fprintf(out, "%s\"%s\":", n++ ? "," : ",\n  \"why\":{",
			marker_name((enum marker)marker));
		json_write_string(out, why);
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

/* Written only if there are any. */
static void write_losses(FILE *out, const struct profile_info *info)
{
	for (size_t i = 0; i < info->losses.n; i++) {
		const struct loss *loss = &info->losses.losses[i];

		fprintf(out, "%s{\"kind\":\"%s\"", i ? "," : ",\n  \"losses\":[",
			loss_kind_name(loss->kind));
		if (loss->cpu != LOSS_NO_CPU)
			fprintf(out, ",\"cpu\":%" PRIu32, loss->cpu);
		fprintf(out, ",\"start_ns\":%" PRId64 ",\"end_ns\":%" PRId64 ",\"n\":%" PRIu64 "}",
			(int64_t)(loss->start_ns - info->start_ns),
			(int64_t)(loss->end_ns - info->start_ns), loss->n);
	}
	if (info->losses.n)
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
	write_losses(out, &profile->info);
	write_why(out, profile);
	fputs("},\n", out);
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
	json_write_costs(out, missing->self, view->profile->n_metrics);
	fputs(",\"total\":", out);
	json_write_costs(out, missing->total, view->profile->n_metrics);
	putc('}', out);
}

static int write_all_missing(FILE *out, const struct view *view, struct symbolizer *symbolizer)
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
	write_selection(out, view->profile, options->selected);
	write_quality(out, view->profile);
	int err = write_all_missing(out, view, symbolizer);
	if (err)
		return err;
	if (view->options.kind == VIEW_STATS) {
		json_write_statistics(out, view);
		fputs("}\n", out);
		return stream_finish(out);
	}
	bool is_call_graph = view->options.kind == VIEW_CALLGRAPH;
	if (view_is_flat(view) || is_call_graph)
		json_write_rows(out, view, options);
	else
		err = json_write_nodes(out, view, options);
	if (err)
		return err;
	if (is_call_graph)
		json_write_cycles(out, view);
	if (view->options.kind == VIEW_HOT)
		json_write_hot(out, view);
	fputs("}\n", out);
	return stream_finish(out);
}
