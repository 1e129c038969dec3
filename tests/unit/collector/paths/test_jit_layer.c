#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/paths/jit_layer.h"
#include "tests/unit/fixtures/jitdump_bytes.h"

#define MODULE_LIBRARY 1u
#define MODULE_MEMFD   2u
#define MODULE_MEMORY  3u
#define MODULE_DUMP    4u

/* Anonymous memory from 0x1000 to 0x9000, and a dump with code in it. */
struct fixture {
	struct module_table modules;
	struct dump_bytes bytes;
	struct jitdump *dump;
	struct jit_codes *codes;
	struct jit_layer *layer;
	struct address_space *space;
};

static void map(struct fixture *fixture, uint64_t start, uint64_t end, uint32_t module,
		bool is_exec)
{
	const struct mapping mapping = {
		.start = start, .end = end, .module = module, .is_exec = is_exec
	};

	assert_int_equal(address_space_map(&fixture->space, &mapping), 0);
}

static int setup(void **state)
{
	static struct fixture fixture;
	static const struct module_key keys[] = {
		{ .kind = MODULE_ELF, .path = "/lib/libc.so.6" },
		{ .kind = MODULE_ELF, .path = "/memfd:doublemapper (deleted)" },
		{ .kind = MODULE_ANON, .path = "//anon" },
		{ .kind = MODULE_JIT, .path = "/tmp/jit-42.dump" },
	};

	fixture = (struct fixture){ .space = address_space_create() };
	module_table_init(&fixture.modules);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		module_table_add(&fixture.modules, &keys[i]);
	map(&fixture, 0x1000, 0x9000, MODULE_MEMORY, true);
	put_header(&fixture.bytes, 0);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	jit_layer_destroy(fixture->layer);
	jit_codes_destroy(fixture->codes);
	jitdump_destroy(fixture->dump);
	address_space_unref(fixture->space);
	module_table_deinit(&fixture->modules);
	return 0;
}

static void begin(struct fixture *fixture, bool is_timed)
{
	assert_int_equal(jitdump_parse(fixture->bytes.bytes, fixture->bytes.size, &fixture->dump),
			 0);
	fixture->codes = jit_codes_create(fixture->dump, MODULE_DUMP, is_timed);
	assert_non_null(fixture->codes);
	assert_int_equal(jit_layer_create(fixture->codes, &fixture->modules, &fixture->space,
					  &fixture->layer),
			 0);
}

static void advance(struct fixture *fixture, uint64_t time_ns)
{
	assert_int_equal(jit_layer_advance(fixture->layer, time_ns, &fixture->space), 0);
}

/* @code: its place in the order of time; -1: none is there. */
static void assert_code(const struct fixture *fixture, uint64_t addr, int code)
{
	const struct mapping *mapping = address_space_find(fixture->space, addr);

	assert_non_null(mapping);
	assert_int_equal(mapping->module == MODULE_DUMP, code >= 0);
	if (code < 0)
		return;
	const struct jit_code *expected = &fixture->dump->codes[code];
	assert_true(mapping->is_exec);
	assert_int_equal(mapping->offset + (addr - mapping->start),
			 expected->offset + (addr - expected->addr));
}

static void code_that_takes_a_place_is_there_from_its_time_on(void **state)
{
	struct fixture *fixture = *state;

	put_load(&fixture->bytes, 10, 0x2000, 64, 1, "first");
	put_load(&fixture->bytes, 20, 0x2020, 64, 2, "second");
	put_move(&fixture->bytes, 30, 0x2000, 16, 2);
	begin(fixture, true);
	advance(fixture, 9);
	assert_code(fixture, 0x2000, -1);
	advance(fixture, 10);
	assert_code(fixture, 0x2000, 0);
	assert_code(fixture, 0x203f, 0);
	assert_code(fixture, 0x2040, -1);
	advance(fixture, 29);
	assert_code(fixture, 0x201f, 0);
	assert_code(fixture, 0x2020, 1);
	assert_code(fixture, 0x205f, 1);
	advance(fixture, 100);
	assert_code(fixture, 0x2000, 2);
	assert_code(fixture, 0x2010, 0);
}

static void code_that_is_alone_is_there_from_the_start(void **state)
{
	struct fixture *fixture = *state;

	put_load(&fixture->bytes, 10, 0x2000, 64, 1, "alone");
	put_load(&fixture->bytes, 20, 0x2040, 64, 2, "next to it");
	begin(fixture, true);
	assert_code(fixture, 0x2000, 0);
	assert_code(fixture, 0x2040, 1);
}

