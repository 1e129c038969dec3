/* Writes call paths as folded stacks, which flame graphs are made of. */
#ifndef REPORT_EXPORT_FOLDED_H
#define REPORT_EXPORT_FOLDED_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"

/* As path_format::write. */
int folded_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		 const struct path_options *options);

#endif
