#include <linux/magic.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/agent/agent_cost.h"

#define MIB ((size_t)1 << 20)

/* What AddressSanitizer looks at beside 64 MiB takes memory where the kernel has no page of zeros.
 */
#ifdef __SANITIZE_ADDRESS__
#define SHADOW (8 * MIB)
#else
#define SHADOW ((size_t)0)
#endif

#define FOLDER "/var/tmp" /* files in /tmp may be in memory */

/* Whether files have pages that are not the memory of whoever maps them. */
static bool has_disk(void)
{
	struct statfs system;

	return statfs(FOLDER, &system) == 0 && system.f_type != TMPFS_MAGIC &&
	       system.f_type != RAMFS_MAGIC;
}

/* It has no name. */
static int open_file_of(size_t size)
{
	char path[] = FOLDER "/dendro-XXXXXX";
	const int fd = mkstemp(path);
	static uint8_t bytes[4096] = { 1 };

	unlink(path);
	for (size_t i = 0; i < size; i += sizeof(bytes)) {
		if (write(fd, bytes, sizeof(bytes)) != sizeof(bytes))
			_exit(1);
	}
	return fd;
}

/* A process that has touched so much anonymous and shared memory, and so much of a file. */
static pid_t start_process(size_t own_size, size_t shared_size, size_t file_size)
{
	int ends[2];
	char byte;

	assert_int_equal(pipe(ends), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		const int file = file_size ? open_file_of(file_size) : -1;
		uint8_t *own = mmap(NULL, own_size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		uint8_t *shared = mmap(NULL, shared_size, PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		const volatile uint8_t *mapped =
			mmap(NULL, file_size, PROT_READ, MAP_PRIVATE, file, 0);

		memset(own, 1, own_size);
		memset(shared, 1, shared_size);
		for (size_t i = 0; i < file_size; i += 4096)
			(void)mapped[i];
		_exit(write(ends[1], "", 1) == 1 && pause());
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return pid;
}

static uint64_t memory_with(size_t own_size, size_t shared_size, size_t file_size)
{
	const pid_t pid = start_process(own_size, shared_size, file_size);
	const uint64_t memory = agent_cost_memory(&pid, 1);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return memory;
}

static void memory_is_that_of_processes_and_not_that_of_files(void **state)
{
	(void)state;
	const uint64_t little = memory_with(MIB, MIB, 0);

	assert_in_range(memory_with(65 * MIB, MIB, 0), little + 60 * MIB,
			little + 68 * MIB + SHADOW);
	assert_in_range(memory_with(MIB, 65 * MIB, 0), little + 60 * MIB,
			little + 68 * MIB + SHADOW);
	if (has_disk())
		assert_in_range(memory_with(MIB, MIB, 65 * MIB), little / 2,
				little + 4 * MIB + SHADOW);
}

static void who_is_gone_has_none(void **state)
{
	(void)state;
	const uint64_t alone = agent_cost_memory(NULL, 0);
	const pid_t gone[] = { -1 };

	assert_in_range(agent_cost_memory(gone, 1), 0, alone + MIB);
	assert_true(alone > 0);
}

/* Relocated data of libraries is such memory: processes are forked after it was made. */
static void pages_of_a_parent_count_once(void **state)
{
	uint8_t *common =
		mmap(NULL, 64 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pids[3];

	(void)state;
	if (access("/proc/self/smaps_rollup", R_OK) != 0)
		skip();
	assert_true(common != MAP_FAILED);
	memset(common, 1, 64 * MIB);
	const uint64_t alone = agent_cost_shared_memory(NULL, 0);
	for (size_t i = 0; i < 3; i++)
		pids[i] = start_process(MIB, MIB, 0);
	assert_in_range(agent_cost_memory(pids, 3), 4 * 60 * MIB, 4 * 90 * MIB);
	assert_in_range(agent_cost_shared_memory(pids, 3), alone / 2, alone + 30 * MIB);
	for (size_t i = 0; i < 3; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	munmap(common, 64 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_that_of_processes_and_not_that_of_files),
		cmocka_unit_test(who_is_gone_has_none),
		cmocka_unit_test(pages_of_a_parent_count_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
