#include "report/text/text_columns.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/text/cgroup_name.h"
#include "report/demangle/short_name.h"
#include "report/text/text_errors.h"
#include "report/text/text_format.h"
#include "report/text/text_names.h"

#define SAMPLES_WIDTH                 10
#define ACTIVATIONS_WIDTH             11
#define MAX_MODULE_WIDTH              24
#define MAX_MODULE_WIDTH_BESIDE_LINES 16
#define MIN_NAME_WIDTH                20
#define HOT_PERCENT                   5.0
#define FOLD_MARK                     "... "
#define N_WAIT_COLUMNS                3
#define FILES_SHOWN                   3
#define CUT_MARK                      "..."

static const uint64_t *totals(const struct text *text)
{
	return text->view->root->total;
}

/* Columns are blocks: one for each metric, then one for each ratio. */
static uint32_t n_blocks(const struct text *text)
{
	return text->n_metrics + text->n_ratios;
}

static bool is_ratio(const struct text *text, uint32_t block)
{
	return block >= text->n_metrics;
}

/* The width of the numbers of a block, with a space after each. */
static unsigned block_numbers_width(const struct text *text, uint32_t block)
{
	unsigned n = (unsigned)(text->show_total + text->show_self + text->show_child);

	if (text->show_waits)
		n += (unsigned)text->show_total + N_WAIT_COLUMNS;
	else if (text->show_values && !is_ratio(text, block))
		n *= 2;
	return text->number_width * n + (text->show_samples ? SAMPLES_WIDTH : 0) +
	       (is_ratio(text, block) ? 0 : text_errors_width(text));
}

static const struct metric *block_metric(const struct text *text, uint32_t block)
{
	return &text->view->profile->metrics[text->metrics[block]];
}

static const char *block_name(const struct text *text, uint32_t block)
{
	if (is_ratio(text, block))
		return text->options->ratios[block - text->n_metrics].name;
	return block_metric(text, block)->name;
}

/* With several blocks each has a heading, which may need more room than the numbers. */
static unsigned block_width(const struct text *text, uint32_t block)
{
	unsigned width = block_numbers_width(text, block), name_width;

	if (n_blocks(text) == 1)
		return width;
	name_width = printable_width(block_name(text, block), text->output.utf8) + 1;
	if (name_width > 2 * text->number_width)
		name_width = 2 * text->number_width;
	return name_width > width ? name_width : width;
}

unsigned text_numbers_width(const struct text *text)
{
	unsigned width = text->index_width;

	for (uint32_t i = 0; i < n_blocks(text); i++)
		width += block_width(text, i) + 1;
	if (text->show_activations)
		width += ACTIVATIONS_WIDTH;
	return width;
}

unsigned text_answer_indent(const struct text *text)
{
	unsigned width = text_numbers_width(text), needed = 2 * text->number_width + 1;

	return width > needed ? width - needed : 0;
}

/* Pads a block on the left, so that its numbers are right-aligned. */
static void write_block_start(const struct text *text, uint32_t block)
{
	unsigned rest = block_width(text, block) - block_numbers_width(text, block);

	fprintf(text->output.file, "%*s", (int)rest, "");
}

/* How the frames of a row were found, if not by unwind information and the sample alone. */
static void marks_suffix(const struct view_row *row, char *buffer, size_t size)
{
	size_t n = 0;

	for (int mark = 0; mark < N_PATH_MARKS; mark++) {
		if (row->frame_marks & 1u << mark)
			n += (size_t)snprintf(buffer + n, size - n, "%s%s", n ? ", " : " (",
					      path_mark_name((enum path_mark)mark));
	}
	if (n)
		snprintf(buffer + n, size - n, ")");
}

static void keep_printable(char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			*text = '?';
	}
}

/*
 * The call of an inlined function. File names come from the recording, so only printable ASCII
 * characters are kept.
 */
static void inlined_suffix(const struct view_row *row, char *buffer, size_t size)
{
	const char *slash = row->call_file ? strrchr(row->call_file, '/') : NULL;
	const char *file = slash ? slash + 1 : row->call_file;

	if (!file)
		snprintf(buffer, size, " (inlined)");
	else
		snprintf(buffer, size, " (inlined at %.40s:%" PRIu32 ")", file, row->call_line);
	keep_printable(buffer);
}

