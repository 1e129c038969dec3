#include "collector/record/recording_events.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/text/near_names.h"
#include "collector/record/follow/follow_link.h"
#include "collector/record/live/cgroups.h"
#include "collector/record/live/targets.h"
#include "collector/record/probe_values.h"
#include "perf/kernel/debug_registers.h"
#include "perf/kernel/tracefs.h"
#include "perf/kinds/probe_events.h"
#include "perf/rings/ring_size.h"

/* Threads may appear while we attach. In a program that starts threads forever, we give up. */
#define MAX_RESCANS 20

static int check_proc(struct recording_notes *notes)
{
	if (access("/proc/self/stat", F_OK) == 0)
		return 0;
	return recording_notes_explain(
		notes, -ENOENT, "/proc is not mounted here: run 'mount -t proc proc /proc'.");
}

static int find_cpus(struct recording_events *events, const struct recorder_options *options,
		     struct recording_notes *notes)
{
	const struct int_list *asked = &options->cpus;

	int err = targets_online_cpus(&events->cpus);
	if (err)
		return recording_notes_explain(
			notes, err, "cannot read which CPUs are online: %s.%s", strerror(-err),
			err == -ENOENT ? " If /sys is not mounted, run 'mount -t sysfs sysfs /sys'."
				       : "");
	if (!asked->n)
		return 0;
	for (size_t i = 0; i < asked->n; i++) {
		size_t at = 0;

		while (at < events->cpus.n && events->cpus.values[at] != asked->values[i])
			at++;
		if (at == events->cpus.n)
			return recording_notes_explain(notes, -ENODEV, "CPU %d is not online (-C).",
						       asked->values[i]);
	}
	memcpy(events->cpus.values, asked->values, asked->n * sizeof(int));
	events->cpus.n = asked->n;
	return 0;
}

static int explain_missing(struct recording_notes *notes, int err, const char *task, char option,
			   pid_t missing)
{
	if (!missing)
		return recording_notes_explain(notes, err,
					       "cannot record %s 0 (-%c): it is the idle task of "
					       "each CPU. Use -a to record "
					       "the whole machine.",
					       task, option);
	return recording_notes_explain(notes, err, "cannot record %s %d (-%c): %s.", task, missing,
				       option, strerror(-err));
}

static int explain_name(const char *name, const struct process_table *table,
			struct recording_notes *notes)
{
	struct near_names near;

	near_names_init(&near, name, strlen(name));
	for (size_t i = 0; i < table->n; i++)
		near_names_offer(&near, table->entries[i].comm);
	_cleanup_free_ char *question = near_names_question(&near);
	return recording_notes_explain(notes, -ESRCH, "no process has the name '%s' (-p)%s", name,
				       question && *question ? question : ".");
}

/* Adds the chosen processes that run now to the known ones. Without names and trees in the choice,
 * all are known from the start. */
static int find_processes(struct recording_events *events, const struct process_choice *choice,
			  struct recording_notes *notes)
{
	struct process_table table = { 0 };
	const char *missing = NULL;
	int err = 0;

	if (!process_choice_needs_table(choice) && events->pids.n)
		return 0;
	if (process_choice_needs_table(choice))
		err = process_table_read("/proc", &table);
	if (!err)
		err = process_choice_find(choice, &table, getpid(), &events->pids, &missing);
	if (missing)
		explain_name(missing, &table, notes);
	else if (err)
		recording_notes_explain(notes, err, "cannot find the processes of -p: %s.",
					strerror(-err));
	process_table_deinit(&table);
	return err;
}

static int find_chosen(struct recording_events *events, const struct process_choice *choice,
		       struct recording_notes *notes)
{
	pid_t missing = 0;
	int err = find_processes(events, choice, notes);

