/*
 * Fills a catalog with the event names that -e accepts on this machine, and finds out which of them
 * can be recorded by opening them.
 */
#ifndef PERF_CATALOG_CATALOG_FILL_H
#define PERF_CATALOG_CATALOG_FILL_H

#include "perf/events/event_catalog.h"
#include "perf/kernel/limits.h"

/* @with_parts: unit masks and fields, too. NULL: out of memory. event_catalog_destroy() frees it.
 */
struct event_catalog *catalog_fill_create(const struct perf_limits *limits, bool with_parts);

#endif
