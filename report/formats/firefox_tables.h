/* The parts of a profile for Firefox Profiler that all threads share. */
#ifndef REPORT_FORMATS_FIREFOX_TABLES_H
#define REPORT_FORMATS_FIREFOX_TABLES_H

#include "report/formats/firefox_file.h"

/*
 * Writes "libs" and "shared", with commas before them; the latter has all strings, so nothing that
 * has strings may follow. 0 or -ENOMEM.
 */
int firefox_write_tables(struct firefox_file *file);

#endif
