/* Old kernels and other refusals, emulated by a stub of perf_event_open. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perf/counters/attr_fallback.h"
#include "perf/counters/evlist_private.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define DROPPED(feature)  (1u << (feature))

/* What the emulated machine refuses. */
struct machine {
	unsigned int unknown; /* 1 << enum attr_feature */
	bool forbids_kernel, forbids_all, forbids_namespaces;
	unsigned int max_precise_ip;
	bool knows_guests;
	bool lacks_extended_types;
	int always; /* errno, or 0 */
	int n_opens;
};

static unsigned int features_of(const struct perf_event_attr *attr, unsigned long flags)
{
	unsigned int features = 0;
	features |= attr->read_format & 1 << 4 ? DROPPED(ATTR_LOST) : 0;
	features |= attr->build_id ? DROPPED(ATTR_BUILD_ID) : 0;
	features |= attr->text_poke ? DROPPED(ATTR_TEXT_POKE) : 0;
	features |=
		attr->cgroup || attr->sample_type & PERF_SAMPLE_CGROUP ? DROPPED(ATTR_CGROUP) : 0;
	features |= attr->ksymbol || attr->bpf_event ? DROPPED(ATTR_KSYMBOL) : 0;
	features |= attr->namespaces ? DROPPED(ATTR_NAMESPACES) : 0;
	features |= attr->use_clockid || attr->clockid ? DROPPED(ATTR_CLOCKID) : 0;
	features |= attr->comm_exec ? DROPPED(ATTR_COMM_EXEC) : 0;
	features |= attr->mmap2 ? DROPPED(ATTR_MMAP2) : 0;
	features |= flags & PERF_FLAG_FD_CLOEXEC ? DROPPED(ATTR_CLOEXEC) : 0;
	features |= attr->sample_type & PERF_SAMPLE_IDENTIFIER ? DROPPED(ATTR_IDENTIFIER) : 0;
	return features;
}

static int refusal(const struct machine *machine, const struct perf_event_attr *attr,
		   unsigned long flags)
{
	if (machine->always)
		return machine->always;
	if (features_of(attr, flags) & machine->unknown)
		return EINVAL;
	if (machine->forbids_all || (machine->forbids_kernel && !attr->exclude_kernel) ||
	    (machine->forbids_namespaces && attr->namespaces))
		return EACCES;
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY &&
	    machine->unknown & DROPPED(ATTR_DUMMY))
		return ENOENT;
	if (machine->lacks_extended_types && attr->config >> 32)
		return ENOENT;
	if (attr->precise_ip > machine->max_precise_ip)
		return EOPNOTSUPP;
	if (attr->exclude_guest && !machine->knows_guests)
		return EINVAL;
	return 0;
}

static int emulated_open(void *arg, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			 unsigned long flags)
{
	(void)pid;
	(void)cpu;
	struct machine *machine = arg;
	machine->n_opens++;
	assert_int_equal(group_fd, -1);
	assert_int_equal(attr->size, PERF_ATTR_SIZE_VER7);
	int err = refusal(machine, attr, flags);
	if (!err)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	errno = err;
	return -1;
}

struct fixture {
	struct machine machine;
	struct perf_limits limits;
	struct evlist evlist;
	struct attr_opener opener;
	struct attr_request request;
};

static struct fixture *fixture_create(void)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	assert_non_null(fixture);
	fixture->machine.max_precise_ip = 3;
	fixture->machine.knows_guests = true;
	fixture->limits.has_cap_perfmon = true;
	fixture->limits.paranoid = 2;
	fixture->limits.max_sample_rate = 100000;
	fixture->opener.syscalls.open = emulated_open;
	fixture->opener.syscalls.arg = &fixture->machine;
	fixture->opener.limits = &fixture->limits;
	fixture->opener.evlist = &fixture->evlist;
	fixture->request.frequency = 997;
	fixture->request.stack_size = 16384;
	return fixture;
}

