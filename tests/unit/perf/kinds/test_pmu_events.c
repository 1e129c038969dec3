/* PMU terms and hybrid processors, on made-up trees of sysfs that say what those machines say. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perf/catalog/event_parse.h"
#include "tests/unit/fixtures/sysfs_tree.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* arch/x86/events/intel/core.c, uncore_snb.c and rapl.c of Linux; and what hybrid ones add. */
#define INTEL_FORMAT(pmu)                                                                    \
	{ pmu "/format/event", "config:0-7\n" }, { pmu "/format/umask", "config:8-15\n" },   \
		{ pmu "/format/edge", "config:18\n" }, { pmu "/format/inv", "config:23\n" }, \
		{ pmu "/format/cmask", "config:24-31\n" },                                   \
		{ pmu "/format/offcore_rsp", "config1:0-63\n" },                             \
	{                                                                                    \
		pmu "/format/ldlat", "config1:0-15\n"                                        \
	}

static const struct sysfs_file skylake[] = {
	INTEL_FORMAT("cpu"),
	{ "cpu/type", "4\n" },
	{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ "cpu/events/cache-misses", "event=0x2e,umask=0x41\n" },
	{ "cpu/events/topdown-slots-issued", "event=0xe,umask=0x1\n" },
	{ "cpu/events/topdown-slots-issued.scale", "2\n" },
	{ "cpu/events/bad-alias", "event=0x1ff\n" },
	{ "cpu/events/alias-of-alias", "mem-loads\n" },
	{ "cpu/events/asks", "event=0x1,core=?\n" },
	{ "cpu/format/core", "config:40-43\n" },
	{ "cpu/format/broken", "config:99\n" },
	{ "cpu/format/far", "config3:0-7\n" },
	{ "software/type", "1\n" },
	{ "msr/type", "9\n" },
	{ "msr/format/event", "config:0-63\n" },
	{ "msr/events/tsc", "event=0x00\n" },
	{ "intel_pt/type", "8\n" },
	{ "intel_pt/format/tsc", "config:10\n" },
	{ "power/type", "16\n" },
	{ "power/cpumask", "0\n" },
	{ "power/format/event", "config:0-7\n" },
	{ "power/events/energy-pkg", "event=0x02\n" },
	{ "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n" },
	{ "power/events/energy-pkg.unit", "Joules\n" },
	{ "uncore_imc_0/type", "12\n" },
	{ "uncore_imc_0/cpumask", "0\n" },
	{ "uncore_imc_0/format/event", "config:0-7\n" },
	{ "uncore_imc_1/type", "13\n" },
	{ "uncore_imc_1/cpumask", "0\n" },
};

