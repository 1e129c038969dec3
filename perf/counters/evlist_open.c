/* Opens the counters of a recording and maps their rings. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/cpu_list.h"
#include "cct/base/sentence.h"
#include "perf/counters/attr_fallback.h"
#include "perf/counters/evlist.h"
#include "perf/counters/evlist_notes.h"
#include "perf/counters/evlist_private.h"
#include "perf/counters/refusal.h"
#include "perf/counters/ring_size.h"
#include "perf/events/event_spelling.h"

#define MAX_STACK_SIZE 65528 /* perf_event_attr.sample_stack_user stays below 65535 */
#define WATERMARK_PART 4     /* the reader wakes when a ring is filled to this part */

static int real_open(void *arg, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		     unsigned long flags)
{
	(void)arg;
	return syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
}

const struct evlist_syscalls evlist_real_syscalls = { .open = real_open };

/* Keeps the first sentence, which is about the cause. Returns @err. */
static int fail(struct evlist_impl *impl, int err, char *text)
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

/* Where the sideband is refused already: what would be next, so that one sentence says it all. */
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
	enum perf_gate gate = perf_gate_try(&impl->opener.syscalls, &impl->limits);
	if (gate != GATE_OPEN)
		return fail(impl, err, perf_gate_sentence(gate, &impl->limits));
	if (!event)
		event = most_demanding(&impl->evlist);
	const struct refused_event refused = {
		.name = event->name ? event->name : "dummy", /* the probe before all events */
		.attr = &event->attr,
		.target = impl->target,
		.pid = pid,
		.is_probe = event->is_probe,
	};
	return fail(impl, err, refusal_sentence(&refused, &impl->limits));
}

/* Debug registers are few, and particular. */
static int fail_breakpoint(struct evlist_impl *impl, int err, const char *name)
{
	if (err == -ENOSPC)
		return fail(impl, err,
			    sentence("No debug register is left for '%s': processors have 4 or "
				     "so, and deep stacks use some; try --no-deep-stacks.",
				     name));
	return fail(impl, err,
		    sentence("The event '%s' can't be watched: its address must be a multiple of "
			     "its length, x86 has no reads alone (r), and parts of the kernel are "
			     "barred.",
			     name));
}

static int fail_fds(struct evlist_impl *impl, int err)
{
	size_t per_thread = impl->evlist.n_events * impl->n_cpus + impl->n_sideband_cpus;
	return fail(impl, err,
		    sentence("Too many open files: each thread needs %zu of them (events x CPUs). "
			     "Raise the hard limit (ulimit -Hn%s), or observe fewer threads, CPUs "
			     "or events.",
			     per_thread, err == -ENFILE ? ", sysctl fs.file-max" : ""));
}

/* The counter was refused; @event is NULL for the sideband's. */
static int fail_open(struct evlist_impl *impl, int err, const struct evlist_event *event, pid_t pid,
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
		return fail(impl, err,
			    perf_gate_sentence(perf_gate_try(&impl->opener.syscalls, &impl->limits),
					       &impl->limits));
	case -ENODEV:
		return fail(impl, err, sentence("CPU %d is not online.", cpu));
	case -EBUSY:
		return fail(impl, err,
			    sentence("The counters for the event '%s' are in use by someone else.",
				     name));
	case -ESRCH:
		return err; /* the caller knows whether that matters */
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENXIO:
	case -EINVAL:
		break;
	default:
		return fail(impl, err,
			    sentence("The event '%s' can't be opened: %s.", name, strerror(-err)));
	}
	if (event && event->leader != (size_t)(event - impl->evlist.events))
		return fail(impl, err,
			    sentence("The event '%s' can't be counted together with '%s': the "
				     "group has more events than the processor has counters, or "
				     "they belong to different PMUs.",
				     name, impl->evlist.events[event->leader].name));
	if (event && is_hardware(&event->attr) && err != -EINVAL)
		return fail(impl, err,
			    sentence("The event '%s' needs a hardware counter that this machine "
				     "does not have or does not let sample; try -e cpu-clock.",
				     name));
	if (event && event->attr.type >= PERF_TYPE_MAX)
		return fail(impl, err,
			    sentence("The event '%s' can't be sampled: its PMU refuses it, or only "
				     "counts, as those outside of the processor's cores do.",
				     name));
	return fail(impl, err,
		    sentence("The kernel refuses the event '%s' for sampling: %s.", name,
			     strerror(-err)));
}