static void fixture_destroy(struct fixture *fixture)
{
	for (size_t i = 0; i < fixture->evlist.n_notes; i++)
		free(fixture->evlist.notes[i]);
	free(fixture->evlist.notes);
	free(fixture);
}

static bool has_note(const struct fixture *fixture, const char *part)
{
	for (size_t i = 0; i < fixture->evlist.n_notes; i++)
		if (strstr(fixture->evlist.notes[i], part))
			return true;
	return false;
}

static void samples_carry_all_that_unwinding_needs(void **state)
{
	(void)state;
	const struct perf_event_attr event = { .type = PERF_TYPE_SOFTWARE, .exclude_hv = 1 };
	const struct attr_request request = {
		.frequency = 997, .stack_size = 16384, .watermark = 65536, .inherit = true
	};
	struct perf_event_attr attr;
	attr_init_sample(&attr, &request, &event);
	assert_int_equal(attr.sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						   PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						   PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
						   PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
						   PERF_SAMPLE_STACK_USER);
	assert_int_equal(attr.read_format, PERF_FORMAT_ID | 1 << 4 |
						   PERF_FORMAT_TOTAL_TIME_ENABLED |
						   PERF_FORMAT_TOTAL_TIME_RUNNING);
	assert_int_equal(attr.sample_stack_user, 16384);
	assert_int_not_equal(attr.sample_regs_user, 0);
	assert_true(attr.exclude_callchain_user && !attr.exclude_callchain_kernel);
	assert_true(attr.sample_id_all && attr.disabled && attr.inherit && attr.exclude_hv);
	assert_true(attr.freq && attr.watermark && attr.use_clockid);
	assert_int_equal(attr.sample_freq, 997);
	assert_int_equal(attr.wakeup_watermark, 65536);
	assert_int_equal(attr.clockid, CLOCK_MONOTONIC);
	assert_int_equal(attr.enable_on_exec, 0);
	/* The sideband's business. */
	assert_false(attr.mmap || attr.mmap2 || attr.comm || attr.task || attr.ksymbol);
}

static void without_stack_copies_the_kernel_walks_user_callchains(void **state)
{
	(void)state;
	const struct perf_event_attr event = { .type = PERF_TYPE_SOFTWARE };
	const struct attr_request request = { .period = 1000 };
	struct perf_event_attr attr;
	attr_init_sample(&attr, &request, &event);
	assert_int_equal(attr.sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER), 0);
	assert_int_equal(attr.sample_regs_user, 0);
	assert_int_equal(attr.exclude_callchain_user, 0);
	assert_int_equal(attr.freq, 0);
	assert_int_equal(attr.sample_period, 1000);
}

