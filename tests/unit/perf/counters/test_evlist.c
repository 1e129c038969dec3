/*
 * Real counters, opened by a perf_event_open that the tests observe: they run where the machine
 * permits counting one's own user mode.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf/catalog/event_parse.h"
#include "perf/counters/evlist.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_OPENS         4096

struct opened {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	int group_fd;
	unsigned long flags;
	int fd;
};

/* A perf_event_open that writes down what it was asked, and may refuse. */
struct watched_kernel {
	struct opened opens[MAX_OPENS];
	size_t n_opens;
	int hardware_errno;           /* refuses hardware events */
	int errno_after_probe;        /* refuses all events on a CPU, which probes are not */
	bool refuses_members;         /* of groups: too few counters */
	bool refuses_inherited_reads; /* before 6.12 */
	bool has_branches;            /* of events that are not page-faults; of all bits but hv */
};

/* Why this kernel refuses; 0: it does not. */
static int refusal(const struct watched_kernel *kernel, const struct perf_event_attr *attr, int cpu,
		   int group_fd)
{
	if (kernel->hardware_errno && attr->type == PERF_TYPE_HARDWARE)
		return kernel->hardware_errno;
	if (kernel->errno_after_probe && cpu >= 0)
		return kernel->errno_after_probe;
	if (kernel->refuses_members && group_fd >= 0)
		return EINVAL;
	if (kernel->refuses_inherited_reads && attr->inherit &&
	    attr->sample_type & PERF_SAMPLE_READ)
		return EINVAL;
	return 0;
}

static int watched_open(void *arg, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			unsigned long flags)
{
	struct watched_kernel *kernel = arg;
	struct opened *opened =
		kernel->n_opens < MAX_OPENS ? &kernel->opens[kernel->n_opens++] : NULL;
	struct perf_event_attr known = *attr;
	int err = refusal(kernel, attr, cpu, group_fd);

	if (kernel->has_branches && attr->config != PERF_COUNT_SW_PAGE_FAULTS &&
	    !(attr->branch_sample_type & PERF_SAMPLE_BRANCH_HV)) {
		known.sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
		known.branch_sample_type = 0;
	}
	int fd = err ? -1 : (int)syscall(SYS_perf_event_open, &known, pid, cpu, group_fd, flags);

	if (opened)
		*opened = (struct opened){ *attr, pid, cpu, group_fd, flags, fd };
	if (err)
		errno = err;
	return fd;
}

struct fixture {
	struct watched_kernel kernel;
	struct evlist_syscalls syscalls;
	struct perf_limits limits;
	struct evlist_options options;
	struct event *events;
	size_t n_events;
	pid_t tid;
	int cpu;
	struct evlist *evlist;
	char *error_text;
};

