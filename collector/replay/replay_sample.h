/* A sample as replay hands it out, with what its process was at its time. */
#ifndef COLLECTOR_REPLAY_REPLAY_SAMPLE_H
#define COLLECTOR_REPLAY_REPLAY_SAMPLE_H

#include "cct/model/frame.h"
#include "collector/replay/processes.h"
#include "kernel-merge/kernel_layout.h"
#include "kernel-merge/merge.h"
#include "perf/file/data_file.h"
#include "unwind/rules/code_view.h"

/* References are the sample's own. */
struct replay_sample {
	/* No header: time off the CPU that no sample tells of, for the reason in ->end. */
	struct raw_record raw;
	const struct data_file_event *event;
	uint32_t metric; /* index into the profile's */
	uint64_t weight;
	struct thread *thread;
	struct address_space *space;
	struct stack_memory *memory; /* or NULL */
	uint32_t process_index;      /* in the profile; UINT32_MAX: not entered, replay_enter() */
	uint32_t thread_index;
	uint32_t cpu;
	const struct kernel_layout *kernel; /* what was where in it; until replay_close() */
	struct code_view code;    /* where it stands, if no file has it; until replay_close() */
	enum cpu_state cpu_state; /* never OFF_IO_WAIT, which the path shows */
	enum marker end;
	bool is_in_exec;           /* its stack is gone, for exec was taking the old image away */
	bool has_exec, has_memory; /* as in struct process */
};

/* Takes references to what the thread's process is now. */
void replay_sample_place(struct replay_sample *sample, struct thread *thread);
void replay_sample_deinit(struct replay_sample *sample);

#endif
