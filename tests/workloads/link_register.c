/*
 * Every way to be interrupted on a machine whose calls leave the return address in a register:
 * leaves, prologues and epilogues, the vdso, PLTs, libraries, handlers in all of them and in
 * handlers. Built with signed return addresses.
 */
#include <signal.h>
#include <sys/time.h>

#include "link_register_library.h"
#include "work.h"

static volatile unsigned sink;

static FUNCTION void nested_work(void)
{
	units(3);
}

static void handle_nested(int signal)
{
	(void)signal;
	nested_work();
	KEEP_FRAME();
}

static FUNCTION void handler_work(void)
{
	units(2);
}

static void handle(int signal)
{
	(void)signal;
	handler_work();
	raise(SIGUSR1);
	KEEP_FRAME();
}

/* Has no frame: the return address stays where the call put it. */
static FUNCTION void leaf(unsigned n)
{
	units(n);
}

static FUNCTION void calls_leaf(unsigned n)
{
	leaf(n);
	KEEP_FRAME();
}

static FUNCTION void called_back(unsigned n)
{
	units(n);
	KEEP_FRAME();
}

static FUNCTION void calls_library(unsigned n)
{
	library_call(called_back, n);
	KEEP_FRAME();
}

/* Little but prologues and epilogues. */
static FUNCTION unsigned small(unsigned a, unsigned b)
{
	return library_add(a, sink) + library_add(b, sink);
}

static FUNCTION void calls_small(unsigned n)
{
	for (unsigned i = 0; i < n * 6000; i++)
		sink += small(i, n);
}

static FUNCTION void asks_time(unsigned n)
{
	static const clockid_t clocks[] = { CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_MONOTONIC_COARSE,
					    CLOCK_PROCESS_CPUTIME_ID };
	struct timespec time;

	for (unsigned i = 0; i < n * 250; i++)
		clock_gettime(clocks[i % 8 < 3 ? i % 8 : i % 32 == 7 ? 3 : 0], &time);
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	struct sigaction action = { .sa_handler = handle },
			 nested = { .sa_handler = handle_nested };
	struct itimerval interval = { { 0, 3000 }, { 0, 3000 } };
	unsigned n;

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR1, &nested, NULL);
	setitimer(ITIMER_REAL, &interval, NULL);
	while ((n = rounds_next(&rounds))) {
		calls_leaf(n);
		calls_library(n);
		calls_small(n);
		asks_time(n);
	}
	return 0;
}
