#include "perf/counters/evlist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cct/base/sentence.h"
#include "perf/counters/evlist_notes.h"
#include "perf/counters/evlist_private.h"
#include "perf/counters/evlist_tasks.h"

#define WAKE_TASK UINT64_MAX /* epoll's key of the caller's own fd */
#define MAX_READY 64

static void destroy_event(struct evlist_event *event)
{
	free(event->name);
	free(event->rings);
	free(event->ids);
	free(event->kernel_ids);
	free(event->fds);
}

void evlist_close(struct evlist *evlist)
{
	if (!evlist)
		return;
	struct evlist_impl *impl = evlist_impl(evlist);
	if (impl->epoll_fd >= 0)
		close(impl->epoll_fd);
	if (evlist->events) {
		evlist_close_tasks(impl);
		for (size_t e = 0; e <= evlist->n_events; e++)
			destroy_event(&evlist->events[e]);
		destroy_event(&evlist->contexts);
		destroy_event(&evlist->second_stacks);
	}
	stack_watch_destroy(evlist->stack_watch);
	for (size_t i = 0; i < evlist->n_notes; i++)
		free(evlist->notes[i]);
	free(evlist->notes);
	free(evlist->events);
	free(evlist->sample_rings);
	free(evlist->sideband_rings);
	free(evlist->context_rings);
	free(evlist->ring_cpus);
	free(impl->cpus);
	free(impl->sideband_cpus);
	free(impl->ring_owners);
	free(impl->ring_fds);
	free(impl->task_time_begin_ns);
	free(impl->tasks);
	free(impl->error_text);
	free(impl);
}

static int control(const struct evlist_event *event, unsigned long request)
{
	int err = 0;
	for (size_t i = 0; i < event->n_ids; i++)
		if (event->fds[i] >= 0 && ioctl(event->fds[i], request, 0) < 0 && !err)
			err = -errno;
	return err;
}

int evlist_enable(struct evlist *evlist)
{
	int err = control(&evlist->events[evlist->n_events], PERF_EVENT_IOC_ENABLE);
	evlist_begin_task_time(evlist_impl(evlist));
	/* The sideband starts before samples may need it. */
	control(&evlist->contexts, PERF_EVENT_IOC_ENABLE);
	for (size_t e = 0; e < evlist->n_events && !err; e++)
		err = control(&evlist->events[e], PERF_EVENT_IOC_ENABLE);
	evlist_impl(evlist)->is_enabled = !err;
	return err;
}

int evlist_pause(struct evlist *evlist, bool is_paused)
{
	struct evlist_impl *impl = evlist_impl(evlist);
	const unsigned long request = is_paused ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE;
	int err = 0;

	if (is_paused == impl->is_paused)
		return 0;
	for (size_t e = 0; e < evlist->n_events && !err; e++)
		err = control(&evlist->events[e], request);
	evlist_turn_task_time(impl);
	impl->is_paused = is_paused;
	impl->is_enabled = !is_paused && !err;
	return err;
}

/* Stops the samples first, so that no sample lacks the mappings that it needs. */
int evlist_disable(struct evlist *evlist)
{
	int first_err = 0;
	for (size_t e = 0; e <= evlist->n_events; e++) {
		int err = control(&evlist->events[e], PERF_EVENT_IOC_DISABLE);
		if (!first_err)
			first_err = err;
	}
	control(&evlist->contexts, PERF_EVENT_IOC_DISABLE);
	evlist_impl(evlist)->is_enabled = false;
	return first_err;
}

void evlist_control_contexts(struct evlist *evlist, bool is_enabled)
{
	control(&evlist->contexts, is_enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE);
}

const struct evlist_task *evlist_find_task(const struct evlist_impl *impl, pid_t tid)
{
	for (size_t i = 0; i < impl->n_tasks; i++)
		if (impl->tasks[i].tid == tid)
			return &impl->tasks[i];
	return NULL;
}

/* include/uapi/linux/perf_event.h, PERF_RECORD_FORK. */
struct fork_record {
	struct perf_event_header header;
	int32_t pid, ppid, tid, ptid;
	uint64_t time_ns;
};

/*
 * Whether the new thread inherited its events from its creator. A creator that has no separately
 * opened events here has inherited them itself.
 */
static bool has_inherited(struct evlist_impl *impl, const struct fork_record *fork)
{
	const struct evlist_task *parent = evlist_find_task(impl, fork->ptid);
	if (!parent || impl->request.dropped & 1u << ATTR_CLOCKID)
		return true;
	if (fork->time_ns < parent->open_began_ns || fork->time_ns > parent->open_ended_ns)
		return fork->time_ns > parent->open_ended_ns;
	evlist_note(&impl->evlist,
		    sentence("Thread %d was started while its creator's events were being "
			     "opened; on some CPUs it may be counted twice.",
			     fork->tid));
	return false;
}

/* Looks at the records without consuming them: the caller reads them later. */
static bool ring_shows_inheritance(struct evlist_impl *impl, const struct ring *ring, pid_t tid)
{
	struct ring peek = *ring;
	const struct perf_event_header *header;
	ring_begin(&peek);
	while ((header = ring_next(&peek))) {
		struct fork_record fork;
		if (header->type != PERF_RECORD_FORK || header->size < sizeof(fork))
			continue;
		memcpy(&fork, header, sizeof(fork));
		if (fork.tid == tid)
			return has_inherited(impl, &fork);
	}
	return false;
}

