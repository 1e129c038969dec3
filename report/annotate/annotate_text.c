/*
 * Annotated functions as text. A row shows the shares of the function's cost by event, then a
 * source line or an instruction. After each source line follow the code inlined into it and its
 * instructions.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/stream.h"
#include "cct/object/file_search.h"
#include "report/annotate/annotate_code.h"
#include "report/annotate/annotate_output.h"
#include "report/code/disassembly.h"
#include "report/names/source_file.h"
#include "report/names/source_paths.h"
#include "report/text/text_format.h"
#include "report/text/text_output.h"

#define NO_LIMIT      100000
#define COLUMN_WIDTH  9  /* of a share, with the space after it */
#define MAX_COLUMN    16 /* if the name of an event needs more */
#define NUMBER_WIDTH  7  /* of a line's number */
#define MAX_METRICS   8
#define TEXT_SIZE     16384
#define CONTEXT_LINES 2
#define CONTEXT_CODE  3
#define HOT_PERCENT   5.0
#define WARM_PERCENT  0.5

struct page {
	struct text_output output;
	struct annotation *annotation;
	const struct annotate_options *options;
	struct source_files *files;
	uint32_t metrics[MAX_METRICS]; /* metrics that have a column */
	uint32_t n_metrics;
	unsigned column_width;

	/* State of the function that is being shown. */
	const struct annotated_function *function;
	struct annotated_instructions list;
	struct disassembler *disassembler;
	bool inclusive;
};

static const uint64_t *costs_of(const struct page *page, uint32_t slot)
{
	return page->inclusive ? annotation_total(page->annotation, slot)
			       : annotation_self(page->annotation, slot);
}

static unsigned numbers_width(const struct page *page)
{
	return page->n_metrics * page->column_width;
}

static double share(const struct page *page, uint32_t slot, uint32_t metric)
{
	uint64_t whole = costs_of(page, page->function->slot)[metric];

	return whole ? 100.0 * (double)costs_of(page, slot)[metric] / (double)whole : 0;
}

/* Whether the slot reaches the minimum share of one of the events shown. */
static bool is_hot(const struct page *page, uint32_t slot)
{
	for (uint32_t i = 0; slot != ANNOTATE_NONE && i < page->n_metrics; i++) {
		if (costs_of(page, slot)[page->metrics[i]] &&
		    share(page, slot, page->metrics[i]) >= page->options->min_percent)
			return true;
	}
	return false;
}

static void write_share(const struct page *page, double percent)
{
	enum text_style style = STYLE_PLAIN;

	if (percent >= HOT_PERCENT)
		style = STYLE_HOT;
	else if (percent >= WARM_PERCENT)
		style = STYLE_WARM;
	text_style_begin(&page->output, style);
	fprintf(page->output.file, "%*.2f%% ", (int)page->column_width - 2, percent);
	text_style_end(&page->output, style);
}

/* Leaves columns without cost blank. */
static void write_shares(const struct page *page, uint32_t slot)
{
	for (uint32_t i = 0; i < page->n_metrics; i++) {
		uint32_t metric = page->metrics[i];

		if (slot == ANNOTATE_NONE || !costs_of(page, slot)[metric])
			fprintf(page->output.file, "%*s", (int)page->column_width, "");
		else
			write_share(page, share(page, slot, metric));
	}
}

/* Writes text up to the terminal's edge, @indent columns being used already. Ends the line. */
static void write_rest(const struct page *page, const char *text, unsigned indent)
{
	unsigned left = numbers_width(page) + indent, width = 0;
	unsigned room = page->output.width > left ? page->output.width - left : 0;
	char bytes[PRINTABLE_MAX];
	unsigned columns;
	size_t size;

	while ((size = printable_next(&text, page->output.utf8, bytes, &columns)) &&
	       (width += columns) <= room)
		fwrite(bytes, 1, size, page->output.file);
	putc('\n', page->output.file);
}

static void write_styled(const struct page *page, enum text_style style, const char *text)
{
	text_style_begin(&page->output, style);
	write_rest(page, text, 0);
	text_style_end(&page->output, style);
}

