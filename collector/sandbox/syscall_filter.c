#include "collector/sandbox/syscall_filter.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif
#define INSTRUCTIONS_MAX 512

static const uint16_t always[] = {
	/* what is open */
	SYS_read,
	SYS_write,
	SYS_readv,
	SYS_writev,
	SYS_pread64,
	SYS_pwrite64,
	SYS_lseek,
	SYS_close,
	SYS_close_range,
	SYS_dup,
	SYS_dup3,
	SYS_fstat,
	SYS_ftruncate,
	SYS_fallocate,
	SYS_fsync,
	SYS_fdatasync,
	SYS_tee,
	SYS_splice,
	SYS_copy_file_range,
	SYS_sendto,
	SYS_recvfrom,
	SYS_sendmsg,
	SYS_recvmsg,
	SYS_shutdown,
	SYS_ppoll,
	/* memory */
	SYS_brk,
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_msync,
	SYS_mincore,
	SYS_memfd_create,
	SYS_membarrier,
	/* threads, signals, the end */
	SYS_futex,
	SYS_set_robust_list,
	SYS_rseq,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_getcpu,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_sigaltstack,
	SYS_restart_syscall,
	SYS_exit,
	SYS_exit_group,
	SYS_wait4,
	/* what it may know */
	SYS_getpid,
	SYS_gettid,
	SYS_getppid,
	SYS_getuid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getegid,
	SYS_clock_gettime,
	SYS_clock_getres,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_gettimeofday,
	SYS_getrusage,
	SYS_times,
	SYS_uname,
	SYS_sysinfo,
	SYS_getrandom,
#ifdef __x86_64__
	SYS_dup2,
	SYS_poll,
	SYS_time,
#endif
};

static const uint16_t of_readers[] = {
	SYS_openat,    SYS_openat2,    SYS_readlinkat, SYS_newfstatat, SYS_statx,
	SYS_faccessat, SYS_faccessat2, SYS_getdents64, SYS_getcwd,     SYS_fadvise64,
	SYS_preadv2,   SYS_statfs,     SYS_fstatfs,    SYS_pselect6,   SYS_pipe2,
#ifdef __x86_64__
	SYS_open,      SYS_stat,       SYS_lstat,      SYS_access,     SYS_readlink,
#endif
};

static const uint16_t of_writers[] = {
	SYS_renameat2,
	SYS_unlinkat,
	SYS_flock,
#ifdef SYS_renameat
	SYS_renameat,
#endif
};

/* Allowed if any of the conditions holds: (argument & mask) == value, of its lower half. */
struct condition {
	uint32_t argument, mask, value;
};
#define CONDITIONS_MAX 8

struct conditional_call {
	uint16_t number;
	struct condition conditions[CONDITIONS_MAX]; /* up to one with a mask of 0 */
};

#define ALL      UINT32_MAX
#define A_THREAD (CLONE_VM | CLONE_THREAD | CLONE_SIGHAND)

static const struct conditional_call conditional[] = {
	{ SYS_mmap, { { 2, PROT_EXEC, 0 } } },
	{ SYS_mprotect, { { 2, PROT_EXEC, 0 } } },
	{ SYS_clone, { { 0, A_THREAD, A_THREAD } } },
	{ SYS_newfstatat, { { 3, ALL, AT_EMPTY_PATH } } },
	{ SYS_prlimit64, { { 0, ALL, 0 } } },
	{ SYS_ioctl,
	  { { 1, ALL, TCGETS },
	    { 1, ALL, TIOCGWINSZ },
	    { 1, ALL, TCSETS },
	    { 1, ALL, TCSETSW },
	    { 1, ALL, TCSETSF } } },
	{ SYS_prctl, { { 0, ALL, PR_SET_NAME }, { 0, ALL, PR_SET_VMA } } },
	{ SYS_fcntl,
	  { { 1, ALL, F_DUPFD },
	    { 1, ALL, F_DUPFD_CLOEXEC },
	    { 1, ALL, F_GETFD },
	    { 1, ALL, F_SETFD },
	    { 1, ALL, F_GETFL },
	    { 1, ALL, F_SETFL },
	    { 1, ALL, F_OFD_GETLK } } },
};

struct program {
	struct sock_filter code[INSTRUCTIONS_MAX];
	size_t n;
};

static void add(struct program *program, struct sock_filter instruction)
{
	assert(program->n < INSTRUCTIONS_MAX);
	program->code[program->n++] = instruction;
}

static void load(struct program *program, size_t offset)
{
	add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void end(struct program *program, uint32_t result)
{
	add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result));
}

/* If the value is @value, the next @n instructions are run; else those behind them. */
static void only_if(struct program *program, uint32_t value, uint8_t n)
{
	add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, n));
}

static void add_conditional(struct program *program, const struct conditional_call *call)
{
	const size_t first = program->n;

	only_if(program, call->number, 0);
	for (size_t i = 0; i < CONDITIONS_MAX && call->conditions[i].mask; i++) {
		const struct condition *condition = &call->conditions[i];

		load(program, offsetof(struct seccomp_data, args[condition->argument]));
		add(program,
		    (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, condition->mask));
		only_if(program, condition->value, 1);
		end(program, SECCOMP_RET_ALLOW);
	}
	end(program, SECCOMP_RET_ERRNO | EPERM);
	program->code[first].jf = (uint8_t)(program->n - first - 1);
}

/* Only its own process, and no longer than it lives. */
static void add_signals(struct program *program)
{
	const uint32_t pid = (uint32_t)getpid();
	const struct conditional_call calls[] = { { SYS_tgkill, { { 0, ALL, pid } } },
						  { SYS_kill, { { 0, ALL, pid } } } };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		add_conditional(program, &calls[i]);
}

static void add_all(struct program *program, const uint16_t *calls, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		only_if(program, calls[i], 1);
		end(program, SECCOMP_RET_ALLOW);
	}
}

static void write_program(struct program *program, enum allowed_syscalls allowed)
{
	program->n = 0;
	load(program, offsetof(struct seccomp_data, arch));
	only_if(program, ARCH, 1);
	add(program, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 1));
	end(program, SECCOMP_RET_ERRNO | EPERM);
	load(program, offsetof(struct seccomp_data, nr));
	add_all(program, always, sizeof(always) / sizeof(always[0]));
	if (allowed != SYSCALLS_WITHOUT_FILES)
		add_all(program, of_readers, sizeof(of_readers) / sizeof(of_readers[0]));
	if (allowed == SYSCALLS_THAT_WRITE_FILES)
		add_all(program, of_writers, sizeof(of_writers) / sizeof(of_writers[0]));
	for (size_t i = 0; i < sizeof(conditional) / sizeof(conditional[0]); i++)
		add_conditional(program, &conditional[i]);
	add_signals(program);
	/* Its flags are in memory, where a filter cannot look: the C library uses clone() then. */
	only_if(program, SYS_clone3, 1);
	end(program, SECCOMP_RET_ERRNO | ENOSYS);
	end(program, SECCOMP_RET_ERRNO | EPERM);
}

bool syscall_filter_is_here(void)
{
	const uint32_t action = SECCOMP_RET_ERRNO;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int syscall_filter_enter(enum allowed_syscalls allowed)
{
	struct program program;

	write_program(&program, allowed);
	const struct sock_fprog loaded = { (unsigned short)program.n, program.code };
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &loaded) ? -errno : 0;
}
