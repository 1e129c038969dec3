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

/* One metric of a profile, as servers of profiles take it: under a name that they know. */
struct pprof_metric {
	uint32_t index;
	const char *name;    /* of the values: "cpu" */
	uint64_t period;     /* the weight of a sample; 0: not known */
	uint64_t time_ns;    /* when the profile begins, since 1970; 0: not known */
	bool has_no_command; /* the comment with the recording's command line is left out */
};

/* The paths that have samples of the metric, with these alone. *@size_ret: of the profile before it
 * is compressed. 0 or -errno. */
int pprof_write_metric(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		       const struct pprof_metric *metric, size_t *size_ret);

#endif
