#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "collector/attached/kernel_code.h"

static void code_that_comes_and_goes_ends_where_the_next_thing_begins(void **state)
{
	static const char text[] = "ffffffff81000000 T _text\n"
				   "ffffffffc0500000 t in_module\t[ext4]\n"
				   "ffffffffc0300100 t bpf_prog_2_b\t[bpf]\n"
				   "ffffffffc0300000 t bpf_prog_1_a\t[bpf]\n"
				   "ffffffffc04fff00 t ftrace_trampoline\t[__builtin__ftrace]\n"
				   "ffffffffc0700000 t kprobe_insn_page\t[__builtin__kprobes]\n";
	static const struct kernel_code expected[] = {
		{ 0xffffffffc0300000, 0x100, true, "bpf_prog_1_a", 12 },
		{ 0xffffffffc0300100, KERNEL_CODE_MAX_SIZE, true, "bpf_prog_2_b", 12 },
		{ 0xffffffffc04fff00, 0x100, false, "ftrace_trampoline", 17 },
		{ 0xffffffffc0700000, KERNEL_CODE_MAX_SIZE, false, "kprobe_insn_page", 16 },
	};
	struct kernel_code_list list;

	(void)state;
	assert_int_equal(kernel_code_find(text, &list), 0);
	assert_int_equal(list.n, 4);
	for (size_t i = 0; i < list.n; i++) {
		assert_int_equal(list.codes[i].addr, expected[i].addr);
		assert_int_equal(list.codes[i].len, expected[i].len);
		assert_int_equal(list.codes[i].is_bpf, expected[i].is_bpf);
		assert_int_equal(list.codes[i].name_size, expected[i].name_size);
		assert_memory_equal(list.codes[i].name, expected[i].name, expected[i].name_size);
	}
	kernel_code_list_deinit(&list);
}

static void loaded_programs_have_their_sizes_and_others_are_gone(void **state)
{
	static const char text[] = "ffffffffc0300000 t bpf_prog_1_a\t[bpf]\n"
				   "ffffffffc0300100 t bpf_prog_2_b\t[bpf]\n"
				   "ffffffffc0300200 t bpf_trampoline_3\t[bpf]\n"
				   "ffffffffc0700000 t kprobe_insn_page\t[__builtin__kprobes]\n";
	static const struct bpf_function functions[] = { { 0xffffffffc0300100, 0x40 },
							 { 0xffffffffc0900000, 0x80 } };
	struct kernel_code_list list;

	(void)state;
	assert_int_equal(kernel_code_find(text, &list), 0);
	kernel_code_set_sizes(&list, functions, 2);
	assert_int_equal(list.n, 3);
	assert_int_equal(list.codes[0].addr, 0xffffffffc0300100);
	assert_int_equal(list.codes[0].len, 0x40);
	assert_int_equal(list.codes[1].addr, 0xffffffffc0300200);
	assert_int_equal(list.codes[1].len, KERNEL_CODE_MAX_SIZE);
	assert_int_equal(list.codes[2].addr, 0xffffffffc0700000);
	kernel_code_list_deinit(&list);
}

static void hidden_and_broken_lines_are_none(void **state)
{
	static const char *const texts[] = {
		"",
		"\t",
		"\n\t[bpf]",
		"0000000000000000 t bpf_prog_1\t[bpf]\n",
		"ffffffffc0300000 t\t[bpf]\n",
		"ffffffffc0300000\t[bpf]\n",
		"ffffffffc0300000 t name\t[bp",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct kernel_code_list list;

		assert_int_equal(kernel_code_find(texts[i], &list), 0);
		assert_int_equal(list.n, 0);
		kernel_code_list_deinit(&list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_that_comes_and_goes_ends_where_the_next_thing_begins),
		cmocka_unit_test(loaded_programs_have_their_sizes_and_others_are_gone),
		cmocka_unit_test(hidden_and_broken_lines_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