static void write_source_line(const struct page *page, uint32_t slot, uint32_t number,
			      const char *text)
{
	write_shares(page, slot);
	text_style_begin(&page->output, STYLE_DIM);
	if (number)
		fprintf(page->output.file, "%*" PRIu32 "  ", NUMBER_WIDTH, number);
	else
		fprintf(page->output.file, "%*s  ", NUMBER_WIDTH, "-");
	text_style_end(&page->output, STYLE_DIM);
	write_rest(page, text, NUMBER_WIDTH + 2);
}

/* Reads a source line; it is empty if there is no source file. 0 or -ENOMEM. */
static int find_text(const struct page *page, uint32_t path, uint32_t line,
		     char text[SOURCE_LINE_MAX_SIZE])
{
	const struct source_file *file;

	text[0] = '\0';
	if (!page->files || path == ANNOTATE_NONE)
		return 0;
	file = source_files_get(page->files, annotation_path(page->annotation, path));
	if (file)
		source_file_line(file, line, text);
	return file ? 0 : -ENOMEM;
}

static int write_line(const struct page *page, uint32_t slot, uint32_t path, uint32_t line)
{
	char text[SOURCE_LINE_MAX_SIZE];
	int err = find_text(page, path, line, text);

	if (err)
		return err;
	write_source_line(page, slot, line, path == ANNOTATE_NONE ? "[no line]" : text);
	return 0;
}

static int write_instruction(const struct page *page, const struct annotated_instruction *at)
{
	char text[TEXT_SIZE];
	int err = annotated_text(page->annotation, page->disassembler, at, text, sizeof(text));
	int written;

	if (err)
		return err;
	write_shares(page, at->slot);
	bool is_dim = !is_hot(page, at->slot);
	if (is_dim)
		text_style_begin(&page->output, STYLE_DIM);
	written = fprintf(page->output.file, "%*s    %8" PRIx64 ":  ", NUMBER_WIDTH, "", at->vaddr);
	write_rest(page, at->size ? text : "[bytes not available]",
		   written > 0 ? (unsigned)written : 0);
	if (is_dim)
		text_style_end(&page->output, STYLE_DIM);
	return 0;
}

/* "inlined from list.c:12 append: text" */
static int write_inlined(const struct page *page, uint32_t slot, const char *name, uint32_t path,
			 uint32_t line)
{
	char text[SOURCE_LINE_MAX_SIZE], row[TEXT_SIZE];
	const char *file = path == ANNOTATE_NONE
				   ? NULL
				   : source_path_tail(annotation_path(page->annotation, path), 1);
	int err = find_text(page, path, line, text);

	if (err)
		return err;
	write_shares(page, slot);
	fprintf(page->output.file, "%*s  ", NUMBER_WIDTH, "");
	if (file)
		snprintf(row, sizeof(row), "  inlined from %s:%" PRIu32 " %s%s%s", file, line, name,
			 *text ? ":  " : "", text + strspn(text, " "));
	else
		snprintf(row, sizeof(row), "  inlined from %s", name);
	write_rest(page, row, NUMBER_WIDTH + 2);
	return 0;
}

static bool is_at(const struct annotated_place *place, uint32_t path, uint32_t line)
{
	return place->path == path && place->line == line;
}

static bool is_of_part(const struct annotated_place *place, const struct annotated_part *part)
{
	if (!part || !place->inlined)
		return !part && !place->inlined;
	return place->inlined_path == part->path && place->inlined_line == part->line &&
	       strcmp(place->inlined, part->inlined) == 0;
}

/* Writes the instructions with cost of a line: its own, or of a function inlined into it. */
static int write_code_of(const struct page *page, const struct annotated_line *line,
			 const struct annotated_part *part)
{
	int err = 0;

	for (uint32_t i = 0; i < page->list.n && !err; i++) {
		const struct annotated_instruction *at = &page->list.all[i];

		if (is_at(&at->place, line->path, line->line) && is_of_part(&at->place, part) &&
		    is_hot(page, at->slot))
			err = write_instruction(page, at);
	}
	return err;
}

