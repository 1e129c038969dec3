/*
 * controlled CONTROL ANSWERS: works in before(), alpha(), beta(), gamma() and after(), and tells
 * the recorder between them to enable, disable and enable its events, then to disable them. It goes
 * on when the recorder has answered. At the end it prints what the answers were.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define SECONDS     0.1 /* of work in each function */
#define PATIENCE_MS 60000

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
WORK(gamma_work)
WORK(after)

/* Answers end with NUL. */
static void tell(int control, int answers, const char *line)
{
	struct pollfd poll_fd = { answers, POLLIN, 0 };
	char byte;

	if (write(control, line, strlen(line)) < 0) {
		perror("write");
		exit(1);
	}
	do {
		if (poll(&poll_fd, 1, PATIENCE_MS) != 1 || read(answers, &byte, 1) != 1) {
			fputs("nobody answers\n", stderr);
			exit(1);
		}
		if (byte)
			putchar(byte);
	} while (byte);
}

int main(int argc, char **argv)
{
	int control = argc == 3 ? open(argv[1], O_WRONLY | O_CLOEXEC) : -1;
	int answers = argc == 3 ? open(argv[2], O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;

	if (control < 0 || answers < 0) {
		perror("FIFO");
		return 1;
	}
	before();
	tell(control, answers, "enable\n");
	alpha();
	tell(control, answers, "disable\n");
	beta();
	tell(control, answers, "enable\n");
	tell(control, answers, "phase second half\n");
	gamma_work();
	tell(control, answers, "disable\n");
	after();
	return 0;
}
