/*
 * The names of a comparison's rows for people: without parameters, unless two functions of a module
 * would then have one name; a source line has its place and its function, and an arc of a call
 * graph its direction.
 */
#ifndef REPORT_DIFF_DIFF_NAMES_H
#define REPORT_DIFF_DIFF_NAMES_H

#include "report/diff/diff.h"

struct diff_names {
	char **shown;  /* by position in the list of rows */
	char **places; /* likewise, of a source line: "file.c:12"; NULL: the row has none */
	size_t n;
};

/* Of these @n rows. @full: whole names. 0 or -ENOMEM; to be released in any case. */
int diff_names_init(struct diff_names *names, const struct diff *diff, const size_t *rows, size_t n,
		    bool full);
void diff_names_deinit(struct diff_names *names);

/* The row's kind of name: "function", "call path", "module", "process", "line", ... */
const char *diff_row_noun(const struct diff *diff);
/* "caller", "callee", or "" of a row that is no arc. */
const char *diff_arc_name(enum row_arc arc);

#endif