/* Writes the rows below a line: its instructions, and the code inlined into it. */
static int write_below(const struct page *page, const struct annotated_line *line)
{
	uint32_t first = page->function->first_part;
	bool has_code = page->options->part == ANNOTATE_HOT;
	int err = has_code ? write_code_of(page, line, NULL) : 0;

	for (uint32_t i = 0; i < page->function->n_parts && !err; i++) {
		const struct annotated_part *part = &page->annotation->parts[first + i];

		if (part->line_slot != line->slot || !is_hot(page, part->slot))
			continue;
		err = write_inlined(page, part->slot, part->inlined, part->path, part->line);
		if (!err && has_code)
			err = write_code_of(page, line, part);
	}
	return err;
}

static void write_gap(const struct page *page)
{
	text_style_begin(&page->output, STYLE_DIM);
	fprintf(page->output.file, "%*s...\n", (int)numbers_width(page) + NUMBER_WIDTH - 3, "");
	text_style_end(&page->output, STYLE_DIM);
}

/* The lines of one file in order, and how far they have been written. */
struct lines {
	const struct annotated_line *lines;
	uint32_t n;
	uint32_t path;
	uint32_t at;        /* the last line that was written; 0: none */
	uint32_t last_line; /* of the file; 0: the file is missing */
	uint64_t cost;      /* of the event that functions are sorted by */
};

static uint32_t slot_of_line(const struct lines *lines, uint32_t number)
{
	for (uint32_t i = 0; i < lines->n; i++) {
		if (lines->lines[i].line == number)
			return lines->lines[i].slot;
	}
	return ANNOTATE_NONE;
}

/* Writes lines without cost from @first up to, but not including, @end. */
static int write_context(const struct page *page, struct lines *lines, uint32_t first, uint32_t end)
{
	int err = 0;

	if (first <= lines->at)
		first = lines->at + 1;
	if (first > lines->last_line || first >= end)
		return 0;
	if (lines->at && first > lines->at + 1)
		write_gap(page);
	for (; first < end && first <= lines->last_line && !err; first++) {
		err = write_line(page, slot_of_line(lines, first), lines->path, first);
		lines->at = first;
	}
	return err;
}

static bool shows_all(const struct page *page)
{
	return page->options->part == ANNOTATE_SOURCE || page->options->min_percent <= 0;
}

/* Writes a line, the context before it that is not written yet, and the code inlined into it. */
static int write_up_to(const struct page *page, struct lines *lines,
		       const struct annotated_line *line)
{
	uint32_t before = line->line > CONTEXT_LINES ? line->line - CONTEXT_LINES : 1;

	if (shows_all(page) && lines->at)
		before = lines->at + 1;
	/* The mark of a gap takes one line, so a gap of one line is written instead. */
	if (lines->at && before == lines->at + 2)
		before--;
	int err = write_context(page, lines, before, line->line);
	if (err)
		return err;
	if (lines->at && lines->last_line && line->line > lines->at + 1)
		write_gap(page);
	err = write_line(page, line->slot, line->path, line->line);
	if (err)
		return err;
	lines->at = line->line;
	return write_below(page, line);
}

static int write_lines(const struct page *page, struct lines *lines)
{
	for (uint32_t i = 0; i < lines->n; i++) {
		const struct annotated_line *line = &lines->lines[i];

		if (!is_hot(page, line->slot))
			continue;
		int err = write_up_to(page, lines, line);
		if (err)
			return err;
		/* Context after this line ends where the context of the next one begins. */
		uint32_t next = i + 1 < lines->n ? lines->lines[i + 1].line : UINT32_MAX;
		uint32_t end = line->line + 1 + CONTEXT_LINES;
		if (line->line >= UINT32_MAX - CONTEXT_LINES - 1)
			continue;
		err = write_context(page, lines, line->line + 1, end < next ? end : next);
		if (err)
			return err;
	}
	return 0;
}

