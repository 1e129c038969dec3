/*
 * Second stacks: a BPF program on each sampling event writes the stack that the sampled thread has
 * left into the ring of the sample, directly before it (perf/counters/second_stacks_program.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "perf/counters/evlist_private.h"
#include "perf/counters/second_stacks_program.h"
#include "perf/kernel/bpf.h"

void evlist_init_second_stacks(struct evlist_impl *impl, bool has_other_stacks)
{
	struct evlist *evlist = &impl->evlist;
	const struct perf_event_attr *samples = &evlist->events[0].attr;

	const bool is_possible = samples->sample_type & PERF_SAMPLE_STACK_USER &&
				 samples->sample_type & PERF_SAMPLE_IDENTIFIER;

	evlist->second_stacks_err = !has_other_stacks ? -ECANCELED : is_possible ? 0 : -EOPNOTSUPP;
	evlist->follow_err = impl->follow_rules < 0 ? -ECANCELED : is_possible ? 0 : -EOPNOTSUPP;
	/* Up to the time it has what samples have, so that their times are found in one way. */
	evlist->second_stacks.attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.size = samples->size,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.read_format = samples->read_format & ~(uint64_t)PERF_FORMAT_GROUP,
		.use_clockid = samples->use_clockid,
		.clockid = samples->clockid,
		.watermark = 1,
		.wakeup_watermark = samples->wakeup_watermark,
	};
}

/* Opens the event of a ring, and tells the program. A file descriptor or -errno. */
static int open_output(struct evlist_impl *impl, size_t ring, uint64_t *id_ret)
{
	struct evlist_event *output = &impl->evlist.second_stacks;

	int fd = attr_open_exactly(&impl->opener, &output->attr, -1, impl->cpus[ring]);
	if (fd < 0)
		return fd;
	int err = 0;
	if (ioctl(fd, PERF_EVENT_IOC_ID, id_ret) < 0 ||
	    ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, impl->ring_fds[ring]) < 0)
		err = -errno;
	if (!err)
		err = bpf_map_set(impl->second_stacks_map, (uint32_t)impl->cpus[ring], &fd);
	if (err)
		close(fd);
	return err ? err : fd;
}

static int add_output(struct evlist_impl *impl, size_t ring)
{
	struct evlist_event *output = &impl->evlist.second_stacks;

	if (array_reserve_one(output->fds, output->n_ids) ||
	    array_reserve_one(output->ids, output->n_ids))
		return -ENOMEM;
	output->ids[output->n_ids] = 0;
	bool is_absent = evlist_is_absent(impl, impl->cpus[ring]);
	int fd = is_absent ? -1 : open_output(impl, ring, &output->ids[output->n_ids]);
	if (fd < 0 && !is_absent)
		return fd;
	output->fds[output->n_ids++] = fd;
	return 0;
}

static uint32_t count_cpus(const struct evlist_impl *impl)
{
	int last = 0;

	for (size_t i = 0; i < impl->n_cpus; i++)
		last = impl->cpus[i] > last ? impl->cpus[i] : last;
	return (uint32_t)last + 1;
}

/* Where second stacks are not possible here, that is noted, and memory may be read even so. */
static int find_fields(struct evlist *evlist, struct task_fields *fields)
{
	if (!evlist->second_stacks_err)
		evlist->second_stacks_err = task_fields_find(fields);
	return evlist->follow_err ? evlist->second_stacks_err : 0;
}

static int load_with(struct evlist_impl *impl, const struct task_fields *fields,
		     const struct follow_maps *follow, int buffers)
{
	struct evlist *evlist = &impl->evlist;

	return second_stacks_load(fields, evlist->events[0].attr.sample_stack_user,
				  evlist->stack_watch, follow, impl->second_stacks_map, buffers,
				  evlist->bpf_reason);
}

/* A kernel that does not give the user's registers of samples in itself reads at the others. */
static int load_with_follow(struct evlist_impl *impl, const struct task_fields *fields, int buffers,
			    int follow_buffers)
{
	struct follow_maps follow = { impl->follow_rules, impl->second_stacks_map, follow_buffers,
				      true };
	const int program = load_with(impl, fields, &follow, buffers);

	if (program >= 0 || program == -EPERM)
		return program;
	follow.reads_in_kernel = false;
	return load_with(impl, fields, &follow, buffers);
}