static int count_events_here(void **state)
{
	(void)state;
	struct perf_event_attr attr = { .size = PERF_ATTR_SIZE_VER0,
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY,
					.exclude_kernel = 1 };
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static struct fixture *fixture_create(const char *events)
{
	if (!count_events_here(NULL)) {
		print_message("perf_event_open is not permitted here\n");
		skip();
	}
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	assert_non_null(fixture);
	limits_read(&fixture->limits);
	assert_int_equal(
		event_parse(events, &fixture->events, &fixture->n_events, &fixture->error_text),
		EVENT_OK);
	fixture->syscalls = (struct evlist_syscalls){ watched_open, &fixture->kernel };
	fixture->tid = gettid();
	fixture->options = (struct evlist_options){ .target = EVLIST_TASKS,
						    .tids = &fixture->tid,
						    .n_tids = 1,
						    .cpus = &fixture->cpu,
						    .n_cpus = 1,
						    .frequency = 997,
						    .stack_size = 4096,
						    .ring_size = 65536,
						    .syscalls = &fixture->syscalls };
	return fixture;
}

static int fixture_open(struct fixture *fixture)
{
	free(fixture->error_text);
	fixture->error_text = NULL;
	return evlist_open(&fixture->options, fixture->events, fixture->n_events, &fixture->limits,
			   &fixture->evlist, &fixture->error_text);
}

static void fixture_destroy(struct fixture *fixture)
{
	evlist_close(fixture->evlist);
	events_destroy(fixture->events, fixture->n_events);
	free(fixture->error_text);
	free(fixture);
}

static bool is_sideband(const struct opened *opened)
{
	return opened->attr.comm;
}

static void the_sideband_comes_first_and_on_every_cpu(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("cpu-clock:u,page-faults:u");
	assert_int_equal(fixture_open(fixture), 0);
	struct evlist *evlist = fixture->evlist;

	size_t n_online = sysconf(_SC_NPROCESSORS_ONLN);
	assert_int_equal(evlist->n_sideband_rings, n_online);
	assert_int_equal(evlist->n_sample_rings, 1);
	assert_int_equal(evlist->ring_cpus[0], 0);
	assert_int_equal(evlist->n_events, 2);
	assert_int_equal(evlist->events[0].n_ids, 1);
	assert_int_equal(evlist->events[2].n_ids, n_online);
	assert_string_equal(evlist->events[0].name, "cpu-clock:u");
	assert_string_equal(evlist->events[2].name, "dummy:u");

	size_t n_sideband = 0, n_samples = 0;
	for (size_t i = 0; i < fixture->kernel.n_opens; i++) {
		const struct opened *opened = &fixture->kernel.opens[i];
		assert_true(opened->attr.disabled);
		if (opened->cpu < 0)
			continue; /* a probe */
		assert_int_equal(opened->pid, fixture->tid);
		assert_int_equal(opened->attr.inherit, 1);
		assert_int_equal(opened->attr.enable_on_exec, 0);
		if (is_sideband(opened))
			assert_int_equal(n_samples, 0);
		n_sideband += is_sideband(opened);
		n_samples += !is_sideband(opened);
	}
	assert_int_equal(n_sideband, n_online);
	assert_int_equal(n_samples, 2);
	fixture_destroy(fixture);
}

static void every_counter_has_an_id_of_its_own(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("cpu-clock:u,cs:u");
	assert_int_equal(fixture_open(fixture), 0);
	const struct evlist_event *events = fixture->evlist->events;
	assert_true(events[0].ids[0] && events[1].ids[0] && events[2].ids[0]);
	assert_int_not_equal(events[0].ids[0], events[1].ids[0]);
	assert_int_not_equal(events[0].ids[0], events[2].ids[0]);
	fixture_destroy(fixture);
}

static void read_ring(struct ring *ring)
{
	ring_begin(ring);
	while (ring_next(ring))
		;
	ring_end(ring);
}

/* Other programs' records may come into the rings at any time. */
static int reopen(struct evlist *evlist, int cpu)
{
	int err;

	do {
		for (size_t i = 0; i < evlist->n_sample_rings; i++)
			read_ring(&evlist->sample_rings[i]);
		for (size_t i = 0; i < evlist->n_sideband_rings; i++)
			read_ring(&evlist->sideband_rings[i]);
		err = evlist_reopen_cpu(evlist, cpu);
	} while (err == -EBUSY);
	return err;
}

static size_t count_records(struct ring *ring, uint32_t type)
{
	size_t n = 0;
	const struct perf_event_header *header;
	ring_begin(ring);
	while ((header = ring_next(ring)))
		n += header->type == type;
	ring_end(ring);
	return n;
}

/* Faults once per page of memory that nobody has touched. */
static void touch_new_pages(size_t n_pages)
{
	size_t page_size = sysconf(_SC_PAGESIZE), size = n_pages * page_size;
	volatile char *pages =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	madvise((void *)pages, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n_pages; i++)
		pages[i * page_size] = 1;
	munmap((void *)pages, size);
}

static void page_faults_of_this_thread_arrive_in_the_rings(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("page-faults:u");
	size_t n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int *cpus = calloc(n_cpus, sizeof(*cpus));
	assert_non_null(cpus);
	for (size_t i = 0; i < n_cpus; i++)
		cpus[i] = i;
	fixture->options.cpus = cpus;
	fixture->options.n_cpus = n_cpus;
	fixture->options.frequency = 0;
	fixture->options.period = 1;
	assert_int_equal(fixture_open(fixture), 0);
	struct evlist *evlist = fixture->evlist;
	assert_int_equal(evlist_enable(evlist), 0);
	touch_new_pages(8);
	assert_int_equal(evlist_disable(evlist), 0);

	uint64_t n_samples = 0;
	for (size_t i = 0; i < evlist->n_sample_rings; i++)
		n_samples += count_records(&evlist->sample_rings[i], PERF_RECORD_SAMPLE);
	bool is_known;
	assert_true(n_samples + evlist_read_lost(evlist, 0, &is_known) >= 8);
	fixture_destroy(fixture);
	free(cpus);
}

/* Opens for the whole system on CPU 0, on which this thread stays. */
static struct fixture *open_on_system(const char *events)
{
	struct fixture *fixture = fixture_create(events);
	cpu_set_t first;
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	fixture->options.target = EVLIST_SYSTEM;
	fixture->options.frequency = 0;
	fixture->options.period = 1;
	if (sched_setaffinity(0, sizeof(first), &first) || fixture_open(fixture)) {
		print_message("the whole system may not be recorded here\n");
		fixture_destroy(fixture);
		skip();
	}
	return fixture;
}

/* A cgroup in which the kernel counts: the root of a hierarchy. */
static int open_cgroup(void)
{
	static const char *const paths[] = { "/sys/fs/cgroup/perf_event", "/sys/fs/cgroup",
					     "/sys/fs/cgroup/unified" };
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		int fd = open(paths[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && evlist_try_cgroup(fd, 0) == 0)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	print_message("no cgroup is counted here\n");
	skip();
	return -1;
}

static void only_samples_are_limited_to_a_cgroup(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("cpu-clock:u,page-faults:u");
	int cgroup_fd = open_cgroup();
	fixture->options.target = EVLIST_SYSTEM;
	fixture->options.cgroup_fd = &cgroup_fd;
	assert_int_equal(fixture_open(fixture), 0);
	for (int round = 0; round < 2; round++) {
		size_t n_samples = 0, n_sideband = 0;
		for (size_t i = 0; i < fixture->kernel.n_opens; i++) {
			const struct opened *opened = &fixture->kernel.opens[i];
			bool is_limited = opened->flags & PERF_FLAG_PID_CGROUP;
			n_sideband += opened->fd >= 0 && opened->pid == -1 && is_sideband(opened);
			n_samples += opened->fd >= 0 && is_limited && opened->pid == cgroup_fd;
			assert_false(is_limited && is_sideband(opened));
		}
		assert_int_equal(n_samples, 2);
		assert_true(n_sideband >= 1);
		fixture->kernel.n_opens = 0;
		assert_int_equal(reopen(fixture->evlist, 0), 0);
	}
	fixture_destroy(fixture);
	close(cgroup_fd);
}

/* The id of the first sample in the ring, which is its first word. */
static uint64_t first_sample_id(struct ring *ring)
{
	const struct perf_event_header *header;
	ring_begin(ring);
	while ((header = ring_next(ring)) && header->type != PERF_RECORD_SAMPLE)
		;
	assert_non_null(header);
	return *(const uint64_t *)(header + 1);
}

static void a_cpu_that_was_reopened_counts_on_under_the_listed_ids(void **state)
{
	(void)state;
	struct fixture *fixture = open_on_system("page-faults:u");
	struct evlist *evlist = fixture->evlist;
	const struct evlist_event *faults = &evlist->events[0];
	uint64_t id = faults->ids[0];
	struct evlist_counts before, after;

	assert_int_equal(evlist_enable(evlist), 0);
	touch_new_pages(4);
	assert_int_equal(evlist_listed_id(evlist, 12345), 12345);
	assert_int_equal(evlist_reopen_cpu(evlist, 0), -EBUSY);
	assert_int_equal(evlist_disable(evlist), 0);
	read_ring(&evlist->sample_rings[0]);
	read_ring(&evlist->sideband_rings[0]);
	assert_int_equal(evlist_read_counts(evlist, 0, &before), 0);
	assert_true(before.value >= 4);
	assert_int_equal(reopen(evlist, 0), 0);

	assert_int_equal(evlist_enable(evlist), 0);
	touch_new_pages(4);
	assert_true(evlist_counts_cpu(evlist, 0));
	assert_int_equal(evlist_disable(evlist), 0);
	assert_int_equal(faults->ids[0], id);
	uint64_t kernel_id = first_sample_id(&evlist->sample_rings[0]);
	assert_int_not_equal(kernel_id, id);
	assert_int_equal(evlist_listed_id(evlist, kernel_id), id);
	assert_int_equal(evlist_read_counts(evlist, 0, &after), 0);
	assert_true(after.value >= before.value + 4);
	assert_true(after.time_enabled_ns > before.time_enabled_ns);
	fixture_destroy(fixture);
}

/* Opens for the whole system on CPU 0, while CPU 1, to which this thread moves, is absent. */
static struct fixture *open_without_second_cpu(const char *events)
{
	static const int absent = 1;
	struct fixture *fixture = fixture_create(events);
	cpu_set_t second;
	CPU_ZERO(&second);
	CPU_SET(absent, &second);
	fixture->options.target = EVLIST_SYSTEM;
	fixture->options.frequency = 0;
	fixture->options.period = 1;
	fixture->options.absent_cpus = &absent;
	fixture->options.n_absent_cpus = 1;
	if (sched_setaffinity(0, sizeof(second), &second) || fixture_open(fixture)) {
		print_message("there is one CPU, or the whole system may not be recorded here\n");
		fixture_destroy(fixture);
		skip();
	}
	return fixture;
}

static void an_absent_cpu_counts_once_it_is_opened(void **state)
{
	(void)state;
	struct fixture *fixture = open_without_second_cpu("page-faults:u,cpu-clock:u@1000000");
	struct evlist *evlist = fixture->evlist;
	struct evlist_counts before, after;

	for (size_t e = 0; e <= evlist->n_events; e++) {
		const struct evlist_event *event = &evlist->events[e];
		assert_int_equal(event->n_absent, 1);
		assert_int_equal(event->fds[event->n_ids - 1], -1);
		assert_int_equal(event->ids[event->n_ids - 1], event->ids[event->n_ids - 2]);
	}
	assert_int_equal(evlist->ring_cpus[1], 1);
	assert_int_equal(evlist_enable(evlist), 0);
	touch_new_pages(4);
	assert_int_equal(ring_begin(&evlist->sample_rings[1]), 0);
	assert_null(ring_next(&evlist->sample_rings[1]));
	ring_end(&evlist->sample_rings[1]);
	assert_false(evlist_counts_cpu(evlist, 1));
	assert_int_equal(evlist_read_counts(evlist, 0, &before), 0);

	assert_int_equal(reopen(evlist, 1), 0);
	touch_new_pages(4);
	assert_true(evlist_counts_cpu(evlist, 1));
	assert_int_equal(evlist_disable(evlist), 0);
	uint64_t kernel_id = first_sample_id(&evlist->sample_rings[1]);
	size_t event = evlist_find_event(evlist, evlist_listed_id(evlist, kernel_id));
	assert_true(event < 2);
	assert_int_equal(evlist_listed_id(evlist, kernel_id), evlist->events[event].ids[0]);
	assert_int_equal(evlist_read_counts(evlist, 0, &after), 0);
	assert_true(after.value >= before.value + 4);
	fixture_destroy(fixture);
}

static void a_group_is_reopened_together(void **state)
{
	(void)state;
	struct fixture *fixture = open_on_system("{page-faults:u,cpu-clock:u}:S");
	struct evlist *evlist = fixture->evlist;
	size_t n_opens = fixture->kernel.n_opens;

	assert_int_equal(reopen(evlist, 0), 0);
	assert_int_equal(reopen(evlist, 0), 0);
	assert_true(fixture->kernel.n_opens >= n_opens + 6);
	const struct opened *member = &fixture->kernel.opens[n_opens + 1];
	assert_int_equal(member->group_fd, fixture->kernel.opens[n_opens].fd);
	assert_int_equal(evlist_enable(evlist), 0);
	touch_new_pages(4);
	assert_int_equal(evlist_disable(evlist), 0);
	struct evlist_counts counts;
	assert_int_equal(evlist_read_counts(evlist, 0, &counts), 0);
	assert_true(counts.value >= 4);
	fixture_destroy(fixture);
}

static void a_cpu_that_cannot_be_reopened_stays_as_it_was(void **state)
{
	(void)state;
	struct fixture *fixture = open_on_system("page-faults:u");
	struct evlist *evlist = fixture->evlist;
	int fd = evlist->events[0].fds[0];

	fixture->kernel.errno_after_probe = ENODEV;
	assert_int_equal(reopen(evlist, 0), -ENODEV);
	assert_int_equal(reopen(evlist, 4096), -ENODEV);
	assert_int_equal(evlist->events[0].fds[0], fd);
	assert_int_equal(evlist_enable(evlist), 0);
	touch_new_pages(4);
	assert_int_equal(evlist_disable(evlist), 0);
	assert_true(count_records(&evlist->sample_rings[0], PERF_RECORD_SAMPLE) >= 4);
	fixture_destroy(fixture);
}

static void counters_of_tasks_need_no_reopening(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("page-faults:u");
	assert_int_equal(fixture_open(fixture), 0);
	size_t n_opens = fixture->kernel.n_opens;
	assert_int_equal(reopen(fixture->evlist, 0), 0);
	assert_int_equal(fixture->kernel.n_opens, n_opens);
	fixture_destroy(fixture);
}

static void samples_of_a_command_start_with_its_exec(void **state)
{
	(void)state;
	for (int start_disabled = 0; start_disabled <= 1; start_disabled++) {
		struct fixture *fixture = fixture_create("cpu-clock:u");
		fixture->options.target = EVLIST_COMMAND;
		fixture->options.start_disabled = start_disabled;
		assert_int_equal(fixture_open(fixture), 0);
		assert_int_equal(fixture->evlist->events[0].attr.enable_on_exec, !start_disabled);
		assert_int_equal(fixture->evlist->events[1].attr.enable_on_exec, 1);
		fixture_destroy(fixture);
	}
}

static void a_frequency_beyond_the_limit_is_lowered_with_a_note(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("cpu-clock:u");
	fixture->limits.max_sample_rate = 500;
	assert_int_equal(fixture_open(fixture), 0);
	assert_int_equal(fixture->evlist->events[0].attr.sample_freq, 500);
	assert_true(fixture->evlist->n_notes >= 1);
	assert_non_null(strstr(fixture->evlist->notes[0], "perf_event_max_sample_rate"));
	fixture_destroy(fixture);
}

/* How an event was requested, apart from its probes. */
static const struct perf_event_attr *asked_for(const struct fixture *fixture, uint64_t config)
{
	for (size_t i = 0; i < fixture->kernel.n_opens; i++) {
		const struct perf_event_attr *attr = &fixture->kernel.opens[i].attr;
		if (fixture->kernel.opens[i].cpu >= 0 && attr->config == config)
			return attr;
	}
	fail_msg("no event %llu was requested", (unsigned long long)config);
	return NULL;
}

static void an_event_s_own_rate_precedes_the_user_s_and_its_kind_s(void **state)
{
	(void)state;
	static const struct {
		uint64_t own, kind, users; /* periods */
		bool has_rate;
		uint64_t expected; /* 0: by frequency */
	} cases[] = {
		{ 0, 0, 0, false, 0 },  { 0, 1, 0, false, 1 }, { 7, 1, 0, false, 7 },
		{ 0, 1, 50, true, 50 }, { 7, 1, 50, true, 7 }, { 0, 0, 50, true, 50 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture *fixture = fixture_create("page-faults:u");
		fixture->events[0].period = cases[i].own;
		fixture->events[0].default_period = cases[i].kind;
		fixture->options.has_rate = cases[i].has_rate;
		if (cases[i].users) {
			fixture->options.frequency = 0;
			fixture->options.period = cases[i].users;
		}
		assert_int_equal(fixture_open(fixture), 0);
		const struct perf_event_attr *attr = asked_for(fixture, PERF_COUNT_SW_PAGE_FAULTS);
		assert_int_equal(attr->freq, !cases[i].expected);
		if (cases[i].expected)
			assert_int_equal(attr->sample_period, cases[i].expected);
		fixture_destroy(fixture);
	}
}

/* The kernel samples each page fault, whatever the period, if asked to tell the period. */
static void every_nth_occurrence_is_sampled_not_each(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("page-faults:u,cpu-clock:u");
	fixture->events[0].period = 100;
	assert_int_equal(fixture_open(fixture), 0);
	assert_false(asked_for(fixture, PERF_COUNT_SW_PAGE_FAULTS)->sample_type &
		     PERF_SAMPLE_PERIOD);
	assert_true(asked_for(fixture, PERF_COUNT_SW_CPU_CLOCK)->sample_type & PERF_SAMPLE_PERIOD);
	const struct evlist_event *faults = &fixture->evlist->events[0];
	assert_int_equal(evlist_find_event(fixture->evlist, faults->ids[0]), 0);
	assert_int_equal(evlist_find_event(fixture->evlist, fixture->evlist->events[1].ids[0]), 1);
	assert_int_equal(evlist_find_event(fixture->evlist, 0), SIZE_MAX);
	fixture_destroy(fixture);

	fixture = fixture_create("page-faults:u");
	fixture->events[0].period = 1;
	assert_int_equal(fixture_open(fixture), 0);
	assert_true(asked_for(fixture, PERF_COUNT_SW_PAGE_FAULTS)->sample_type &
		    PERF_SAMPLE_PERIOD);
	fixture_destroy(fixture);
}

static void what_one_event_needs_all_samples_have(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("page-faults:u,cpu-clock:u");
	fixture->options.stack_size = 0;
	fixture->events[0].weight = (struct event_weight){ .kind = WEIGHT_ARGUMENT, .argument = 1 };
	assert_int_equal(fixture_open(fixture), 0);
	for (size_t i = 0; i <= fixture->evlist->n_events; i++) {
		uint64_t type = fixture->evlist->events[i].attr.sample_type;
		assert_true(type & PERF_SAMPLE_REGS_USER);
		assert_false(type & (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_RAW));
	}
	fixture_destroy(fixture);
}

static void rings_too_small_for_samples_grow_and_the_watermark_follows(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("cpu-clock:u");
	fixture->options.ring_size = 4096;
	assert_int_equal(fixture_open(fixture), 0);
	assert_true(fixture->evlist->ring_size >= 8 * fixture->options.stack_size);
	assert_int_equal(fixture->evlist->sample_rings[0].size, fixture->evlist->ring_size);
	assert_int_equal(fixture->evlist->events[0].attr.wakeup_watermark,
			 fixture->evlist->ring_size / 4);
	fixture_destroy(fixture);
}

static void each_sample_wakes_the_reader_if_that_is_wanted(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("cpu-clock:u");
	const struct perf_event_attr *attr;
	fixture->options.wake = EVLIST_WAKE_AT_ONCE;
	assert_int_equal(fixture_open(fixture), 0);
	attr = &fixture->evlist->events[0].attr;
	assert_true(attr->watermark && attr->wakeup_watermark == 1);
	/* The sideband event is different. */
	assert_true(fixture->evlist->events[1].attr.wakeup_watermark > 1);
	fixture_destroy(fixture);
}

static void a_reader_that_comes_by_itself_is_not_woken(void **state)
{
	(void)state;
	static const struct {
		const char *events;
		uint64_t frequency;
		bool is_woken;
	} cases[] = {
		{ "cpu-clock:u", 49, false },
		{ "cpu-clock:u", 9999, true },   /* more than a ring has room for */
		{ "page-faults:u@1", 49, true }, /* how many there will be is unknown */
		{ "cpu-clock:u,page-faults:u", 49, false },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *fixture = fixture_create(cases[i].events);
		fixture->options.wake = EVLIST_WAKE_LATE;
		fixture->options.ring_size = 16u << 20;
		fixture->options.frequency = cases[i].frequency;
		assert_int_equal(fixture_open(fixture), 0);
		assert_int_equal(fixture->evlist->events[0].attr.wakeup_watermark,
				 cases[i].is_woken ? fixture->evlist->ring_size / 4 : UINT32_MAX);
		fixture_destroy(fixture);
	}
}

static void refusals_are_explained_with_a_remedy(void **state)
{
	(void)state;
	static const struct {
		enum evlist_target target;
		const char *events;
		int hardware_errno, errno_after_probe;
		const char *part;
	} cases[] = {
		{ EVLIST_TASKS, "cycles:u", ENOENT, 0, "try -e cpu-clock" },
		{ EVLIST_TASKS, "cycles:u", EOPNOTSUPP, 0, "try -e cpu-clock" },
		{ EVLIST_TASKS, "cycles:u", EINVAL, 0, "refuses the event 'cycles:u'" },
		{ EVLIST_TASKS, "cycles:u", EBUSY, 0, "in use" },
		{ EVLIST_TASKS, "cpu-clock:u", 0, EACCES, "CAP_SYS_PTRACE" },
		{ EVLIST_SYSTEM, "cpu-clock:u", 0, EACCES, "sysctl kernel.perf_event_paranoid=0" },
		{ EVLIST_COMMAND, "cpu-clock:u", 0, EPERM, "kernel.perf_event_paranoid (2)" },
		{ EVLIST_TASKS, "cpu-clock:u", 0, ESRCH, "No such process" },
		{ EVLIST_TASKS, "cpu-clock:u", 0, ENODEV, "not online" },
		{ EVLIST_TASKS, "cpu-clock:u", 0, ENFILE, "fs.file-max" },
		{ EVLIST_TASKS, "cpu-clock:u", 0, ENOMEM, "Cannot allocate memory" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture *fixture = fixture_create(cases[i].events);
		fixture->options.target = cases[i].target;
		fixture->limits.paranoid = 2;
		fixture->kernel.hardware_errno = cases[i].hardware_errno;
		fixture->kernel.errno_after_probe = cases[i].errno_after_probe;
		int expected = cases[i].hardware_errno + cases[i].errno_after_probe;
		assert_int_equal(fixture_open(fixture), -expected);
		assert_non_null(fixture->error_text);
		if (!strstr(fixture->error_text, cases[i].part))
			fail_msg("%zu: %s", i, fixture->error_text);
		fixture_destroy(fixture);
	}
}

static void nonsense_options_are_refused(void **state)
{
	(void)state;
	for (int i = 0; i < 7; i++) {
		struct fixture *fixture = fixture_create("cpu-clock:u");
		struct evlist_options *options = &fixture->options;
		int expected = -EINVAL;
		switch (i) {
		case 0:
			options->stack_size = 65536;
			break;
		case 1:
			options->stack_size = 4097;
			break;
		case 2:
			options->frequency = 0;
			break;
		case 3:
			options->period = 1;
			break;
		case 4:
			options->n_cpus = 0;
			break;
		case 5:
			options->n_tids = 0;
			expected = -ESRCH;
			break;
		default:
			fixture->limits.paranoid = INT_MIN;
			expected = -ENOSYS;
		}
		assert_int_equal(fixture_open(fixture), expected);
		assert_non_null(fixture->error_text);
		fixture_destroy(fixture);
	}
}

/* A thread that tells its tid and waits to be let go. */
struct idle_thread {
	pthread_t thread;
	pthread_barrier_t started, let_go;
	pid_t tid;
};

static void *idle(void *arg)
{
	struct idle_thread *thread = arg;
	thread->tid = gettid();
	pthread_barrier_wait(&thread->started);
	pthread_barrier_wait(&thread->let_go);
	return NULL;
}

static void idle_thread_start(struct idle_thread *thread)
{
	pthread_barrier_init(&thread->started, NULL, 2);
	pthread_barrier_init(&thread->let_go, NULL, 2);
	assert_int_equal(pthread_create(&thread->thread, NULL, idle, thread), 0);
	pthread_barrier_wait(&thread->started);
}

static void idle_thread_stop(struct idle_thread *thread)
{
	pthread_barrier_wait(&thread->let_go);
	pthread_join(thread->thread, NULL);
	pthread_barrier_destroy(&thread->started);
	pthread_barrier_destroy(&thread->let_go);
}

static void threads_that_inherited_are_not_added_again(void **state)
{
	(void)state;
	struct idle_thread before, after;
	struct fixture *fixture = fixture_create("cpu-clock:u");
	idle_thread_start(&before);
	assert_int_equal(fixture_open(fixture), 0);
	idle_thread_start(&after);

	const pid_t tids[] = { fixture->tid, before.tid, after.tid };
	assert_int_equal(evlist_add_tids(fixture->evlist, tids, 3), 1);
	assert_int_equal(fixture->kernel.opens[fixture->kernel.n_opens - 1].pid, before.tid);
	assert_int_equal(evlist_add_tids(fixture->evlist, tids, 3), 0);
	assert_int_equal(fixture->evlist->events[0].n_ids, 2);
	idle_thread_stop(&before);
	idle_thread_stop(&after);
	fixture_destroy(fixture);
}

static void without_inheritance_every_new_thread_is_added(void **state)
{
	(void)state;
	struct idle_thread after;
	struct fixture *fixture = fixture_create("cpu-clock:u");
	fixture->options.no_inherit = true;
	assert_int_equal(fixture_open(fixture), 0);
	idle_thread_start(&after);
	assert_int_equal(evlist_add_tids(fixture->evlist, &after.tid, 1), 1);
	idle_thread_stop(&after);
	fixture_destroy(fixture);
}

static void threads_that_are_gone_are_left_out(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("cpu-clock:u");
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	const pid_t tids[] = { child, fixture->tid, fixture->tid };
	fixture->options.tids = tids;
	fixture->options.n_tids = 3;
	assert_int_equal(fixture_open(fixture), 0);
	assert_int_equal(fixture->evlist->events[0].n_ids, 1);
	assert_int_equal(evlist_add_tids(fixture->evlist, &child, 1), 0);
	fixture_destroy(fixture);
}

/* A child that exits when its end of the pipe closes. */
static pid_t start_child(int *pipe_ret)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		char byte;
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) != 0);
	}
	close(ends[0]);
	*pipe_ret = ends[1];
	return child;
}