/* Sums up the lines that are left out. */
static void write_rest_of_lines(const struct page *page)
{
	const struct annotated_line *lines = page->annotation->lines + page->function->first_line;
	double sums[MAX_METRICS] = { 0 };
	uint32_t n = 0;
	char text[64];

	for (uint32_t i = 0; i < page->function->n_lines; i++) {
		if (is_hot(page, lines[i].slot))
			continue;
		for (uint32_t j = 0; j < page->n_metrics; j++)
			sums[j] += share(page, lines[i].slot, page->metrics[j]);
		n++;
	}
	if (!n)
		return;
	for (uint32_t i = 0; i < page->n_metrics; i++) {
		if (sums[i] > 0)
			write_share(page, sums[i]);
		else
			fprintf(page->output.file, "%*s", (int)page->column_width, "");
	}
	snprintf(text, sizeof(text), "    ... %" PRIu32 " line%s below %g %%", n, n == 1 ? "" : "s",
		 page->options->min_percent);
	text_style_begin(&page->output, STYLE_DIM);
	write_rest(page, text, 0);
	text_style_end(&page->output, STYLE_DIM);
}

static bool is_newer(const struct page *page, const struct source_file *file)
{
	struct stat program;

	return !file->problem && stat(page->function->module_path, &program) == 0 &&
	       (file->modified.tv_sec > program.st_mtim.tv_sec ||
		(file->modified.tv_sec == program.st_mtim.tv_sec &&
		 file->modified.tv_nsec > program.st_mtim.tv_nsec));
}

static bool is_behind_recording(const struct page *page, const struct source_file *file)
{
	int64_t recorded = file_search_recorded(page->annotation->profile->modules.files);

	return !file->problem && recorded && file->modified.tv_sec > recorded;
}

/* Why the file may differ from the one that was compiled. NULL: no sign of that. */
static const char *doubt(const struct page *page, const struct source_file *file)
{
	if (file->problem)
		return file->problem;
	if (is_newer(page, file))
		return "newer than the program: its lines may have moved";
	if (is_behind_recording(page, file))
		return "newer than the recording: its lines may have moved";
	return NULL;
}

/* Writes the file's name, and a warning if it is missing or newer. */
static int write_file(const struct page *page, struct lines *lines)
{
	const char *path = annotation_path(page->annotation, lines->path);
	const struct source_file *file = page->files ? source_files_get(page->files, path) : NULL;

	if (page->files && !file)
		return -ENOMEM;
	if (file && !file->problem)
		lines->last_line = file->n_lines;
	fprintf(page->output.file, "%*s", (int)numbers_width(page), "");
	text_style_begin(&page->output, STYLE_HEADING);
	write_rest(page, path, 0);
	text_style_end(&page->output, STYLE_HEADING);
	const char *warning = file ? doubt(page, file) : NULL;
	if (!warning)
		return 0;
	fprintf(page->output.file, "%*s", (int)numbers_width(page), "");
	text_style_begin(&page->output, STYLE_WARNING);
	fprintf(page->output.file, "  the source file is %s%s\n", warning,
		file->problem ? " (--source-path FROM=TO)" : "");
	text_style_end(&page->output, STYLE_WARNING);
	return 0;
}

static int compare_files(const void *a, const void *b)
{
	const struct lines *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return (x->lines > y->lines) - (x->lines < y->lines);
}

/* The function's lines by file, the file with the highest cost first. NULL: out of memory. */
static struct lines *list_files(const struct page *page, uint32_t *n_ret)
{
	const struct annotated_line *lines = page->annotation->lines + page->function->first_line;
	struct lines *files = calloc((size_t)page->function->n_lines + 1, sizeof(*files));
	uint32_t n = 0;

	for (uint32_t i = 0; files && i < page->function->n_lines; i++) {
		if (!i || lines[i].path != lines[i - 1].path)
			files[n++] = (struct lines){ .lines = &lines[i], .path = lines[i].path };
		files[n - 1].n++;
		files[n - 1].cost += costs_of(page, lines[i].slot)[page->annotation->sort_metric];
	}
	if (files)
		qsort(files, n, sizeof(*files), compare_files);
	*n_ret = n;
	return files;
}

