#include "perf/kernel/waiting_thread.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/user.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "perf/kernel/bpf.h"
#include "perf/kernel/btf.h"

/* The kernel's struct pt_regs begins as what a debugger sees. */
#define REG(member) (offsetof(struct user_regs_struct, member) / sizeof(uint64_t))

#if defined(__x86_64__)

#define N_SAVED   21 /* r15 to ss */
#define USER32_CS 0x23
#define SP_AT     REG(rsp)

/* In the order of perf's mask: arch/x86/include/uapi/asm/perf_regs.h. */
static const uint8_t saved_at[] = {
	REG(rax), REG(rbx),    REG(rcx), REG(rdx), REG(rsi), REG(rdi), REG(rbp), REG(rsp),
	REG(rip), REG(eflags), REG(cs),  REG(ss),  REG(cs),  REG(cs),  REG(cs),  REG(cs),
	REG(r8),  REG(r9),     REG(r10), REG(r11), REG(r12), REG(r13), REG(r14), REG(r15),
};

static uint64_t abi_of(const uint64_t *saved)
{
	if ((saved[REG(cs)] & 3) != 3)
		return PERF_SAMPLE_REGS_ABI_NONE;
	return saved[REG(cs)] == USER32_CS ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64;
}

static uint64_t find_reg(const uint64_t *saved, int bit)
{
	return (size_t)bit < sizeof(saved_at) ? saved[saved_at[bit]] : 0;
}

#elif defined(__aarch64__)

#define N_SAVED       34 /* x0 to x30, sp, pc, pstate */
#define PSR_MODE32    0x10
#define SP_AT         REG(sp)
#define PSR_MODE_MASK 0xf

static uint64_t abi_of(const uint64_t *saved)
{
	if (!saved[REG(pc)] || saved[REG(pstate)] & PSR_MODE_MASK)
		return PERF_SAMPLE_REGS_ABI_NONE;
	return saved[REG(pstate)] & PSR_MODE32 ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64;
}

/* perf has them in the same order. */
static uint64_t find_reg(const uint64_t *saved, int bit)
{
	return bit < N_SAVED ? saved[bit] : 0;
}

#endif

/* The value of the program's map, which it writes out. */
struct image {
	uint64_t saved[N_SAVED];
	int64_t kernel_size; /* bytes in ->kernel, or -errno */
	uint64_t kernel[WAITING_THREAD_CALLERS_MAX];
};

struct waiting_thread_reader {
	uint64_t regs_mask;
	int map_fd, program_fd;
};

enum { R0, R1, R2, R3, R4, R6 = 6, R7, R8 };
enum label { HAVE_TASK };

/* R6: the context, with struct bpf_iter__task; R7: the task; R8: the map's value. */
static void find_places(struct bpf_code *code, int map_fd)
{
	bpf_move(code, R6, R1);
	bpf_load(code, R7, R6, 8);
	bpf_move_value(code, R0, 0);
	bpf_jump_value(code, BPF_JNE, R7, 0, HAVE_TASK);
	bpf_return(code); /* it is called once more after the last task */
	bpf_label(code, HAVE_TASK);
	bpf_find_value(code, map_fd);
	bpf_move(code, R8, R0);
}

static void write_program(struct bpf_code *code, int map_fd)
{
	find_places(code, map_fd);
	bpf_move(code, R1, R7);
	bpf_call(code, BPF_TASK_PT_REGS);
	bpf_move(code, R3, R0);
	bpf_move(code, R1, R8);
	bpf_move_value(code, R2, sizeof(((struct image *)NULL)->saved));
	bpf_call(code, BPF_READ_KERNEL);
	bpf_move(code, R1, R7);
	bpf_move(code, R2, R8);
	bpf_compute_value(code, BPF_ADD, R2, offsetof(struct image, kernel));
	bpf_move_value(code, R3, sizeof(((struct image *)NULL)->kernel));
	bpf_move_value(code, R4, 0);
	bpf_call(code, BPF_TASK_STACK);
	bpf_store(code, R8, offsetof(struct image, kernel_size), R0);
	bpf_load(code, R1, R6, 0);
	bpf_load(code, R1, R1, 0); /* of struct bpf_iter_meta: the file */
	bpf_move(code, R2, R8);
	bpf_move_value(code, R3, sizeof(struct image));
	bpf_call(code, BPF_SEQ_WRITE);
	bpf_move_value(code, R0, 0);
	bpf_return(code);
}

static int load(struct waiting_thread_reader *reader)
{
	struct bpf_code code = { .n = 0 };
	uint32_t function_id;
	int err = btf_find_kernel_function("bpf_iter_task", &function_id);

	if (err)
		return err;
	reader->map_fd = bpf_create_map(BPF_MAP_TYPE_ARRAY, sizeof(struct image), 1);
	if (reader->map_fd < 0)
		return reader->map_fd;
	write_program(&code, reader->map_fd);
	reader->program_fd = bpf_load_iterator(&code, function_id, "dendro_thread");
	return reader->program_fd < 0 ? reader->program_fd : 0;
}

int waiting_thread_reader_create(uint64_t regs_mask, struct waiting_thread_reader **reader_ret)
{
	struct waiting_thread_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return -ENOMEM;
	reader->regs_mask = regs_mask;
	reader->map_fd = reader->program_fd = -1;
	int err = load(reader);
	if (err) {
		waiting_thread_reader_destroy(reader);
		return err;
	}
	*reader_ret = reader;
	return 0;
}

void waiting_thread_reader_destroy(struct waiting_thread_reader *reader)
{
	if (!reader)
		return;
	cleanup_close(&reader->program_fd);
	cleanup_close(&reader->map_fd);
	free(reader);
}

static int read_image(const struct waiting_thread_reader *reader, pid_t tid, struct image *image)
{
	_cleanup_close_ int fd = bpf_open_thread_iterator(reader->program_fd, tid);
	size_t n = 0;

	if (fd < 0)
		return fd;
	while (n < sizeof(*image)) {
		ssize_t got = read(fd, (char *)image + n, sizeof(*image) - n);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (!got)
			return -ESRCH;
		n += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

int waiting_thread_read(struct waiting_thread_reader *reader, pid_t tid, struct waiting_thread *ret)
{
	struct image image;
	int err = read_image(reader, tid, &image);

	if (err)
		return err;
	*ret = (struct waiting_thread){ .abi = abi_of(image.saved) };
	ret->sp = image.saved[SP_AT];
	for (int bit = 0; bit < 64 && ret->abi != PERF_SAMPLE_REGS_ABI_NONE; bit++) {
		if (reader->regs_mask & UINT64_C(1) << bit)
			ret->regs[ret->n_regs++] = find_reg(image.saved, bit);
	}
	if (image.kernel_size > 0)
		ret->n_kernel = (size_t)image.kernel_size / sizeof(image.kernel[0]);
	memcpy(ret->kernel, image.kernel, ret->n_kernel * sizeof(image.kernel[0]));
	return 0;
}
