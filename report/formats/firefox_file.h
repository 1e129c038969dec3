/* A profile for Firefox Profiler that is being written. */
#ifndef REPORT_FORMATS_FIREFOX_FILE_H
#define REPORT_FORMATS_FIREFOX_FILE_H

#include <stdio.h>

#include "cct/paths/sample_list.h"
#include "cct/text/string_ids.h"
#include "report/fold/path_options.h"
#include "report/stacks/path_groups.h"
#include "report/stacks/stack_tree.h"

/* Indices of "categories"; those of functions are their enum stack_kind. */
#define FIREFOX_OTHER STACK_MARK

struct firefox_file {
	FILE *out;
	const struct profile *profile;
	const struct path_options *options;
	struct stack_tree *tree; /* of code */
	struct path_groups threads;
	struct sample_list samples;
	uint32_t metric;           /* whose samples are those of the threads */
	const char *selection;     /* the options that select paths; NULL: all are written */
	struct string_ids strings; /* "stringArray", which is written last */
	bool lacks_memory;         /* since when strings are wrong */
};

/* The number of a string. */
uint32_t firefox_string(struct firefox_file *file, const char *text);
/* "KEY":"TEXT", and a comma before it; null for NULL. */
void firefox_write_text(const struct firefox_file *file, const char *key, const char *text);
/* Microseconds as milliseconds, which all times are. */
void firefox_write_time(const struct firefox_file *file, uint64_t time_us);
/* The number of a process as the key of its tracks: a pid that was used twice has a suffix. Any
 * thread's @group may be given. */
void firefox_write_pid(const struct firefox_file *file, uint32_t group);

#endif
