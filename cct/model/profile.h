/*
 * A profile: the contents of one recording as modules, metrics, processes, the calling context
 * tree, and the quality of the data. The collector builds it and report reads it. It does not
 * depend on formats of the kernel or of files.
 */
#ifndef CCT_MODEL_PROFILE_H
#define CCT_MODEL_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "cct/code/memory_code.h"
#include "cct/model/cct.h"
#include "cct/model/metric.h"
#include "cct/model/module.h"
#include "cct/model/quality.h"
#include "cct/model/sample_rows.h"
#include "cct/model/stored_names.h"
#include "cct/text/string_ids.h"
#include "cct/time/epochs.h"
#include "cct/time/losses.h"
#include "cct/time/phases.h"
#include "cct/time/time_range.h"
#include "cct/time/watched_time.h"

/* One image of a process: exec begins a new one under the same pid. */
struct profile_process {
	int32_t pid;       /* 0: the idle tasks; -1: unknown */
	char *name;        /* its last COMM; owned */
	uint64_t n_mapped; /* number of changes of its mappings while recording */
	/* In a sum: so many short processes of that name (cct/merge/join_processes.h), whose pid
	 * is -1, and so are the tids of its threads. 0: one process. */
	uint64_t n_joined;
	struct epoch_list epochs;
};

#define JOINED_MAX (1ull << 48) /* that many or more */

/* How many processes it stands for: 1 or more; UINT32_MAX: that many or more. */
static inline uint32_t profile_process_number(const struct profile_process *process)
{
	if (!process->n_joined)
		return 1;
	return process->n_joined < UINT32_MAX ? (uint32_t)process->n_joined : UINT32_MAX;
}

/* It stands for so many more, at most JOINED_MAX, of joined ones. */
static inline void profile_process_add_joined(struct profile_process *process, uint64_t n)
{
	const uint64_t room = JOINED_MAX - process->n_joined;

	process->n_joined += n < room ? n : room;
}

struct profile_thread {
	int32_t tid;
	uint32_t process; /* index */
	char *name;       /* owned */
};

/* Time in which a CPU was not recorded: it was offline, or had just come back. */
struct cpu_gap {
	uint32_t cpu;
	uint64_t start_ns, end_ns; /* end_ns 0: up to the end of the recording */
};

/* What was recorded, for the header of a report. Strings owned, NULL if unknown. */
struct profile_info {
	char *command_line;
	char *hostname;
	char *os_release;
	char *arch;
	char *cpu;
	char *tool_version;
	uint32_t n_cpus;           /* that were online; 0: unknown */
	uint32_t stack_copy;       /* bytes of the user stack that a sample copies at most */
	uint64_t start_ns, end_ns; /* of the first and last sample, the recording's clock */
	bool has_window;           /* only a part of that time has samples here: */
	struct time_window window;
	bool has_windows; /* of a sum: likewise, but not the same part of each run */
	bool has_date;
	uint64_t unix_offset_ns; /* has_date: added to a time of that clock, modulo 2^64: ns since
				    1970, UTC */
	char *no_kernel_names; /* why kernel code has no names; NULL: it has names, or not known */
	char *not_decoded;     /* what the run had that is left out; NULL: nothing */
	char *truncated;       /* why the recording ends early, with the offset; NULL: whole */
	struct cpu_gap *cpu_gaps; /* owned; by start */
	size_t n_cpu_gaps;
	struct losses losses;
	struct watched_time watched; /* of windows of dendro agent */
	char *why[N_MARKERS];        /* details about why paths end with this marker; NULL: none */
};

struct profile {
	struct module_table modules;
	struct metric *metrics;
	uint32_t n_metrics;
	struct profile_process *processes;
	uint32_t n_processes;
	struct profile_thread *threads;
	uint32_t n_threads;
	struct string_ids cgroups; /* their paths; numbers in rows are one more */
	struct string_ids wakers;  /* by whom threads were woken: "[woken by NAME/TID]" */
	struct string_ids values;  /* rows of values: "[kind = STRING]" */
	struct string_ids splits;  /* what these are values of: "parse:kind" */
	struct cct *cct;           /* root -> process [-> thread] -> frames */
	struct sample_rows *rows;  /* of all samples; NULL: not kept; owned */
	struct profile_quality quality;
	struct profile_info info;
	struct phases phases;           /* of all runs of ->rows */
	struct epochs epochs;           /* what those of all processes have in common */
	struct memory_code memory_code; /* where the builder was told to keep it */
	struct stored_names *names;     /* of a stored profile: all it has; NULL: of files; owned */
};

struct profile *profile_create(void);
void profile_destroy(struct profile *profile);
/* The metric whose samples are waits, of which number, mean and longest matter; UINT32_MAX: none.
 */
uint32_t profile_waits_metric(const struct profile *profile);
/* Appends; the index of the new one, or UINT32_MAX without memory. @name is copied. */
uint32_t profile_add_metric(struct profile *profile, const char *name, const char *unit);
uint32_t profile_add_process(struct profile *profile, int32_t pid, const char *name);
uint32_t profile_add_thread(struct profile *profile, int32_t tid, uint32_t process,
			    const char *name);
/* A CPU was not recorded from some time on; and it is recorded again. 0 or -ENOMEM. */
int profile_lose_cpu(struct profile_info *info, uint32_t cpu, uint64_t time_ns);
void profile_regain_cpu(struct profile_info *info, uint32_t cpu, uint64_t time_ns);
/* Replaces an owned string by a copy. 0 or -ENOMEM. */
int profile_set_string(char **string, const char *value);
/*
 * Multiplies the weights of multiplexed metrics by time_enabled / time_running, which estimates the
 * count if the event had had a counter all the time. Totals become the sums of the new weights.
 */
void profile_scale(struct profile *profile);
/* When the run of a row begins and ends, by its clock. */
struct time_span profile_run_span(const struct profile *profile, uint32_t run);
/* A time of a run's clock as nanoseconds since the profile's start; since the run's, if the clocks
 * of both have nothing in common. 0: it is earlier. */
uint64_t profile_since_start(const struct profile *profile, uint32_t run, uint64_t time_ns);
/* The index of the phase of a row; PHASE_NONE: it is in none. */
uint32_t profile_phase_of(const struct profile *profile, const struct sample_row *row);
/* The first microsecond of its run since which its row has been in its phase, or in none. */
uint64_t profile_phase_since(const struct profile *profile, const struct sample_row *row);
/* The index of the epoch of a row, in the list of its process, whose index is *@process_ret. */
uint32_t profile_epoch_of(const struct profile *profile, const struct sample_row *row,
			  uint32_t *process_ret);
/* The first microsecond of its run since which its process has been in its epoch. */
uint64_t profile_epoch_since(const struct profile *profile, const struct sample_row *row);
/*
 * Checks that no cost was lost: for each metric, samples and weight in the tree equal those
 * received. Returns the index of the first metric that differs, or -1.
 */
int profile_check_conservation(const struct profile *profile);

#endif
