#include "report/diff/diff_stats.h"

#include <math.h>
#include <string.h>

#include "cct/base/stream.h"
#include "report/diff/diff_csv.h"
#include "report/diff/diff_header.h"
#include "report/diff/diff_json.h"
#include "report/diff/diff_values.h"
#include "report/export/csv_field.h"
#include "report/terminal/text_output.h"

#define LABEL_WIDTH  31
#define COLUMN_WIDTH 13
#define MIN_WIDTH    60
#define MAX_WIDTH    1000

static const struct {
	const char *label, *key, *unit; /* unit: NULL for averages */
} numbers[N_TREE_NUMBERS] = {
	[TREE_SIZE] = { "size", "size", "bytes" },
	[TREE_NODES] = { "nodes", "nodes", "events" },
	[TREE_NODE_SIZE] = { "average size of a node", "node_size", "bytes" },
	[TREE_INTERIOR_NODES] = { "interior nodes", "interior_nodes", "events" },
	[TREE_OUT_DEGREE] = { "out-degree of interior nodes", "out_degree", NULL },
	[TREE_AVERAGE_HEIGHT] = { "average height of leaves", "average_height", NULL },
	[TREE_HEIGHT] = { "maximum height", "height", "events" },
	[TREE_REPLICATION] = { "maximum replication", "replication", "events" },
};

struct change {
	double values[N_DIFF_SIDES];
	double error; /* NAN: a side has one run */
};

void tree_numbers_take(struct tree_numbers *taken, const struct view *view)
{
	for (int kind = 0; kind < N_TREES; kind++) {
		const struct tree_statistics *tree = &view->trees[kind];
		const double values[N_TREE_NUMBERS] = {
			[TREE_SIZE] = (double)tree->size,
			[TREE_NODES] = (double)tree->n_nodes,
			[TREE_NODE_SIZE] = (double)tree_node_size(tree),
			[TREE_INTERIOR_NODES] = (double)tree->n_interior,
			[TREE_OUT_DEGREE] = tree_out_degree(tree),
			[TREE_AVERAGE_HEIGHT] = tree_average_height(tree),
			[TREE_HEIGHT] = (double)tree->max_height,
			[TREE_REPLICATION] = (double)tree->replication,
		};

		memcpy(taken->of[kind], values, sizeof(values));
	}
}

/* Functions have copies in the tree by function alone. */
static bool has_number(int kind, int number)
{
	return kind == TREE_BY_FUNCTION || number != TREE_REPLICATION;
}

/* The mean of a side's runs, and its squared error. */
static double find_mean(const struct diff *diff, int kind, int number, enum diff_side side,
			double *squared_error_ret)
{
	double n = 0, sum = 0, squares = 0;

	for (size_t i = 0; i < diff->rows.n_runs; i++) {
		if (diff->sources[i].side != side)
			continue;
		n++;
		sum += diff->sources[i].trees.of[kind][number];
	}
	for (size_t i = 0; i < diff->rows.n_runs; i++) {
		double apart = diff->sources[i].trees.of[kind][number] - sum / n;

		squares += diff->sources[i].side == side ? apart * apart : 0;
	}
	*squared_error_ret = n > 1 ? squares / (n - 1) / n : NAN;
	return sum / n;
}

static struct change find_change(const struct diff *diff, int kind, int number)
{
	struct change change;
	double squares[N_DIFF_SIDES];

	for (int side = 0; side < N_DIFF_SIDES; side++)
		change.values[side] =
			find_mean(diff, kind, number, (enum diff_side)side, &squares[side]);
	change.error = sqrt(squares[DIFF_BEFORE] + squares[DIFF_AFTER]);
	return change;
}

static double difference(const struct change *change)
{
	return change->values[DIFF_AFTER] - change->values[DIFF_BEFORE];
}

static double relative(const struct change *change)
{
	double before = change->values[DIFF_BEFORE];

	return before > 0 ? difference(change) / before : NAN;
}

static void format(char *text, double value, const char *unit)
{
	if (unit)
		diff_format_cost(text, value, unit);
	else
		snprintf(text, DIFF_VALUE_SIZE, "%.2f", value);
}