/* Four P-cores and four E-cores. */
static const struct sysfs_file alder_lake[] = {
	INTEL_FORMAT("cpu_core"),
	INTEL_FORMAT("cpu_atom"),
	{ "cpu_core/type", "4\n" },
	{ "cpu_core/cpus", "0-3\n" },
	{ "cpu_core/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ "cpu_core/events/topdown-retiring", "event=0x00,umask=0x80\n" },
	{ "cpu_atom/type", "10\n" },
	{ "cpu_atom/cpus", "4-7\n" },
	{ "cpu_atom/events/mem-loads", "event=0xd0,umask=0x5,ldlat=3\n" },
	{ "software/type", "1\n" },
};

/* drivers/perf/arm_pmuv3.c of Linux; the events' numbers are from the Arm ARM, D13.12. */
static const struct sysfs_file big_little[] = {
	{ "armv8_cortex_a53/type", "7\n" },
	{ "armv8_cortex_a53/cpus", "0-3\n" },
	{ "armv8_cortex_a53/format/event", "config:0-15\n" },
	{ "armv8_cortex_a53/format/long", "config1:0\n" },
	{ "armv8_cortex_a53/events/l1d_cache_refill", "event=0x0003\n" },
	{ "armv8_cortex_a72/type", "8\n" },
	{ "armv8_cortex_a72/cpus", "4-5\n" },
	{ "armv8_cortex_a72/format/event", "config:0-15\n" },
	{ "armv8_cortex_a72/format/long", "config1:0\n" },
	{ "armv8_cortex_a72/events/l1d_cache_refill", "event=0x0003\n" },
};

static const struct sysfs_file two_pmuv3[] = {
	{ "armv8_pmuv3_0/type", "8\n" },
	{ "armv8_pmuv3_0/cpus", "0-3\n" },
	{ "armv8_pmuv3_0/format/event", "config:0-15\n" },
	{ "armv8_pmuv3_1/type", "9\n" },
	{ "armv8_pmuv3_1/cpus", "4-7\n" },
	{ "armv8_pmuv3_1/format/event", "config:0-15\n" },
};

static const struct sysfs_file zen4[] = {
	{ "cpu/type", "4\n" },
	{ "cpu/format/event", "config:0-7,32-35\n" },
	{ "cpu/format/umask", "config:8-15\n" },
	{ "cpu/format/edge", "config:18\n" },
	{ "ibs_op/type", "11\n" },
	{ "ibs_op/format/cnt_ctl", "config:19\n" },
};

struct parsed {
	char *root;
	struct event *events;
	size_t n_events;
	char *error_text;
	enum event_error error;
};

static struct parsed parse(const struct sysfs_file *files, size_t n_files, const char *list)
{
	struct parsed parsed = { .root = sysfs_tree_create(files, n_files) };
	const struct event_places places = { .sysfs = parsed.root };
	parsed.error =
		event_parse_at(&places, list, &parsed.events, &parsed.n_events, &parsed.error_text);
	return parsed;
}

static struct parsed parse_ok(const struct sysfs_file *files, size_t n_files, const char *list)
{
	struct parsed parsed = parse(files, n_files, list);
	if (parsed.error != EVENT_OK)
		fail_msg("%s: %s", list, parsed.error_text ? parsed.error_text : "no text");
	return parsed;
}

static void parsed_destroy(struct parsed *parsed)
{
	events_destroy(parsed->events, parsed->n_events);
	free(parsed->error_text);
	sysfs_tree_destroy(parsed->root);
}

#define PARSE(machine, list)    parse(machine, ARRAY_SIZE(machine), list)
#define PARSE_OK(machine, list) parse_ok(machine, ARRAY_SIZE(machine), list)

static void terms_go_where_the_format_says(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config, config1;
	} cases[] = {
		{ "cpu/event=0x3c/", 4, 0x3c, 0 },
		{ "cpu/event=60/", 4, 0x3c, 0 },
		/* Intel perfmon, SKL: CYCLE_ACTIVITY.STALLS_L3_MISS. */
		{ "cpu/event=0xa3,umask=0x6,cmask=6/", 4, 0x060006a3, 0 },
		/* Intel perfmon, SKL: IDQ.MS_SWITCHES. */
		{ "cpu/event=0x79,umask=0x30,cmask=1,edge/", 4, 0x01043079, 0 },
		{ "cpu/event=0x79,umask=0x30,cmask=0x1,edge=1/", 4, 0x01043079, 0 },
		{ "cpu/event=0xb7,umask=1,offcore_rsp=0x3fffc00004/", 4, 0x1b7, 0x3fffc00004 },
		{ "cpu/mem-loads/", 4, 0x1cd, 3 },
		/* The last value counts, and an alias is no more than its terms. */
		{ "cpu/mem-loads,ldlat=30/", 4, 0x1cd, 30 },
		{ "cpu/ldlat=30,mem-loads/", 4, 0x1cd, 3 },
		{ "cpu/event=1,event=2/", 4, 2, 0 },
		{ "cpu/config=0x1b7,config1=0x10,config2=0/", 4, 0x1b7, 0x10 },
		{ "cpu/config=0x1b7,umask=0/", 4, 0xb7, 0 },
		{ "cpu/far=0,event=1/", 4, 1, 0 },
		{ "cpu//", 4, 0, 0 },
		{ "msr/tsc/", 9, 0, 0 },
		{ "software/config=2/", 1, 2, 0 },
		{ "mem-loads", 4, 0x1cd, 3 },
		{ "topdown-slots-issued", 4, 0x10e, 0 },
		{ "tsc", 9, 0, 0 },
		/* A generic name goes before sysfs' of the same name. */
		{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 0 },
		{ "cpu/cache-misses/", 4, 0x412e, 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsed parsed = PARSE_OK(skylake, cases[i].name);
		assert_int_equal(parsed.n_events, 1);
		const struct event *event = &parsed.events[0];
		assert_string_equal(event->name, cases[i].name);
		if (event->attr.type != cases[i].type || event->attr.config != cases[i].config ||
		    event->attr.config1 != cases[i].config1)
			fail_msg("%s: type %u, config %#llx, config1 %#llx", cases[i].name,
				 event->attr.type, (unsigned long long)event->attr.config,
				 (unsigned long long)event->attr.config1);
		assert_null(event->cpus);
		parsed_destroy(&parsed);
	}
}

static void bits_of_one_term_may_lie_apart(void **state)
{
	(void)state;
	/* AMD PPR for Family 19h Model 11h (55901): PMCx1C1; Model 01h: PMCx28F, unit mask 04h. */
	struct parsed parsed = PARSE_OK(zen4, "cpu/event=0x1c1/,cpu/event=0x28f,umask=4/,"
					      "ibs_op/cnt_ctl=1/pp");
	assert_int_equal(parsed.n_events, 3);
	assert_int_equal(parsed.events[0].attr.config, 0x1000000c1);
	assert_int_equal(parsed.events[1].attr.config, 0x20000048f);
	assert_int_equal(parsed.events[2].attr.type, 11);
	assert_int_equal(parsed.events[2].attr.config, 1 << 19);
	assert_int_equal(parsed.events[2].attr.precise_ip, 2);
	parsed_destroy(&parsed);
}

static void terms_may_name_the_event_and_its_rate(void **state)
{
	(void)state;
	static const struct {
		const char *text, *name;
		uint64_t period, frequency;
	} cases[] = {
		{ "cpu/event=0x3c,period=1000/", "cpu/event=0x3c,period=1000/", 1000, 0 },
		{ "cpu/event=0x3c,freq=99/u", "cpu/event=0x3c,freq=99/u", 0, 99 },
		{ "cpu/event=0x3c,name=busy/k", "busy", 0, 0 },
		{ "cpu/event=0x3c/u@2000", "cpu/event=0x3c/u", 2000, 0 },
		{ "cpu/event=0x3c/@f50:k", "cpu/event=0x3c/:k", 0, 50 },
		{ "cycles/period=77,name=slow/", "slow", 77, 0 },
		{ "r1c2/freq=10/u", "r1c2/freq=10/u", 0, 10 },
		{ "cpu/mem-loads,period=1,period=0x10/", "cpu/mem-loads,period=1,period=0x10/", 16,
		  0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsed parsed = PARSE_OK(skylake, cases[i].text);
		assert_int_equal(parsed.n_events, 1);
		assert_string_equal(parsed.events[0].name, cases[i].name);
		assert_int_equal(parsed.events[0].period, cases[i].period);
		assert_int_equal(parsed.events[0].frequency, cases[i].frequency);
		parsed_destroy(&parsed);
	}
}

static void what_the_pmu_does_not_say_is_explained(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum event_error error;
		const char *part;
	} cases[] = {
		{ "cpu/umsk=1/", EVENT_UNKNOWN, "did you mean umask" },
		{ "cpu/mem-load/", EVENT_UNKNOWN, "did you mean mem-loads?" },
		{ "cpu/evnt=/", EVENT_UNKNOWN, "did you mean event?" },
		{ "mem-laods", EVENT_UNKNOWN, "did you mean mem-loads" },
		{ "cpu/=1/", EVENT_UNKNOWN, "no term ''" },
		{ "cpu/event=1,,umask=1/", EVENT_UNKNOWN, "no term or event ''" },
		{ "cpu/umask=0x100/", EVENT_BAD_MODIFIER, "goes up to 0xff" },
		{ "cpu/edge=2/", EVENT_BAD_MODIFIER, "goes up to 0x1" },
		{ "cpu/event=0x10000000000000000/", EVENT_BAD_MODIFIER, "requires a number" },
		{ "cpu/event=99999999999999999999/", EVENT_BAD_MODIFIER, "requires a number" },
		{ "cpu/event=-1/", EVENT_BAD_MODIFIER, "requires a number" },
		{ "cpu/event=0x/", EVENT_BAD_MODIFIER, "requires a number" },
		{ "cpu/event=/", EVENT_BAD_MODIFIER, "requires a number" },
		{ "cpu/event=12a/", EVENT_BAD_MODIFIER, "requires a number" },
		{ "cpu/bad-alias/", EVENT_BAD_MODIFIER, "0x1ff is too large" },
		{ "cpu/alias-of-alias/", EVENT_UNKNOWN, "'mem-loads'" },
		{ "cpu/asks/", EVENT_BAD_MODIFIER, "'core' requires a number" },
		{ "cpu/broken=1/", EVENT_BAD_MODIFIER, "malformed description" },
		{ "cpu/far=1/", EVENT_BAD_MODIFIER, "PMUs which can sample do not have" },
		{ "cpu/../type=1/", EVENT_UNKNOWN, "no term '../type'" },
		{ "cpu/..=1/", EVENT_UNKNOWN, "no term '..'" },
		{ "../event=1/", EVENT_NOT_HERE, "no PMU '..'" },
		{ "cpu/event=1", EVENT_BAD_MODIFIER, "the '/' after its terms is missing" },
		{ "cpu/", EVENT_BAD_MODIFIER, "the '/' after its terms is missing" },
		{ "cpu/event=1/x", EVENT_BAD_MODIFIER, "modifier" },
		{ "cpu/event=1/u:x", EVENT_BAD_MODIFIER, "modifier" },
		{ "cpu/period=0/", EVENT_BAD_MODIFIER, "from 1 to" },
		{ "cpu/freq=5000000000/", EVENT_BAD_MODIFIER, "from 1 to" },
		{ "cpu/name=/", EVENT_BAD_MODIFIER, "name=NAME" },
		{ "cpu/event=1,period=5/@6", EVENT_BAD_MODIFIER, "two rates" },
		{ "cycles/umask=1/", EVENT_BAD_MODIFIER, "name=, period= and freq=" },
		{ "cpu_core/event=1/", EVENT_NOT_HERE,
		  "no PMU 'cpu_core'; its PMUs are: software" },
		{ "cpuu/event=1/", EVENT_NOT_HERE, "did you mean cpu?" },
		{ "uncore_imc_0/event=1/", EVENT_NOT_HERE, "outside of the cores (uncore)" },
		{ "uncore_imc/event=1/", EVENT_NOT_HERE, "outside of the cores (uncore)" },
		{ "power/energy-pkg/", EVENT_NOT_HERE, "cannot be sampled" },
		{ "energy-pkg", EVENT_NOT_HERE, "cannot be sampled" },
		{ "intel_pt/tsc/", EVENT_NOT_HERE, "writes traces" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsed parsed = PARSE(skylake, cases[i].name);
		if (parsed.error != cases[i].error || !parsed.error_text ||
		    !strstr(parsed.error_text, cases[i].part))
			fail_msg("%s: error %d: %s", cases[i].name, parsed.error,
				 parsed.error_text ? parsed.error_text : "no text");
		assert_int_equal(parsed.n_events, 0);
		parsed_destroy(&parsed);
	}
}

static void a_machine_without_a_core_pmu_says_so(void **state)
{
	(void)state;
	static const struct sysfs_file files[] = { { "software/type", "1\n" } };
	struct parsed parsed = PARSE(files, "cpu/event=0x3c/");
	assert_int_equal(parsed.error, EVENT_NOT_HERE);
	assert_non_null(strstr(parsed.error_text, "none of the processor's cores"));
	parsed_destroy(&parsed);
}

static void assert_on(const struct event *event, const char *name, uint32_t type, uint64_t config,
		      int first_cpu, int last_cpu)
{
	assert_string_equal(event->name, name);
	assert_int_equal(event->attr.type, type);
	assert_int_equal(event->attr.config, config);
	assert_int_equal(event->n_cpus, last_cpu - first_cpu + 1);
	assert_int_equal(event->cpus[0], first_cpu);
	assert_int_equal(event->cpus[event->n_cpus - 1], last_cpu);
}

static void hybrid_processors_count_on_each_of_their_pmus(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint32_t core_type, atom_type;
		uint64_t core_config, atom_config;
	} cases[] = {
		{ "cycles", PERF_TYPE_HARDWARE, PERF_TYPE_HARDWARE, 0x400000000, 0xa00000000 },
		{ "instructions:u", PERF_TYPE_HARDWARE, PERF_TYPE_HARDWARE, 0x400000001,
		  0xa00000001 },
		{ "LLC-load-misses", PERF_TYPE_HW_CACHE, PERF_TYPE_HW_CACHE, 0x400010002,
		  0xa00010002 },
		{ "PERF_COUNT_HW_CPU_CYCLES", PERF_TYPE_HARDWARE, PERF_TYPE_HARDWARE, 0x400000000,
		  0xa00000000 },
		{ "r1c2", 4, 10, 0x1c2, 0x1c2 },
		{ "mem-loads", 4, 10, 0x1cd, 0x5d0 },
		{ "cpu/event=0xc0/", 4, 10, 0xc0, 0xc0 },
		{ "cycles/period=9,name=both/", PERF_TYPE_HARDWARE, PERF_TYPE_HARDWARE, 0x400000000,
		  0xa00000000 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsed parsed = PARSE_OK(alder_lake, cases[i].name);
		const char *name = strstr(cases[i].name, "both") ? "both" : cases[i].name;
		assert_int_equal(parsed.n_events, 2);
		assert_on(&parsed.events[0], name, cases[i].core_type, cases[i].core_config, 0, 3);
		assert_on(&parsed.events[1], name, cases[i].atom_type, cases[i].atom_config, 4, 7);
		assert_int_equal(parsed.events[0].period, parsed.events[1].period);
		assert_int_equal(parsed.events[0].leader, 0);
		assert_int_equal(parsed.events[1].leader, 1);
		parsed_destroy(&parsed);
	}
}

static void one_pmu_of_several_can_be_named(void **state)
{
	(void)state;
	struct parsed parsed = PARSE_OK(
		alder_lake, "cpu_atom/event=0xc0/,topdown-retiring,page-faults,cpu-clock:u");
	assert_int_equal(parsed.n_events, 4);
	assert_on(&parsed.events[0], "cpu_atom/event=0xc0/", 10, 0xc0, 4, 7);
	assert_on(&parsed.events[1], "topdown-retiring", 4, 0x8000, 0, 3);
	assert_null(parsed.events[2].cpus);
	assert_null(parsed.events[3].cpus);
	parsed_destroy(&parsed);
}

static void cores_of_arm64_have_pmus_of_their_own(void **state)
{
	(void)state;
	struct parsed parsed = PARSE_OK(big_little, "cycles,l1d_cache_refill,r11:u,"
						    "armv8_cortex_a72/event=0x13/");
	assert_int_equal(parsed.n_events, 7);
	assert_on(&parsed.events[0], "cycles", PERF_TYPE_HARDWARE, 0x700000000, 0, 3);
	assert_on(&parsed.events[1], "cycles", PERF_TYPE_HARDWARE, 0x800000000, 4, 5);
	assert_on(&parsed.events[2], "l1d_cache_refill", 7, 0x03, 0, 3);
	assert_on(&parsed.events[3], "l1d_cache_refill", 8, 0x03, 4, 5);
	assert_on(&parsed.events[4], "r11:u", 7, 0x11, 0, 3);
	assert_on(&parsed.events[5], "r11:u", 8, 0x11, 4, 5);
	assert_on(&parsed.events[6], "armv8_cortex_a72/event=0x13/", 8, 0x13, 4, 5);
	parsed_destroy(&parsed);

	parsed = PARSE_OK(two_pmuv3, "armv8_pmuv3/event=0x11/,armv8_pmuv3_1/event=0x08/");
	assert_int_equal(parsed.n_events, 3);
	assert_on(&parsed.events[0], "armv8_pmuv3/event=0x11/", 8, 0x11, 0, 3);
	assert_on(&parsed.events[1], "armv8_pmuv3/event=0x11/", 9, 0x11, 4, 7);
	assert_on(&parsed.events[2], "armv8_pmuv3_1/event=0x08/", 9, 0x08, 4, 7);
	parsed_destroy(&parsed);
}

static void a_group_is_one_group_on_each_pmu(void **state)
{
	(void)state;
	struct parsed parsed = PARSE_OK(alder_lake, "page-faults,{cycles,instructions,cs}:S");
	assert_int_equal(parsed.n_events, 7);
	static const char *const names[] = { "page-faults", "cycles", "instructions",
					     "cs",          "cycles", "instructions",
					     "cs" };
	static const size_t leaders[] = { 0, 1, 1, 1, 4, 4, 4 };
	for (size_t i = 0; i < 7; i++) {
		assert_string_equal(parsed.events[i].name, names[i]);
		assert_int_equal(parsed.events[i].leader, leaders[i]);
		assert_int_equal(parsed.events[i].reads_group, i == 1 || i == 4);
		assert_int_equal(parsed.events[i].n_cpus, i ? 4 : 0);
		if (i)
			assert_int_equal(parsed.events[i].cpus[0], i < 4 ? 0 : 4);
	}
	parsed_destroy(&parsed);
}

static void a_group_of_one_pmu_stays_on_it(void **state)
{
	(void)state;
	struct parsed parsed = PARSE_OK(alder_lake, "{cpu_core/event=0xc0/,cycles,cs}");
	assert_int_equal(parsed.n_events, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(parsed.events[i].leader, 0);
		assert_int_equal(parsed.events[i].cpus[0], 0);
	}
	parsed_destroy(&parsed);

	/* What the leader is not restricted to, another may be. */
	parsed = PARSE_OK(alder_lake, "{cs,cpu_atom/event=0xc0/}");
	assert_int_equal(parsed.n_events, 2);
	assert_int_equal(parsed.events[0].cpus[0], 4);
	assert_int_equal(parsed.events[1].leader, 0);
	parsed_destroy(&parsed);

	parsed = PARSE(alder_lake, "{cpu_core/event=0xc0/,cpu_atom/event=0xc0/}");
	assert_int_equal(parsed.error, EVENT_BAD_MODIFIER);
	assert_non_null(strstr(parsed.error_text, "other CPUs"));
	assert_int_equal(parsed.n_events, 0);
	parsed_destroy(&parsed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms_go_where_the_format_says),
		cmocka_unit_test(bits_of_one_term_may_lie_apart),
		cmocka_unit_test(terms_may_name_the_event_and_its_rate),
		cmocka_unit_test(what_the_pmu_does_not_say_is_explained),
		cmocka_unit_test(a_machine_without_a_core_pmu_says_so),
		cmocka_unit_test(hybrid_processors_count_on_each_of_their_pmus),
		cmocka_unit_test(one_pmu_of_several_can_be_named),
		cmocka_unit_test(cores_of_arm64_have_pmus_of_their_own),
		cmocka_unit_test(a_group_is_one_group_on_each_pmu),
		cmocka_unit_test(a_group_of_one_pmu_stays_on_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
