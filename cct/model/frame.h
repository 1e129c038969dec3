/*
 * A frame: one step of a call path, free of processes and address-space layout.
 *
 * A user frame names an instruction by (module, file offset), so the same code has the same frame
 * in every process, at every load address and in every epoch.
 */
#ifndef CCT_MODEL_FRAME_H
#define CCT_MODEL_FRAME_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum frame_kind {
	FRAME_ROOT,    /* the one node above all processes */
	FRAME_PROCESS, /* offset: index into profile->processes */
	FRAME_THREAD,  /* offset: index into profile->threads */
	FRAME_USER,    /* (module, offset) */
	FRAME_KERNEL,  /* (module, offset); kernel text, kernel modules, BPF programs */
	FRAME_MARKER,  /* offset: enum marker */
	FRAME_LOCK,    /* offset: the address that a thread waits at, in its process */
	FRAME_WAKER,   /* offset: the id of a text of profile->wakers */
	FRAME_VALUE,   /* offset: the id of a text of profile->values */
	/* Only in trees of other groups than processes (cct/paths/profile_group.h): */
	FRAME_CPU,    /* offset: the CPU's number; UINT32_MAX: not known */
	FRAME_CGROUP, /* offset: index into profile->cgroups, plus 1; 0: not known */
	FRAME_PHASE,  /* offset: an index in profile->phases; FRAME_PHASE_...: in none of them */
	FRAME_EPOCH,  /* offset: frame_epoch_offset() */
};

/*
 * Frames that describe the path itself. Their order is part of the profile format: append only.
 * MARKER_KERNEL is between user frames and the kernel frames that they entered. The reason why a
 * thread was off the CPU is the innermost frame of its path. MARKER_SEEN_ONCE has nothing but
 * markers below it (cct/merge/fold_once.h). Every other marker is the outermost frame of a path
 * whose callers are missing, and names the reason: marker_is_reason().
 */
enum marker {
	MARKER_KERNEL,             /* kernel entered here */
	MARKER_STACK_CUT,          /* the stack is deeper than the copy */
	MARKER_NO_MODULE,          /* an address outside every known mapping */
	MARKER_NO_UNWIND_INFO,     /* the module has no CFI for the address */
	MARKER_BAD_RETURN_ADDRESS, /* the rules led to an address that is not code */
	MARKER_NO_PROGRESS,        /* the CFA did not move up */
	MARKER_TOO_DEEP,           /* more frames than the walk allows */
	MARKER_BAD_CFI,            /* CFI that can't be read or evaluated */
	MARKER_BAD_MEMORY,         /* a rule reads memory that is not in the copy */
	MARKER_MODULE_UNREADABLE,  /* the file can't be read, or is not the one recorded */
	MARKER_OTHER_FILE,         /* code mapped from a file that is not ELF */
	MARKER_NO_STACK,           /* no user registers or stack were recorded */
	MARKER_EXITING,            /* the process had no user memory left */
	MARKER_EXEC,               /* registers of the image that exec replaced */
	MARKER_NO_CALLCHAIN,       /* the kernel gave no callchain for a sample in the kernel */
	MARKER_UNKNOWN_ARCH,       /* registers of an architecture that is not unwound */
	MARKER_OTHER_STACK,        /* the callers are on a stack that was left for this one */
	MARKER_OFF_BEFORE,         /* off the CPU since before the recording */
	MARKER_NOT_YET_RUN,        /* a new thread, until it ran for the first time */
	MARKER_SWITCH_LOST,        /* the sample of a switch-out was not delivered */
	MARKER_PREEMPTED,          /* innermost: the thread was ready to run */
	MARKER_BLOCKED,            /* innermost: the thread waited or slept */
	MARKER_IO_WAIT,            /* innermost: the thread waited for I/O */
	MARKER_STACK_HOLE,         /* the copy ends at a page of the stack that was not in memory */
	/* Innermost: what the thread waited for, by the kernel's functions (wait_reasons.c). */
	MARKER_WAIT_LOCK, /* a futex */
	MARKER_WAIT_KERNEL_LOCK,
	MARKER_WAIT_POLL, /* one of several files, by poll, select, epoll or io_uring */
	MARKER_SLEEPING,
	MARKER_WAIT_PIPE,
	MARKER_WAIT_SOCKET,
	MARKER_WAIT_CHILD,
	MARKER_WAIT_SIGNAL,
	MARKER_WAIT_TERMINAL,
	MARKER_WAIT_EVENT, /* eventfd, inotify and the like */
	MARKER_WAIT_MESSAGE,
	MARKER_WAIT_PAGE_FAULT,
	MARKER_WAIT_WORK, /* a thread of the kernel without work */
	MARKER_STOPPED,   /* by a signal, a debugger or the freezer */
	MARKER_WAIT_FILE_LOCK,
	MARKER_WAIT_SEMAPHORE, /* of System V */
	MARKER_OFF_ALL_TIME,   /* before these: while recorded, the thread never ran */
	MARKER_NOT_IN_TIME,    /* the stack was left out: nobody had the time to unwind it */
	MARKER_SEEN_ONCE,      /* in the place of frames that one sample alone had */
	N_MARKERS
};