static bool any_is_hot(const struct page *page, const struct lines *lines)
{
	for (uint32_t i = 0; i < lines->n; i++) {
		if (is_hot(page, lines->lines[i].slot))
			return true;
	}
	return false;
}

/* Writes the line where the function begins, if it is in this file. */
static int write_opening(const struct page *page, struct lines *lines)
{
	const struct annotated_code *code = &page->annotation->codes[page->function->code];
	struct annotated_place place = { .path = ANNOTATE_NONE };
	bool belongs = false;
	int err = 0;

	if (!page->function->is_inlined && code->bytes)
		err = annotation_place(page->annotation, page->function, code, code->start,
				       &belongs, &place);
	if (err || !belongs || place.path != lines->path || !lines->last_line ||
	    place.line >= lines->lines[0].line)
		return err;
	return write_context(page, lines, place.line, place.line + 1);
}

static int write_lines_of_file(const struct page *page, struct lines *lines)
{
	if (lines->path == ANNOTATE_NONE)
		return write_lines(page, lines);
	int err = write_file(page, lines);
	if (err)
		return err;
	err = write_opening(page, lines);
	return err ? err : write_lines(page, lines);
}

static int write_by_line(const struct page *page)
{
	uint32_t n_files;
	_cleanup_free_ struct lines *files = list_files(page, &n_files);

	if (!files)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_files; i++) {
		if (!any_is_hot(page, &files[i]))
			continue;
		int err = write_lines_of_file(page, &files[i]);
		if (err)
			return err;
	}
	write_rest_of_lines(page);
	return 0;
}

/* Writes the source line of an instruction if it differs from that of the instruction before. */
static int write_place(const struct page *page, const struct annotated_place *place,
		       const struct annotated_place *before)
{
	int err = 0;
	bool is_same = before && is_at(before, place->path, place->line);

	if (page->options->no_source || place->path == ANNOTATE_NONE)
		return 0;
	if (!is_same)
		err = write_line(page, ANNOTATE_NONE, place->path, place->line);
	if (err || !place->inlined)
		return err;
	if (is_same && before->inlined && before->inlined_path == place->inlined_path &&
	    before->inlined_line == place->inlined_line &&
	    strcmp(before->inlined, place->inlined) == 0)
		return 0;
	return write_inlined(page, ANNOTATE_NONE, place->inlined, place->inlined_path,
			     place->inlined_line);
}

static void write_skipped(const struct page *page, uint32_t n)
{
	char text[64];

	fprintf(page->output.file, "%*s", (int)numbers_width(page), "");
	snprintf(text, sizeof(text), "%*s    ... %" PRIu32 " instructions", NUMBER_WIDTH, "", n);
	text_style_begin(&page->output, STYLE_DIM);
	write_rest(page, text, 0);
	text_style_end(&page->output, STYLE_DIM);
}

/*
 * Marks the instructions to show: those with cost, and some before and after them. NULL: out of
 * memory.
 */
static bool *choose_instructions(const struct page *page)
{
	const struct annotated_instructions *list = &page->list;
	bool *shown = calloc((size_t)list->n + 1, sizeof(*shown));

	for (uint32_t i = 0; shown && i < list->n; i++) {
		bool is_shown = page->options->min_percent <= 0;
		uint32_t first = i > CONTEXT_CODE ? i - CONTEXT_CODE : 0;

		if (!is_shown && !is_hot(page, list->all[i].slot))
			continue;
		for (uint32_t j = first; j < list->n && j <= i + CONTEXT_CODE; j++)
			shown[j] |= list->all[j].code == list->all[i].code;
	}
	return shown;
}

