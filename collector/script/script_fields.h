/*
 * The fields of samples that dendro script prints (-F), in the layout of
 * tools/perf/builtin-script.c (6.1). What a sample lacks is left out.
 */
#ifndef COLLECTOR_SCRIPT_SCRIPT_FIELDS_H
#define COLLECTOR_SCRIPT_SCRIPT_FIELDS_H

#include "collector/command-line/options.h"
#include "collector/session/dendro.h"

enum script_field {
	SCRIPT_ADDR = 1 << 0,    /* of the data, or of what the event is about */
	SCRIPT_WEIGHT = 1 << 1,  /* of an access to memory: its latency */
	SCRIPT_BRSTACK = 1 << 2, /* the branches before the sample, the last one first */
	SCRIPT_COMM = 1 << 3,
	SCRIPT_PID = 1 << 4,
	SCRIPT_TID = 1 << 5,
	SCRIPT_CPU = 1 << 6,
	SCRIPT_TIME = 1 << 7,
	SCRIPT_PERIOD = 1 << 8,
	SCRIPT_EVENT = 1 << 9,
	SCRIPT_TRACE = 1 << 10, /* the fields of tracepoints */
	SCRIPT_IP = 1 << 11,    /* the path; the next three are parts of its lines */
	SCRIPT_SYM = 1 << 12,
	SCRIPT_SYMOFF = 1 << 13,
	SCRIPT_DSO = 1 << 14,
	SCRIPT_CHOSEN = 1 << 15, /* the user listed all: tracepoints have a period, too */
};

#define SCRIPT_DEFAULT_FIELDS                                                                 \
	(SCRIPT_COMM | SCRIPT_TID | SCRIPT_CPU | SCRIPT_TIME | SCRIPT_PERIOD | SCRIPT_EVENT | \
	 SCRIPT_TRACE | SCRIPT_IP | SCRIPT_SYM | SCRIPT_SYMOFF | SCRIPT_DSO)

/* As command_option.take, for an unsigned of enum script_field: "NAME,..." replaces it, "+NAME" and
 * "-NAME" add and remove. */
int script_fields_take(const struct option_use *use, void *field);
/* Address and weight, which follow the event's name. */
void script_fields_print_data(const struct sample *sample, unsigned fields);
/* The branches, each with a blank before and after it, which follow the frames. */
void script_fields_print_branches(struct dendro *session, const struct sample *sample,
				  unsigned fields);

#endif
