#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kernel-merge/kernel_symbols.h"

static const char snapshot[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81000100 t first\n"
			       "ffffffff81000200 D not_text\n"
			       "ffffffff81000300 W last\n"
			       "ffffffff81000310 t $x\n"
			       "ffffffffc0201000 t module_start\t[ext4]\n"
			       "ffffffffc0201080 t module_next\t[ext4]\n"
			       "bogus line\n"
			       "ffffffff81000400\n"
			       "ffffffffc0400000 t other\t[loop]";

struct fixture {
	struct module_table modules;
	struct kernel_symbols *kallsyms;
};

static int setup(void **state)
{
	static struct fixture fixture;

	module_table_init(&fixture.modules);
	fixture.kallsyms = kernel_symbols_create(&fixture.modules);
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

static const char *name_at_time(const struct fixture *fixture, const struct kernel_layout *layout,
				uint64_t addr, const char **owner_ret)
{
	struct frame frame = kernel_symbols_frame(fixture->kallsyms, layout, addr);
	const struct module *module = module_table_get(&fixture->modules, frame.module);
	const struct symbol *symbol =
		module->symbols ? symbol_table_find(module->symbols, frame.offset) : NULL;

	assert_int_equal(frame.kind, FRAME_KERNEL);
	*owner_ret = module->key.path;
	return symbol ? symbol->name : "";
}

static const char *name_at(const struct fixture *fixture, uint64_t addr, const char **owner_ret)
{
	return name_at_time(fixture, kernel_symbols_layout(fixture->kallsyms), addr, owner_ret);
}

static void map(struct fixture *fixture, uint64_t start, uint64_t len, const char *filename)
{
	const struct kernel_symbols_mapping mapping = { .start = start,
							.len = len,
							.filename = filename };

	assert_int_equal(kernel_symbols_map(fixture->kallsyms, &mapping), 0);
}

static void map_kernel(struct fixture *fixture)
{
	map(fixture, 0xffffffffc0201000, 0x1000, "[ext4]");
	map(fixture, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text");
	map(fixture, 0xffffffffc0400000, 0x1000, "/lib/modules/loop.ko");
}

static void finish_mappings(struct fixture *fixture)
{
	assert_int_equal(kernel_symbols_finish_mappings(fixture->kallsyms), 0);
}

static void load(struct fixture *fixture, uint64_t addr, uint32_t len, const char *name)
{
	const struct kernel_symbols_code code = {
		.addr = addr, .len = len, .name = name, .is_bpf = strncmp(name, "bpf_", 4) == 0
	};

	assert_int_equal(kernel_symbols_change(fixture->kallsyms, &code), 0);
}

static void unload(struct fixture *fixture, uint64_t addr, uint32_t len, const char *name)
{
	const struct kernel_symbols_code code = {
		.addr = addr, .len = len, .name = name, .is_gone = true
	};

	assert_int_equal(kernel_symbols_change(fixture->kallsyms, &code), 0);
}

static int read_names(struct fixture *fixture, const char *text,
		      struct kernel_symbols_names **names_ret)
{
	return kernel_symbols_read_names(fixture->kallsyms, strdup(text), strlen(text), names_ret);
}

static void name_by(struct fixture *fixture, const char *text)
{
	struct kernel_symbols_names *names;

	assert_int_equal(read_names(fixture, text, &names), 0);
	assert_int_equal(kernel_symbols_name(fixture->kallsyms, names), 0);
	kernel_symbols_names_destroy(names);
}

static void name_kernel(struct fixture *fixture)
{
	name_by(fixture, snapshot);
}

static void addresses_are_named_by_symbol_and_mapping(void **state)
{
	static const struct {
		uint64_t addr;
		const char *name, *owner;
	} cases[] = {
		{ 0xffffffff81000050, "_stext", "[kernel.kallsyms]" },
		{ 0xffffffff81000100, "first", "[kernel.kallsyms]" },
		{ 0xffffffff810002ff, "first", "[kernel.kallsyms]" },
		{ 0xffffffff81000301, "last", "[kernel.kallsyms]" },
		{ 0xffffffffc0201000, "module_start", "[ext4]" },
		{ 0xffffffffc0201090, "module_next", "[ext4]" },
		{ 0xffffffffc0400010, "other", "/lib/modules/loop.ko" },
		{ 0xffffffffc0300000, "", "[kernel]" },
		{ 0x1000, "", "[kernel]" },
	};
	struct fixture *fixture = *state;

	map_kernel(fixture);
	finish_mappings(fixture);
	name_kernel(fixture);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *owner;

		assert_string_equal(name_at(fixture, cases[i].addr, &owner), cases[i].name);
		assert_string_equal(owner, cases[i].owner);
	}
}

static void hidden_addresses_are_refused(void **state)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 t first\n";
	struct fixture *fixture = *state;
	struct kernel_symbols_names *names;

	finish_mappings(fixture);
	assert_int_equal(read_names(fixture, hidden, &names), -EPERM);
}

static void frames_need_mappings_only(void **state)
{
	struct fixture *fixture = *state;
	const char *owner;

	map_kernel(fixture);
	finish_mappings(fixture);
	assert_string_equal(name_at(fixture, 0xffffffff81000300, &owner), "");
	assert_string_equal(owner, "[kernel.kallsyms]");
	assert_int_equal(kernel_symbols_frame(fixture->kallsyms,
					      kernel_symbols_layout(fixture->kallsyms),
					      0xffffffff81000300)
				 .offset,
			 0x300);
	name_kernel(fixture);
	assert_string_equal(name_at(fixture, 0xffffffff81000300, &owner), "last");
}

static void without_mappings_names_go_by_address(void **state)
{
	struct fixture *fixture = *state;
	const char *owner;

	finish_mappings(fixture);
	name_kernel(fixture);
	assert_string_equal(name_at(fixture, 0xffffffff81000150, &owner), "first");
	assert_string_equal(owner, "[kernel]");
}

#define PROGRAM 0xffffffffc0300000

static void programs_have_their_names_while_they_are_loaded(void **state)
{
	struct fixture *fixture = *state;
	const struct kernel_layout *times[5];
	const char *owner;

	map_kernel(fixture);
	load(fixture, PROGRAM, 0x100, "bpf_prog_1_early");
	finish_mappings(fixture);
	times[0] = kernel_symbols_layout(fixture->kallsyms);
	unload(fixture, PROGRAM, 0x100, "bpf_prog_1_early");
	times[1] = kernel_symbols_layout(fixture->kallsyms);
	load(fixture, PROGRAM + 0x80, 0x100, "bpf_prog_2_late");
	times[2] = kernel_symbols_layout(fixture->kallsyms);
	/* The end of its predecessor was not recorded. */
	load(fixture, PROGRAM + 0xc0, 0x100, "bpf_prog_3_over");
	times[3] = kernel_symbols_layout(fixture->kallsyms);
	load(fixture, PROGRAM, 0x100, "bpf_prog_1_early");
	times[4] = kernel_symbols_layout(fixture->kallsyms);
	name_kernel(fixture);

	static const struct {
		uint64_t addr;
		const char *names[5];
	} cases[] = {
		{ PROGRAM - 1, { "", "", "", "", "" } },
		{ PROGRAM, { "bpf_prog_1_early", "", "", "", "bpf_prog_1_early" } },
		{ PROGRAM + 0x7f, { "bpf_prog_1_early", "", "", "", "bpf_prog_1_early" } },
		{ PROGRAM + 0x80,
		  { "bpf_prog_1_early", "", "bpf_prog_2_late", "bpf_prog_2_late",
		    "bpf_prog_1_early" } },
		{ PROGRAM + 0xff,
		  { "bpf_prog_1_early", "", "bpf_prog_2_late", "bpf_prog_3_over",
		    "bpf_prog_1_early" } },
		{ PROGRAM + 0x17f, { "", "", "bpf_prog_2_late", "bpf_prog_3_over", "" } },
		{ PROGRAM + 0x1bf, { "", "", "", "bpf_prog_3_over", "" } },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t t = 0; t < 5; t++) {
			const char *name = name_at_time(fixture, times[t], cases[i].addr, &owner);

			if (strcmp(name, cases[i].names[t]) != 0)
				fail_msg("address %zu at time %zu: '%s', not '%s'", i, t, name,
					 cases[i].names[t]);
			assert_string_equal(owner, *name ? "[bpf]" : "[kernel]");
		}
	}
}

