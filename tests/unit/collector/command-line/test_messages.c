#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

/* It may be longer than the message, and shows progress. */
static void on_a_terminal_the_rest_of_the_line_is_erased(void **state)
{
	const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	char text[64];
	size_t n = 0;

	(void)state;
	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal))
		skip();
	setenv("TERM", "xterm", 1);
	const int other_end = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(other_end >= 0);
	saved = dup(STDERR_FILENO);
	dup2(other_end, STDERR_FILENO);
	message_note("list", "it is there.");
	dup2(saved, STDERR_FILENO);
	close(saved);
	while (!n || text[n - 1] != '\n') {
		const ssize_t more = read(terminal, text + n, sizeof(text) - 1 - n);

		assert_true(more > 0);
		n += (size_t)more;
	}
	text[n] = '\0';
	assert_string_equal(text, "dendro list: it is there.\033[K\r\n");
	close(other_end);
	close(terminal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_begin_with_the_command),
		cmocka_unit_test(wrong_use_names_the_help),
		cmocka_unit_test(an_error_text_of_the_system_gets_a_full_stop),
		cmocka_unit_test(a_file_is_named_once),
		cmocka_unit_test(on_a_terminal_the_rest_of_the_line_is_erased),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
