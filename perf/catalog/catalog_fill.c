#include "perf/catalog/catalog_fill.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/sentence.h"
#include "perf/catalog/event_parse.h"
#include "perf/counters/attr_fallback.h"
#include "perf/counters/evlist.h"
#include "perf/counters/refusal.h"
#include "perf/kinds/event_names.h"
#include "perf/kinds/event_shorthands.h"
#include "perf/kinds/off_cpu_event.h"
#include "perf/kinds/pfm/pfm_names.h"
#include "perf/kinds/pmu_events.h"
#include "perf/kinds/tracepoint.h"

/* Opens the event for sampling on this thread, and closes it. 0 or -errno. */
static int try_once(const struct perf_event_attr *attr)
{
	struct perf_event_attr tried = *attr;

	tried.size = sizeof(tried);
	tried.sample_period = INT32_MAX;
	tried.disabled = 1;
	/* A recording samples raw data, which needs more privilege than counting. */
	if (tried.type == PERF_TYPE_TRACEPOINT)
		tried.sample_type = PERF_SAMPLE_RAW;
	int fd = evlist_real_syscalls.open(NULL, &tried, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int try_event(const struct perf_event_attr *attr, bool *user_only_ret)
{
	struct perf_event_attr tried = *attr;
	int err = try_once(&tried);

	*user_only_ret = (err == -EACCES || err == -EPERM) && attr_leave_out_kernel(&tried);
	return *user_only_ret ? try_once(&tried) : err;
}

static char *explain(const struct event *event, int err, const struct perf_limits *limits)
{
	const struct refused_event refused = {
		.name = event->name,
		.attr = &event->attr,
		.target = EVLIST_COMMAND,
		.is_probe = event->probed_path,
	};
	enum refusal_gate gate;

	switch (err) {
	case -EACCES:
	case -EPERM:
	case -ENOSYS:
		gate = refusal_gate_try(&evlist_real_syscalls, limits);
		return gate == GATE_OPEN ? refusal_sentence(&refused, limits)
					 : refusal_gate_sentence(gate, limits);
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENODEV:
	case -ENXIO:
		return sentence("This machine has no counter for it that can be sampled (virtual "
				"machines have what their host passes on).");
	default:
		return event->attr.type >= PERF_TYPE_MAX && !event->probed_path
			       ? sentence("Its PMU counts, but does not sample.")
			       : sentence("The kernel refuses it: %s.", strerror(-err));
	}
}

static int judge_event(const struct event *event, const struct perf_limits *limits,
		       struct catalog_kind_state *state)
{
	bool user_only;
	int err = try_event(&event->attr, &user_only);

	state->is_recordable = !err;
	if (err)
		state->note = explain(event, err, limits);
	else if (user_only)
		state->note = sentence("In user mode only, because kernel.perf_event_paranoid "
				       "is %d and CAP_PERFMON is missing.",
				       limits->paranoid);
	else
		return 0;
	return state->note ? 0 : -ENOMEM;
}

/* Whether the representative of its kind can be recorded: opens every event that its name means. */
static int judge_by(const char *example, const struct perf_limits *limits,
		    struct catalog_kind_state *state)
{
	struct event *events = NULL;
	size_t n_events = 0;
	char *error_text = NULL;
	enum event_error error = event_parse(example, &events, &n_events, &error_text);
	int err = error == EVENT_NO_MEMORY ? -ENOMEM : 0;

	*state = (struct catalog_kind_state){ .is_recordable = error == EVENT_OK,
					      .note = error_text };
	for (size_t i = 0; i < n_events && !err && state->is_recordable && !state->note; i++)
		err = judge_event(&events[i], limits, state);
	events_destroy(events, n_events);
	return err;
}

/* A word of our own memory. */
static char *breakpoint_example(void)
{
	static long watched;

	return sentence("mem:%p/%zu:w", (void *)&watched, sizeof(watched));
}

/* The first one that exists. Where none can be listed, looking its name up gives the reason. */
static const char *tracepoint_example(const struct event_catalog *catalog)
{
	for (size_t i = 0; i < catalog->n_entries; i++)
		if (catalog->entries[i].kind == CATALOG_TRACEPOINT &&
		    !catalog->entries[i].is_spelling)
			return catalog->entries[i].name;
	return "sched:sched_switch";
}

static int judge_kinds(struct event_catalog *catalog, const struct perf_limits *limits)
{
	char *breakpoint = breakpoint_example();
	const char *const examples[CATALOG_N_KINDS] = {
		[CATALOG_HARDWARE] = "cycles",
		[CATALOG_CACHE] = "cycles",
		[CATALOG_SOFTWARE] = "cpu-clock",
		[CATALOG_PROCESSOR] = "cycles",
		[CATALOG_TRACEPOINT] = tracepoint_example(catalog),
		[CATALOG_PROBE] = "call:libc:malloc",
		[CATALOG_BREAKPOINT] = breakpoint,
	};
	int err = breakpoint ? 0 : -ENOMEM;

	for (int i = 0; i < CATALOG_N_KINDS && !err; i++)
		if (examples[i])
			err = judge_by(examples[i], limits, &catalog->kinds[i]);
	free(breakpoint);
	return err;
}

/* If one event of a PMU can be opened, all of them can. */
static bool is_same_pmu(const struct catalog_entry *a, const struct catalog_entry *b)
{
	size_t length = strcspn(a->name, "/");

	return a->kind == CATALOG_PMU && b->kind == CATALOG_PMU &&
	       strncmp(a->name, b->name, length + 1) == 0;
}

static int judge_entry(struct catalog_entry *entry, const struct catalog_entry *last,
		       const struct perf_limits *limits)
{
	struct catalog_kind_state state;

	if (last && is_same_pmu(last, entry)) {
		entry->is_recordable = last->is_recordable;
		entry->note = last->note ? strdup(last->note) : NULL;
		return entry->note || !last->note ? 0 : -ENOMEM;
	}
	int err = judge_by(entry->name, limits, &state);
	entry->is_recordable = state.is_recordable;
	entry->note = state.note;
	return err;
}

/* Each resource has separate events, and so has each PMU. A kind is unavailable if none of its
 * events can be opened. */
static int judge_singly(struct event_catalog *catalog, enum catalog_kind which,
			const struct perf_limits *limits)
{
	struct catalog_kind_state *kind = &catalog->kinds[which];
	const struct catalog_entry *last = NULL;
	const char *first_note = NULL;

	for (size_t i = 0; i < catalog->n_entries; i++) {
		struct catalog_entry *entry = &catalog->entries[i];

		if (entry->kind != which || entry->is_spelling)
			continue;
		int err = judge_entry(entry, last, limits);
		if (err)
			return err;
		kind->is_recordable |= entry->is_recordable;
		first_note = first_note ? first_note : entry->note;
		last = entry;
	}
	if (kind->is_recordable || !first_note)
		return 0;
	kind->note = strdup(first_note);
	return kind->note ? 0 : -ENOMEM;
}

static bool can_record(const char *name)
{
	struct event *events = NULL;
	size_t n_events = 0;
	char *error_text = NULL;
	bool can = event_parse(name, &events, &n_events, &error_text) == EVENT_OK, user_only;

	for (size_t i = 0; i < n_events && can; i++)
		can = try_event(&events[i].attr, &user_only) == 0;
	events_destroy(events, n_events);
	free(error_text);
	return can;
}

/* No processor has all generic events. There are few of them, so each is tried. */
static bool is_worth_trying(const struct catalog_entry *entry)
{
	return entry->kind == CATALOG_HARDWARE || entry->kind == CATALOG_CACHE;
}

static bool is_judged_singly(const struct catalog_entry *entry)
{
	return entry->kind == CATALOG_RESOURCE ||
	       (entry->kind == CATALOG_PMU && !entry->is_spelling);
}

static void judge_entries(struct event_catalog *catalog)
{
	for (size_t i = 0; i < catalog->n_entries; i++) {
		struct catalog_entry *entry = &catalog->entries[i];

		if (is_judged_singly(entry))
			continue;
		entry->is_recordable = catalog->kinds[entry->kind].is_recordable;
		if (entry->is_recordable && is_worth_trying(entry))
			entry->is_recordable = can_record(entry->name);
	}
}

static int list_resources(struct event_catalog *catalog)
{
	const char *name, *description;

	for (size_t i = 0; (name = event_shorthand_name(i, &description)); i++) {
		int err = event_catalog_add(catalog, CATALOG_RESOURCE, name, NULL, description);
		if (err)
			return err;
	}
	return event_catalog_add(catalog, CATALOG_RESOURCE, OFF_CPU_EVENT_NAME, NULL,
				 "time that threads wait, in ns: blocked, for I/O, preempted");
}

/* The notations that users fill in come first in their kind. */
static int list_spellings(struct event_catalog *catalog)
{
	static const struct {
		enum catalog_kind kind;
		const char *spelling, *description;
	} spellings[] = {
		{ CATALOG_PROCESSOR, "rNNNN", "the processor's own encoding, in hexadecimal" },
		{ CATALOG_TRACEPOINT, "SYSTEM:NAME/weight=FIELD,unit=bytes/",
		  "a tracepoint whose samples weigh the value of an integer field" },
		{ CATALOG_PROBE, "call:LIB:FUNCTION",
		  "calls of a function of a library or program; with -c N every Nth call" },
		{ CATALOG_PROBE, "uprobe:LIB:FUNCTION/weight=arg1,unit=bytes/",
		  "calls weighed by the value of an argument, or by a product: arg1*arg2" },
		{ CATALOG_PROBE, "uprobe:LIB:FUNCTION/value=p->kind,weight=n/",
		  "calls divided or weighed by expressions, fetched at the entry (debug "
		  "information)" },
		{ CATALOG_PROBE, "usdt:PROGRAM:PROVIDER:NAME/value=arg1/",
		  "static probes of a program; 'dendro list usdt:PROGRAM' shows them" },
		{ CATALOG_PROBE, "uretprobe:LIB:FUNCTION", "returns of a function" },
		{ CATALOG_BREAKPOINT, "mem:ADDRESS[/LENGTH][:ACCESS]",
		  "accesses to 1, 2, 4 or 8 bytes: r, w, rw; or x, execution there" },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]) && !err; i++)
		err = event_catalog_add_spelling(catalog, spellings[i].kind, spellings[i].spelling,
						 spellings[i].description);
	return err;
}

