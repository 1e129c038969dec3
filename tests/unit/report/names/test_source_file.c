#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/names/source_file.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static char folder[] = "/tmp/test_source_file.XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

static int tear_down(void **state)
{
	char command[sizeof(folder) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static const char *write_file(const char *name, const char *bytes, size_t size)
{
	FILE *file = fopen(path_of(name), "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
	return path_of(name);
}

static void lines_are_counted_from_one(void **state)
{
	static const struct {
		const char *text;
		uint32_t n_lines, line;
		const char *expected;
	} cases[] = {
		{ "", 0, 1, "" },
		{ "a", 1, 1, "a" },
		{ "a\n", 1, 1, "a" },
		{ "a\n", 1, 2, "" },
		{ "a\n\nb", 3, 2, "" },
		{ "a\n\nb", 3, 3, "b" },
		{ "a\r\nb\r\n", 2, 1, "a" },
		{ "\ta\tb\n", 1, 1, "        a       b" },
		{ "a\n", 1, 0, "" },
		{ "a\n", 1, UINT32_MAX, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = write_file("text", cases[i].text, strlen(cases[i].text));
		char line[SOURCE_LINE_MAX_SIZE];
		struct source_file file;

		assert_int_equal(source_file_read(&file, path), 0);
		assert_null(file.problem);
		assert_int_equal(file.n_lines, cases[i].n_lines);
		source_file_line(&file, cases[i].line, line);
		assert_string_equal(line, cases[i].expected);
		source_file_free(&file);
	}
}

static void a_long_line_is_cut(void **state)
{
	char *text = calloc(1, 100000), line[SOURCE_LINE_MAX_SIZE];
	struct source_file file;

	(void)state;
	memset(text, '\t', 100000);
	assert_int_equal(source_file_read(&file, write_file("long", text, 100000)), 0);
	source_file_line(&file, 1, line);
	assert_in_range(strlen(line), SOURCE_LINE_MAX_SIZE - 16, SOURCE_LINE_MAX_SIZE - 1);
	source_file_free(&file);
	free(text);
}

static void what_is_no_source_has_a_problem(void **state)
{
	static const char *const paths[] = { "fifo", "folder", "binary", "missing", "huge" };

	(void)state;
	assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
	assert_int_equal(mkdir(path_of("folder"), 0700), 0);
	write_file("binary", "a\0b", 3);
	assert_int_equal(truncate(write_file("huge", "a", 1), (off_t)SOURCE_FILE_MAX_SIZE + 1), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		char line[SOURCE_LINE_MAX_SIZE];
		struct source_file file;

		assert_int_equal(source_file_read(&file, path_of(paths[i])), 0);
		assert_non_null(file.problem);
		source_file_line(&file, 1, line);
		assert_string_equal(line, "");
		source_file_free(&file);
	}
}

static void files_are_found_where_they_were_moved(void **state)
{
	char moved[256];
	const char *list[] = { moved };

	(void)state;
	snprintf(moved, sizeof(moved), "/no/such=%s", folder);
	write_file("a.c", "text\n", 5);
	struct source_files *files = source_files_create(list, 1);
	const struct source_file *file = source_files_get(files, "/no/such/a.c");
	assert_null(file->problem);
	assert_ptr_equal(source_files_get(files, "/no/such/b.c"),
			 source_files_get(files, "/no/such/b.c"));
	assert_non_null(source_files_get(files, "/no/such/b.c")->problem);
	source_files_destroy(files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_counted_from_one),
		cmocka_unit_test(a_long_line_is_cut),
		cmocka_unit_test(what_is_no_source_has_a_problem),
		cmocka_unit_test(files_are_found_where_they_were_moved),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
