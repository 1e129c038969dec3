/*
 * Queries to a database of profiles: dendro-send, which alone speaks with the network and has the
 * token, runs beside this process, and passes the answers on.
 */
#ifndef COLLECTOR_DATABASE_DB_CONNECTION_H
#define COLLECTOR_DATABASE_DB_CONNECTION_H

#include <stdio.h>
#include <sys/types.h>

#include "collector/command-line/file_options.h"
#include "collector/database/block_stream.h"
#include "collector/push/push_target.h"

/* As push_target_parse(), of a database that can be read. */
int db_target_parse(const char *url, struct push_target *target_ret, const char **reason_ret);

struct db_connection {
	pid_t pid; /* 0: none */
	FILE *to, *from;
	struct block_stream blocks; /* of the answer at hand */
	FILE *answer;
};

/* 0, or -errno with *@error_ret: a sentence for the user, on the heap; NULL without memory.
 * db_connection_close() follows in any case. */
int db_connection_open(struct db_connection *connection, const char *command,
		       const struct db_options *options, char **error_ret);
void db_connection_close(struct db_connection *connection);
/* Opens options->connection, which options->close() closes. Likewise, but it need not be closed. */
int db_connection_keep(struct db_options *options, const char *command, char **error_ret);
/* Sends a query. *@answer_ret: the answer while it comes, until db_connection_end(). Likewise. */
int db_connection_ask(struct db_connection *connection, const char *query, FILE **answer_ret,
		      char **error_ret);
/* The answer was read up to its end: whether it is whole. Likewise. */
int db_connection_end(struct db_connection *connection, char **error_ret);

#endif