/* The process of a thread. Names come from the recording: only printable ASCII is kept. */
static void process_suffix(const struct view_row *row, char *buffer, size_t size)
{
	const struct profile_process *process = row->process;

	if (!process)
		return;
	const char *name = process->name ? process->name : "[unknown]";
	if (process->n_joined)
		snprintf(buffer, size, " of %.40s (%" PRIu64 " processes)", name,
			 process->n_joined);
	else
		snprintf(buffer, size, " of %.40s (pid %" PRId32 ")", name, process->pid);
	keep_printable(buffer);
}

static bool is_process(const struct view_row *row)
{
	return row->kind == ROW_PROCESS || row->kind == ROW_THREAD;
}

/* The container or unit, unless the path ends with it. Paths come from the recording: only
 * printable ASCII is kept. */
static void cgroup_suffix(const struct view_row *row, char *buffer, size_t size)
{
	const size_t path_size = strlen(row->name);
	char name[CGROUP_NAME_MAX];

	if (!cgroup_name(row->name, name))
		return;
	const size_t name_size = strlen(name);
	if (path_size > name_size && row->name[path_size - name_size - 1] == '/' &&
	    strcmp(row->name + path_size - name_size, name) == 0)
		return;
	snprintf(buffer, size, " (%.40s)", name);
	keep_printable(buffer);
}

/* Names are made for columns: they have no number. */
static void cpu_suffix(const struct view_row *row, char *buffer, size_t size)
{
	if (row->id >= 0)
		snprintf(buffer, size, " %" PRId32, row->id);
}

/* When it began, and how long it lasted. */
static void times_suffix(const struct view_row *row, char *buffer, size_t size)
{
	char run[32] = "";

	if (!view_row_has_times(row))
		return;
	if (row->run)
		snprintf(run, sizeof(run), "run %" PRIu32 ", ", row->run);
	snprintf(buffer, size, " (%sat %.3f s, for %.3f s)", run, (double)row->start_ns / 1e9,
		 (double)row->duration_ns / 1e9);
}

/* What an epoch began with. Names come from the recording: only printable ASCII is kept. */
static void files_suffix(const struct view_row *row, char *buffer, size_t size)
{
	_cleanup_free_ char *files =
		row->files ? file_names_describe(row->files, row->n_files, FILES_SHOWN) : NULL;

	if (!files || !*files)
		return;
	snprintf(buffer, size, ": %s", files);
	keep_printable(buffer);
}

/* The number of the other function's entry, and whether it has other numbers of the arc. */
static void arc_suffix(const struct view_row *row, char *buffer, size_t size)
{
	if (row->arc && row->function)
		snprintf(buffer, size, " [%" PRIu32 "]%s", row->function->number,
			 row->differs ? " *" : "");
}

void text_row_suffix(const struct view_row *row, char *buffer, size_t size)
{
	buffer[0] = '\0';
	if (row->kind == ROW_CPU || row->kind == ROW_CGROUP) {
		(row->kind == ROW_CPU ? cpu_suffix : cgroup_suffix)(row, buffer, size);
		return;
	}
	if (row->kind == ROW_PHASE || row->kind == ROW_EPOCH) {
		times_suffix(row, buffer, size);
		files_suffix(row, buffer + strlen(buffer), size - strlen(buffer));
		return;
	}
	if (!is_process(row)) {
		if (row->kind == ROW_INLINE) {
			inlined_suffix(row, buffer, size);
			size -= strlen(buffer);
			buffer += strlen(buffer);
		}
		marks_suffix(row, buffer, size);
		if (row->is_recursion)
			snprintf(buffer, size, " (recursive)");
		if (row->n_merged > 1)
			snprintf(buffer, size, " (and %" PRIu32 " more)", row->n_merged - 1);
		size -= strlen(buffer);
		arc_suffix(row, buffer + strlen(buffer), size);
		return;
	}
	if (row->n_merged > 1)
		snprintf(buffer, size, " (%" PRIu32 " processes)", row->n_merged);
	else if (row->id >= 0)
		snprintf(buffer, size, " (%s %" PRId32 ")",
			 row->kind == ROW_PROCESS ? "pid" : "tid", row->id);
	size -= strlen(buffer);
	process_suffix(row, buffer + strlen(buffer), size);
}

