/*
 * controlled CONTROL ANSWERS WORD1 WORD2 WORD3 WORD4: works in before(), alpha(), beta(), third()
 * and after(), and writes a word to the recorder between them. It goes on when the recorder has
 * answered, and prints the answers.
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
WORK(third)
WORK(after)

static void (*const works[])(void) = { before, alpha, beta, third, after };

#define N_WORKS     (sizeof(works) / sizeof(works[0]))
#define N_ARGUMENTS (3 + N_WORKS - 1)

/* Answers end with NUL. */
static void tell(int control, int answers, const char *line)
{
	struct pollfd poll_fd = { answers, POLLIN, 0 };
	char byte;

	if (dprintf(control, "%s\n", line) < 0) {
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
	int control = argc == N_ARGUMENTS ? open(argv[1], O_WRONLY | O_CLOEXEC) : -1;
	int answers = argc == N_ARGUMENTS ? open(argv[2], O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;

	if (control < 0 || answers < 0) {
		perror("FIFO");
		return 1;
	}
	for (size_t i = 0; i < N_WORKS; i++) {
		works[i]();
		if (i + 1 < N_WORKS)
			tell(control, answers, argv[3 + i]);
	}
	return 0;
}
