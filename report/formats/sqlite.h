/*
 * Writes a profile as an SQLite database: tables of events, processes, threads, modules, functions,
 * frames, call paths and samples, and views that add costs up (docs/FORMAT.md, "Databases").
 */
#ifndef REPORT_FORMATS_SQLITE_H
#define REPORT_FORMATS_SQLITE_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"

/* What this build lacks for databases; NULL: nothing. Static text. */
const char *sqlite_lacks(void);
/* As path_format::write; -ENOSYS where something is lacking. */
int sqlite_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		 const struct path_options *options);

#endif
