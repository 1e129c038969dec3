/*
 * A recording from its first system call to its last byte: events are opened, what already runs is
 * synthesized, the kernel's symbols are kept, then one thread empties the rings until it is told
 * to stop.
 */
#ifndef COLLECTOR_RECORD_RECORDER_H
#define COLLECTOR_RECORD_RECORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/record/recorder_options.h"
#include "collector/record/recorder_summary.h"

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
/* Adds notes: what a finished recording lacks, then what the observers did. @is_verbose: all
 * that they did. */
void recorder_report(struct recorder *recorder, bool is_verbose);
void recorder_close(struct recorder *recorder);

#endif
