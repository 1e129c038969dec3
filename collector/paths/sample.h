/*
 * A sample: its record, decoded once, with what its process was at its time and, once that is
 * resolved, its call path. One type from the reading of a recording to a report of it.
 */
#ifndef COLLECTOR_PATHS_SAMPLE_H
#define COLLECTOR_PATHS_SAMPLE_H

#include "cct/model/cct.h"
#include "cct/model/frame.h"
#include "collector/attached/code_pages.h"
#include "kernel-merge/kernel_layout.h"
#include "kernel-merge/merge.h"
#include "perf/file/data_file.h"
#include "unwind/rules/address_space.h"
#include "unwind/rules/regs.h"
#include "unwind/rules/runtime_code.h"
#include "unwind/rules/stack_memory.h"

struct thread; /* collector/replay/processes.h */

/* The result of unwinding the user half; a report's header has a counter for each. */
enum user_half {
	USER_COMPLETE,   /* unwound to the root */
	USER_JOINED,     /* cut, and joined to the callers of another sample's path */
	USER_NONE,       /* the task has none: a kernel thread, idle */
	USER_UNVERIFIED, /* the kernel walked it along frame pointers */
	USER_BRANCHES,   /* the processor's branch records have the calls (LBR call stack) */
	USER_FLAT,       /* the event records no callers: only the instruction is known */
	USER_INCOMPLETE, /* call_path.end says why */
};

/* Whether a thread was running, and if not, why. */
enum cpu_state {
	ON_CPU,
	OFF_PREEMPTED, /* it was ready to run */
	OFF_BLOCKED,   /* it waited for something, or slept: the kernel's path shows for what */
};

/* Arrays belong to the struct sample_path that resolved the path, and are valid until it resolves
 * the next one. */
struct call_path {
	const struct frame *frames; /* root first */
	size_t n_frames;            /* 0: not resolved */
	enum user_half user_half;
	enum marker end; /* where USER_INCOMPLETE */
	struct off_reason off;
	uint32_t n_marked[N_PATH_MARKS]; /* frames of the user half, by enum path_mark */
	/* The same halves as addresses, leaf first, for listings. Callers of the kernel, and user
	 * callers where USER_UNVERIFIED, are return addresses; others are lookup addresses. Frames
	 * that a marker stands for have none. */
	const uint64_t *user_addrs, *kernel_addrs;
	const uint64_t
		*user_sps; /* stack pointers of the user frames; NULL: they were not unwound */
	const struct frame *user_frames, *kernel_frames;
	size_t n_user, n_kernel;
};

/* References, to ->raw.block, ->later.block, ->space, ->memory, ->runtime and in ->code, are the
 * sample's own. */
struct sample {
	/* The bytes that ->record leads into. No header: time off the CPU without a sample, for the
	 * reason in ->end; of ->record, pid, tid and cpu are there, which has_* deny. */
	struct raw_record raw;
	struct record record;
	const struct data_file_event *event;
	const struct machine *machine; /* of the recording; NULL: not unwound */
	uint32_t metric;               /* index into the profile's */
	uint64_t weight;
	struct thread *thread; /* lives as long as its table */
	struct address_space *space;
	struct stack_memory *memory;   /* of the thread's stacks; NULL: none */
	struct runtime_codes *runtime; /* described by its run-time system; NULL: none */
	/* A memory record: what was read for it from the process, a moment later. No header: none.
	 */
	struct raw_record later;
	uint32_t process_index; /* in the profile; UINT32_MAX: not entered, replay_enter() */
	uint32_t thread_index;
	uint32_t cgroup;         /* in the profile, plus 1; 0: not known */
	const char *cgroup_path; /* as long as the profile; NULL: not known */
	const struct kernel_layout
		*kernel;         /* the kernel's layout at its time; until replay_close() */
	struct code_moment code; /* that no file has; until replay_close() */
	enum cpu_state cpu_state;
	bool is_off_all_time; /* it never ran while it was recorded */
	bool is_off_at_end;   /* it still waited when the recording ended */
	bool has_waker;       /* who ended its wait: */
	uint32_t waker;       /* as in a FRAME_WAKER */
	enum marker end;
	bool may_join;   /* the copy of this sample's stack, or of an earlier one of its thread, is
			    full */
	bool is_in_exec; /* its stack is gone: exec was taking the old image away */
	bool has_exec;   /* the process began its present image while recording */
	bool is_exec;    /* likewise, and by exec, not as a copy of another one */
	bool has_memory; /* the process has, or had, user memory: it is not a kernel thread */
	struct path_value value; /* to split the path by */
	bool is_value_unknown;
	bool is_value_later; /* it depends on ->later */
	bool is_value_open;  /* the function that has it may be on the rest of a path that is cut */
	struct call_path path;
};

/* The CPU that it was taken on; UINT32_MAX: not known. */
static inline uint32_t sample_cpu(const struct sample *sample)
{
	return sample->record.has_cpu || !sample->raw.header ? sample->record.cpu : UINT32_MAX;
}

void sample_deinit(struct sample *sample);
/* Another sample of the same record and process: takes references. */
void sample_copy(const struct sample *from, struct sample *ret);
/* Moves its records into separate blocks, for a sample that is kept for long. 0 or -ENOMEM. */
int sample_detach(struct sample *sample);

#endif
