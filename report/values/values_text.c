#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cct/base/printable.h"
#include "report/fold/share_error.h"
#include "report/values/values_output.h"

#define BAR_WIDTH 40

/* "12.34 ± 0.56 %" of @all samples. */
static void write_share(FILE *out, uint64_t n, uint64_t all)
{
	const struct share_sum in = { (double)n, (double)n, n };
	const struct share_sum of = { (double)all, (double)all, all };
	struct share_error error;

	if (share_error_of(&in, &of, &error))
		fprintf(out, "%6.2f ± %.2f %%", 100 * error.share, 100 * error.error);
}

static void write_values(FILE *out, const struct value_row *row,
			 const struct values_options *options)
{
	const unsigned indent = row->callers ? 8 : 4;
	uint64_t left = row->n_known;

	for (uint32_t i = 0; i < row->n_counts && i < options->n_values; i++) {
		const struct value_count *count = &row->counts[i];

		fprintf(out, "%*s", indent, "");
		write_share(out, count->n, row->n_known);
		fputs("  ", out);
		printable_put(out, row->texts.strings[count->text]);
		fputc('\n', out);
		left -= count->n;
	}
	if (!left)
		return;
	fprintf(out, "%*s", indent, "");
	write_share(out, left, row->n_known);
	if (row->n_others)
		fprintf(out, "  [other values; after the first %d, they are not told apart]\n",
			(int)row->texts_max);
	else
		fprintf(out, "  [%" PRIu32 " other value%s]\n", row->n_counts - options->n_values,
			row->n_counts - options->n_values == 1 ? "" : "s");
}

static void write_powers_row(FILE *out, int sign, unsigned power, uint64_t n, uint64_t most)
{
	const double from = power ? exp2(power - 1) : 0;
	const unsigned width = (unsigned)(BAR_WIDTH * n / most);

	if (!n)
		return;
	if (sign < 0)
		fprintf(out, "    %22.6g to  >%-20.6g", -from, -exp2(power));
	else
		fprintf(out, "    %22.6g to  <%-20.6g", from, exp2(power));
	fprintf(out, "%10" PRIu64 "  ", n);
	for (unsigned i = 0; i < width; i++)
		fputc('#', out);
	fputc('\n', out);
}

static void write_powers(FILE *out, const struct value_row *row)
{
	uint64_t most = 1;

	for (unsigned i = 0; i <= VALUE_POWERS; i++) {
		most = row->below.n[i] > most ? row->below.n[i] : most;
		most = row->above.n[i] > most ? row->above.n[i] : most;
	}
	for (unsigned i = VALUE_POWERS + 1; i-- > 0;)
		write_powers_row(out, -1, i, row->below.n[i], most);
	for (unsigned i = 0; i <= VALUE_POWERS; i++)
		write_powers_row(out, 1, i, row->above.n[i], most);
}

/* "mean 4.5 ± 0.2, from 1 to 9" */
static void write_mean(FILE *out, const struct value_row *row)
{
	const double n = (double)row->n_numbers, mean = row->sum / n;
	const double variance = n > 1 ? (row->squares - n * mean * mean) / (n - 1) : 0;

	fprintf(out, "mean %.6g ± %.2g, from %.6g to %.6g\n", mean,
		variance > 0 ? sqrt(variance / n) : 0, row->min, row->max);
}

static void write_numbers(FILE *out, const struct value_row *row)
{
	static const double shares[] = { 0.05, 0.25, 0.5, 0.75, 0.95 };
	double number;

	fputs("    ", out);
	write_mean(out, row);
	if (value_row_quantile(row, 0.5, &number)) {
		fputs("    quantiles:", out);
		for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
			if (value_row_quantile(row, shares[i], &number))
				fprintf(out, "%s %.0f %%: %.6g", i ? "," : "", 100 * shares[i],
					number);
		fputc('\n', out);
	}
	write_powers(out, row);
}

/* "known in 90 of 100 samples, in 8 of them read later; 10 optimized out" */
static void write_known(FILE *out, const struct value_row *row)
{
	fprintf(out, "known in %" PRIu64 " of %" PRIu64 " samples", row->n_known, value_row_n(row));
	if (row->n_later)
		fprintf(out, ", in %" PRIu64 " of them read later", row->n_later);
	if (row->n_at_sample)
		fprintf(out, ", in %" PRIu64 " of them read at the sample", row->n_at_sample);
	for (unsigned i = 0; i < N_DEBUG_REASONS; i++)
		if (row->n_missing[i])
			fprintf(out, "; %" PRIu64 " %s", row->n_missing[i],
				debug_reason_text((enum debug_reason)i));
	fputc('\n', out);
}

