#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/base/clock.h"
#include "collector/record/builder_watch.h"

#define INTERVAL_NS (100 * NSEC_PER_MSEC)

struct child {
	pid_t pid;
	int stream_fd;
};

/* It reads nothing. */
static struct child start_child(bool is_busy)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		for (;;) {
			if (!is_busy)
				pause();
		}
	}
	/* Its reading end stays open here: else nothing could be written. */
	return (struct child){ pid, ends[1] };
}

static void sleep_intervals(unsigned n)
{
	const struct timespec time = { .tv_nsec = (long)INTERVAL_NS };

	while (n--)
		nanosleep(&time, NULL);
}

static bool lives(const struct child *child)
{
	return waitpid(child->pid, NULL, WNOHANG) == 0;
}

static void end_child(const struct child *child)
{
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	close(child->stream_fd);
}

static void expect_killed(const struct child *child, struct builder_watch *watch)
{
	int status;

	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_true(builder_watch_stop(watch));
	close(child->stream_fd);
}

static void who_does_not_read_hangs(void **state)
{
	(void)state;
	const struct child child = start_child(false);
	struct builder_watch *watch = builder_watch_start(child.pid, child.stream_fd, INTERVAL_NS);

	assert_non_null(watch);
	assert_int_equal(write(child.stream_fd, "x", 1), 1);
	expect_killed(&child, watch);
}

static void who_does_not_end_hangs(void **state)
{
	(void)state;
	const struct child child = start_child(false);
	struct builder_watch *watch = builder_watch_start(child.pid, child.stream_fd, INTERVAL_NS);

	sleep_intervals(5);
	assert_true(lives(&child)); /* there is nothing to read */
	builder_watch_end_stream(watch);
	expect_killed(&child, watch);
}

static void who_works_does_not(void **state)
{
	(void)state;
	const struct child child = start_child(true);
	/* On a busy machine it may have no time for a while. */
	struct builder_watch *watch =
		builder_watch_start(child.pid, child.stream_fd, 20 * INTERVAL_NS);

	assert_int_equal(write(child.stream_fd, "x", 1), 1);
	builder_watch_end_stream(watch);
	sleep_intervals(90);
	assert_true(lives(&child));
	end_child(&child);
	assert_false(builder_watch_stop(watch));
}

static void the_watch_can_end_before(void **state)
{
	(void)state;
	const struct child child = start_child(false);
	struct builder_watch *watch =
		builder_watch_start(child.pid, child.stream_fd, BUILDER_WATCH_INTERVAL_NS);

	end_child(&child);
	assert_false(builder_watch_stop(watch));
	builder_watch_end_stream(NULL);
	assert_false(builder_watch_stop(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_does_not_read_hangs),
		cmocka_unit_test(who_does_not_end_hangs),
		cmocka_unit_test(who_works_does_not),
		cmocka_unit_test(the_watch_can_end_before),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
