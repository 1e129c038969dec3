#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "perf/counters/refusal.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Answers as @arg, an errno, says. */
static int refuse(void *arg, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		  unsigned long flags)
{
	(void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	errno = *(int *)arg;
	return -1;
}

static void expect_part(char *text, const char *part)
{
	assert_non_null(text);
	if (!strstr(text, part))
		fail_msg("'%s' is not in: %s", part, text);
	free(text);
}

static void a_general_refusal_is_recognized_by_its_errno(void **state)
{
	(void)state;
	static const struct {
		int answer, paranoid;
		bool has_cap, lacks_proc;
		enum refusal_gate gate;
		const char *part; /* of the sentence */
	} cases[] = {
		{ E2BIG, 2, false, false, GATE_OPEN, NULL },
		{ EINVAL, 4, true, false, GATE_OPEN, NULL },
		{ EACCES, 3, false, false, GATE_PARANOID, "kernel.perf_event_paranoid is 3" },
		{ EPERM, 4, false, false, GATE_PARANOID, "sysctl kernel.perf_event_paranoid=2" },
		{ EACCES, 3, true, false, GATE_FILTERED, "seccomp" },
		{ EPERM, -1, false, false, GATE_FILTERED, "seccomp" },
		{ ENOSYS, 2, true, false, GATE_HIDDEN, "seccomp" },
		{ ENOSYS, INT_MIN, true, false, GATE_ABSENT, "CONFIG_PERF_EVENTS" },
		{ E2BIG, INT_MIN, true, true, GATE_ABSENT, "mount -t proc" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int answer = cases[i].answer;
		const struct evlist_syscalls syscalls = { refuse, &answer };
		const struct perf_limits limits = { .paranoid = cases[i].paranoid,
						    .has_cap_perfmon = cases[i].has_cap,
						    .lacks_proc = cases[i].lacks_proc };
		enum refusal_gate gate = refusal_gate_try(&syscalls, &limits);

		assert_int_equal(gate, cases[i].gate);
		if (cases[i].part)
			expect_part(refusal_gate_sentence(gate, &limits), cases[i].part);
		else
			assert_null(refusal_gate_sentence(gate, &limits));
	}
}

static void the_level_that_would_permit_an_event_is_named(void **state)
{
	(void)state;
	static const struct perf_event_attr plain = { .type = PERF_TYPE_SOFTWARE },
					    kernel = { .type = PERF_TYPE_SOFTWARE,
						       .exclude_user = 1 },
					    tracepoint = { .type = PERF_TYPE_TRACEPOINT };
	static const struct {
		const struct perf_event_attr *attr;
		enum evlist_target target;
		pid_t pid;
		int paranoid;
		const char *part;
		bool is_probe;
	} cases[] = {
		{ &plain, EVLIST_SYSTEM, -1, 2, "sysctl kernel.perf_event_paranoid=0", false },
		{ &plain, EVLIST_SYSTEM, -1, 1, "whole machine", false },
		{ &tracepoint, EVLIST_SYSTEM, -1, 0, "sysctl kernel.perf_event_paranoid=-1",
		  false },
		{ &tracepoint, EVLIST_COMMAND, 7, 2, "sysctl kernel.perf_event_paranoid=-1",
		  false },
		{ &kernel, EVLIST_COMMAND, 7, 2, "sysctl kernel.perf_event_paranoid=1", false },
		{ &kernel, EVLIST_TASKS, 7, 1, "Observing thread 7 is not permitted", false },
		{ &plain, EVLIST_TASKS, 7, 2, "CAP_SYS_PTRACE", false },
		{ &plain, EVLIST_COMMAND, 7, 2, "security module", false },
		{ &plain, EVLIST_SYSTEM, -1, 0, "security module", false },
		{ &plain, EVLIST_COMMAND, 7, -1, "need CAP_PERFMON", true },
		{ &plain, EVLIST_SYSTEM, -1, 2, "need CAP_PERFMON", true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct refused_event event = { "it", cases[i].attr, cases[i].target,
						     cases[i].pid, cases[i].is_probe };
		const struct perf_limits limits = { .paranoid = cases[i].paranoid };

		expect_part(refusal_sentence(&event, &limits), cases[i].part);
	}
}

static void root_of_a_user_namespace_learns_that_it_lacks_the_privilege(void **state)
{
	(void)state;
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE };
	const struct refused_event event = { "it", &attr, EVLIST_SYSTEM, -1, false };
	struct perf_limits limits = { .paranoid = 2, .in_user_namespace = true };

	expect_part(refusal_sentence(&event, &limits), "outside of the container");
	limits.in_user_namespace = false;
	expect_part(refusal_sentence(&event, &limits), "CAP_PERFMON");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_general_refusal_is_recognized_by_its_errno),
		cmocka_unit_test(the_level_that_would_permit_an_event_is_named),
		cmocka_unit_test(root_of_a_user_namespace_learns_that_it_lacks_the_privilege),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
