/*
 * Makes a recording: opens the events, synthesizes records for the processes that already run, and
 * keeps the kernel's symbols. Then one thread empties the rings until it has to stop.
 */
#ifndef COLLECTOR_RECORD_RECORDER_RECORDER_H
#define COLLECTOR_RECORD_RECORDER_RECORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/record/recorder_options.h"
#include "collector/record/recorder_summary.h"

struct recorder;

/*
 * Opens and prepares everything; the command does not run yet. On failure -errno, and *@error_ret
 * is a sentence for the user with the remedy (heap, to free), or NULL. @options are borrowed until
 * recorder_close().
 */
int recorder_open(const struct recorder_options *options, struct recorder **recorder_ret,
		  char **error_ret);
/* Sentences for the user: what differs from the options and, with *@is_detail_ret, details of how
 * the recording is made. */
size_t recorder_n_notes(const struct recorder *recorder);
const char *recorder_note(const struct recorder *recorder, size_t index, bool *is_detail_ret);

/* What an open recorder is about to record. */
struct recorder_plan {
	const struct evlist *evlist; /* as it was opened; borrowed */
	const struct int_list *cpus; /* borrowed */
	bool is_system_wide;
	size_t n_processes, n_threads; /* chosen ones that run already */
};

struct recorder_plan recorder_plan(const struct recorder *recorder);
/* Records until the command or all targets have ended, the time is over, or SIGINT, SIGTERM or
 * SIGHUP came; then completes the file. */
void recorder_run(struct recorder *recorder, struct recorder_summary *summary_ret);
/* Adds notes to a finished recording: what it lacks, then what the observers did. @is_verbose:
 * with all details of that. */
void recorder_report(struct recorder *recorder, bool is_verbose);
void recorder_close(struct recorder *recorder);

#endif
