#include "perf/kinds/off_cpu_event.h"

#include <string.h>

#include "perf/kinds/tracepoint.h"

#define TRACEPOINT "sched:sched_switch"
/* The idle time of a processor does not belong to any thread. */
#define NOT_THE_IDLE_TASK "prev_pid != 0"

static enum event_error find_off_cpu(const struct event_places *places, const char *name,
				     struct event_list *found, char **error_ret)
{
	(void)places;
	if (strcmp(name, OFF_CPU_EVENT_NAME) != 0)
		return EVENT_UNKNOWN;
	struct event *event = event_list_add(found);
	if (!event)
		return EVENT_NO_MEMORY;
	enum event_error error = tracepoint_find(TRACEPOINT, event, error_ret);
	if (error == EVENT_UNKNOWN && !*error_ret)
		error = tracepoint_explain(TRACEPOINT, error_ret);
	if (error != EVENT_OK)
		return error;
	event->weight.kind = WEIGHT_OFF_CPU;
	event->unit = "ns";
	event->period = 1;
	event->filter = strdup(NOT_THE_IDLE_TASK);
	return event->filter ? EVENT_OK : EVENT_NO_MEMORY;
}

static void offer_off_cpu(const struct event_places *places, struct near_names *near)
{
	(void)places;
	near_names_offer(near, OFF_CPU_EVENT_NAME);
}

const struct event_kind off_cpu_event_kind = { find_off_cpu, offer_off_cpu };

bool off_cpu_event_is_whole(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return !attr->exclude_user && !attr->exclude_kernel && !attr->exclude_hv &&
	       strcmp(event->filter, NOT_THE_IDLE_TASK) == 0;
}
