/*
 * The weight of an event's samples, as text that a recording keeps in addition to the event's attr
 * (ATTACHMENT_EVENT). Each line consists of words.
 *
 *   unit ns | bytes | events
 *   weight field OFFSET SIZE signed|unsigned [check OFFSET]     of the raw data, in bytes
 *   weight argument N [times M] [unless-zero L] of the function that was entered, from 1
 *   weight off-cpu
 *   value KIND OFFSET SIZE BITS CHECK EXPRESSION    as in struct event_value
 *   names NUMBER=NAME ...                           of the value before
 *
 * Without a weight line the weight is the period; without a unit line the unit is that of the attr.
 * Lines that begin with other words are skipped.
 */
#ifndef PERF_EVENTS_EVENT_TEXT_H
#define PERF_EVENTS_EVENT_TEXT_H

#include "perf/events/event.h"

#define EVENT_TEXT_MAX 4095

/* Heap; NULL if memory is exhausted. The text is empty if the attr is sufficient. */
char *event_text_write(const struct event *event);
/* Unknown kinds of weights and malformed text lead to WEIGHT_UNKNOWN; a value like that is none. */
void event_text_read(const char *text, struct event_weight *weight, struct event_value *value,
		     const char **unit);

#endif
