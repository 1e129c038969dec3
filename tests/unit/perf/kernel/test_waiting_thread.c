/* Threads of this machine that wait. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf/kernel/waiting_thread.h"

#if defined(__x86_64__)
#define REGS_MASK 0xff0fffull
#define SP_AT     7
#define PC_AT     8
#else
#define REGS_MASK 0x1ffffffffull
#define SP_AT     31
#define PC_AT     32
#endif

/* Skips the test where programs are refused, or the kernel has no such iterators. */
static struct waiting_thread_reader *create(void)
{
	struct waiting_thread_reader *reader;
	int err = waiting_thread_reader_create(REGS_MASK, &reader);

	if (err == -EPERM || err == -ENOSYS || err == -EACCES || err == -ENOENT || err == -EINVAL)
		skip();
	assert_int_equal(err, 0);
	return reader;
}

/* What the kernel shows of the thread once it waits: the stack pointer and where it entered. */
static void wait_until_it_waits(pid_t pid, unsigned long *sp_ret, unsigned long *pc_ret)
{
	char path[64], line[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	for (;;) {
		FILE *file = fopen(path, "re");

		assert_non_null(file);
		assert_non_null(fgets(line, sizeof(line), file));
		fclose(file);
		if (sscanf(line, "%*d %*s %*s %*s %*s %*s %*s %lx %lx", sp_ret, pc_ret) == 2)
			return;
		usleep(1000);
	}
}

static void a_waiting_thread_has_its_registers_and_the_kernels_path(void **state)
{
	struct waiting_thread_reader *reader = create();
	struct waiting_thread thread;
	unsigned long sp, pc;

	(void)state;
	pid_t pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	wait_until_it_waits(pid, &sp, &pc);
	int err = waiting_thread_read(reader, pid, &thread);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (err == -EINVAL) {
		waiting_thread_reader_destroy(reader);
		skip(); /* before Linux 6.1 */
	}
	assert_int_equal(err, 0);
	assert_int_equal(thread.abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(thread.n_regs, __builtin_popcountll(REGS_MASK));
	assert_int_equal(thread.regs[SP_AT], sp);
	assert_int_equal(thread.sp, sp);
	assert_int_equal(thread.regs[PC_AT], pc);
	assert_in_range(thread.n_kernel, 1, WAITING_THREAD_CALLERS_MAX);
	assert_int_equal(waiting_thread_read(reader, pid, &thread), -ESRCH);
	waiting_thread_reader_destroy(reader);
}

static void a_thread_of_the_kernel_has_no_registers(void **state)
{
	struct waiting_thread_reader *reader = create();
	struct waiting_thread thread;
	char comm[32] = "";

	(void)state;
	FILE *file = fopen("/proc/2/comm", "re"); /* elsewhere than in a pid namespace */
	if (file && !fgets(comm, sizeof(comm), file))
		comm[0] = '\0';
	if (file)
		fclose(file);
	int err = waiting_thread_read(reader, 2, &thread);
	waiting_thread_reader_destroy(reader);
	if (strcmp(comm, "kthreadd\n") != 0 || err == -EINVAL)
		skip();
	assert_int_equal(err, 0);
	assert_int_equal(thread.abi, PERF_SAMPLE_REGS_ABI_NONE);
	assert_int_equal(thread.n_regs, 0);
	assert_in_range(thread.n_kernel, 1, WAITING_THREAD_CALLERS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_waiting_thread_has_its_registers_and_the_kernels_path),
		cmocka_unit_test(a_thread_of_the_kernel_has_no_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
