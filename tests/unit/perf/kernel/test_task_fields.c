/* Where the kernel keeps what, found on the running kernel. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf/kernel/signal_frame.h"
#include "perf/kernel/task_fields.h"

#define STACK_SIZE (1 << 20)
/* Of struct rt_sigframe, and what it is aligned to. */
#define FRAME_SIZE      440
#define FRAME_ALIGNMENT 16
#define STATE_ALIGNMENT 64

static void the_fields_are_found_and_the_alternate_stack_is_as_before(void **state)
{
	struct task_fields fields;
	stack_t stack = { .ss_sp = malloc(STACK_SIZE), .ss_size = STACK_SIZE }, after;

	(void)state;
	assert_int_equal(sigaltstack(&stack, NULL), 0);
	int err = task_fields_find(&fields);
	assert_int_equal(sigaltstack(NULL, &after), 0);
	assert_ptr_equal(after.ss_sp, stack.ss_sp);
	assert_int_equal(after.ss_size, stack.ss_size);
	stack.ss_flags = SS_DISABLE;
	assert_int_equal(sigaltstack(&stack, NULL), 0);
	free(stack.ss_sp);
	if (err == -EPERM || err == -ENOSYS || err == -EACCES || err == -EOPNOTSUPP)
		skip();
	assert_int_equal(err, 0);
	assert_true(fields.alternate_stack % 8 == 0 && fields.thread_pointer % 8 == 0);
}

/* Their structures may be next to the caller's in memory, and have its thread pointer. */
static void children_do_not_hide_the_fields(void **state)
{
	enum { N_CHILDREN = 64 };
	pid_t children[N_CHILDREN];
	struct task_fields fields, again;

	(void)state;
	if (task_fields_find(&fields) != 0)
		skip();
	for (size_t i = 0; i < N_CHILDREN; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (!children[i]) {
			pause();
			_exit(0);
		}
		assert_int_equal(task_fields_find(&again), 0);
		assert_memory_equal(&again, &fields, sizeof(fields));
	}
	for (size_t i = 0; i < N_CHILDREN; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

static uint64_t context_at;

static void handle(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	context_at = (uint64_t)(uintptr_t)context;
}

static void a_signals_frame_is_below_a_state_of_a_known_size(void **state)
{
	const struct sigaction action = { .sa_sigaction = handle,
					  .sa_flags = SA_SIGINFO | SA_ONSTACK };
	uint32_t sizes[SIGNAL_FRAME_STATES_MAX];
	size_t n_sizes = signal_frame_states(sizes);
	char *memory = malloc(STACK_SIZE);
	bool is_found = false;

	(void)state;
	if (!n_sizes) {
		free(memory);
		skip();
	}
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	/* Tops with all alignments. */
	for (size_t spared = 0; spared < STATE_ALIGNMENT; spared += 8) {
		stack_t stack = { .ss_sp = memory, .ss_size = STACK_SIZE - spared };
		uint64_t top = (uint64_t)(uintptr_t)memory + stack.ss_size;

		assert_int_equal(sigaltstack(&stack, NULL), 0);
		raise(SIGUSR1);
		is_found = false;
		for (size_t i = 0; i < n_sizes; i++) {
			uint64_t state_at = (top - sizes[i]) & -(uint64_t)STATE_ALIGNMENT;

			is_found |= context_at ==
				    ((state_at - FRAME_SIZE) & -(uint64_t)FRAME_ALIGNMENT);
		}
		assert_true(is_found);
	}
	assert_int_equal(sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL), 0);
	free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fields_are_found_and_the_alternate_stack_is_as_before),
		cmocka_unit_test(children_do_not_hide_the_fields),
		cmocka_unit_test(a_signals_frame_is_below_a_state_of_a_known_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
