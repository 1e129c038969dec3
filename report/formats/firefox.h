/* Writes a profile as Firefox Profiler (profiler.firefox.com) keeps them. */
#ifndef REPORT_FORMATS_FIREFOX_H
#define REPORT_FORMATS_FIREFOX_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"

/* As path_format::write. The profile has rows. */
int firefox_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		  const struct path_options *options);

#endif
