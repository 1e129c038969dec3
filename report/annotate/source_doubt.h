/* Signs that a source file is not what a function was compiled from. */
#ifndef REPORT_ANNOTATE_SOURCE_DOUBT_H
#define REPORT_ANNOTATE_SOURCE_DOUBT_H

#include "report/annotate/annotation.h"
#include "report/names/source_file.h"

/* What follows "the source file is": why it has no text, or may differ. Static; NULL: no sign. */
const char *source_doubt(const struct annotation *annotation,
			 const struct annotated_function *function, const struct source_file *file);

#endif