static unsigned name_and_suffix_width(const struct text *text, const struct view_row *row)
{
	char suffix[TEXT_SUFFIX_SIZE];

	text_row_suffix(row, suffix, sizeof(suffix));
	return printable_width(text_names_get(text->names, row), text->output.utf8) +
	       (unsigned)strlen(suffix);
}

unsigned text_title_width(const struct text *text, const struct view_row *outer,
			  const struct view_row *row)
{
	unsigned width = name_and_suffix_width(text, row);

	if (outer == row)
		return width;
	if (is_process(outer))
		width += name_and_suffix_width(text, outer) + 1;
	return width + (unsigned)strlen(FOLD_MARK);
}

void text_measure(struct text *text, unsigned name_width, const struct view_row *row)
{
	unsigned module_width = row ? printable_width(row->module, text->output.utf8) : 0;

	text->name_width = name_width > text->name_width ? name_width : text->name_width;
	text->module_width = module_width > text->module_width ? module_width : text->module_width;
}

void text_lay_out(struct text *text)
{
	unsigned max_module =
		text->cell_widths[CELL_LINE] ? MAX_MODULE_WIDTH_BESIDE_LINES : MAX_MODULE_WIDTH;
	unsigned min_name = MIN_NAME_WIDTH + text->cells_width;
	unsigned left = text_numbers_width(text), room;

	if (text->module_width > max_module)
		text->module_width = max_module;
	if (text->output.width < left + min_name + 2 + text->module_width)
		text->module_width = 0;
	left += text->module_width ? text->module_width + 2 : 0;
	room = text->output.width > left + MIN_NAME_WIDTH ? text->output.width - left
							  : MIN_NAME_WIDTH;
	if (text->name_width > room)
		text->name_width = room;
}

static void write_block_names(const struct text *text)
{
	text_style_begin(&text->output, STYLE_HEADING);
	fprintf(text->output.file, "%*s", (int)text->index_width, "");
	for (uint32_t i = 0; i < n_blocks(text); i++) {
		unsigned width = block_width(text, i) - 1;
		unsigned name_width = printable_width(block_name(text, i), text->output.utf8);

		if (name_width < width)
			fprintf(text->output.file, "%*s", (int)(width - name_width), "");
		printable_write(text->output.file, block_name(text, i), width, text->output.utf8);
		fputs(i + 1 < n_blocks(text) ? "  " : "", text->output.file);
	}
	text_style_end(&text->output, STYLE_HEADING);
	putc('\n', text->output.file);
}

/* Beside waits there is only the value of the total. */
static bool has_value(const struct text *text, bool is_total)
{
	return text->show_values && (is_total || !text->show_waits);
}

static void write_waits_heading(const struct text *text)
{
	int width = (int)text->number_width - 1;

	fprintf(text->output.file, "%*s %*s %*s ", width, "waits", width, "mean", width, "longest");
}

/* The heading of a share, and that of the value beside it. */
static void write_share_heading(const struct text *text, uint32_t block, const char *heading)
{
	int width = (int)text->number_width - 1;

	bool is_total = strcmp(heading, "total") == 0;

	fprintf(text->output.file, "%*s ", width, heading);
	if (!is_ratio(text, block) && strcmp(heading, "child") != 0)
		text_errors_write_heading(text, is_total ? SHARE_TOTAL : SHARE_SELF);
	if (has_value(text, is_total) && !is_ratio(text, block))
		fprintf(text->output.file, "%*s ", width,
			text_value_heading(block_metric(text, block)->unit));
}

