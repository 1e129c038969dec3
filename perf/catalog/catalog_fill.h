/*
 * Fills a catalog with the event names that -e accepts on this machine, and finds out which of them
 * can be recorded, by opening them.
 */
#ifndef PERF_CATALOG_CATALOG_FILL_H
#define PERF_CATALOG_CATALOG_FILL_H

#include "perf/events/event_catalog.h"
#include "perf/kernel/limits.h"

/* @with_parts: lists unit masks and fields, too. Returns NULL if memory is exhausted. The caller
 * frees the catalog with event_catalog_destroy(). */
struct event_catalog *catalog_fill_create(const struct perf_limits *limits, bool with_parts);
/* The names alone, in a few milliseconds: no event is tried but one of the processor's, for all of
 * them. Likewise. */
struct event_catalog *catalog_names_create(void);

#endif
