#include "perf/counters/evlist_errors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/sentence.h"
#include "perf/counters/evlist_private.h"
#include "perf/counters/refusal.h"

int evlist_fail(struct evlist_impl *impl, int err, char *text)
{
	if (impl->error_text)
		free(text);
	else
		impl->error_text = text;
	return err;
}

static bool is_hardware(const struct perf_event_attr *attr)
{
	return attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT &&
	       attr->type != PERF_TYPE_BREAKPOINT;
}

/* The event to name if the kernel refuses even the sideband: the next event to open, so that one
 * sentence reports everything. */
static const struct evlist_event *most_demanding(const struct evlist *evlist)
{
	const struct evlist_event *found = &evlist->events[0];
	for (size_t e = 0; e < evlist->n_events; e++) {
		const struct evlist_event *event = &evlist->events[e];
		if (event->is_probe)
			return event;
		if (event->attr.type == PERF_TYPE_TRACEPOINT)
			found = event;
	}
	return found;
}

static int fail_refused(struct evlist_impl *impl, int err, const struct evlist_event *event,
			pid_t pid)
{
	enum refusal_gate gate = refusal_gate_try(&impl->opener.syscalls, &impl->limits);
	if (gate != GATE_OPEN)
		return evlist_fail(impl, err, refusal_gate_sentence(gate, &impl->limits));
	if (!event)
		event = most_demanding(&impl->evlist);
	const struct refused_event refused = {
		.name = event->name ? event->name : "dummy", /* attr_probe() failed */
		.attr = &event->attr,
		.target = impl->target,
		.pid = pid,
		.is_probe = event->is_probe,
	};
	return evlist_fail(impl, err, refusal_sentence(&refused, &impl->limits));
}

/* Breakpoints fail for reasons of the debug registers: there are few, with restrictions. */
static int fail_breakpoint(struct evlist_impl *impl, int err, const char *name)
{
	if (err == -ENOSPC)
		return evlist_fail(
			impl, err,
			sentence("No debug register is free for '%s': processors have about 4, "
				 "and deep stacks use some; try --no-deep-stacks.",
				 name));
	return evlist_fail(
		impl, err,
		sentence("The event '%s' cannot be watched: its address must be a multiple of "
			 "its length, x86 cannot watch reads alone (r), and parts of the "
			 "kernel cannot be watched.",
			 name));
}

static int fail_fds(struct evlist_impl *impl, int err)
{
	size_t per_thread = impl->evlist.n_events * impl->n_cpus + impl->n_sideband_cpus;
	return evlist_fail(
		impl, err,
		sentence("Too many open files: each thread needs %zu files (events x CPUs). "
			 "Raise the hard limit (ulimit -Hn%s), or observe fewer threads, CPUs "
			 "or events.",
			 per_thread, err == -ENFILE ? ", sysctl fs.file-max" : ""));
}

/* The kernel does not support @event with these attributes. NULL: the dummy event. */
static int fail_event(struct evlist_impl *impl, int err, const struct evlist_event *event)
{
	const char *name = event ? event->name : "dummy";
	if (event && event->leader != (size_t)(event - impl->evlist.events))
		return evlist_fail(
			impl, err,
			sentence("The event '%s' cannot be counted together with '%s': the "
				 "group has more events than the processor has counters, or "
				 "the events belong to different PMUs.",
				 name, impl->evlist.events[event->leader].name));
	if (event && is_hardware(&event->attr) && err != -EINVAL)
		return evlist_fail(
			impl, err,
			sentence("The event '%s' needs a hardware counter that this machine "
				 "does not have or cannot sample; try -e cpu-clock.",
				 name));
	if (event && event->attr.type >= PERF_TYPE_MAX)
		return evlist_fail(
			impl, err,
			sentence("The event '%s' cannot be sampled: its PMU refuses it, or can "
				 "only count, like PMUs outside of the processor's cores.",
				 name));
	return evlist_fail(impl, err,
			   sentence("The kernel refuses the event '%s' for sampling: %s.", name,
				    strerror(-err)));
}

int evlist_fail_open(struct evlist_impl *impl, int err, const struct evlist_event *event, pid_t pid,
		     int cpu)
{
	const char *name = event ? event->name : "dummy";
	bool is_breakpoint = event && event->attr.type == PERF_TYPE_BREAKPOINT;
	if (is_breakpoint && (err == -ENOSPC || err == -EINVAL))
		return fail_breakpoint(impl, err, name);
	switch (err) {
	case -EACCES:
	case -EPERM:
		return fail_refused(impl, err, event, pid);
	case -EMFILE:
	case -ENFILE:
		return fail_fds(impl, err);
	case -ENOSYS:
		return evlist_fail(impl, err,
				   refusal_gate_sentence(
					   refusal_gate_try(&impl->opener.syscalls, &impl->limits),
					   &impl->limits));
	case -ENODEV:
		return evlist_fail(impl, err, sentence("CPU %d is not online.", cpu));
	case -EBUSY:
		return evlist_fail(
			impl, err,
			sentence("The counters for the event '%s' are in use by another program.",
				 name));
	case -ESRCH:
		return err; /* the caller decides whether a missing thread is an error */
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENXIO:
	case -EINVAL:
		return fail_event(impl, err, event);
	default:
		return evlist_fail(
			impl, err,
			sentence("The event '%s' cannot be opened: %s.", name, strerror(-err)));
	}
}

int evlist_fail_rings(struct evlist_impl *impl, int err)
{
	if (err == -ENOMEM)
		return evlist_fail(
			impl, err,
			sentence("There is not enough memory, even for the smallest rings."));
	return evlist_fail(
		impl, err,
		sentence("The limit of locked memory (ulimit -l, plus "
			 "kernel.perf_event_mlock_kb of %llu KiB per CPU for all recordings of "
			 "a user) is too small for the smallest rings. Raise one of these "
			 "limits, or lower --stack-size.",
			 (unsigned long long)impl->limits.mlock_bytes / 1024));
}