static void a_rate_of_its_own_goes_before_the_recording_s(void **state)
{
	(void)state;
	struct fixture *fixture =
		fixture_create("cpu-clock:u@f50,page-faults:u@3,cs:u,task-clock:u@f90000");
	fixture->limits.max_sample_rate = 1000;
	assert_int_equal(fixture_open(fixture), 0);
	const struct evlist_event *events = fixture->evlist->events;
	assert_true(events[0].attr.freq && events[0].attr.sample_freq == 50);
	assert_true(!events[1].attr.freq && events[1].attr.sample_period == 3);
	assert_true(events[2].attr.freq && events[2].attr.sample_freq == 997);
	assert_true(events[3].attr.freq && events[3].attr.sample_freq == 1000);
	assert_non_null(strstr(fixture->evlist->notes[0], "from 90000 to 1000 Hz"));
	fixture_destroy(fixture);
}

/* All CPUs of the machine in fixture->options; at least two, or the test is skipped. */
static int *use_all_cpus(struct fixture *fixture)
{
	size_t n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (n_cpus < 2) {
		fixture_destroy(fixture);
		print_message("one CPU is not enough\n");
		skip();
	}
	int *cpus = calloc(n_cpus, sizeof(*cpus));
	assert_non_null(cpus);
	for (size_t i = 0; i < n_cpus; i++)
		cpus[i] = i;
	fixture->options.cpus = cpus;
	fixture->options.n_cpus = n_cpus;
	return cpus;
}

