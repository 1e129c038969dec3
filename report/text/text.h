/*
 * The text report's parts, and what they share: where it goes, how wide it may be, which metrics
 * have columns. Colours and box-drawing characters only where the reader's terminal has them.
 */
#ifndef REPORT_TEXT_TEXT_H
#define REPORT_TEXT_TEXT_H

#include "report/export/export.h"

#define TEXT_MAX_METRICS 8
#define TEXT_MAX_RATIOS  4
#define TEXT_SUFFIX_SIZE 128

enum text_style {
	STYLE_PLAIN,
	STYLE_HEADING,
	STYLE_DIM,
	STYLE_PROCESS,
	STYLE_KERNEL,
	STYLE_MARKER,
	STYLE_HOT,
	STYLE_WARM,
	STYLE_WARNING
};

struct text_names;

struct text {
	FILE *out;
	const struct view *view;
	struct symbolizer *symbolizer;
	struct text_names *names; /* NULL: whole names */
	const struct export_options *options;
	unsigned width;
	bool utf8;
	/* Columns of numbers, of each metric that has some. */
	uint32_t metrics[TEXT_MAX_METRICS];
	uint32_t n_metrics;
	uint32_t n_ratios; /* of the options', the first ones: columns behind those of metrics */
	unsigned number_width; /* of a share, with the space behind it */
	bool show_self, show_total, show_samples;
	unsigned name_width, module_width; /* module_width 0: no such column */
	unsigned line_width;               /* VIEW_LINES: of the column before the name, its part */
	bool rows_hidden;                  /* rows are missing that no line sums up */
};

/* What the recording is and how good the data is. */
void text_write_header(const struct text *text);
/* Modules whose names or debug information are missing. 0 or -ENOMEM. */
int text_write_problems(const struct text *text);
/* 0 or -ENOMEM. */
int text_write_tree(struct text *text);
void text_write_flat(struct text *text);

void text_style_begin(const struct text *text, enum text_style style);
void text_style_end(const struct text *text, enum text_style style);
/* "12.35 s", "1.20 GiB", "12345". */
void text_format_amount(char *buffer, size_t size, uint64_t amount, const char *unit);
/* "1.234", "56.7k", in no more than six columns. */
void text_format_ratio(char *buffer, size_t size, double value);

/* Numbers of rows that are summed up. */
struct text_sums {
	uint64_t total[TEXT_MAX_METRICS]; /* by column, of rows below the threshold */
	uint64_t self[TEXT_MAX_METRICS];
	uint64_t samples[TEXT_MAX_METRICS];
	/* Of a ratio's metrics: [0] the numerator's, [1] the denominator's. */
	uint64_t ratio_total[TEXT_MAX_RATIOS][2], ratio_self[TEXT_MAX_RATIOS][2];
	unsigned n_rows;
};

/* Reaches options->min_percent in a metric that is shown. */
bool text_is_visible(const struct text *text, const struct view_row *row);
void text_add_sums(const struct text *text, struct text_sums *sums, const struct view_row *row);
/* The sum is worth a line of its own. */
bool text_sums_visible(const struct text *text, const struct text_sums *sums);

/* Widths of what the columns hold. */
void text_measure(struct text *text, unsigned name_width, const struct view_row *row);
/* Decides the columns' widths once all rows are measured. */
void text_lay_out(struct text *text);
void text_write_columns_heading(const struct text *text, const char *name_heading);
/* The columns of numbers of a row; of @sums where @row is NULL. */
void text_write_numbers(const struct text *text, const struct view_row *row,
			const struct text_sums *sums);
/* " (pid 12)", " (inlined at list.c:20)", " (and 2 more)", " (guessed)": what stands behind a name.
 * May be empty.
 * @size: TEXT_SUFFIX_SIZE. */
void text_row_suffix(const struct view_row *row, char *buffer, size_t size);
/* Widths a share may have: with two decimals, and with one. */
#define TEXT_NUMBER_WIDTH  8
#define TEXT_COMPACT_WIDTH 7

unsigned text_title_width(const struct text *text, const struct view_row *row);
/* Name and module of a row, @indent columns being written already. Ends the line. */
void text_write_title(const struct text *text, const struct view_row *row, unsigned indent);
/* "... 12 more below 0.5 %" */
void text_write_more(const struct text *text, const struct text_sums *sums);

#endif
