/* debuginfod-find(1), where elfutils' library can't be loaded: one run fetches one file. */
#ifndef COLLECTOR_FILES_DEBUGINFOD_PROGRAM_H
#define COLLECTOR_FILES_DEBUGINFOD_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cct/model/module.h"

#define DEBUGINFOD_PROGRAM "debuginfod-find"

struct debuginfod_run {
	pid_t pid;
	int fd; /* its output */
	char path[PATH_MAX];
	size_t path_size;
};

bool debuginfod_program_is_here(void);
/* Starts fetching; @kind: "debuginfo" or "executable". 0 or -errno. */
int debuginfod_run_start(struct debuginfod_run *run, const char *kind,
			 const struct build_id *build_id);
/* Waits a fifth of a second at most. true: it has said all. */
bool debuginfod_run_wait(struct debuginfod_run *run);
/* Ends it, if it has not ended. true: run->path is the file. */
bool debuginfod_run_finish(struct debuginfod_run *run);

#endif
