#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/push/push_labels.h"

static void the_last_value_of_a_name_counts(void **state)
{
	struct push_labels labels = { 0 };

	(void)state;
	assert_int_equal(push_labels_add(&labels, "region=eu"), 0);
	assert_int_equal(push_labels_add(&labels, "region2=a=b"), 0);
	assert_int_equal(push_labels_add(&labels, "region=us"), 0);
	assert_int_equal(labels.n, 2);
	assert_string_equal(push_labels_find(&labels, "region"), "us");
	assert_string_equal(push_labels_find(&labels, "region2"), "a=b");
	assert_null(push_labels_find(&labels, "reg"));
	push_labels_deinit(&labels);
}

static void what_servers_do_not_take_is_no_label(void **state)
{
	static const char *const texts[] = { "",           "=",       "name",    "name=",
					     "=value",     "1name=x", "na-me=x", "__name__=x",
					     "a=\033[31m", "a=\xff" };
	struct push_labels labels = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(push_labels_add(&labels, texts[i]), -EINVAL);
	for (int i = 0; i < PUSH_LABELS_MAX; i++) {
		char text[32];

		snprintf(text, sizeof(text), "name%d=x", i);
		assert_int_equal(push_labels_add(&labels, text), 0);
	}
	assert_int_equal(push_labels_add(&labels, "more=x"), -E2BIG);
	push_labels_deinit(&labels);
}

static void a_file_has_a_label_on_each_line(void **state)
{
	static const char text[] = "# where\nregion=eu\r\n\nhost=a\nwrong\n";
	char path[] = "/tmp/test_push_labels.XXXXXX";
	struct push_labels labels = { 0 };
	const int fd = mkstemp(path);
	size_t line;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	assert_int_equal(push_labels_read(&labels, path, &line), -EINVAL);
	assert_int_equal(line, 5);
	assert_string_equal(push_labels_find(&labels, "region"), "eu");
	assert_string_equal(push_labels_find(&labels, "host"), "a");
	unlink(path);
	assert_int_equal(push_labels_read(&labels, path, &line), -ENOENT);
	assert_int_equal(line, 0);
	push_labels_deinit(&labels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_value_of_a_name_counts),
		cmocka_unit_test(what_servers_do_not_take_is_no_label),
		cmocka_unit_test(a_file_has_a_label_on_each_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
