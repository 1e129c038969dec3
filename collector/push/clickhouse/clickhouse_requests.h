/*
 * The requests that put a profile into dendro's tables in ClickHouse (collector/schema): what the
 * database may lack of modules, names and paths, then the samples, each request as one block of one
 * day, which a server inserts as a whole or not at all, and then the window.
 */
#ifndef COLLECTOR_PUSH_CLICKHOUSE_CLICKHOUSE_REQUESTS_H
#define COLLECTOR_PUSH_CLICKHOUSE_CLICKHOUSE_REQUESTS_H

#include "collector/push/push_requests.h"

/* Writes them to the spool. @profile has names. 0; -ENODATA: it does not say when it was recorded;
 * or -errno. */
int clickhouse_requests_add(struct push_requests *requests, const struct profile *profile,
			    struct symbolizer *symbolizer);

#endif
