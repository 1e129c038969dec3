#include "report/names/kernel_entry.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* How names begin, of x86 and arm64. The first that fits decides. */
static const struct {
	const char *start;
	enum kernel_entry_kind kind;
} starts[] = {
	{ "entry_SYSCALL_", KERNEL_ENTRY_GATE },
	{ "entry_SYSENTER_", KERNEL_ENTRY_GATE },
	{ "entry_INT80_", KERNEL_ENTRY_GATE },
	{ "asm_int80_emulation", KERNEL_ENTRY_GATE },
	{ "do_int80_", KERNEL_ENTRY_GATE },
	{ "do_syscall_", KERNEL_ENTRY_GATE },
	{ "do_fast_syscall_32", KERNEL_ENTRY_GATE },
	{ "__do_fast_syscall_32", KERNEL_ENTRY_GATE },
	{ "do_SYSENTER_32", KERNEL_ENTRY_GATE },
	{ "x64_sys_call", KERNEL_ENTRY_GATE },
	{ "x32_sys_call", KERNEL_ENTRY_GATE },
	{ "ia32_sys_call", KERNEL_ENTRY_GATE },
	{ "el0t_64_sync", KERNEL_ENTRY_GATE },
	{ "el0t_32_sync", KERNEL_ENTRY_GATE },
	{ "el0_svc", KERNEL_ENTRY_GATE },
	{ "do_el0_svc", KERNEL_ENTRY_GATE },
	{ "invoke_syscall", KERNEL_ENTRY_GATE },
	{ "__invoke_syscall", KERNEL_ENTRY_GATE },
	{ "syscall_exit_", KERNEL_ENTRY_EXIT },
	{ "syscall_enter_", KERNEL_ENTRY_EXIT },
	{ "syscall_trace_", KERNEL_ENTRY_EXIT },
	{ "syscall_return_", KERNEL_ENTRY_EXIT },
	{ "exit_to_user_mode", KERNEL_ENTRY_EXIT },
	{ "asm_exc_page_fault", KERNEL_ENTRY_PAGE_FAULT },
	{ "exc_page_fault", KERNEL_ENTRY_PAGE_FAULT },
	{ "el0_da", KERNEL_ENTRY_PAGE_FAULT },
	{ "el0_ia", KERNEL_ENTRY_PAGE_FAULT },
	{ "asm_exc_nmi", KERNEL_ENTRY_INTERRUPT },
	{ "asm_exc_", KERNEL_ENTRY_EXCEPTION },
	{ "asm_sysvec_", KERNEL_ENTRY_INTERRUPT },
	{ "asm_common_interrupt", KERNEL_ENTRY_INTERRUPT },
	{ "common_interrupt", KERNEL_ENTRY_INTERRUPT },
	{ "sysvec_", KERNEL_ENTRY_INTERRUPT },
	{ "el0t_64_irq", KERNEL_ENTRY_INTERRUPT },
	{ "el0t_64_fiq", KERNEL_ENTRY_INTERRUPT },
	{ "el0t_32_irq", KERNEL_ENTRY_INTERRUPT },
	{ "el0_", KERNEL_ENTRY_EXCEPTION },
	{ "secondary_startup", KERNEL_ENTRY_IDLE },
	{ "common_startup_64", KERNEL_ENTRY_IDLE },
	{ "start_secondary", KERNEL_ENTRY_IDLE },
	{ "secondary_start_kernel", KERNEL_ENTRY_IDLE },
	{ "__secondary_switched", KERNEL_ENTRY_IDLE },
	{ "__primary_switched", KERNEL_ENTRY_IDLE },
	{ "cpu_startup_entry", KERNEL_ENTRY_IDLE },
	{ "do_idle", KERNEL_ENTRY_IDLE },
	{ "ret_from_fork", KERNEL_ENTRY_FORK },
};

/* What comes before a system call's name. */
static const char *const prefixes[] = {
	"__x64_sys_",
	"__ia32_sys_",
	"__ia32_compat_sys_",
	"__x64_compat_sys_",
	"__arm64_sys_",
	"__se_sys_",
	"__do_sys_",
	"__se_compat_sys_",
	"__do_compat_sys_",
	"ksys_",
	"compat_ksys_",
	"__sys_",
	"__compat_sys_",
	"compat_sys_",
	"sys_",
	"__arm64_compat_sys_",
};

/* Functions that one system call calls last, and names that users don't know. */
static const struct {
	const char *function, *call;
} other_names[] = {
	{ "__vm_munmap", "munmap" },
	{ "do_epoll_wait", "epoll_wait" },
	{ "do_execveat_common", "execve" },
	{ "do_fcntl", "fcntl" },
	{ "do_futex", "futex" },
	{ "do_group_exit", "exit_group" },
	{ "do_mprotect_pkey", "mprotect" },
	{ "do_readv", "readv" },
	{ "do_sys_open", "openat" },
	{ "do_sys_openat2", "openat" },
	{ "do_sys_poll", "poll" },
	{ "do_vfs_ioctl", "ioctl" },
	{ "do_writev", "writev" },
	{ "hrtimer_nanosleep", "clock_nanosleep" },
	{ "kernel_clone", "clone" },
	{ "kernel_wait4", "wait4" },
	{ "ksys_mmap_pgoff", "mmap" },
	{ "vfs_fstatat", "newfstatat" },
	{ "vm_mmap_pgoff", "mmap" },
};
static const struct {
	const char *inner, *known;
} known_as[] = {
	{ "newfstat", "fstat" }, { "newlstat", "lstat" },      { "newstat", "stat" },
	{ "newuname", "uname" }, { "sendfile64", "sendfile" },
};

static bool begins_with(const char *name, const char *start)
{
	return strncmp(name, start, strlen(start)) == 0;
}

static const char *system_call(const char *name)
{
	for (size_t i = 0; i < sizeof(other_names) / sizeof(other_names[0]); i++) {
		if (strcmp(name, other_names[i].function) == 0)
			return other_names[i].call;
	}
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (!begins_with(name, prefixes[i]))
			continue;
		name += strlen(prefixes[i]);
		for (size_t j = 0; j < sizeof(known_as) / sizeof(known_as[0]); j++) {
			if (strcmp(name, known_as[j].inner) == 0)
				return known_as[j].known;
		}
		return name;
	}
	return NULL;
}

struct kernel_entry kernel_entry_of(const char *name)
{
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (begins_with(name, starts[i].start))
			return (struct kernel_entry){ .kind = starts[i].kind };
	}
	const char *call = system_call(name);
	return (struct kernel_entry){ call ? KERNEL_ENTRY_SYSTEM_CALL : KERNEL_ENTRY_UNKNOWN,
				      call };
}
