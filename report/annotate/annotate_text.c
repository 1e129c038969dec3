/* Headings, columns, and code by address. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/stream.h"
#include "report/annotate/annotate_lines.h"
#include "report/annotate/annotate_output.h"
#include "report/demangle/short_name.h"
#include "report/demangle/simple_name.h"
#include "report/text/text_format.h"

#define NO_LIMIT     100000
#define NAME_WIDTH   100 /* of a function's name, at most */
#define COLUMN_WIDTH 9   /* of a share, with the space after it */
#define MAX_COLUMN   16  /* if the name of an event needs more */
#define CONTEXT_CODE 3

/* Writes the source line of an instruction if it differs from that of the instruction before. */
static int write_place(const struct page *page, const struct annotated_place *place,
		       const struct annotated_place *before)
{
	int err = 0;
	bool is_same = before && annotated_place_is_at(before, place->path, place->line);

	if (page->options->no_source || place->path == ANNOTATE_NONE)
		return 0;
	if (!is_same)
		err = page_write_line(page, ANNOTATE_NONE, place->path, place->line);
	if (err || !place->inlined)
		return err;
	if (is_same && before->inlined && before->inlined_path == place->inlined_path &&
	    before->inlined_line == place->inlined_line &&
	    strcmp(before->inlined, place->inlined) == 0)
		return 0;
	return page_write_inlined(page, ANNOTATE_NONE, place->inlined, place->inlined_path,
				  place->inlined_line);
}

static void write_skipped(const struct page *page, uint32_t n)
{
	char text[64];

	fprintf(page->output.file, "%*s", (int)page_numbers_width(page), "");
	snprintf(text, sizeof(text), "%*s    ... %" PRIu32 " instructions", PAGE_NUMBER_WIDTH, "",
		 n);
	text_style_begin(&page->output, STYLE_DIM);
	page_write_rest(page, text, 0);
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

		if (!is_shown && !page_is_hot(page, list->all[i].slot))
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
			fprintf(page->output.file, "%*s  in ", (int)page_numbers_width(page), "");
			page_write_rest(page, page->annotation->codes[at->code].name, 5);
		}
		if (!shown[i]) {
			n_skipped++;
			continue;
		}
		int err = write_place(page, &at->place, is_new_code ? NULL : before);
		if (err)
			return err;
		before = &at->place;
		err = page_write_instruction(page, at);
		if (err)
			return err;
	}
	if (n_skipped)
		write_skipped(page, n_skipped);
	if (list->is_cut)
		page_write_styled(page, STYLE_WARNING,
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
	const uint64_t *costs = page_costs(page, page->function->slot);
	uint32_t n_fit = page->output.width / 2 / COLUMN_WIDTH, n = page->annotation->n_metrics;

	page->n_metrics = 0;
	if (n_fit > PAGE_MAX_METRICS)
		n_fit = PAGE_MAX_METRICS;
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
		n_with_cost += page_costs(page, page->function->slot)[i] > 0;
	if (page->inclusive && !page->options->inclusive)
		page_write_styled(
			page, STYLE_WARNING,
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

/* Writes a name as a report does, but with its parameters, which tell overloads apart. */
static void write_function_name(const struct page *page, const char *name)
{
	unsigned columns =
		page->output.width / 2 < NAME_WIDTH ? page->output.width / 2 : NAME_WIDTH;
	_cleanup_free_ char *simple = simple_name_make(name, true);
	_cleanup_free_ char *fitted =
		simple ? short_name_fit(simple, columns, page->output.utf8) : NULL;

	text_style_begin(&page->output, STYLE_HEADING);
	printable_write(page->output.file, fitted ? fitted : name, columns, page->output.utf8);
	text_style_end(&page->output, STYLE_HEADING);
}

static void write_heading(const struct page *page)
{
	const struct annotated_function *function = page->function;
	const struct annotated_code *code = &page->annotation->codes[function->code];

	write_function_name(page, function->name);
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
	page_write_counts_heading(page);
	fprintf(page->output.file, "%*s\n", PAGE_NUMBER_WIDTH, "line");
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
	/* The counts of a line are those of all its instructions. */
	const bool only_costly = !by_address && !page->options->executed;
	int err = annotated_instructions_list(page->annotation, page->function, only_costly,
					      &page->list);

	page->by_address = by_address;

	if (err)
		return err;
	if (code->bytes && disassembler_create(code->machine, page->options->intel_syntax,
					       &page->disassembler) == -ENOMEM)
		return -ENOMEM;
	write_columns_heading(page);
	return by_address ? write_by_address(page) : annotate_lines_write(page);
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
