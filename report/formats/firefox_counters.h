/* The counters of a profile for Firefox Profiler: how much CPU time each process used when. */
#ifndef REPORT_FORMATS_FIREFOX_COUNTERS_H
#define REPORT_FORMATS_FIREFOX_COUNTERS_H

#include "report/formats/firefox_file.h"

/* Writes "counters", with a comma before it; none unless the threads' samples are CPU time. 0 or
 * -ENOMEM. */
int firefox_write_counters(struct firefox_file *file);

#endif