static void the_sideband_tells_everything_in_records_of_the_same_shape(void **state)
{
	(void)state;
	const struct perf_event_attr event = { .type = PERF_TYPE_HARDWARE };
	const struct attr_request request = { .frequency = 997,
					      .stack_size = 8192,
					      .samples_on_exec = false,
					      .sideband_on_exec = true };
	struct perf_event_attr sample, sideband;
	attr_init_sample(&sample, &request, &event);
	attr_init_sideband(&sideband, &request);
	assert_int_equal(sideband.sample_type, sample.sample_type);
	assert_int_equal(sideband.read_format, sample.read_format);
	assert_int_equal(sideband.sample_regs_user, sample.sample_regs_user);
	assert_int_equal(sideband.clockid, sample.clockid);
	assert_int_equal(sideband.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(sideband.config, PERF_COUNT_SW_DUMMY);
	assert_true(sideband.mmap && sideband.mmap2 && sideband.mmap_data && sideband.build_id);
	assert_true(sideband.comm && sideband.comm_exec && sideband.task && sideband.namespaces);
	assert_true(sideband.ksymbol && sideband.bpf_event && sideband.text_poke);
	assert_true(sideband.sample_id_all);
	assert_true(sideband.exclude_kernel && sideband.enable_on_exec && sideband.disabled);
	assert_int_equal(sideband.sample_period, 0);
	assert_int_equal(sample.enable_on_exec, 0);
}

static void switches_are_requested_where_time_off_the_cpu_needs_them(void **state)
{
	(void)state;
	for (int switches = 0; switches <= 1; switches++) {
		const struct attr_request request = { .period = 1, .switches = switches };
		struct perf_event_attr sideband;
		attr_init_sideband(&sideband, &request);
		assert_int_equal(sideband.context_switch, switches);
	}
}

static void older_kernels_get_all_they_know_and_nothing_else(void **state)
{
	(void)state;
	const unsigned int since_6_0 = DROPPED(ATTR_LOST);
	const unsigned int since_5_12 = since_6_0 | DROPPED(ATTR_BUILD_ID);
	const unsigned int since_5_9 = since_5_12 | DROPPED(ATTR_TEXT_POKE);
	const unsigned int since_5_1 = since_5_9 | DROPPED(ATTR_KSYMBOL);
	const unsigned int since_4_12 = since_5_1 | DROPPED(ATTR_NAMESPACES);
	const unsigned int since_4_1 = since_4_12 | DROPPED(ATTR_CLOCKID);
	const unsigned int since_3_16 = since_4_1 | DROPPED(ATTR_COMM_EXEC) | DROPPED(ATTR_MMAP2);
	const unsigned int since_3_12 =
		since_3_16 | DROPPED(ATTR_CLOEXEC) | DROPPED(ATTR_IDENTIFIER) | DROPPED(ATTR_DUMMY);
	const struct {
		const char *kernel;
		unsigned int unknown;
		size_t n_notes;
	} cases[] = {
		{ "6.1", 0, 0 },
		{ "5.15", since_6_0, 1 },
		{ "5.10", since_5_12, 2 },
		{ "5.4", since_5_9, 2 },
		{ "4.19", since_5_1, 3 },
		{ "4.4", since_4_12, 4 },
		{ "3.16", since_4_1, 5 },
		{ "3.10", since_3_12, 7 },
		/* Distributors take features back to older kernels. */
		{ "4.18 of RHEL 8", since_6_0 | DROPPED(ATTR_CLOCKID), 2 },
		{ "3.10 of RHEL 7", since_3_12 & ~DROPPED(ATTR_MMAP2) & ~DROPPED(ATTR_DUMMY), 6 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture *fixture = fixture_create();
		fixture->machine.unknown = cases[i].unknown;
		int err = attr_probe(&fixture->opener, &fixture->request);
		if (err || fixture->request.dropped != cases[i].unknown ||
		    fixture->evlist.n_notes != cases[i].n_notes)
			fail_msg("%s: error %d, dropped %x, not %x, %zu notes", cases[i].kernel,
				 err, fixture->request.dropped, cases[i].unknown,
				 fixture->evlist.n_notes);

		struct perf_event_attr attr;
		attr_init_sideband(&attr, &fixture->request);
		int fd = attr_open(&fixture->opener, &attr, 0, -1, -1);
		assert_true(fd >= 0);
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		close(fd);
		assert_int_equal(attr.sample_type & PERF_SAMPLE_ID ? 1 : 0,
				 attr.sample_type & PERF_SAMPLE_IDENTIFIER ? 0 : 1);
		fixture_destroy(fixture);
	}
}

static void cgroups_are_in_samples_where_the_kernel_knows_them(void **state)
{
	(void)state;
	for (int is_known = 0; is_known < 2; is_known++) {
		struct fixture *fixture = fixture_create();
		struct perf_event_attr attr;

		fixture->machine.unknown = is_known ? 0 : DROPPED(ATTR_CGROUP);
		fixture->request.has_cgroups = true;
		assert_int_equal(attr_probe(&fixture->opener, &fixture->request), 0);
		assert_int_equal(fixture->request.dropped, fixture->machine.unknown);
		assert_int_equal(fixture->evlist.n_notes, !is_known);
		attr_init_sideband(&attr, &fixture->request);
		assert_int_equal(attr.cgroup, is_known);
		assert_int_equal(!!(attr.sample_type & PERF_SAMPLE_CGROUP), is_known);
		fixture_destroy(fixture);
	}
}

static void a_new_kernel_is_probed_with_one_call(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create();
	assert_int_equal(attr_probe(&fixture->opener, &fixture->request), 0);
	assert_int_equal(fixture->machine.n_opens, 1);
	fixture_destroy(fixture);
}

static void namespaces_need_a_capability_and_are_given_up_without(void **state)
{
	(void)state;
	for (int has_cap = 0; has_cap <= 1; has_cap++) {
		struct fixture *fixture = fixture_create();
		fixture->limits.has_cap_perfmon = has_cap;
		fixture->machine.forbids_namespaces = true;
		assert_int_equal(attr_probe(&fixture->opener, &fixture->request), 0);
		assert_int_equal(fixture->request.dropped, DROPPED(ATTR_NAMESPACES));
		assert_int_equal(fixture->evlist.n_notes, 0);
		fixture_destroy(fixture);
	}
}

static void probing_stops_at_what_dropping_cannot_help(void **state)
{
	(void)state;
	static const int errors[] = { EACCES, EPERM, ENOSYS, EINVAL, ENOMEM, ENOENT };
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct fixture *fixture = fixture_create();
		fixture->machine.always = errors[i];
		assert_int_equal(attr_probe(&fixture->opener, &fixture->request), -errors[i]);
		fixture_destroy(fixture);
	}
}

static void a_paranoid_kernel_gives_user_mode(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create();
	fixture->machine.forbids_kernel = true;
	struct perf_event_attr attr;
	const struct perf_event_attr event = { .type = PERF_TYPE_SOFTWARE };
	attr_init_sample(&attr, &fixture->request, &event);
	int fd = attr_open(&fixture->opener, &attr, 0, 0, -1);
	assert_true(fd >= 0);
	close(fd);
	assert_true(attr.exclude_kernel && attr.exclude_hv);
	assert_true(fixture->evlist.user_only);
	/* Whoever opens the events explains that. */
	assert_int_equal(fixture->evlist.n_notes, 0);
	fixture_destroy(fixture);
}

static void what_stays_forbidden_stays_as_it_was(void **state)
{
	(void)state;
	static const struct perf_event_attr events[] = {
		{ .type = PERF_TYPE_SOFTWARE },
		{ .type = PERF_TYPE_SOFTWARE, .exclude_user = 1 }, /* :k has no user half */
		{ .type = PERF_TYPE_SOFTWARE, .exclude_kernel = 1 },
		{ .type = PERF_TYPE_TRACEPOINT }, /* in the kernel */
	};
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		struct fixture *fixture = fixture_create();
		fixture->machine.forbids_all = true;
		struct perf_event_attr attr, before;
		attr_init_sample(&attr, &fixture->request, &events[i]);
		before = attr;
		assert_int_equal(attr_open(&fixture->opener, &attr, 0, 0, -1), -EACCES);
		assert_memory_equal(&attr, &before, sizeof(attr));
		assert_false(fixture->evlist.user_only);
		assert_int_equal(fixture->evlist.n_notes, 0);
		fixture_destroy(fixture);
	}
}

