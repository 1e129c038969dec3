#include "report/diff/diff_json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "cct/base/cleanup.h"
#include "cct/base/stream.h"
#include "cct/text/json_string.h"
#include "report/diff/diff_names.h"

static const char *const norm_names[] = {
	[DIFF_BY_TOTAL] = "total",   [DIFF_BY_SAMPLES] = "samples", [DIFF_BY_TIME] = "time",
	[DIFF_BY_METRIC] = "metric", [DIFF_BY_NUMBER] = "number",
};
static const char *const measure_names[] = { [DIFF_SELF] = "self", [DIFF_TOTAL] = "total" };

/* JSON has no NaN. */
void diff_json_write_number(FILE *out, const char *key, double value)
{
	if (isnan(value))
		fprintf(out, ",\"%s\":null", key);
	else
		fprintf(out, ",\"%s\":%.9g", key, value);
}

static void write_change(FILE *out, const struct diff_change *change)
{
	fprintf(out, "{\"before\":%.9g", change->result.values[DIFF_BEFORE]);
	diff_json_write_number(out, "after", change->result.values[DIFF_AFTER]);
	diff_json_write_number(out, "difference", diff_change_of(change));
	diff_json_write_number(out, "relative", diff_relative(change));
	diff_json_write_number(out, "error", change->result.error);
	diff_json_write_number(out, "p", change->result.p);
	diff_json_write_number(out, "q", change->q);
	fprintf(out, ",\"significant\":%s}", diff_change_is_significant(change) ? "true" : "false");
}

static void write_run(FILE *out, const struct diff *diff, size_t run)
{
	const struct diff_source *source = &diff->sources[run];
	const struct diff_cost *cost = &diff->rows.metrics[0].runs[run].cost;

	fputs("{\"file\":", out);
	json_write_string(out, source->path);
	fprintf(out,
		",\"side\":\"%s\",\"duration_ns\":%" PRIu64 ",\"samples\":%" PRIu64
		",\"total\":%" PRIu64,
		source->side == DIFF_BEFORE ? "before" : "after", source->duration_ns,
		cost->samples, cost->weight);
	if (!diff_has_shares(diff))
		diff_json_write_number(out, "amount", source->amount);
	putc('}', out);
}

static void write_measures(FILE *out, const struct diff *diff, size_t metric, size_t at)
{
	for (int i = 0; i < N_DIFF_MEASURES; i++) {
		fprintf(out, "%s\"%s\":", i ? ",\n   " : "", measure_names[i]);
		write_change(out, &diff->changes[metric].rows[i][at]);
	}
}

static void write_others(FILE *out, const struct diff *diff, size_t at)
{
	fputs(",\n   \"others\":[", out);
	for (size_t i = 1; i < diff->rows.n_metrics; i++) {
		fputs(i > 1 ? ",\n   {" : "{", out);
		write_measures(out, diff, i, at);
		putc('}', out);
	}
	putc(']', out);
}

static void write_metric(FILE *out, const struct diff_metric *metric)
{
	fputs("\"event\":", out);
	json_write_string(out, metric->event);
	fputs(",\"unit\":", out);
	json_write_string(out, metric->unit);
}

void diff_json_write_row(FILE *out, const struct diff *diff, size_t at, const size_t *written)
{
	const struct diff_row *row = &diff->rows.rows[at];
	const char *status = diff_row_status(diff, at);

	fputs("\"name\":", out);
	json_write_string(out, row->name);
	fputs(",\"module\":", out);
	json_write_string(out, row->module);
	fprintf(out, ",\"kind\":\"%s\"", view_row_kind_name(row->kind));
	if (row->file) {
		fputs(",\"file\":", out);
		json_write_string(out, row->file);
		fprintf(out, ",\"line\":%" PRIu32, row->line);
	}
	if (*status)
		fprintf(out, ",\"status\":\"%s\"", status);
	if (row->arc)
		fprintf(out, ",\"arc\":\"%s\"", diff_arc_name(row->arc));
	if (written && row->parent != DIFF_NO_ROW)
		fprintf(out, ",\"parent\":%zu", written[row->parent]);
	fputs(",\n   ", out);
	write_measures(out, diff, 0, at);
	if (diff->rows.n_metrics > 1)
		write_others(out, diff, at);
}

/* What the first metric's numbers are at the top, of the others. */
static void write_other_metric(FILE *out, const struct diff *diff, size_t metric)
{
	const struct diff_costs *costs = &diff->rows.metrics[metric];

	write_metric(out, &diff->options.metrics[metric]);
	fputs(",\"runs\":[", out);
	for (size_t i = 0; i < diff->rows.n_runs; i++)
		fprintf(out, "%s{\"samples\":%" PRIu64 ",\"total\":%" PRIu64 "}", i ? "," : "",
			costs->runs[i].cost.samples, costs->runs[i].cost.weight);
	fputs("],\n   \"total\":", out);
	write_change(out, &diff->changes[metric].total);
}

static void write_other_metrics(FILE *out, const struct diff *diff)
{
	fputs(",\n\"others\":[", out);
	for (size_t i = 1; i < diff->rows.n_metrics; i++) {
		fputs(i > 1 ? ",\n  {" : "\n  {", out);
		write_other_metric(out, diff, i);
		putc('}', out);
	}
	putc(']', out);
}

static void write_rows(FILE *out, const struct diff *diff, size_t *written)
{
	fputs(",\n\"rows\":[", out);
	for (size_t i = 0; i < diff->n_shown; i++) {
		written[diff->order[i]] = i;
		fputs(i ? ",\n  {" : "\n  {", out);
		diff_json_write_row(out, diff, diff->order[i], written);
		putc('}', out);
	}
	putc(']', out);
}

void diff_json_write_head(FILE *out, const struct diff *diff)
{
	const struct diff_options *of = &diff->options;

	fprintf(out, "{\"diff_schema\":%d,\n\"dendro\":\"%s\",\n", DIFF_SCHEMA, DENDRO_VERSION);
	fprintf(out, "\"view\":\"%s\",\"sort\":\"%s\",\"normalize\":\"%s\"", of->view_name,
		measure_names[of->measure], norm_names[of->norm]);
	if (of->per) {
		fputs(",\"per\":", out);
		json_write_string(out, of->per);
	}
	fputs(",\n", out);
	write_metric(out, &of->metrics[0]);
	fputs(",\n\"runs\":[", out);
	for (size_t i = 0; i < diff->rows.n_runs; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		write_run(out, diff, i);
	}
	fputs("],\n\"total\":", out);
	write_change(out, &diff->changes[0].total);
	if (diff->rows.n_metrics > 1)
		write_other_metrics(out, diff);
}

int diff_write_json(FILE *out, const struct diff *diff, const struct export_options *options)
{
	_cleanup_free_ size_t *written = calloc(diff->rows.n_rows + 1, sizeof(*written));

	(void)options;
	if (!written)
		return -ENOMEM;
	diff_json_write_head(out, diff);
	write_rows(out, diff, written);
	fputs("}\n", out);
	return stream_finish(out);
}
