/*
 * Static probes that the author of a program has put into it (USDT, cct/object/elf_probes.h):
 *
 *   usdt:PROGRAM:PROVIDER:NAME[/weight=argN,value=argM,unit=bytes/]    each hit, at all its sites
 *
 * A value of an argument that points to a text is str(argN). A probe becomes tracepoints by tracefs
 * (perf/kinds/probe_events.h): one for all sites whose arguments have the same types.
 */
#ifndef PERF_KINDS_USDT_H
#define PERF_KINDS_USDT_H

#include "perf/events/event_catalog.h"
#include "perf/events/event_kind.h"

extern const struct event_kind usdt_event_kind;
/* For a name that no other kind knows: reports how a static probe is written if it has perf's
 * spelling, "sdt_PROVIDER:NAME". */
extern const struct event_kind perf_usdt_event_kind;

/*
 * Adds the probes of the program that @spelling names, "usdt:PROGRAM" or "usdt:PROGRAM:PATTERN" (a
 * glob over PROVIDER:NAME), described by their arguments and numbers of sites. EVENT_UNKNOWN
 * without a sentence: it is not such a spelling; with one: nothing could be added.
 */
enum event_error usdt_list(const char *spelling, struct event_catalog *catalog, char **error_ret);

#endif
