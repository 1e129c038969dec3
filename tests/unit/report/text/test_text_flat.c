#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/export/export_text.h"
#include "report/fold/fold.h"
#include "tests/unit/fixtures/sample_profile.h"

#define PATH "/usr/src/program/library/folder/memory_of_the_program.c"

/* A report on one source line, in @width columns. The caller frees it. */
static char *write_lines(unsigned width)
{
	static const struct view_options options = { .kind = VIEW_LINES };
	static const struct fold_entity all = { .name = "all", .module = "" };
	static const struct fold_entity line = { .name = "a_function_that_works_hard",
						 .module = "a_module_with_a_long_name.so.6.0.30",
						 .frame_kind = FRAME_USER,
						 .n_merged = 1,
						 .file = PATH,
						 .line = 12 };
	struct profile *profile = sample_profile_create((const char *[]){ "cycles:u" }, 1);
	struct symbolizer *symbolizer =
		symbolizer_create(profile, &(struct symbolizer_options){ 0 });
	struct view *view = view_alloc(profile, &options);
	char *text;
	size_t size;

	view->root = view_add_row(view, NULL, &all);
	struct view_row *row = view_add_row(view, view->root, &line);
	view->root->total[0] = row->total[0] = row->self[0] = 1;
	FILE *out = open_memstream(&text, &size);
	assert_int_equal(
		export_text(out, view, symbolizer, &(struct export_options){ .width = width }), 0);
	fclose(out);
	view_destroy(view);
	symbolizer_destroy(symbolizer);
	profile_destroy(profile);
	return text;
}

static void source_lines_have_a_third_of_the_width_and_modules_less(void **state)
{
	char *text = write_lines(120);

	(void)state;
	assert_non_null(strstr(text, " .../folder/memory_of_the_program.c:12  "
				     "a_function_that_works_hard  a_mod...o.6.0.30\n"));
	free(text);
}

static void a_narrow_report_of_lines_has_functions_instead_of_modules(void **state)
{
	char *text = write_lines(80);

	(void)state;
	assert_non_null(strstr(text, "line                        function\n"));
	assert_non_null(strstr(text, " .../memor...e_program.c:12  a_functi...hat_works_hard\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(source_lines_have_a_third_of_the_width_and_modules_less),
		cmocka_unit_test(a_narrow_report_of_lines_has_functions_instead_of_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
