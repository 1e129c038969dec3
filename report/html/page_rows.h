/*
 * When, on which CPU and in which thread the samples of the page's nodes were taken: the rows of a
 * profile, added up in slices of time.
 */
#ifndef REPORT_HTML_PAGE_ROWS_H
#define REPORT_HTML_PAGE_ROWS_H

#include "cct/encoding/byte_buffer.h"
#include "cct/model/profile.h"
#include "cct/text/string_ids.h"
#include "report/html/page_tree.h"

#define PAGE_SLICES   400 /* at most, and half of them or more, since their length is round */
#define PAGE_ROWS_MAX (1u << 20) /* more are added up in fewer slices */

struct page_row {
	uint32_t place, metric, task;
	uint32_t cpu;    /* and 1; 0: not known */
	uint32_t cgroup; /* as in struct sample_row */
	uint32_t slice;  /* and 1; 0: the samples have no time */
	uint64_t samples;
	uint64_t weight;           /* not scaled */
	unsigned __int128 squares; /* of the samples' weights */
};

struct page_rows {
	struct page_row *rows; /* by place, metric, slice, task, CPU, cgroup */
	uint32_t n;            /* 0: the page has no times */
	uint32_t n_slices;
	uint64_t slice_us;
};

/*
 * @nodes: by node of the profile's tree, that of the fold. Without rows in the profile, or with
 * too many, n is 0. 0 or -ENOMEM; page_rows_deinit() follows in any case.
 */
int page_rows_init(struct page_rows *rows, const struct profile *profile,
		   const struct page_tree *tree, const uint32_t *nodes);
void page_rows_deinit(struct page_rows *rows);
/* Appends tasks, cgroups and rows, with @squares theirs, too, as report/html/page_columns.h
 * describes. 0 or -ENOMEM. */
int page_rows_write(const struct page_rows *rows, const struct profile *profile,
		    struct string_ids *strings, bool squares, struct byte_buffer *out);

#endif
