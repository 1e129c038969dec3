/*
 * The page that annotated functions are written on. A row shows the shares of the function's cost
 * by event, then a source line or an instruction.
 */
#ifndef REPORT_ANNOTATE_ANNOTATE_PAGE_H
#define REPORT_ANNOTATE_ANNOTATE_PAGE_H

#include "report/annotate/annotate_code.h"
#include "report/annotate/annotate_output.h"
#include "report/code/disassembly.h"
#include "report/names/source_file.h"
#include "report/terminal/text_output.h"

#define PAGE_NUMBER_WIDTH 7 /* of a line's number */
#define PAGE_MAX_METRICS  8

struct page {
	struct text_output output;
	struct annotation *annotation;
	const struct annotate_options *options;
	struct source_files *files;
	uint32_t metrics[PAGE_MAX_METRICS]; /* metrics that have a column */
	uint32_t n_metrics;
	unsigned column_width;

	/* State of the function that is being shown. */
	const struct annotated_function *function;
	struct annotated_instructions list;
	struct disassembler *disassembler;
	bool inclusive;
	bool by_address; /* instructions have the counts of branches; lines have none */
};

/* The function's costs of a slot, by metric: inclusive or exclusive ones, as the page shows. */
const uint64_t *page_costs(const struct page *page, uint32_t slot);
/* Columns of all shares together. */
unsigned page_numbers_width(const struct page *page);
/* The slot's share of the function's cost, in percent. */
double page_share(const struct page *page, uint32_t slot, uint32_t metric);
/* Whether the slot reaches the minimum share of one of the events shown. */
bool page_is_hot(const struct page *page, uint32_t slot);

void page_write_share(const struct page *page, double percent);
/* Leaves columns without cost blank. @slot: ANNOTATE_NONE: none has cost. */
void page_write_shares(const struct page *page, uint32_t slot);
/* Writes text up to the terminal's edge, @indent columns being used already. Ends the line. */
void page_write_rest(const struct page *page, const char *text, unsigned indent);
void page_write_styled(const struct page *page, enum text_style style, const char *text);

/* The heading of the columns of counts, if there are any. */
void page_write_counts_heading(const struct page *page);

/* A row each. 0 or -ENOMEM. */
int page_write_line(const struct page *page, uint32_t slot, uint32_t path, uint32_t line);
int page_write_instruction(const struct page *page, const struct annotated_instruction *at);
/* "inlined from list.c:12 append: text" */
int page_write_inlined(const struct page *page, uint32_t slot, const char *name, uint32_t path,
		       uint32_t line);

static inline bool annotated_place_is_at(const struct annotated_place *place, uint32_t path,
					 uint32_t line)
{
	return place->path == path && place->line == line;
}

#endif
