/*
 * A timer interrupts interrupted_work; the handler works too. Frames below the signal frame are
 * interrupted instructions, not return addresses. The timer counts processor time: one that ends
 * while another process runs would interrupt what the kernel was left by, mostly system calls.
 */
#include <signal.h>
#include <sys/time.h>

#include "work.h"

static FUNCTION void handler_work(void)
{
	units(10);
}

static void handle(int signal)
{
	(void)signal;
	handler_work();
	KEEP_FRAME();
}

static FUNCTION void interrupted_work(unsigned n)
{
	units(n);
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	struct sigaction action = { .sa_handler = handle };
	struct itimerval interval = { { 0, 5000 }, { 0, 5000 } };
	unsigned n;

	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &interval, NULL);
	while ((n = rounds_next(&rounds))) {
		interrupted_work(n);
		KEEP_FRAME();
	}
	return 0;
}
