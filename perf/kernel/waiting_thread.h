/*
 * What a thread that does not run looks like, without disturbing it: the kernel's part of its path,
 * and the registers with which it entered the kernel. A BPF program reads both from where the
 * kernel keeps them (an iterator of tasks, Linux 6.1). A debugger's stop would give them, too, but
 * would end the thread's system call, which some calls report as EINTR.
 */
#ifndef PERF_KERNEL_WAITING_THREAD_H
#define PERF_KERNEL_WAITING_THREAD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WAITING_THREAD_CALLERS_MAX 127
#define WAITING_THREAD_REGS_MAX    64

struct waiting_thread {
	uint64_t abi; /* PERF_SAMPLE_REGS_ABI_*; NONE: a thread of the kernel */
	uint64_t regs[WAITING_THREAD_REGS_MAX]; /* of the mask, as in samples */
	size_t n_regs;
	uint64_t sp;                                 /* among the registers */
	uint64_t kernel[WAITING_THREAD_CALLERS_MAX]; /* callers, leaf first */
	size_t n_kernel;
};

struct waiting_thread_reader;

/*
 * @regs_mask: attr.sample_regs_user of the samples. 0, or -errno: -EPERM, or what the kernel lacks
 * (-ENOENT: its types, -EINVAL: the iterator).
 */
int waiting_thread_reader_create(uint64_t regs_mask, struct waiting_thread_reader **reader_ret);
void waiting_thread_reader_destroy(struct waiting_thread_reader *reader);
/* If the thread runs meanwhile, the parts may not match. 0; -ESRCH: it has ended; -errno. */
int waiting_thread_read(struct waiting_thread_reader *reader, pid_t tid,
			struct waiting_thread *ret);

#endif
