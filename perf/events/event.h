/*
 * Event names -> perf_event_attr. A list has events and groups of them, {a,b}:MODIFIERS; an event
 * is NAME[:MODIFIERS][@RATE]; perf/catalog/event_parse.c has the table of the kinds of names.
 */
#ifndef PERF_EVENTS_EVENT_H
#define PERF_EVENTS_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/events/event_value.h"

/* The weight of a sample. */
enum event_weight_kind {
	WEIGHT_PERIOD,   /* its period */
	WEIGHT_FIELD,    /* its period times an integer in the tracepoint's raw data */
	WEIGHT_ARGUMENT, /* its period times an argument of the function that was entered */
	WEIGHT_OFF_CPU,  /* the time until its thread runs again */
	WEIGHT_UNKNOWN,  /* the recording describes it in a way that this version does not know */
};

struct event_weight {
	enum event_weight_kind kind;
	uint16_t offset, size; /* FIELD: offset in the raw data, and size: 1, 2, 4 or 8 */
	bool is_signed;        /* FIELD: negative values weigh nothing */
	uint16_t check;        /* FIELD: as in struct event_value; 0: it is always there */
	uint8_t argument;      /* ARGUMENT: from 1 */
	uint8_t factor;        /* ARGUMENT: multiplied by this argument; 0: by none */
	uint8_t condition;     /* ARGUMENT: weighs 0 if this argument is 0; 0: no condition */
};

#define EVENT_ARGUMENT_MAX 16

/* Where a probe is, and what the kernel fetches there. */
struct probe_site {
	uint64_t offset;    /* of an instruction in the file */
	uint64_t semaphore; /* offset of the counter of those who want it hit; 0: none */
	struct event_fetch weight, value; /* EVENT_VALUE_NONE: not asked for, or not found yet */
};

struct event {
	char *name; /* as the user spelled it, without the rate, or the value of name=; owned */
	struct perf_event_attr attr; /* type, config*, exclude_*, precise_ip, pinned; else zero */
	bool seeks_precise;          /* :P: precise_ip is the highest that opens, up to 3 */
	struct event_weight weight;
	const char *unit;           /* "ns", "bytes", "events"; a static string */
	uint64_t period, frequency; /* (ev@1000, ev@99Hz); both 0: the recording's rate */
	uint64_t default_period;    /* used if the user gives no rate; 0: the recording's */
	char *tracepoint;           /* "sys:name" of a tracepoint, else NULL; owned */
	char *probed_path;          /* of a uprobe, to which attr.config1 points; owned */
	/*
	 * Of a probe that only tracefs can make, because it fetches values, or has semaphores or
	 * several sites. Owned; without any it is at attr.config2.
	 */
	struct probe_site *sites;
	size_t n_sites;
	/* What the probe fetches for its weight and for its value; owned, NULL: nothing. */
	char *weight_expression, *value_expression;
	struct event_value value; /* which divides the paths of its samples */
	char *filter;             /* of a tracepoint; owned, NULL: none */
	size_t leader;            /* index of its group's first event; its own: no group */
	bool reads_group;         /* :S: the group is read at each overflow of this leader */
	/*
	 * It counts on these CPUs only: a processor with several kinds of cores has a PMU for each,
	 * and one event of the same name on each PMU. Ascending, owned; NULL: all. Members of a
	 * group have their leader's.
	 */
	int *cpus;
	size_t n_cpus;
};

enum event_error {
	EVENT_OK,
	EVENT_UNKNOWN, /* no such name */
	EVENT_BAD_MODIFIER,
	EVENT_NOT_HERE, /* known, but this machine has no such counter */
	EVENT_TWICE,    /* two events of one name */
	EVENT_NO_MEMORY,
};

/* The folders in which the kernel describes the machine. Tests use other folders. */
struct event_places {
	const char *sysfs; /* "/sys" */
};

/* Frees what the event owns. */
void event_deinit(struct event *event);
void events_destroy(struct event *events, size_t n_events);
/* Copies the event with all that it owns. On failure *@copy may be incomplete, but can be
 * destroyed. */
bool event_copy(struct event *copy, const struct event *event);
/* On failure the list is unchanged. */
bool event_set_cpus(struct event *event, const int *cpus, size_t n_cpus);
/* The unit of a count of this event: "ns" for the clocks, else "events". */
const char *event_unit(const struct perf_event_attr *attr);

#endif
