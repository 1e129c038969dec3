/* Symbols in simpleperf's recordings become names of modules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/attached/simpleperf_names.h"
#include "tests/unit/fixtures/built_recording.h"
#include "tests/unit/fixtures/simpleperf_section.h"

enum { FILE_SECTION = 128, FILE2_SECTION = 132 };

/* Whether f names @offset of a module at @path. Takes @section over. */
static bool names(struct builder *section, unsigned number, enum module_kind kind, const char *path,
		  uint64_t pgoff, uint64_t offset)
{
	struct builder data = { 0 };
	struct feature feature = { number, *section };
	struct builder recording = two_events_in_a_file(&data, &feature, 1);
	struct data_file *file = open_built(&recording);
	struct simpleperf_names *names = simpleperf_names_create(file);
	struct module module = { .key = { .kind = kind, .path = path, .base = 0xffff8000 } };

	assert_non_null(names);
	assert_int_equal(simpleperf_names_give(names, &module, pgoff), 0);
	simpleperf_names_destroy(names);
	data_file_close(file);
	const struct symbol *symbol =
		module.symbols ? symbol_table_find(module.symbols, offset) : NULL;
	bool is_f = symbol && !strcmp(symbol->name, "f") && symbol->size == 0x20;
	symbol_table_destroy(module.symbols);
	return is_f;
}

static const struct {
	enum module_kind kind;
	uint32_t type;
	uint64_t min_vaddr, vaddr;
	int min_offset;
	uint64_t pgoff, offset; /* of f's first byte */
} cases[] = {
	{ MODULE_ELF, SIMPLEPERF_ELF, 0x1730, 0x1800, 0x730, 0, 0x800 },
	{ MODULE_ELF, SIMPLEPERF_ELF, 0, 0x740, 0, 0, 0x740 },
	/* The offset is that of the mapping where simpleperf did not record it. */
	{ MODULE_ELF, SIMPLEPERF_ELF, 0x3730, 0x3800, NO_MIN_OFFSET, 0x2000, 0x2800 },
	{ MODULE_ELF, SIMPLEPERF_DEX, 0, 0x1234, NO_MIN_OFFSET, 0x1000, 0x1234 },
	{ MODULE_KERNEL, SIMPLEPERF_KERNEL, 0, 0xffff9000, NO_MIN_OFFSET, 0, 0x1000 },
	{ MODULE_KERNEL, SIMPLEPERF_KERNEL_MODULE, 0x40, 0x140, 0x1000, 0, 0x1100 },
};

static void symbols_name_the_offsets_of_frames(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int at = -1; at <= 0x20; at++) {
			bool is_inside = at >= 0 && at < 0x20;
			struct builder section = { 0 };

			put_struct(&section, "/other", SIMPLEPERF_ELF, 0, 0, NO_MIN_OFFSET);
			put_struct(&section, "/lib/x", cases[i].type, cases[i].min_vaddr,
				   cases[i].vaddr, cases[i].min_offset);
			assert_int_equal(names(&section, FILE_SECTION, cases[i].kind, "/lib/x",
					       cases[i].pgoff, cases[i].offset + (uint64_t)at),
					 is_inside);
			if (cases[i].min_offset == NO_MIN_OFFSET)
				continue;
			section = (struct builder){ 0 };
			put_message(&section, "/lib/x", cases[i].type, cases[i].min_vaddr,
				    cases[i].vaddr, (uint64_t)cases[i].min_offset);
			put_message(&section, "/lib", SIMPLEPERF_ELF, 0, 0, 0);
			assert_int_equal(names(&section, FILE2_SECTION, cases[i].kind, "/lib/x",
					       cases[i].pgoff, cases[i].offset + (uint64_t)at),
					 is_inside);
		}
	}
}

static void symbols_of_another_kind_of_file_name_nothing(void **state)
{
	static const struct {
		const char *path;
		enum module_kind kind;
		uint32_t type;
	} others[] = {
		{ "/lib/x", MODULE_KERNEL, SIMPLEPERF_ELF },
		{ "/lib/x", MODULE_ELF, SIMPLEPERF_KERNEL },
		{ "/lib/x", MODULE_ELF, 5 },
		{ "/data/jit_app_cache:0-100", MODULE_ELF, SIMPLEPERF_ELF },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct builder section = { 0 };

		put_message(&section, others[i].path, others[i].type, 0, 0, 0);
		assert_false(names(&section, FILE2_SECTION, others[i].kind, others[i].path, 0, 0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_name_the_offsets_of_frames),
		cmocka_unit_test(symbols_of_another_kind_of_file_name_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
