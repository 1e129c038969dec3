#include "report/annotate/annotate_page.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cct/base/printable.h"
#include "report/names/source_paths.h"

#define TEXT_SIZE    16384
#define HOT_PERCENT  5.0
#define WARM_PERCENT 0.5
#define COUNT_WIDTH  12 /* of how often code was executed, or mispredicted */

const uint64_t *page_costs(const struct page *page, uint32_t slot)
{
	return page->inclusive ? annotation_total(page->annotation, slot)
			       : annotation_self(page->annotation, slot);
}

unsigned page_numbers_width(const struct page *page)
{
	return page->n_metrics * page->column_width +
	       (page->options->executed ? 2 * COUNT_WIDTH : 0);
}

double page_share(const struct page *page, uint32_t slot, uint32_t metric)
{
	uint64_t whole = page_costs(page, page->function->slot)[metric];

	return whole ? 100.0 * (double)page_costs(page, slot)[metric] / (double)whole : 0;
}

bool page_is_hot(const struct page *page, uint32_t slot)
{
	for (uint32_t i = 0; slot != ANNOTATE_NONE && i < page->n_metrics; i++) {
		if (page_costs(page, slot)[page->metrics[i]] &&
		    page_share(page, slot, page->metrics[i]) >= page->options->min_percent)
			return true;
	}
	return false;
}

void page_write_share(const struct page *page, double percent)
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

void page_write_shares(const struct page *page, uint32_t slot)
{
	for (uint32_t i = 0; i < page->n_metrics; i++) {
		uint32_t metric = page->metrics[i];

		if (slot == ANNOTATE_NONE || !page_costs(page, slot)[metric])
			fprintf(page->output.file, "%*s", (int)page->column_width, "");
		else
			page_write_share(page, page_share(page, slot, metric));
	}
}

static void write_count(const struct page *page, uint64_t count)
{
	if (count)
		fprintf(page->output.file, "%*" PRIu64 " ", COUNT_WIDTH - 1, count);
	else
		fprintf(page->output.file, "%*s", COUNT_WIDTH, "");
}

/* @counts: NULL: the columns are left blank. */
static void write_counts(const struct page *page, const struct executed_counts *counts)
{
	if (!page->options->executed)
		return;
	write_count(page, counts ? counts->executed : 0);
	write_count(page, counts ? counts->mispredicted : 0);
}

static void write_counts_of_line(const struct page *page, uint32_t path, uint32_t line)
{
	if (!page->options->executed || page->by_address) {
		write_counts(page, NULL);
		return;
	}
	const struct executed_counts counts = annotated_line_executed(
		page->annotation, page->function, page->options->executed, &page->list, path, line);
	write_counts(page, &counts);
}

void page_write_counts_heading(const struct page *page)
{
	if (page->options->executed)
		fprintf(page->output.file, "%*s %*s ", COUNT_WIDTH - 1, "executed", COUNT_WIDTH - 1,
			"mispredict");
}

void page_write_rest(const struct page *page, const char *text, unsigned indent)
{
	unsigned left = page_numbers_width(page) + indent, width = 0;
	unsigned room = page->output.width > left ? page->output.width - left : 0;
	char bytes[PRINTABLE_MAX];
	unsigned columns;
	size_t size;

	while ((size = printable_next(&text, page->output.utf8, bytes, &columns)) &&
	       (width += columns) <= room)
		fwrite(bytes, 1, size, page->output.file);
	putc('\n', page->output.file);
}

void page_write_styled(const struct page *page, enum text_style style, const char *text)
{
	text_style_begin(&page->output, style);
	page_write_rest(page, text, 0);
	text_style_end(&page->output, style);
}

static void write_source_line(const struct page *page, uint32_t number, const char *text)
{
	text_style_begin(&page->output, STYLE_DIM);
	if (number)
		fprintf(page->output.file, "%*" PRIu32 "  ", PAGE_NUMBER_WIDTH, number);
	else
		fprintf(page->output.file, "%*s  ", PAGE_NUMBER_WIDTH, "-");
	text_style_end(&page->output, STYLE_DIM);
	page_write_rest(page, text, PAGE_NUMBER_WIDTH + 2);
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

int page_write_line(const struct page *page, uint32_t slot, uint32_t path, uint32_t line)
{
	char text[SOURCE_LINE_MAX_SIZE];
	int err = find_text(page, path, line, text);

	if (err)
		return err;
	page_write_shares(page, slot);
	write_counts_of_line(page, path, line);
	write_source_line(page, line, path == ANNOTATE_NONE ? "[no line]" : text);
	return 0;
}

int page_write_instruction(const struct page *page, const struct annotated_instruction *at)
{
	char text[TEXT_SIZE];
	int err = annotated_text(page->annotation, page->disassembler, at, text, sizeof(text));
	int written;

	if (err)
		return err;
	page_write_shares(page, at->slot);
	if (page->options->executed) {
		const struct executed_counts counts = annotated_executed(
			page->annotation, page->function, page->options->executed, at);

		write_counts(page, &counts);
	}
	bool is_dim = !page_is_hot(page, at->slot);
	if (is_dim)
		text_style_begin(&page->output, STYLE_DIM);
	written = fprintf(page->output.file, "%*s    %8" PRIx64 ":  ", PAGE_NUMBER_WIDTH, "",
			  at->vaddr);
	page_write_rest(page, at->size ? text : "[bytes not available]",
			written > 0 ? (unsigned)written : 0);
	if (is_dim)
		text_style_end(&page->output, STYLE_DIM);
	return 0;
}

int page_write_inlined(const struct page *page, uint32_t slot, const char *name, uint32_t path,
		       uint32_t line)
{
	char text[SOURCE_LINE_MAX_SIZE], row[TEXT_SIZE];
	const char *file = path == ANNOTATE_NONE
				   ? NULL
				   : source_path_tail(annotation_path(page->annotation, path), 1);
	int err = find_text(page, path, line, text);

	if (err)
		return err;
	page_write_shares(page, slot);
	write_counts(page, NULL);
	fprintf(page->output.file, "%*s  ", PAGE_NUMBER_WIDTH, "");
	if (file)
		snprintf(row, sizeof(row), "  inlined from %s:%" PRIu32 " %s%s%s", file, line, name,
			 *text ? ":  " : "", text + strspn(text, " "));
	else
		snprintf(row, sizeof(row), "  inlined from %s", name);
	page_write_rest(page, row, PAGE_NUMBER_WIDTH + 2);
	return 0;
}
