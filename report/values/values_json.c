#include <inttypes.h>
#include <string.h>

#include "cct/text/json_string.h"
#include "report/fold/share_error.h"
#include "report/values/values_output.h"

static void write_missing(FILE *out, const struct value_row *row)
{
	bool is_first = true;

	fputs("\"missing\":{", out);
	for (unsigned i = 0; i < N_DEBUG_REASONS; i++) {
		if (!row->n_missing[i])
			continue;
		fputs(is_first ? "" : ",", out);
		json_write_string(out, debug_reason_text((enum debug_reason)i));
		fprintf(out, ":%" PRIu64, row->n_missing[i]);
		is_first = false;
	}
	fputc('}', out);
}

static void write_values(FILE *out, const struct value_row *row)
{
	const struct share_sum all = { (double)row->n_known, (double)row->n_known, row->n_known };

	fputs("\"values\":[", out);
	for (uint32_t i = 0; i < row->n_counts; i++) {
		const uint64_t n = row->counts[i].n;
		const struct share_sum in = { (double)n, (double)n, n };
		struct share_error error;

		fputs(i ? ",{\"value\":" : "{\"value\":", out);
		json_write_string(out, row->texts.strings[row->counts[i].text]);
		fprintf(out, ",\"samples\":%" PRIu64, n);
		if (share_error_of(&in, &all, &error))
			fprintf(out, ",\"share\":%.6g,\"error\":%.6g", error.share, error.error);
		fputc('}', out);
	}
	fprintf(out, "],\"other\":%" PRIu64, row->n_others);
}

static void write_numbers(FILE *out, const struct value_row *row)
{
	static const struct {
		const char *name;
		double share;
	} quantiles[] = {
		{ "p5", 0.05 }, { "p25", 0.25 }, { "median", 0.5 }, { "p75", 0.75 }, { "p95", 0.95 }
	};
	double number;

	fprintf(out, ",\"numbers\":{\"n\":%" PRIu64 ",\"mean\":%.17g,\"min\":%.17g,\"max\":%.17g",
		row->n_numbers, row->sum / (double)row->n_numbers, row->min, row->max);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		if (value_row_quantile(row, quantiles[i].share, &number))
			fprintf(out, ",\"%s\":%.17g", quantiles[i].name, number);
	fputc('}', out);
}

static void write_later(FILE *out, const struct value_later *later)
{
	fprintf(out,
		"\"read_at_sample\":%" PRIu64 ",\"read_later\":{\"samples\":%" PRIu64
		",\"mean_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64 ",\"not_read\":{",
		later->n_at_sample, later->n, later->n ? later->sum_ns / later->n : 0,
		later->max_ns);
	for (size_t i = 0; i < VALUE_FAILURES_MAX && later->failures[i].why; i++) {
		fputs(i ? "," : "", out);
		json_write_string(out, later->failures[i].why);
		fprintf(out, ":%" PRIu64, later->failures[i].n);
	}
	fputs("}},", out);
}

/* What is known, and what was: of a row, or of a part. */
static void write_findings(FILE *out, const struct value_row *row)
{
	fprintf(out,
		"\"known\":%" PRIu64 ",\"read_later\":%" PRIu64 ",\"read_at_sample\":%" PRIu64 ",",
		row->n_known, row->n_later, row->n_at_sample);
	write_missing(out, row);
	fputc(',', out);
	write_values(out, row);
	if (row->n_numbers)
		write_numbers(out, row);
}

/* The row in each of its contexts. */
static void write_parts(FILE *out, const struct value_table *table, const struct value_row *row)
{
	bool is_first = true;

	fputs(",\"contexts\":[", out);
	for (uint32_t i = 0; i < table->n_parts; i++) {
		const struct value_row *part = &table->parts[i];

		if (!value_row_has_part(row, part))
			continue;
		fputs(is_first ? "\n {\"callers\":[" : ",\n {\"callers\":[", out);
		is_first = false;
		for (const char *name = part->callers; *name; name += strlen(name) + 1) {
			fputs(name == part->callers ? "" : ",", out);
			json_write_string(out, name);
		}
		fputs("],", out);
		write_findings(out, part);
		fputc('}', out);
	}
	fprintf(out, "],\"other_contexts\":%" PRIu64, row->n_apart);
}

void values_write_json(FILE *out, const struct value_table *table,
		       const struct values_options *options)
{
	static const char *const kinds[] = { [VALUE_PARAMETER] = "parameter",
					     [VALUE_LOCAL] = "local",
					     [VALUE_TOGETHER] = "together" };

	fputs("{\"function\":", out);
	json_write_string(out, options->function);
	fprintf(out,
		",\"samples\":%" PRIu64 ",\"with_function\":%" PRIu64 ",\"at_leaf\":%" PRIu64
		",\"inlined\":%" PRIu64 ",\"incomplete\":%" PRIu64
		",\"without_debug_information\":%" PRIu64 ",",
		table->n_samples, table->n_found, table->n_leaf, table->n_inlined,
		table->n_incomplete, table->n_without);
	write_later(out, &table->later);
	fputs("\"variables\":[", out);
	for (uint32_t i = 0; i < table->n_rows; i++) {
		const struct value_row *row = &table->rows[i];

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
		json_write_string(out, row->name);
		fputs(",\"type\":", out);
		json_write_string(out, row->type);
		fprintf(out, ",\"kind\":\"%s\",", kinds[row->kind]);
		write_findings(out, row);
		if (options->by_context)
			write_parts(out, table, row);
		fputc('}', out);
	}
	fputs("\n]}\n", out);
}
