/*
 * A parent, a forked child and a forked child that runs this program again, with work in the ratio
 * 1:2:3, each under its own function and its own process name, one after the other.
 */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "one_processor.h"
#include "work.h"

static FUNCTION void parent_work(unsigned n)
{
	units(n);
}

static FUNCTION void forked_work(unsigned n)
{
	units(2 * n);
}

static FUNCTION void execed_work(unsigned n)
{
	units(3 * n);
}

static void wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		exit(1);
}

static pid_t fork_child(unsigned n)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_NAME, "forked");
		forked_work(n);
		_exit(0);
	}
	return pid;
}

static pid_t exec_child(unsigned n)
{
	pid_t pid = fork();

	if (pid == 0) {
		char count[16];
		snprintf(count, sizeof(count), "%u", n);
		execl("/proc/self/exe", "forkexec", "execed", count, (char *)NULL);
		_exit(127);
	}
	return pid;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "execed")) {
		prctl(PR_SET_NAME, "execed");
		execed_work((unsigned)atoi(argv[2]));
		return 0;
	}

	stay_on_one_processor();
	/* Its own part is a sixth. */
	struct rounds rounds = rounds_of(seconds_of(argc, argv) / 6);
	unsigned n;

	while ((n = rounds_next(&rounds))) {
		parent_work(4 * n);
		wait_for(fork_child(4 * n));
		wait_for(exec_child(4 * n));
	}
	return 0;
}
