/* Writes call paths for speedscope (www.speedscope.app). */
#ifndef REPORT_FORMATS_SPEEDSCOPE_H
#define REPORT_FORMATS_SPEEDSCOPE_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"

/* As path_format::write. */
int speedscope_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		     const struct path_options *options);

#endif
