/*
 * Plays a recording back: records in time order; sideband applied to processes, kernel names and
 * counters on the way; samples handed out one by one with the address space they ran in.
 *
 * One pass, bounded memory. Used by everything that reads recordings.
 */
#ifndef COLLECTOR_REPLAY_H
#define COLLECTOR_REPLAY_H

#include "cct/profile.h"
#include "collector/processes.h"
#include "kernel-merge/kallsyms.h"
#include "perf/data_file.h"
#include "unwind/code_view.h"

struct replay_sample {
	struct raw_record raw; /* the caller drops the block with data_block_unref() */
	const struct data_file_event *event;
	uint32_t metric; /* index into the profile's */
	uint64_t weight;
	struct thread *thread; /* entered into the profile if replay_enter() is called */
	struct code_view code; /* where it stands, if no file has it; until replay_close() */
	bool is_in_exec;       /* its stack is gone, for exec was taking the old image away */
};

struct replay;

/* Opens @path ("-": standard input). -errno with *@error_ret a sentence for the user (heap). */
int replay_open(const char *path, struct replay **replay_ret, char **error_ret);
void replay_close(struct replay *replay); /* frees the profile unless it was taken */

/* 1: the next sample; 0: the end; -errno: out of memory. A corrupt or cut file ends early:
 * replay_error() and profile->info.truncated say so. */
int replay_next(struct replay *replay, struct replay_sample *sample_ret);
/* What is wrong with the file, with the offset; NULL: nothing. A cut file is not an error. */
const char *replay_error(const struct replay *replay);

/* The profile that is being filled: modules, metrics, processes, quality, info; no tree. */
struct profile *replay_profile(struct replay *replay);
struct profile *replay_take_profile(struct replay *replay);
const struct kallsyms *replay_kallsyms(const struct replay *replay);
/* Gives kernel modules the names known so far; after the first sample. At the end of the recording
 * it is done in any case. 0 or -ENOMEM. */
int replay_name_kernel(struct replay *replay);
const char *replay_machine(const struct replay *replay);
/* Makes the thread and its process rows of the profile. 0 or -ENOMEM. */
int replay_enter(struct replay *replay, struct thread *thread);

#endif
