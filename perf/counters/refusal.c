#include "perf/counters/refusal.h"

#include <errno.h>
#include <limits.h>

#include "cct/base/sentence.h"

#define LOWEST_LEVEL (-1)

enum refusal_gate refusal_gate_try(const struct evlist_syscalls *syscalls,
				   const struct perf_limits *limits)
{
	/* Too small for an attr: a kernel that reads it returns E2BIG. */
	struct perf_event_attr attr = { .size = 1 };

	if (limits->paranoid == INT_MIN)
		return GATE_ABSENT;
	errno = 0;
	syscalls->open(syscalls->arg, &attr, 0, -1, -1, 0);
	switch (errno) {
	case ENOSYS:
		return GATE_HIDDEN;
	case EACCES:
	case EPERM:
		return limits->paranoid > 2 && !limits->has_cap_perfmon ? GATE_PARANOID
									: GATE_FILTERED;
	default:
		return GATE_OPEN;
	}
}

static const char *who_may(const struct perf_limits *limits)
{
	return limits->in_user_namespace ? "Run as root outside of the container or user "
					   "namespace (root inside it lacks the permission)"
					 : "Run as root or with CAP_PERFMON";
}

char *refusal_gate_sentence(enum refusal_gate gate, const struct perf_limits *limits)
{
	static const char remedy[] = "Start the container with --cap-add PERFMON, or with a "
				     "seccomp profile that permits it";
	switch (gate) {
	case GATE_PARANOID:
		return sentence("kernel.perf_event_paranoid is %d, which denies performance "
				"events to ordinary users. %s, or: sysctl "
				"kernel.perf_event_paranoid=2 (permits a user's own programs; "
				"1 permits their kernel mode, too)",
				limits->paranoid, who_may(limits));
	case GATE_FILTERED:
		return sentence("perf_event_open is denied entirely, whatever the value of "
				"kernel.perf_event_paranoid (%d): a container's or service's "
				"seccomp profile or a security module denies it. %s.",
				limits->paranoid, remedy);
	case GATE_HIDDEN:
		return sentence("perf_event_open is hidden by a container's or service's "
				"seccomp profile; the kernel itself supports it. %s.",
				remedy);
	case GATE_ABSENT:
		return limits->lacks_proc
			       ? sentence("/proc is not mounted here: mount -t proc proc /proc")
			       : sentence("This kernel has no performance events "
					  "(CONFIG_PERF_EVENTS).");
	default:
		return NULL;
	}
}

/* The highest level of kernel.perf_event_paranoid that permits the event, except for other users'
 * threads. */
static int level_needed(const struct refused_event *event)
{
	bool wants_kernel = event->attr->exclude_user && !event->attr->exclude_kernel;

	if (event->attr->type == PERF_TYPE_TRACEPOINT)
		return LOWEST_LEVEL;
	if (event->target == EVLIST_SYSTEM)
		return 0;
	return wants_kernel ? 1 : 2;
}

static char *level_sentence(const struct refused_event *event, int level,
			    const struct perf_limits *limits)
{
	if (event->target == EVLIST_SYSTEM && level == 0)
		return sentence("Recording the whole machine is not permitted: "
				"kernel.perf_event_paranoid is %d. %s, or: sysctl "
				"kernel.perf_event_paranoid=0",
				limits->paranoid, who_may(limits));
	return sentence("The event '%s' is not permitted, because it records %s, and "
			"kernel.perf_event_paranoid is %d. %s, or: sysctl "
			"kernel.perf_event_paranoid=%d",
			event->name, level == 1 ? "the kernel" : "data of the kernel",
			limits->paranoid, who_may(limits), level);
}

char *refusal_sentence(const struct refused_event *event, const struct perf_limits *limits)
{
	int level = level_needed(event);

	if (event->is_probe && !limits->has_cap_perfmon)
		return sentence("The event '%s' is not permitted: probes on functions need "
				"CAP_PERFMON, whatever the value of "
				"kernel.perf_event_paranoid. %s.",
				event->name, who_may(limits));
	if (limits->paranoid > level)
		return level_sentence(event, level, limits);
	if (event->target == EVLIST_TASKS && event->pid > 0)
		return sentence("Observing thread %d is not permitted: it belongs to another "
				"user or is protected, and kernel.perf_event_paranoid is %d. "
				"%s%s.",
				event->pid, limits->paranoid, who_may(limits),
				limits->in_user_namespace ? "" : " and CAP_SYS_PTRACE");
	return sentence("The event '%s' is not permitted, although kernel.perf_event_paranoid "
			"(%d) permits it: it requires root, or a security module or kernel "
			"lockdown denies it. %s.",
			event->name, limits->paranoid, who_may(limits));
}
