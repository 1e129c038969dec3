#include "report/diff/diff_header.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cct/base/printable.h"
#include "report/diff/diff_values.h"
#include "report/text/text_format.h"

#define LABEL_WIDTH 12
/* A total that changed by more moves shares visibly. */
#define LARGE_TOTAL_CHANGE 0.05

struct header {
	const struct text_output *output;
	const struct diff *diff;
	size_t n_shown; /* metrics that have columns */
};

static void write_label(const struct header *header, const char *label)
{
	text_style_begin(header->output, STYLE_DIM);
	fprintf(header->output->file, "%-*s", LABEL_WIDTH, label);
	text_style_end(header->output, STYLE_DIM);
}

/* Words that fit the width, below each other. */
static void write_paragraph(const struct header *header, const char *label, const char *text)
{
	unsigned room = header->output->width - LABEL_WIDTH;

	for (; *text; label = "") {
		size_t size = strlen(text), end = size;

		if (size > room) {
			for (end = room; end && text[end] != ' ';)
				end--;
			end = end ? end : room;
		}
		write_label(header, label);
		fprintf(header->output->file, "%.*s\n", (int)end, text);
		text += end;
		text += strspn(text, " ");
	}
}

static void write_sources(const struct header *header, enum diff_side side, const char *label)
{
	const struct diff *diff = header->diff;

	for (size_t i = 0; i < diff->rows.n_runs; i++) {
		const struct diff_source *source = &diff->sources[i];
		char duration[64] = "";

		if (source->side != side)
			continue;
		write_label(header, label);
		printable_write(header->output->file, source->path, header->output->width / 2,
				header->output->utf8);
		if (source->duration_ns)
			text_format_amount(duration, sizeof(duration), source->duration_ns, "ns");
		const uint64_t n_samples = diff->rows.metrics[0].runs[i].cost.samples;
		fprintf(header->output->file, "%s%s: %" PRIu64 " sample%s\n", *duration ? ", " : "",
			duration, n_samples, n_samples == 1 ? "" : "s");
		label = "";
	}
}

/* What the numbers are. */
static void write_meaning(const struct header *header)
{
	const struct diff_options *options = &header->diff->options;
	const char *cost = options->measure == DIFF_SELF ? "self cost" : "total cost";
	char text[512];

	switch (options->norm) {
	case DIFF_BY_TOTAL:
		snprintf(text, sizeof(text),
			 "%s as a share of the run's; changes in percentage points", cost);
		break;
	case DIFF_BY_SAMPLES:
		snprintf(text, sizeof(text),
			 "samples as a share of the run's, %s; changes in percentage points", cost);
		break;
	case DIFF_BY_TIME:
		snprintf(text, sizeof(text), "%s per second of the run", cost);
		break;
	case DIFF_BY_METRIC:
		snprintf(text, sizeof(text), "%s divided by the cost of %.200s", cost,
			 options->per);
		break;
	case DIFF_BY_NUMBER:
		snprintf(text, sizeof(text), "%s divided by the number of %.200s", cost,
			 options->per);
		break;
	}
	write_paragraph(header, "values", text);
}

/* "EVENT: " where there are several. */
static void name_event(const struct diff *diff, size_t metric, char *text, size_t size)
{
	text[0] = '\0';
	if (diff->rows.n_metrics > 1)
		snprintf(text, size, "%.100s: ", diff->options.metrics[metric].event);
}

static void write_total(const struct header *header, size_t metric)
{
	const struct diff *diff = header->diff;
	const struct diff_change *total = &diff->changes[metric].total;
	const char *unit = diff_has_shares(diff) ? diff->options.metrics[metric].unit
						 : diff_unit(diff, metric);
	char before[DIFF_VALUE_SIZE], after[DIFF_VALUE_SIZE], relative[DIFF_VALUE_SIZE];
	char event[128], text[384];

	if (diff->options.norm == DIFF_BY_SAMPLES)
		unit = "events";
	name_event(diff, metric, event, sizeof(event));
	diff_format_cost(before, total->result.values[DIFF_BEFORE], unit);
	diff_format_cost(after, total->result.values[DIFF_AFTER], unit);
	diff_format_relative(relative, total);
	snprintf(text, sizeof(text), "%s%s before, %s after: %s%s", event, before, after, relative,
		 diff_change_is_significant(total) ? "" : ", no more than by chance");
	write_paragraph(header, metric ? "" : "total", text);
}

static bool total_moved(const struct diff *diff, size_t metric)
{
	const struct diff_change *total = &diff->changes[metric].total;
	double relative = diff_relative(total);

	return isnan(relative) ||
	       (diff_change_is_significant(total) && fabs(relative) > LARGE_TOTAL_CHANGE);
}

static bool a_total_moved(const struct diff *diff)
{
	for (size_t i = 0; i < diff->rows.n_metrics; i++) {
		if (total_moved(diff, i))
			return true;
	}
	return false;
}

static void write_advice(const struct header *header)
{
	const struct diff *diff = header->diff;

	if (diff->rows.n_runs <= N_DIFF_SIDES)
		write_paragraph(
			header, "errors",
			"of sampling alone, as there is one run a side: equal runs vary 1.5 "
			"times as much on average, up to 3.5 times. Several runs measure it: "
			"dendro diff A1 A2 A3 -- B1 B2 B3");
	else
		write_paragraph(header, "errors",
				"of sampling, or between runs where that is more");
	if (diff_has_shares(diff) && a_total_moved(diff))
		write_paragraph(
			header, "note",
			"the totals differ. Rows whose shares moved for this reason alone are not "
			"marked. If the runs did different amounts of work, say how much, as in "
			"--per requests=N,M, or use --normalize time.");
}

static void write_event(const struct header *header, size_t metric)
{
	const char *event = header->diff->options.metrics[metric].event;

	write_label(header, metric ? "" : header->diff->rows.n_metrics > 1 ? "events" : "event");
	printable_write(header->output->file, event, header->output->width - LABEL_WIDTH,
			header->output->utf8);
	if (metric >= header->n_shown)
		fputs(" (no room for its columns)", header->output->file);
	putc('\n', header->output->file);
}

static void write_meaning_of_stats(const struct header *header)
{
	write_paragraph(header, "values",
			"of the calling context tree; where a side has several runs, their mean");
	write_paragraph(header, "note",
			"more samples find more call paths: compare runs with about as many.");
}

void diff_header_write(const struct text_output *output, const struct diff *diff, size_t n_shown)
{
	const struct header header = { output, diff, n_shown };

	write_sources(&header, DIFF_BEFORE, "before");
	write_sources(&header, DIFF_AFTER, "after");
	for (size_t i = 0; i < diff->rows.n_metrics; i++)
		write_event(&header, i);
	if (diff->options.view == VIEW_STATS) {
		write_meaning_of_stats(&header);
		putc('\n', output->file);
		return;
	}
	write_meaning(&header);
	for (size_t i = 0; i < diff->rows.n_metrics; i++)
		write_total(&header, i);
	write_advice(&header);
	putc('\n', output->file);
}
