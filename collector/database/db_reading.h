/* Profiles from a database instead of files: --from-db. */
#ifndef COLLECTOR_DATABASE_DB_READING_H
#define COLLECTOR_DATABASE_DB_READING_H

#include "cct/model/profile.h"
#include "collector/database/db_connection.h"
#include "collector/database/row_binary.h"

/* Reads an answer up to its end. 0, -ENOMEM, or -EINVAL with rows->wrong. */
typedef int (*db_row_reader)(void *data, struct row_binary *rows);

/* Sends a query, NULL if there is no memory for one, and has the whole answer read. -errno with
 * *@error_ret: a sentence for the user, to free(); NULL without memory. */
int db_reading_ask(struct db_connection *connection, const char *query, db_row_reader read,
		   void *data, char **error_ret);

/*
 * Asks the database for what the options select, within a time since 1970, and makes a profile of
 * it. Notes of what it lacks go to standard error; they name @command. -errno with *@error_ret: a
 * sentence for the user, to free(); NULL without memory.
 */
int db_reading_run(const char *command, const struct db_options *options,
		   const struct time_span *span, struct profile **profile_ret, char **error_ret);

#endif
