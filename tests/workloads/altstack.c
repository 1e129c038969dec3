/*
 * Handlers on an alternate stack interrupt the same code, reached from two callers. What the
 * handler calls, seen_left or seen_right, is the truth about the caller, on the other stack:
 * via_left or via_right.
 *
 *	altstack SECONDS short|long|nested|deep|jump|threads|storm|often
 *
 * often: as much work in handlers as outside, a signal for each unit of it, which is thousands in a
 * second however fast the machine is.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "watched.h"
#include "work.h"

/* Equal functions stay two. */
#define NOT_FOLDED __attribute__((no_icf))
#define STACK_SIZE 65536

static __thread volatile bool is_left;
static __thread volatile bool is_ready;
static __thread sigjmp_buf way_out;
static unsigned handler_units = 10, interval_us = 4000, depth = 20;
static bool is_nested, leaves_by_jump, raises_often;

static FUNCTION NOT_FOLDED void seen_left(unsigned n)
{
	units(n);
}

static FUNCTION NOT_FOLDED void seen_right(unsigned n)
{
	units(n);
}

/* On the other stack, too, and interrupts the outer handler. */
static FUNCTION void handle_inner(int signal)
{
	(void)signal;
	if (is_left)
		seen_left(1);
	else
		seen_right(1);
	KEEP_FRAME();
}

static FUNCTION void handle(int signal)
{
	(void)signal;
	if (!is_ready)
		return;
	if (is_nested)
		raise(SIGUSR1);
	if (is_left)
		seen_left(handler_units);
	else
		seen_right(handler_units);
	KEEP_FRAME();
	if (leaves_by_jump)
		siglongjmp(way_out, 1);
}

static void do_units(unsigned n)
{
	if (!raises_often) {
		units(n);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		units(1);
		raise(SIGALRM);
	}
}

static FUNCTION void common(unsigned level, unsigned n)
{
	char bytes[1000];

	/* The kernel copies no stack whose first page was never touched. */
	*(volatile char *)bytes = 0;
	if (level > 1)
		common(level - 1, n);
	else
		do_units(n);
	KEEP_FRAME();
}

static FUNCTION void via_left(unsigned n)
{
	is_left = true;
	is_ready = true;
	common(depth, n);
	is_ready = false;
}

static FUNCTION void via_right(unsigned n)
{
	is_left = false;
	is_ready = true;
	common(depth, n);
	is_ready = false;
}

static void use_stack(void)
{
	stack_t stack = { .ss_sp = malloc(STACK_SIZE), .ss_size = STACK_SIZE };

	sigaltstack(&stack, NULL);
}

static FUNCTION void take_turns(struct rounds rounds)
{
	unsigned n;

	use_stack();
	while ((n = rounds_next(&rounds))) {
		if (!sigsetjmp(way_out, 1))
			via_left(n);
		is_ready = false;
		if (!sigsetjmp(way_out, 1))
			via_right(n);
		is_ready = false;
	}
}

static const char *seconds = "1";

static void *run_thread(void *unused)
{
	(void)unused;
	take_turns(rounds_begin(2, (char *[]){ NULL, (char *)seconds }));
	return NULL;
}

static int run_threads(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++) {
		if (pthread_create(&threads[i], NULL, run_thread, NULL))
			return 1;
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* As many signals as the system can deliver. */
static void *send_all_the_time(void *to)
{
	for (;;)
		pthread_kill(*(pthread_t *)to, SIGALRM);
	return NULL;
}

static void start_signals(bool is_storm)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK | SA_RESTART };
	struct itimerval interval = { { 0, interval_us }, { 0, interval_us } };
	static pthread_t self;
	pthread_t sender;

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGPROF, &action, NULL);
	action.sa_handler = handle_inner;
	sigaction(SIGUSR1, &action, NULL);
	self = pthread_self();
	if (is_storm)
		pthread_create(&sender, NULL, send_all_the_time, &self);
	else if (!raises_often)
		setitimer(ITIMER_PROF, &interval, NULL);
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	const char *mode = argc > 2 ? argv[2] : "short";

	if (argc > 1)
		seconds = argv[1];
	is_nested = strcmp(mode, "nested") == 0;
	leaves_by_jump = strcmp(mode, "jump") == 0;
	if (strcmp(mode, "deep") == 0)
		depth = 1000;
	if (strcmp(mode, "long") == 0 || is_nested) {
		handler_units = 200;
		interval_us = 40000;
	}
	if (strcmp(mode, "storm") == 0)
		handler_units = 0;
	raises_often = strcmp(mode, "often") == 0;
	if (raises_often)
		handler_units = 1;
	start_signals(strcmp(mode, "storm") == 0);
	if (strcmp(mode, "threads") == 0)
		return run_threads();
	take_turns(rounds);
	return 0;
}