static int write_by_address(const struct page *page)
{
	const struct annotated_instructions *list = &page->list;
	_cleanup_free_ bool *shown = choose_instructions(page);
	const struct annotated_place *before = NULL;
	uint32_t n_skipped = 0;

	if (!shown)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->n; i++) {
		const struct annotated_instruction *at = &list->all[i];
		bool is_new_code = !i || at->code != list->all[i - 1].code;

		if (n_skipped && (shown[i] || is_new_code)) {
			write_skipped(page, n_skipped);
			n_skipped = 0;
			before = NULL;
		}
		if (is_new_code && page->function->is_inlined) {
			fprintf(page->output.file, "%*s  in ", (int)numbers_width(page), "");
			write_rest(page, page->annotation->codes[at->code].name, 5);
		}
		if (!shown[i]) {
			n_skipped++;
			continue;
		}
		int err = write_place(page, &at->place, is_new_code ? NULL : before);
		if (err)
			return err;
		before = &at->place;
		err = write_instruction(page, at);
		if (err)
			return err;
	}
	if (n_skipped)
		write_skipped(page, n_skipped);
	if (list->is_cut)
		write_styled(page, STYLE_WARNING,
			     "The function is too long: the rest of its code is not shown.");
	return 0;
}

static bool has_lines(const struct page *page)
{
	const struct annotated_line *lines = page->annotation->lines + page->function->first_line;

	for (uint32_t i = 0; i < page->function->n_lines; i++) {
		if (lines[i].path != ANNOTATE_NONE)
			return true;
	}
	return false;
}

/* With several events each column has a heading, which needs more room than a share. */
static void choose_column_width(struct page *page)
{
	unsigned max_width = page->output.width / 2 / (page->n_metrics ? page->n_metrics : 1);

	page->column_width = COLUMN_WIDTH;
	if (max_width > MAX_COLUMN)
		max_width = MAX_COLUMN;
	for (uint32_t i = 0; page->n_metrics > 1 && i < page->n_metrics; i++) {
		const char *name = page->annotation->profile->metrics[page->metrics[i]].name;
		unsigned width = printable_width(name, page->output.utf8) + 1;

		if (width > page->column_width)
			page->column_width = width;
	}
	if (page->column_width > max_width && max_width >= COLUMN_WIDTH)
		page->column_width = max_width;
}

/*
 * Chooses the events with samples in the function, the one sorted by first, as many as fit into
 * half the width.
 */
static void choose_metrics(struct page *page)
{
	const uint64_t *costs = costs_of(page, page->function->slot);
	uint32_t n_fit = page->output.width / 2 / COLUMN_WIDTH, n = page->annotation->n_metrics;

	page->n_metrics = 0;
	if (n_fit > MAX_METRICS)
		n_fit = MAX_METRICS;
	for (uint32_t i = 0; i < n && page->n_metrics < n_fit; i++) {
		uint32_t metric = (page->annotation->sort_metric + i) % n;

		if (costs[metric])
			page->metrics[page->n_metrics++] = metric;
	}
	choose_column_width(page);
}

static void write_metric(const struct page *page, uint32_t metric)
{
	const struct metric *of = &page->annotation->profile->metrics[metric];
	uint32_t slot = page->function->slot;
	uint64_t self = annotation_self(page->annotation, slot)[metric];
	uint64_t total = annotation_total(page->annotation, slot)[metric];
	double whole = of->total ? (double)of->total : 1;
	uint64_t n_samples = annotation_samples(page->annotation, slot)[metric];
	char amount[64];

	text_format_amount(amount, sizeof(amount), self, of->unit);
	fputs("  ", page->output.file);
	printable_write(page->output.file, of->name, 40, page->output.utf8);
	fprintf(page->output.file, ": self %.2f%%, %s, %" PRIu64 " sample%s; total %.2f%%\n",
		100.0 * (double)self / whole, amount, n_samples, n_samples == 1 ? "" : "s",
		100.0 * (double)total / whole);
}

static void write_notes(const struct page *page)
{
	const struct annotated_code *code = &page->annotation->codes[page->function->code];
	uint32_t n_with_cost = 0;

	for (uint32_t i = 0; i < page->annotation->n_metrics; i++)
		n_with_cost += costs_of(page, page->function->slot)[i] > 0;
	if (page->inclusive && !page->options->inclusive)
		write_styled(page, STYLE_WARNING,
			     "  The function has no self cost: total costs are shown (--total).");
	if (code->problem) {
		text_style_begin(&page->output, STYLE_WARNING);
		fprintf(page->output.file, "  no instructions: %s\n", code->problem);
		text_style_end(&page->output, STYLE_WARNING);
	}
	if (page->n_metrics < n_with_cost)
		fprintf(page->output.file,
			"  %" PRIu32 " more events do not fit the width (--event)\n",
			n_with_cost - page->n_metrics);
}

