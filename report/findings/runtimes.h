/* Run-time systems whose functions could have names, and what it takes. */
#ifndef REPORT_FINDINGS_RUNTIMES_H
#define REPORT_FINDINGS_RUNTIMES_H

#include "report/names/symbolize.h"
#include "report/views/view.h"

#define RUNTIMES_MAX 16

/*
 * Finds the run-time systems whose functions lack names in processes with at least @min_percent of
 * the cost in @metric: a process that has run code without a name made at run time; or, of a
 * system that makes such code on request only, one without any. Call it when all frames have been
 * named. *@n_ret texts are written, each a static sentence. 0 or -ENOMEM.
 */
int runtimes_find(const struct profile *profile, const struct symbolizer *symbolizer,
		  uint32_t metric, double min_percent, const char *advice_ret[RUNTIMES_MAX],
		  size_t *n_ret);

#endif
