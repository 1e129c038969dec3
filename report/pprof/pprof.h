/* Writes call paths as a profile of pprof, compressed. */
#ifndef REPORT_PPROF_PPROF_H
#define REPORT_PPROF_PPROF_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"

/* The unit of a metric by the names that pprof converts between: "nanoseconds", "bytes", "count".
 */
const char *pprof_unit(const struct metric *metric);
/* As path_format::write. */
int pprof_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		const struct path_options *options);

#endif
