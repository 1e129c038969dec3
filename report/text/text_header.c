#include "report/text/text_header.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/printable.h"
#include "cct/text/counted_text.h"
#include "cct/text/shell_word.h"
#include "report/findings/path_ends.h"
#include "report/text/text_format.h"

#define LABEL_WIDTH       12
#define CPU_GAPS_SHOWN    8
#define COMMANDS_SHOWN    4
#define MAX_SILENT_EVENTS 3
#define OVERWEIGHT_PART   50 /* by more than 2 % */
#define UNWATCHED_SHOWN   8
#define DATE_SIZE         32

static void write_label(const struct text *text, const char *label)
{
	text_style_begin(&text->output, STYLE_DIM);
	fprintf(text->output.file, "%-*s", LABEL_WIDTH, label);
	text_style_end(&text->output, STYLE_DIM);
}

/* Writes a line of text that comes from the recording. */
static void write_field(const struct text *text, const char *label, const char *value)
{
	if (!value || !*value)
		return;
	write_label(text, label);
	printable_write(text->output.file, value, text->output.width - LABEL_WIDTH,
			text->output.utf8);
	putc('\n', text->output.file);
}

static void write_warning(const struct text *text, const char *message)
{
	write_label(text, "");
	text_style_begin(&text->output, STYLE_WARNING);
	printable_write(text->output.file, message, text->output.width - LABEL_WIDTH,
			text->output.utf8);
	text_style_end(&text->output, STYLE_WARNING);
	putc('\n', text->output.file);
}

/* @what: for counted_text(). */
static void warn_count(const struct text *text, uint64_t count, const char *what)
{
	char message[COUNTED_TEXT_SIZE + 24], words[COUNTED_TEXT_SIZE];

	if (!count)
		return;
	snprintf(message, sizeof(message), "%" PRIu64 " %s", count,
		 counted_text(what, count, words));
	write_warning(text, message);
}

static void append(char *buffer, size_t size, const char *separator, const char *value)
{
	size_t used = strlen(buffer);

	if (value && *value)
		snprintf(buffer + used, size - used, "%s%s", used ? separator : "", value);
}

/* One line each, the first ones of many. */
static void write_commands(const struct text *text, const char *commands)
{
	const char *label = "command";
	size_t n = 0, n_left = 0;

	for (const char *at = commands, *rest; at; at = rest) {
		const size_t length = shell_list_next(at, &rest);
		_cleanup_free_ char *command = strndup(at, length);

		if (n++ < COMMANDS_SHOWN)
			write_field(text, label, command);
		else
			n_left++;
		label = "";
	}
	if (!n_left)
		return;
	write_label(text, "");
	fprintf(text->output.file, "and %zu more\n", n_left);
}

/* The part of the time that the samples are of. */
static void write_window(const struct text *text, const struct profile_info *info)
{
	const struct time_span times = { info->start_ns, info->end_ns };
	const struct time_span part = time_window_span(&info->window, &times);
	char value[96];

	if (info->has_windows)
		write_field(text, "time", "a part of each run, not the same one (--time)");
	if (!info->has_window)
		return;
	snprintf(value, sizeof(value), "from %.6f s to %.6f s", (double)part.start_ns / 1e9,
		 (double)part.end_ns / 1e9);
	write_field(text, "time", value);
}

/* "2026-11-27 02:10:00", in local time; @with_date: or "02:10:00". */
static void format_date(char *buffer, size_t size, uint64_t unix_ns, bool with_date)
{
	const time_t seconds = (time_t)(unix_ns / NSEC_PER_SEC);
	struct tm date;

	if (!localtime_r(&seconds, &date) ||
	    !strftime(buffer, size, with_date ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &date))
		*buffer = '\0';
}

