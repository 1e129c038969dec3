/* Makes names for events that have none in their file, spelled as perf spells them. */
#ifndef PERF_EVENTS_ATTR_NAME_H
#define PERF_EVENTS_ATTR_NAME_H

#include <linux/perf_event.h>

/* "cycles:u", "L1-dcache-load-misses", "raw 0x1a8", ... (heap); NULL: out of memory. */
char *attr_name(const struct perf_event_attr *attr);

#endif
