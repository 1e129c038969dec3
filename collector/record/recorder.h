/*
 * A recording from its first system call to its last byte: events are opened, what already runs is
 * synthesized, the kernel's symbols are kept, then one thread empties the rings until it is told
 * to stop.
 */
#ifndef COLLECTOR_RECORD_RECORDER_H
#define COLLECTOR_RECORD_RECORDER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/record/live/targets.h"
#include "collector/record/observers/deep_stacks.h"
#include "collector/record/observers/jit_maps.h"
#include "collector/record/observers/jitdump_recorder.h"
#include "collector/record/observers/signal_contexts.h"
#include "perf/counters/evlist.h"

struct recorder_options {
	struct event *events; /* probes among them become tracepoints while they are recorded */
	size_t n_events;
	/* What: all processes, or these, or these threads, or the command and its children. The
	 * command may also just set the time for the others. */
	bool is_system_wide;
	struct int_list pids, tids;
	char **command;       /* NULL: none; ends with NULL */
	struct int_list cpus; /* empty: all that are online */
	uint64_t frequency;   /* Hz, or 0 */
	uint64_t period;      /* or 0 */
	bool has_rate;        /* the user chose it, for every event without a rate of its own */
	enum evlist_jitter jitter;
	uint32_t stack_size;
	bool has_stack_size; /* the user chose it */
	uint64_t ring_size;  /* 0: by the rate */
	bool no_inherit;
	bool no_deep_stacks; /* what is deeper than the copies stays unknown */
	int compression_level;
	const char *output;   /* "-": standard output */
	uint64_t duration_ns; /* 0: no limit */
	uint64_t delay_ns;    /* samples begin that much later; 0: at once */
	char **argv;          /* to be told in the recording */
};

struct recorder_summary {
	uint64_t duration_ns;
	uint64_t n_samples;
	uint64_t n_bytes;
	uint64_t n_lost;
	uint64_t n_lost_sideband;
	uint64_t n_throttled;
	uint64_t n_corrupt_rings;
	uint64_t n_captured, n_capture_missed;
	const char *missed_path; /* one of those; or NULL; valid until recorder_close() */
	uint64_t n_code_missed;  /* pages of code that no file holds */
	struct jit_maps_stats jit_maps;
	struct jitdump_stats jitdumps;
	struct deep_stacks_stats deep_stacks;
	struct signal_contexts_stats signal_contexts;
	int write_error;            /* -errno: the output ends early */
	int command_error;          /* -errno: exec failed */
	bool has_command_exit_code; /* it ended, and */
	int command_exit_code;      /* as a shell would say it */
};

struct recorder;

/*
 * Opens and prepares everything; a command waits. On failure -errno, and *@error_ret a sentence for
 * the user with the remedy (heap, to free). @options are borrowed until recorder_close().
 */
int recorder_open(const struct recorder_options *options, struct recorder **recorder_ret,
		  char **error_ret);
/* Sentences for the user about what is not as asked, and (*@is_detail_ret) how it is done. */
size_t recorder_n_notes(const struct recorder *recorder);
const char *recorder_note(const struct recorder *recorder, size_t index, bool *is_detail_ret);
/* Records until the command or all targets have ended, the time is over, or SIGINT, SIGTERM or
 * SIGHUP came; then completes the file. */
void recorder_run(struct recorder *recorder, struct recorder_summary *summary_ret);
void recorder_close(struct recorder *recorder);

#endif
