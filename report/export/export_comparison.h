/* A comparison of two places as a sentence, and as JSON. */
#ifndef REPORT_EXPORT_EXPORT_COMPARISON_H
#define REPORT_EXPORT_EXPORT_COMPARISON_H

#include <stdio.h>

#include "report/findings/place_comparison.h"

/* 0, or -errno of the stream. */
int export_comparison_text(FILE *out, const struct metric *metric,
			   const struct place_comparison *comparison);
/* docs/FORMAT.md describes it. */
int export_comparison_json(FILE *out, const struct metric *metric,
			   const struct place_comparison *comparison);

#endif