/* As event_parse() does for the PMUs of a hybrid processor. */
static void restrict_event(struct event *event, const int *cpus, size_t n_cpus)
{
	event->cpus = malloc(n_cpus * sizeof(*cpus));
	assert_non_null(event->cpus);
	memcpy(event->cpus, cpus, n_cpus * sizeof(*cpus));
	event->n_cpus = n_cpus;
}

static void an_event_of_one_pmu_is_opened_on_its_cpus(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("page-faults:u,cs:u,migrations:u");
	int *cpus = use_all_cpus(fixture);
	size_t n_cpus = fixture->options.n_cpus;
	restrict_event(&fixture->events[0], cpus + 1, n_cpus - 1);
	restrict_event(&fixture->events[1], cpus, 1);
	fixture->options.frequency = 0;
	fixture->options.period = 1;
	assert_int_equal(fixture_open(fixture), 0);
	struct evlist *evlist = fixture->evlist;
	assert_int_equal(evlist->n_sample_rings, n_cpus);
	assert_int_equal(evlist->events[0].n_ids, n_cpus - 1);
	assert_int_equal(evlist->events[1].n_ids, 1);
	assert_int_equal(evlist->events[2].n_ids, n_cpus);
	for (size_t i = 0; i < fixture->kernel.n_opens; i++) {
		const struct opened *opened = &fixture->kernel.opens[i];
		if (opened->cpu >= 0 && opened->attr.config == PERF_COUNT_SW_PAGE_FAULTS)
			assert_int_not_equal(opened->cpu, 0);
		if (opened->cpu >= 0 && opened->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES)
			assert_int_equal(opened->cpu, 0);
	}

	/* Each ring has an owner, also for threads that come later. */
	struct idle_thread thread;
	assert_int_equal(evlist_enable(evlist), 0);
	idle_thread_start(&thread);
	evlist_add_tids(evlist, &thread.tid, 1);
	idle_thread_stop(&thread);
	touch_new_pages(8);
	bool all_hung_up;
	assert_true(evlist_wait(evlist, -1, 0, &all_hung_up) >= 0);
	assert_int_equal(evlist_disable(evlist), 0);
	fixture_destroy(fixture);
	free(cpus);
}

