/* The structures and functions that recorder.c and its parts share. */
#ifndef COLLECTOR_RECORD_RECORDER_RECORDER_PRIVATE_H
#define COLLECTOR_RECORD_RECORDER_RECORDER_PRIVATE_H

#include "collector/record/builder_pace.h"
#include "collector/record/control/dump_conditions.h"
#include "collector/record/control/phase_marks.h"
#include "collector/record/control/record_control.h"
#include "collector/record/cpu_hotplug.h"
#include "collector/record/drain.h"
#include "collector/record/parts/output_switch.h"
#include "collector/record/parts/recent_parts.h"
#include "collector/record/recorder_options.h"
#include "collector/record/recorder_summary.h"
#include "collector/record/recording_events.h"
#include "collector/record/recording_file.h"
#include "collector/record/recording_start.h"
#include "collector/record/start/command.h"
#include "collector/record/target_times.h"
#include "perf/records/window_record.h"

/* Times at which something is due, on the clock of the records. */
struct schedule {
	uint64_t start_ns, stop_ns; /* stop_ns: when it ends; UINT64_MAX: no limit */
	uint64_t enable_ns;         /* samples begin then; UINT64_MAX: they have */
	uint64_t enabled_ns;        /* when they began */
	uint64_t look_ns, flush_ns;
	uint64_t part_ns; /* when the part at hand of the output ends; UINT64_MAX: not by time */
};

struct recorder {
	const struct recorder_options *options;
	struct recording_notes notes;
	struct recording_start start;
	struct recording_events events;
	struct recording_file file;
	struct recording_file former; /* the part before, while its process reads the rest of it */
	struct command command;
	bool has_command;
	struct stack_output stack_output;
	struct observed_recording observed;
	struct recording_observers *observers;
	struct second_stacks *second_stacks; /* NULL: there are none */
	struct ring_memory *memory;          /* NULL: nothing is read at samples */
	struct drain drain;
	struct builder_pace pace;
	uint64_t n_observed_samples; /* written by observers */
	struct cpu_hotplug hotplug;
	struct phase_marks phases;
	uint64_t n_phase_signals; /* that are to be marked */
	struct record_control control;
	struct dump_conditions conditions;
	struct output_switch parts;
	struct int_list live_pids; /* that a part after the first begins with */
	uint64_t n_bytes, n_lost;  /* of parts that are whole */
	bool is_part_wanted;       /* by a signal */
	struct recent_parts recent;
	uint64_t part_begin_ns, n_part_samples; /* the time of the part at hand, samples before */
	bool has_begun, is_on;                  /* samples are taken; or were, if only has_begun */
	int wake_fd; /* readable when a descriptor other than those of the rings is */
	struct schedule schedule;
	int usual_nice;                   /* before recorder_hurry() */
	struct target_times target_times; /* of processes that run already */
	bool is_stopped;
	struct recorder_summary summary; /* once it was run */
};

/* All return 0 or -errno of the recording, unless said otherwise. */

/* The descriptors of the observers of the file at hand wake the recorder. */
int recorder_watch_observers(const struct recorder *recorder);

/* recorder_priority.c: neither what is opened and read before samples can be taken nor the rings
 * wait for the load that is recorded. */

/* At the start, if that is permitted: this thread, and those that it starts. */
void recorder_hurry(struct recorder *recorder);
/* No more of them, nor other processes. */
void recorder_hurry_alone(const struct recorder *recorder);
/* From now on the rings are read. A note says what was permitted. */
void recorder_raise_priority(struct recorder *recorder);
void recorder_lower_priority(const struct recorder *recorder);

/* recorder_run.c: enables the events: samples begin. */
int recorder_enable(struct recorder *recorder);
/* Its two parts: sampling begins, and the file says when. */
void recorder_begin_samples(struct recorder *recorder);
int recorder_write_begin(struct recorder *recorder);

/* recorder_control.c. */
int recorder_take_control(struct recorder *recorder);
/* Before records are read that may be later. */
int recorder_mark_phases(struct recorder *recorder);

/* recorder_parts.c. */

/* The time from which, or until which, threads that sleep are counted. */
int recorder_write_window(struct recorder *recorder, enum window_record_kind kind,
			  uint64_t time_ns);
uint64_t recorder_present_ns(const struct drain *drain);
uint64_t recorder_n_samples(const struct recorder *recorder);
void recorder_keep_error(int *first, int err);
/* Whatever fails, all that observers keep goes into the file: the first error is returned. */
int recorder_finish_file(struct recorder *recorder, uint64_t end_ns);
/* The finished file gets the name of a part, or its place among those in memory. */
int recorder_keep_part(struct recorder *recorder, uint64_t end_ns);
/* Ends what a part before left to be written to its own process, which it @waits for, or does not.
 */
void recorder_end_former(struct recorder *recorder, bool waits);
void recorder_schedule_part(struct recorder *recorder, uint64_t begin_ns);
/* Ends the file at hand with all that was recorded until now, and begins the next. */
int recorder_switch_file(struct recorder *recorder);
/* Writes what is in memory to the output. 0 or -errno of writing; *@err: of the recording. */
int recorder_save_recent(struct recorder *recorder, int *err);
/* The last part until now becomes a file, and the recording goes on. NULL, or why it does not
 * become one. */
const char *recorder_dump(struct recorder *recorder, int *err);

#endif
