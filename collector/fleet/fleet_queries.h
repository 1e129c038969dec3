/* The queries of dendro fleet: sums over all hosts, which the database makes. */
#ifndef COLLECTOR_FLEET_FLEET_QUERIES_H
#define COLLECTOR_FLEET_FLEET_QUERIES_H

#include "collector/database/db_queries.h"

enum fleet_view { FLEET_FUNCTIONS, FLEET_SERVICES, FLEET_BUILDS, FLEET_KERNELS, FLEET_MOVED };

/* A question to the database. */
struct fleet_question {
	enum fleet_view view;
	struct db_selection selection; /* by columns of samples_day, and whole days */
	const char *event;             /* NULL: the one with the most samples */
	const char *per; /* the event that costs are divided by in FLEET_MOVED; NULL: none */
	bool by_self;    /* functions are sorted by their own cost */
	unsigned n_rows; /* at most */
};

/* Heap; NULL: no memory. */

/* The event, its unit, and all of it: cost, hosts, services, days of hosts. One row or none. */
char *fleet_query_of_all(const struct fleet_question *question);
/* Up to three texts, self and total cost, hosts, and days of hosts, of each row of a view. */
char *fleet_query_of_rows(const struct fleet_question *question, const char *event);
/* Of processes of services that have had several builds: the days of hosts, by build, with sums of
 * the event and of question->per. */
char *fleet_query_of_days(const struct fleet_question *question, const char *event);
/* The costs of functions, with those they call, on these days; sorted by service and function. */
char *fleet_query_of_day_costs(const struct fleet_question *question, const char *event);
/* Names of functions, of which @keys are the numbers, with commas between them. */
char *fleet_query_of_names(const struct fleet_question *question, const char *event,
			   const char *keys);

#endif