static void samples_of_each_pmu_s_event_arrive(void **state)
{
	(void)state;
	for (int cpu = 0; cpu < 2; cpu++) {
		struct fixture *fixture = fixture_create("page-faults:u,cs:u,minor-faults:u");
		int *cpus = use_all_cpus(fixture);
		/* Faults count on the CPU where this thread runs, by an event that owns no ring of
		 * the other. */
		restrict_event(&fixture->events[0], cpus, 1);
		restrict_event(&fixture->events[2], cpus + 1, 1);
		cpu_set_t old, only;
		CPU_ZERO(&only);
		CPU_SET(cpu, &only);
		assert_int_equal(sched_getaffinity(0, sizeof(old), &old), 0);
		if (sched_setaffinity(0, sizeof(only), &only) < 0) {
			fixture_destroy(fixture);
			free(cpus);
			print_message("CPU %d is out of reach\n", cpu);
			skip();
		}
		fixture->options.frequency = 0;
		fixture->options.period = 1;
		assert_int_equal(fixture_open(fixture), 0);
		assert_int_equal(evlist_enable(fixture->evlist), 0);
		touch_new_pages(8);
		assert_int_equal(evlist_disable(fixture->evlist), 0);
		sched_setaffinity(0, sizeof(old), &old);
		struct ring *ring = &fixture->evlist->sample_rings[cpu];
		bool is_known;
		assert_true(count_records(ring, PERF_RECORD_SAMPLE) +
				    evlist_read_lost(fixture->evlist, cpu * 2, &is_known) >=
			    8);
		fixture_destroy(fixture);
		free(cpus);
	}
}

static void the_time_of_an_event_is_that_on_its_cpus(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("page-faults:u,cs:u,minor-faults:u");
	int *cpus = use_all_cpus(fixture);
	restrict_event(&fixture->events[0], cpus, 1);
	restrict_event(&fixture->events[1], cpus + 1, 1);
	cpu_set_t old, only;
	CPU_ZERO(&only);
	CPU_SET(0, &only);
	assert_int_equal(sched_getaffinity(0, sizeof(old), &old), 0);
	if (sched_setaffinity(0, sizeof(only), &only) < 0) {
		fixture_destroy(fixture);
		free(cpus);
		print_message("CPU 0 is out of reach\n");
		skip();
	}
	assert_int_equal(fixture_open(fixture), 0);
	assert_int_equal(evlist_enable(fixture->evlist), 0);
	touch_new_pages(64);
	assert_int_equal(evlist_disable(fixture->evlist), 0);
	sched_setaffinity(0, sizeof(old), &old);
	struct evlist_counts counts[3];
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(evlist_read_counts(fixture->evlist, i, &counts[i]), 0);
	assert_true(counts[0].time_enabled_ns > 0 && counts[0].value >= 64);
	assert_int_equal(counts[1].time_enabled_ns, 0);
	assert_int_equal(counts[1].value, 0);
	assert_true(counts[2].time_enabled_ns > 0 && counts[2].value >= 64);
	fixture_destroy(fixture);
	free(cpus);
}

