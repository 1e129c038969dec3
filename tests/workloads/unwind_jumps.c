/* Control that goes elsewhere than calls and returns do: for a single-stepping test. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <sys/mman.h>
#include <ucontext.h>
#endif

#ifdef __clang__
#define noinline __attribute__((noinline))
#else
#define noinline __attribute__((noinline, noclone))
#endif

#define ALTERNATE_SIZE (64 * 1024)
#define COROUTINE_SIZE (32 * 1024)
#define PAGE_SIZE      4096

static volatile int sink;
static jmp_buf jump;
static sigjmp_buf signal_jump;

static noinline int leaf(int n)
{
	return n * sink;
}

static noinline int work(int n)
{
	char bytes[100];

	memset(bytes, n, sizeof(bytes));
	return leaf(bytes[n]) + leaf(n);
}

static noinline int jump_from(int depth)
{
	if (depth > 0)
		return jump_from(depth - 1) + leaf(depth);
	longjmp(jump, 3);
}

static noinline int long_jumps(int n)
{
	char bytes[n];

	memset(bytes, n, sizeof(bytes));
	for (volatile int i = 0; i < 3; i++)
		if (!setjmp(jump))
			jump_from(i);
	return leaf(bytes[n / 2]);
}

static void on_signal(int number)
{
	sink = work(number & 3);
}

/* Nested: this one raises the other. */
static void on_outer_signal(int number)
{
	sink = leaf(number);
	raise(SIGUSR1);
	sink = work(number & 3);
}

static void on_jumping_signal(int number)
{
	sink = leaf(number);
	siglongjmp(signal_jump, 1);
}

static void handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

static noinline int nested_signals(int flags)
{
	handle(SIGUSR1, on_signal, flags);
	handle(SIGUSR2, on_outer_signal, flags);
	handle(SIGALRM, on_jumping_signal, flags);
	raise(SIGUSR1);
	raise(SIGUSR2);
	if (!sigsetjmp(signal_jump, 1))
		raise(SIGALRM);
	return work(2);
}

/* A fault in a leaf that has not touched its stack, and goes on with the next instruction. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	sink = leaf(number);
	siglongjmp(signal_jump, 1);
}

static noinline int fault(volatile int *nowhere)
{
	return *nowhere;
}

static noinline int faults(int flags)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | flags };

	sigaction(SIGSEGV, &action, NULL);
	if (!sigsetjmp(signal_jump, 1))
		return fault(NULL);
	return leaf(3);
}

static noinline int on_alternate_stack(void)
{
	stack_t stack = { .ss_sp = malloc(ALTERNATE_SIZE), .ss_size = ALTERNATE_SIZE };
	int n;

	sigaltstack(&stack, NULL);
	n = nested_signals(SA_ONSTACK) + faults(SA_ONSTACK);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	free(stack.ss_sp);
	return n;
}

#ifdef __GLIBC__
static ucontext_t main_context, contexts[2];

static noinline void yield(int from, int to)
{
	sink = leaf(from);
	swapcontext(&contexts[from], &contexts[to]);
}

static void coroutine(int self, int other)
{
	for (int i = 0; i < 3; i++) {
		sink = work(i);
		yield(self, other);
	}
}

/* A page that nothing ever touches follows it, so that copies of the stack end there: what else
 * lies above, and whether it is in memory, would be malloc's and the kernel's choice. */
static char *map_stack(void)
{
	size_t size = COROUTINE_SIZE + PAGE_SIZE;
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED)
		abort();
	madvise(stack, size, MADV_NOHUGEPAGE);
	return stack;
}

static void start(int i, ucontext_t *next)
{
	static char *stacks[2];

	if (!stacks[i])
		stacks[i] = map_stack();
	getcontext(&contexts[i]);
	contexts[i].uc_stack.ss_sp = stacks[i];
	contexts[i].uc_stack.ss_size = COROUTINE_SIZE;
	contexts[i].uc_link = next;
	makecontext(&contexts[i], (void (*)(void))coroutine, 2, i, 1 - i);
}

/* Twice: the second time on stacks that have been used before. */
static noinline int coroutines(void)
{
	ucontext_t *volatile next = &main_context;

	for (volatile int i = 0; i < 2; i++) {
		start(0, next);
		start(1, &contexts[0]);
		swapcontext(&main_context, &contexts[0]);
		sink = work(i);
	}
	return leaf(1);
}

static noinline int same_context_again(void)
{
	volatile int n = 0;

	getcontext(&main_context);
	if (n++ < 2)
		setcontext(&main_context);
	return leaf(n);
}
#else
static noinline int coroutines(void)
{
	return leaf(1);
}

static noinline int same_context_again(void)
{
	return leaf(2);
}
#endif

int main(void)
{
	int n = long_jumps(40) + nested_signals(0) + faults(0);

	n += on_alternate_stack();
	handle(SIGUSR1, on_signal, 0);
	n += coroutines() + same_context_again() + long_jumps(7);
	sink = n;
	return 0;
}