static int read_id(int fd, uint64_t *id_ret)
{
	if (ioctl(fd, PERF_EVENT_IOC_ID, id_ret) == 0)
		return 0;
	if (errno != ENOTTY)
		return -errno;
	/* Before 3.12: the last value of value, time_enabled, time_running, id. */
	uint64_t values[4];
	ssize_t n = read(fd, values, sizeof(values));
	if (n < 0)
		return -errno;
	if (n != sizeof(values))
		return -EIO;
	*id_ret = values[3];
	return 0;
}

static int set_filter(struct evlist_impl *impl, const struct evlist_event *event, int fd)
{
	if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event->filter) == 0)
		return 0;
	int err = -errno;
	return fail(impl, err,
		    sentence("The kernel refuses the filter '%s' of '%s': %s. A filter is made of "
			     "the tracepoint's fields, as in 'count > 100 && fd == 0'; its file "
			     "'format' in tracefs lists them.",
			     event->filter, event->name, strerror(-err)));
}

static int reserve_counter(struct evlist_event *event)
{
	/* Grows by doubling: at each power of two. */
	if (event->n_ids & (event->n_ids - 1))
		return 0;
	size_t n = event->n_ids ? event->n_ids * 2 : 1;
	uint64_t *ids = realloc(event->ids, n * sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	event->ids = ids;
	int *fds = realloc(event->fds, n * sizeof(*fds));
	if (!fds)
		return -ENOMEM;
	event->fds = fds;
	return 0;
}

/* The leader's counter for the same task and CPU, which was opened before; -1: no group. */
static int group_fd_of(const struct evlist_impl *impl, const struct evlist_event *event)
{
	const struct evlist_event *leader = &impl->evlist.events[event->leader];
	return leader == event ? -1 : leader->fds[event->n_ids];
}

/* What the kernel accepts goes into the event's attr, but for the rate that was drawn. */
static int open_counter(struct evlist_impl *impl, struct evlist_event *event, pid_t pid, int cpu)
{
	struct perf_event_attr attr = event->attr;
	if (event->has_jitter)
		evlist_draw_rate(impl, &attr);
	uint64_t drawn = attr.sample_period;
	int fd = attr_open(&impl->opener, &attr, pid, cpu, group_fd_of(impl, event));
	if (fd < 0)
		return fd;
	if (attr.sample_period == drawn) {
		attr.freq = event->attr.freq;
		attr.sample_period = event->attr.sample_period;
	}
	event->attr = attr;
	return fd;
}

static int add_counter(struct evlist_impl *impl, struct evlist_event *event, pid_t pid, int cpu)
{
	int err = reserve_counter(event);
	if (err)
		return err;
	int fd = open_counter(impl, event, pid, cpu);
	if (fd < 0) {
		bool is_sideband = event == &impl->evlist.events[impl->evlist.n_events];
		return fail_open(impl, fd, is_sideband ? NULL : event, pid, cpu);
	}
	err = read_id(fd, &event->ids[event->n_ids]);
	if (!err && event->filter)
		err = set_filter(impl, event, fd);
	if (err) {
		close(fd);
		return err;
	}
	event->fds[event->n_ids++] = fd;
	return 0;
}

/* Every CPU, also those not asked for: a process may map a library there and be sampled here. */
static int open_sideband(struct evlist_impl *impl, pid_t tid)
{
	struct evlist_event *sideband = &impl->evlist.events[impl->evlist.n_events];
	for (size_t c = 0; c < impl->n_sideband_cpus; c++) {
		int err = add_counter(impl, sideband, tid, impl->sideband_cpus[c]);
		if (err)
			return err;
	}
	return 0;
}

static int open_samples(struct evlist_impl *impl, pid_t tid)
{
	for (size_t e = 0; e < impl->evlist.n_events; e++) {
		struct evlist_event *event = &impl->evlist.events[e];
		for (size_t i = 0; i < event->n_rings; i++) {
			int err = add_counter(impl, event, tid, impl->cpus[event->rings[i]]);
			if (err)
				return err;
		}
	}
	return 0;
}

static int map_rings(struct evlist_impl *impl, struct ring *rings, size_t n_rings, const int *fds,
		     uint64_t size)
{
	for (size_t i = 0; i < n_rings; i++) {
		int err = ring_map(&rings[i], fds[i], size);
		if (err) {
			impl->rings_too_large = err == -EPERM || err == -ENOMEM;
			return err;
		}
	}
	return 0;
}

/* Counters from @first on write into the rings of the first task's. */
static int join_rings(const struct evlist_event *event, size_t first, const int *owners)
{
	for (size_t i = first; i < event->n_ids; i++) {
		int owner = owners[event->rings[i % event->n_rings]];
		if (event->fds[i] != owner &&
		    ioctl(event->fds[i], PERF_EVENT_IOC_SET_OUTPUT, owner) < 0)
			return -errno;
	}
	return 0;
}

static int enable_counters(const struct evlist_event *event, size_t first)
{
	for (size_t i = first; i < event->n_ids; i++)
		if (ioctl(event->fds[i], PERF_EVENT_IOC_ENABLE, 0) < 0)
			return -errno;
	return 0;
}

static int start_sideband(struct evlist_impl *impl, pid_t tid)
{
	struct evlist *evlist = &impl->evlist;
	const struct evlist_event *sideband = &evlist->events[evlist->n_events];
	size_t first = sideband->n_ids;
	int err = open_sideband(impl, tid);
	if (err)
		return err;
	if (first == 0)
		err = map_rings(impl, evlist->sideband_rings, evlist->n_sideband_rings,
				sideband->fds, impl->sizes.sideband);
	else
		err = join_rings(sideband, first, sideband->fds);
	/* Forks from here on tell which threads inherit the sampling events that come next. */
	if (err || impl->target != EVLIST_TASKS)
		return err;
	return enable_counters(sideband, first);
}

static int map_sample_rings(struct evlist_impl *impl)
{
	struct evlist *evlist = &impl->evlist;
	for (size_t i = 0; i < impl->n_cpus; i++)
		impl->ring_fds[i] = evlist_sample_fd(impl, 0, i);
	return map_rings(impl, evlist->sample_rings, evlist->n_sample_rings, impl->ring_fds,
			 impl->sizes.samples);
}

/* @task: the index of the one whose counters have just been opened. */
static int join_samples(struct evlist_impl *impl, size_t task)
{
	struct evlist *evlist = &impl->evlist;
	int err = task == 0 ? map_sample_rings(impl) : 0;
	for (size_t e = 0; e < evlist->n_events && !err; e++) {
		const struct evlist_event *event = &evlist->events[e];
		size_t first = task * event->n_rings;
		err = join_rings(event, first, impl->ring_fds);
		if (!err && impl->is_enabled)
			err = enable_counters(event, first);
	}
	return err;
}

static void unmap_rings(struct evlist *evlist)
{
	for (size_t i = 0; i < evlist->n_sample_rings; i++)
		ring_unmap(&evlist->sample_rings[i]);
	for (size_t i = 0; i < evlist->n_sideband_rings; i++)
		ring_unmap(&evlist->sideband_rings[i]);
}

static void close_counters(struct evlist_event *event, size_t first)
{
	while (event->n_ids > first)
		close(event->fds[--event->n_ids]);
}

/* Takes back what was opened beyond the first @n_tasks tasks. */
static void close_beyond(struct evlist_impl *impl, size_t n_tasks)
{
	struct evlist *evlist = &impl->evlist;
	if (n_tasks == 0)
		unmap_rings(evlist);
	for (size_t e = 0; e < evlist->n_events; e++)
		close_counters(&evlist->events[e], n_tasks * evlist->events[e].n_rings);
	close_counters(&evlist->events[evlist->n_events], n_tasks * impl->n_sideband_cpus);
}

void evlist_close_tasks(struct evlist_impl *impl)
{
	close_beyond(impl, 0);
	evlist_close_contexts(impl, impl->evlist.contexts_err);
	impl->n_tasks = impl->n_tasks_alive = 0;
}

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int evlist_open_task(struct evlist_impl *impl, pid_t tid)
{
	struct evlist_task *tasks = realloc(impl->tasks, (impl->n_tasks + 1) * sizeof(*tasks));
	if (!tasks)
		return -ENOMEM;
	impl->tasks = tasks;
	struct evlist_task *task = &tasks[impl->n_tasks];
	*task = (struct evlist_task){ .tid = tid };

	int err = start_sideband(impl, tid);
	task->open_began_ns = now_ns();
	if (!err)
		err = open_samples(impl, tid);
	task->open_ended_ns = now_ns();
	if (!err)
		err = join_samples(impl, impl->n_tasks);
	if (err) {
		close_beyond(impl, impl->n_tasks);
		return err;
	}
	evlist_open_contexts(impl, tid);
	impl->n_tasks++;
	impl->n_tasks_alive++;
	return 0;
}

/* Threads that have exited meanwhile are left out, unless all have. */
static int open_tasks(struct evlist_impl *impl, const pid_t *tids, size_t n_tids)
{
	for (size_t i = 0; i < n_tids; i++) {
		if (evlist_find_task(impl, tids[i]))
			continue;
		int err = evlist_open_task(impl, tids[i]);
		if (err && (err != -ESRCH || impl->target != EVLIST_TASKS))
			return err;
	}
	if (impl->n_tasks == 0)
		return fail(impl, -ESRCH, sentence("No such process or thread: %d.", tids[0]));
	return 0;
}

static void set_watermark(struct evlist_impl *impl)
{
	struct evlist *evlist = &impl->evlist;
	for (size_t e = 0; e < evlist->n_events; e++)
		evlist->events[e].attr.wakeup_watermark = impl->sizes.samples / WATERMARK_PART;
	evlist->events[evlist->n_events].attr.wakeup_watermark =
		impl->sizes.sideband / WATERMARK_PART;
}

static int fail_rings(struct evlist_impl *impl, int err)
{
	if (err == -ENOMEM)
		return fail(impl, err,
			    sentence("Not enough memory for the rings, even for the smallest."));
	return fail(impl, err,
		    sentence("The limit of locked memory (ulimit -l, plus "
			     "kernel.perf_event_mlock_kb of %llu KiB per CPU for all recordings of "
			     "a user) is too small for the smallest rings. Raise one of them, or "
			     "lower --stack-size.",
			     (unsigned long long)impl->limits.mlock_bytes / 1024));
}

/* Smaller rings until they fit the limit. The first try does so by arithmetic, since opening
 * anew costs; the limit is the user's, so other recordings may have taken some of it. */
static int open_with_rings(struct evlist_impl *impl, const pid_t *tids, size_t n_tids)
{
	const struct ring_sizes wanted = impl->sizes;
	while (!ring_sizes_fit(&impl->demand, &impl->sizes, &impl->limits))
		if (!ring_sizes_shrink(&impl->demand, &impl->sizes))
			break;
	int err;
	for (;;) {
		impl->rings_too_large = false;
		set_watermark(impl);
		err = open_tasks(impl, tids, n_tids);
		if (!impl->rings_too_large)
			break;
		evlist_close_tasks(impl);
		if (!ring_sizes_shrink(&impl->demand, &impl->sizes))
			return fail_rings(impl, err);
	}
	if (err ||
	    (impl->sizes.samples == wanted.samples && impl->sizes.sideband == wanted.sideband))
		return err;
	impl->evlist.ring_shrunk = true;
	evlist_note(&impl->evlist,
		    sentence("Rings were shrunk to fit the limit of locked memory: from %llu to "
			     "%llu KiB per CPU for samples, from %llu to %llu KiB for mappings and "
			     "names; some may be lost. Raise ulimit -l or "
			     "kernel.perf_event_mlock_kb to avoid it.",
			     (unsigned long long)wanted.samples / 1024,
			     (unsigned long long)impl->sizes.samples / 1024,
			     (unsigned long long)wanted.sideband / 1024,
			     (unsigned long long)impl->sizes.sideband / 1024));
	return 0;
}

static int check_options(struct evlist_impl *impl, const struct evlist_options *options,
			 size_t n_events)
{
	if (options->stack_size > MAX_STACK_SIZE || options->stack_size % 8)
		return fail(impl, -EINVAL,
			    sentence("The stack size must be a multiple of 8 up to %d.",
				     MAX_STACK_SIZE));
	if (!options->frequency == !options->period)
		return fail(impl, -EINVAL,
			    sentence("Either a frequency or a period must be given."));
	if (n_events == 0 || options->n_cpus == 0)
		return fail(impl, -EINVAL, sentence("There is no event or no CPU to record."));
	if (options->target != EVLIST_SYSTEM && options->n_tids == 0)
		return fail(impl, -ESRCH, sentence("There is no process to record."));
	if (impl->limits.paranoid == INT_MIN)
		return fail_open(impl, -ENOSYS, NULL, -1, -1);
	return 0;
}

static int append_cpu(struct evlist_impl *impl, int cpu)
{
	if (evlist_has_cpu(impl->sideband_cpus, impl->n_sideband_cpus, cpu))
		return 0;
	int *cpus = realloc(impl->sideband_cpus, (impl->n_sideband_cpus + 1) * sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	cpus[impl->n_sideband_cpus++] = cpu;
	impl->sideband_cpus = cpus;
	return 0;
}

/* None if the file does not tell. */
static int read_online_cpus(int **cpus_ret, size_t *n_cpus_ret)
{
	char text[4096] = "";
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	if (file) {
		if (!fgets(text, sizeof(text), file))
			text[0] = '\0';
		fclose(file);
	}
	int err = cpu_list_parse(text, cpus_ret, n_cpus_ret);
	return err == -EINVAL ? cpu_list_parse("", cpus_ret, n_cpus_ret) : err;
}

/*
 * The CPUs of the recording and all others that are online: a process may map a library on a CPU
 * that is not recorded, and be sampled on one that is.
 */
static int choose_sideband_cpus(struct evlist_impl *impl)
{
	int err = 0;
	for (size_t i = 0; i < impl->n_cpus && !err; i++)
		err = append_cpu(impl, impl->cpus[i]);
	int *online;
	size_t n_online;
	if (!err)
		err = read_online_cpus(&online, &n_online);
	if (err)
		return err;
	for (size_t i = 0; i < n_online && !err; i++)
		err = append_cpu(impl, online[i]);
	free(online);
	return err;
}

static int init_rings(struct evlist_impl *impl, const struct event *events)
{
	struct evlist *evlist = &impl->evlist;
	int err = choose_sideband_cpus(impl);
	if (err)
		return err;
	evlist->ring_cpus = calloc(impl->n_cpus, sizeof(*evlist->ring_cpus));
	impl->ring_fds = calloc(impl->n_cpus, sizeof(*impl->ring_fds));
	impl->task_time_begin_ns = calloc(evlist->n_events, sizeof(*impl->task_time_begin_ns));
	evlist->sample_rings = calloc(impl->n_cpus, sizeof(*evlist->sample_rings));
	evlist->sideband_rings = calloc(impl->n_sideband_cpus, sizeof(*evlist->sideband_rings));
	evlist->context_rings = calloc(impl->n_cpus, sizeof(*evlist->context_rings));
	if (!evlist->ring_cpus || !impl->ring_fds || !impl->task_time_begin_ns ||
	    !evlist->sample_rings || !evlist->sideband_rings || !evlist->context_rings)
		return -ENOMEM;
	memcpy(evlist->ring_cpus, impl->cpus, impl->n_cpus * sizeof(*impl->cpus));
	evlist->n_sample_rings = impl->n_cpus;
	evlist->n_sideband_rings = impl->n_sideband_cpus;
	return evlist_choose_rings(impl, events);
}

/* Counted by the kernel itself, one by one; such events it samples at every occurrence if asked for
 * PERF_SAMPLE_PERIOD (perf_swevent_event() in kernel/events/core.c), whatever their period. */
static bool is_counted_singly(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return event->probed_path || attr->type == PERF_TYPE_TRACEPOINT ||
	       attr->type == PERF_TYPE_BREAKPOINT ||
	       (attr->type == PERF_TYPE_SOFTWARE && !evlist_is_clock(attr));
}

/* The event's own rate, or else the user's, or else its kind's, or else the recording's. */
static struct attr_request request_of(const struct evlist_impl *impl, const struct event *event)
{
	struct attr_request request = impl->request;

	if (event->period || event->frequency) {
		request.period = event->period;
		request.frequency = event->frequency;
	} else if (!impl->has_rate && event->default_period) {
		request.period = event->default_period;
		request.frequency = 0;
	}
	/* See perf/kinds/probe_events.h: forks would fail. */
	if (event->probed_path && event->attr.type != PERF_TYPE_TRACEPOINT)
		request.inherit = false;
	request.lacks_periods =
		!request.frequency && request.period > 1 && is_counted_singly(event);
	return request;
}

/* Hz; 0: some event is sampled by a period, and how often that is nobody knows. */
static uint64_t expected_frequency(const struct evlist *evlist)
{
	uint64_t highest = 0;
	for (size_t e = 0; e < evlist->n_events; e++) {
		const struct evlist_event *event = &evlist->events[e];
		if (event->is_counted)
			continue;
		if (!event->attr.freq)
			return 0;
		if (event->attr.sample_freq > highest)
			highest = event->attr.sample_freq;
	}
	return highest;
}

static void choose_ring_sizes(struct evlist_impl *impl, const struct evlist_options *options)
{
	struct evlist *evlist = &impl->evlist;
	impl->demand = (struct ring_demand){
		.asked = options->ring_size,
		.frequency = expected_frequency(evlist),
		.has_switches = impl->request.switches,
		.stack_size = options->stack_size,
		.n_events = evlist->n_events,
		.n_sample_rings = evlist->n_sample_rings,
		.n_sideband_rings = evlist->n_sideband_rings,
		.available = memory_available(),
	};
	ring_sizes_choose(&impl->demand, &impl->sizes);
	uint64_t size = impl->sizes.samples;
	if (!options->ring_size && impl->demand.frequency &&
	    size < ring_sizes_wanted(&impl->demand))
		evlist_note(evlist,
			    sentence("Rings of %llu MiB per CPU hold less than 100 ms at this rate "
				     "and stack size; samples may be lost.",
				     (unsigned long long)size >> 20));
	else if (options->ring_size && size > options->ring_size && size / 2 >= options->ring_size)
		evlist_note(evlist,
			    sentence("Rings of %llu KiB per CPU are the least that hold 8 "
				     "samples; they are used instead of the size asked for.",
				     (unsigned long long)size >> 10));
}

static uint64_t limit_rate(struct evlist_impl *impl, uint64_t frequency)
{
	uint64_t max = impl->limits.max_sample_rate;
	if (!max || frequency <= max)
		return frequency;
	evlist_note_rate(&impl->evlist, frequency, max);
	return max;
}

/* What one event needs all have, so that their samples are alike. */
static void add_needs(struct attr_request *request, const struct event *events, size_t n_events)
{
	for (size_t e = 0; e < n_events; e++) {
		request->has_raw |= events[e].attr.type == PERF_TYPE_TRACEPOINT;
		request->has_arguments |= events[e].weight.kind == WEIGHT_ARGUMENT;
		request->reads_groups |= events[e].reads_group;
		request->has_probes |=
			events[e].probed_path && events[e].attr.type == PERF_TYPE_TRACEPOINT;
		request->switches |= events[e].weight.kind == WEIGHT_OFF_CPU;
	}
}

static void init_request(struct evlist_impl *impl, const struct evlist_options *options,
			 const struct event *events)
{
	bool is_command = options->target == EVLIST_COMMAND;
	impl->request = (struct attr_request){
		.period = options->period,
		.stack_size = options->stack_size,
		.inherit = options->target != EVLIST_SYSTEM && !options->no_inherit,
		.samples_on_exec = is_command && !options->start_disabled,
		.sideband_on_exec = is_command,
	};
	add_needs(&impl->request, events, impl->evlist.n_events);
	impl->has_rate = options->has_rate;
	impl->request.frequency = limit_rate(impl, options->frequency);
}

static bool has_jitter(enum evlist_jitter jitter, const struct event *event)
{
	if (event->weight.kind == WEIGHT_OFF_CPU)
		return false; /* every switch is a sample */
	return jitter == JITTER_ALL || (jitter == JITTER_CLOCKS && evlist_is_clock(&event->attr));
}

static int init_event(struct evlist_impl *impl, const struct evlist_options *options,
		      const struct event *events, size_t index)
{
	const struct event *from = &events[index];
	struct evlist_event *event = &impl->evlist.events[index];
	struct attr_request request = request_of(impl, from);

	event->filter = from->filter;
	event->is_probe = from->probed_path;
	event->leader = from->leader;
	event->is_counted = from->leader != index && events[from->leader].reads_group;
	if (events[from->leader].reads_group && from->weight.kind != WEIGHT_PERIOD)
		return fail(impl, -EINVAL,
			    sentence("'%s' is weighed by what its samples hold, and a group that "
				     "is read (:S) has samples of its leader alone: name it apart.",
				     from->name));
	if (from->frequency)
		request.frequency = limit_rate(impl, from->frequency);
	/* A period that varies must be told by the samples. */
	event->has_jitter =
		!event->is_counted && !request.lacks_periods && has_jitter(options->jitter, from);
	if (event->is_counted) {
		attr_init_counted(&event->attr, &request, &from->attr);
		event->attr.precise_ip = 0; /* the kernel wants samples for that */
	} else {
		attr_init_sample(&event->attr, &request, &from->attr);
	}
	if (from->seeks_precise && !event->is_counted)
		attr_choose_precise(&impl->opener, &event->attr);
	event->name = strdup(from->name);
	return event->name ? 0 : -ENOMEM;
}

static int init_events(struct evlist_impl *impl, const struct evlist_options *options,
		       const struct event *events)
{
	struct evlist *evlist = &impl->evlist;
	for (size_t e = 0; e < evlist->n_events; e++) {
		int err = init_event(impl, options, events, e);
		if (err)
			return err;
	}
	struct evlist_event *sideband = &evlist->events[evlist->n_events];
	sideband->leader = evlist->n_events;
	attr_init_sideband(&sideband->attr, &impl->request);
	sideband->name = strdup("dummy:u");
	return sideband->name ? 0 : -ENOMEM;
}

static int rename_user_only(struct evlist_event *event)
{
	char *name = event_modifiers_join(event->name, "u", 1);
	if (!name)
		return -ENOMEM;
	free(event->name);
	event->name = name;
	return 0;
}

static int rename_events(struct evlist *evlist, const struct event *events)
{
	int err = 0;
	for (size_t e = 0; e < evlist->n_events && !err; e++)
		if (evlist->events[e].attr.exclude_kernel && !events[e].attr.exclude_kernel)
			err = rename_user_only(&evlist->events[e]);
	return err;
}

static int watch_all(struct evlist_impl *impl)
{
	impl->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (impl->epoll_fd < 0)
		return -errno;
	int err = 0;
	for (size_t i = 0; i < impl->n_tasks && !err; i++)
		err = evlist_watch_task(impl, i);
	return err;
}

/* Before 6.12 what threads and children inherit can't be read at samples. */
static bool fails_for_inheritance(const struct evlist_impl *impl)
{
	struct evlist_impl other = *impl;
	other.request.inherit = false;
	return impl->request.reads_groups && impl->request.inherit &&
	       attr_probe(&other.opener, &other.request) == 0;
}

static int probe(struct evlist_impl *impl)
{
	int err = attr_probe(&impl->opener, &impl->request);
	if (err == -EINVAL && fails_for_inheritance(impl))
		return fail(impl, err,
			    sentence("This kernel can't read groups (:S) in new threads and "
				     "children (6.12 can): leave those out with -i, record the "
				     "whole machine with -a, or leave out the S."));
	return err ? fail_open(impl, err, NULL, 0, -1) : 0;
}

static int open_all(struct evlist_impl *impl, const struct evlist_options *options,
		    const struct event *events, size_t n_events)
{
	static const pid_t everybody = -1;
	struct evlist *evlist = &impl->evlist;
	evlist->events = calloc(n_events + 1, sizeof(*evlist->events));
	if (!evlist->events)
		return -ENOMEM;
	evlist->n_events = n_events;
	int err = evlist_choose_cpus(impl, options, events, n_events);
	if (!err)
		err = init_rings(impl, events);
	if (err)
		return err;

	init_request(impl, options, events);
	err = probe(impl);
	if (err)
		return err;
	err = init_events(impl, options, events);
	if (err)
		return err;
	choose_ring_sizes(impl, options);
	evlist->contexts_err = -ECANCELED;
	if (options->has_contexts)
		evlist_init_contexts(impl);
	bool is_system = options->target == EVLIST_SYSTEM;
	err = open_with_rings(impl, is_system ? &everybody : options->tids,
			      is_system ? 1 : options->n_tids);
	if (err)
		return err;
	evlist->ring_size = impl->sizes.samples;
	/* From here on, so that nothing falls between the sideband and the caller's walk of /proc;
	 * not earlier, for mapping large rings takes longer than a sideband ring of a busy machine
	 * lasts. */
	if (is_system)
		err = enable_counters(&evlist->events[n_events], 0);
	if (!err)
		err = rename_events(evlist, events);
	return err ? err : watch_all(impl);
}

/* Those of the events that count on the CPUs of the recording. */
static int open_chosen(struct evlist_impl *impl, const struct evlist_options *options,
		       const struct event *events, size_t n_events)
{
	struct event *chosen;
	size_t n_chosen;
	int err = evlist_choose_events(options, events, n_events, &chosen, &n_chosen);
	if (err)
		return err;
	const char *missing = evlist_find_missing(events, n_events, chosen, n_chosen);
	if (missing) {
		free(chosen);
		return fail(impl, -ENODEV,
			    sentence("The event '%s' does not count on the CPUs that are recorded: "
				     "they have another PMU.",
				     missing));
	}
	err = open_all(impl, options, chosen, n_chosen);
	free(chosen);
	return err;
}

int evlist_open(const struct evlist_options *options, const struct event *events, size_t n_events,
		const struct perf_limits *limits, struct evlist **evlist_ret, char **error_ret)
{
	*error_ret = NULL;
	struct evlist_impl *impl = calloc(1, sizeof(*impl));
	if (!impl)
		return -ENOMEM;
	impl->target = options->target;
	impl->limits = *limits;
	impl->epoll_fd = impl->wake_fd = -1;
	impl->opener.syscalls = options->syscalls ? *options->syscalls : evlist_real_syscalls;
	impl->opener.limits = &impl->limits;
	impl->opener.evlist = &impl->evlist;

	int err = check_options(impl, options, n_events);
	if (!err)
		err = open_chosen(impl, options, events, n_events);
	if (!err) {
		*evlist_ret = &impl->evlist;
		return 0;
	}
	if (!impl->error_text)
		fail(impl, err, sentence("Events can't be opened: %s.", strerror(-err)));
	*error_ret = impl->error_text;
	impl->error_text = NULL;
	evlist_close(&impl->evlist);
	return err;
}
