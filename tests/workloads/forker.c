/*
 * Runs a program again and again and prints the process ID of each child: a list of forks and
 * execs to hold a recording's sideband against. forker SECONDS PAUSE_MS PROGRAM
 */
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

extern char **environ;

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	uint64_t end_ns = now_ns() + (uint64_t)(atof(argv[1]) * 1e9);

	while (now_ns() < end_ns) {
		pid_t pid;
		int status;
		if (posix_spawn(&pid, argv[3], NULL, NULL, argv + 3, environ))
			return 1;
		if (waitpid(pid, &status, 0) != pid)
			return 1;
		printf("%d\n", (int)pid);
		usleep((useconds_t)atoi(argv[2]) * 1000);
	}
	return 0;
}
