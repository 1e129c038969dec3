/* A process that falls behind and catches up. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/builder_pace.h"

enum { MIB = 1 << 20 };

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Where it may, the process is idle exactly as long as it is not late. */
static void expect_policy(const struct builder_pace *pace, int idle_or_other)
{
	assert_int_equal(sched_getscheduler(pace->pid),
			 pace->may_idle ? idle_or_other : SCHED_OTHER);
}

static void it_hurries_when_much_waits_until_nothing_does(void **state)
{
	struct builder_pace pace;

	(void)state;
	builder_pace_init(&pace, sleeper(), 64 * MIB, false);
	expect_policy(&pace, SCHED_IDLE);
	builder_pace_keep(&pace, MIB);
	expect_policy(&pace, SCHED_IDLE);
	builder_pace_keep(&pace, 5 * MIB);
	expect_policy(&pace, SCHED_OTHER);
	builder_pace_keep(&pace, 1);
	expect_policy(&pace, SCHED_OTHER);
	builder_pace_keep(&pace, 0);
	expect_policy(&pace, SCHED_IDLE);
	assert_int_equal(pace.n_hurries, pace.may_idle);
	assert_false(pace.leaves_stacks);
	end(pace.pid);
}

static void *sleep_on(void *arg)
{
	(void)arg;
	pause();
	return NULL;
}

/* A process with a second thread, whose number comes through a pipe. */
static pid_t sleeper_with_thread(pid_t *tid_ret)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, sleep_on, NULL) || write(fds[1], "", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	char byte;
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	close(fds[1]);

	char path[64];
	const struct dirent *entry;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	assert_non_null(tasks);
	for (*tid_ret = 0; (entry = readdir(tasks));) {
		const pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && tid != pid)
			*tid_ret = tid;
	}
	closedir(tasks);
	assert_int_not_equal(*tid_ret, 0);
	return pid;
}

static void all_its_threads_hurry_and_are_favoured_at_last(void **state)
{
	struct builder_pace pace;
	pid_t tid;

	(void)state;
	builder_pace_init(&pace, sleeper_with_thread(&tid), 64 * MIB, false);
	const int usual = pace.usual_nice;
	builder_pace_keep(&pace, 5 * MIB);
	assert_int_equal(sched_getscheduler(tid), SCHED_OTHER);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)tid), usual);
	builder_pace_keep(&pace, 9 * MIB);
	if (getpriority(PRIO_PROCESS, (id_t)pace.pid) != usual) {
		assert_int_equal(getpriority(PRIO_PROCESS, (id_t)pace.pid), -10);
		assert_int_equal(getpriority(PRIO_PROCESS, (id_t)tid), -10);
	}
	builder_pace_keep(&pace, 0);
	expect_policy(&pace, SCHED_IDLE);
	assert_int_equal(sched_getscheduler(tid), sched_getscheduler(pace.pid));
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)tid), usual);
	builder_pace_end(&pace);
	assert_int_equal(sched_getscheduler(tid), SCHED_OTHER);
	end(pace.pid);
}

static void one_that_is_watched_is_never_idle(void **state)
{
	struct builder_pace pace;

	(void)state;
	builder_pace_init(&pace, sleeper(), 64 * MIB, true);
	assert_int_equal(sched_getscheduler(pace.pid), SCHED_OTHER);
	builder_pace_keep(&pace, 5 * MIB);
	builder_pace_keep(&pace, 0);
	assert_int_equal(sched_getscheduler(pace.pid), SCHED_OTHER);
	assert_int_equal(pace.n_hurries, 0);
	end(pace.pid);
}

static void stacks_are_left_out_until_half_of_what_waited_is_read(void **state)
{
	struct builder_pace pace;

	(void)state;
	builder_pace_init(&pace, sleeper(), 64 * MIB, false);
	builder_pace_keep(&pace, 31 * MIB);
	assert_false(pace.leaves_stacks);
	builder_pace_keep(&pace, 32 * MIB);
	assert_true(pace.leaves_stacks);
	builder_pace_keep(&pace, 17 * MIB);
	assert_true(pace.leaves_stacks);
	builder_pace_keep(&pace, 16 * MIB);
	assert_false(pace.leaves_stacks);
	end(pace.pid);
}

static void at_the_end_it_hurries_for_good(void **state)
{
	struct builder_pace pace;

	(void)state;
	builder_pace_init(&pace, sleeper(), 64 * MIB, false);
	builder_pace_end(&pace);
	assert_int_equal(sched_getscheduler(pace.pid), SCHED_OTHER);
	builder_pace_keep(&pace, 0);
	assert_int_equal(sched_getscheduler(pace.pid), SCHED_OTHER);
	end(pace.pid);
}

static void what_was_left_out_is_told(void **state)
{
	struct builder_pace pace = { .n_hurries = 3 };
	struct recording_notes notes = { 0 };

	(void)state;
	builder_pace_describe(&pace, 12, &notes);
	assert_int_equal(notes.n, 2);
	assert_non_null(strstr(notes.notes[0].text, "12 samples have no callers"));
	assert_false(notes.notes[0].is_detail);
	assert_non_null(strstr(notes.notes[1].text, " 3 times "));
	assert_true(notes.notes[1].is_detail);
	recording_notes_deinit(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_hurries_when_much_waits_until_nothing_does),
		cmocka_unit_test(all_its_threads_hurry_and_are_favoured_at_last),
		cmocka_unit_test(one_that_is_watched_is_never_idle),
		cmocka_unit_test(stacks_are_left_out_until_half_of_what_waited_is_read),
		cmocka_unit_test(at_the_end_it_hurries_for_good),
		cmocka_unit_test(what_was_left_out_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
