/* What a recording would contain, for record --dry-run. */
#ifndef COLLECTOR_FILES_RECORDING_PLAN_H
#define COLLECTOR_FILES_RECORDING_PLAN_H

#include <stdio.h>

#include "collector/command-line/record_options.h"

/* @recorder: open, and not run yet. */
void recording_plan_print(FILE *out, const struct record_arguments *arguments,
			  const struct recorder *recorder);

#endif
