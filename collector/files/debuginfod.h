/*
 * Fetches files by build ID from the servers in DEBUGINFOD_URLS, with elfutils' libdebuginfod,
 * which is loaded when it is needed, or with debuginfod-find where there is none. They go to the
 * cache that all its users share, where cct/object/file_search.h finds them.
 */
#ifndef COLLECTOR_FILES_DEBUGINFOD_H
#define COLLECTOR_FILES_DEBUGINFOD_H

#include "cct/model/profile.h"

struct debuginfod_result {
	unsigned n_wanted, n_fetched;
	unsigned n_refused;   /* the server's file was another one */
	bool has_executables; /* among what was fetched: callers may be found by them */
	bool is_out_of_time, is_interrupted;
};

/*
 * Fetches the files that @profile needs for names, the most costly first: files that are missing or
 * have changed, and debug information. Fetches for at most @max_s seconds in total, or until
 * SIGINT. Shows progress, with the name @command, if standard error is a terminal. 0; -ENOENT:
 * neither is installed; -ENOMEM.
 */
int debuginfod_fetch(const char *command, const struct profile *profile, unsigned max_s,
		     struct debuginfod_result *result_ret);

/* Whether the library or the program is installed. */
bool debuginfod_is_here(void);

#endif
