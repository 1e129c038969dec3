/* Notes on processes whose recording has no samples, from a /proc made of stat files. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/base/clock.h"
#include "collector/record/target_times.h"

enum { PARENT = 100, CHILD = 101, GRANDCHILD = 102, OTHER = 200 };

static char proc[64];
static struct target_times times;
static struct recording_notes notes;
static const struct int_list nobody;

static void put_stat(const char *folder, int pid, int parent, double cpu_s)
{
	char path[256], text[256];

	snprintf(path, sizeof(path), "%s/%s", proc, folder);
	for (char *slash = path + strlen(proc) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/stat", proc, folder);
	int n = snprintf(text, sizeof(text), "%d (x) S %d 1 1 0 -1 0 0 0 0 0 %.0f 0 0 0 20 0 1\n",
			 pid, parent, cpu_s * (double)sysconf(_SC_CLK_TCK));
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, (size_t)n), n);
	close(fd);
}

static void put_process(int pid, int parent, double cpu_s)
{
	char folder[32];

	snprintf(folder, sizeof(folder), "%d", pid);
	put_stat(folder, pid, parent, cpu_s);
}

static int setup(void **state)
{
	(void)state;
	snprintf(proc, sizeof(proc), "/tmp/dendro-test-XXXXXX");
	if (!mkdtemp(proc))
		return -1;
	put_process(PARENT, 1, 5);
	put_process(CHILD, PARENT, 7);
	put_process(GRANDCHILD, CHILD, 0);
	put_process(OTHER, 1, 9);
	return 0;
}

static int teardown(void **state)
{
	char command[96];

	(void)state;
	target_times_deinit(&times);
	recording_notes_deinit(&notes);
	snprintf(command, sizeof(command), "rm -rf '%s'", proc);
	return system(command); /* NOLINT(cert-env33-c) */
}

static void end_and_explain(void)
{
	target_times_end(&times, 2 * NSEC_PER_SEC);
	target_times_explain(&times, &notes);
}

static void an_idle_process_and_its_busy_children_are_named(void **state)
{
	int pid = PARENT;
	const struct int_list pids = { &pid, 1 };

	(void)state;
	target_times_begin(&times, proc, &pids, &nobody, true);
	put_process(PARENT, 1, 5.01);
	put_process(CHILD, PARENT, 8.5);
	put_process(GRANDCHILD, CHILD, 0.25);
	end_and_explain();
	assert_int_equal(notes.n, 2);
	assert_string_equal(notes.notes[0].text,
			    "no samples: process 100 was idle (0.01 s of CPU time in 2.0 s).");
	assert_string_equal(notes.notes[1].text,
			    "2 processes that it had started before, which used 1.75 s of CPU "
			    "time, are not recorded: -p 100+ records them, too.");
	assert_false(notes.notes[0].is_detail);
}

static void children_that_are_idle_are_named_without_a_time(void **state)
{
	int values[] = { CHILD, OTHER };
	const struct int_list pids = { values, 2 };

	(void)state;
	target_times_begin(&times, proc, &pids, &nobody, true);
	end_and_explain();
	assert_int_equal(notes.n, 2);
	assert_string_equal(notes.notes[0].text,
			    "no samples: 2 processes were idle (0.00 s of CPU time in 2.0 s).");
	assert_string_equal(notes.notes[1].text,
			    "1 process that they had started before is not recorded: a plus after "
			    "a number or name of -p records it, too.");
}

static void a_process_that_worked_lacked_events(void **state)
{
	int values[] = { PARENT, CHILD, GRANDCHILD };
	const struct int_list pids = { values, 3 };

	(void)state;
	target_times_begin(&times, proc, &pids, &nobody, true);
	put_process(CHILD, PARENT, 8);
	end_and_explain();
	assert_int_equal(notes.n, 1);
	assert_string_equal(notes.notes[0].text,
			    "no samples: 3 processes used 1.00 s of CPU time in 2.0 s, in which no "
			    "event took place that is sampled.");
}

static void threads_have_their_own_times(void **state)
{
	int pid = PARENT, tid = 110;
	const struct int_list pids = { &pid, 1 }, tids = { &tid, 1 };

	(void)state;
	put_stat("110/task/110", 110, 1, 3);
	target_times_begin(&times, proc, &pids, &tids, false);
	put_process(PARENT, 1, 6);
	end_and_explain();
	assert_int_equal(notes.n, 1);
	assert_string_equal(notes.notes[0].text,
			    "no samples: thread 110 was idle (0.00 s of CPU time in 2.0 s).");
}

static void without_a_target_that_lives_or_a_beginning_nothing_is_known(void **state)
{
	int pid = 3000;
	const struct int_list pids = { &pid, 1 };

	(void)state;
	end_and_explain();
	target_times_begin(&times, proc, &pids, &nobody, true);
	target_times_explain(&times, &notes);
	end_and_explain();
	target_times_begin(&times, "/nonexistent", &pids, &nobody, true);
	end_and_explain();
	assert_int_equal(notes.n, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_idle_process_and_its_busy_children_are_named),
		TEST(children_that_are_idle_are_named_without_a_time),
		TEST(a_process_that_worked_lacked_events),
		TEST(threads_have_their_own_times),
		TEST(without_a_target_that_lives_or_a_beginning_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
