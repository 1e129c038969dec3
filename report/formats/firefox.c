/*
 * The processed profile format of Firefox Profiler, version 66 (docs-developer/CHANGELOG-formats.md
 * and src/types/profile.ts of github.com/firefox-devtools/profiler): the version that samply
 * writes; later ones of the application upgrade it.
 *
 * Each thread has the samples of one event, with times and weights. Samples of other events are
 * markers with stacks, and time off the CPU is a marker as long as the wait. All is in tables of
 * columns, which are written one after the other.
 */
#include "report/formats/firefox.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cct/base/stream.h"
#include "cct/text/decimal.h"
#include "cct/text/json_string.h"
#include "report/formats/firefox_counters.h"
#include "report/formats/firefox_file.h"
#include "report/formats/firefox_tables.h"
#include "report/formats/firefox_threads.h"

#define GECKO_VERSION     24
#define PROCESSED_VERSION 66
#define US_DIGITS         3 /* of a millisecond */
#define NS_DIGITS         6

uint32_t firefox_string(struct firefox_file *file, const char *text)
{
	uint32_t number = 0;
	bool is_new;

	if (string_ids_add(&file->strings, text, &number, &is_new))
		file->lacks_memory = true;
	return number;
}

void firefox_write_text(const struct firefox_file *file, const char *key, const char *text)
{
	fprintf(file->out, ",\"%s\":", key);
	if (text)
		json_write_printable(file->out, text);
	else
		fputs("null", file->out);
}

void firefox_write_time(const struct firefox_file *file, uint64_t time_us)
{
	decimal_write_fraction(file->out, time_us, US_DIGITS);
}

void firefox_write_pid(const struct firefox_file *file, uint32_t group)
{
	const struct profile *profile = file->profile;
	const uint32_t process = file->threads.groups[group].process;
	uint32_t n_before = 0;

	if (process >= profile->n_processes) {
		fputs(",\"pid\":\"-1\"", file->out);
		return;
	}
	for (uint32_t i = 0; i < process; i++)
		n_before += profile->processes[i].pid == profile->processes[process].pid;
	fprintf(file->out, ",\"pid\":\"%" PRId32, profile->processes[process].pid);
	if (n_before)
		fprintf(file->out, ".%" PRIu32, n_before);
	putc('"', file->out);
}

/* The time between two samples: of a clock, what each weighs on average. */
static uint64_t interval_ns(const struct metric *metric)
{
	const bool is_clock = metric->samples && !metric->is_waits && metric->unit[0] == 'n';

	return is_clock ? metric->total / metric->samples : 1000000;
}

static void write_entry(const struct firefox_file *file, const char *start, const char *label,
			const char *value)
{
	fprintf(file->out, "%s{\"label\":\"%s\",\"format\":\"string\"", start, label);
	firefox_write_text(file, "value", value);
	putc('}', file->out);
}

/* What the application shows beside the profile, in words. */
static void write_extra(const struct firefox_file *file)
{
	const struct profile_info *info = &file->profile->info;

	fputs(",\n\"extra\":[{\"label\":\"Recording\",\"entries\":[", file->out);
	write_entry(file, "", "Event of samples", file->profile->metrics[file->metric].name);
	if (info->hostname)
		write_entry(file, ",", "Host", info->hostname);
	if (info->truncated)
		write_entry(file, ",", "The recording ends early", info->truncated);
	if (file->selection)
		write_entry(file, ",", "Selection", file->selection);
	fputs("]}]", file->out);
}

static void write_meta(const struct firefox_file *file)
{
	const struct profile_info *info = &file->profile->info;
	FILE *out = file->out;

	fprintf(out, "{\"meta\":{\"version\":%d,\"preprocessedProfileVersion\":%d,\"startTime\":",
		GECKO_VERSION, PROCESSED_VERSION);
	decimal_write_fraction(out, info->has_date ? info->start_ns + info->unix_offset_ns : 0,
			       NS_DIGITS);
	fputs(",\"interval\":", out);
	decimal_write_fraction(out, interval_ns(&file->profile->metrics[file->metric]), NS_DIGITS);
	fputs(",\"processType\":0,\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,"
	      "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
	      "\"product\":\"dendro\",\"importedFrom\":\"dendro " DENDRO_VERSION "\","
	      "\"platform\":\"Linux\"",
	      out);
	firefox_write_text(file, "oscpu", info->os_release ? info->os_release : "Linux");
	if (info->arch)
		firefox_write_text(file, "abi", info->arch);
	if (info->cpu)
		firefox_write_text(file, "CPUName", info->cpu);
	if (info->command_line)
		firefox_write_text(file, "arguments", info->command_line);
	if (info->n_cpus)
		fprintf(out, ",\"logicalCPUs\":%" PRIu32, info->n_cpus);
	fputs(",\n\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}"
	      ","
	      "\n\"categories\":["
	      "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
	      "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
	      "{\"name\":\"JIT\",\"color\":\"blue\",\"subcategories\":[\"Other\"]},"
	      "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}]",
	      out);
	write_extra(file);
	firefox_write_marker_schema(file);
	putc('}', out);
}

static int write_file(struct firefox_file *file)
{
	write_meta(file);
	firefox_write_threads(file);
	int err = firefox_write_counters(file);
	if (!err)
		err = firefox_write_tables(file);
	if (err || file->lacks_memory)
		return err ? err : -ENOMEM;
	fputs(",\n\"pages\":[],\"profilerOverhead\":[]}\n", file->out);
	return stream_finish(file->out);
}

int firefox_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		  const struct path_options *options)
{
	struct firefox_file file = {
		.out = out,
		.profile = profile,
		.options = options,
		.metric = options->metric,
		.selection = options->selection,
	};
	int err = stack_tree_create(profile, symbolizer, STACKS_OF_CODE, &file.tree);

	if (!err)
		err = path_groups_init(&file.threads, profile, GROUP_THREAD);
	if (!err)
		err = sample_list_init_groups(&file.samples, profile, file.threads.group_of,
					      file.threads.n_groups);
	if (!err)
		err = write_file(&file);
	sample_list_deinit(&file.samples);
	path_groups_deinit(&file.threads);
	stack_tree_destroy(file.tree);
	string_ids_deinit(&file.strings);
	return err;
}
