#include "report/html/page_facts.h"

#include <errno.h>
#include <inttypes.h>

#include "cct/base/cleanup.h"
#include "cct/text/counted_text.h"
#include "cct/text/json_string.h"
#include "report/export/json_recording.h"
#include "report/export/json_rows.h"
#include "report/findings/missing.h"
#include "report/findings/path_ends.h"
#include "report/findings/runtimes.h"
#include "report/html/page_marks.h"
#include "report/html/page_string.h"
#include "report/names/debug_packages.h"
#include "report/views/view_rows.h"

#define MAX_FILES           4 /* whose packages are named */
#define N_NAMED_RATIOS      2
#define LEAST_SHARE         0.005
#define LEAST_SHARE_PERCENT (100 * LEAST_SHARE)

static int write_member(FILE *out, const char *before, const char *text)
{
	return text ? page_string_write(out, before, text) : 0;
}

static int write_machine(FILE *out, const struct profile_info *info)
{
	int err = write_member(out, ",\n\"command\":", info->command_line);

	if (!err)
		err = write_member(out, ",\n\"host\":", info->hostname);
	if (!err)
		err = write_member(out, ",\"kernel\":", info->os_release);
	if (!err)
		err = write_member(out, ",\"arch\":", info->arch);
	if (!err)
		err = write_member(out, ",\"cpu\":", info->cpu);
	if (info->n_cpus)
		fprintf(out, ",\"cpus\":%" PRIu32, info->n_cpus);
	if (info->end_ns > info->start_ns)
		fprintf(out, ",\"duration\":%" PRIu64, info->end_ns - info->start_ns);
	if (info->start_ns && info->has_date)
		fprintf(out, ",\"date\":%" PRIu64, info->start_ns + info->unix_offset_ns);
	return err;
}

static int write_metrics(FILE *out, const struct profile *profile)
{
	int err = 0;

	fputs(",\n\"metrics\":[", out);
	for (uint32_t i = 0; i < profile->n_metrics && !err; i++) {
		const struct metric *metric = &profile->metrics[i];

		err = page_string_write(out, i ? ",\n{\"event\":" : "{\"event\":", metric->name);
		fputs(",\"unit\":", out);
		json_write_string(out, metric->unit);
		fprintf(out, ",\"samples\":%" PRIu64 ",\"total\":%" PRIu64 ",\"lost\":%" PRIu64,
			metric->samples, metric->total, metric->lost);
		if (metric->has_counted)
			fprintf(out, ",\"counted\":%" PRIu64, metric->counted);
		if (metric_is_multiplexed(metric))
			fprintf(out, ",\"running\":%.9g",
				(double)metric->time_running_ns / (double)metric->time_enabled_ns);
		fprintf(out, ",\"waits\":%s,\"exact\":%s,\"scaled\":%s}",
			metric->is_waits ? "true" : "false",
			metric_is_exact(metric) ? "true" : "false",
			metric->is_scaled ? "true" : "false");
	}
	putc(']', out);
	return err;
}

/* Ratios that everyone wants, as far as the events are there. Their number. */
static uint32_t find_ratios(const struct profile *profile, struct ratio ratios[N_NAMED_RATIOS])
{
	static const char *const names[N_NAMED_RATIOS] = { "ipc", "mpki" };
	uint32_t n = 0;

	for (size_t i = 0; i < N_NAMED_RATIOS; i++)
		n += ratio_parse(names[i], profile, &ratios[n]);
	return n;
}

/* Those of --ratio, or else the usual ones. */
static int write_ratios(FILE *out, const struct page *page)
{
	const struct export_options *options = page->options;
	struct ratio named[N_NAMED_RATIOS];
	const struct ratio *ratios = options->n_ratios ? options->ratios : named;
	const uint32_t n =
		options->n_ratios ? options->n_ratios : find_ratios(page->profile, named);
	int err = 0;

	fputs(",\n\"ratios\":[", out);
	for (uint32_t i = 0; i < n && !err; i++) {
		err = page_string_write(out, i ? ",{\"name\":" : "{\"name\":", ratios[i].name);
		fprintf(out,
			",\"numerator\":%" PRIu32 ",\"denominator\":%" PRIu32 ",\"factor\":%.17g}",
			ratios[i].numerator, ratios[i].denominator, ratios[i].factor);
	}
	putc(']', out);
	return err;
}

