#include "perf/kernel/task_fields.h"

#include <errno.h>

#ifdef __x86_64__

#include <asm/prctl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "perf/kernel/bpf.h"

/* struct task_struct is smaller, or ends in parts that are not searched. */
#define TASK_MAX   16384
#define PART_SIZE  4096
#define STACK_SIZE 65544 /* that no other thread has */

enum { R0, R1, R2, R3, R6 = 6, R7 };

/* Copies the structure in parts, as the last may not be there. */
static void write_program(struct bpf_code *code, int map_fd)
{
	bpf_find_value(code, map_fd);
	bpf_move(code, R6, R0);
	bpf_call(code, BPF_TASK);
	bpf_move(code, R7, R0);
	for (int at = 0; at < TASK_MAX; at += PART_SIZE) {
		bpf_move(code, R1, R6);
		bpf_compute_value(code, BPF_ADD, R1, at);
		bpf_move_value(code, R2, PART_SIZE);
		bpf_move(code, R3, R7);
		bpf_compute_value(code, BPF_ADD, R3, at);
		bpf_call(code, BPF_READ_KERNEL);
	}
	bpf_move_value(code, R0, 0);
	bpf_return(code);
}

/* @task_ret: TASK_MAX bytes of the calling thread's structure. */
static int read_own_task(void *task_ret)
{
	struct bpf_code code = { .n = 0 };
	_cleanup_close_ int map_fd = bpf_create_map(BPF_MAP_TYPE_ARRAY, TASK_MAX, 1);

	if (map_fd < 0)
		return map_fd;
	write_program(&code, map_fd);
	_cleanup_close_ int program_fd =
		bpf_load_program(&code, BPF_PROG_TYPE_RAW_TRACEPOINT, "dendro_task");
	if (program_fd < 0)
		return program_fd;
	int err = bpf_run(program_fd);
	return err ? err : bpf_map_get(map_fd, 0, task_ret);
}

/*
 * Where the words are first; 0: nowhere. What follows the structure in memory is often that of
 * another task, and a child has its parent's thread pointer until it executes another program.
 */
static uint32_t find_words(const uint8_t *task, const uint64_t *words, size_t n)
{
	for (size_t at = 0; at + n * sizeof(*words) <= TASK_MAX; at += sizeof(*words)) {
		if (memcmp(task + at, words, n * sizeof(*words)) == 0)
			return (uint32_t)at;
	}
	return 0;
}

static int find_fields(const stack_t *stack, struct task_fields *fields_ret)
{
	const uint64_t alternate[] = { (uint64_t)(uintptr_t)stack->ss_sp, stack->ss_size };
	uint64_t thread_pointer;

	if (syscall(SYS_arch_prctl, ARCH_GET_FS, &thread_pointer) < 0)
		return -errno;
	_cleanup_free_ uint8_t *task = malloc(TASK_MAX);
	if (!task)
		return -ENOMEM;
	int err = read_own_task(task);
	if (err)
		return err;
	*fields_ret = (struct task_fields){ find_words(task, alternate, 2),
					    find_words(task, &thread_pointer, 1) };
	return fields_ret->alternate_stack && fields_ret->thread_pointer ? 0 : -ENOENT;
}

int task_fields_find(struct task_fields *fields_ret)
{
	_cleanup_free_ uint8_t *memory = malloc(STACK_SIZE);
	const stack_t stack = { .ss_sp = memory, .ss_size = STACK_SIZE };
	stack_t before;

	if (!memory)
		return -ENOMEM;
	if (sigaltstack(&stack, &before) < 0)
		return -errno;
	int err = find_fields(&stack, fields_ret);
	sigaltstack(&before, NULL);
	return err;
}

#else

int task_fields_find(struct task_fields *fields_ret)
{
	(void)fields_ret;
	return -EOPNOTSUPP;
}

#endif
