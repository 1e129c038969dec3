/*
 * Whether code costs more or less in a new build of a service, by days of hosts that ran it before
 * and after. Hosts differ by more than builds do, and so do days, on which all hosts have another
 * load: so a row's share on a day of a host is the host's, the day's, and the build's part, which
 * is estimated by least squares of all of them together. Instead of its share, that may be its cost
 * for each of something else that was counted. A host says something where it has had
 * both builds, a day where some hosts have the new one and others not yet.
 *
 * The unit is the day of a host, not the sample: samples of one day share its load, so that they
 * are no separate draws. Days of one host are not separate, either: the variance is the one that is
 * robust to that, with hosts as clusters (Liang and Zeger, Biometrika 73, 1986). What of it samples
 * do not explain is moderated over all rows (report/diff/dispersion.h).
 */
#ifndef REPORT_FLEET_HOST_DAYS_H
#define REPORT_FLEET_HOST_DAYS_H

#include "report/diff/diff_statistics.h"

/* A day of a host with one of both builds. */
struct host_day {
	uint32_t host, day; /* from 0 on */
	bool is_after;
	struct diff_cost cost; /* of the service, above 0 */
	/* What rows' costs are divided by, such as requests: of the service, of another event. Its
	 * weight is 0 on all days, or on none; 0: their costs are divided by that of the service.
	 */
	struct diff_cost per;
};

/* All zero before host_days_init(). */
struct host_days {
	const struct host_day *units; /* borrowed */
	size_t n, n_hosts, n_days;
	size_t n_changed;  /* hosts that have had both builds */
	double *design;    /* [unit]: the new build's part that neither hosts nor days explain */
	double power;      /* the sum of its squares */
	double *of_groups; /* room: of each host or day */
	uint32_t *n_of_groups;
	double *values; /* room: [unit] */
};

struct host_days_change {
	double before, after;      /* shares, or costs for each of what they are divided by */
	double variance, sampling; /* of the difference: all of it, and that of drawing samples */
	uint64_t n_samples;
	double p; /* NAN: not tested */
};

/* Hosts with both builds, below which nothing is said. */
#define HOST_DAYS_MIN_HOSTS 4

/*
 * host_days_deinit() in any case. 0, -ENOMEM, or -ENODATA: too few hosts have had both builds, or
 * no day tells the build from the day, because all hosts got it at once.
 */
int host_days_init(struct host_days *days, const struct host_day *units, size_t n);
void host_days_deinit(struct host_days *days);
/* Of a row, which has these costs, [unit]. All but ->p. */
void host_days_measure(struct host_days *days, const struct diff_cost *costs,
		       struct host_days_change *change_ret);
/* The probabilities, of all rows of a service. 0 or -ENOMEM. */
int host_days_judge(const struct host_days *days, struct host_days_change *changes, size_t n);

#endif