static void the_same_program_loaded_elsewhere_is_the_same_frame(void **state)
{
	struct fixture *fixture = *state;
	struct frame frames[4];

	finish_mappings(fixture);
	load(fixture, PROGRAM, 0x100, "bpf_prog_1_same");
	load(fixture, PROGRAM + 0x1000, 0x100, "bpf_prog_1_same");
	load(fixture, PROGRAM + 0x2000, 0x110, "bpf_prog_1_same");
	load(fixture, PROGRAM + 0x3000, 0x100, "ftrace_trampoline");
	for (size_t i = 0; i < 4; i++)
		frames[i] = kernel_symbols_frame(fixture->kallsyms,
						 kernel_symbols_layout(fixture->kallsyms),
						 PROGRAM + i * 0x1000 + 0x10);
	assert_true(frame_equal(&frames[0], &frames[1]));
	assert_false(frame_equal(&frames[0], &frames[2]));
	assert_int_equal(frames[0].module, frames[2].module);
	assert_int_not_equal(frames[0].module, frames[3].module);
}

static void text_lines_of_programs_count_where_no_record_tells(void **state)
{
	static const char text[] = "ffffffff81000100 t first\n"
				   "ffffffffc0300000 t bpf_prog_1_early\t[bpf]\n"
				   "ffffffffc0300100 t ftrace_trampoline\t[__builtin__ftrace]\n";
	struct fixture *fixture = *state;
	const char *owner;

	for (int is_known = 0; is_known <= 1; is_known++) {
		kernel_symbols_destroy(fixture->kallsyms);
		module_table_deinit(&fixture->modules);
		module_table_init(&fixture->modules);
		fixture->kallsyms = kernel_symbols_create(&fixture->modules);
		if (is_known)
			load(fixture, PROGRAM + 0x1000, 16, "bpf_prog_2");
		finish_mappings(fixture);
		name_by(fixture, text);
		assert_string_equal(name_at(fixture, PROGRAM + 8, &owner),
				    is_known ? "first" : "bpf_prog_1_early");
	}
}

