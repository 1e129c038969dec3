/*
 * libpfm4's encodings on processors that the machine at hand is not, which LIBPFM_FORCE_PMU makes
 * it believe: each in a separate process. The expected values are from the vendor's table.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf/catalog/event_parse.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

struct encoding {
	const char *pmu, *name;
	uint64_t config, config1;
};

static const struct event_places nowhere = { .sysfs = "/nowhere" };

#if defined(__x86_64__)
/* IA32_PERFEVTSELx: event 0-7, umask 8-15, edge 18, inv 23, cmask 24-31 (Intel SDM, volume
 * 3B, 20.2.1). PERF_CTL: event 0-7 and 32-35, unit mask 8-15 (AMD APM, volume 2, 13.2.1). */
#define INTEL(event, umask)   ((umask) << 8 | (event))
#define EDGE                  (1u << 18)
#define INVERT                (1u << 23)
#define CMASK(n)              ((uint64_t)(n) << 24)
#define AMD(event, unit_mask) (((event)&0xfffull) >> 8 << 32 | (unit_mask) << 8 | ((event)&0xff))

static const struct encoding encodings[] = {
	/* Intel SDM, volume 3B, table 20-1: architectural events. */
	{ "ix86arch", "LLC_MISSES", INTEL(0x2e, 0x41), 0 },
	{ "ix86arch", "LLC_REFERENCES", INTEL(0x2e, 0x4f), 0 },
	{ "ix86arch", "UNHALTED_CORE_CYCLES", INTEL(0x3c, 0x00), 0 },
	{ "ix86arch", "UNHALTED_REFERENCE_CYCLES", INTEL(0x3c, 0x01), 0 },
	{ "ix86arch", "BRANCH_INSTRUCTIONS_RETIRED", INTEL(0xc4, 0x00), 0 },
	{ "ix86arch", "MISPREDICTED_BRANCH_RETIRED", INTEL(0xc5, 0x00), 0 },
	/* Intel perfmon, NHM-EP/events/nehalemep_core.json. */
	{ "nhm", "DTLB_LOAD_MISSES:WALK_COMPLETED", INTEL(0x08, 0x02), 0 },
	{ "nhm", "MEM_LOAD_RETIRED:DTLB_MISS", INTEL(0xcb, 0x80), 0 },
	{ "nhm", "ITLB_MISSES:ANY", INTEL(0x85, 0x01), 0 },
	/* Intel perfmon, SNB/events/sandybridge_core.json. */
	{ "snb", "DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK", INTEL(0x08, 0x01), 0 },
	{ "snb", "EPT:WALK_CYCLES", INTEL(0x4f, 0x10), 0 },
	{ "snb", "TLB_FLUSH:STLB_ANY", INTEL(0xbd, 0x20), 0 },
	/* Intel perfmon, IVB/events/ivybridge_core.json. */
	{ "ivb", "DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK", INTEL(0x08, 0x81), 0 },
	{ "ivb", "DTLB_LOAD_MISSES:WALK_COMPLETED", INTEL(0x08, 0x82), 0 },
	{ "ivb", "DTLB_LOAD_ACCESS:STLB_HIT", INTEL(0x5f, 0x04), 0 },
	/* Intel perfmon, HSW/events/haswell_core.json. */
	{ "hsw", "BACLEARS:ANY", INTEL(0xe6, 0x1f), 0 },
	{ "hsw", "IDQ:MS_SWITCHES", INTEL(0x79, 0x30) | EDGE | CMASK(1), 0 },
	{ "hsw", "IDQ_UOPS_NOT_DELIVERED:CYCLES_FE_WAS_OK", INTEL(0x9c, 0x01) | INVERT | CMASK(1),
	  0 },
	/* Intel perfmon, SKL/events/skylake_core.json; ldlat is MSR 0x3f6, which is config1. */
	{ "skl", "DTLB_LOAD_MISSES:WALK_COMPLETED", INTEL(0x08, 0x0e), 0 },
	{ "skl", "DTLB_LOAD_MISSES:WALK_ACTIVE", INTEL(0x08, 0x10) | CMASK(1), 0 },
	{ "skl", "CYCLE_ACTIVITY:STALLS_L3_MISS", INTEL(0xa3, 0x06) | CMASK(6), 0 },
	{ "skl", "MACHINE_CLEARS:MEMORY_ORDERING", INTEL(0xc3, 0x02), 0 },
	{ "skl", "MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=128", INTEL(0xcd, 0x01), 0x80 },
	/* Intel perfmon, ICX/events/icelakex_core.json. */
	{ "icx", "DTLB_STORE_MISSES:WALK_COMPLETED", INTEL(0x49, 0x0e), 0 },
	{ "icx", "ITLB_MISSES:STLB_HIT", INTEL(0x85, 0x20), 0 },
	/* Intel perfmon, SPR/events/sapphirerapids_core.json. */
	{ "spr", "DTLB_LOAD_MISSES:STLB_HIT", INTEL(0x12, 0x20), 0 },
	{ "spr", "DTLB_STORE_MISSES:WALK_ACTIVE", INTEL(0x13, 0x10) | CMASK(1), 0 },
	{ "spr", "ITLB_MISSES:WALK_COMPLETED", INTEL(0x11, 0x0e), 0 },
	/* Intel perfmon, GLM/events/goldmont_core.json. */
	{ "glm", "ITLB:MISS", INTEL(0x81, 0x04), 0 },
	{ "glm", "MEM_UOPS_RETIRED:DTLB_MISS_LOADS", INTEL(0xd0, 0x11), 0 },
	{ "glm", "PAGE_WALKS:CYCLES", INTEL(0x05, 0x03), 0 },
	/* Intel perfmon, SLM/events/silvermont_core.json. */
	{ "slm", "PAGE_WALKS:D_SIDE_WALKS", INTEL(0x05, 0x01) | EDGE, 0 },
	{ "slm", "PAGE_WALKS:CYCLES", INTEL(0x05, 0x03), 0 },
	/* Intel perfmon, KNL/events/KnightsLanding_core.json. */
	{ "knl", "PAGE_WALKS:I_SIDE_CYCLES", INTEL(0x05, 0x02), 0 },
	{ "knl", "MEM_UOPS_RETIRED:DTLB_MISS_LOADS", INTEL(0x04, 0x08), 0 },
	/* AMD BKDG for Family 10h (31116), 3.14: EventSelect 041h, 4E1h; all cores are F0h. */
	{ "amd64_fam10h_barcelona", "DATA_CACHE_MISSES", AMD(0x041, 0x00), 0 },
	{ "amd64_fam10h_barcelona", "L3_CACHE_MISSES:ANY_READ", AMD(0x4e1, 0xf7), 0 },
	/* AMD PPR for Family 17h Model 01h (54945), 2.1.13: PMCx08E, PMCx0C0. */
	{ "amd64_fam17h_zen1", "DYNAMIC_INDIRECT_PREDICTIONS", AMD(0x08e, 0x00), 0 },
	{ "amd64_fam17h_zen1", "RETIRED_INSTRUCTIONS", AMD(0x0c0, 0x00), 0 },
	/* AMD PPR for Family 17h Model 31h (55803): PMCx064. */
	{ "amd64_fam17h_zen2", "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:IC_FILL_MISS",
	  AMD(0x064, 0x01), 0 },
	/* AMD PPR for Family 19h Model 01h (55898): PMCx18E, PMCx28F. */
	{ "amd64_fam19h_zen3", "IC_TAG_HIT_MISS:IC_MISS", AMD(0x18e, 0x18), 0 },
	{ "amd64_fam19h_zen3", "OP_CACHE_HIT_MISS:OC_MISS", AMD(0x28f, 0x04), 0 },
	/* AMD PPR for Family 19h Model 11h (55901): PMCx0C3, PMCx0D6, PMCx120, PMCx1C1. */
	{ "amd64_fam19h_zen4", "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", AMD(0x0c3, 0x00), 0 },
	{ "amd64_fam19h_zen4", "CYCLES_NO_RETIRE:THREAD_NOT_SELECTED", AMD(0x0d6, 0x10), 0 },
	{ "amd64_fam19h_zen4", "P0_FREQ_CYCLES_NOT_IN_HALT:P0_FREQ_CYCLES", AMD(0x120, 0x01), 0 },
	{ "amd64_fam19h_zen4", "amd64_fam19h_zen4::RETIRED_UCODE_INSTRUCTIONS", AMD(0x1c1, 0x00),
	  0 },
};
#elif defined(__aarch64__)
/* Arm ARM (DDI 0487), D13.12: common events have the same numbers on all. */
static const struct encoding encodings[] = {
	/* Cortex-A53 TRM (DDI 0500), 12.9. */
	{ "arm_ac53", "CPU_CYCLES", 0x11, 0 },
	{ "arm_ac53", "L1D_CACHE_REFILL", 0x03, 0 },
	/* Cortex-A57 TRM (DDI 0488), 11.8. */
	{ "arm_ac57", "CPU_CYCLES", 0x11, 0 },
	{ "arm_ac57", "L1D_CACHE_REFILL", 0x03, 0 },
	/* Neoverse N1 TRM (100616), C2.3. */
	{ "arm_n1", "BR_MIS_PRED_RETIRED", 0x22, 0 },
	{ "arm_n1", "STALL_BACKEND", 0x24, 0 },
	{ "arm_n1", "LL_CACHE_MISS_RD", 0x37, 0 },
	{ "arm_n1", "L1D_CACHE_REFILL_RD", 0x42, 0 },
	/* Neoverse N2 TRM (102099), 19. */
	{ "arm_n2", "L2D_TLB_REFILL", 0x2d, 0 },
	/* Neoverse V1 TRM (101427), 18. */
	{ "arm_v1", "L1D_CACHE_REFILL_RD", 0x42, 0 },
	/* A64FX PMU Events 1.2, 2. */
	{ "arm_a64fx", "STALL_BACKEND", 0x24, 0 },
	/* ThunderX2 CN99XX PMU reference. */
	{ "arm_thunderx2", "CPU_CYCLES", 0x11, 0 },
};
#else
static const struct encoding encodings[] = { { "perf", "cycles", 0, 0 } };
#endif