	if (err)
		return err;
	/* A process that was found a moment ago may be gone, but not one that the user named. */
	err = choice->pids.n ? targets_threads(&choice->pids, &events->tids, &missing) : 0;
	if (err)
		return explain_missing(notes, err, "process", 'p', missing);
	err = targets_add_threads(&events->pids, &events->tids);
	return err ? recording_notes_explain(notes, err, "cannot record processes (-p): %s.",
					     strerror(-err))
		   : 0;
}

/* The kernel counts in the cgroup, or its processes are recorded. */
static int find_cgroup(struct recording_events *events, const struct recorder_options *options,
		       struct recording_notes *notes)
{
	int err = recording_cgroup_find(options, events->cpus.values[0], notes, &events->cgroup);
	if (err)
		return err;
	events->is_system_wide = events->cgroup.is_counted;
	err = cgroup_add_processes(events->cgroup.path, &events->pids);
	if (!err && !events->is_system_wide)
		err = targets_add_threads(&events->pids, &events->tids);
	if (err || events->tids.n || events->is_system_wide)
		return err;
	return recording_notes_explain(notes, -ESRCH, "no process is in the cgroup %s.",
				       events->cgroup.path);
}

static int find_tasks(struct recording_events *events, const struct recorder_options *options,
		      struct recording_notes *notes)
{
	pid_t missing = 0;

	if (!process_choice_is_empty(&options->processes))
		return find_chosen(events, &options->processes, notes);
	if (recorder_options_have_cgroup(options))
		return find_cgroup(events, options, notes);
	int err = targets_processes(&options->tids, &events->pids, &missing);
	return err ? explain_missing(notes, err, "thread", 't', missing) : 0;
}

int recording_events_find(struct recording_events *events, const struct recorder_options *options,
			  struct recording_notes *notes)
{
	int err = check_proc(notes);

	if (!err)
		err = find_cpus(events, options, notes);
	events->is_system_wide = options->is_system_wide;
	if (!err && recorder_options_are_attached(options))
		err = find_tasks(events, options, notes);
	/* If it is unknown which they are, they are not recorded. */
	if (!err && events->is_system_wide && !options->cpus.n &&
	    targets_absent_cpus(&events->cpus, &events->absent_cpus) == -ENOMEM)
		err = -ENOMEM;
	return err;
}

/* How many threads were added that have appeared since, or -errno. A chosen name that no process
 * has any more is not an error now. */
static int add_new_threads(struct recording_events *events, const struct recorder_options *options)
{
	struct recording_notes unwanted = { 0 };

	int err = events->cgroup.path ? cgroup_add_processes(events->cgroup.path, &events->pids)
				      : find_processes(events, &options->processes, &unwanted);
	recording_notes_deinit(&unwanted);
	if (err && err != -ESRCH)
		return err;
	err = targets_add_threads(&events->pids, &events->tids);
	return err ? err : evlist_add_tids(events->evlist, events->tids.values, events->tids.n);
}

/*
 * Attaches to threads and processes that appeared while events were opened. Whoever is started by a
 * thread that has its events inherits them. So when a look at /proc finds nobody else, nobody is
 * missing that was started, or whose parent was alive, when the events of its parent were opened.
 */
static int rescan(struct recording_events *events, const struct recorder_options *options,
		  struct recording_notes *notes)
{
	int n_added = events->is_system_wide || !events->tids.n ? 0 : 1;

	for (int i = 0; n_added > 0 && i < MAX_RESCANS; i++) {
		n_added = add_new_threads(events, options);
		if (n_added < 0)
			return recording_notes_explain(notes, n_added,
						       "cannot open events on new threads: %s.",
						       strerror(-n_added));
	}
	if (n_added > 0)
		recording_notes_add(
			notes, false,
			"new threads keep appearing faster than dendro can attach to them. Threads "
			"that recorded threads start from now on are recorded.");
	return 0;
}

static bool has_probes(const struct recorder_options *options)
{
	for (size_t i = 0; i < options->n_events; i++)
		if (options->events[i].probed_path)
			return true;
	return false;
}

