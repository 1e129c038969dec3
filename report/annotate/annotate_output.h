/* Annotated functions -> bytes: text for a terminal, JSON for programs (docs/FORMAT.md). */
#ifndef REPORT_ANNOTATE_ANNOTATE_OUTPUT_H
#define REPORT_ANNOTATE_ANNOTATE_OUTPUT_H

#include <stdio.h>

#include "report/annotate/annotate.h"
#include "report/annotate/executed_code.h"

enum annotate_part {
	ANNOTATE_HOT,      /* lines with cost, the lines around them, and their instructions */
	ANNOTATE_SOURCE,   /* the source from the function's first line to its last, without
			      instructions */
	ANNOTATE_ASSEMBLY, /* instructions by address, with source lines between them */
};

struct annotate_options {
	enum annotate_part part; /* text only */
	double min_percent; /* text only: rows below this share of the function are summed up */
	bool inclusive;     /* text only: inclusive costs */
	bool no_source;     /* do not read source files */
	bool intel_syntax;
	unsigned width; /* columns of the terminal; 0: no limit */
	bool color;
	const char *const *moved; /* "FROM=TO": replaced beginnings of source paths; borrowed */
	size_t n_moved;
	const struct executed_code *executed; /* NULL: the recording has no branches; borrowed */
};

/* 0 or -errno of the stream, or -ENOMEM. */
int annotate_write_text(FILE *out, struct annotation *annotation,
			const struct annotate_options *options);
int annotate_write_json(FILE *out, struct annotation *annotation,
			const struct annotate_options *options);

#endif
