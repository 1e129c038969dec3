#include "perf/kernel/stack_watch.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cct/base/cleanup.h"

/* A power of two. */
#define N_THREADS  4096
#define SLOT_SHIFT 5

struct slot {
	uint64_t tid; /* 0: none */
	uint64_t low, size;
	uint64_t reserved;
};
static_assert(sizeof(struct slot) == 1 << SLOT_SHIFT, "the program computes its address");

/* The value of the map, which both write without locks: a lost word costs a wake-up. */
struct table {
	uint64_t is_armed;
	uint64_t reserved[3];
	struct slot slots[N_THREADS];
};

struct stack_watch {
	struct table *table;
	/* Of linux/bpf.h, BPF_MAP_TYPE_RINGBUF: two pages with a position each, then the data. */
	uint64_t *consumer;
	const uint64_t *producer;
	int table_fd, ring_fd;
};

enum { R0, R1, R2, R3, R4, R6 = 6, R7, R8, R9, R10 };

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* NULL with errno. */
static void *map_memory(int fd, int protection, size_t size, size_t at)
{
	void *memory = mmap(NULL, size, protection, MAP_SHARED, fd, (off_t)at);

	return memory == MAP_FAILED ? NULL : memory;
}

static int open_table(struct stack_watch *watch)
{
	watch->table_fd = bpf_create_mappable(sizeof(struct table));
	if (watch->table_fd < 0)
		return watch->table_fd;
	watch->table = map_memory(watch->table_fd, PROT_READ | PROT_WRITE, sizeof(struct table), 0);
	return watch->table ? 0 : -errno;
}

static int open_ring(struct stack_watch *watch)
{
	size_t size = page_size();

	watch->ring_fd = bpf_create_ring((uint32_t)size);
	if (watch->ring_fd < 0)
		return watch->ring_fd;
	watch->consumer = map_memory(watch->ring_fd, PROT_READ | PROT_WRITE, size, 0);
	if (!watch->consumer)
		return -errno;
	watch->producer = map_memory(watch->ring_fd, PROT_READ, size, size);
	return watch->producer ? 0 : -errno;
}

int stack_watch_create(struct stack_watch **watch_ret)
{
	struct stack_watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return -ENOMEM;
	watch->table_fd = watch->ring_fd = -1;
	int err = open_table(watch);
	if (!err)
		err = open_ring(watch);
	if (err) {
		stack_watch_destroy(watch);
		return err;
	}
	*watch_ret = watch;
	return 0;
}

static void unmap(const void *memory, size_t size)
{
	if (memory)
		munmap((void *)(uintptr_t)memory, size);
}

void stack_watch_destroy(struct stack_watch *watch)
{
	if (!watch)
		return;
	if (watch->table)
		watch->table->is_armed = 0;
	unmap(watch->table, sizeof(*watch->table));
	unmap(watch->consumer, page_size());
	unmap(watch->producer, page_size());
	cleanup_close(&watch->table_fd);
	cleanup_close(&watch->ring_fd);
	free(watch);
}

/* R6: the table; R7: the stack pointer; R8: the thread. Goes to @done where nothing is wanted. */
static void find_thread(const struct stack_watch *watch, struct bpf_code *code, size_t done)
{
	bpf_move(code, R7, R1);
	bpf_find_value(code, watch->table_fd);
	bpf_move(code, R6, R0);
	bpf_load(code, R1, R6, offsetof(struct table, is_armed));
	bpf_jump_value(code, BPF_JEQ, R1, 0, done);
	bpf_jump_value(code, BPF_JEQ, R7, 0, done);
	bpf_call(code, BPF_THREAD_ID);
	bpf_move(code, R8, R0);
	bpf_compute_value(code, BPF_LSH, R8, 32);
	bpf_compute_value(code, BPF_RSH, R8, 32);
	bpf_jump_value(code, BPF_JEQ, R8, 0, done);
}

/* Goes to @done if it is known. */
static void compare(struct bpf_code *code, size_t wake, size_t done)
{
	bpf_move(code, R9, R8);
	bpf_compute_value(code, BPF_AND, R9, N_THREADS - 1);
	bpf_compute_value(code, BPF_LSH, R9, SLOT_SHIFT);
	bpf_move(code, R1, R6);
	bpf_compute(code, BPF_ADD, R1, R9);
	bpf_load(code, R2, R1, offsetof(struct table, slots) + offsetof(struct slot, tid));
	bpf_jump(code, BPF_JNE, R2, R8, wake);
	bpf_load(code, R2, R1, offsetof(struct table, slots) + offsetof(struct slot, low));
	bpf_load(code, R3, R1, offsetof(struct table, slots) + offsetof(struct slot, size));
	bpf_compute(code, BPF_SUB, R7, R2);
	bpf_jump(code, BPF_JLT, R7, R3, done);
}

void stack_watch_add_check(const struct stack_watch *watch, struct bpf_code *code, size_t function,
			   size_t first_label)
{
	const size_t wake = first_label, done = first_label + 1;
	const int tid_at = -8;

	bpf_label(code, function);
	find_thread(watch, code, done);
	compare(code, wake, done);
	bpf_label(code, wake);
	bpf_move_value(code, R1, 0);
	bpf_store(code, R6, offsetof(struct table, is_armed), R1);
	bpf_store(code, R10, tid_at, R8);
	bpf_load_map(code, R1, watch->ring_fd);
	bpf_move(code, R2, R10);
	bpf_compute_value(code, BPF_ADD, R2, tid_at);
	bpf_move_value(code, R3, 8);
	bpf_move_value(code, R4, BPF_RB_FORCE_WAKEUP);
	bpf_call(code, BPF_RING_OUTPUT);
	bpf_label(code, done);
	bpf_move_value(code, R0, 0);
	bpf_return(code);
}

int stack_watch_fd(const struct stack_watch *watch)
{
	return watch->ring_fd;
}

void stack_watch_arm(struct stack_watch *watch)
{
	__atomic_store_n(&watch->table->is_armed, 1, __ATOMIC_RELEASE);
}

bool stack_watch_take(struct stack_watch *watch)
{
	uint64_t written = __atomic_load_n(watch->producer, __ATOMIC_ACQUIRE);

	if (written == *watch->consumer)
		return false;
	__atomic_store_n(watch->consumer, written, __ATOMIC_RELEASE);
	return true;
}

static struct slot *slot_of(struct stack_watch *watch, pid_t tid)
{
	return &watch->table->slots[(uint32_t)tid % N_THREADS];
}

void stack_watch_know(struct stack_watch *watch, pid_t tid, uint64_t low, uint64_t high)
{
	struct slot *slot = slot_of(watch, tid);

	slot->low = low;
	slot->size = high - low;
	__atomic_store_n(&slot->tid, (uint64_t)tid, __ATOMIC_RELEASE);
}

void stack_watch_forget(struct stack_watch *watch, pid_t tid)
{
	struct slot *slot = slot_of(watch, tid);

	if (slot->tid == (uint64_t)tid)
		slot->tid = 0;
}
