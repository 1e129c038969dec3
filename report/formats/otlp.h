/* Writes call paths as profiles of OTLP, OpenTelemetry's protocol, in binary Protocol Buffers. */
#ifndef REPORT_FORMATS_OTLP_H
#define REPORT_FORMATS_OTLP_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"

/* As path_format::write. */
int otlp_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
	       const struct path_options *options);

#endif
