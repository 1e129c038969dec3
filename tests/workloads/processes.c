/*
 * Processes that come and go in every way, with work in known ratios: processes MODE [COUNT].
 * Every kind of child has a separate name and function, so that each sample shows its process.
 */
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "one_processor.h"
#include "work.h"

extern char **environ;

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "processes: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void wait_for(pid_t pid)
{
	int status;

	if (pid < 0)
		fail("no child");
	if (waitpid(pid, &status, 0) != pid || status)
		fail("a child failed");
}

/* Each its own part: compilers make one function of equal ones. */
static FUNCTION void parent_work(unsigned n)
{
	units(n);
}

static FUNCTION void child_work(unsigned n)
{
	units(2 * n);
}

static FUNCTION void grandchild_work(unsigned n)
{
	units(3 * n);
}

static FUNCTION void image_work(unsigned n)
{
	units(4 * n);
}

static FUNCTION void fork_grandchild(unsigned n)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_NAME, "grandchild");
		grandchild_work(n);
		_exit(0);
	}
	wait_for(pid);
}

/* Parent, child, and the child's child, without exec, each below the frames of those before. */
static FUNCTION void fork_child(unsigned n)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_NAME, "child");
		child_work(n);
		fork_grandchild(n);
		_exit(0);
	}
	wait_for(pid);
}

/* The child works in its parent's memory, then runs another image. */
static FUNCTION void vfork_child(unsigned n, char *const *image)
{
	pid_t pid = vfork();

	if (pid == 0) {
		child_work(n);
		execv("/proc/self/exe", image);
		_exit(127);
	}
	wait_for(pid);
}

static FUNCTION void spawn_child(char *const *image)
{
	pid_t pid;

	if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, image, environ))
		fail("posix_spawn");
	wait_for(pid);
}

static void *thread_main(void *argument)
{
	child_work(*(unsigned *)argument);
	KEEP_FRAME();
	return NULL;
}

static FUNCTION void run_threads(unsigned n)
{
	pthread_t threads[64];

	for (int i = 0; i < 64; i++)
		if (pthread_create(&threads[i], NULL, thread_main, &n))
			fail("pthread_create");
	for (int i = 0; i < 64; i++)
		pthread_join(threads[i], NULL);
}

/* A child that lives as long as the work takes, and as fork and exit do. */
static FUNCTION void fork_brief(unsigned n)
{
	pid_t pid = fork();

	if (pid == 0) {
		child_work(n);
		_exit(0);
	}
	wait_for(pid);
}

/* A child with the pid that was another's a moment ago, unless somebody else has taken it since. */
static pid_t fork_as(const pid_t *pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = *pid ? (uint64_t)(uintptr_t)pid : 0,
		.set_tid_size = *pid ? 1 : 0,
	};
	pid_t child = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	return child < 0 && errno == EEXIST ? fork() : child;
}

static FUNCTION void reuse_by_fork(pid_t *pid, unsigned n)
{
	pid_t child = fork_as(pid);

	if (child == 0) {
		prctl(PR_SET_NAME, "child");
		child_work(n);
		_exit(0);
	}
	wait_for(child);
	*pid = child;
}

static FUNCTION void reuse_by_exec(pid_t *pid, char *const *image)
{
	pid_t child = fork_as(pid);

	if (child == 0) {
		execv("/proc/self/exe", image);
		_exit(127);
	}
	wait_for(child);
	*pid = child;
}

static void *reusing_thread(void *argument)
{
	prctl(PR_SET_NAME, "thread");
	grandchild_work(*(unsigned *)argument);
	KEEP_FRAME();
	return NULL;
}

/* The number of a process becomes that of a thread of this one. */
static FUNCTION void reuse_by_thread(pid_t pid, unsigned n)
{
	FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "w");
	pthread_t thread;

	if (!last || fprintf(last, "%d", pid - 1) < 0 || fclose(last))
		fail("ns_last_pid");
	if (pthread_create(&thread, NULL, reusing_thread, &n))
		fail("pthread_create");
	pthread_join(thread, NULL);
}

static FUNCTION void reuse_pid(unsigned n, char *const *image)
{
	static pid_t pid;

	reuse_by_fork(&pid, n);
	reuse_by_exec(&pid, image);
	reuse_by_thread(pid, n);
}

static int run_image(unsigned n)
{
	prctl(PR_SET_NAME, "image");
	image_work(n);
	return 0;
}

static void run(const char *mode, unsigned n)
{
	char count[16];
	char *const image[] = { "processes", "image", count, NULL };

	snprintf(count, sizeof(count), "%u", n);
	if (!strcmp(mode, "fork"))
		fork_child(n);
	else if (!strcmp(mode, "vfork"))
		vfork_child(n, image);
	else if (!strcmp(mode, "spawn"))
		spawn_child(image);
	else if (!strcmp(mode, "threads"))
		run_threads(n);
	else if (!strcmp(mode, "brief"))
		fork_brief(n % 4);
	else if (!strcmp(mode, "reuse"))
		reuse_pid(n, image);
	else
		_exit(2);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	unsigned count = (unsigned)atoi(argv[2]);
	if (!strcmp(argv[1], "image"))
		return run_image(count);
	stay_on_one_processor();

	struct rounds rounds = rounds_begin(0, NULL);
	rounds.end_ns = UINT64_MAX;
	for (unsigned i = 0; i < count; i++) {
		unsigned n = rounds_next(&rounds);

		if (strcmp(argv[1], "brief"))
			parent_work(n);
		run(argv[1], n);
	}
	return 0;
}
