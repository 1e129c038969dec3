/* Writes the samples of threads as a trace of Chrome's format, for Perfetto, speedscope and others.
 */
#ifndef REPORT_FORMATS_CHROME_TRACE_H
#define REPORT_FORMATS_CHROME_TRACE_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"

/* As path_format::write. The profile has rows. */
int chrome_trace_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		       const struct path_options *options);

#endif