/* "2026-11-27 02:10:00 to 02:20:00", the date twice where it is another one, or its clock time. */
static void format_dates(char *buffer, size_t size, const struct time_span *span)
{
	char from[DATE_SIZE], to[DATE_SIZE], end_of_day[DATE_SIZE];

	format_date(from, sizeof(from), span->start_ns, true);
	format_date(to, sizeof(to), span->end_ns, true);
	format_date(end_of_day, sizeof(end_of_day), span->end_ns, false);
	const bool is_one_day = strncmp(from, to, strlen("2026-11-27")) == 0;
	snprintf(buffer, size, "%s to %s", from, is_one_day ? end_of_day : to);
}

/* What is missing in it, the first times of many. */
static void warn_of_unwatched(const struct text *text, const struct watched_time *watched)
{
	char dates[2 * DATE_SIZE + 8], duration[64], message[160];
	struct time_span gap;
	size_t n = 0, n_left = 0;

	for (; watched_time_gap(watched, n, &gap); n++) {
		if (n >= UNWATCHED_SHOWN) {
			n_left++;
			continue;
		}
		format_dates(dates, sizeof(dates), &gap);
		text_format_amount(duration, sizeof(duration), gap.end_ns - gap.start_ns, "ns");
		snprintf(message, sizeof(message), "not recorded: %s (%s)", dates, duration);
		write_warning(text, message);
	}
	warn_count(text, n_left, "more time{|s} in which nothing was recorded");
}

static void warn_of_low_rate(const struct text *text, const struct watched_time *watched)
{
	char duration[64], message[256];

	if (!watched->slow_ns)
		return;
	text_format_amount(duration, sizeof(duration), watched->slow_ns, "ns");
	snprintf(message, sizeof(message),
		 "the rate of samples was lower than requested, for %s, to hold --max-cpu or "
		 "--max-memory: costs are right, but fewer samples make them up",
		 duration);
	write_warning(text, message);
}

/* Which time of an agent's it is, what is missing in it, and what the agent took. */
static void write_watched(const struct text *text, const struct watched_time *watched)
{
	const struct time_span all = { watched->n ? watched->spans[0].start_ns : 0,
				       watched->n ? watched->spans[watched->n - 1].end_ns : 0 };
	const struct time_span *shown = watched->asked.end_ns ? &watched->asked : &all;
	const uint64_t watched_ns = watched_time_total_ns(watched, NULL);
	char dates[2 * DATE_SIZE + 8], memory[64], value[128];

	if (!shown->end_ns)
		return;
	format_dates(dates, sizeof(dates), shown);
	write_field(text, "watched", dates);
	warn_of_unwatched(text, watched);
	warn_of_low_rate(text, watched);
	if (!watched_ns)
		return;
	text_format_amount(memory, sizeof(memory), watched->own_memory, "bytes");
	snprintf(value, sizeof(value), "%.2f%% of a CPU, at most %s of memory",
		 100.0 * (double)watched->own_cpu_ns / (double)watched_ns, memory);
	write_field(text, "dendro took", value);
}

static void write_recording(const struct text *text)
{
	const struct profile_info *info = &text->view->profile->info;
	char duration[64] = "", recording[512] = "", machine[512] = "";

	append(recording, sizeof(recording), "", text->options->source);
	if (info->end_ns > info->start_ns) {
		text_format_amount(duration, sizeof(duration), info->end_ns - info->start_ns, "ns");
		append(recording, sizeof(recording), ", ", duration);
	}
	append(machine, sizeof(machine), "", info->hostname);
	append(machine, sizeof(machine), ", Linux ", info->os_release);
	append(machine, sizeof(machine), ", ", info->arch);
	append(machine, sizeof(machine), ", ", info->cpu);
	write_field(text, "recording", recording);
	write_window(text, info);
	write_watched(text, &info->watched);
	write_commands(text, info->command_line);
	write_field(text, "machine", machine);
	if (info->truncated)
		write_warning(text, info->truncated);
	if (info->not_decoded)
		write_warning(text, info->not_decoded);
}

