#include "perf/kinds/event_names.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cct/base/sentence.h"
#include "perf/events/event_terms.h"
#include "perf/kinds/core_pmus.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* include/uapi/linux/perf_event.h of 5.13; older build machines lack the name. */
#define SW_CGROUP_SWITCHES 11

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} generic_names[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
	{ "bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, SW_CGROUP_SWITCHES },
};

/* The first spelling of each is the one to suggest. */
struct word {
	const char *name;
	uint8_t id;
};

static const struct word caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D }, { "l1-d", PERF_COUNT_HW_CACHE_L1D },
	{ "l1d", PERF_COUNT_HW_CACHE_L1D },       { "L1-data", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I }, { "l1-i", PERF_COUNT_HW_CACHE_L1I },
	{ "l1i", PERF_COUNT_HW_CACHE_L1I },       { "L1-instruction", PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", PERF_COUNT_HW_CACHE_LL },        { "L2", PERF_COUNT_HW_CACHE_LL },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB },     { "d-tlb", PERF_COUNT_HW_CACHE_DTLB },
	{ "Data-TLB", PERF_COUNT_HW_CACHE_DTLB }, { "iTLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "i-tlb", PERF_COUNT_HW_CACHE_ITLB },    { "Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "branch", PERF_COUNT_HW_CACHE_BPU },    { "branches", PERF_COUNT_HW_CACHE_BPU },
	{ "bpu", PERF_COUNT_HW_CACHE_BPU },       { "btb", PERF_COUNT_HW_CACHE_BPU },
	{ "bpc", PERF_COUNT_HW_CACHE_BPU },       { "node", PERF_COUNT_HW_CACHE_NODE },
};

static const struct word operations[] = {
	{ "load", PERF_COUNT_HW_CACHE_OP_READ },
	{ "loads", PERF_COUNT_HW_CACHE_OP_READ },
	{ "read", PERF_COUNT_HW_CACHE_OP_READ },
	{ "store", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "stores", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "write", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-read", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-load", PERF_COUNT_HW_CACHE_OP_PREFETCH },
};

