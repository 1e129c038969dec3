#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kernel-merge/io_wait.h"
#include "kernel-merge/kernel_symbols.h"

#define TEXT 0xffffffff81000000ull

static const char names[] = "ffffffff81000000 T _text\n"
			    "ffffffff81000100 T io_schedule_timeout\n"
			    "ffffffff81000200 T io_schedule\n"
			    "ffffffff81000200 T io_schedule_alias\n"
			    "ffffffff81000300 T io_schedule_prepare\n"
			    "ffffffff81000400 T schedule\n"
			    "ffffffff81000500 T mutex_lock_io\n";

struct fixture {
	struct module_table modules;
	struct kernel_symbols *kallsyms;
	struct io_wait io_wait;
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

	kernel_symbols_destroy(fixture->kallsyms);
	module_table_deinit(&fixture->modules);
	return 0;
}

static bool waits_at(struct fixture *fixture, uint64_t addr)
{
	const struct kernel_layout *layout = kernel_symbols_layout(fixture->kallsyms);
	struct frame frames[] = { kernel_symbols_frame(fixture->kallsyms, layout, TEXT + 0x410),
				  kernel_symbols_frame(fixture->kallsyms, layout, addr) };

	return io_wait_has(&fixture->io_wait, frames, 2);
}

static void a_path_through_io_schedule_waits_for_io(void **state)
{
	struct fixture *fixture = *state;
	struct kallsyms_text *parsed;

	assert_int_equal(kallsyms_text_parse(names, strlen(names), &parsed), 0);
	assert_int_equal(kernel_symbols_name(fixture->kallsyms, parsed), 0);
	io_wait_find(&fixture->modules, &fixture->io_wait);
	assert_true(waits_at(fixture, TEXT + 0x100));
	assert_true(waits_at(fixture, TEXT + 0x1ff));
	assert_true(waits_at(fixture, TEXT + 0x200));
	assert_true(waits_at(fixture, TEXT + 0x2ff));
	assert_true(waits_at(fixture, TEXT + 0x520));
	assert_false(waits_at(fixture, TEXT + 0x300));
	assert_false(waits_at(fixture, TEXT + 0x420));
	assert_false(waits_at(fixture, TEXT));
	assert_false(waits_at(fixture, TEXT - 0x100));
	kallsyms_text_destroy(parsed);
}

static void without_the_kernels_names_no_wait_is_recognized(void **state)
{
	struct fixture *fixture = *state;

	io_wait_find(&fixture->modules, &fixture->io_wait);
	assert_int_equal(fixture->io_wait.n_functions, 0);
	assert_false(waits_at(fixture, TEXT + 0x200));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_path_through_io_schedule_waits_for_io, setup,
						teardown),
		cmocka_unit_test_setup_teardown(without_the_kernels_names_no_wait_is_recognized,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
