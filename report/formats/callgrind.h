/* Writes call paths as a profile of Callgrind, for KCachegrind and callgrind_annotate. */
#ifndef REPORT_FORMATS_CALLGRIND_H
#define REPORT_FORMATS_CALLGRIND_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"

/* As path_format::write. */
int callgrind_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		    const struct path_options *options);

#endif
