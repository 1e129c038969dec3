/* Opens the events of a recording: options -> attrs -> counters and rings. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cct/base/sentence.h"
#include "perf/counters/attr_fallback.h"
#include "perf/counters/evlist.h"
#include "perf/counters/evlist_attrs.h"
#include "perf/counters/evlist_errors.h"
#include "perf/counters/evlist_notes.h"
#include "perf/counters/evlist_private.h"
#include "perf/counters/evlist_rings.h"
#include "perf/counters/evlist_tasks.h"
#include "perf/rings/ring_size.h"

#define WATERMARK_PART 4     /* the reader wakes when this fraction of a ring is full */
#define SAMPLE_REST    512   /* bytes of a sample without its stack, about */
#define MAX_STACK_SIZE 65528 /* perf_event_attr.sample_stack_user is less than 65535 */

static int real_open(void *arg, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		     unsigned long flags)
{
	(void)arg;
	return syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
}

const struct evlist_syscalls evlist_real_syscalls = { .open = real_open };

int evlist_try_cgroup(int cgroup_fd, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = PERF_ATTR_SIZE_VER0,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = real_open(NULL, &attr, cgroup_fd, cpu, -1, PERF_FLAG_PID_CGROUP);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* Threads that have exited meanwhile are left out, unless all of them have. */
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
		return evlist_fail(impl, -ESRCH,
				   sentence("No such process or thread: %d.", tids[0]));
	return 0;
}

/* As far as the rates of all events are known; with some room. */
static bool has_room_for_a_second(const struct evlist_impl *impl)
{
	const struct evlist *evlist = &impl->evlist;
	uint64_t rate = 0;

	for (size_t e = 0; e < evlist->n_events; e++) {
		if (evlist->events[e].is_counted)
			continue;
		if (!evlist->events[e].attr.freq)
			return false;
		rate += evlist->events[e].attr.sample_freq;
	}
	return rate <= impl->sizes.samples / 4 * 3 / (impl->demand.stack_size + SAMPLE_REST);
}

static uint32_t sample_watermark(const struct evlist_impl *impl)
{
	if (impl->samples_are_silent)
		return UINT32_MAX;
	return impl->wake == EVLIST_WAKE_AT_ONCE ? 1
						 : (uint32_t)(impl->sizes.samples / WATERMARK_PART);
}

/* The kernel wakes the reader whenever so many bytes more have been written to a ring, read or not,
 * and at most the ring's size. With many CPUs that would be often, so rings that need no wake-ups
 * are not waited for. */
static void set_watermark(struct evlist_impl *impl)
{
	struct evlist *evlist = &impl->evlist;
	uint32_t samples;

	impl->samples_are_silent = impl->wake == EVLIST_WAKE_LATE && has_room_for_a_second(impl);
	samples = sample_watermark(impl);
	for (size_t e = 0; e < evlist->n_events; e++)
		evlist->events[e].attr.wakeup_watermark = samples;
	evlist->events[evlist->n_events].attr.wakeup_watermark =
		(uint32_t)(impl->wake == EVLIST_WAKE_LATE
				   ? impl->sizes.sideband / WATERMARK_PART * (WATERMARK_PART - 1)
				   : impl->sizes.sideband / WATERMARK_PART);
}

/*
 * Shrinks the rings until they fit the limit. The first attempt computes the size, because opening
 * again is expensive. That size may still be too large: other recordings of the same user count
 * against the same limit.
 */
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
			return evlist_fail_rings(impl, err);
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
		return evlist_fail(impl, -EINVAL,
				   sentence("The stack size must be a multiple of 8 up to %d.",
					    MAX_STACK_SIZE));
	if (!options->frequency == !options->period)
		return evlist_fail(impl, -EINVAL,
				   sentence("Either a frequency or a period must be given."));
	if (n_events == 0 || options->n_cpus == 0)
		return evlist_fail(impl, -EINVAL,
				   sentence("The recording has no event or no CPU."));
	if (options->target != EVLIST_SYSTEM && options->n_tids == 0)
		return evlist_fail(impl, -ESRCH, sentence("The recording has no process."));
	if (impl->limits.paranoid == INT_MIN)
		return evlist_fail_open(impl, -ENOSYS, NULL, -1, -1);
	return 0;
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

/* Before Linux 6.12, samples cannot contain the counts of inherited events. */
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
		return evlist_fail(
			impl, err,
			sentence("This kernel cannot read groups (:S) in new threads and "
				 "children (6.12 can). Exclude new threads and children with "
				 "-i, record the whole machine with -a, or omit the S."));
	return err ? evlist_fail_open(impl, err, NULL, 0, -1) : 0;
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
	impl->absent_cpus = options->absent_cpus;
	impl->n_absent_cpus = options->n_absent_cpus;
	impl->wake = options->wake;
	impl->jitter = options->jitter;
	int err = evlist_choose_cpus(impl, options, events, n_events);
	if (err)
		return err;
	err = evlist_init_rings(impl, events);
	if (err)
		return err;

	evlist_init_request(impl, options, events);
	err = probe(impl);
	if (err)
		return err;
	err = evlist_init_events(impl, options, events);
	if (err)
		return err;
	evlist_choose_ring_sizes(impl, options);
	evlist->contexts_err = -ECANCELED;
	impl->follow_rules = options->follow_rules ? *options->follow_rules : -1;
	evlist_init_second_stacks(impl, options->has_other_stacks);
	if (options->has_other_stacks)
		evlist_init_contexts(impl);
	bool is_system = options->target == EVLIST_SYSTEM;
	const pid_t *system = options->cgroup_fd ? options->cgroup_fd : &everybody;
	impl->opener.has_cgroup = is_system && options->cgroup_fd;
	err = open_with_rings(impl, is_system ? system : options->tids,
			      is_system ? 1 : options->n_tids);
	if (err)
		return err;
	evlist->ring_size = impl->sizes.samples;
	/*
	 * The sideband is enabled here, so that no mapping is missed between the sideband and the
	 * caller's walk of /proc. It is not enabled earlier, because mapping large rings takes
	 * longer than a sideband ring of a busy machine needs to fill.
	 */
	if (is_system)
		err = evlist_enable_counters(&evlist->events[n_events], 0);
	if (err)
		return err;
	err = evlist_rename_events(evlist, events);
	return err ? err : watch_all(impl);
}

/* Keeps only events that count on the CPUs of the recording. */
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
		return evlist_fail(
			impl, -ENODEV,
			sentence("The event '%s' does not count on the recorded CPUs: they "
				 "have another PMU.",
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
	impl->second_stacks_map = impl->second_stacks_program = -1;
	impl->opener.syscalls = options->syscalls ? *options->syscalls : evlist_real_syscalls;
	impl->opener.limits = &impl->limits;
	impl->opener.evlist = &impl->evlist;

	int err = check_options(impl, options, n_events);
	err = err ? err : open_chosen(impl, options, events, n_events);
	impl->n_absent_cpus = 0; /* borrowed until now */
	if (!err) {
		*evlist_ret = &impl->evlist;
		return 0;
	}
	if (!impl->error_text)
		evlist_fail(impl, err, sentence("Events cannot be opened: %s.", strerror(-err)));
	*error_ret = impl->error_text;
	impl->error_text = NULL;
	evlist_close(&impl->evlist);
	return err;
}
