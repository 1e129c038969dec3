/*
 * What the samples of an event count, as text that a recording keeps beside the event's attr
 * (ATTACHMENT_EVENT): lines of words.
 *
 *   unit ns | bytes | events
 *   weight field OFFSET SIZE signed|unsigned    of the raw data, in bytes
 *   weight argument N [times M] [unless-zero L] of the function that was entered, from 1
 *   weight off-cpu
 *
 * No such line: periods, and the attr's unit. Lines that begin with other words are skipped.
 */
#ifndef PERF_EVENTS_EVENT_TEXT_H
#define PERF_EVENTS_EVENT_TEXT_H

#include "perf/events/event.h"

#define EVENT_TEXT_MAX 4095

/* Heap; NULL without memory. Empty: the attr says it all. */
char *event_text_write(const struct event *event);
/* Text of another kind of weight, or that makes no sense, leads to WEIGHT_UNKNOWN. */
void event_text_read(const char *text, struct event_weight *weight, const char **unit);

#endif
