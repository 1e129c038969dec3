#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kernel-merge/kallsyms.h"

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
	struct kallsyms *kallsyms;
};

static int setup(void **state)
{
	static struct fixture fixture;

	module_table_init(&fixture.modules);
	fixture.kallsyms = kallsyms_create(&fixture.modules);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	kallsyms_destroy(fixture->kallsyms);
	module_table_deinit(&fixture->modules);
	return 0;
}

static const char *name_at(const struct fixture *fixture, uint64_t addr, const char **owner_ret)
{
	struct frame frame = kallsyms_frame(fixture->kallsyms, addr);
	const struct module *module = module_table_get(&fixture->modules, frame.module);
	const struct symbol *symbol =
		module->symbols ? symbol_table_find(module->symbols, frame.offset) : NULL;

	assert_int_equal(frame.kind, FRAME_KERNEL);
	*owner_ret = module->key.path;
	return symbol ? symbol->name : "";
}

static void map_kernel(struct fixture *fixture)
{
	assert_int_equal(kallsyms_map(fixture->kallsyms, 0xffffffffc0201000, 0x1000, "[ext4]"), 0);
	assert_int_equal(kallsyms_map(fixture->kallsyms, 0xffffffff81000000, 0x1000000,
				      "[kernel.kallsyms]_text"),
			 0);
	assert_int_equal(
		kallsyms_map(fixture->kallsyms, 0xffffffffc0400000, 0x1000, "/lib/modules/loop.ko"),
		0);
	kallsyms_finish_mappings(fixture->kallsyms);
}

static void name_kernel(struct fixture *fixture)
{
	struct kallsyms_text *parsed;

	assert_int_equal(kallsyms_text_parse(snapshot, strlen(snapshot), &parsed), 0);
	assert_int_equal(kallsyms_name(fixture->kallsyms, parsed), 0);
	kallsyms_text_destroy(parsed);
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
		{ 0xffffffffc0300000, "", "[kernel.dynamic]" },
		{ 0x1000, "", "[kernel.dynamic]" },
	};
	struct fixture *fixture = *state;

	map_kernel(fixture);
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
	struct kallsyms_text *parsed;

	(void)state;
	assert_int_equal(kallsyms_text_parse(hidden, strlen(hidden), &parsed), -EPERM);
}

static void frames_need_mappings_only(void **state)
{
	struct fixture *fixture = *state;
	const char *owner;

	map_kernel(fixture);
	assert_string_equal(name_at(fixture, 0xffffffff81000300, &owner), "");
	assert_string_equal(owner, "[kernel.kallsyms]");
	assert_int_equal(kallsyms_frame(fixture->kallsyms, 0xffffffff81000300).offset, 0x300);
	name_kernel(fixture);
	assert_string_equal(name_at(fixture, 0xffffffff81000300, &owner), "last");
}

static void without_mappings_names_go_by_address(void **state)
{
	struct fixture *fixture = *state;
	const char *owner;

	kallsyms_finish_mappings(fixture->kallsyms);
	name_kernel(fixture);
	assert_string_equal(name_at(fixture, 0xffffffff81000150, &owner), "first");
	assert_string_equal(owner, "[kernel.dynamic]");
}

static void programs_loaded_while_recording_get_their_names(void **state)
{
	struct fixture *fixture = *state;
	const char *owner;

	map_kernel(fixture);
	assert_int_equal(kallsyms_ksymbol(fixture->kallsyms, 0xffffffffc0300000, 0x100,
					  "bpf_prog_1234_filter", false),
			 0);
	name_kernel(fixture);
	assert_string_equal(name_at(fixture, 0xffffffffc03000ff, &owner), "bpf_prog_1234_filter");
	assert_string_equal(name_at(fixture, 0xffffffffc0300100, &owner), "");
	assert_int_equal(
		kallsyms_ksymbol(fixture->kallsyms, 0xffffffffc0300100, 0x100, "later", false), 0);
	assert_int_equal(kallsyms_name(fixture->kallsyms, NULL), 0);
	assert_string_equal(name_at(fixture, 0xffffffffc0300100, &owner), "later");
	assert_string_equal(name_at(fixture, 0xffffffffc0300000, &owner), "bpf_prog_1234_filter");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(addresses_are_named_by_symbol_and_mapping),
		TEST(hidden_addresses_are_refused),
		TEST(frames_need_mappings_only),
		TEST(without_mappings_names_go_by_address),
		TEST(programs_loaded_while_recording_get_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
