/*
 * The same work below frames of every kind: each way costs the same. Two of them leave the main
 * stack: a coroutine has no caller but its start, and a handler may have an alternate stack.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#ifdef __GLIBC__
#include <ucontext.h>
#endif

#include "work.h"

#ifdef __clang__
#undef FUNCTION
#define FUNCTION __attribute__((noinline))
#endif

#define STACK_SIZE (64 * 1024)

static jmp_buf jump;
static unsigned signal_units;

static FUNCTION void work(unsigned n)
{
	units(n);
}

static FUNCTION void touch(char *bytes, size_t n)
{
	memset(bytes, 1, n);
	KEEP_FRAME();
}

static FUNCTION void via_registers(unsigned n)
{
	unsigned half = n / 2;

	work(half);
	work(n - half);
	KEEP_FRAME();
}

static FUNCTION void via_realigned(unsigned n)
{
	char bytes[128] __attribute__((aligned(64)));

	touch(bytes, sizeof(bytes));
	work(n);
	KEEP_FRAME();
}

static FUNCTION void via_alloca(unsigned n)
{
	char *bytes = alloca(n * 16);

	touch(bytes, n * 16);
	work(n);
	KEEP_FRAME();
}

static FUNCTION void via_pages(unsigned n)
{
	char bytes[5 * 4096];

	touch(bytes, sizeof(bytes));
	work(n);
	KEEP_FRAME();
}

static FUNCTION void seven(unsigned n, int b, int c, int d, int e, int f, int g, int h)
{
	work(n + (unsigned)(b + c + d + e + f + g + h));
	KEEP_FRAME();
}

static FUNCTION void via_arguments(unsigned n)
{
	seven(n, 0, 0, 0, 0, 0, 0, 0);
	KEEP_FRAME();
}

static FUNCTION void tail_target(unsigned n)
{
	work(n);
	KEEP_FRAME();
}

static FUNCTION void via_tail(unsigned n)
{
	tail_target(n);
}

static FUNCTION __attribute__((cold)) void cold_work(unsigned n)
{
	work(n);
	KEEP_FRAME();
}

/* Its call lies in .text.unlikely. */
static FUNCTION void via_cold_part(unsigned n)
{
	char bytes[64];

	touch(bytes, sizeof(bytes));
	if (__builtin_expect(n > 0, 0)) {
		cold_work(n);
		touch(bytes, sizeof(bytes));
	}
}

static FUNCTION _Noreturn void work_and_jump(unsigned n)
{
	work(n);
	longjmp(jump, 1);
}

/* Ends in a call that does not return: what follows it is another function's. */
static FUNCTION _Noreturn void via_last_call(unsigned n)
{
	work_and_jump(n);
}

static FUNCTION void via_jump(unsigned n)
{
	if (!setjmp(jump))
		via_last_call(n);
	KEEP_FRAME();
}

static void on_signal(int number)
{
	(void)number;
	work(signal_units);
	KEEP_FRAME();
}

static FUNCTION void via_handler(unsigned n)
{
	signal_units = n;
	raise(SIGUSR1);
	KEEP_FRAME();
}

#ifdef __GLIBC__
static ucontext_t main_context, context;

static void coroutine(unsigned n)
{
	work(n);
	KEEP_FRAME();
}

static FUNCTION void via_coroutine(unsigned n)
{
	static char stack[STACK_SIZE];

	getcontext(&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = sizeof(stack);
	context.uc_link = &main_context;
	makecontext(&context, (void (*)(void))coroutine, 1, n);
	swapcontext(&main_context, &context);
}
#else
static void via_coroutine(unsigned n)
{
	(void)n;
}
#endif

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	struct sigaction action = { .sa_handler = on_signal };
	unsigned n;

	sigaction(SIGUSR1, &action, NULL);
	while ((n = rounds_next(&rounds))) {
		n = n / 8 + 1;
		via_registers(n);
		via_realigned(n);
		via_alloca(n);
		via_pages(n);
		via_arguments(n);
		via_tail(n);
		via_cold_part(n);
		via_jump(n);
		via_handler(n);
		via_coroutine(n);
		KEEP_FRAME();
	}
	return 0;
}