/* How a user frame was found. */
enum frame_origin {
	FRAME_BY_CFI,   /* by an unwind rule, or the sampled instruction itself */
	FRAME_GUESSED,  /* guessed and confirmed by the code, because no CFI describes its callee */
	FRAME_STITCHED, /* read from stack memory in another record than the sample */
	FRAME_JOINED,   /* taken from another sample's path, which is alike: a guess */
};

struct frame {
	uint64_t offset; /* file offset of the lookup address, or as the kind says */
	uint32_t module; /* id in the module table; 0 if the kind has no module */
	uint8_t kind;    /* enum frame_kind */
	uint8_t origin;  /* enum frame_origin; no part of the identity, 0 in trees */
	uint16_t part;   /* of a user frame's functions: 0: all; frame_outer(), frame_inner() */
};
static_assert(sizeof(struct frame) == 16, "frames are hashed and stored by the million");

static inline bool frame_equal(const struct frame *a, const struct frame *b)
{
	return a->offset == b->offset && a->module == b->module && a->kind == b->kind &&
	       a->part == b->part;
}

/*
 * A frame stands for the compiled function at its address and for those inlined there. Where a
 * FRAME_VALUE is below one of them, there are two frames: one has the first @n functions, from the
 * outermost on, and below the value another has those further in.
 */
#define FRAME_PART_INNER 0x8000u
#define FRAME_PART_MAX   (FRAME_PART_INNER - 1)

static inline struct frame frame_outer(struct frame frame, uint16_t n)
{
	frame.part = n;
	return frame;
}

static inline struct frame frame_inner(struct frame frame, uint16_t n)
{
	frame.part = (uint16_t)(FRAME_PART_INNER | n);
	frame.origin = FRAME_BY_CFI; /* the other one counts */
	return frame;
}

static inline bool frame_is_inner(const struct frame *frame)
{
	return frame->part & FRAME_PART_INNER;
}

/* Of @n functions, those that the frame stands for: from *@first_ret up to before *@end_ret. */
static inline void frame_part_range(const struct frame *frame, uint32_t n, uint32_t *first_ret,
				    uint32_t *end_ret)
{
	const uint32_t at = frame->part & FRAME_PART_MAX, cut = at < n ? at : n;

	*first_ret = frame_is_inner(frame) ? cut : 0;
	*end_ret = frame->part && !frame_is_inner(frame) ? cut : n;
}

#define FRAME_PHASE_BEFORE  UINT32_MAX       /* before the first phase */
#define FRAME_PHASE_BETWEEN (UINT32_MAX - 1) /* after the end of one, and before the next */

/* Of indices of a process in its profile, and of an epoch in its list. */
static inline uint64_t frame_epoch_offset(uint32_t process, uint32_t epoch)
{
	return (uint64_t)process << 32 | epoch;
}

static inline uint32_t frame_epoch_process(const struct frame *frame)
{
	return (uint32_t)(frame->offset >> 32);
}

static inline uint32_t frame_epoch_index(const struct frame *frame)
{
	return (uint32_t)frame->offset;
}

/* Whether it stands for who ran a path, not for a part of the path. */
static inline bool frame_is_above_code(const struct frame *frame)
{
	return frame->kind < FRAME_USER || frame->kind >= FRAME_CPU;
}

static inline struct frame frame_marker(enum marker marker)
{
	return (struct frame){ .offset = marker, .kind = FRAME_MARKER };
}

static inline struct frame frame_lock(uint64_t addr)
{
	return (struct frame){ .offset = addr, .kind = FRAME_LOCK };
}

static inline struct frame frame_value(uint32_t text)
{
	return (struct frame){ .offset = text, .kind = FRAME_VALUE };
}

static inline struct frame frame_waker(uint32_t waker)
{
	return (struct frame){ .offset = waker, .kind = FRAME_WAKER };
}

static inline bool marker_is_off_cpu(enum marker marker)
{
	return (marker >= MARKER_PREEMPTED && marker <= MARKER_IO_WAIT) ||
	       (marker >= MARKER_WAIT_LOCK && marker <= MARKER_OFF_ALL_TIME);
}

static inline bool marker_is_reason(enum marker marker)
{
	return marker != MARKER_KERNEL && marker != MARKER_SEEN_ONCE && !marker_is_off_cpu(marker);
}

/* A short name for programs ("stack_cut") and a text for people ("stack deeper than the copy"). */
const char *marker_name(enum marker marker);
const char *marker_text(enum marker marker);
#define LOCK_TEXT_MAX 32
/* "[lock 0x7f1234567890]". Returns @text. */
const char *lock_text(uint64_t addr, char text[static LOCK_TEXT_MAX]);

#endif