static void code_without_a_length_or_beyond_all_addresses_is_ignored(void **state)
{
	struct fixture *fixture = *state;
	const char *owner;

	finish_mappings(fixture);
	load(fixture, PROGRAM, 0, "bpf_prog_1");
	load(fixture, UINT64_MAX - 10, 100, "bpf_prog_2");
	load(fixture, PROGRAM + 0x100, 1, "");
	assert_string_equal(name_at(fixture, PROGRAM, &owner), "");
	assert_string_equal(name_at(fixture, UINT64_MAX, &owner), "");
	assert_string_equal(name_at(fixture, PROGRAM + 0x100, &owner), "[unknown]");
}

static void the_kernel_goes_on_behind_what_is_put_into_it(void **state)
{
	struct fixture *fixture = *state;
	const char *owner;

	map(fixture, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text");
	finish_mappings(fixture);
	load(fixture, 0xffffffff81000200, 0x10, "ftrace_trampoline");
	name_kernel(fixture);
	assert_string_equal(name_at(fixture, 0xffffffff810001ff, &owner), "first");
	assert_string_equal(name_at(fixture, 0xffffffff81000200, &owner), "ftrace_trampoline");
	assert_string_equal(owner, "[kernel.ool]");
	assert_string_equal(name_at(fixture, 0xffffffff81000210, &owner), "first");
	assert_string_equal(name_at(fixture, 0xffffffff81000301, &owner), "last");
}

static void of_several_names_at_an_address_the_one_that_tells_most_is_shown(void **state)
{
	static const struct {
		const char *text, *name;
	} cases[] = {
		{ "10 T _stext\n10 T _text\n10 T real\n", "real" },
		{ "10 T real\n10 T _stext\n10 T _text\n", "real" },
		{ "10 t __pfx_real\n10 t ____real\n", "____real" },
		{ "10 t local\n10 T z_global\n", "z_global" },
		{ "10 W weak\n10 t z_local\n", "z_local" },
		{ "10 t .Llabel\n10 W _weak\n", "_weak" },
		{ "10 t ab\n10 t a\n10 t b\n", "a" },
		{ "10 T __ia32_sys_getpid\n10 T __x64_sys_getpid\n", "__x64_sys_getpid" },
		{ "10 A per_cpu\n10 D data\n10 t x\n", "x" },
	};
	struct fixture *fixture = *state;
	const char *owner;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		kernel_symbols_destroy(fixture->kallsyms);
		module_table_deinit(&fixture->modules);
		module_table_init(&fixture->modules);
		fixture->kallsyms = kernel_symbols_create(&fixture->modules);
		finish_mappings(fixture);
		name_by(fixture, cases[i].text);
		assert_string_equal(name_at(fixture, 0x10, &owner), cases[i].name);
	}
}

static void addresses_may_be_short_or_in_capitals_and_other_lines_are_skipped(void **state)
{
	static const char text[] = "81000000 T short\n"
				   "FFFFFFFF81000100 T capitals\n"
				   "ffffffff8100020g T no_digit\n"
				   "ffffffff810002:0 T no_digit_either\n"
				   "ffffffff810003001 T too_long\n"
				   "ffffffff81000400\n"
				   "\n"
				   "ffffffff81000500 T \n"
				   "ffffffff81000600 d data\n"
				   "ffffffff81000700 t last";
	struct fixture *fixture = *state;
	const char *owner;

	finish_mappings(fixture);
	name_by(fixture, text);
	assert_string_equal(name_at(fixture, 0x81000000, &owner), "short");
	assert_string_equal(name_at(fixture, 0xffffffff81000100, &owner), "capitals");
	assert_string_equal(name_at(fixture, 0xffffffff810006ff, &owner), "capitals");
	assert_string_equal(name_at(fixture, 0xffffffff81000700, &owner), "last");
}

