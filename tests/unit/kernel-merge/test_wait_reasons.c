#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kernel-merge/kernel_symbols.h"
#include "kernel-merge/wait_reasons.h"

#define TEXT 0xffffffff81000000ull

static const char names[] = "ffffffff81000000 T _text\n"
			    "ffffffff81000100 T io_schedule_timeout\n"
			    "ffffffff81000200 T io_schedule\n"
			    "ffffffff81000200 T io_schedule_alias\n"
			    "ffffffff81000300 T io_schedule_prepare\n"
			    "ffffffff81000400 T schedule\n"
			    "ffffffff81000500 T mutex_lock_io\n"
			    "ffffffff81000600 t __mutex_lock.constprop.0\n"
			    "ffffffff81000700 t futex_wait_queue.isra.0\n"
			    "ffffffff81000800 T do_sys_poll\n"
			    "ffffffff81000900 T get_signal\n"
			    "ffffffff81000a00 T do_exit\n"
			    "ffffffff81000b00 T do_sys_poll_more\n"
			    "ffffffff81000c00 T __x64_sys_read\n";

struct fixture {
	struct module_table modules;
	struct kernel_symbols *kallsyms;
	struct wait_reasons reasons;
};

static int setup(void **state)
{
	static struct fixture fixture;

	assert_int_equal(module_table_init(&fixture.modules), 0);
	fixture.kallsyms = kernel_symbols_create(&fixture.modules);
	kernel_symbols_map(
		fixture.kallsyms,
		&(struct kernel_symbols_mapping){
			.start = TEXT, .len = 0x1000, .filename = "[kernel.kallsyms]_text" });
	kernel_symbols_finish_mappings(fixture.kallsyms);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	wait_reasons_deinit(&fixture->reasons);
	kernel_symbols_destroy(fixture->kallsyms);
	module_table_deinit(&fixture->modules);
	return 0;
}

static void name_functions(struct fixture *fixture)
{
	struct kernel_symbols_names *read;

	assert_int_equal(
		kernel_symbols_read_names(fixture->kallsyms, strdup(names), strlen(names), &read),
		0);
	assert_int_equal(kernel_symbols_name(fixture->kallsyms, read), 0);
	kernel_symbols_names_destroy(read);
	assert_int_equal(wait_reasons_init(&fixture->reasons, &fixture->modules), 0);
}

/* What a thread waits for in schedule(), called at @inner, called at @outer. */
static enum marker reason_at(struct fixture *fixture, uint64_t inner, uint64_t outer)
{
	const struct kernel_layout *layout = kernel_symbols_layout(fixture->kallsyms);
	struct frame frames[] = {
		kernel_symbols_frame(fixture->kallsyms, layout, TEXT + 0x410),
		kernel_symbols_frame(fixture->kallsyms, layout, TEXT + inner),
		kernel_symbols_frame(fixture->kallsyms, layout, TEXT + outer),
	};

	return wait_reasons_of(&fixture->reasons, frames, 3);
}

static void a_path_through_io_schedule_waits_for_io(void **state)
{
	struct fixture *fixture = *state;

	name_functions(fixture);
	assert_int_equal(reason_at(fixture, 0x100, 0xc10), MARKER_IO_WAIT);
	assert_int_equal(reason_at(fixture, 0x1ff, 0xc10), MARKER_IO_WAIT);
	assert_int_equal(reason_at(fixture, 0x200, 0xc10), MARKER_IO_WAIT);
	assert_int_equal(reason_at(fixture, 0x2ff, 0xc10), MARKER_IO_WAIT);
	assert_int_equal(reason_at(fixture, 0x300, 0xc10), MARKER_BLOCKED);
	assert_int_equal(reason_at(fixture, 0x420, 0xc10), MARKER_BLOCKED);
	assert_int_equal(reason_at(fixture, 0, 0xc10), MARKER_BLOCKED);
	assert_int_equal(reason_at(fixture, 0x610, 0x520), MARKER_IO_WAIT);
}

static void what_a_compiler_appends_to_a_name_does_not_matter(void **state)
{
	struct fixture *fixture = *state;

	name_functions(fixture);
	assert_int_equal(reason_at(fixture, 0x710, 0xc10), MARKER_WAIT_LOCK);
	assert_int_equal(reason_at(fixture, 0x610, 0xc10), MARKER_WAIT_KERNEL_LOCK);
	assert_int_equal(reason_at(fixture, 0xb10, 0xc10), MARKER_BLOCKED);
}