/* Elements of arrays: a number, and its text. */
static void write_count(FILE *out, size_t *n, uint64_t count, const char *text)
{
	fprintf(out, "%s[%" PRIu64 ",", (*n)++ ? ",\n" : "", count);
	json_write_string(out, text);
}

static int write_incomplete(FILE *out, const struct profile *profile, size_t *n)
{
	int err = 0;

	for (int marker = 0; marker < N_MARKERS && !err; marker++) {
		if (!profile->quality.incomplete[marker])
			continue;
		_cleanup_free_ char *why = path_ends_explain(profile, (enum marker)marker);
		write_count(out, n, profile->quality.incomplete[marker],
			    marker_text((enum marker)marker));
		if (why)
			err = page_string_write(out, ",", why);
		putc(']', out);
	}
	return err;
}

/* What became of the paths: "ends", which end early, and "paths", all others. */
static int write_paths(FILE *out, const struct profile *profile)
{
	const struct profile_quality *quality = &profile->quality;
	size_t n = 0;

	fputs(",\n\"paths\":[", out);
	for (int i = 0; i < N_QUALITY_COUNTERS; i++) {
		const struct quality_description *of = quality_describe((enum quality_counter)i);

		if (of->section != QUALITY_UNWIND || !quality->counts[i])
			continue;
		write_count(out, &n, quality->counts[i], of->text);
		putc(']', out);
	}
	fputs("],\n\"ends\":[", out);
	n = 0;
	int err = write_incomplete(out, profile, &n);
	putc(']', out);
	return err;
}

static void write_warnings(FILE *out, const struct profile_quality *quality)
{
	char words[COUNTED_TEXT_SIZE];
	size_t n = 0;

	fputs(",\n\"warnings\":[", out);
	for (int i = 0; i < N_QUALITY_WARNINGS; i++) {
		const uint64_t count = quality->counts[quality_warnings[i]];
		const char *text = quality_describe(quality_warnings[i])->text;

		if (!count || !text)
			continue;
		write_count(out, &n, count, counted_text(text, count, words));
		putc(']', out);
	}
	putc(']', out);
}

static int write_quality(FILE *out, const struct profile *profile)
{
	const struct profile_quality *quality = &profile->quality;

	fprintf(out,
		",\n\"quality\":{\"used\":%" PRIu64 ",\"received\":%" PRIu64 ",\"lost\":%" PRIu64
		",\"throttled\":%" PRIu64 ",\"filtered\":%" PRIu64 ",\"complete\":%" PRIu64,
		quality_n_used(quality), quality->counts[QUALITY_SAMPLES],
		quality->counts[QUALITY_LOST], quality->counts[QUALITY_THROTTLED],
		quality->counts[QUALITY_FILTERED], quality->counts[QUALITY_COMPLETE]);
	int err = write_paths(out, profile);
	write_warnings(out, quality);
	if (!err)
		err = write_member(out, ",\n\"truncated\":", profile->info.truncated);
	if (!err)
		err = write_member(out, ",\n\"notDecoded\":", profile->info.not_decoded);
	putc('}', out);
	return err;
}

static void write_gaps(FILE *out, const struct profile_info *info)
{
	fputs(",\n\"gaps\":[", out);
	for (size_t i = 0; i < info->n_cpu_gaps; i++) {
		const struct cpu_gap *gap = &info->cpu_gaps[i];
		const uint64_t end = gap->end_ns ? gap->end_ns : info->end_ns;

		fprintf(out, "%s[%" PRIu32 ",%" PRIu64 ",%" PRIu64 "]", i ? "," : "", gap->cpu,
			gap->start_ns > info->start_ns ? gap->start_ns - info->start_ns : 0,
			end > info->start_ns ? end - info->start_ns : 0);
	}
	putc(']', out);
}