static bool is_covered(struct evlist_impl *impl, pid_t tid)
{
	if (evlist_find_task(impl, tid))
		return true;
	if (!impl->request.inherit)
		return false;
	for (size_t i = 0; i < impl->evlist.n_sideband_rings; i++)
		if (ring_shows_inheritance(impl, &impl->evlist.sideband_rings[i], tid))
			return true;
	return false;
}

int evlist_add_tids(struct evlist *evlist, const pid_t *tids, size_t n_tids)
{
	struct evlist_impl *impl = evlist_impl(evlist);
	int n_added = 0;
	for (size_t i = 0; i < n_tids; i++) {
		if (is_covered(impl, tids[i]))
			continue;
		int err = evlist_open_task(impl, tids[i]);
		if (err == -ESRCH)
			continue;
		if (!err)
			err = evlist_watch_task(impl, impl->n_tasks - 1);
		if (err)
			return err;
		n_added++;
	}
	return n_added;
}

static int watch_fd(const struct evlist_impl *impl, int fd, uint64_t key)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = key };
	if (fd < 0) /* of an absent CPU */
		return 0;
	return epoll_ctl(impl->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static void unwatch_fd(const struct evlist_impl *impl, int fd)
{
	epoll_ctl(impl->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

/* The counters of a task on each CPU. A wake-up on one of them means that its ring has filled. */
static const int *sideband_fds(const struct evlist_impl *impl, size_t task)
{
	const struct evlist *evlist = &impl->evlist;
	return evlist->events[evlist->n_events].fds + task * impl->n_sideband_cpus;
}

/*
 * The counters of one task are enough to learn that rings have filled, because all tasks write to
 * the same rings. For each other task one counter is watched, only for its hang-up. A counter that
 * owns a ring cannot be watched for that: after its task has exited, it reports a hang-up
 * permanently.
 */
int evlist_watch_task(struct evlist_impl *impl, size_t task)
{
	size_t n_sideband = task == impl->watched_task ? impl->n_sideband_cpus : 1;
	size_t n_samples =
		task == impl->watched_task && !impl->samples_are_silent ? impl->n_cpus : 0;
	int err = 0;
	for (size_t c = 0; c < n_sideband && !err; c++)
		err = watch_fd(impl, sideband_fds(impl, task)[c], task);
	for (size_t c = 0; c < n_samples && !err; c++)
		err = watch_fd(impl, evlist_sample_fd(impl, task, c), task);
	return err;
}

/* One of the system's counters, of which there is one task. */
int evlist_watch_counter(struct evlist_impl *impl, size_t event, size_t place)
{
	if (event != impl->evlist.n_events && impl->samples_are_silent)
		return 0;
	return watch_fd(impl, impl->evlist.events[event].fds[place], 0);
}

static void unwatch_task(struct evlist_impl *impl, size_t task)
{
	for (size_t c = 0; c < impl->n_sideband_cpus; c++)
		unwatch_fd(impl, sideband_fds(impl, task)[c]);
	for (size_t c = 0; c < impl->n_cpus; c++)
		unwatch_fd(impl, evlist_sample_fd(impl, task, c));
}

static void watch_another_task(struct evlist_impl *impl)
{
	for (size_t i = 0; i < impl->n_tasks; i++) {
		if (impl->tasks[i].has_exited)
			continue;
		unwatch_task(impl, i);
		impl->watched_task = i;
		evlist_watch_task(impl, i);
		return;
	}
}

static void handle_hang_up(struct evlist_impl *impl, size_t task)
{
	if (impl->tasks[task].has_exited)
		return;
	impl->tasks[task].has_exited = true;
	impl->n_tasks_alive--;
	unwatch_task(impl, task);
	if (task == impl->watched_task)
		watch_another_task(impl);
}

static int watch_wake_fd(struct evlist_impl *impl, int wake_fd)
{
	if (wake_fd == impl->wake_fd)
		return 0;
	if (impl->wake_fd >= 0)
		unwatch_fd(impl, impl->wake_fd);
	impl->wake_fd = -1;
	int err = wake_fd >= 0 ? watch_fd(impl, wake_fd, WAKE_TASK) : 0;
	if (!err)
		impl->wake_fd = wake_fd;
	return err;
}

int evlist_wait(struct evlist *evlist, int wake_fd, int timeout_ms, bool *all_hung_up_ret)
{
	struct evlist_impl *impl = evlist_impl(evlist);
	int err = watch_wake_fd(impl, wake_fd);
	if (err)
		return err;
	struct epoll_event ready[MAX_READY];
	int n = epoll_wait(impl->epoll_fd, ready, MAX_READY, impl->n_tasks_alive ? timeout_ms : 0);
	if (n < 0 && errno != EINTR)
		return -errno;
	for (int i = 0; i < n; i++)
		if (ready[i].data.u64 != WAKE_TASK && ready[i].events & (EPOLLHUP | EPOLLERR))
			handle_hang_up(impl, ready[i].data.u64);
	*all_hung_up_ret = impl->n_tasks_alive == 0;
	return n > 0 ? n : 0;
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
	return (first > second) - (first < second);
}

/* The kernel numbers counters in the order in which they are opened. */
size_t evlist_find_event(const struct evlist *evlist, uint64_t id)
{
	for (size_t e = 0; e < evlist->n_events; e++)
		if (bsearch(&id, evlist->events[e].ids, evlist->events[e].n_ids, sizeof(id),
			    compare_ids))
			return e;
	return SIZE_MAX;
}
