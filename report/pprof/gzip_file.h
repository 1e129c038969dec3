/* Standard streams that compress as gzip what is written to another one. */
#ifndef REPORT_PPROF_GZIP_FILE_H
#define REPORT_PPROF_GZIP_FILE_H

#include <stdio.h>

/* A stream to write to, which cannot seek; fclose() writes the end, fails where @out failed, and
 * leaves @out open. NULL with errno. */
FILE *gzip_file_open(FILE *out);

#endif