static void write_heading(const struct page *page)
{
	const struct annotated_function *function = page->function;
	const struct annotated_code *code = &page->annotation->codes[function->code];

	text_style_begin(&page->output, STYLE_HEADING);
	printable_write(page->output.file, function->name, page->output.width / 2,
			page->output.utf8);
	text_style_end(&page->output, STYLE_HEADING);
	fputs(function->is_inlined ? ", inlined, in " : " in ", page->output.file);
	printable_write(page->output.file, function->module_path, page->output.width,
			page->output.utf8);
	if (!function->is_inlined && code->size)
		fprintf(page->output.file, ", 0x%" PRIx64 "-0x%" PRIx64, code->start,
			code->start + code->size);
	putc('\n', page->output.file);
	for (uint32_t i = 0; i < page->annotation->n_metrics; i++) {
		if (annotation_total(page->annotation, function->slot)[i])
			write_metric(page, i);
	}
	write_notes(page);
	putc('\n', page->output.file);
}

static void write_columns_heading(const struct page *page)
{
	text_style_begin(&page->output, STYLE_HEADING);
	for (uint32_t i = 0; i < page->n_metrics; i++) {
		const char *name = page->annotation->profile->metrics[page->metrics[i]].name;

		if (page->n_metrics == 1)
			name = page->inclusive ? "total" : "self";
		unsigned width = printable_width(name, page->output.utf8);
		fprintf(page->output.file, "%*s",
			width < page->column_width - 1 ? (int)(page->column_width - 1 - width) : 0,
			"");
		printable_write(page->output.file, name, page->column_width - 1, page->output.utf8);
		putc(' ', page->output.file);
	}
	fprintf(page->output.file, "%*s\n", NUMBER_WIDTH, "line");
	text_style_end(&page->output, STYLE_HEADING);
}

static bool has_own_cost(const struct page *page)
{
	for (uint32_t i = 0; i < page->annotation->n_metrics; i++) {
		if (annotation_self(page->annotation, page->function->slot)[i])
			return true;
	}
	return false;
}

static int fill_body(struct page *page)
{
	bool by_address = page->options->part == ANNOTATE_ASSEMBLY || !has_lines(page);
	const struct annotated_code *code = &page->annotation->codes[page->function->code];
	int err = annotated_instructions_list(page->annotation, page->function, !by_address,
					      &page->list);

	if (err)
		return err;
	if (code->bytes && disassembler_create(code->machine, page->options->intel_syntax,
					       &page->disassembler) == -ENOMEM)
		return -ENOMEM;
	write_columns_heading(page);
	return by_address ? write_by_address(page) : write_by_line(page);
}

static int write_body(struct page *page)
{
	page->disassembler = NULL;
	int err = fill_body(page);

	disassembler_destroy(page->disassembler);
	annotated_instructions_free(&page->list);
	return err;
}

static int write_function(struct page *page, const struct annotated_function *function)
{
	page->function = function;
	page->inclusive = page->options->inclusive || !has_own_cost(page);
	choose_metrics(page);
	write_heading(page);
	return write_body(page);
}

int annotate_write_text(FILE *out, struct annotation *annotation,
			const struct annotate_options *options)
{
	struct page page = {
		.annotation = annotation,
		.options = options,
	};
	int err = 0;

	text_output_init(&page.output, out, options->color,
			 options->width ? options->width : NO_LIMIT);
	if (!options->no_source) {
		page.files = source_files_create(options->moved, options->n_moved);
		if (!page.files)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < annotation->n_functions && !err; i++) {
		if (i)
			putc('\n', out);
		err = write_function(&page, &annotation->functions[i]);
	}
	source_files_destroy(page.files);
	return err ? err : stream_finish(out);
}