/* Whether the event has nothing to tell: no samples, and neither counted nor lost ones. */
static bool is_silent(const struct metric *metric)
{
	return !metric->samples && !metric->counted && !metric->lost;
}

static unsigned widest_event(const struct text *text)
{
	const struct profile *profile = text->view->profile;
	unsigned widest = 0;

	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		unsigned width = printable_width(profile->metrics[i].name, text->output.utf8);

		widest = width > widest ? width : widest;
	}
	return widest > text->output.width / 2 ? text->output.width / 2 : widest;
}

static void write_event(const struct text *text, const struct metric *metric, unsigned widest)
{
	char amount[64];
	unsigned written;

	text_format_amount(amount, sizeof(amount), metric->total, metric->unit);
	fprintf(text->output.file, "%10" PRIu64 " sample%s of ", metric->samples,
		metric->samples == 1 ? "" : "s");
	written = printable_write(text->output.file, metric->name, widest, text->output.utf8);
	written -= metric->samples == 1; /* as if it had the s */
	fprintf(text->output.file, "%*s  %s", (int)(widest - written), "", amount);
	if (metric->has_counted && !metric_is_multiplexed(metric)) {
		if (strcmp(metric->unit, "events") == 0)
			snprintf(amount, sizeof(amount), "%" PRIu64, metric->counted);
		else
			text_format_amount(amount, sizeof(amount), metric->counted, metric->unit);
		fprintf(text->output.file, " of %s counted", amount);
	}
	if (metric_is_exact(metric) && metric->samples)
		fputs("  exact", text->output.file);
	if (metric->lost)
		fprintf(text->output.file, "  %" PRIu64 " lost", metric->lost);
	putc('\n', text->output.file);
}

/* Writes a comma-separated list, as many items on each line as fit. */
static void write_list(const struct text *text, const char *list)
{
	const size_t width = text->output.width - LABEL_WIDTH;

	while (*list) {
		char line[256];
		size_t size = 0;

		for (size_t next = 0; list[next]; size = next) {
			const char *comma = strchr(list + next, ',');

			next = comma ? (size_t)(comma - list) + 1 : strlen(list);
			if ((size && next > width) || next >= sizeof(line))
				break;
		}
		if (!size)
			size = strlen(list);
		snprintf(line, sizeof(line), "%.*s", (int)size, list);
		write_warning(text, line);
		list += size;
		list += strspn(list, " ");
	}
}

/* Warns if samples weigh more than there was (docs/ACCURACY.md, "Software events at a rate"). */
static void warn_overweight(const struct text *text, const struct metric *metric)
{
	const uint64_t most = metric->counted + metric->counted / OVERWEIGHT_PART;

	char message[256];

	if (!metric->has_counted || metric_is_multiplexed(metric) || metric->total <= most ||
	    strcmp(metric->unit, "events") != 0)
		return;
	snprintf(message, sizeof(message),
		 "%.64s: samples weigh more than was counted, because at a rate (-F) the kernel "
		 "weighs what it expects; -c N weighs what there was",
		 metric->name);
	write_list(text, message);
}

/* Warns if the event had a hardware counter only for a part of the time. */
static void warn_multiplexed(const struct text *text, const struct metric *metric)
{
	double enabled = (double)metric->time_enabled_ns, running = (double)metric->time_running_ns;
	char counted[64], message[256];

	if (!metric_is_multiplexed(metric))
		return;
	text_format_amount(counted, sizeof(counted), metric->counted, metric->unit);
	if (metric->is_scaled)
		snprintf(message, sizeof(message),
			 "%.80s: counted %s, running %.1f%% of the time: scaled by %.3g",
			 metric->name, counted, 100 * running / enabled, enabled / running);
	else
		snprintf(message, sizeof(message),
			 "%.80s: counted %s; other events used its counter all the time",
			 metric->name, counted);
	write_warning(text, message);
}

