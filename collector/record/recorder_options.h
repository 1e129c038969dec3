/* What to record, how, and into which file. */
#ifndef COLLECTOR_RECORD_RECORDER_OPTIONS_H
#define COLLECTOR_RECORD_RECORDER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/base/int_list.h"
#include "collector/record/builder_link.h"
#include "collector/record/control/dump_conditions.h"
#include "collector/record/control/record_control.h"
#include "collector/record/control/recorder_signals.h"
#include "collector/record/live/process_choice.h"
#include "collector/record/parts/output_switch.h"
#include "collector/record/parts/recent_parts.h"
#include "perf/counters/evlist.h"

struct follow_link; /* collector/record/follow/follow_link.h */

/* What becomes of stacks that are deeper than the copies in samples. */
enum deep_stacks {
	DEEP_STACKS_SAFE,    /* completed where watching threads can't harm them */
	DEEP_STACKS_WATCHED, /* completed */
	DEEP_STACKS_CUT,
};

struct recorder_options {
	struct event *events; /* probes among them become tracepoints while they are recorded */
	size_t n_events;
	/* Targets: every process, given processes or threads, a cgroup, or the command and its
	 * children. With other targets given, the command only sets the duration. */
	bool is_system_wide;
	struct process_choice processes;
	struct int_list tids;
	const char *cgroup;   /* a path in a hierarchy or in the file system; NULL: none */
	const char *unit;     /* of systemd; NULL: none */
	bool all_cgroups;     /* the cgroup of each sample is recorded */
	char **command;       /* NULL: none; ends with NULL */
	struct int_list cpus; /* empty: all CPUs that are online */
	uint64_t frequency;   /* Hz, or 0 */
	uint64_t period;      /* or 0 */
	bool has_rate;        /* the user chose the rate, for every event without its own rate */
	enum evlist_jitter jitter;
	uint32_t stack_size;
	bool has_stack_size; /* the user chose it */
	/* The kernel walks user stacks along frame pointers; none is copied, and stack_size is 0.
	 */
	bool has_frame_pointers;
	uint64_t branch_filter; /* as of branch_filter_parse(): branches to record; 0: none */
	uint64_t ring_size;     /* bytes; 0: chosen by the rate */
	bool is_fallback;       /* the event is cpu-clock, because cycles is not available */
	bool no_inherit;
	struct follow_link *follow; /* who reads what --follow asks for; NULL: nobody; borrowed */
	bool has_wakers;            /* by whom waits end is recorded, too; needs off-cpu */
	enum deep_stacks deep_stacks;
	int compression_level;
	bool has_compression_level; /* the user chose it; else pipes are plain, files are not */
	const char *output;         /* "-": standard output; NULL: none, with ->builder only */
	/* Who gets the records, and builds the profile that becomes the output; NULL: the records
	 * are the output. */
	const struct builder_link *builder;
	/* The rings are read, and files looked at, this often even if nothing fills; 0: ten times a
	 * second. */
	uint64_t interval_ns;
	/* Sampling begins before the machine's processes are described: the rings have room for the
	 * samples of that time, and no command waits, nor a delay. */
	bool samples_first;
	bool is_dry_run;      /* all is opened, nothing is recorded or written */
	uint64_t duration_ns; /* 0: no limit */
	uint64_t max_size;    /* bytes; the recording ends when it has them; 0: no limit */
	uint64_t delay_ns;    /* samples begin after this time; 0: at once */
	bool starts_disabled; /* samples begin when they are enabled by control */
	struct control_choice control;
	struct output_switch_choice parts;
	struct dump_condition_list conditions; /* with ->recent only */
	struct recent_choice recent; /* only the last part is kept, in memory; max_size is 0 */
	const char *phase_fifo;      /* whose lines begin phases; NULL: none */
	/* Blocked by the caller before anything else; the recorder reads and releases them. */
	struct recorder_signals *signals;
	char **argv; /* the command line, kept in the recording */
};

static inline bool recorder_options_weigh_off_cpu(const struct recorder_options *options)
{
	for (size_t i = 0; i < options->n_events; i++) {
		if (options->events[i].weight.kind == WEIGHT_OFF_CPU)
			return true;
	}
	return false;
}

static inline bool recorder_options_have_parts(const struct recorder_options *options)
{
	return options->parts.is_given || options->recent.is_given;
}

static inline bool recorder_options_have_cgroup(const struct recorder_options *options)
{
	return options->cgroup || options->unit;
}

/* Where more than one cgroup is to be expected, it is recorded which. */
static inline bool recorder_options_note_cgroups(const struct recorder_options *options)
{
	return options->all_cgroups || options->is_system_wide ||
	       recorder_options_have_cgroup(options);
}

/* Are the targets processes or threads that run already? */
static inline bool recorder_options_are_attached(const struct recorder_options *options)
{
	return options->tids.n || !process_choice_is_empty(&options->processes) ||
	       recorder_options_have_cgroup(options);
}

#endif
