/*
 * The event that captures the contexts which signals interrupt: the tracepoint
 * signal:signal_deliver, which the kernel reaches before it builds the signal frame.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "perf/counters/evlist_private.h"
#include "perf/counters/evlist_tasks.h"
#include "perf/kinds/tracepoint.h"

/* SA_ONSTACK: selects handlers that may run on an alternate stack. */
#define FILTER "sa_flags & 0x08000000"
/* A ring holds about this many contexts. */
#define CONTEXTS_PER_RING 32

void evlist_init_contexts(struct evlist_impl *impl)
{
	struct evlist *evlist = &impl->evlist;
	const struct perf_event_attr *samples = &evlist->events[0].attr;
	struct perf_event_attr *attr = &evlist->contexts.attr;
	uint64_t id = 0;

	if (!(samples->sample_type & PERF_SAMPLE_STACK_USER) || !samples->use_clockid) {
		evlist->contexts_err = -EOPNOTSUPP;
		return;
	}
	evlist->contexts_err = tracepoint_id("signal", "signal_deliver", &id);
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
		.size = samples->size,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER |
			       PERF_SAMPLE_STACK_USER,
		.sample_regs_user = samples->sample_regs_user,
		.sample_stack_user = samples->sample_stack_user,
		.disabled = 1,
		.inherit = samples->inherit,
		.enable_on_exec = impl->request.samples_on_exec,
		.use_clockid = 1,
		.clockid = samples->clockid,
		.watermark = 1,
	};
}

static size_t ring_size(const struct evlist_impl *impl)
{
	size_t wanted = (size_t)impl->evlist.contexts.attr.sample_stack_user * CONTEXTS_PER_RING;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	while (size < wanted)
		size *= 2;
	return size;
}

/* *@fd_ret: -1 if it cannot be opened. */
static int open_filtered(struct evlist_impl *impl, pid_t tid, size_t index, int *fd_ret)
{
	int fd = attr_open_exactly(&impl->opener, &impl->evlist.contexts.attr, tid,
				   impl->cpus[index]);

	*fd_ret = fd < 0 ? -1 : fd;
	if (fd < 0)
		return fd;
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, FILTER) < 0 ? -errno : 0;
}

static int add_counter(struct evlist_impl *impl, pid_t tid, size_t index)
{
	struct evlist *evlist = &impl->evlist;
	struct evlist_event *contexts = &evlist->contexts;
	struct ring *ring = &evlist->context_rings[index];
	int fd;

	if (array_reserve_one(contexts->fds, contexts->n_ids))
		return -ENOMEM;
	if (evlist_is_absent(impl, impl->cpus[index])) {
		contexts->fds[contexts->n_ids++] = -1;
		return 0;
	}
	int err = open_filtered(impl, tid, index, &fd);
	if (fd >= 0)
		contexts->fds[contexts->n_ids++] = fd;
	if (err)
		return err;
	if (!ring->page)
		return ring_map(ring, fd, ring_size(impl));
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, contexts->fds[index]) < 0 ? -errno : 0;
}

void evlist_open_contexts(struct evlist_impl *impl, pid_t tid)
{
	struct evlist *evlist = &impl->evlist;
	struct evlist_event *contexts = &evlist->contexts;
	size_t first = contexts->n_ids;
	int err = evlist->contexts_err;

	contexts->attr.wakeup_watermark = (uint32_t)(ring_size(impl) / 2);
	for (size_t i = 0; i < impl->n_cpus && !err; i++)
		err = add_counter(impl, tid, i);
	if (!err && impl->is_enabled)
		err = evlist_enable_counters(contexts, first);
	if (err)
		evlist_close_contexts(impl, err);
}

void evlist_reopen_contexts(struct evlist_impl *impl, size_t ring)
{
	struct evlist *evlist = &impl->evlist;
	struct ring fresh = { .page = NULL };
	int fd;

	if (!evlist->contexts.n_ids)
		return;
	evlist->has_lost_contexts = true;
	int err = open_filtered(impl, impl->tasks[0].tid, ring, &fd);
	if (!err)
		err = ring_map(&fresh, fd, ring_size(impl));
	if (!err && impl->is_enabled && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		err = -errno;
	if (err) {
		ring_unmap(&fresh);
		cleanup_close(&fd);
		return;
	}
	cleanup_close(&evlist->contexts.fds[ring]);
	evlist->contexts.fds[ring] = fd;
	ring_unmap(&evlist->context_rings[ring]);
	evlist->context_rings[ring] = fresh;
}

void evlist_close_contexts(struct evlist_impl *impl, int err)
{
	struct evlist *evlist = &impl->evlist;

	for (size_t i = 0; i < impl->n_cpus && evlist->context_rings; i++)
		ring_unmap(&evlist->context_rings[i]);
	while (evlist->contexts.n_ids)
		cleanup_close(&evlist->contexts.fds[--evlist->contexts.n_ids]);
	evlist->contexts_err = err;
}