/* The result and the message for one event, as a process sends them to its parent. */
struct answer {
	enum event_error error;
	size_t n_events;
	struct perf_event_attr attr;
	char text[400];
};

static void find(const char *name, struct answer *answer)
{
	struct event *events = NULL;
	size_t n_events = 0;
	char *error_text = NULL;
	memset(answer, 0, sizeof(*answer));
	answer->error = event_parse_at(&nowhere, name, &events, &n_events, &error_text);
	answer->n_events = n_events;
	if (n_events)
		answer->attr = events[0].attr;
	if (error_text)
		snprintf(answer->text, sizeof(answer->text), "%s", error_text);
	free(error_text);
	events_destroy(events, n_events);
}

static struct answer find_on(const char *pmu, const char *name)
{
	struct answer answer;
	int ends[2], status;
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		setenv("LIBPFM_FORCE_PMU", pmu, 1);
		find(name, &answer);
		_exit(write(ends[1], &answer, sizeof(answer)) != sizeof(answer));
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &answer, sizeof(answer)), sizeof(answer));
	close(ends[0]);
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	return answer;
}

static void encodings_are_those_of_the_vendors_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(encodings); i++) {
		const struct encoding *expected = &encodings[i];
		struct answer answer = find_on(expected->pmu, expected->name);
		if (answer.error != EVENT_OK)
			fail_msg("%s on %s: %s", expected->name, expected->pmu, answer.text);
		if (answer.attr.config != expected->config ||
		    answer.attr.config1 != expected->config1)
			fail_msg("%s on %s: config %#llx, config1 %#llx", expected->name,
				 expected->pmu, (unsigned long long)answer.attr.config,
				 (unsigned long long)answer.attr.config1);
		assert_int_equal(answer.n_events, 1);
		assert_int_equal(answer.attr.exclude_user, 0);
		assert_int_equal(answer.attr.exclude_kernel, 0);
		assert_int_equal(answer.attr.exclude_guest, 1);
	}
}

