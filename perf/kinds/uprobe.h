/*
 * Probes on functions of programs and libraries, through the kernel's uprobe PMU: no tracefs.
 *
 *   call:LIB:FUNCTION                     each call
 *   uprobe:LIB:FUNCTION[/weight=arg1/]    each call; weight=arg1*arg2 is a product
 *   uprobe:LIB:FUNCTION/value=p->kind/    each call; its path has the value's row
 *   uretprobe:LIB:FUNCTION                each return
 *
 * Values, and weights other than arguments by number, are fetched by the kernel: such a probe has a
 * site, and what is to be fetched is found later, by debug information, unless it is a number's
 * (perf/kinds/probe_argument.h).
 *
 * A sample is at the function's first instruction (uretprobe: at its return address). For LIB see
 * perf/kinds/program_path.h.
 */
#ifndef PERF_KINDS_UPROBE_H
#define PERF_KINDS_UPROBE_H

#include "perf/events/event_kind.h"

extern const struct event_kind uprobe_event_kind;

/*
 * Fills @event's type, config*, probed_path, weight, unit and default_period. EVENT_UNKNOWN without
 * a sentence: not the name of a probe.
 */
enum event_error uprobe_find(const char *name, struct event *event, char **error_ret);
/* "arg1", "arg1*arg2". */
bool uprobe_read_weight(const char *text, struct event_weight *weight);

#endif
