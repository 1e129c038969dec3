/*
 * One sample's life: registers and stack -> user frames; callchain -> kernel frames; both -> one
 * call path, root first. Belongs to one thread.
 */
#ifndef COLLECTOR_PATHS_SAMPLE_PATH_H
#define COLLECTOR_PATHS_SAMPLE_PATH_H

#include "cct/model/cct.h"
#include "kernel-merge/io_wait.h"
#include "kernel-merge/kernel_symbols.h"
#include "kernel-merge/merge.h"
#include "perf/records/record.h"
#include "unwind/walk/unwind.h"

#define SAMPLE_PATH_MAX_USER   (1 << 18) /* 8 MiB of the smallest frames */
#define SAMPLE_PATH_MAX_KERNEL 8192      /* more than a record holds */
#define SAMPLE_PATH_MAX        (SAMPLE_PATH_MAX_USER + SAMPLE_PATH_MAX_KERNEL + 3)

/* What became of the user half; the counters of a report's header. */
enum user_half {
	USER_COMPLETE,   /* unwound to the root */
	USER_NONE,       /* the task has none: a kernel thread, idle */
	USER_UNVERIFIED, /* the kernel walked it along frame pointers */
	USER_INCOMPLETE, /* call_path.end says why */
};

struct sample_input {
	const struct record *record; /* a decoded PERF_RECORD_SAMPLE */
	const struct record_layout *layout;
	uint32_t stack_size;           /* asked for: attr.sample_stack_user */
	const struct machine *machine; /* the recording's; NULL: not unwound */
	const struct address_space *space;
	const struct stack_memory *memory;  /* of the thread's stacks; NULL: none */
	const struct kernel_layout *kernel; /* what was where in the kernel */
	const struct code_view *code;       /* around the sampled instruction; NULL: not known */
	bool has_exec;            /* the process began its present image while recording */
	bool is_in_exec;          /* exec was taking the process's old image away */
	bool has_memory;          /* it has, or had, user memory: it is no kernel thread */
	enum cpu_state cpu_state; /* never OFF_IO_WAIT, which the path shows */
};

struct call_path {
	const struct frame *frames; /* root first; valid until the next call */
	size_t n_frames;
	enum user_half user_half;
	enum marker end; /* where USER_INCOMPLETE */
	enum cpu_state cpu_state;
	uint32_t n_marked[N_PATH_MARKS]; /* frames of the user half, by enum path_mark */
	/* The same halves as addresses, leaf first, for listings. Frames that a marker stands for
	 * have none. */
	const uint64_t *user_addrs, *kernel_addrs;
	const struct frame *user_frames, *kernel_frames;
	size_t n_user, n_kernel;
};

/*
 * Where a sample's user code stands, or went into the kernel. @machine: as in sample_input. false:
 * it has none, or the record does not tell.
 */
bool sample_user_pc(const struct record *record, const struct machine *machine, uint64_t *pc_ret);

struct sample_path;

/* The stack may go on beyond the copy. @asked: attr.sample_stack_user. */
bool sample_stack_is_full(const struct sample_record *sample, uint32_t asked);

/* Both are borrowed. */
struct sample_path *sample_path_create(struct elf_modules *elf_modules,
				       const struct kernel_symbols *kernel_symbols);
void sample_path_destroy(struct sample_path *sample_path);
/* The functions that tell OFF_IO_WAIT from OFF_BLOCKED; borrowed. */
void sample_path_set_io_wait(struct sample_path *sample_path, const struct io_wait *io_wait);
void sample_path_resolve(struct sample_path *sample_path, const struct sample_input *input,
			 struct call_path *path_ret);
/* The path of time off the CPU that no sample tells of, for the reason @end. */
void sample_path_missing(struct sample_path *sample_path, enum marker end, enum cpu_state cpu_state,
			 struct call_path *path_ret);
/* What the user half is unwound from, borrowed from the record. false: no registers, or not of an
 * architecture that is unwound. */
bool sample_user_stack(const struct sample_input *input, struct user_stack *stack_ret);

#endif
