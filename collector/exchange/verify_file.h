/* Checks a file that was exported, by dendro or another program. */
#ifndef COLLECTOR_EXCHANGE_VERIFY_FILE_H
#define COLLECTOR_EXCHANGE_VERIFY_FILE_H

#include "report/export/path_format.h"

/* @path: "-" is standard input. 0, or another value after a message with the file's problem. */
int verify_file(const char *command, const struct path_format *format, const char *path);

#endif