void text_write_columns_heading(const struct text *text, const char *name_heading)
{
	if (n_blocks(text) > 1)
		write_block_names(text);
	text_style_begin(&text->output, STYLE_HEADING);
	fprintf(text->output.file, "%-*s", (int)text->index_width,
		text->index_width ? "index" : "");
	for (uint32_t i = 0; i < n_blocks(text); i++) {
		write_block_start(text, i);
		if (text->show_total)
			write_share_heading(text, i, "total");
		if (text->show_self)
			write_share_heading(text, i, "self");
		if (text->show_child)
			write_share_heading(text, i, "child");
		if (text->show_waits)
			write_waits_heading(text);
		if (text->show_samples)
			fprintf(text->output.file, "%*s ", SAMPLES_WIDTH - 1, "samples");
		putc(' ', text->output.file);
	}
	if (text->show_activations)
		fprintf(text->output.file, "%*s  ", ACTIVATIONS_WIDTH - 2, "called >=");
	if (text->module_width)
		fprintf(text->output.file, "%-*s  module", (int)text->name_width, name_heading);
	else
		fputs(name_heading, text->output.file);
	text_style_end(&text->output, STYLE_HEADING);
	putc('\n', text->output.file);
}

static void write_nothing(const struct text *text)
{
	text_style_begin(&text->output, STYLE_DIM);
	fprintf(text->output.file, "%*s ", (int)text->number_width - 1, "-");
	text_style_end(&text->output, STYLE_DIM);
}

enum text_style text_share_style(double share)
{
	if (share >= HOT_PERCENT)
		return STYLE_HOT;
	return share >= TEXT_MIN_SUM_PERCENT ? STYLE_WARM : STYLE_PLAIN;
}

void text_write_share(const struct text *text, double share)
{
	const enum text_style style = text_share_style(share);

	text_style_begin(&text->output, style);
	fprintf(text->output.file, "%*.*f%% ", (int)text->number_width - 2,
		text->number_width < TEXT_NUMBER_WIDTH ? 1 : 2, share);
	text_style_end(&text->output, style);
}

void text_write_value(const struct text *text, uint64_t value, const char *unit)
{
	char buffer[32];

	if (!value) {
		write_nothing(text);
		return;
	}
	text_format_value(buffer, sizeof(buffer), value, unit);
	fprintf(text->output.file, "%*s ", (int)text->number_width - 1, buffer);
}

/* How many waits there were, and how long they took. */
static void write_waits(const struct text *text, uint64_t n, uint64_t total, uint64_t longest)
{
	text_write_value(text, n, "events");
	text_write_value(text, n ? total / n : 0, "ns");
	text_write_value(text, longest, "ns");
}

static void write_part(const struct text *text, uint64_t part, uint64_t whole)
{
	if (part)
		text_write_share(text, text_percent(part, whole));
	else
		write_nothing(text);
}

/* Writes the share of a cost and, where they are shown, its error and the cost. */
static void write_cost(const struct text *text, uint32_t index, const struct view_row *row,
		       const struct text_sums *sums, enum share_kind kind)
{
	const bool is_total = kind == SHARE_TOTAL;
	const uint32_t metric = text->metrics[index];
	uint64_t part = row ? (is_total ? row->total : row->self)[metric]
			    : (is_total ? sums->total : sums->self)[index];

	write_part(text, part, totals(text)[metric]);
	text_errors_write(text, row, metric, kind);
	if (has_value(text, is_total))
		text_write_value(text, part, block_metric(text, index)->unit);
}

static void write_samples(const struct text *text, uint64_t n_samples)
{
	if (n_samples)
		fprintf(text->output.file, "%*" PRIu64 " ", SAMPLES_WIDTH - 1, n_samples);
	else
		fprintf(text->output.file, "%*s ", SAMPLES_WIDTH - 1, "-");
}

static void write_ratio(const struct text *text, const struct ratio *ratio, uint64_t numerator,
			uint64_t denominator)
{
	char number[32];

	if (!denominator) {
		write_nothing(text);
		return;
	}
	text_format_ratio(number, sizeof(number),
			  (double)numerator / (double)denominator * ratio->factor);
	fprintf(text->output.file, "%*s ", (int)text->number_width - 1, number);
}

/* What the code called: the sums of hidden functions have self costs only. */
static uint64_t child_cost(uint64_t total, uint64_t self)
{
	return total > self ? total - self : 0;
}

static void write_child_ratio(const struct text *text, uint32_t index, const struct view_row *row,
			      const struct text_sums *sums)
{
	const struct ratio *ratio = &text->options->ratios[index];
	uint32_t numerator = ratio->numerator, denominator = ratio->denominator;

	if (row)
		write_ratio(text, ratio, child_cost(row->total[numerator], row->self[numerator]),
			    child_cost(row->total[denominator], row->self[denominator]));
	else
		write_ratio(text, ratio,
			    child_cost(sums->ratio_total[index][0], sums->ratio_self[index][0]),
			    child_cost(sums->ratio_total[index][1], sums->ratio_self[index][1]));
}