static int explain_needed(const struct recorder_options *options, int err,
			  struct recording_notes *notes)
{
	for (size_t i = 0; i < options->n_events; i++) {
		const struct event *event = &options->events[i];

		if (!probe_needs_tracefs(event))
			continue;
		_cleanup_free_ char *why = err == -ENOENT || err == -EACCES || err == -EPERM
						   ? tracefs_explain(err)
						   : NULL;
		return recording_notes_explain(notes, err,
					       "cannot record '%s': its probe is made through "
					       "uprobe_events of tracefs. %s%s",
					       event->name, why ? why : "The kernel refuses it: ",
					       why ? "" : strerror(-err));
	}
	return 0;
}

/*
 * Makes probes tracepoints, because new threads and children inherit only those; other probes can
 * be nothing else. 0, or -errno, which the notes explain.
 */
static int prepare_probes(const struct recording_events *events,
			  const struct recorder_options *options, struct recording_notes *notes)
{
	const bool only_needed = events->is_system_wide || options->no_inherit;

	if (!has_probes(options))
		return 0;
	int err = probe_values_find(options->events, options->n_events, notes);
	if (err)
		return err;
	err = probe_events_add(options->events, options->n_events, only_needed);
	if (!err)
		return 0;
	int needed = explain_needed(options, err, notes);
	if (needed)
		return needed;
	recording_notes_add(notes, false,
			    "calls are counted in %s only, not in new threads and children, which "
			    "require tracefs and root (uprobe_events: %s).",
			    recorder_options_are_attached(options) ? "threads that run already"
								   : "the command's first thread",
			    strerror(-err));
	return 0;
}

/* What is recorded instead of what could not be, in one note. */
static void note_fallbacks(const struct recording_events *events,
			   const struct recorder_options *options, const struct perf_limits *limits,
			   struct recording_notes *notes)
{
	if (events->evlist->user_only)
		recording_notes_add(
			notes, false,
			"Only user mode is recorded, because kernel.perf_event_paranoid "
			"is %d and CAP_PERFMON is missing (sysctl "
			"kernel.perf_event_paranoid=1 permits kernel mode, too)%s.",
			limits->paranoid,
			options->is_fallback ? "; and cpu-clock (time) instead of cycles, because "
					       "this machine has no hardware counters"
					     : "");
	else if (options->is_fallback)
		recording_notes_add(notes, false,
				    "this machine has no hardware counters: cpu-clock (time) is "
				    "recorded instead of cycles.");
}

static bool has_breakpoints(const struct evlist *evlist)
{
	for (size_t i = 0; i < evlist->n_events; i++) {
		if (evlist->events[i].attr.type == PERF_TYPE_BREAKPOINT)
			return true;
	}
	return false;
}

/* The kernel opens them all the same. */
static void note_breakpoints(const struct recording_events *events, struct recording_notes *notes)
{
	if (has_breakpoints(events->evlist) && !debug_registers_work())
		recording_notes_add(notes, false,
				    "debug registers do nothing in this virtual machine, so no "
				    "access to memory (mem:) is seen.");
}

static int open_evlist(struct recording_events *events, const struct recorder_options *options,
		       const struct perf_limits *limits, struct evlist_options *evlist_options,
		       struct recording_notes *notes)
{
	int err = evlist_open(evlist_options, options->events, options->n_events, limits,
			      &events->evlist, &notes->error);
	/* The mlock limit may keep the rings so small that they hold only a few whole stacks. */
	if (err || !events->evlist->ring_shrunk || options->has_stack_size ||
	    evlist_options->stack_size <= STACK_COPY_LEAST)
		return err;
	evlist_close(steal_ptr(events->evlist));
	evlist_options->stack_size = STACK_COPY_LEAST;
	err = evlist_open(evlist_options, options->events, options->n_events, limits,
			  &events->evlist, &notes->error);
	/* What is too deep for the copies is counted in the report. */
	recording_notes_add(notes, true,
			    "only %d KiB of each stack are copied, so that the small rings "
			    "hold enough samples; --stack-size copies more.",
			    STACK_COPY_LEAST >> 10);
	return err;
}

