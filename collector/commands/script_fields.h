/*
 * Fields of samples that dendro script prints on request (-F +FIELD,...), in the layout of
 * tools/perf/builtin-script.c (6.1). What a sample lacks is left out.
 */
#ifndef COLLECTOR_COMMANDS_SCRIPT_FIELDS_H
#define COLLECTOR_COMMANDS_SCRIPT_FIELDS_H

#include "collector/command-line/options.h"
#include "collector/session/dendro.h"

enum script_field {
	SCRIPT_ADDR = 1 << 0,    /* of the data, or of what the event is about */
	SCRIPT_WEIGHT = 1 << 1,  /* of an access to memory: its latency */
	SCRIPT_BRSTACK = 1 << 2, /* the branches before the sample, the last one first */
};

/* Adds "+NAME,..." to an unsigned of enum script_field. As command_option.take. */
int script_fields_take(const struct option_use *use, void *field);
/* Address and weight, which follow the event's name. */
void script_fields_print_data(const struct sample *sample, unsigned fields);
/* The branches, each with a blank before and after it, which follow the frames. */
void script_fields_print_branches(struct dendro *session, const struct sample *sample,
				  unsigned fields);

#endif
