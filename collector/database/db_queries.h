/* The queries for the tables of db_answers.h, to the schema that dendro push makes. */
#ifndef COLLECTOR_DATABASE_DB_QUERIES_H
#define COLLECTOR_DATABASE_DB_QUERIES_H

#include "cct/time/time_range.h"
#include "collector/database/db_answers.h"

/* Samples to read. */
struct db_selection {
	const char *where;     /* SQL, a condition on columns of samples; NULL: all */
	struct time_span span; /* since 1970: slices that begin in it */
	bool by_host;          /* costs are told apart by host */
};

/* Heap; NULL: no memory. */
char *db_query_of(enum db_table table, const struct db_selection *selection);
/* "(CONDITION) AND time >= ...": of rows of samples. Likewise. */
char *db_condition(const struct db_selection *selection);

#endif