static const struct word results[] = {
	{ "refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "Reference", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "ops", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "access", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "misses", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "miss", PERF_COUNT_HW_CACHE_RESULT_MISS },
};

#define READ     (1 << PERF_COUNT_HW_CACHE_OP_READ)
#define WRITE    (1 << PERF_COUNT_HW_CACHE_OP_WRITE)
#define PREFETCH (1 << PERF_COUNT_HW_CACHE_OP_PREFETCH)

/* The operations that each cache has. */
static const uint8_t cache_operations[] = {
	[PERF_COUNT_HW_CACHE_L1D] = READ | WRITE | PREFETCH,
	[PERF_COUNT_HW_CACHE_L1I] = READ | PREFETCH,
	[PERF_COUNT_HW_CACHE_LL] = READ | WRITE | PREFETCH,
	[PERF_COUNT_HW_CACHE_DTLB] = READ | WRITE | PREFETCH,
	[PERF_COUNT_HW_CACHE_ITLB] = READ,
	[PERF_COUNT_HW_CACHE_BPU] = READ,
	[PERF_COUNT_HW_CACHE_NODE] = READ | WRITE | PREFETCH,
};

/*
 * Reads the longest word of @words that @name starts with, up to the end or a '-', which is read,
 * too.
 */
static bool take_word(const char **name, const char *end, const struct word *words, size_t n_words,
		      uint8_t *id_ret)
{
	size_t longest = 0;
	for (size_t i = 0; i < n_words; i++) {
		size_t length = strlen(words[i].name);
		if (length <= longest || length > (size_t)(end - *name) ||
		    strncasecmp(*name, words[i].name, length) != 0)
			continue;
		if (*name + length != end && (*name)[length] != '-')
			continue;
		longest = length;
		*id_ret = words[i].id;
	}
	if (longest == 0)
		return false;
	*name += longest;
	if (*name != end)
		(*name)++;
	return true;
}

static bool find_cache_event(const char *name, size_t length, struct perf_event_attr *attr)
{
	const char *end = name + length;
	uint8_t cache;
	if (length == 0 || end[-1] == '-' ||
	    !take_word(&name, end, caches, ARRAY_SIZE(caches), &cache))
		return false;

	/* The operation and the result, in any order. The default is read accesses. */
	uint8_t operation = PERF_COUNT_HW_CACHE_OP_READ;
	uint8_t result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	bool has_result = take_word(&name, end, results, ARRAY_SIZE(results), &result);
	take_word(&name, end, operations, ARRAY_SIZE(operations), &operation);
	if (!has_result)
		take_word(&name, end, results, ARRAY_SIZE(results), &result);
	if (name != end || !(cache_operations[cache] & 1 << operation))
		return false;
	attr->type = PERF_TYPE_HW_CACHE;
	attr->config = cache | operation << 8 | result << 16;
	return true;
}

bool event_names_find_generic(const char *name, size_t length, struct perf_event_attr *attr)
{
	for (size_t i = 0; i < ARRAY_SIZE(generic_names); i++) {
		if (strlen(generic_names[i].name) != length ||
		    strncasecmp(generic_names[i].name, name, length) != 0)
			continue;
		attr->type = generic_names[i].type;
		attr->config = generic_names[i].config;
		return true;
	}
	return find_cache_event(name, length, attr);
}

/* rNNNN: the hexadecimal digits are the processor's encoding of the event. */
static bool find_raw_event(const char *name, size_t length, struct perf_event_attr *attr)
{
	if (length < 2 || length > 17 || name[0] != 'r')
		return false;
	uint64_t config = 0;
	for (size_t i = 1; i < length; i++) {
		if (!isxdigit((unsigned char)name[i]))
			return false;
		int digit = tolower((unsigned char)name[i]);
		config = config << 4 | (uint64_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
	}
	attr->type = PERF_TYPE_RAW;
	attr->config = config;
	return true;
}

typedef bool name_finder(const char *name, size_t length, struct perf_event_attr *attr);

/* "cycles/period=1000,name=fast/": only terms that do not depend on a PMU. */
static enum event_error apply_terms(const char *name, const char *slash, struct event *event,
				    char **error_ret)
{
	const char *text = slash + 1, *end = name + strlen(name) - 1;
	struct event_term term;
	enum event_error error = end > slash && *end == '/' ? EVENT_OK : EVENT_UNKNOWN;
	while (error == EVENT_OK && event_terms_next(&text, end, &term))
		error = event_term_apply(&term, event, error_ret);
	if (error == EVENT_UNKNOWN && !*error_ret)
		return event_fail(EVENT_BAD_MODIFIER, error_ret,
				  sentence("The event '%s' may have the terms name=, period= and "
					   "freq= between two slashes.",
					   name));
	return error;
}

static enum event_error find(name_finder *finder, const struct event_places *places,
			     const char *name, struct event_list *found, char **error_ret)
{
	struct perf_event_attr attr = { .type = 0 };
	size_t length = strcspn(name, "/");
	if (!finder(name, length, &attr))
		return EVENT_UNKNOWN;
	struct event *event = event_list_add(found);
	if (!event)
		return EVENT_NO_MEMORY;
	event->attr = attr;
	enum event_error error = core_pmus_spread(places, found);
	for (size_t i = 0; i < found->n_events && name[length] && error == EVENT_OK; i++)
		error = apply_terms(name, name + length, &found->events[i], error_ret);
	return error;
}

static enum event_error find_generic(const struct event_places *places, const char *name,
				     struct event_list *found, char **error_ret)
{
	return find(event_names_find_generic, places, name, found, error_ret);
}

static enum event_error find_raw(const struct event_places *places, const char *name,
				 struct event_list *found, char **error_ret)
{
	return find(find_raw_event, places, name, found, error_ret);
}

static const struct {
	const char *name, *description;
	uint8_t operation;
} cache_endings[] = {
	{ "loads", "loads", READ },
	{ "load-misses", "loads that miss", READ },
	{ "stores", "stores", WRITE },
	{ "store-misses", "stores that miss", WRITE },
	{ "prefetches", "prefetches", PREFETCH },
	{ "prefetch-misses", "prefetches that miss", PREFETCH },
};

static void offer_cache_events(struct near_names *near, const char *cache, uint8_t allowed)
{
	for (size_t i = 0; i < ARRAY_SIZE(cache_endings); i++) {
		if (!(allowed & cache_endings[i].operation))
			continue;
		char name[NEAR_NAME_SIZE];
		snprintf(name, sizeof(name), "%s-%s", cache, cache_endings[i].name);
		near_names_offer(near, name);
	}
}

static void offer_all(const struct event_places *places, struct near_names *near)
{
	(void)places;
	for (size_t i = 0; i < ARRAY_SIZE(generic_names); i++)
		near_names_offer(near, generic_names[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(caches); i++)
		if (i == 0 || caches[i].id != caches[i - 1].id)
			offer_cache_events(near, caches[i].name, cache_operations[caches[i].id]);
}

const struct event_kind generic_event_kind = { find_generic, offer_all };
const struct event_kind raw_event_kind = { find_raw, NULL };

static const char *const hardware_descriptions[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cycles of the processor, while it does not sleep",
	[PERF_COUNT_HW_INSTRUCTIONS] = "instructions completed",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "accesses to the last-level cache",
	[PERF_COUNT_HW_CACHE_MISSES] = "accesses that missed the last-level cache",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches completed",
	[PERF_COUNT_HW_BRANCH_MISSES] = "branches predicted wrongly",
	[PERF_COUNT_HW_BUS_CYCLES] = "cycles of the bus, at its own rate",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "cycles without instructions to begin with",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "cycles waiting for data or for a unit",
	[PERF_COUNT_HW_REF_CPU_CYCLES] = "cycles at a constant rate, whatever the clock is now",
};

static const char *const software_descriptions[] = {
	[PERF_COUNT_SW_CPU_CLOCK] = "time on the CPU in ns, by a timer of each CPU",
	[PERF_COUNT_SW_TASK_CLOCK] = "time on the CPU in ns, by each thread's own clock",
	[PERF_COUNT_SW_PAGE_FAULTS] = "page faults, minor and major",
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = "the CPU goes to another thread",
	[PERF_COUNT_SW_CPU_MIGRATIONS] = "a thread goes to another CPU",
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "page faults that need no disk",
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "page faults that wait for a disk",
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = "misaligned accesses that the kernel repairs",
	[PERF_COUNT_SW_EMULATION_FAULTS] = "instructions that the kernel emulates",
	[PERF_COUNT_SW_DUMMY] = "nothing: mappings and names alone",
	[PERF_COUNT_SW_BPF_OUTPUT] = "what BPF programs write",
	[SW_CGROUP_SWITCHES] = "the CPU goes to another cgroup",
};

static const char *describe(uint32_t type, uint64_t config)
{
	if (type == PERF_TYPE_HARDWARE)
		return config < ARRAY_SIZE(hardware_descriptions) ? hardware_descriptions[config]
								  : "";
	return config < ARRAY_SIZE(software_descriptions) ? software_descriptions[config] : "";
}

static bool is_same_event(size_t a, size_t b)
{
	return generic_names[a].type == generic_names[b].type &&
	       generic_names[a].config == generic_names[b].config;
}

/* Adds a name together with the following names that are aliases. */
static int list_generic_name(struct event_catalog *catalog, size_t index)
{
	char aliases[256] = "";
	size_t length = 0;

	for (size_t i = index + 1; i < ARRAY_SIZE(generic_names); i++) {
		if (is_same_event(i, index) && length < sizeof(aliases))
			length += snprintf(aliases + length, sizeof(aliases) - length, "%s%s",
					   length ? ", " : "", generic_names[i].name);
	}
	return event_catalog_add(catalog,
				 generic_names[index].type == PERF_TYPE_HARDWARE ? CATALOG_HARDWARE
										 : CATALOG_SOFTWARE,
				 generic_names[index].name, length ? aliases : NULL,
				 describe(generic_names[index].type, generic_names[index].config));
}

static int list_cache_events(struct event_catalog *catalog, const char *cache, uint8_t id)
{
	static const char *const names[] = { "L1 data cache",
					     "L1 instruction cache",
					     "last-level cache",
					     "TLB of data",
					     "TLB of instructions",
					     "branch predictor",
					     "memory of the own NUMA node" };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cache_endings) && !err; i++) {
		if (!(cache_operations[id] & cache_endings[i].operation))
			continue;
		char name[NEAR_NAME_SIZE], description[NEAR_NAME_SIZE];
		snprintf(name, sizeof(name), "%s-%s", cache, cache_endings[i].name);
		snprintf(description, sizeof(description), "%s: %s", names[id],
			 cache_endings[i].description);
		err = event_catalog_add(catalog, CATALOG_CACHE, name, NULL, description);
	}
	return err;
}

int event_names_list(struct event_catalog *catalog)
{
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(generic_names) && !err; i++) {
		size_t first = 0;

		while (!is_same_event(first, i))
			first++;
		if (first == i)
			err = list_generic_name(catalog, i);
	}
	for (size_t i = 0; i < ARRAY_SIZE(caches) && !err; i++)
		if (i == 0 || caches[i].id != caches[i - 1].id)
			err = list_cache_events(catalog, caches[i].name, caches[i].id);
	return err;
}
