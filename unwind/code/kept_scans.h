/*
 * What code_scan found in the code of one file, for the next profile that needs it: to follow the
 * code again would give the same. It depends on the bytes of the file and on the part of them that
 * is mapped, and on nothing else of a recording. Of one thread at a time.
 */
#ifndef UNWIND_CODE_KEPT_SCANS_H
#define UNWIND_CODE_KEPT_SCANS_H

#include "unwind/code/code_scan.h"

struct kept_scans;

/* What was asked. */
struct scan_question {
	const struct arch *arch;
	uint64_t start; /* as in struct code */
	size_t size;
	uint64_t offset; /* of the instruction */
	uint64_t entry;  /* the function that may lead to it; SCAN_RETURNS: its ways to return */
	bool is_exact;   /* @offset is not a return address */
};
#define SCAN_RETURNS UINT64_MAX

/* What was found. */
struct scan_answer {
	struct code_outcomes outcomes; /* with SCAN_RETURNS; else the rule of CODE_LEADS */
	bool is_outermost;             /* with SCAN_RETURNS: it is in the file's entry function */
	enum code_way way;             /* without, as of code_scan_entry() */
	bool leaves;                   /* likewise */
};

struct kept_scans *kept_scans_create(void); /* NULL: out of memory */
void kept_scans_destroy(struct kept_scans *kept);
/* false: not known; @ret is unchanged. */
bool kept_scans_find(const struct kept_scans *kept, const struct scan_question *question,
		     struct scan_answer *ret);
/* Of a question that is not answered. It is left out if the table is full, or memory is missing. */
void kept_scans_add(struct kept_scans *kept, const struct scan_question *question,
		    const struct scan_answer *answer);
/* Answers were left out for want of room. */
bool kept_scans_are_full(const struct kept_scans *kept);
/* The memory it takes. */
size_t kept_scans_size(const struct kept_scans *kept);

#endif