/* Events without samples are named if they are few; else their number is written. */
static uint32_t count_silent_events(const struct profile *profile)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < profile->n_metrics; i++)
		n += is_silent(&profile->metrics[i]);
	return n > MAX_SILENT_EVENTS && n < profile->n_metrics ? n : 0;
}

static void write_events(const struct text *text)
{
	const struct profile *profile = text->view->profile;
	uint32_t n_silent = count_silent_events(profile), n_written = 0;
	unsigned widest = widest_event(text);

	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (n_silent && is_silent(&profile->metrics[i]))
			continue;
		write_label(text, n_written++ ? "" : "events");
		write_event(text, &profile->metrics[i], widest);
	}
	if (n_silent) {
		write_label(text, "");
		fprintf(text->output.file, "%10" PRIu32 " more events without samples\n", n_silent);
	}
	for (uint32_t i = 0; i < profile->n_metrics; i++)
		warn_multiplexed(text, &profile->metrics[i]);
	for (uint32_t i = 0; i < profile->n_metrics; i++)
		warn_overweight(text, &profile->metrics[i]);
}

/* Ratios of the whole recording, with the numerator's unit unless it is a plain count. */
static void write_ratios(const struct text *text)
{
	const struct profile *profile = text->view->profile;

	for (uint32_t i = 0; i < text->options->n_ratios; i++) {
		const struct ratio *ratio = &text->options->ratios[i];
		const char *unit = profile->metrics[ratio->numerator].unit;
		char number[32] = "-";
		double value;

		if (ratio_of(ratio, text->view->root->total, &value))
			text_format_ratio(number, sizeof(number), value);
		write_label(text, i ? "" : "ratios");
		fprintf(text->output.file, "%10s %s%sof ", number,
			strcmp(unit, "events") ? unit : "", strcmp(unit, "events") ? " " : "");
		printable_write(text->output.file, ratio->name, text->output.width / 2,
				text->output.utf8);
		putc('\n', text->output.file);
	}
}

/* What is shown of the recording: shares remain those of the whole. */
static void write_selection(const struct text *text)
{
	const struct selected_paths *selected = text->options->selected;
	const struct profile *profile = text->view->profile;
	_cleanup_free_ char *options = selected ? path_selection_text(selected->selection) : NULL;

	if (!options)
		return;
	write_field(text, "selection", options);
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		const struct metric *metric = &profile->metrics[i];

		if (!metric->samples || !path_selection_excludes(selected->selection))
			continue;
		write_label(text, "");
		fprintf(text->output.file, "%10" PRIu64 " %6.2f%%  of %" PRIu64 " sample%s of ",
			selected->costs[i].samples,
			selected_paths_percent(selected, i, metric->total), metric->samples,
			metric->samples == 1 ? "" : "s");
		printable_write(text->output.file, metric->name, text->output.width / 2,
				text->output.utf8);
		putc('\n', text->output.file);
	}
	if (selected->n_hidden) {
		write_label(text, "");
		fprintf(text->output.file, "%10" PRIu32 " function%s hidden\n", selected->n_hidden,
			selected->n_hidden == 1 ? "" : "s");
	}
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* A line of the table of call paths: their number, share and state. */
static void write_paths(const struct text *text, const char *label, uint64_t n_paths,
			const char *what)
{
	write_label(text, label);
	fprintf(text->output.file, "%10" PRIu64 " %6.2f%%  %s\n", n_paths,
		percent(n_paths, quality_n_used(&text->view->profile->quality)), what);
}

/* Writes why user paths are incomplete, the most frequent reason first. */
static void write_reasons(const struct text *text, const struct profile_quality *quality)
{
	bool written[N_MARKERS] = { false };

	for (;;) {
		int most = -1;

		for (int i = 0; i < N_MARKERS; i++) {
			if (!written[i] && quality->incomplete[i] &&
			    (most < 0 || quality->incomplete[i] > quality->incomplete[most]))
				most = i;
		}
		if (most < 0)
			return;
		written[most] = true;
		write_paths(text, "", quality->incomplete[most], marker_text((enum marker)most));
		_cleanup_free_ char *why =
			path_ends_explain(text->view->profile, (enum marker)most);
		if (why)
			write_list(text, why);
	}
}

