#include "report/annotate/annotate_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/sorted.h"
#include "report/annotate/source_doubt.h"

#define CONTEXT_LINES 2

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
	uint32_t n;
	const uint32_t *numbers =
		annotated_instructions_of_line(&page->list, line->path, line->line, &n);

	for (uint32_t i = 0; i < n && !err; i++) {
		const struct annotated_instruction *at = &page->list.all[numbers[i]];

		if (is_of_part(&at->place, part) && page_is_hot(page, at->slot))
			err = page_write_instruction(page, at);
	}
	return err;
}

/* Writes the rows below a line: its instructions, and the code inlined into it. */
static int write_below(const struct page *page, const struct annotated_line *line)
{
	uint32_t n;
	const struct annotated_part *parts =
		annotated_parts_of_line(page->annotation, page->function, line, &n);
	bool has_code = page->options->part == ANNOTATE_HOT;
	int err = has_code ? write_code_of(page, line, NULL) : 0;

	for (uint32_t i = 0; i < n && !err; i++) {
		const struct annotated_part *part = &parts[i];

		if (!page_is_hot(page, part->slot))
			continue;
		err = page_write_inlined(page, part->slot, part->inlined, part->path, part->line);
		if (!err && has_code)
			err = write_code_of(page, line, part);
	}
	return err;
}

static void write_gap(const struct page *page)
{
	text_style_begin(&page->output, STYLE_DIM);
	fprintf(page->output.file, "%*s...\n",
		(int)page_numbers_width(page) + PAGE_NUMBER_WIDTH - 3, "");
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
	const size_t at = sorted_count(lines->n, i, lines->lines[i].line < number);

	return at < lines->n && lines->lines[at].line == number ? lines->lines[at].slot
								: ANNOTATE_NONE;
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
		err = page_write_line(page, slot_of_line(lines, first), lines->path, first);
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
	err = page_write_line(page, line->slot, line->path, line->line);
	if (err)
		return err;
	lines->at = line->line;
	return write_below(page, line);
}

static int write_lines(const struct page *page, struct lines *lines)
{
	for (uint32_t i = 0; i < lines->n; i++) {
		const struct annotated_line *line = &lines->lines[i];

		if (!page_is_hot(page, line->slot))
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
	double sums[PAGE_MAX_METRICS] = { 0 };
	uint32_t n = 0;
	char text[64];

	for (uint32_t i = 0; i < page->function->n_lines; i++) {
		if (page_is_hot(page, lines[i].slot))
			continue;
		for (uint32_t j = 0; j < page->n_metrics; j++)
			sums[j] += page_share(page, lines[i].slot, page->metrics[j]);
		n++;
	}
	if (!n)
		return;
	for (uint32_t i = 0; i < page->n_metrics; i++) {
		if (sums[i] > 0)
			page_write_share(page, sums[i]);
		else
			fprintf(page->output.file, "%*s", (int)page->column_width, "");
	}
	snprintf(text, sizeof(text), "    ... %" PRIu32 " line%s below %g %%", n, n == 1 ? "" : "s",
		 page->options->min_percent);
	text_style_begin(&page->output, STYLE_DIM);
	page_write_rest(page, text, 0);
	text_style_end(&page->output, STYLE_DIM);
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
	fprintf(page->output.file, "%*s", (int)page_numbers_width(page), "");
	text_style_begin(&page->output, STYLE_HEADING);
	page_write_rest(page, path, 0);
	text_style_end(&page->output, STYLE_HEADING);
	const char *warning = file ? source_doubt(page->annotation, page->function, file) : NULL;
	if (!warning)
		return 0;
	fprintf(page->output.file, "%*s", (int)page_numbers_width(page), "");
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
		files[n - 1].cost += page_costs(page, lines[i].slot)[page->annotation->sort_metric];
	}
	if (files)
		qsort(files, n, sizeof(*files), compare_files);
	*n_ret = n;
	return files;
}

static bool any_is_hot(const struct page *page, const struct lines *lines)
{
	for (uint32_t i = 0; i < lines->n; i++) {
		if (page_is_hot(page, lines->lines[i].slot))
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

int annotate_lines_write(const struct page *page)
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
