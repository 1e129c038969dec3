/*
 * phases FIFO: works in before(), alpha(), beta(), alpha() again and after(), while the phase that
 * it has named to the recorder is none, "alpha", "beta", "alpha" and none again. It goes on when
 * the recorder has read the name.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "work.h"

#define SECONDS    0.1 /* of work in each function */
#define PATIENCE_S 60

static const char *volatile function; /* functions of equal code would become one */

#define WORK(name)                                                \
	static FUNCTION void name(void)                           \
	{                                                         \
		struct rounds rounds = rounds_of(SECONDS);        \
		function = #name;                                 \
		for (unsigned n; (n = rounds_next(&rounds)) > 0;) \
			units(n);                                 \
	}

WORK(before)
WORK(alpha)
WORK(beta)
WORK(after)

static void name_phase(int fifo, const char *line)
{
	const time_t start = time(NULL);
	int n_waiting = 1;

	if (write(fifo, line, strlen(line)) < 0) {
		perror("write");
		exit(1);
	}
	while (n_waiting) {
		sched_yield();
		if (ioctl(fifo, FIONREAD, &n_waiting) < 0 || time(NULL) - start > PATIENCE_S) {
			fputs("nobody reads the FIFO\n", stderr);
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	int fifo = argc == 2 ? open(argv[1], O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1;

	if (fifo < 0) {
		perror("FIFO");
		return 1;
	}
	before();
	name_phase(fifo, "alpha\n");
	alpha();
	name_phase(fifo, "beta\n");
	beta();
	name_phase(fifo, "alpha\n");
	alpha();
	name_phase(fifo, "\n");
	after();
	return 0;
}
