#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/command-line/messages.h"

static FILE *file;
static int saved;

static void capture(void)
{
	file = tmpfile();
	saved = dup(STDERR_FILENO);
	assert_non_null(file);
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
}

static void assert_captured(const char *expected)
{
	char text[512];

	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, expected);
}

static void messages_begin_with_the_command(void **state)
{
	(void)state;
	capture();
	message_note("record", "%d files were kept.", 3);
	int status = message_error("list", "%s failed.", "it");
	int status_of_dendro = message_error(NULL, "out of memory.");
	assert_captured("dendro record: 3 files were kept.\n"
			"dendro list: it failed.\n"
			"dendro: out of memory.\n");
	assert_int_equal(status, 1);
	assert_int_equal(status_of_dendro, 1);
}

static void wrong_use_names_the_help(void **state)
{
	(void)state;
	capture();
	int status = message_wrong_use("report", "'%s' is wrong.", "x");
	message_wrong_use(NULL, "unknown command '%s'.", "y");
	assert_captured("dendro report: 'x' is wrong.\nSee 'dendro report --help'.\n"
			"dendro: unknown command 'y'.\nSee 'dendro --help'.\n");
	assert_int_equal(status, 129);
}

static void an_error_text_of_the_system_gets_a_full_stop(void **state)
{
	(void)state;
	capture();
	message_error_of_file("report", "a.data", "No such file or directory");
	assert_captured("dendro report: a.data: No such file or directory.\n");
}

static void a_file_is_named_once(void **state)
{
	(void)state;
	capture();
	message_error_of_file("report", "a.data", "it is corrupt.");
	message_error_of_file("report", "a.data", "a.data: it is corrupt.");
	assert_captured("dendro report: a.data: it is corrupt.\n"
			"dendro report: a.data: it is corrupt.\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_begin_with_the_command),
		cmocka_unit_test(wrong_use_names_the_help),
		cmocka_unit_test(an_error_text_of_the_system_gets_a_full_stop),
		cmocka_unit_test(a_file_is_named_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
