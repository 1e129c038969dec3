/* The file with the page of a profile (report/html/page.h). */
#ifndef COLLECTOR_FILES_PAGE_FILE_H
#define COLLECTOR_FILES_PAGE_FILE_H

#include "collector/command-line/report_options.h"

/* Whether --source can be obeyed, once the operands are known. 0, or another value after a message.
 */
int page_file_check_code(const struct report_options *options);
/* Writes the page to options->html; "-": standard output. 0, or another value after a message. */
int page_file_write(const struct report_options *options, const struct profile *profile,
		    struct symbolizer *symbolizer);
/*
 * A place for the page of @source that no one else can read: in the user's cache, where the next
 * page of that name replaces it, else in a new temporary folder. Heap; NULL after errno is set.
 */
char *page_file_private_path(const char *source);

#endif
