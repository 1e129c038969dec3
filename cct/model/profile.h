/*
 * A profile: what one recording says. Modules, metrics, processes, the tree, and how good the
 * data is. Built by the collector, read by report; free of the kernel's and the file's formats.
 */
#ifndef CCT_MODEL_PROFILE_H
#define CCT_MODEL_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "cct/model/cct.h"
#include "cct/model/metric.h"
#include "cct/model/module.h"

/* One image of a process: exec begins a new one under the same pid. */
struct profile_process {
	int32_t pid; /* 0: idle; -1: unknown */
	char *name;  /* its last COMM; owned */
	bool kernel_thread;
	uint64_t n_epochs; /* changes of its mappings, seen while recording */
};

struct profile_thread {
	int32_t tid;
	uint32_t process; /* index */
	char *name;       /* owned */
};

/* How good the data is. Counted in samples unless said otherwise. */
struct profile_quality {
	uint64_t samples;               /* received, all metrics */
	uint64_t filtered;              /* left out on the user's request (--pid, ...) */
	uint64_t lost;                  /* not delivered by the kernel */
	uint64_t lost_sideband;         /* sideband records not delivered */
	uint64_t throttled;             /* THROTTLE records: times the kernel held events back */
	uint64_t complete;              /* user part ends at the root */
	uint64_t unverified;            /* user part as the kernel walked it, by frame pointers */
	uint64_t no_user_part;          /* kernel threads and idle: complete without user frames */
	uint64_t incomplete[N_MARKERS]; /* by the reason that ends the path */
	uint64_t marked[N_PATH_MARKS];  /* by enum path_mark */
	uint64_t guessed_frames;        /* callers found without CFI, by verified guesses */
	uint64_t late_records;          /* came after records with a later time were used */
	uint64_t unknown_processes;     /* samples of a process no record announced */
	uint64_t unknown_records;       /* of a type this version does not know, skipped */
	uint64_t text_pokes;     /* times the kernel changed its own code: jump labels, probes */
	uint64_t unnamed_code;   /* kernel code whose coming or going could not be followed */
	uint64_t broken_records; /* whose inner lengths contradict their size, skipped */
	uint64_t not_attributed; /* samples whose event id the file does not name */
	uint64_t unweighed;      /* samples that do not tell what they count: they weigh 0 */
	/* Of time off the CPU. */
	uint64_t off_at_end;   /* threads that were off at the end: counted up to then */
	uint64_t off_unpaired; /* times a thread left or came back without the record of it: 0 ns */
	uint64_t off_doubtful; /* times off during which records of switches were lost */
	uint64_t silent_threads; /* without any record of a switch: asleep or running all along */
	/* Of jitdumps. */
	uint64_t jitdumps_missing; /* mapped by a process, and not to be had */
	uint64_t jitdumps_untimed; /* times of another clock: the latest code of a place has it all
				    */
	uint64_t jitdumps_cut;     /* end inside a record */
	uint64_t jitdump_records_broken;
	uint64_t jitdump_lines_broken; /* functions whose source lines make no sense */
};

/* What was recorded, for the header of a report. Strings owned, NULL if unknown. */
struct profile_info {
	char *command_line;
	char *hostname;
	char *os_release;
	char *arch;
	char *cpu;
	char *tool_version;
	uint64_t start_ns, end_ns; /* of the first and last sample, the recording's clock */
	char *no_kernel_names;     /* why the kernel's code has none; NULL: it has, or not known */
	char *truncated;           /* why the recording ends early, with the offset; NULL: whole */
	char *why[N_MARKERS];      /* more about why paths end with this marker; NULL: no more */
};

struct profile {
	struct module_table modules;
	struct metric *metrics;
	uint32_t n_metrics;
	struct profile_process *processes;
	uint32_t n_processes;
	struct profile_thread *threads;
	uint32_t n_threads;
	struct cct *cct; /* root -> process [-> thread] -> frames */
	struct profile_quality quality;
	struct profile_info info;
};

struct profile *profile_create(void);
void profile_destroy(struct profile *profile);
/* Appends; the index of the new one, or UINT32_MAX without memory. @name is copied. */
uint32_t profile_add_metric(struct profile *profile, const char *name, const char *unit);
uint32_t profile_add_process(struct profile *profile, int32_t pid, const char *name);
uint32_t profile_add_thread(struct profile *profile, int32_t tid, uint32_t process,
			    const char *name);
/* Replaces an owned string by a copy. 0 or -ENOMEM. */
int profile_set_string(char **string, const char *value);
/*
 * Multiplies the weights of metrics that were multiplexed by time_enabled / time_running: what
 * would have been counted, had the counter been there all the time. Totals are the sums of what
 * results.
 */
void profile_scale(struct profile *profile);
/*
 * Conservation: for each metric, samples and weight in the tree equal those received.
 * The index of the first metric that differs, or -1.
 */
int profile_check_conservation(const struct profile *profile);

#endif