static void what_counts_on_no_cpu_of_the_recording_is_left_out(void **state)
{
	(void)state;
	static const int elsewhere[] = { 60000 };
	static const int here[] = { 0 };
	struct fixture *fixture = fixture_create("{cs:u,faults:u},{migrations:u,minor-faults:u}");
	struct event *events = fixture->events;
	/* The first group is what the second is on another PMU. */
	for (size_t i = 0; i < 4; i++)
		restrict_event(&events[i], i < 2 ? elsewhere : here, 1);
	free(events[2].name);
	free(events[3].name);
	events[2].name = strdup("cs:u");
	events[3].name = strdup("faults:u");
	assert_int_equal(fixture_open(fixture), 0);
	assert_int_equal(fixture->evlist->n_events, 2);
	assert_int_equal(fixture->evlist->events[0].attr.config, PERF_COUNT_SW_CPU_MIGRATIONS);
	assert_int_equal(fixture->evlist->events[1].attr.config, PERF_COUNT_SW_PAGE_FAULTS_MIN);
	evlist_close(fixture->evlist);
	fixture->evlist = NULL;

	/* But never wholly. */
	free(events[3].name);
	events[3].name = strdup("minor-faults:u");
	assert_int_equal(fixture_open(fixture), -ENODEV);
	assert_non_null(strstr(fixture->error_text, "'faults:u'"));
	fixture_destroy(fixture);
}

static void rings_are_those_of_the_cpus_that_count(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("page-faults:u,cs:u");
	int *cpus = use_all_cpus(fixture);
	restrict_event(&fixture->events[0], cpus + 1, 1);
	restrict_event(&fixture->events[1], cpus + 1, 1);
	assert_int_equal(fixture_open(fixture), 0);
	assert_int_equal(fixture->evlist->n_sample_rings, 1);
	assert_int_equal(fixture->evlist->ring_cpus[0], 1);
	assert_int_equal(fixture->evlist->n_sideband_rings, fixture->options.n_cpus);
	fixture_destroy(fixture);
	free(cpus);
}

static void all_targets_have_ended_once_each_has_exited(void **state)
{
	(void)state;
	enum { N_CHILDREN = 3 };
	struct fixture *fixture = fixture_create("cpu-clock:u");
	pid_t children[N_CHILDREN];
	int pipes[N_CHILDREN];
	for (int i = 0; i < N_CHILDREN; i++)
		children[i] = start_child(&pipes[i]);
	fixture->options.tids = children;
	fixture->options.n_tids = N_CHILDREN;
	assert_int_equal(fixture_open(fixture), 0);

	bool all_hung_up = true;
	assert_int_equal(evlist_wait(fixture->evlist, -1, 0, &all_hung_up), 0);
	assert_false(all_hung_up);
	/* Last first: the pipes of the others are held open by later children. */
	for (int i = N_CHILDREN - 1; i >= 0; i--) {
		assert_false(all_hung_up);
		close(pipes[i]);
		waitpid(children[i], NULL, 0);
		assert_true(evlist_wait(fixture->evlist, -1, 10000, &all_hung_up) > 0);
	}
	while (!all_hung_up)
		assert_true(evlist_wait(fixture->evlist, -1, 10000, &all_hung_up) > 0);
	/* From then on it does not wait. */
	assert_int_equal(evlist_wait(fixture->evlist, -1, 1000000, &all_hung_up), 0);
	assert_true(all_hung_up);
	fixture_destroy(fixture);
}

static void the_caller_s_descriptor_ends_the_wait(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("cpu-clock:u");
	assert_int_equal(fixture_open(fixture), 0);
	int first[2], second[2];
	assert_int_equal(pipe(first), 0);
	assert_int_equal(pipe(second), 0);
	bool all_hung_up;
	assert_int_equal(evlist_wait(fixture->evlist, first[0], 0, &all_hung_up), 0);
	assert_int_equal(write(first[1], "x", 1), 1);
	assert_int_equal(evlist_wait(fixture->evlist, first[0], 1000000, &all_hung_up), 1);
	assert_int_equal(evlist_wait(fixture->evlist, second[0], 0, &all_hung_up), 0);
	assert_false(all_hung_up);
	for (int i = 0; i < 2; i++) {
		close(first[i]);
		close(second[i]);
	}
	fixture_destroy(fixture);
}

static void losses_are_known_where_the_kernel_counts_them(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("cpu-clock:u");
	assert_int_equal(fixture_open(fixture), 0);
	bool is_known;
	assert_int_equal(evlist_read_lost(fixture->evlist, 0, &is_known), 0);
	assert_int_equal(is_known, fixture->evlist->events[0].attr.read_format & 1 << 4 ? 1 : 0);
	fixture_destroy(fixture);
}

static void a_full_ring_loses_samples_and_counts_them(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("page-faults:u");
	fixture->options.frequency = 0;
	fixture->options.period = 1;
	fixture->options.ring_size = 4096;
	assert_int_equal(fixture_open(fixture), 0);
	bool is_known;
	evlist_read_lost(fixture->evlist, 0, &is_known);
	cpu_set_t old, only_first;
	CPU_ZERO(&only_first);
	CPU_SET(0, &only_first);
	if (!is_known || sched_getaffinity(0, sizeof(old), &old) < 0 ||
	    sched_setaffinity(0, sizeof(only_first), &only_first) < 0) {
		fixture_destroy(fixture);
		print_message("no PERF_FORMAT_LOST here, or CPU 0 is out of reach\n");
		skip();
	}
	assert_int_equal(evlist_enable(fixture->evlist), 0);
	touch_new_pages(64);
	assert_int_equal(evlist_disable(fixture->evlist), 0);
	sched_setaffinity(0, sizeof(old), &old);

	struct ring *ring = &fixture->evlist->sample_rings[0];
	size_t n_samples = count_records(ring, PERF_RECORD_SAMPLE);
	assert_true(n_samples >= 3);
	assert_true(evlist_read_lost(fixture->evlist, 0, &is_known) > 0);
	fixture_destroy(fixture);
}

/* The events of the fixture become one group, read by its first. */
static void make_group(struct fixture *fixture)
{
	for (size_t i = 0; i < fixture->n_events; i++)
		fixture->events[i].leader = 0;
	fixture->events[0].reads_group = true;
}

static void groups_are_opened_with_their_leader_which_alone_samples(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("cpu-clock:u,page-faults:u,task-clock:u");
	make_group(fixture);
	fixture->options.no_inherit = true; /* any kernel can do that */
	assert_int_equal(fixture_open(fixture), 0);

	int leader_fd = -1;
	size_t n_members = 0;
	for (size_t i = 0; i < fixture->kernel.n_opens; i++) {
		const struct opened *opened = &fixture->kernel.opens[i];
		if (opened->cpu < 0)
			continue; /* a probe */
		assert_true(opened->attr.sample_type & PERF_SAMPLE_READ);
		assert_true(opened->attr.read_format & PERF_FORMAT_GROUP);
		if (is_sideband(opened) || opened->group_fd < 0) {
			leader_fd = opened->fd;
			assert_true(opened->attr.disabled);
			continue;
		}
		n_members++;
		assert_int_equal(opened->group_fd, leader_fd);
		assert_int_equal(opened->attr.sample_period, 0);
		assert_false(opened->attr.freq || opened->attr.disabled);
	}
	assert_int_equal(n_members, 2);
	fixture_destroy(fixture);
}

