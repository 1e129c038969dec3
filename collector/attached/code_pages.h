/*
 * What a recording's code records say: which bytes pages of code that no file holds had, and when.
 *
 * A page that was read twice with the same bytes, and none else between, counts as unchanged
 * between the two. At any other moment it is known by the last bytes before and the first after,
 * and only what is the same in both counts (unwind/rules/code_view.h). The first reading of a page
 * alone serves the samples that made the recorder read it, those not much older. The last one
 * serves samples not much younger, of a process that ended before it could be read again, if it
 * found what the one before had found.
 */
#ifndef COLLECTOR_ATTACHED_CODE_PAGES_H
#define COLLECTOR_ATTACHED_CODE_PAGES_H

#include "perf/records/code_record.h"
#include "unwind/rules/code_view.h"

struct code_pages;

/* NULL: out of memory. */
struct code_pages *code_pages_create(void);
/* After the last moment was given back. */
void code_pages_destroy(struct code_pages *pages);

/*
 * Takes a code record in as it comes, not put in order. 0, -ENOMEM, or -EINVAL: it makes no sense,
 * or there is more of them than memory for them. What the records after it mean is not known then,
 * and they are not taken in.
 */
int code_pages_add(struct code_pages *pages, const struct perf_event_header *record);

/* The code of a process at a moment, as it is known now: records that come later change nothing.
 * Its bytes are there until code_pages_destroy(). All zeros: nothing is known. */
struct code_moment {
	struct code_source source; /* where ->pages */
	struct process_pages *pages;
	uint64_t time_ns;
};

/* The references that a moment holds are the caller's. */
struct code_moment code_pages_take(const struct code_pages *pages, int32_t pid, uint64_t time_ns);
void code_moment_ref(const struct code_moment *moment);
void code_moment_unref(struct code_moment *moment);
/* NULL: nothing is known. */
const struct code_source *code_moment_source(const struct code_moment *moment);

#endif