static void precision_is_lowered_to_what_the_machine_has(void **state)
{
	(void)state;
	for (unsigned int max = 0; max <= 3; max++) {
		struct fixture *fixture = fixture_create();
		fixture->machine.max_precise_ip = max;
		const struct perf_event_attr event = { .type = PERF_TYPE_HARDWARE,
						       .precise_ip = 3,
						       .exclude_guest = 1 };
		struct perf_event_attr attr;
		attr_init_sample(&attr, &fixture->request, &event);
		int fd = attr_open(&fixture->opener, &attr, 0, 0, -1);
		assert_true(fd >= 0);
		close(fd);
		assert_int_equal(attr.precise_ip, max);
		assert_int_equal(attr.exclude_guest, 1);
		assert_int_equal(has_note(fixture, "precision"), max < 3);
		fixture_destroy(fixture);
	}
}

static void the_highest_precision_is_sought_without_a_word(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		struct fixture *fixture = fixture_create();
		unsigned int max = i / 2;
		fixture->machine.max_precise_ip = max;
		fixture->machine.knows_guests = i % 2;
		const struct perf_event_attr event = { .type = PERF_TYPE_HARDWARE,
						       .precise_ip = 3,
						       .exclude_guest = 1 };
		struct perf_event_attr attr;
		attr_init_sample(&attr, &fixture->request, &event);
		attr_choose_precise(&fixture->opener, &attr);
		assert_int_equal(attr.precise_ip, max);
		/* A note names the consequence. */
		bool costs_guests = max > 0 && !fixture->machine.knows_guests;
		assert_int_equal(attr.exclude_guest, !costs_guests);
		assert_int_equal(fixture->evlist.n_notes, costs_guests);
		fixture_destroy(fixture);
	}
}

