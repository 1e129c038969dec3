/* Annotated functions -> bytes: text for a terminal, JSON for programs (docs/FORMAT.md). */
#ifndef REPORT_ANNOTATE_ANNOTATE_OUTPUT_H
#define REPORT_ANNOTATE_ANNOTATE_OUTPUT_H

#include <stdio.h>

#include "report/annotate/annotate.h"

enum annotate_part {
	ANNOTATE_HOT,      /* lines with cost, what is around them, and their instructions */
	ANNOTATE_SOURCE,   /* the source from the first line to the last, without instructions */
	ANNOTATE_ASSEMBLY, /* instructions by address, source lines between them */
};

struct annotate_options {
	enum annotate_part part; /* text only */
	double min_percent;      /* text only: what costs less of the function is summed up */
	bool inclusive;          /* text only: with the cost of what was called */
	bool no_source;          /* source files are not looked at */
	bool intel_syntax;
	unsigned width; /* columns of the terminal; 0: no limit */
	bool color;
	const char *const *moved; /* "FROM=TO", of source files; borrowed */
	size_t n_moved;
};

/* 0 or -errno of the stream, or -ENOMEM. */
int annotate_write_text(FILE *out, struct annotation *annotation,
			const struct annotate_options *options);
int annotate_write_json(FILE *out, struct annotation *annotation,
			const struct annotate_options *options);

#endif
