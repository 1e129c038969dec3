/* Sentences for the user about a file that cannot be read, or not to its end. */
#ifndef PERF_FILE_DATA_ERROR_H
#define PERF_FILE_DATA_ERROR_H

/* Stores the sentence in *@text unless there is one already (heap), and returns @err. */
__attribute__((format(printf, 3, 4))) int data_error(char **text, int err, const char *format, ...);

#endif
