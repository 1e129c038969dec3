/* The program that is run is this one, which writes the words that it gets into a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/push/push_runs.h"

#define S      1000000000ull
#define OUTPUT "PUSH_RUNS_TEST_OUTPUT"
#define FAILS  "failing.cct"

static const struct push_runs_options to_url = { .url = "otlp+http://h" };
static char output[] = "/tmp/test-push-runs-XXXXXX";

static int write_words(int argc, char **argv)
{
	FILE *file = fopen(getenv(OUTPUT), "w");

	if (!file)
		return 2;
	for (int i = 1; i < argc; i++)
		fprintf(file, "%s%s", i > 1 ? " " : "", argv[i]);
	fclose(file);
	return strstr(argv[argc - 1], FAILS) ? 1 : 0;
}

static void expect_run(struct push_runs *push, const char *words)
{
	char text[65536] = "";
	int status;

	assert_true(push->pid > 0);
	assert_int_equal(waitpid(push->pid, &status, 0), push->pid);
	push_runs_end(push, status);
	assert_int_equal(push->pid, 0);
	FILE *file = fopen(output, "r");
	assert_non_null(file);
	(void)!fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	assert_string_equal(text, words);
}

static void profiles_that_were_finished_during_a_run_are_the_next(void **state)
{
	struct push_runs push = { 0 };

	(void)state;
	assert_int_equal(push_runs_start(&push, &to_url, "/w", 1 * S, false), 0);
	assert_int_equal(push.pid, 0);
	push_runs_add(&push, "a.cct", 1 * S);
	assert_int_equal(push_runs_start(&push, &to_url, "/w", 1 * S, false), 0);
	const pid_t first = push.pid;
	push_runs_add(&push, "b.cct", 2 * S);
	push_runs_add(&push, "c.cct", 3 * S);
	assert_int_equal(push_runs_start(&push, &to_url, "/w", 3 * S, false), 0);
	assert_int_equal(push.pid, first);
	expect_run(&push,
		   "push --quiet --to otlp+http://h --spool /w/spool --retry-for 0 /w/a.cct");
	assert_int_equal(push_runs_start(&push, &to_url, "/w", 4 * S, false), 0);
	expect_run(&push, "push --quiet --to otlp+http://h --spool /w/spool --retry-for 0 /w/b.cct "
			  "/w/c.cct");
	assert_int_equal(push.n_failed, 0);
}

static void runs_that_fail_are_counted(void **state)
{
	struct push_runs push = { 0 };

	(void)state;
	push_runs_add(&push, FAILS, 1 * S);
	assert_int_equal(push_runs_start(&push, &to_url, "/w", 1 * S, false), 0);
	expect_run(&push,
		   "push --quiet --to otlp+http://h --spool /w/spool --retry-for 0 /w/" FAILS);
	assert_int_equal(push.n_failed, 1);
}

static void what_waits_is_pushed_as_one_and_folded(void **state)
{
	struct push_runs_options options = to_url;
	struct push_runs push = { 0 };

	(void)state;
	options.every_ns = 60 * S;
	options.no_send = true;
	options.config = "/c";
	push_runs_add(&push, "a.cct", 10 * S);
	push_runs_add(&push, "b.cct", 40 * S);
	assert_int_equal(push_runs_start(&push, &options, "/w", 69 * S, false), 0);
	assert_int_equal(push.pid, 0);
	assert_int_equal(push_runs_start(&push, &options, "/w", 70 * S, false), 0);
	expect_run(&push,
		   "--config /c push --quiet --to otlp+http://h --spool /w/spool --retry-for 0 "
		   "--no-send --as-one --join-addresses --fold-once /w/a.cct /w/b.cct");
	/* The last ones don't wait. */
	options.keeps_all_paths = true;
	push_runs_add(&push, "c.cct", 80 * S);
	assert_int_equal(push_runs_start(&push, &options, "/w", 81 * S, true), 0);
	expect_run(&push,
		   "--config /c push --quiet --to otlp+http://h --spool /w/spool --retry-for 0 "
		   "--no-send --as-one /w/c.cct");
}

static void of_too_many_that_wait_the_oldest_are_left_out(void **state)
{
	struct push_runs_options options = to_url;
	struct push_runs push = { 0 };
	char words[65536] =
		"push --quiet --to otlp+http://h --spool /w/spool --retry-for 0 --as-one "
		"--join-addresses --fold-once";

	(void)state;
	options.every_ns = 3600 * S;
	for (unsigned i = 0; i < PUSH_RUNS_WAITING_MAX + 2; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%u.cct", i);
		push_runs_add(&push, name, i);
		if (i >= 2)
			snprintf(words + strlen(words), sizeof(words) - strlen(words), " /w/%u.cct",
				 i);
	}
	assert_int_equal(push.n_left_out, 2);
	/* They do not wait any longer. */
	assert_int_equal(push_runs_start(&push, &options, "/w", 100, false), 0);
	expect_run(&push, words);
}

static int make_output(void **state)
{
	const int fd = mkstemp(output);

	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	return setenv(OUTPUT, output, 1);
}

static int remove_output(void **state)
{
	(void)state;
	return unlink(output);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles_that_were_finished_during_a_run_are_the_next),
		cmocka_unit_test(runs_that_fail_are_counted),
		cmocka_unit_test(what_waits_is_pushed_as_one_and_folded),
		cmocka_unit_test(of_too_many_that_wait_the_oldest_are_left_out),
	};

	return argc > 1 ? write_words(argc, argv)
			: cmocka_run_group_tests(tests, make_output, remove_output);
}
