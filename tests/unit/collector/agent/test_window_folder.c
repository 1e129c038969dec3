#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/agent/window_folder.h"
#include "tests/unit/fixtures/new_folder.h"

#define SECOND 1000000000ull

static void open_folder(struct window_folder *folder)
{
	char *error = NULL;

	if (window_folder_open(folder, new_folder_path, &error))
		fail_msg("%s", error);
}

static void keep(struct window_folder *folder, uint64_t start_s, uint64_t end_s)
{
	const struct time_span span = { start_s * SECOND, end_s * SECOND };
	char name[TEMPORARY_NAME_MAX], kept[WINDOW_NAME_MAX];
	int fd = window_folder_create(folder, name);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(window_folder_keep(folder, fd, name, &span, kept), 0);
	close(fd);
}

static void kept_files_are_listed_by_time_longer_ones_first(void **state)
{
	static const struct time_span expected[] = { { 0, 10 * SECOND },
						     { 10 * SECOND, 30 * SECOND },
						     { 10 * SECOND, 20 * SECOND } };
	struct window_folder folder;
	struct window_list list;
	struct stat st;

	(void)state;
	open_folder(&folder);
	keep(&folder, 10, 20);
	keep(&folder, 10, 30);
	keep(&folder, 0, 10);
	assert_int_equal(window_folder_list(folder.fd, &list), 0);
	assert_int_equal(list.n, 3);
	for (size_t i = 0; i < list.n; i++)
		assert_memory_equal(&list.files[i].span, &expected[i], sizeof(expected[i]));
	assert_string_equal(list.files[0].name, "19700101T000000.000Z+10.000s.cct");
	assert_int_equal(fstat(folder.fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	window_list_deinit(&list);
	window_folder_close(&folder);
}

/* A clock that was set back gives a time again. */
static void a_second_file_of_a_time_does_not_replace_the_first(void **state)
{
	struct window_folder folder;
	struct window_list list;

	(void)state;
	open_folder(&folder);
	keep(&folder, 10, 20);
	keep(&folder, 10, 20);
	assert_int_equal(window_folder_list(folder.fd, &list), 0);
	assert_int_equal(list.n, 2);
	assert_int_equal(list.files[1].span.start_ns, 10 * SECOND + 1000000);
	window_list_deinit(&list);
	window_folder_close(&folder);
}

static void what_was_left_half_written_is_removed(void **state)
{
	char name[TEMPORARY_NAME_MAX];
	struct window_folder folder;
	struct window_list list;

	(void)state;
	open_folder(&folder);
	assert_int_equal(folder.n_cleaned, 0);
	keep(&folder, 10, 20);
	close(window_folder_create(&folder, name));
	close(openat(folder.fd, "of-somebody", O_CREAT | O_WRONLY, 0600));
	window_folder_close(&folder);
	open_folder(&folder);
	assert_int_equal(folder.n_cleaned, 1);
	assert_int_equal(faccessat(folder.fd, "of-somebody", F_OK, 0), 0);
	assert_int_equal(window_folder_list(folder.fd, &list), 0);
	assert_int_equal(list.n, 1);
	window_list_deinit(&list);
	window_folder_close(&folder);
}

static void expect_refusal(const char *sentence)
{
	struct window_folder folder;
	char *error = NULL;

	assert_true(window_folder_open(&folder, new_folder_path, &error) < 0);
	assert_non_null(error);
	if (!strstr(error, sentence))
		fail_msg("%s", error);
	free(error);
}

static void a_folder_of_several_is_refused(void **state)
{
	struct window_folder folder;

	(void)state;
	open_folder(&folder);
	expect_refusal("another dendro agent");
	window_folder_close(&folder);
	assert_int_equal(chmod(new_folder_path, 0750), 0);
	expect_refusal("is not for its owner alone");
	snprintf(new_folder_path, sizeof(new_folder_path), "%s/nowhere/windows", new_folder_parent);
	expect_refusal("cannot make");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_folder_set_up, new_folder_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(kept_files_are_listed_by_time_longer_ones_first),
		TEST(a_second_file_of_a_time_does_not_replace_the_first),
		TEST(what_was_left_half_written_is_removed),
		TEST(a_folder_of_several_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
