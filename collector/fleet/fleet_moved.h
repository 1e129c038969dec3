/* What new builds have moved: costs of functions on days of hosts, before and after. */
#ifndef COLLECTOR_FLEET_FLEET_MOVED_H
#define COLLECTOR_FLEET_FLEET_MOVED_H

#include "cct/base/pair_map.h"
#include "collector/database/row_binary.h"
#include "report/fleet/host_days.h"

struct fleet_day;

/* A process of a service that has had several builds: the last one and the one before are compared.
 * Texts are owned. */
struct fleet_service {
	uint64_t key;
	char *service, *process, *before, *after;
	struct fleet_day *all; /* as they were read */
	size_t n_all;
	struct host_day *units; /* of both builds */
	size_t n_units;
	/* Days of hosts that are left out: they have few samples beside the others, or nothing that
	 * costs could be divided by. */
	size_t n_short, n_without;
	struct host_days days;
	bool is_compared;
	size_t first_row, n_rows; /* of fleet_moved.rows */
};

struct fleet_row {
	uint32_t service;
	uint64_t key;            /* of the function */
	char *function, *module; /* owned; NULL: not known yet */
	struct host_days_change change;
	double q; /* adjusted for all rows of all services; NAN: not tested */
};

/* All zero is empty. */
struct fleet_moved {
	bool has_per; /* set by the caller: costs are divided by another event's */
	struct fleet_service *services;
	size_t n_services;
	struct pair_map units; /* (service's key, day's key) -> index in its units */
	struct fleet_row *rows;
	size_t n_rows, n_rows_allocated;
};

void fleet_moved_deinit(struct fleet_moved *moved);
/* Read answers, in this order; 0, -ENOMEM, or -EINVAL with rows->wrong. */
int fleet_moved_read_days(struct fleet_moved *moved, struct row_binary *rows);
int fleet_moved_read_costs(struct fleet_moved *moved, struct row_binary *rows);
int fleet_moved_read_names(struct fleet_moved *moved, struct row_binary *rows);
/* After the costs: keeps the rows that moved by more than chance, those that cost most first. 0 or
 * -ENOMEM. */
int fleet_moved_judge(struct fleet_moved *moved);
/* The keys of the functions that are left, with commas; heap; NULL: no memory. */
char *fleet_moved_keys(const struct fleet_moved *moved);

#endif