static void write_number(const struct text_output *output, const struct diff *diff, int kind,
			 int number)
{
	const struct change change = find_change(diff, kind, number);
	const double moved = difference(&change), part = relative(&change);
	const char *unit = numbers[number].unit;
	char text[DIFF_VALUE_SIZE + 1];

	fprintf(output->file, "  %-*s", LABEL_WIDTH - 2, numbers[number].label);
	for (int side = 0; side < N_DIFF_SIDES; side++) {
		format(text, change.values[side], unit);
		fprintf(output->file, "%*s", COLUMN_WIDTH, text);
	}
	text[0] = moved < 0 ? '-' : '+';
	format(text + 1, fabs(moved), unit);
	fprintf(output->file, "%*s", COLUMN_WIDTH, text);
	if (isnan(part))
		fprintf(output->file, "%*s", COLUMN_WIDTH - 3, "-");
	else
		fprintf(output->file, "%+*.1f%%", COLUMN_WIDTH - 4, 100 * part);
	if (!isnan(change.error)) {
		format(text, change.error, unit);
		fprintf(output->file, "%*s", COLUMN_WIDTH, text);
	}
	putc('\n', output->file);
}

int diff_stats_write_text(FILE *out, const struct diff *diff, const struct export_options *options)
{
	const unsigned width = options->width < MAX_WIDTH ? options->width : MAX_WIDTH;
	const bool has_error = !isnan(find_change(diff, 0, 0).error);
	struct text_output output;

	text_output_init(&output, out, options->color, width > MIN_WIDTH ? width : MIN_WIDTH);
	diff_header_write(&output, diff, diff->rows.n_metrics);
	text_style_begin(&output, STYLE_HEADING);
	fprintf(out, "%-*s%*s%*s%*s%*s", LABEL_WIDTH, "calling context tree", COLUMN_WIDTH,
		"before", COLUMN_WIDTH, "after", COLUMN_WIDTH, "change", COLUMN_WIDTH - 3,
		"relative");
	if (has_error)
		fprintf(out, "%*s", COLUMN_WIDTH, "error");
	text_style_end(&output, STYLE_HEADING);
	for (int kind = 0; kind < N_TREES; kind++) {
		fputs(kind == TREE_BY_FUNCTION ? "\nby function\n" : "\nby call site\n", out);
		for (int number = 0; number < N_TREE_NUMBERS; number++) {
			if (has_number(kind, number))
				write_number(&output, diff, kind, number);
		}
	}
	return stream_finish(out);
}

int diff_stats_write_csv(FILE *out, const struct diff *diff)
{
	fputs("tree,number,before,after,difference,relative,error" CSV_LINE_END, out);
	for (int kind = 0; kind < N_TREES; kind++) {
		for (int number = 0; number < N_TREE_NUMBERS; number++) {
			const struct change change = find_change(diff, kind, number);

			if (!has_number(kind, number))
				continue;
			fprintf(out, "%s,%s", tree_kind_name((enum tree_kind)kind),
				numbers[number].key);
			diff_csv_write_number(out, change.values[DIFF_BEFORE]);
			diff_csv_write_number(out, change.values[DIFF_AFTER]);
			diff_csv_write_number(out, difference(&change));
			diff_csv_write_number(out, relative(&change));
			diff_csv_write_number(out, change.error);
			fputs(CSV_LINE_END, out);
		}
	}
	return stream_finish(out);
}

int diff_stats_write_json(FILE *out, const struct diff *diff)
{
	diff_json_write_head(out, diff);
	fputs(",\n\"trees\":[", out);
	for (int kind = 0; kind < N_TREES; kind++) {
		fprintf(out, "%s\n  {\"of\":\"%s\"", kind ? "," : "",
			tree_kind_name((enum tree_kind)kind));
		for (int number = 0; number < N_TREE_NUMBERS; number++) {
			const struct change change = find_change(diff, kind, number);

			if (!has_number(kind, number))
				continue;
			fprintf(out, ",\n   \"%s\":{\"before\":%.9g", numbers[number].key,
				change.values[DIFF_BEFORE]);
			diff_json_write_number(out, "after", change.values[DIFF_AFTER]);
			diff_json_write_number(out, "difference", difference(&change));
			diff_json_write_number(out, "relative", relative(&change));
			diff_json_write_number(out, "error", change.error);
			putc('}', out);
		}
		putc('}', out);
	}
	fputs("]}\n", out);
	return stream_finish(out);
}