static void the_tables_have_at_least_ten_processors(void **state)
{
	(void)state;
	size_t n = 1;
	for (size_t i = 1; i < ARRAY_SIZE(encodings); i++)
		n += strcmp(encodings[i].pmu, encodings[i - 1].pmu) != 0;
#if defined(__x86_64__)
	assert_true(n >= 10);
#else
	assert_true(n >= 1);
#endif
}

#if defined(__x86_64__)
static void libpfm4_s_modifiers_and_perf_s_may_be_mixed(void **state)
{
	(void)state;
	static const struct {
		const char *pmu, *name;
		uint64_t config;
		unsigned int exclude_user, exclude_kernel, precise_ip, pinned;
	} cases[] = {
		{ "ix86arch", "ix86arch::LLC_MISSES:u", INTEL(0x2e, 0x41), 0, 1, 0, 0 },
		{ "ix86arch", "LLC_MISSES:k", INTEL(0x2e, 0x41), 1, 0, 0, 0 },
		{ "ix86arch", "LLC_MISSES:u=0:k=1", INTEL(0x2e, 0x41), 1, 0, 0, 0 },
		{ "ix86arch", "llc_misses:upp", INTEL(0x2e, 0x41), 0, 1, 2, 0 },
		{ "ix86arch", "LLC_MISSES:D", INTEL(0x2e, 0x41), 0, 0, 0, 1 },
		{ "ix86arch", "LLC_MISSES:c=3:e:i:u", INTEL(0x2e, 0x41) | CMASK(3) | EDGE | INVERT,
		  0, 1, 0, 0 },
		{ "skl", "L1D_PEND_MISS:PENDING:c=2:u", INTEL(0x48, 0x01) | CMASK(2), 0, 1, 0, 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct answer answer = find_on(cases[i].pmu, cases[i].name);
		if (answer.error != EVENT_OK)
			fail_msg("%s: %s", cases[i].name, answer.text);
		assert_int_equal(answer.attr.config, cases[i].config);
		assert_int_equal(answer.attr.exclude_user, cases[i].exclude_user);
		assert_int_equal(answer.attr.exclude_kernel, cases[i].exclude_kernel);
		assert_int_equal(answer.attr.precise_ip, cases[i].precise_ip);
		assert_int_equal(answer.attr.pinned, cases[i].pinned);
	}
}

static void events_of_another_processor_say_whose_they_are(void **state)
{
	(void)state;
	static const struct {
		const char *pmu, *name;
		enum event_error error;
		const char *part;
	} cases[] = {
		{ "skl", "amd64_fam19h_zen4::RETIRED_UCODE_OPS", EVENT_NOT_HERE,
		  "exists on amd64_fam19h_zen4, not on this processor" },
		{ "skl", "RETIRED_UCODE_INSTRUCTIONS:u", EVENT_NOT_HERE, "exists on amd64_fam" },
		{ "skl", "SSEX_UOPS_RETIRED", EVENT_NOT_HERE, "more PMUs, not on this processor" },
		{ "amd64_fam19h_zen4", "skl::NO_SUCH_EVENT", EVENT_UNKNOWN, "Unknown event" },
		{ "skl", "MACHINE_CLEARS:MEMORY", EVENT_BAD_MODIFIER, "COUNT, MEMORY_ORDERING" },
		{ "skl", "MACHINE_CLEARS:COUNT:excl", EVENT_BAD_MODIFIER, "exclusive use" },
		{ "skl", "MACHINE_CLAERS", EVENT_UNKNOWN, "did you mean MACHINE_CLEARS" },
		{ "skl", "skl::MACHINE_CLAERS:MEMORY_ORDERING:u", EVENT_UNKNOWN,
		  "did you mean MACHINE_CLEARS" },
		{ "skl", "MACHINE_CLEARS:COUNT:x", EVENT_BAD_MODIFIER, "MACHINE_CLEARS:COUNT:x" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct answer answer = find_on(cases[i].pmu, cases[i].name);
		if (answer.error != cases[i].error || !strstr(answer.text, cases[i].part))
			fail_msg("%s on %s: %d, %s", cases[i].name, cases[i].pmu, answer.error,
				 answer.text);
	}
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encodings_are_those_of_the_vendors_tables),
		cmocka_unit_test(the_tables_have_at_least_ten_processors),
#if defined(__x86_64__)
		cmocka_unit_test(libpfm4_s_modifiers_and_perf_s_may_be_mixed),
		cmocka_unit_test(events_of_another_processor_say_whose_they_are),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
