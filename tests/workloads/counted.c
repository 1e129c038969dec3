/*
 * What hardware counters count, without sampling, for known parts of a program.
 *
 *   counted N                 computes, reads and does both, N times; then prints for each of these
 *                             functions, and for all of it, what each counter has counted
 *   counted -u N              computes N units, without counters
 *   counted -x COMMAND...     runs COMMAND, and prints what was counted for it from its exec on
 *
 * A line is: what, event, count; an event that the machine lacks has no line. COMMAND may be
 * the first: all counters fit into seven, so they always count.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

enum { CYCLES_USER, CYCLES, INSTRUCTIONS_USER, INSTRUCTIONS, N_COUNTERS, N_OUTER = 3 };

static const struct {
	const char *name;
	uint64_t config;
	bool exclude_kernel;
} counters[N_COUNTERS] = {
	[CYCLES_USER] = { "cycles:u", PERF_COUNT_HW_CPU_CYCLES, true },
	[CYCLES] = { "cycles", PERF_COUNT_HW_CPU_CYCLES, false },
	[INSTRUCTIONS_USER] = { "instructions:u", PERF_COUNT_HW_INSTRUCTIONS, true },
	[INSTRUCTIONS] = { "instructions", PERF_COUNT_HW_INSTRUCTIONS, false },
};

struct counts {
	uint64_t values[N_COUNTERS];
};

static int fds[N_COUNTERS];
static size_t n_open;
static char buffer[1 << 16];

static void open_counters(size_t n, pid_t pid, bool on_exec)
{
	for (size_t i = 0; i < n; i++) {
		struct perf_event_attr attr = {
			.size = sizeof(attr),
			.type = PERF_TYPE_HARDWARE,
			.config = counters[i].config,
			.disabled = on_exec,
			.enable_on_exec = on_exec,
			.exclude_kernel = counters[i].exclude_kernel,
			.exclude_hv = counters[i].exclude_kernel,
		};

		fds[i] =
			(int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
		if (fds[i] < 0 && errno != ENOENT && errno != EOPNOTSUPP)
			err(1, "%s", counters[i].name);
	}
	n_open = n;
}

static struct counts read_counters(void)
{
	struct counts counts = { 0 };

	for (size_t i = 0; i < n_open; i++) {
		if (fds[i] >= 0 &&
		    read(fds[i], &counts.values[i], sizeof(uint64_t)) != sizeof(uint64_t))
			err(1, "%s", counters[i].name);
	}
	return counts;
}

/* From @before, which becomes now, on. */
static void add(struct counts *to, struct counts *before)
{
	struct counts now = read_counters();

	for (size_t i = 0; i < n_open; i++)
		to->values[i] += now.values[i] - before->values[i];
	*before = now;
}

static void print(const char *what, const struct counts *counts)
{
	for (size_t i = 0; i < n_open; i++) {
		if (fds[i] >= 0)
			printf("%s %s %" PRIu64 "\n", what, counters[i].name, counts->values[i]);
	}
}

static FUNCTION void leaf(unsigned n)
{
	units(n);
}

/* All its instructions are the program's own. */
static FUNCTION void computes(unsigned n)
{
	leaf(n);
	KEEP_FRAME();
}

/* Nearly all of them are the kernel's. */
static FUNCTION void reads(int fd, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (read(fd, buffer, sizeof(buffer)) != sizeof(buffer))
			err(1, "/dev/zero");
	}
	KEEP_FRAME();
}

static FUNCTION void does_both(int fd, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		leaf(1);
		if (read(fd, buffer, sizeof(buffer)) != sizeof(buffer))
			err(1, "/dev/zero");
	}
	KEEP_FRAME();
}

static void work(unsigned n)
{
	struct counts computed = { 0 }, was_read = { 0 }, both = { 0 }, all = { 0 }, before;
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(1, "/dev/zero");
	open_counters(N_COUNTERS, 0, false);
	before = read_counters();
	for (unsigned i = 0; i < n; i++) {
		computes(70 + 10 * (i % 4));
		add(&computed, &before);
		reads(fd, 400 + 10 * (i % 7));
		add(&was_read, &before);
		does_both(fd, 40 + 10 * (i % 3));
		add(&both, &before);
	}
	all = read_counters();
	print("computes", &computed);
	print("reads", &was_read);
	print("does_both", &both);
	print("all", &all);
}

/* Exits as the command does. */
static int execute(char **command)
{
	int wait_for[2], status;
	char byte;

	if (pipe(wait_for))
		err(1, "pipe");
	pid_t pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		close(wait_for[1]);
		if (read(wait_for[0], &byte, 1) != 0)
			_exit(1);
		execvp(command[0], command);
		err(127, "%s", command[0]);
	}
	open_counters(N_OUTER, pid, true);
	close(wait_for[1]);
	if (waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
	struct counts counts = read_counters();
	print("command", &counts);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "-x") == 0)
		return execute(argv + 2);
	if (argc > 2 && strcmp(argv[1], "-u") == 0) {
		computes((unsigned)atoi(argv[2]));
		return 0;
	}
	work(argc > 1 ? (unsigned)atoi(argv[1]) : 100);
	return 0;
}
