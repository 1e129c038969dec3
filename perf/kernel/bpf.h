/*
 * Small programs for the kernel's BPF machine: an assembler with labels, and bpf(2).
 *
 * linux/bpf.h: the instructions, and the helper functions by their numbers, which are an ABI.
 */
#ifndef PERF_KERNEL_BPF_H
#define PERF_KERNEL_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BPF_CODE_MAX   576
#define BPF_LABELS_MAX 32
#define BPF_JUMPS_MAX  64
#define BPF_REASON_MAX 256

/* Of linux/bpf.h, which may be older than the kernel. */
enum bpf_helper {
	BPF_MAP_LOOKUP = 1,
	BPF_CPU = 8,
	BPF_THREAD_ID = 14, /* and the process's above it */
	BPF_OUTPUT = 25,
	BPF_TASK = 35,
	BPF_READ_USER = 112,
	BPF_READ_KERNEL = 113,
	BPF_SEQ_WRITE = 127,
	BPF_RING_OUTPUT = 130,
	BPF_TASK_STACK = 141,
	BPF_TASK_BTF = 158,
	BPF_TASK_PT_REGS = 175,
};

struct bpf_code {
	struct bpf_insn insns[BPF_CODE_MAX];
	size_t n;
	size_t labels[BPF_LABELS_MAX];
	struct {
		size_t at, label;
		bool is_call;
	} jumps[BPF_JUMPS_MAX];
	size_t n_jumps;
	/* Why the kernel has refused to load it, in its own words; "": it has not, or said nothing.
	 */
	char reason[BPF_REASON_MAX];
};

/* Each adds one instruction: @to, @from, @left: numbers of registers. */
void bpf_move(struct bpf_code *code, uint8_t to, uint8_t from);
void bpf_move_value(struct bpf_code *code, uint8_t to, int32_t value);
/* @operation: BPF_ADD, BPF_SUB, BPF_AND, ... */
void bpf_compute(struct bpf_code *code, uint8_t operation, uint8_t to, uint8_t from);
void bpf_compute_value(struct bpf_code *code, uint8_t operation, uint8_t to, int32_t value);
/* Words of 8 bytes. */
void bpf_load(struct bpf_code *code, uint8_t to, uint8_t base, int offset);
void bpf_store(struct bpf_code *code, uint8_t base, int offset, uint8_t from);
void bpf_load_map(struct bpf_code *code, uint8_t to, int map_fd);
void bpf_call(struct bpf_code *code, enum bpf_helper helper);
void bpf_return(struct bpf_code *code);
/* @condition: BPF_JEQ, BPF_JGE, ... (unsigned). */
void bpf_jump(struct bpf_code *code, uint8_t condition, uint8_t left, uint8_t right, size_t label);
/* BPF_JA, with two zeros: always. */
void bpf_jump_value(struct bpf_code *code, uint8_t condition, uint8_t left, int32_t value,
		    size_t label);
/* Calls a function of the same program. */
void bpf_call_label(struct bpf_code *code, size_t label);
/*
 * The address of an array's first value goes to register 0; the program returns 0 where the map has
 * none. Registers 1 to 5 and the 8 bytes below the frame pointer change.
 */
void bpf_find_value(struct bpf_code *code, int map_fd);
/* The next instruction has this label. */
void bpf_label(struct bpf_code *code, size_t label);

/* A file descriptor or -errno, and then @code->reason. @type: BPF_PROG_TYPE_*. Jumps are resolved.
 */
int bpf_load_program(struct bpf_code *code, uint32_t type, const char *name);
/* A program that the kernel runs for each of its objects: @function_id is that of the kernel's
 * function of the kind, such as bpf_iter_task (perf/kernel/btf.h). */
int bpf_load_iterator(struct bpf_code *code, uint32_t function_id, const char *name);
/* A map with keys of 4 bytes. @type: BPF_MAP_TYPE_*. A file descriptor or -errno. */
int bpf_create_map(uint32_t type, uint32_t value_size, uint32_t n_values);
/* An array of one value, which can be mapped into memory. */
int bpf_create_mappable(uint32_t value_size);
/* A map with keys of any size, of which the values used least recently make room for new ones. */
int bpf_create_hash(uint32_t key_size, uint32_t value_size, uint32_t n_values);
/* A ring buffer. @size: a power of two, and whole pages. */
int bpf_create_ring(uint32_t size);
/* 0 or -errno. */
int bpf_map_set(int map_fd, uint32_t key, const void *value);
int bpf_hash_set(int map_fd, const void *key, const void *value);
int bpf_map_get(int map_fd, uint32_t key, void *value_ret);
/* Runs a program of a raw tracepoint once, as the calling thread. 0 or -errno. */
int bpf_run(int program_fd);
/* A file descriptor; reading it runs an iterator for all objects, and gives what the program wrote.
 * -errno. */
int bpf_open_iterator(int program_fd);
/*
 * A file descriptor; reading it runs an iterator for the one thread, and gives what the program
 * wrote. -errno; -EINVAL: the kernel, before Linux 6.1, has no iterators of one thread.
 */
int bpf_open_thread_iterator(int program_fd, int32_t tid);

/* Machine code of a loaded program, anybody's. */
struct bpf_function {
	uint64_t addr;
	uint32_t size;
};

/* The functions of all loaded programs; the caller frees them. 0 or -errno (-EPERM: hidden). */
int bpf_functions_read(struct bpf_function **functions_ret, size_t *n_ret);

#endif