static void without_s_the_events_of_a_group_sample_each(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("cpu-clock:u,page-faults:u");
	make_group(fixture);
	fixture->events[0].reads_group = false;
	assert_int_equal(fixture_open(fixture), 0);
	const struct opened *last = &fixture->kernel.opens[fixture->kernel.n_opens - 1];
	assert_true(last->group_fd >= 0);
	assert_false(last->attr.sample_type & PERF_SAMPLE_READ);
	assert_true(last->attr.sample_freq);
	fixture_destroy(fixture);
}

static void groups_that_can_not_be_are_explained(void **state)
{
	(void)state;
	static const struct {
		bool members, inherited_reads;
		const char *part;
	} cases[] = {
		{ true, false, "counted together with 'cpu-clock:u'" },
		{ false, true, "Exclude new threads and children with -i" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture *fixture = fixture_create("cpu-clock:u,page-faults:u");
		make_group(fixture);
		fixture->options.no_inherit = !cases[i].inherited_reads;
		fixture->kernel.refuses_members = cases[i].members;
		fixture->kernel.refuses_inherited_reads = cases[i].inherited_reads;
		assert_int_equal(fixture_open(fixture), -EINVAL);
		assert_non_null(strstr(fixture->error_text, cases[i].part));
		fixture_destroy(fixture);
	}
}

/* Of the last sideband event that was tried out. */
static bool sideband_reads(const struct fixture *fixture)
{
	bool reads = false;

	for (size_t i = 0; i < fixture->kernel.n_opens; i++) {
		const struct opened *opened = &fixture->kernel.opens[i];
		if (opened->fd >= 0 && is_sideband(opened))
			reads = opened->attr.sample_type & PERF_SAMPLE_READ;
	}
	return reads;
}

static void inherited_probes_stay_with_their_task(void **state)
{
	(void)state;
	static const struct {
		bool has_probe, no_inherit, refuses, reads;
	} cases[] = {
		{ true, false, false, true },
		{ true, true, false, false },
		{ true, false, true, false },
		{ false, false, false, false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture *fixture = fixture_create("page-faults:u");
		struct perf_event_attr *attr = &fixture->events[0].attr;
		if (cases[i].has_probe)
			fixture->events[0].probed_path = strdup("/bin/true");
		attr->type = cases[i].has_probe ? PERF_TYPE_TRACEPOINT : attr->type;
		fixture->options.no_inherit = cases[i].no_inherit;
		fixture->kernel.refuses_inherited_reads = cases[i].refuses;
		fixture->kernel.errno_after_probe = ENODEV;
		assert_int_equal(fixture_open(fixture), -ENODEV);
		bool reads = sideband_reads(fixture);
		assert_true(cases[i].reads || !reads);
		if (cases[i].reads && !reads) /* the real one refuses, too */
			print_message("kernels before 6.12 can't\n");
		fixture_destroy(fixture);
	}
}

static void what_a_group_counted_is_known_by_event(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("cpu-clock:u,page-faults:u");
	make_group(fixture);
	fixture->options.no_inherit = true;
	fixture->cpu = sched_getcpu();
	cpu_set_t old, only_this;
	CPU_ZERO(&only_this);
	CPU_SET((size_t)fixture->cpu, &only_this);
	assert_int_equal(sched_getaffinity(0, sizeof(old), &old), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(only_this), &only_this), 0);
	assert_int_equal(fixture_open(fixture), 0);
	assert_int_equal(evlist_enable(fixture->evlist), 0);
	touch_new_pages(100);
	assert_int_equal(evlist_disable(fixture->evlist), 0);
	sched_setaffinity(0, sizeof(old), &old);

	struct evlist_counts counts[2];
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(evlist_read_counts(fixture->evlist, i, &counts[i]), 0);
		assert_true(counts[i].time_running_ns > 0);
		/* Software events always run; what enabling takes is the sideband's alone. */
		assert_true(counts[i].time_enabled_ns >= counts[i].time_running_ns);
	}
	assert_in_range(counts[1].value, 100, 120);
	bool is_known;
	evlist_read_lost(fixture->evlist, 1, &is_known);
	assert_int_equal(is_known, fixture->evlist->events[0].attr.read_format & 1 << 4 ? 1 : 0);
	fixture_destroy(fixture);
}

static void what_is_counted_between_reading_and_restart_is_in_the_next_counts(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create("page-faults:u");
	struct evlist_counts first, second;

	fixture->options.no_inherit = true;
	assert_int_equal(fixture_open(fixture), 0);
	assert_int_equal(evlist_enable(fixture->evlist), 0);
	touch_new_pages(100);
	assert_int_equal(evlist_read_counts(fixture->evlist, 0, &first), 0);
	touch_new_pages(200);
	evlist_restart_counts(fixture->evlist);
	touch_new_pages(300);
	assert_int_equal(evlist_read_counts(fixture->evlist, 0, &second), 0);
	/* Under AddressSanitizer, a page for each eight more: they have shadow memory. */
	assert_in_range(first.value, 100, 133);
	assert_in_range(second.value, 500, 590);
	evlist_restart_counts(fixture->evlist);
	assert_int_equal(evlist_read_counts(fixture->evlist, 0, &first), 0);
	assert_in_range(first.value, 0, 20);
	fixture_destroy(fixture);
}

/* The only sampling counter that was opened. */
static const struct opened *find_sampling(const struct fixture *fixture)
{
	for (size_t i = 0; i < fixture->kernel.n_opens; i++) {
		const struct opened *opened = &fixture->kernel.opens[i];
		if (opened->cpu >= 0 && !is_sideband(opened))
			return opened;
	}
	fail_msg("nothing samples");
	return NULL;
}

static void clocks_draw_a_period_near_the_one_asked_for(void **state)
{
	(void)state;
	uint64_t first = 0;
	size_t n_others = 0;
	for (int i = 0; i < 8; i++) {
		struct fixture *fixture = fixture_create("cpu-clock:u");
		fixture->options.frequency = 1000;
		assert_int_equal(fixture_open(fixture), 0);
		const struct opened *opened = find_sampling(fixture);
		assert_false(opened->attr.freq);
		assert_in_range(opened->attr.sample_period, 909090, 1111112);
		assert_not_in_range(opened->attr.sample_period, 980393, 1020407);
		first = first ? first : opened->attr.sample_period;
		n_others += opened->attr.sample_period != first;
		/* The recording contains the requested value. */
		assert_true(fixture->evlist->events[0].attr.freq);
		assert_int_equal(fixture->evlist->events[0].attr.sample_freq, 1000);
		fixture_destroy(fixture);
	}
	assert_true(n_others > 0);
}

/* Counters of two tasks: whether their periods are the same. */
static bool draws_alike(enum evlist_jitter jitter, const char *events, uint64_t *period_ret)
{
	struct fixture *fixture = fixture_create(events);
	const pid_t child = fork();
	const pid_t tids[] = { fixture->tid, child };
	uint64_t periods[2];
	size_t n = 0;

	while (child == 0)
		pause();
	fixture->options.jitter = jitter;
	fixture->options.tids = tids;
	fixture->options.n_tids = 2;
	assert_int_equal(fixture_open(fixture), 0);
	for (size_t i = 0; i < fixture->kernel.n_opens; i++) {
		const struct opened *opened = &fixture->kernel.opens[i];

		if (opened->cpu < 0 || is_sideband(opened))
			continue;
		assert_in_range(n, 0, 1);
		periods[n++] = opened->attr.sample_period;
	}
	assert_int_equal(n, 2);
	fixture_destroy(fixture);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	*period_ret = periods[0];
	return periods[0] == periods[1];
}