static void write_ratio_block(const struct text *text, uint32_t index, const struct view_row *row,
			      const struct text_sums *sums)
{
	const struct ratio *ratio = &text->options->ratios[index];
	uint32_t numerator = ratio->numerator, denominator = ratio->denominator;

	if (text->show_total)
		write_ratio(text, ratio, row ? row->total[numerator] : sums->ratio_total[index][0],
			    row ? row->total[denominator] : sums->ratio_total[index][1]);
	if (text->show_self)
		write_ratio(text, ratio, row ? row->self[numerator] : sums->ratio_self[index][0],
			    row ? row->self[denominator] : sums->ratio_self[index][1]);
	if (text->show_child)
		write_child_ratio(text, index, row, sums);
	if (text->show_samples)
		fprintf(text->output.file, "%*s", SAMPLES_WIDTH, "");
}

static void write_child_cost(const struct text *text, uint32_t index, const struct view_row *row,
			     const struct text_sums *sums)
{
	const uint32_t metric = text->metrics[index];
	uint64_t part = row ? child_cost(row->total[metric], row->self[metric])
			    : child_cost(sums->total[index], sums->self[index]);

	write_part(text, part, totals(text)[metric]);
	if (has_value(text, false))
		text_write_value(text, part, block_metric(text, index)->unit);
}

static void write_metric_block(const struct text *text, uint32_t index, const struct view_row *row,
			       const struct text_sums *sums)
{
	uint32_t metric = text->metrics[index];

	if (text->show_total)
		write_cost(text, index, row, sums, SHARE_TOTAL);
	if (text->show_self)
		write_cost(text, index, row, sums, SHARE_SELF);
	if (text->show_child)
		write_child_cost(text, index, row, sums);
	if (text->show_waits)
		write_waits(text, row ? row->samples[metric] : sums->samples[index],
			    row ? row->total[metric] : sums->total[index],
			    row ? row->longest : sums->longest);
	if (text->show_samples)
		write_samples(text, row ? row->samples[metric] : sums->samples[index]);
}

static void write_activations(const struct text *text, uint64_t n)
{
	if (n)
		fprintf(text->output.file, "%*" PRIu64 "  ", ACTIVATIONS_WIDTH - 2, n);
	else
		fprintf(text->output.file, "%*s  ", ACTIVATIONS_WIDTH - 2, "-");
}

void text_write_numbers(const struct text *text, const struct view_row *row,
			const struct text_sums *sums)
{
	for (uint32_t i = 0; i < n_blocks(text); i++) {
		write_block_start(text, i);
		if (is_ratio(text, i))
			write_ratio_block(text, i - text->n_metrics, row, sums);
		else
			write_metric_block(text, i, row, sums);
		putc(' ', text->output.file);
	}
	if (text->show_activations)
		write_activations(text, row ? row->activations : sums->activations);
}

enum text_style text_row_style(const struct view_row *row)
{
	switch (row->kind) {
	case ROW_PROCESS:
	case ROW_THREAD:
	case ROW_CPU:
	case ROW_CGROUP:
	case ROW_PHASE:
	case ROW_EPOCH:
		return STYLE_PROCESS;
	case ROW_KERNEL:
		return STYLE_KERNEL;
	case ROW_MARKER:
		return STYLE_MARKER;
	case ROW_ROOT:
	case ROW_USER:
	case ROW_INLINE:
		break;
	}
	return STYLE_PLAIN;
}

/* Returns the columns written. */
static unsigned write_name(const struct text *text, const struct view_row *row, unsigned room)
{
	const char *name = text_names_get(text->names, row);
	_cleanup_free_ char *fitted = NULL;

	if (text->options->full_names)
		return printable_write(text->output.file, name, UINT_MAX, text->output.utf8);
	fitted = short_name_fit(name, room, text->output.utf8);
	return printable_write(text->output.file, fitted ? fitted : name, room, text->output.utf8);
}

