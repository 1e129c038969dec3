/*
 * Processes, threads and their address spaces over the time of a recording, from COMM, MMAP2, FORK
 * and EXIT records. An image is a process between two execs: exec drops all mappings and begins a
 * new image.
 */
#ifndef COLLECTOR_REPLAY_PROCESSES_H
#define COLLECTOR_REPLAY_PROCESSES_H

#include "cct/model/profile.h"
#include "collector/paths/module_finder.h"
#include "collector/paths/sample.h"
#include "collector/replay/process_epochs.h"
#include "perf/records/record.h"
#include "unwind/rules/address_space.h"
#include "unwind/rules/stack_memory.h"

/* The kernel has 16 bytes for a name; simpleperf records the longer ones of programs, perf those of
 * workqueues. What is longer than this is cut. */
#define COMM_MAX 128

struct process {
	int32_t pid;
	uint32_t profile_index; /* of this image; UINT32_MAX until its first sample */
	struct address_space *space;
	struct runtime_codes *runtime; /* descriptions by its run-time system; NULL: none */
	struct jit_layer *jit;         /* what its jitdump puts into ->space; NULL: it has none */
	struct process_epochs epochs;  /* of this image */
	uint32_t n_live_threads;
	bool has_exec;     /* this image, or the parent's that it began as, came by exec while
			      recording */
	bool is_exec;      /* this image itself did */
	bool has_memory;   /* user memory was mapped: no kernel thread, though exit takes it away */
	bool is_announced; /* a record, not only a sample, named it */
	bool is_named;     /* ->name is what it was called, not its number */
	char name[COMM_MAX];
};

struct thread {
	int32_t tid;
	uint32_t generation;     /* how many threads had the tid before, as far as is known */
	uint32_t profile_index;  /* UINT32_MAX until its first sample */
	struct process *process; /* owned by the table */
	bool is_live;
	bool is_named;               /* ->name is what it was called, not its number */
	bool has_full_copy;          /* a sample's copy of its stack may lack the stack's end */
	struct stack_memory *memory; /* of its stacks, apart from samples; NULL: none; owned */
	struct raw_record later;     /* for its next sample: as of struct sample; owned */
	bool is_in_exec; /* from the record of an exec to the first sample with a user stack */
	struct off_cpu_thread *off_cpu; /* whether it runs; NULL: never asked; owned by off_cpu.c */
	char name[COMM_MAX];
};

/*
 * Seen from inside a pid namespace, every process outside has the number 0, as the idle tasks have.
 * They cannot be distinguished, so only their cost is known.
 */
#define PID_OUTSIDE (-2)

struct processes;

/* @profile receives processes and threads as samples meet them. Both are borrowed. */
struct processes *processes_create(struct profile *profile, struct module_finder *finder);
void processes_destroy(struct processes *processes);

/* Applies a COMM, MMAP, MMAP2, FORK or EXIT record of user space; others are ignored. 0 or
 * -ENOMEM. */
int processes_apply(struct processes *processes, const struct record *record);

/*
 * Applies a runtime record, in time order. 0, -ENOMEM, or -EINVAL: the record is malformed, or the
 * process has too many.
 */
int processes_describe(struct processes *processes, const struct perf_event_header *record);

/* Adds the JIT code that the process had made by that time. 0 or -ENOMEM. */
int processes_advance(struct process *process, uint64_t time_ns);

/* The thread of a sample, made if no record announced it. NULL: out of memory. */
struct thread *processes_thread(struct processes *processes, int32_t pid, int32_t tid);
/* The same, but never creates a thread; NULL: no such thread. */
struct thread *processes_find_thread(const struct processes *processes, int32_t pid, int32_t tid);
/* The thread that has, or last had, the tid. NULL: no such thread. */
struct thread *processes_find_tid(const struct processes *processes, int32_t tid);
/* Calls @apply for each thread until it returns not 0; returns that. */
int processes_each_thread(struct processes *processes,
			  int (*apply)(struct thread *thread, void *arg), void *arg);
/* Notes a sample of a thread, before a filter may leave it out: as process_epochs_meet_sample(). */
int processes_meet_sample(struct processes *processes, struct thread *thread, uint64_t time_ns,
			  uint64_t user_pc);
/* The epochs of a sample's process up to now. */
const struct epoch_list *processes_epochs(const struct profile *profile,
					  const struct sample *sample);
/* Fills the sample with the present state of its thread and process, and takes references. */
void sample_place(struct sample *sample, struct thread *thread);
/* Enters the thread and its process into the profile. 0 or -ENOMEM. */
int processes_enter(struct processes *processes, struct thread *thread);

#endif
