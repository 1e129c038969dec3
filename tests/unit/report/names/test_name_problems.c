/* What a report says about a module whose names, debug information or code are missing. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/names/kernel_debug.h"
#include "report/names/module_names.h"
#include "report/names/name_problems.h"
#include "tests/unit/fixtures/own_elf.h"

static const struct build_id recorded = { .size = 2, .bytes = { 0xab, 0xcd } };

static struct module module_of(enum module_kind kind)
{
	return (struct module){ .id = 7,
				.key = { .kind = kind, .path = "some", .build_id = recorded },
				.located.image_fd = -1 };
}

/* The text of the problem; NULL: the module does not have it. */
static const char *text_of(const struct module_names *names, const struct module *module,
			   enum symbol_lack lack)
{
	struct symbol_problem problem;

	if (!name_problems_find(names, module, lack, &problem))
		return NULL;
	assert_int_equal(problem.module, 7);
	assert_int_equal(problem.lack, lack);
	assert_int_equal(problem.build_id.size, recorded.size);
	return problem.text;
}

static void a_module_without_gaps_has_no_problem(void **state)
{
	const struct module_names names = { .file.state = MODULE_FILE_OK };
	const struct module module = module_of(MODULE_ELF);

	(void)state;
	assert_null(text_of(&names, &module, LACKS_NAMES));
	assert_null(text_of(&names, &module, LACKS_DEBUG_INFO));
	assert_null(text_of(&names, &module, LACKS_CERTAINTY));
}

static void code_without_a_name_is_explained_by_the_kind_of_module(void **state)
{
	static const struct symbol_table table = { 0 };
	const struct {
		enum module_kind kind;
		const struct symbol_table *symbols;
		const char *text;
	} cases[] = {
		{ MODULE_KERNEL, NULL, "kernel names were not recorded" },
		{ MODULE_KERNEL, &table, "some addresses have no name" },
		{ MODULE_ANON, NULL, "anonymous (JIT) code; no perf-PID.map or jitdump names it" },
		{ MODULE_JIT, NULL, "the jitdump is missing" },
		{ MODULE_JIT, &table, "the jitdump does not name all of its code" },
		{ MODULE_ELF, NULL, "stripped: no symbols" },
		{ MODULE_VDSO, NULL, "stripped: no symbols" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct module_names names = { .has_unnamed = true };
		struct module module = module_of(cases[i].kind);

		module.symbols = (struct symbol_table *)cases[i].symbols;
		assert_string_equal(text_of(&names, &module, LACKS_NAMES), cases[i].text);
	}
}

static void the_reason_why_a_kernel_has_no_names_is_the_recordings(void **state)
{
	const struct kernel_debug_places places = { .no_names = "hidden by kptr_restrict" };
	const struct module_names names = { .has_unnamed = true, .kernel_places = &places };
	const struct module module = module_of(MODULE_KERNEL);

	(void)state;
	assert_string_equal(text_of(&names, &module, LACKS_NAMES), "hidden by kptr_restrict");
}

static void a_file_that_cannot_be_used_is_the_reason(void **state)
{
	struct module_names names = { .has_unnamed = true,
				      .file = { .state = MODULE_FILE_MISSING, .error = -EACCES } };
	const struct module module = module_of(MODULE_ELF);
	struct symbol_problem problem;

	(void)state;
	assert_true(name_problems_find(&names, &module, LACKS_NAMES, &problem));
	assert_string_equal(problem.text, module_file_problem(&names.file));
	assert_int_equal(problem.error, -EACCES);
	assert_false(problem.is_changed);

	names.file = (struct module_file){ .state = MODULE_FILE_CHANGED,
					   .found = { .size = 1, .bytes = { 9 } } };
	assert_true(name_problems_find(&names, &module, LACKS_NAMES, &problem));
	assert_true(problem.is_changed);
	assert_int_equal(problem.found.size, 1);
	assert_int_equal(problem.found.bytes[0], 9);
}

static void a_build_id_that_was_not_recorded_is_the_files(void **state)
{
	struct own_elf *own = *state;
	const struct module_names names = { .has_unnamed = true, .file.elf = own->elf };
	struct module module = module_of(MODULE_ELF);
	struct symbol_problem problem;

	module.key.build_id = (struct build_id){ 0 };
	assert_true(name_problems_find(&names, &module, LACKS_NAMES, &problem));
	assert_int_equal(problem.build_id.size, 20);
}

static void missing_debug_information_and_certainty_are_problems(void **state)
{
	struct module_names names = { .lacks_debug = true };
	const struct module module = module_of(MODULE_ELF);

	(void)state;
	assert_string_equal(text_of(&names, &module, LACKS_DEBUG_INFO), "no debug information");
	assert_null(text_of(&names, &module, LACKS_NAMES));
	assert_null(text_of(&names, &module, LACKS_CERTAINTY));
	names.file.doubt = MODULE_FILE_NEWER;
	assert_string_equal(text_of(&names, &module, LACKS_CERTAINTY),
			    "may have changed: no build ID, and modified after it was mapped");
	names.file.doubt = MODULE_FILE_COPY;
	assert_string_equal(text_of(&names, &module, LACKS_CERTAINTY),
			    "may be another file: no build ID was recorded to verify it");
}

static void missing_code_is_explained(void **state)
{
	const char *const jit = "its code was not recorded; a jitdump would contain it";
	struct module module = module_of(MODULE_ANON);
	struct module_names names = { .file.state = MODULE_FILE_CHANGED };

	(void)state;
	assert_string_equal(name_problems_of_code(NULL, NULL, true), jit);
	assert_string_equal(name_problems_of_code(NULL, &module, true), jit);
	assert_string_equal(
		name_problems_of_code(NULL, &module, false),
		"no perf-PID.map or jitdump names the function, so its bounds are unknown");
	module.key.kind = MODULE_JIT;
	assert_string_equal(name_problems_of_code(NULL, &module, true), "the jitdump is missing");
	const char *dump = module.key.path;
	module.key.path = "[java]";
	assert_string_equal(name_problems_of_code(NULL, &module, true),
			    "a run-time system has described the code, which was not recorded; a "
			    "jitdump would contain it");
	module.key.path = dump;
	module.located.image_fd = 3;
	assert_string_equal(name_problems_of_code(NULL, &module, true),
			    "the jitdump does not contain the code");
	module.key.kind = MODULE_ELF;
	assert_string_equal(name_problems_of_code(&names, &module, true),
			    module_file_state_text(MODULE_FILE_CHANGED));
	names.file.state = MODULE_FILE_OK;
	assert_string_equal(name_problems_of_code(&names, &module, true),
			    "the file does not contain the code");
	assert_string_equal(name_problems_of_code(NULL, &module, true),
			    "the file does not contain the code");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_module_without_gaps_has_no_problem),
		cmocka_unit_test(code_without_a_name_is_explained_by_the_kind_of_module),
		cmocka_unit_test(the_reason_why_a_kernel_has_no_names_is_the_recordings),
		cmocka_unit_test(a_file_that_cannot_be_used_is_the_reason),
		cmocka_unit_test(a_build_id_that_was_not_recorded_is_the_files),
		cmocka_unit_test(missing_debug_information_and_certainty_are_problems),
		cmocka_unit_test(missing_code_is_explained),
	};

	return cmocka_run_group_tests(tests, own_elf_open, own_elf_close);
}