/* Writes how many user paths are complete, and why the others are not. */
static void write_all_paths(const struct text *text, const struct profile_quality *quality)
{
	bool is_flat = quality->counts[QUALITY_FLAT] &&
		       quality->counts[QUALITY_FLAT] == quality_n_used(quality);
	const char *label = "call paths";

	for (int i = 0; i < N_QUALITY_COUNTERS; i++) {
		const struct quality_description *of = quality_describe((enum quality_counter)i);
		bool is_always = i == QUALITY_COMPLETE && !is_flat;

		if (of->section != QUALITY_UNWIND || (!is_always && !quality->counts[i]))
			continue;
		write_paths(text, label, quality->counts[i], of->text);
		label = "";
	}
	write_reasons(text, quality);
}

static double seconds_after(uint64_t time_ns, uint64_t start_ns)
{
	return time_ns > start_ns ? (double)(time_ns - start_ns) / 1e9 : 0;
}

/* Warns of the times in which CPUs were not recorded; of many, the first ones. */
static void warn_of_cpu_gaps(const struct text *text)
{
	const struct profile_info *info = &text->view->profile->info;
	size_t n = info->n_cpu_gaps < CPU_GAPS_SHOWN ? info->n_cpu_gaps : CPU_GAPS_SHOWN;
	char message[160], end[48];

	for (size_t i = 0; i < n; i++) {
		const struct cpu_gap *gap = &info->cpu_gaps[i];

		snprintf(end, sizeof(end), "to %.2f s", seconds_after(gap->end_ns, info->start_ns));
		snprintf(message, sizeof(message),
			 "CPU %" PRIu32 " was offline or not recorded from %.2f s %s", gap->cpu,
			 seconds_after(gap->start_ns, info->start_ns),
			 gap->end_ns ? end : "to the end");
		write_warning(text, message);
	}
	warn_count(text, info->n_cpu_gaps - n, "more time{|s} in which a CPU was not recorded");
}

/* How much of each stack there is depends on the rate of samples, too (dendro-record(1), -S). */
static void write_stack_copy(const struct text *text)
{
	uint32_t size = text->view->profile->info.stack_copy;
	char amount[32];

	if (!size)
		return;
	text_format_value(amount, sizeof(amount), size, "bytes");
	write_label(text, "");
	fprintf(text->output.file, "%10s of each stack copied at most\n", amount);
}

static void write_quality(const struct text *text)
{
	const struct profile_quality *quality = &text->view->profile->quality;
	const uint64_t *counts = quality->counts;

	write_label(text, "samples");
	fprintf(text->output.file,
		"%10" PRIu64 " received, %" PRIu64 " lost; throttled %" PRIu64 " time%s\n",
		counts[QUALITY_SAMPLES], counts[QUALITY_LOST], counts[QUALITY_THROTTLED],
		counts[QUALITY_THROTTLED] == 1 ? "" : "s");
	write_stack_copy(text);
	if (counts[QUALITY_FILTERED]) {
		write_label(text, "");
		fprintf(text->output.file, "%10" PRIu64 " excluded by filters\n",
			counts[QUALITY_FILTERED]);
	}
	write_all_paths(text, quality);
	for (int i = 0; i < N_QUALITY_WARNINGS; i++)
		warn_count(text, counts[quality_warnings[i]],
			   quality_describe(quality_warnings[i])->text);
	warn_of_cpu_gaps(text);
}

void text_header_write(const struct text *text)
{
	write_recording(text);
	write_events(text);
	write_ratios(text);
	write_selection(text);
	write_quality(text);
	putc('\n', text->output.file);
}