/* The report counts what is too deep for the copies. */
static void note_stack_size(const struct recording_events *events,
			    const struct evlist_options *evlist_options,
			    struct recording_notes *notes)
{
	uint32_t size = events->evlist->events[0].attr.sample_stack_user;

	if (size && size < evlist_options->stack_size)
		recording_notes_add(notes, true,
				    "%" PRIu32
				    " KiB of each stack are copied, because at this rate "
				    "more could not be read in time; --stack-size copies more.",
				    size >> 10);
}

static enum evlist_wake choose_wake(const struct recording_events *events,
				    const struct recorder_options *options)
{
	/* Of the whole machine, these would be too many. */
	if (options->follow && !events->is_system_wide)
		return EVLIST_WAKE_AT_ONCE;
	return options->interval_ns ? EVLIST_WAKE_LATE : EVLIST_WAKE_EARLY;
}

int recording_events_open(struct recording_events *events, const struct recorder_options *options,
			  pid_t command_pid, struct recording_notes *notes)
{
	const struct int_list *tids = options->tids.n ? &options->tids : &events->tids;
	struct perf_limits limits;
	struct evlist_options evlist_options = {
		.target = events->is_system_wide                   ? EVLIST_SYSTEM
			  : recorder_options_are_attached(options) ? EVLIST_TASKS
								   : EVLIST_COMMAND,
		.cgroup_fd = events->cgroup.is_counted ? &events->cgroup.fd : NULL,
		.cpus = events->cpus.values,
		.n_cpus = events->cpus.n,
		.absent_cpus = events->absent_cpus.values,
		.n_absent_cpus = events->absent_cpus.n,
		.frequency = options->frequency,
		.period = options->period,
		.has_rate = options->has_rate,
		.stack_size = options->stack_size,
		.may_copy_less = !options->has_stack_size,
		.ring_size = options->ring_size,
		.no_inherit = options->no_inherit,
		.start_disabled = options->delay_ns != 0 || options->starts_disabled,
		.jitter = options->jitter,
		.branch_filter = options->branch_filter,
		.has_cgroups = recorder_options_note_cgroups(options),
		.has_other_stacks = options->deep_stacks != DEEP_STACKS_CUT,
		.wake = choose_wake(events, options),
		.follow_rules = options->follow && options->follow->rules_map >= 0
					? &options->follow->rules_map
					: NULL,
	};

	if (evlist_options.target == EVLIST_COMMAND) {
		evlist_options.tids = &command_pid;
		evlist_options.n_tids = 1;
	} else if (evlist_options.target == EVLIST_TASKS) {
		evlist_options.tids = tids->values;
		evlist_options.n_tids = tids->n;
	}
	int err = prepare_probes(events, options, notes);
	if (err)
		return err;
	limits_read(&limits);
	err = open_evlist(events, options, &limits, &evlist_options, notes);
	if (err)
		return err;
	note_fallbacks(events, options, &limits, notes);
	note_breakpoints(events, notes);
	note_stack_size(events, &evlist_options, notes);
	err = rescan(events, options, notes);
	for (size_t i = 0; i < events->evlist->n_notes; i++)
		recording_notes_add(notes, false, "%s", events->evlist->notes[i]);
	recording_notes_add(notes, true,
			    "samples have %zu rings of %" PRIu64
			    " KiB each; other records have %zu rings.",
			    events->evlist->n_sample_rings, events->evlist->ring_size >> 10,
			    events->evlist->n_sideband_rings);
	return err;
}

void recording_events_deinit(struct recording_events *events,
			     const struct recorder_options *options)
{
	evlist_close(events->evlist);
	if (has_probes(options))
		probe_events_remove(options->events, options->n_events);
	recording_cgroup_deinit(&events->cgroup);
	int_list_deinit(&events->cpus);
	int_list_deinit(&events->absent_cpus);
	int_list_deinit(&events->pids);
	int_list_deinit(&events->tids);
}