/* "parameter n: int" */
static void write_heading(FILE *out, const struct value_row *row)
{
	static const char *const kinds[] = { [VALUE_PARAMETER] = "parameter",
					     [VALUE_LOCAL] = "local",
					     [VALUE_TOGETHER] = "together" };

	fprintf(out, "\n%s ", kinds[row->kind]);
	printable_put(out, row->name);
	if (*row->type) {
		fputs(": ", out);
		printable_put(out, row->type);
	}
	fputs("\n    ", out);
	write_known(out, row);
}

/* "called by read_row < main" */
static void write_callers(FILE *out, const char *callers)
{
	fputs(*callers ? "    called by " : "    called by nothing", out);
	for (const char *name = callers; *name; name += strlen(name) + 1) {
		fputs(name == callers ? "" : " < ", out);
		printable_put(out, name);
	}
	fputs("\n        ", out);
}

static void write_parts(FILE *out, const struct value_table *table, const struct value_row *row,
			const struct values_options *options)
{
	for (uint32_t i = 0; i < table->n_parts; i++) {
		const struct value_row *part = &table->parts[i];

		if (!value_row_has_part(row, part))
			continue;
		write_callers(out, part->callers);
		write_known(out, part);
		write_values(out, part, options);
		if (part->n_numbers && part->n_counts > 1) {
			fputs("        ", out);
			write_mean(out, part);
		}
	}
	if (row->n_apart)
		fprintf(out,
			"    in other contexts; after the first %d, they are not told apart: "
			"%" PRIu64 " samples\n",
			VALUE_PARTS_MAX, row->n_apart);
}

static bool is_unknown_local(const struct value_row *row)
{
	return row->kind == VALUE_LOCAL && !row->n_known;
}

/* The locals that are never known, in one row. */
static void write_unknown_locals(FILE *out, const struct value_table *table)
{
	bool is_first = true;

	for (uint32_t i = 0; i < table->n_rows; i++) {
		const struct value_row *row = &table->rows[i];

		if (!is_unknown_local(row))
			continue;
		fputs(is_first ? "\nlocals that are never known: " : ", ", out);
		printable_put(out, row->name);
		is_first = false;
	}
	if (!is_first)
		fputc('\n', out);
}

/* What was read from the processes at the samples and after them, and how long after them. */
static void write_later(FILE *out, const struct value_later *later)
{
	if (later->n_at_sample)
		fprintf(out, "For %" PRIu64 " samples, memory was read at the sample itself.\n",
			later->n_at_sample);
	if (later->n)
		fprintf(out,
			"For %" PRIu64 " samples, memory was read later, %.3f ms after the sample "
			"on average, %.3f ms at most:\nwhat it held may have changed meanwhile.\n",
			later->n, (double)later->sum_ns / 1e6 / (double)later->n,
			(double)later->max_ns / 1e6);
	for (size_t i = 0; i < VALUE_FAILURES_MAX && later->failures[i].why; i++)
		fprintf(out, "For %" PRIu64 " samples, memory was not read: %s.\n",
			later->failures[i].n, later->failures[i].why);
}

void values_write_text(FILE *out, const struct value_table *table,
		       const struct values_options *options)
{
	fprintf(out, "%" PRIu64 " of %" PRIu64 " samples have a frame of ", table->n_found,
		table->n_samples);
	printable_put(out, options->function);
	fprintf(out, ": %" PRIu64 " at the leaf, %" PRIu64 " inlined.\n", table->n_leaf,
		table->n_inlined);
	if (table->n_incomplete)
		fprintf(out,
			"%" PRIu64 " other samples have incomplete paths: the function may be on "
			"them.\n",
			table->n_incomplete);
	if (table->n_without)
		fprintf(out, "%" PRIu64 " of them have no debug information for it.\n",
			table->n_without);
	write_later(out, &table->later);
	for (uint32_t i = 0; i < table->n_rows; i++) {
		const struct value_row *row = &table->rows[i];

		if (!options->is_asked && is_unknown_local(row))
			continue;
		write_heading(out, row);
		write_values(out, row, options);
		if (row->n_numbers && row->n_counts > 1)
			write_numbers(out, row);
		write_parts(out, table, row, options);
	}
	if (!options->is_asked)
		write_unknown_locals(out, table);
}
