/* dendro itself: which command runs, help and version. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/command-line/messages.h"
#include "collector/commands/commands.h"

struct output {
	int status;
	char out[8192], err[8192];
};

struct capture {
	FILE *file;
	int fd, saved;
};

static struct capture capture_start(FILE *stream)
{
	struct capture capture = { .file = tmpfile(), .fd = fileno(stream) };

	assert_non_null(capture.file);
	fflush(stream);
	capture.saved = dup(capture.fd);
	dup2(fileno(capture.file), capture.fd);
	return capture;
}

static void capture_end(struct capture *capture, FILE *stream, char text[8192])
{
	fflush(stream);
	dup2(capture->saved, capture->fd);
	close(capture->saved);
	rewind(capture->file);
	text[fread(text, 1, 8191, capture->file)] = '\0';
	fclose(capture->file);
}

/* Runs "dendro A B". */
static struct output run(const char *a, const char *b)
{
	char words[2][64];
	char *argv[] = { words[0], NULL, NULL, NULL };
	struct output output;
	int argc = 1;
	char name[] = "dendro";

	argv[0] = name;
	for (int i = 0; i < 2; i++) {
		const char *word = i ? b : a;

		if (!word)
			continue;
		snprintf(words[i], sizeof(words[i]), "%s", word);
		argv[argc++] = words[i];
	}
	struct capture out = capture_start(stdout), err = capture_start(stderr);
	output.status = commands_run(argc, argv);
	capture_end(&err, stderr, output.err);
	capture_end(&out, stdout, output.out);
	return output;
}

static void help_names_every_command(void **state)
{
	static const char *const words[] = { "help", "--help", "-h" };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct output output = run(words[i], NULL);

		assert_int_equal(output.status, 0);
		assert_string_equal(output.err, "");
		for (const struct subcommand *command = commands; command->line; command++)
			assert_non_null(strstr(output.out, command->line->command));
	}
}

static void without_a_command_the_help_is_an_error(void **state)
{
	struct output output = run(NULL, NULL);

	(void)state;
	assert_int_equal(output.status, EXIT_WRONG_USE);
	assert_string_equal(output.out, "");
	assert_non_null(strstr(output.err, "usage: dendro [--config FILE] COMMAND"));
}

static void each_command_has_its_help(void **state)
{
	(void)state;
	for (const struct subcommand *command = commands; command->line; command++) {
		struct output by_help = run("help", command->line->command);
		struct output by_option = run(command->line->command, "--help");

		assert_int_equal(by_help.status, 0);
		assert_int_equal(by_option.status, 0);
		assert_string_equal(by_help.out, by_option.out);
		assert_non_null(strstr(by_help.out, command->line->description));
	}
}

static void the_version_is_printed(void **state)
{
	static const char *const words[] = { "version", "--version", "-V" };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct output output = run(words[i], NULL);

		assert_int_equal(output.status, 0);
		assert_string_equal(output.out, "dendro " DENDRO_VERSION "\n");
	}
}

static void an_unknown_command_is_answered_with_the_nearest(void **state)
{
	static const struct {
		const char *words[2], *message;
	} cases[] = {
		{ { "reprot", NULL }, "unknown command 'reprot'; did you mean 'report'?" },
		{ { "help", "anotate" }, "unknown command 'anotate'; did you mean 'annotate'?" },
		{ { "flamegraph", NULL }, "unknown command 'flamegraph'." },
		{ { "", NULL }, "unknown command ''." },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct output output = run(cases[i].words[0], cases[i].words[1]);
		char expected[256];

		snprintf(expected, sizeof(expected), "dendro: %s\nSee 'dendro --help'.\n",
			 cases[i].message);
		assert_int_equal(output.status, EXIT_WRONG_USE);
		assert_string_equal(output.err, expected);
		assert_string_equal(output.out, "");
	}
}

static void a_command_of_perf_is_answered_with_ours(void **state)
{
	struct output output = run("lock", "record");

	(void)state;
	assert_int_equal(output.status, EXIT_WRONG_USE);
	assert_string_equal(output.err,
			    "dendro: 'lock' is a command of perf: 'dendro record -e off-cpu' has "
			    "the waits for locks, by call path.\n");
	assert_string_equal(output.out, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_names_every_command),
		cmocka_unit_test(without_a_command_the_help_is_an_error),
		cmocka_unit_test(each_command_has_its_help),
		cmocka_unit_test(the_version_is_printed),
		cmocka_unit_test(a_command_of_perf_is_answered_with_ours),
		cmocka_unit_test(an_unknown_command_is_answered_with_the_nearest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
