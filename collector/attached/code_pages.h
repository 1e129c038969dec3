/*
 * Reconstructs the bytes of pages of anonymous (JIT) code at a given time, from a recording's code
 * records: two readings of a page, one before that time and one after it.
 *
 * A page that was read twice in succession with the same bytes counts as unchanged between the two
 * readings. At any other time, only the bytes that are the same in the last reading before and in
 * the first reading after are known (unwind/rules/code_view.h). Samples that are slightly older
 * than the first reading use it alone, because they made the recorder read the page. Samples that
 * are slightly younger than the last reading, of a process that ended before the next one, use it
 * alone if it equals the reading before.
 */
#ifndef COLLECTOR_ATTACHED_CODE_PAGES_H
#define COLLECTOR_ATTACHED_CODE_PAGES_H

#include "cct/code/memory_code.h"
#include "perf/records/code_record.h"
#include "unwind/rules/code_view.h"

struct code_pages;

/* NULL: out of memory. */
struct code_pages *code_pages_create(void);
/* After the last moment was given back. */
void code_pages_destroy(struct code_pages *pages);

/*
 * Adds a code record; records need not be sorted. 0, -ENOMEM, or -EINVAL: the record is malformed,
 * or the records exceed the memory limit. The meaning of the records after it is then unknown, and
 * they are ignored.
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
/* Notes the architecture of a process's code: EM_*. */
void code_pages_set_machine(struct code_pages *pages, int32_t pid, uint16_t machine);
/* The newest bytes of all pages, the caller's to deinit. 0 or -ENOMEM. */
int code_pages_copy_newest(const struct code_pages *pages, struct memory_code *ret);
/* NULL: nothing is known. */
const struct code_source *code_moment_source(const struct code_moment *moment);

#endif