static void the_innermost_function_of_the_table_decides(void **state)
{
	struct fixture *fixture = *state;

	name_functions(fixture);
	assert_int_equal(reason_at(fixture, 0x610, 0x810), MARKER_WAIT_KERNEL_LOCK);
	assert_int_equal(reason_at(fixture, 0xc10, 0x810), MARKER_WAIT_POLL);
	assert_int_equal(reason_at(fixture, 0x910, 0x910), MARKER_STOPPED);
	assert_int_equal(reason_at(fixture, 0xa10, 0x910), MARKER_BLOCKED);
}

/* A kernel whose only function has the name. */
static enum marker reason_of_name(struct fixture *fixture, const char *name)
{
	struct symbol symbol = { .name = name, .offset = 0, .size = 0x100 };
	struct symbol_table symbols = { .symbols = &symbol, .n_symbols = 1 };
	struct frame frame = kernel_symbols_frame(fixture->kallsyms,
						  kernel_symbols_layout(fixture->kallsyms), TEXT);
	struct module *module = module_table_get(&fixture->modules, frame.module);
	struct wait_reasons reasons;

	symbol.offset = frame.offset;
	module->symbols = &symbols;
	assert_int_equal(wait_reasons_init(&reasons, &fixture->modules), 0);
	module->symbols = NULL;
	enum marker reason = wait_reasons_of(&reasons, &frame, 1);
	wait_reasons_deinit(&reasons);
	return reason;
}

static void functions_of_kernels_old_and_new_have_their_reasons(void **state)
{
	static const struct {
		const char *name;
		enum marker reason;
	} cases[] = {
		{ "futex_wait_queue_me", MARKER_WAIT_LOCK },
		{ "futex_do_wait", MARKER_WAIT_LOCK },
		{ "__do_semtimedop", MARKER_WAIT_SEMAPHORE },
		{ "fcntl_setlk", MARKER_WAIT_FILE_LOCK },
		{ "rwsem_down_read_slowpath", MARKER_WAIT_KERNEL_LOCK },
		{ "ep_poll", MARKER_WAIT_POLL },
		{ "do_epoll_wait", MARKER_WAIT_POLL },
		{ "do_select", MARKER_WAIT_POLL },
		{ "do_nanosleep", MARKER_SLEEPING },
		{ "hrtimer_nanosleep", MARKER_SLEEPING },
		{ "pipe_read", MARKER_WAIT_PIPE },
		{ "anon_pipe_read", MARKER_WAIT_PIPE },
		{ "pipe_wait", MARKER_WAIT_PIPE },
		{ "unix_stream_read_generic", MARKER_WAIT_SOCKET },
		{ "inet_csk_accept", MARKER_WAIT_SOCKET },
		{ "tcp_recvmsg", MARKER_WAIT_SOCKET },
		{ "do_wait", MARKER_WAIT_CHILD },
		{ "kernel_wait4", MARKER_WAIT_CHILD },
		{ "do_sigtimedwait", MARKER_WAIT_SIGNAL },
		{ "n_tty_read", MARKER_WAIT_TERMINAL },
		{ "eventfd_read", MARKER_WAIT_EVENT },
		{ "do_msgrcv", MARKER_WAIT_MESSAGE },
		{ "handle_mm_fault", MARKER_WAIT_PAGE_FAULT },
		{ "worker_thread", MARKER_WAIT_WORK },
		{ "ptrace_stop.part.0", MARKER_STOPPED },
		{ "do_signal_stop", MARKER_STOPPED },
		{ "io_schedule", MARKER_IO_WAIT },
		{ "process_one_work", MARKER_BLOCKED },
		{ "schedule", MARKER_BLOCKED },
		{ "", MARKER_BLOCKED },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum marker reason = reason_of_name(fixture, cases[i].name);

		if (reason != cases[i].reason)
			fail_msg("%s: %s", cases[i].name, marker_text(reason));
	}
}

static void without_the_kernels_names_no_wait_is_recognized(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(wait_reasons_init(&fixture->reasons, &fixture->modules), 0);
	assert_int_equal(fixture->reasons.n_functions, 0);
	assert_int_equal(reason_at(fixture, 0x200, 0x710), MARKER_BLOCKED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_path_through_io_schedule_waits_for_io),
		TEST(what_a_compiler_appends_to_a_name_does_not_matter),
		TEST(the_innermost_function_of_the_table_decides),
		TEST(functions_of_kernels_old_and_new_have_their_reasons),
		TEST(without_the_kernels_names_no_wait_is_recognized),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
