/* Queries to a database, and what it answers. */
#ifndef COLLECTOR_SEND_FETCH_H
#define COLLECTOR_SEND_FETCH_H

#include "collector/send/transfer.h"

/*
 * Sends each of the queries on standard input to the URL, and writes its answer to standard output,
 * with the reason where there is none; both as collector/database/block_stream.h has them. Over one
 * connection, if the server keeps it. Ends with the input. An exit status: 0 if nobody left before.
 */
int fetch_run(struct transfer *transfer, const char *url);

#endif
