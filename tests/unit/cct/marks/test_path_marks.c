#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cct/marks/path_marks.h"

static void a_node_without_marks_has_none(void **state)
{
	struct path_marks marks = { .by_node = { .slots = NULL } };

	(void)state;
	for (int mark = 0; mark < N_PATH_MARKS; mark++)
		assert_int_equal(path_marks_of(&marks, 0)[mark], 0);
	assert_int_equal(path_marks_add(&marks, 5, PATH_GUESSED, 0), 0);
	assert_null(marks.by_node.slots);
	path_marks_deinit(&marks);
}

static void samples_of_each_node_and_mark_are_added_up(void **state)
{
	struct path_marks marks = { .by_node = { .slots = NULL } };

	(void)state;
	for (uint32_t node = 0; node < 3000; node += 3) {
		assert_int_equal(path_marks_add(&marks, node, PATH_STITCHED, node + 1), 0);
		assert_int_equal(path_marks_add(&marks, node, PATH_JOINED, 1), 0);
		assert_int_equal(path_marks_add_all(&marks, node, (uint64_t[]){ 2, 0, 1 }), 0);
	}
	for (uint32_t node = 0; node < 3000; node++) {
		const uint64_t *of = path_marks_of(&marks, node);

		assert_int_equal(of[PATH_GUESSED], node % 3 ? 0 : 2);
		assert_int_equal(of[PATH_STITCHED], node % 3 ? 0 : node + 1);
		assert_int_equal(of[PATH_JOINED], node % 3 ? 0 : 2);
	}
	path_marks_deinit(&marks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_node_without_marks_has_none),
		cmocka_unit_test(samples_of_each_node_and_mark_are_added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