static const struct event_places here = { .sysfs = "/sys" };

static int list_all(struct event_catalog *catalog, bool with_parts)
{
	int err = list_spellings(catalog);
	if (err)
		return err;
	err = event_names_list(catalog);
	if (err)
		return err;
	err = list_resources(catalog);
	if (err)
		return err;
	err = pfm_names_list(catalog, with_parts);
	if (err)
		return err;
	err = pmu_events_list(&here, catalog);
	return err ? err : tracepoint_list(catalog, with_parts);
}

static int fill(struct event_catalog *catalog, const struct perf_limits *limits, bool with_parts)
{
	int err = list_all(catalog, with_parts);
	if (err)
		return err;
	err = judge_kinds(catalog, limits);
	if (err)
		return err;
	err = judge_singly(catalog, CATALOG_RESOURCE, limits);
	if (err)
		return err;
	err = judge_singly(catalog, CATALOG_PMU, limits);
	if (err)
		return err;
	judge_entries(catalog);
	return 0;
}

struct event_catalog *catalog_fill_create(const struct perf_limits *limits, bool with_parts)
{
	struct event_catalog *catalog = calloc(1, sizeof(*catalog));

	if (!catalog || fill(catalog, limits, with_parts) == 0)
		return catalog;
	event_catalog_destroy(catalog);
	return NULL;
}

static bool needs_counters(const struct catalog_entry *entry)
{
	return is_worth_trying(entry) || entry->kind == CATALOG_PROCESSOR;
}

static int list_names(struct event_catalog *catalog)
{
	bool has_counters = can_record("cycles");
	int err = list_all(catalog, false);

	for (size_t i = 0; i < catalog->n_entries; i++)
		catalog->entries[i].is_recordable =
			has_counters || !needs_counters(&catalog->entries[i]);
	return err;
}

struct event_catalog *catalog_names_create(void)
{
	struct event_catalog *catalog = calloc(1, sizeof(*catalog));

	if (!catalog || list_names(catalog) == 0)
		return catalog;
	event_catalog_destroy(catalog);
	return NULL;
}
