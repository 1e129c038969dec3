#include "perf/counters/evlist_tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/sentence.h"
#include "perf/counters/attr_fallback.h"
#include "perf/counters/evlist_errors.h"
#include "perf/counters/evlist_private.h"

static int read_id(int fd, uint64_t *id_ret)
{
	if (ioctl(fd, PERF_EVENT_IOC_ID, id_ret) == 0)
		return 0;
	if (errno != ENOTTY)
		return -errno;
	/* Before Linux 3.12 the id is the last of value, time_enabled, time_running, id. */
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
	return evlist_fail(
		impl, err,
		sentence("The kernel refuses the filter '%s' of '%s': %s. A filter is made of "
			 "the tracepoint's fields, as in 'count > 100 && fd == 0'; its file "
			 "'format' in tracefs lists them.",
			 event->filter, event->name, strerror(-err)));
}

static int reserve_counter(struct evlist_event *event)
{
	int err = array_reserve_one(event->ids, event->n_ids);
	return err ? err : array_reserve_one(event->fds, event->n_ids);
}

/* The leader's counter for the same task and CPU as the event's next one, which was opened before;
 * -1: the event is in no group. */
static int group_fd_of(const struct evlist_impl *impl, const struct evlist_event *event)
{
	const struct evlist_event *leader = &impl->evlist.events[event->leader];
	return leader == event ? -1 : leader->fds[event->n_ids];
}

/* Stores the attr that the kernel accepted in the event, except for the drawn rate. */
static int open_counter(struct evlist_impl *impl, struct evlist_event *event, pid_t pid, int cpu,
			int group_fd)
{
	struct perf_event_attr attr = event->attr;
	if (event->has_jitter)
		evlist_draw_rate(impl, event, &attr);
	uint64_t drawn = attr.sample_period;
	int fd = attr_open(&impl->opener, &attr, pid, cpu, group_fd);
	if (fd < 0)
		return fd;
	if (attr.sample_period == drawn) {
		attr.freq = event->attr.freq;
		attr.sample_period = event->attr.sample_period;
	}
	event->attr = attr;
	return fd;
}

int evlist_open_counter(struct evlist_impl *impl, struct evlist_event *event, pid_t pid, int cpu,
			int group_fd, int *fd_ret, uint64_t *id_ret)
{
	int fd = open_counter(impl, event, pid, cpu, group_fd);
	if (fd < 0) {
		bool is_sideband = event == &impl->evlist.events[impl->evlist.n_events];
		pid_t who = impl->target == EVLIST_SYSTEM ? -1 : pid;
		return evlist_fail_open(impl, fd, is_sideband ? NULL : event, who, cpu);
	}
	int err = read_id(fd, id_ret);
	if (!err && event->filter)
		err = set_filter(impl, event, fd);
	if (err) {
		close(fd);
		return err;
	}
	*fd_ret = fd;
	return 0;
}

/* CPUs that are online come first, so there is a counter before. */
static void add_absent(struct evlist_event *event)
{
	event->fds[event->n_ids] = -1;
	event->ids[event->n_ids] = event->ids[event->n_ids - 1];
	event->n_ids++;
	event->n_absent++;
}

static int add_counter(struct evlist_impl *impl, struct evlist_event *event, pid_t pid, int cpu)
{
	size_t place = event->n_ids;
	int err = reserve_counter(event);
	if (err)
		return err;
	if (place && evlist_is_absent(impl, cpu)) {
		add_absent(event);
		return 0;
	}
	err = evlist_open_counter(impl, event, pid, cpu, group_fd_of(impl, event),
				  &event->fds[place], &event->ids[place]);
	event->n_ids += !err;
	return err;
}

/* Every CPU, including those that were not requested: a process may map a library there and be
 * sampled here. */
static int open_sideband(struct evlist_impl *impl, pid_t tid)
{
	struct evlist_event *sideband = &impl->evlist.events[impl->evlist.n_events];
	if (impl->target == EVLIST_SYSTEM)
		tid = -1; /* a process may enter a cgroup with its mappings */
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
		int err = fds[i] < 0 ? 0 : ring_map(&rings[i], fds[i], size);
		if (err) {
			impl->rings_too_large = err == -EPERM || err == -ENOMEM;
			return err;
		}
	}
	return 0;
}

/* Counters from @first on write to the rings of the first task's counters. */
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

int evlist_enable_counters(const struct evlist_event *event, size_t first)
{
	for (size_t i = first; i < event->n_ids; i++)
		if (event->fds[i] >= 0 && ioctl(event->fds[i], PERF_EVENT_IOC_ENABLE, 0) < 0)
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
	/* FORK records from here on show which threads inherit the sampling events that are opened
	 * next. */
	if (err || impl->target != EVLIST_TASKS)
		return err;
	return evlist_enable_counters(sideband, first);
}

static int map_sample_rings(struct evlist_impl *impl)
{
	struct evlist *evlist = &impl->evlist;
	for (size_t i = 0; i < impl->n_cpus; i++)
		impl->ring_fds[i] = evlist_sample_fd(impl, 0, i);
	return map_rings(impl, evlist->sample_rings, evlist->n_sample_rings, impl->ring_fds,
			 impl->sizes.samples);
}

/* @task: the index of the task whose counters have just been opened. */
static int join_samples(struct evlist_impl *impl, size_t task)
{
	struct evlist *evlist = &impl->evlist;
	int err = task == 0 ? map_sample_rings(impl) : 0;
	for (size_t e = 0; e < evlist->n_events && !err; e++) {
		const struct evlist_event *event = &evlist->events[e];
		size_t first = task * event->n_rings;
		err = join_rings(event, first, impl->ring_fds);
		if (!err && impl->is_enabled)
			err = evlist_enable_counters(event, first);
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
		cleanup_close(&event->fds[--event->n_ids]);
	event->n_absent = 0;
}

/* Closes the counters of all tasks after the first @n_tasks. */
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
	evlist_close_second_stacks(impl, impl->evlist.second_stacks_err);
	evlist_close_contexts(impl, impl->evlist.contexts_err);
	impl->n_tasks = impl->n_tasks_alive = 0;
}

/* The times before and after the opening of the sampling events show which threads have inherited
 * them. */
static int open_counters(struct evlist_impl *impl, struct evlist_task *task)
{
	int err = start_sideband(impl, task->tid);
	if (err)
		return err;
	task->open_began_ns = now_ns();
	err = open_samples(impl, task->tid);
	task->open_ended_ns = now_ns();
	return err ? err : join_samples(impl, impl->n_tasks);
}

int evlist_open_task(struct evlist_impl *impl, pid_t tid)
{
	if (array_reserve_one(impl->tasks, impl->n_tasks))
		return -ENOMEM;
	struct evlist_task *task = &impl->tasks[impl->n_tasks];
	*task = (struct evlist_task){ .tid = tid };

	int err = open_counters(impl, task);
	if (err) {
		close_beyond(impl, impl->n_tasks);
		return err;
	}
	evlist_open_second_stacks(impl, impl->n_tasks);
	if (impl->evlist.second_stacks_err || impl->evlist.second_stacks_are_partial)
		evlist_open_contexts(impl, tid);
	impl->n_tasks++;
	impl->n_tasks_alive++;
	return 0;
}