/* Whether the suffix leaves too few columns to a name that has a place of its inlined call. */
static bool crowds_out_name(const struct text *text, const struct view_row *row, unsigned room,
			    const char *suffix)
{
	unsigned columns = room > strlen(suffix) ? room - (unsigned)strlen(suffix) : 0;

	if (text->options->full_names || !row->call_file)
		return false;
	_cleanup_free_ char *fitted =
		short_name_fit(text_names_get(text->names, row), columns, text->output.utf8);
	return fitted && short_name_is_poor(fitted, columns, text->output.utf8);
}

/* Of an epoch, the beginning of the list of files is shown where there is room. */
static void fit_suffix(const struct text *text, const struct view_row *row, unsigned room,
		       char *suffix)
{
	const size_t needed = printable_width(row->name, text->output.utf8) + strlen(CUT_MARK);

	if (text->options->full_names || row->kind != ROW_EPOCH || room < needed ||
	    strlen(suffix) + needed - strlen(CUT_MARK) <= room)
		return;
	memcpy(suffix + room - needed, CUT_MARK, sizeof(CUT_MARK));
}

/* A name and its class say more than the place of an inlined call. */
static void choose_suffix(const struct text *text, const struct view_row *row, unsigned room,
			  char *suffix, size_t size)
{
	struct view_row without_place = *row;

	text_row_suffix(row, suffix, size);
	fit_suffix(text, row, room, suffix);
	if (crowds_out_name(text, row, room, suffix)) {
		without_place.call_file = NULL;
		text_row_suffix(&without_place, suffix, size);
	}
	if (strlen(suffix) >= room && !(text->options->full_names && row->kind == ROW_EPOCH))
		suffix[0] = '\0';
}

/* Writes name and suffix, without the suffix if it takes all columns. Returns the columns written.
 */
static unsigned write_name_and_suffix(const struct text *text, const struct view_row *row,
				      unsigned room)
{
	enum text_style style = text_row_style(row);
	char suffix[TEXT_SUFFIX_SIZE];
	unsigned written;

	choose_suffix(text, row, room, suffix, sizeof(suffix));
	text_style_begin(&text->output, style);
	written = write_name(text, row, room - (unsigned)strlen(suffix));
	text_style_end(&text->output, style);
	fputs(suffix, text->output.file);
	return written + (unsigned)strlen(suffix);
}

/*
 * Writes what is folded into the line of @row: "make (pid 12) ... ". A process gets the columns
 * that
 * @row leaves, or half of them.
 */
static unsigned write_outer(const struct text *text, const struct view_row *outer,
			    const struct view_row *row, unsigned room)
{
	unsigned mark_width = (unsigned)strlen(FOLD_MARK), written = 0;
	unsigned needed = name_and_suffix_width(text, row) + 1 + mark_width;

	if (room <= 2 * mark_width)
		return 0;
	if (is_process(outer)) {
		unsigned left = needed < room ? room - needed : 0;

		written = write_name_and_suffix(text, outer, left > room / 2 ? left : room / 2) + 1;
		putc(' ', text->output.file);
	}
	text_style_begin(&text->output, STYLE_DIM);
	fputs(FOLD_MARK, text->output.file);
	text_style_end(&text->output, STYLE_DIM);
	return written + mark_width;
}

void text_write_title(const struct text *text, const struct view_row *outer,
		      const struct view_row *row, unsigned indent)
{
	unsigned room = text->name_width > indent ? text->name_width - indent : 0, written = 0;

	if (outer != row)
		written = write_outer(text, outer, row, room);
	written += write_name_and_suffix(text, row, room > written ? room - written : 0);
	if (text->module_width && *row->module) {
		fprintf(text->output.file, "%*s  ", written < room ? (int)(room - written) : 0, "");
		text_style_begin(&text->output, STYLE_DIM);
		printable_write(text->output.file, row->module, text->module_width,
				text->output.utf8);
		text_style_end(&text->output, STYLE_DIM);
	}
	putc('\n', text->output.file);
}

void text_write_more(const struct text *text, const struct text_sums *sums)
{
	text_style_begin(&text->output, STYLE_DIM);
	fprintf(text->output.file, "... %u more below %g %%", sums->n_rows,
		text->options->min_percent);
	text_style_end(&text->output, STYLE_DIM);
	putc('\n', text->output.file);
}
