/* Options about where files are looked for, of commands that read recordings. */
#ifndef COLLECTOR_FILES_FILE_OPTIONS_H
#define COLLECTOR_FILES_FILE_OPTIONS_H

#include <stdbool.h>

#include "cct/object/file_search.h"

struct file_options {
	const char *symfs;     /* NULL: this machine */
	bool debuginfod;       /* may fetch what is missing */
	unsigned debuginfod_s; /* for so long, in all */
};

/* What the environment says: DENDRO_DEBUGINFOD=1 permits to fetch where there are servers. */
void file_options_init(struct file_options *options);

/* The options in a usage text. */
#define SYMFS_USAGE                                                                          \
	"      --symfs DIR        look for programs, libraries and debug files below DIR,\n" \
	"                         as a sysroot, and nowhere else\n"
#define DEBUGINFOD_USAGE                                                                 \
	"      --debuginfod[=SEC] fetch missing files by build ID from the servers in\n" \
	"                         DEBUGINFOD_URLS, for SEC seconds at most (default: 60)\n"

/* The value of --debuginfod; NULL: none. False: it is no number of seconds. */
bool file_options_take_debuginfod(struct file_options *options, const char *value);
/* Makes the search. 0, or -errno after a message. @command: for the message. */
int file_options_open(const struct file_options *options, const char *command,
		      struct file_search **files_ret);

#endif
