/* The threads of a profile for Firefox Profiler, with their samples and markers. */
#ifndef REPORT_FORMATS_FIREFOX_THREADS_H
#define REPORT_FORMATS_FIREFOX_THREADS_H

#include "report/formats/firefox_file.h"

/* Writes "markerSchema", with a comma before it: the kinds of markers that threads have. */
void firefox_write_marker_schema(const struct firefox_file *file);
/* Writes "threads", with a comma before it. */
void firefox_write_threads(struct firefox_file *file);

#endif
