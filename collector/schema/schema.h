/*
 * dendro's tables in ClickHouse: SQL whose statements lead from each version of them to the next,
 * version_N.sql from N - 1 to N. It is that of one server; that of a cluster is made of it.
 */
#ifndef COLLECTOR_SCHEMA_SCHEMA_H
#define COLLECTOR_SCHEMA_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SCHEMA_VERSION 1u /* what this dendro writes and reads */

/* Letters, digits, hyphens and underscores, as names of databases and clusters need to be here. */
bool schema_is_name(const char *text);
/*
 * Writes the statements that lead from a version, 0 for no tables, to SCHEMA_VERSION. Each ends
 * with a semicolon and a line end, and comments precede them; no other line ends with a semicolon.
 * The last one of a version notes that the tables have it. @cluster, and @database, in which the
 * tables are: schema_is_name(). @cluster NULL: of one server, in any database.
 */
void schema_write(FILE *out, uint32_t from_version, const char *cluster, const char *database);

#endif
