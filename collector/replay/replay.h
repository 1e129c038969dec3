/*
 * Plays a recording back: records in time order; sideband applied to processes, kernel names and
 * counters on the way; samples handed out one by one with the address space they ran in.
 *
 * One pass, bounded memory. Used by everything that reads recordings.
 */
#ifndef COLLECTOR_REPLAY_REPLAY_H
#define COLLECTOR_REPLAY_REPLAY_H

#include <stdatomic.h>

#include "cct/model/profile.h"
#include "collector/paths/sample.h"
#include "kernel-merge/kernel_symbols.h"
#include "kernel-merge/wait_reasons.h"
#include "perf/tracing/trace_format.h"

struct read_gate; /* perf/file/read_gate.h */
struct replay;

/*
 * Opens @path ("-": standard input), as data_file_follow() does. @files: where its modules' files
 * are looked for, borrowed for the profile's life; NULL: on this machine; it gets what the
 * recording carries. -errno with
 * *@error_ret a sentence for the user (heap).
 */
int replay_open(const char *path, const atomic_bool *follow, struct file_search *files,
		struct replay **replay_ret, char **error_ret);
void replay_close(struct replay *replay); /* frees the profile unless it was taken */
/* As data_file_set_gate(). */
void replay_set_gate(struct replay *replay, struct read_gate *gate);

/* As kernel_names_read_late(); before the first sample. */
void replay_name_kernel_late(struct replay *replay);

/* 1: the next sample, its path not resolved, the caller's to deinit; 0: the end; -errno: out of
 * memory. A corrupt or cut file ends early: replay_error() and profile->info.truncated say so. */
int replay_next(struct replay *replay, struct sample *sample_ret);
/* Does a part of the reading that replay_next() will need; in any thread, at any time. false: there
 * is nothing to do now. */
bool replay_help(struct replay *replay);
/* What is wrong with the file, with the offset; NULL: nothing. A cut file is not an error. */
const char *replay_error(const struct replay *replay);
/* As data_file_position() and data_file_size(). */
uint64_t replay_position(const struct replay *replay);
uint64_t replay_size(const struct replay *replay);

/* Samples that the kernel did not deliver, up to here. */
uint64_t replay_n_lost(const struct replay *replay);
/* The profile that is being filled: modules, metrics, processes, quality, info; no tree. */
struct profile *replay_profile(struct replay *replay);
struct profile *replay_take_profile(struct replay *replay);
const struct kernel_symbols *replay_kernel_symbols(const struct replay *replay);
/* How the raw data of a tracepoint's samples are printed; NULL: the recording does not tell, or the
 * event is not a tracepoint. Valid until replay_close(). */
const struct trace_format *replay_trace_format(struct replay *replay,
					       const struct data_file_event *event);
/* Gives kernel modules the names known so far; after the first sample. At the end of the recording
 * it is done in any case. 0 or -ENOMEM. */
int replay_name_kernel(struct replay *replay);
/* Gives the profile the code in memory that was recorded; once, at the end. 0 or -ENOMEM. */
int replay_keep_code(struct replay *replay);
/* The machine of the recording, as far as its headers were read: they may follow the first records,
 * but precede the first sample. NULL: none that is unwound. */
const struct machine *replay_machine(const struct replay *replay);
/* Makes the thread and its process rows of the profile, unless they are. 0 or -ENOMEM. */
int replay_enter(struct replay *replay, struct sample *sample);
/* The functions in which threads wait, where time off the CPU was recorded, else none. After the
 * first sample. Waits for the kernel's names. 0 or -ENOMEM. */
int replay_find_wait_reasons(struct replay *replay, struct wait_reasons *ret);

#endif
