/*
 * The requests that push a profile: for each service, and for Pyroscope for each event, one that a
 * server takes as a whole or not at all. A profile that is larger than servers take becomes two
 * halves, and so on. What is made from equal content has equal ids.
 */
#ifndef COLLECTOR_PUSH_PUSH_REQUESTS_H
#define COLLECTOR_PUSH_PUSH_REQUESTS_H

#include <stdbool.h>

#include "cct/model/profile.h"
#include "collector/push/push_labels.h"
#include "collector/push/push_target.h"
#include "collector/push/spool.h"
#include "report/names/symbolize.h"

struct known_keys; /* collector/push/known_keys.h */

struct push_requests {
	const struct push_target *target; /* borrowed, as are the labels and the spool */
	const struct push_labels *labels;
	struct spool *spool;
	uint64_t max_spool;
	bool has_commands;              /* the recording's command line is sent, too */
	uint64_t slice_ns;              /* of a database: of rows */
	const struct known_keys *known; /* what the database has; NULL: not known */
	/* Counted: */
	unsigned n_services;
	unsigned n_too_large; /* paths that alone are larger than servers take: left out */
};

/* As servers are told it; "": not known. Heap; NULL: no memory. */
char *push_requests_host(const struct push_requests *requests, const struct profile *profile);
/* Writes them to the spool: those for Pyroscope, or for OTLP. 0 or -errno. */
int push_requests_add(struct push_requests *requests, const struct profile *profile,
		      struct symbolizer *symbolizer);

#endif
