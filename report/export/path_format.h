/* A format of other programs in which the call paths of a profile can be written. */
#ifndef REPORT_EXPORT_PATH_FORMAT_H
#define REPORT_EXPORT_PATH_FORMAT_H

#include <stdbool.h>
#include <stdio.h>

#include "cct/model/profile.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"
#include "report/verify/verification.h"

/* What a format needs of the samples one by one: profile->rows, in a profile by thread. */
enum format_rows {
	ROWS_UNUSED,
	ROWS_WANTED, /* written where the profile has them */
	ROWS_NEEDED,
	ROWS_WITH_TIMES, /* needed, and what has no times cannot be written */
};

struct path_format {
	const char *name;        /* "pprof", "folded" */
	const char *description; /* "a profile that go tool pprof and others read" */
	enum format_rows rows;
	bool is_binary;
	bool has_lines;
	bool has_one_metric;   /* it has no place for several */
	bool makes_files;      /* beside its result, by name */
	bool is_for_compilers; /* it needs the programs' code, and the lines of inlined functions */
	/* What this build lacks for the format, for a sentence; NULL: nothing. NULL: it never does.
	 */
	const char *(*lacks)(void);
	/*
	 * All costs of the profile are written, or path_options::finding_ret says what is not. 0,
	 * -ENOMEM, -ENODATA if there is nothing to write, or -errno of the stream. The profile
	 * and the symbolizer, which knows source lines if the format has them, are borrowed.
	 */
	int (*write)(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		     const struct path_options *options);
	/* Checks the bytes of a file of this format, which may be damaged or hostile. NULL: it
	 * cannot be checked. */
	void (*verify)(struct verification *verification, const uint8_t *bytes, size_t size);
};

#endif
