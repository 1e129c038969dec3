#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/findings/entry_rows.h"

static void code_that_starts_programs_and_threads_is_recognized(void **state)
{
	static const struct {
		const char *name, *module;
		enum row_kind kind;
		bool is_entry;
	} cases[] = {
		{ "_start", "make", ROW_USER, true },
		{ "__libc_start_main", "libc.so.6", ROW_USER, true },
		{ "__libc_start_main@@GLIBC_2.34", "libc.so.6", ROW_USER, true },
		{ "__libc_start_call_main", "libc.so.6", ROW_USER, true },
		{ "clone3", "libc.so.6", ROW_USER, true },
		{ "start_thread", "libc.so.6", ROW_USER, true },
		{ "libc.so.6+0x89134", "libc.so.6", ROW_USER, true },
		{ "libc-2.31.so+0x10", "libc-2.31.so", ROW_USER, true },
		{ "runtime.goexit.abi0", "prog", ROW_USER, true },
		{ "ret_from_fork_asm", "[kernel]", ROW_KERNEL, true },
		{ "main", "make", ROW_USER, false },
		{ "main.main", "prog", ROW_USER, false },
		{ "start", "make", ROW_USER, false },
		{ "libm.so.6+0x89134", "libm.so.6", ROW_USER, false },
		{ "libc.so.6", "libc.so.6", ROW_USER, false },
		{ "make+0x10", "make", ROW_USER, false },
		{ "0x10", "", ROW_USER, false },
		{ "_start", "make", ROW_INLINE, false },
		{ "_start", "", ROW_PROCESS, false },
		{ "_start", "", ROW_MARKER, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct view_row row = { .name = cases[i].name,
					.module = cases[i].module,
					.kind = cases[i].kind };

		if (entry_row(&row) != cases[i].is_entry)
			fail_msg("%s of %s", cases[i].name, cases[i].module);
	}
}

static void a_nameless_start_is_known_by_what_it_calls(void **state)
{
	struct view_row main = { .name = "__libc_start_main", .module = "libc.so.6" };
	struct view_row other = { .name = "puts", .module = "libc.so.6" };
	struct view_row start = { .name = "git+0x1f100", .module = "git", .kind = ROW_USER };

	(void)state;
	start.children = &other;
	assert_false(entry_row(&start));
	other.next = &main;
	assert_true(entry_row(&start));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_that_starts_programs_and_threads_is_recognized),
		cmocka_unit_test(a_nameless_start_is_known_by_what_it_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