static void an_older_kernel_takes_the_cpu_s_pmu(void **state)
{
	(void)state;
	static const struct perf_event_attr events[] = {
		{ .type = PERF_TYPE_HARDWARE, .config = 0xa00000001 },
		{ .type = PERF_TYPE_HW_CACHE, .config = 0xa00010002 },
		{ .type = PERF_TYPE_RAW, .config = 0xa00000001 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		struct fixture *fixture = fixture_create();
		fixture->machine.lacks_extended_types = true;
		struct perf_event_attr attr;
		attr_init_sample(&attr, &fixture->request, &events[i]);
		int fd = attr_open(&fixture->opener, &attr, 0, 0, -1);
		bool is_raw = events[i].type == PERF_TYPE_RAW;
		assert_int_equal(fd >= 0, !is_raw);
		assert_int_equal(attr.config,
				 is_raw ? events[i].config : events[i].config & UINT32_MAX);
		if (fd >= 0)
			close(fd);
		fixture_destroy(fixture);
	}
}

static void guests_are_counted_where_they_cannot_be_left_out(void **state)
{
	(void)state;
	struct fixture *fixture = fixture_create();
	fixture->machine.knows_guests = false;
	const struct perf_event_attr event = { .type = PERF_TYPE_RAW, .exclude_guest = 1 };
	struct perf_event_attr attr;
	attr_init_sample(&attr, &fixture->request, &event);
	int fd = attr_open(&fixture->opener, &attr, 0, 0, -1);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(attr.exclude_guest, 0);
	assert_true(has_note(fixture, "virtual machines"));
	fixture_destroy(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_carry_all_that_unwinding_needs),
		cmocka_unit_test(without_stack_copies_the_kernel_walks_user_callchains),
		cmocka_unit_test(the_sideband_tells_everything_in_records_of_the_same_shape),
		cmocka_unit_test(switches_are_requested_where_time_off_the_cpu_needs_them),
		cmocka_unit_test(older_kernels_get_all_they_know_and_nothing_else),
		cmocka_unit_test(cgroups_are_in_samples_where_the_kernel_knows_them),
		cmocka_unit_test(a_new_kernel_is_probed_with_one_call),
		cmocka_unit_test(namespaces_need_a_capability_and_are_given_up_without),
		cmocka_unit_test(probing_stops_at_what_dropping_cannot_help),
		cmocka_unit_test(a_paranoid_kernel_gives_user_mode),
		cmocka_unit_test(what_stays_forbidden_stays_as_it_was),
		cmocka_unit_test(precision_is_lowered_to_what_the_machine_has),
		cmocka_unit_test(the_highest_precision_is_sought_without_a_word),
		cmocka_unit_test(an_older_kernel_takes_the_cpu_s_pmu),
		cmocka_unit_test(guests_are_counted_where_they_cannot_be_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