static int load_program(struct evlist_impl *impl)
{
	struct evlist *evlist = &impl->evlist;
	struct task_fields fields;
	const uint32_t n_cpus = count_cpus(impl);

	int err = find_fields(evlist, &fields);
	if (err)
		return err;
	impl->second_stacks_map =
		bpf_create_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(uint32_t), n_cpus);
	if (impl->second_stacks_map < 0)
		return impl->second_stacks_map;
	_cleanup_close_ int buffers =
		bpf_create_map(BPF_MAP_TYPE_ARRAY, (uint32_t)second_stacks_buffer_size(), n_cpus);
	_cleanup_close_ int follow_buffers =
		bpf_create_map(BPF_MAP_TYPE_ARRAY, (uint32_t)follow_program_buffer_size(), n_cpus);
	if (buffers < 0 || follow_buffers < 0)
		return buffers < 0 ? buffers : follow_buffers;
	/* Without it, the recorder's rounds are the same. */
	if (!evlist->stack_watch && !evlist->second_stacks_err)
		stack_watch_create(&evlist->stack_watch);
	int program = -EINVAL;
	if (!evlist->follow_err)
		program = evlist->follow_err = load_with_follow(
			impl, evlist->second_stacks_err ? NULL : &fields, buffers, follow_buffers);
	if (program < 0 && !evlist->second_stacks_err)
		program = load_with(impl, &fields, NULL, buffers);
	if (program < 0)
		return program;
	if (evlist->follow_err > 0)
		evlist->follow_err = 0;
	impl->second_stacks_program = program;
	return 0;
}

/* An event of a tracepoint, or a probe, cannot have such a program, and does without. */
static int attach(struct evlist_impl *impl, int fd)
{
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, impl->second_stacks_program) == 0)
		return 0;
	if (errno != EINVAL)
		return -errno;
	impl->evlist.second_stacks_are_partial = true;
	return 0;
}

static int attach_counters(struct evlist_impl *impl, const struct evlist_event *event, size_t first)
{
	int err = 0;

	for (size_t i = first; i < event->n_ids && !event->is_counted && !err; i++)
		err = event->fds[i] < 0 ? 0 : attach(impl, event->fds[i]);
	return err;
}

static int open_outputs(struct evlist_impl *impl)
{
	int err = load_program(impl);

	for (size_t i = 0; i < impl->n_cpus && !err; i++)
		err = add_output(impl, i);
	return err;
}

void evlist_open_second_stacks(struct evlist_impl *impl, size_t task)
{
	struct evlist *evlist = &impl->evlist;
	int err = evlist->follow_err ? evlist->second_stacks_err : 0;

	if (!err && !evlist->second_stacks.n_ids)
		err = open_outputs(impl);
	for (size_t e = 0; e < evlist->n_events && !err; e++)
		err = attach_counters(impl, &evlist->events[e], task * evlist->events[e].n_rings);
	if (err)
		evlist_close_second_stacks(impl, err);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void evlist_reopen_second_stacks(struct evlist_impl *impl, size_t ring)
{
	struct evlist *evlist = &impl->evlist;
	struct evlist_event *output = &evlist->second_stacks;
	uint64_t id;

	if (!output->n_ids)
		return;
	int fd = open_output(impl, ring, &id);
	if (fd < 0)
		return;
	close_fd(&output->fds[ring]);
	output->fds[ring] = fd;
	output->ids[ring] = id;
	for (size_t e = 0; e < evlist->n_events; e++) {
		const struct evlist_event *event = &evlist->events[e];

		for (size_t i = 0; i < event->n_rings && !event->is_counted; i++)
			if (event->rings[i] == ring)
				attach(impl, event->fds[i]);
	}
}

void evlist_close_second_stacks(struct evlist_impl *impl, int err)
{
	struct evlist_event *output = &impl->evlist.second_stacks;

	while (output->n_ids)
		close_fd(&output->fds[--output->n_ids]);
	close_fd(&impl->second_stacks_program);
	close_fd(&impl->second_stacks_map);
	impl->evlist.second_stacks_err = err;
	if (!impl->evlist.follow_err)
		impl->evlist.follow_err = err;
}
