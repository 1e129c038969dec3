/* Opens the file of a recording: a new file that only its owner can read. An older file is kept. */
#ifndef COLLECTOR_RECORD_START_OUTPUT_FILE_H
#define COLLECTOR_RECORD_START_OUTPUT_FILE_H

#include <stdbool.h>

/* "-": standard output, which must not be a terminal (-ENOTTY). An existing file becomes PATH.old.
 * A descriptor, or -errno. *@is_pipe_ret: the file can't be written at an offset. */
int output_file_open(const char *path, bool *is_pipe_ret);

#endif