static void without_a_common_clock_the_latest_has_the_place(void **state)
{
	struct fixture *fixture = *state;

	put_load(&fixture->bytes, 10, 0x2000, 64, 1, "first");
	put_load(&fixture->bytes, 20, 0x2020, 64, 2, "second");
	begin(fixture, false);
	assert_code(fixture, 0x2000, 0);
	assert_code(fixture, 0x2020, 1);
}

static void code_of_a_file_stays(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 0x2010, 0x2020, MODULE_LIBRARY, true);
	map(fixture, 0x2020, 0x2030, MODULE_MEMFD, true);
	map(fixture, 0x2030, 0x2038, 0, false);
	put_load(&fixture->bytes, 10, 0x2000, 64, 1, "over all of it");
	begin(fixture, true);
	assert_code(fixture, 0x200f, 0);
	assert_code(fixture, 0x2010, -1);
	assert_code(fixture, 0x201f, -1);
	assert_code(fixture, 0x2020, 0);
	assert_code(fixture, 0x2030, 0);
	assert_code(fixture, 0x203f, 0);
}

static void memory_that_is_mapped_again_keeps_its_code(void **state)
{
	struct fixture *fixture = *state;

	put_load(&fixture->bytes, 10, 0x2000, 64, 1, "kept");
	put_load(&fixture->bytes, 10, 0x3000, 64, 2, "first");
	put_load(&fixture->bytes, 20, 0x3000, 64, 3, "second");
	begin(fixture, true);
	advance(fixture, 15);
	/* As its protection changes to writable, and back. */
	for (int is_exec = 0; is_exec < 2; is_exec++) {
		map(fixture, 0x2020, 0x4000, is_exec ? MODULE_MEMORY : 0, is_exec);
		assert_code(fixture, 0x2020, -1);
		assert_int_equal(
			jit_layer_follow(fixture->layer, 0x2020, 0x4000, false, &fixture->space),
			0);
		assert_code(fixture, 0x2000, 0);
		assert_code(fixture, 0x2020, 0);
		assert_code(fixture, 0x2040, -1);
		assert_code(fixture, 0x3000, 1);
	}
}

static void a_file_that_is_mapped_ends_the_code_there(void **state)
{
	struct fixture *fixture = *state;

	put_load(&fixture->bytes, 10, 0x2000, 64, 1, "gone in part");
	begin(fixture, true);
	map(fixture, 0x2020, 0x3000, MODULE_LIBRARY, true);
	assert_int_equal(jit_layer_follow(fixture->layer, 0x2020, 0x3000, true, &fixture->space),
			 0);
	map(fixture, 0x2000, 0x4000, MODULE_MEMORY, true);
	assert_int_equal(jit_layer_follow(fixture->layer, 0x2000, 0x4000, false, &fixture->space),
			 0);
	assert_code(fixture, 0x2000, 0);
	assert_code(fixture, 0x2020, -1);
}

static void a_child_has_what_was_there_when_it_was_forked(void **state)
{
	struct fixture *fixture = *state;

	put_load(&fixture->bytes, 10, 0x2000, 64, 1, "first");
	put_load(&fixture->bytes, 20, 0x2000, 64, 2, "second");
	begin(fixture, true);
	advance(fixture, 10);
	struct jit_layer *child = jit_layer_fork(fixture->layer);
	struct address_space *parents = address_space_ref(fixture->space);
	assert_non_null(child);
	assert_int_equal(jit_layer_advance(child, 30, &fixture->space), 0);
	map(fixture, 0x2000, 0x3000, MODULE_MEMORY, true);
	assert_int_equal(jit_layer_follow(child, 0x2000, 0x3000, false, &fixture->space), 0);
	assert_code(fixture, 0x2000, 0);
	assert_int_equal(jit_layer_advance(fixture->layer, 30, &parents), 0);
	assert_code(fixture, 0x2000, 0);
	address_space_unref(fixture->space);
	fixture->space = parents;
	assert_code(fixture, 0x2000, 1);
	jit_layer_destroy(child);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(code_that_takes_a_place_is_there_from_its_time_on),
		TEST(code_that_is_alone_is_there_from_the_start),
		TEST(without_a_common_clock_the_latest_has_the_place),
		TEST(code_of_a_file_stays),
		TEST(memory_that_is_mapped_again_keeps_its_code),
		TEST(a_file_that_is_mapped_ends_the_code_there),
		TEST(a_child_has_what_was_there_when_it_was_forked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