static void a_module_that_comes_later_has_its_own_names(void **state)
{
	static const char text[] = "ffffffffc0300000 t late_first\t[late]\n"
				   "ffffffffc0300100 t late_second\t[late]\n"
				   "ffffffffc0301000 t other\t[other]\n";
	const struct kernel_symbols_mapping late = { .start = PROGRAM,
						     .len = 0x1000,
						     .filename = "[late]" };
	struct fixture *fixture = *state;
	const char *owner;

	map(fixture, PROGRAM + 0x800, 0x1000, "[early]");
	finish_mappings(fixture);
	const struct kernel_layout *before = kernel_symbols_layout(fixture->kallsyms);
	map(fixture, late.start, late.len, late.filename);
	for (int i = 0; i < 2; i++)
		assert_int_equal(kernel_symbols_name_module(fixture->kallsyms, &late, strdup(text),
							    strlen(text)),
				 0);
	assert_string_equal(name_at(fixture, PROGRAM + 0x150, &owner), "late_second");
	assert_string_equal(owner, "[late]");
	assert_string_equal(name_at(fixture, PROGRAM + 0xfff, &owner), "late_second");
	name_at(fixture, PROGRAM + 0x1000, &owner);
	assert_string_equal(owner, "[kernel]");
	name_at_time(fixture, before, PROGRAM + 0x900, &owner);
	assert_string_equal(owner, "[early]");
}

static void what_may_be_one_or_another_is_neither(void **state)
{
	const struct kernel_symbols_mapping late = { .start = PROGRAM,
						     .len = 0x2000,
						     .filename = "[late]" };
	const struct kernel_symbols_mapping behind = { .start = PROGRAM + 0x2000, .len = 0x1000 };
	const struct kernel_symbols_mapping hostile = { .start = PROGRAM, .len = UINT64_MAX };
	struct fixture *fixture = *state;
	const char *owner;

	map_kernel(fixture);
	map(fixture, PROGRAM + 0x1000, 0x1000, "[early]");
	finish_mappings(fixture);
	assert_true(kernel_symbols_is_taken(fixture->kallsyms, &late));
	assert_false(kernel_symbols_is_taken(fixture->kallsyms, &behind));
	assert_true(kernel_symbols_is_taken(fixture->kallsyms, &hostile));
	assert_int_equal(kernel_symbols_doubt(fixture->kallsyms, &late), 0);
	assert_int_equal(kernel_symbols_doubt(fixture->kallsyms, &hostile), 0);
	assert_false(kernel_symbols_is_taken(fixture->kallsyms, &late));
	name_at(fixture, PROGRAM, &owner);
	assert_string_equal(owner, "[kernel]");
	name_at(fixture, PROGRAM + 0x1000, &owner);
	assert_string_equal(owner, "[kernel]");
	map(fixture, late.start, late.len, late.filename);
	name_at(fixture, PROGRAM + 0x1000, &owner);
	assert_string_equal(owner, "[late]");
}

static void callers_of_interrupt_entries_were_interrupted(void **state)
{
	struct fixture *fixture = *state;
	struct kernel_symbols *kallsyms = fixture->kallsyms;

	assert_false(kernel_symbols_is_interrupted(kallsyms, 0, 0x5000));
	kernel_symbols_set_entry(kallsyms, 0x1000, 0x2000);
	assert_true(kernel_symbols_is_interrupted(kallsyms, 0x1000, 0x5000));
	assert_true(kernel_symbols_is_interrupted(kallsyms, 0x1fff, 0xfff));
	assert_false(
		kernel_symbols_is_interrupted(kallsyms, 0x1800, 0x1900)); /* one calls another */
	assert_false(kernel_symbols_is_interrupted(kallsyms, 0x2000, 0x5000));
	assert_false(kernel_symbols_is_interrupted(kallsyms, 0x5000, 0x1000));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(addresses_are_named_by_symbol_and_mapping),
		TEST(hidden_addresses_are_refused),
		TEST(frames_need_mappings_only),
		TEST(without_mappings_names_go_by_address),
		TEST(programs_have_their_names_while_they_are_loaded),
		TEST(the_same_program_loaded_elsewhere_is_the_same_frame),
		TEST(text_lines_of_programs_count_where_no_record_tells),
		TEST(code_without_a_length_or_beyond_all_addresses_is_ignored),
		TEST(the_kernel_goes_on_behind_what_is_put_into_it),
		TEST(of_several_names_at_an_address_the_one_that_tells_most_is_shown),
		TEST(addresses_may_be_short_or_in_capitals_and_other_lines_are_skipped),
		TEST(a_module_that_comes_later_has_its_own_names),
		TEST(what_may_be_one_or_another_is_neither),
		TEST(callers_of_interrupt_entries_were_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