static void a_clock_has_one_period_where_counters_are_to_be_alike(void **state)
{
	size_t n_alike = 0, n_other_clocks = 0, n_others = 0;
	uint64_t first, period;

	(void)state;
	assert_true(draws_alike(JITTER_ALL_ALIKE, "cpu-clock:u", &first));
	for (int i = 0; i < 8; i++) {
		n_alike += draws_alike(JITTER_ALL_ALIKE, "cpu-clock:u", &period);
		n_others += period != first;
		n_other_clocks += !draws_alike(JITTER_ALL, "cpu-clock:u", &period);
		n_others += !draws_alike(JITTER_ALL_ALIKE, "page-faults:u", &period);
	}
	assert_int_equal(n_alike, 8);
	assert_true(n_other_clocks > 0);
	assert_true(n_others > 1);
}

static void rates_vary_as_asked_for(void **state)
{
	(void)state;
	static const struct {
		const char *event;
		enum evlist_jitter jitter;
		uint64_t frequency, period;
		uint64_t least, most; /* sample_period or sample_freq as opened */
	} cases[] = {
		{ "cpu-clock:u", JITTER_NONE, 1000, 0, 1000, 1000 },
		{ "task-clock:u", JITTER_NONE, 0, 1000000, 1000000, 1000000 },
		{ "task-clock:u", JITTER_CLOCKS, 0, 1000000, 909090, 1111112 },
		{ "cpu-clock:u", JITTER_ALL, 0, 1000000, 909090, 1111112 },
		{ "cpu-clock:u", JITTER_ALL, 0, 5000, 5000, 5000 }, /* the kernel's 10 us */
		{ "page-faults:u", JITTER_CLOCKS, 1000, 0, 1000, 1000 },
		{ "page-faults:u", JITTER_ALL, 1000, 0, 900, 1100 },
		{ "page-faults:u", JITTER_ALL, 0, 1000, 909, 1112 },
		{ "page-faults:u", JITTER_ALL, 0, 1, 1, 1 },
		{ "page-faults:u", JITTER_ALL, 0, 15, 15, 15 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture *fixture = fixture_create(cases[i].event);
		fixture->options.jitter = cases[i].jitter;
		fixture->options.frequency = cases[i].frequency;
		fixture->options.period = cases[i].period;
		assert_int_equal(fixture_open(fixture), 0);
		assert_in_range(find_sampling(fixture)->attr.sample_period, cases[i].least,
				cases[i].most);
		for (int round = 0; round < 3; round++)
			evlist_vary_rates(fixture->evlist);
		fixture_destroy(fixture);
	}
}

static void branches_are_recorded_where_the_event_has_them(void **state)
{
	static const struct {
		bool has_branches;
		uint64_t filter;
		bool clock_has, faults_have;
		const char *note;
	} cases[] = {
		{ true, PERF_SAMPLE_BRANCH_ANY, true, false, "Samples of 'page-faults:u' have no" },
		{ true, PERF_SAMPLE_BRANCH_HV, false, false, "No branches are recorded" },
		{ false, PERF_SAMPLE_BRANCH_ANY, false, false, "No branches are recorded" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture *fixture = fixture_create("cpu-clock:u,page-faults:u");

		fixture->kernel.has_branches = cases[i].has_branches;
		fixture->options.branch_filter = cases[i].filter;
		assert_int_equal(fixture_open(fixture), 0);
		const struct evlist_event *events = fixture->evlist->events;
		uint64_t stacks = PERF_SAMPLE_BRANCH_STACK;
		assert_int_equal(events[0].attr.sample_type & stacks,
				 cases[i].clock_has ? stacks : 0);
		assert_int_equal(events[0].attr.branch_sample_type,
				 cases[i].clock_has ? cases[i].filter : 0);
		assert_int_equal(events[1].attr.sample_type & stacks,
				 cases[i].faults_have ? stacks : 0);
		assert_int_equal(events[2].attr.sample_type & stacks, 0);
		bool is_noted = false;
		for (size_t n = 0; n < fixture->evlist->n_notes; n++)
			is_noted |= strstr(fixture->evlist->notes[n], cases[i].note) != NULL;
		assert_true(is_noted);
		fixture_destroy(fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sideband_comes_first_and_on_every_cpu),
		cmocka_unit_test(every_counter_has_an_id_of_its_own),
		cmocka_unit_test(page_faults_of_this_thread_arrive_in_the_rings),
		cmocka_unit_test(a_cpu_that_was_reopened_counts_on_under_the_listed_ids),
		cmocka_unit_test(an_absent_cpu_counts_once_it_is_opened),
		cmocka_unit_test(a_group_is_reopened_together),
		cmocka_unit_test(only_samples_are_limited_to_a_cgroup),
		cmocka_unit_test(a_cpu_that_cannot_be_reopened_stays_as_it_was),
		cmocka_unit_test(counters_of_tasks_need_no_reopening),
		cmocka_unit_test(samples_of_a_command_start_with_its_exec),
		cmocka_unit_test(a_frequency_beyond_the_limit_is_lowered_with_a_note),
		cmocka_unit_test(an_event_s_own_rate_precedes_the_user_s_and_its_kind_s),
		cmocka_unit_test(every_nth_occurrence_is_sampled_not_each),
		cmocka_unit_test(what_one_event_needs_all_samples_have),
		cmocka_unit_test(rings_too_small_for_samples_grow_and_the_watermark_follows),
		cmocka_unit_test(each_sample_wakes_the_reader_if_that_is_wanted),
		cmocka_unit_test(a_reader_that_comes_by_itself_is_not_woken),
		cmocka_unit_test(refusals_are_explained_with_a_remedy),
		cmocka_unit_test(nonsense_options_are_refused),
		cmocka_unit_test(threads_that_inherited_are_not_added_again),
		cmocka_unit_test(without_inheritance_every_new_thread_is_added),
		cmocka_unit_test(threads_that_are_gone_are_left_out),
		cmocka_unit_test(a_rate_of_its_own_goes_before_the_recording_s),
		cmocka_unit_test(an_event_of_one_pmu_is_opened_on_its_cpus),
		cmocka_unit_test(samples_of_each_pmu_s_event_arrive),
		cmocka_unit_test(the_time_of_an_event_is_that_on_its_cpus),
		cmocka_unit_test(what_counts_on_no_cpu_of_the_recording_is_left_out),
		cmocka_unit_test(rings_are_those_of_the_cpus_that_count),
		cmocka_unit_test(all_targets_have_ended_once_each_has_exited),
		cmocka_unit_test(the_caller_s_descriptor_ends_the_wait),
		cmocka_unit_test(losses_are_known_where_the_kernel_counts_them),
		cmocka_unit_test(a_full_ring_loses_samples_and_counts_them),
		cmocka_unit_test(groups_are_opened_with_their_leader_which_alone_samples),
		cmocka_unit_test(without_s_the_events_of_a_group_sample_each),
		cmocka_unit_test(groups_that_can_not_be_are_explained),
		cmocka_unit_test(inherited_probes_stay_with_their_task),
		cmocka_unit_test(what_is_counted_between_reading_and_restart_is_in_the_next_counts),
		cmocka_unit_test(what_a_group_counted_is_known_by_event),
		cmocka_unit_test(clocks_draw_a_period_near_the_one_asked_for),
		cmocka_unit_test(a_clock_has_one_period_where_counters_are_to_be_alike),
		cmocka_unit_test(rates_vary_as_asked_for),
		cmocka_unit_test(branches_are_recorded_where_the_event_has_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
