/*
 * Names of the agent's files: begin and duration of what a profile has, in UTC and milliseconds,
 * such as 20261127T021000.000Z+60.000s.cct. They sort by begin, and tell without a look into the
 * file whether it is wanted.
 */
#ifndef COLLECTOR_AGENT_WINDOW_NAME_H
#define COLLECTOR_AGENT_WINDOW_NAME_H

#include "cct/time/time_range.h"

#define WINDOW_NAME_MAX 64

/* @span: nanoseconds since 1970; a millisecond that it has a part of counts as a whole. */
void window_name_write(char name[WINDOW_NAME_MAX], const struct time_span *span);
/* 0, or -EINVAL: it is not such a name. */
int window_name_parse(const char *name, struct time_span *span_ret);

#endif
