/* Profiles from a database instead of files: --from-db. */
#ifndef COLLECTOR_DATABASE_DB_READING_H
#define COLLECTOR_DATABASE_DB_READING_H

#include "cct/model/profile.h"
#include "collector/command-line/file_options.h"

/*
 * Asks the database for what the options select, within a time since 1970, and makes a profile of
 * it. Notes of what it lacks go to standard error; they name @command. -errno with *@error_ret: a
 * sentence for the user, to free(); NULL without memory.
 */
int db_reading_run(const char *command, const struct db_options *options,
		   const struct time_span *span, struct profile **profile_ret, char **error_ret);

#endif
