#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/names/kernel_entry.h"

static void a_system_call_has_the_name_that_users_know(void **state)
{
	static const struct {
		const char *function, *call;
	} cases[] = {
		{ "__x64_sys_read", "read" },
		{ "__arm64_sys_read", "read" },
		{ "ksys_read", "read" },
		{ "__se_sys_futex", "futex" },
		{ "__ia32_compat_sys_ioctl", "ioctl" },
		{ "__x64_sys_newfstat", "fstat" },
		{ "__x64_sys_rt_sigreturn", "rt_sigreturn" },
		{ "do_sys_openat2", "openat" },
		{ "ksys_mmap_pgoff", "mmap" },
		{ "__sys_sendto", "sendto" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kernel_entry entry = kernel_entry_of(cases[i].function);

		assert_int_equal(entry.kind, KERNEL_ENTRY_SYSTEM_CALL);
		assert_string_equal(entry.call, cases[i].call);
	}
}

static void other_entries_are_known_by_their_names(void **state)
{
	static const struct {
		const char *function;
		enum kernel_entry_kind kind;
	} cases[] = {
		{ "entry_SYSCALL_64_after_hwframe", KERNEL_ENTRY_GATE },
		{ "do_syscall_64", KERNEL_ENTRY_GATE },
		{ "x64_sys_call", KERNEL_ENTRY_GATE },
		{ "el0t_64_sync_handler", KERNEL_ENTRY_GATE },
		{ "el0_svc_common", KERNEL_ENTRY_GATE },
		{ "syscall_exit_to_user_mode", KERNEL_ENTRY_EXIT },
		{ "asm_exc_page_fault", KERNEL_ENTRY_PAGE_FAULT },
		{ "el0_da", KERNEL_ENTRY_PAGE_FAULT },
		{ "asm_exc_nmi", KERNEL_ENTRY_INTERRUPT },
		{ "asm_sysvec_apic_timer_interrupt", KERNEL_ENTRY_INTERRUPT },
		{ "el0t_64_irq_handler", KERNEL_ENTRY_INTERRUPT },
		{ "asm_exc_divide_error", KERNEL_ENTRY_EXCEPTION },
		{ "el0_undef", KERNEL_ENTRY_EXCEPTION },
		{ "ret_from_fork_asm", KERNEL_ENTRY_FORK },
		{ "cpu_startup_entry", KERNEL_ENTRY_IDLE },
		{ "vfs_read", KERNEL_ENTRY_UNKNOWN },
		{ "", KERNEL_ENTRY_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kernel_entry entry = kernel_entry_of(cases[i].function);

		assert_int_equal(entry.kind, cases[i].kind);
		assert_null(entry.call);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_system_call_has_the_name_that_users_know),
		cmocka_unit_test(other_entries_are_known_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