/* Those that cost enough to matter. */
static int write_missing(FILE *out, const struct page *page, const struct missing_list *list,
			 double least)
{
	const struct module_table *modules = &page->profile->modules;
	size_t n = 0;
	int err = 0;

	fputs(",\n\"missing\":[", out);
	for (size_t i = 0; i < list->n && !err; i++) {
		const struct symbol_problem *problem = &list->items[i].problem;
		const uint64_t cost = missing_cost(&list->items[i], page->view->sort_metric);

		if ((double)cost < least || !cost)
			continue;
		err = page_string_write(out, n++ ? ",\n{\"module\":" : "{\"module\":",
					module_name(module_table_get(modules, problem->module)));
		fprintf(out, ",\"lacks\":\"%s\",\"problem\":", missing_lack_name(problem->lack));
		json_write_string(out, problem->text);
		fprintf(out, ",\"cost\":%" PRIu64 "}", cost);
	}
	putc(']', out);
	return err;
}

/* The command that installs the symbols of stripped files. */
static int write_packages(FILE *out, const struct page *page, const struct missing_list *list,
			  double least)
{
	const struct profile *profile = page->profile;
	const char *paths[MAX_FILES];

	if (!debug_packages_are_here(profile->info.hostname, profile->info.os_release))
		return 0;
	const size_t n = missing_list_stripped(list, profile, page->view->sort_metric, least, paths,
					       MAX_FILES);
	_cleanup_free_ char *command = debug_packages_command("", paths, n);
	return write_member(out, ",\n\"packages\":", command);
}

static int write_advice(FILE *out, const struct page *page)
{
	const char *advice[RUNTIMES_MAX];
	size_t n;
	int err = runtimes_find(page->profile, page->symbolizer, page->view->sort_metric,
				LEAST_SHARE_PERCENT, advice, &n);

	if (err)
		return err;
	fputs(",\n\"advice\":[", out);
	for (size_t i = 0; i < n && !err; i++)
		err = page_string_write(out, i ? "," : "", advice[i]);
	putc(']', out);
	return err;
}

static int write_names(FILE *out, const struct page *page)
{
	const struct profile *profile = page->profile;
	const uint32_t metric = page->view->sort_metric;
	const double least = metric < profile->n_metrics
				     ? LEAST_SHARE * (double)profile->metrics[metric].total
				     : 0;
	struct missing_list list;
	int err = missing_list_init(&list, profile, page->symbolizer, metric);

	if (err)
		return err;
	err = write_missing(out, page, &list, least);
	if (!err)
		err = write_packages(out, page, &list, least);
	missing_list_deinit(&list);
	return err ? err : write_advice(out, page);
}

static void write_kinds(FILE *out)
{
	fputs(",\n\"kinds\":[", out);
	for (int kind = ROW_ROOT; kind <= ROW_MARKER; kind++)
		fprintf(out, "%s\"%s\"", kind ? "," : "", view_row_kind_name((enum row_kind)kind));
	putc(']', out);
}

static int write_selection(FILE *out, const struct export_options *options)
{
	if (!options->selected)
		return 0;
	_cleanup_free_ char *text = path_selection_text(options->selected->selection);
	return text ? page_string_write(out, ",\n\"selection\":", text) : -ENOMEM;
}

int page_facts_write(FILE *out, const struct page *page)
{
	static const char *const groupings[] = { "comm", "process", "thread" };
	const struct profile *profile = page->profile;

	fprintf(out, "{\"version\":\"%s\",\"metric\":%" PRIu32 ",\"grouping\":\"%s\"",
		DENDRO_VERSION, page->view->sort_metric, groupings[page->view->grouping]);
	fprintf(out, ",\"errors\":%s", page->view->errors ? "true" : "false");
	write_kinds(out);
	write_gaps(out, &profile->info);
	page_losses_write(out, &profile->info);
	int err = write_member(out, ",\n\"source\":", page->options->source);
	if (!err)
		err = write_machine(out, &profile->info);
	if (!err)
		err = write_metrics(out, profile);
	if (!err)
		err = write_ratios(out, page);
	if (!err)
		err = write_selection(out, page->options);
	if (!err)
		err = write_quality(out, profile);
	if (!err)
		err = page_phases_write(out, profile);
	if (!err)
		err = write_names(out, page);
	fputs("}\n", out);
	return err;
}
