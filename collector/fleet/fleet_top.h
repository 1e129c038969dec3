/* What dendro fleet top shows: tables of what a database answers. */
#ifndef COLLECTOR_FLEET_FLEET_TOP_H
#define COLLECTOR_FLEET_FLEET_TOP_H

#include "collector/command-line/file_options.h"
#include "collector/fleet/fleet_moved.h"
#include "collector/fleet/fleet_queries.h"

enum fleet_format { FLEET_TEXT, FLEET_JSON };

/* All of an event. Texts are owned; NULL: there is none. */
struct fleet_all {
	char *event, *unit;
	double cost;
	uint64_t n_hosts, n_services, n_days; /* of hosts */
};

/* A row of a view of costs. Texts are owned. */
struct fleet_cost {
	char *texts[3];
	double self, total;
	uint64_t n_hosts, n_days;
};

struct fleet_costs {
	struct fleet_cost *rows;
	size_t n;
};

/* Asks, and writes the view to standard output. 0, or 1 after a message. */
int fleet_top_show(const struct db_options *options, const struct fleet_question *question,
		   enum fleet_format format);

#endif
