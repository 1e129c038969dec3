#include "perf/counters/second_stacks_program.h"

#include <elf.h>
#include <string.h>

#include "perf/kernel/bpf.h"
#include "perf/kernel/signal_frame.h"

#ifdef __aarch64__
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_X86_64
#endif

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };

/* Offsets in struct pt_regs, as the program's argument begins with one. */
#define REGS_R12 24
#define REGS_CS  136
#define REGS_SP  152
/* struct rt_sigframe is below the state of the vector registers. It has a struct ucontext, with
 * uc_stack, which repeats the thread's alternate stack, and the registers that were interrupted. */
#define STATE_ALIGNMENT  64
#define FRAME_SIZE       440
#define FRAME_ALIGNMENT  16
#define UC_STACK         16
#define UC_STACK_SIZE_AT 16 /* all from uc_stack on */
#define UC_SP_AT         144
#define UC_PART          152
/* In Go's struct g and struct m. The offset of m.curg has changed with Go 1.25. */
#define G_STACK_HI  8
#define G_M         48
#define G_SCHED_SP  56
#define G_PART      64
#define M_G0        0
#define M_CURG      192
#define M_CURG_1_25 184
/* The thread pointer points above Go's only thread-local variable. */
#define TLS_G (-8)

#define HEADER_SIZE ((int)sizeof(struct second_stack_bytes))
#define PAGE        ((int)SECOND_STACK_PAGE)

/* The main program's variables, below its frame pointer. */
enum {
	AT_SP = -8,     /* the sample's stack pointer */
	AT_ALT = -24,   /* sas_ss_sp, sas_ss_size */
	AT_WORD = -32,  /* the word read last */
	AT_G = -96,     /* G_PART bytes of a struct g */
	AT_TASK = -104, /* the sampled thread's struct task_struct */
	AT_M = -112,
	AT_UC = AT_M - UC_PART,
};

/* Reads @size bytes at the address in R3 to R10 + @at. R0: 0 or -errno. */
static void read_memory(struct bpf_code *code, enum bpf_helper helper, int at, int size)
{
	bpf_move(code, R1, R10);
	bpf_compute_value(code, BPF_ADD, R1, at);
	bpf_move_value(code, R2, size);
	bpf_call(code, helper);
}

/* The word at the address @base + @offset to AT_WORD and R0. */
static void read_word(struct bpf_code *code, uint8_t base, int offset, size_t otherwise)
{
	bpf_move(code, R3, base);
	bpf_compute_value(code, BPF_ADD, R3, offset);
	read_memory(code, BPF_READ_USER, AT_WORD, 8);
	bpf_jump_value(code, BPF_JNE, R0, 0, otherwise);
	bpf_load(code, R0, R10, AT_WORD);
}

/* The sample is written. */
static void return_from_main(struct bpf_code *code)
{
	bpf_move_value(code, R0, 1);
	bpf_return(code);
}

enum label {
	FOR_KERNEL,
	HAVE_SP,
	FOUND_FRAME,
	OTHER_STATE,
	LAST_STATE = OTHER_STATE + SIGNAL_FRAME_STATES_MAX - 1,
	GOROUTINE,
	OTHER_OFFSET,
	IN_VDSO,
	DONE,
	WATCH,
	WATCH_FIRST,
	WATCH_LAST = WATCH_FIRST + STACK_WATCH_LABELS - 1,
	WRITE,
	WRITE_PAGE,
	WRITE_OUT,
	WRITE_NOTHING,
	FOLLOW,
	FOLLOW_FIRST,
	FOLLOW_LAST = FOLLOW_FIRST + FOLLOW_PROGRAM_LABELS - 1,
	N_LABELS,
};
static_assert(N_LABELS <= BPF_LABELS_MAX, "all have room");

/* R7 and AT_SP: the user's stack pointer; R6: the context; AT_TASK. */
static void find_stack_pointer(struct bpf_code *code)
{
	bpf_move(code, R6, R1);
	bpf_load(code, R1, R6, REGS_CS);
	bpf_compute_value(code, BPF_AND, R1, 3);
	bpf_jump_value(code, BPF_JEQ, R1, 0, FOR_KERNEL);
	bpf_load(code, R7, R6, REGS_SP);
	bpf_jump_value(code, BPF_JA, 0, 0, HAVE_SP);
	bpf_label(code, FOR_KERNEL);
	bpf_call(code, BPF_TASK_BTF);
	bpf_move(code, R1, R0);
	bpf_call(code, BPF_TASK_PT_REGS);
	bpf_load(code, R7, R0, REGS_SP);
	bpf_label(code, HAVE_SP);
	bpf_store(code, R10, AT_SP, R7);
	bpf_call(code, BPF_TASK);
	bpf_store(code, R10, AT_TASK, R0);
}

/* Looks for the frame that lies below @state_size bytes; goes to FOUND_FRAME with it. */
static void check_frame(struct bpf_code *code, uint32_t state_size, size_t otherwise)
{
	bpf_load(code, R3, R10, AT_ALT);
	bpf_load(code, R1, R10, AT_ALT + 8);
	bpf_compute(code, BPF_ADD, R3, R1);
	bpf_compute_value(code, BPF_SUB, R3, (int)state_size);
	bpf_compute_value(code, BPF_AND, R3, -STATE_ALIGNMENT);
	bpf_compute_value(code, BPF_SUB, R3, FRAME_SIZE);
	bpf_compute_value(code, BPF_AND, R3, -FRAME_ALIGNMENT);
	bpf_compute_value(code, BPF_ADD, R3, UC_STACK);
	read_memory(code, BPF_READ_USER, AT_UC, UC_PART);
	bpf_jump_value(code, BPF_JNE, R0, 0, otherwise);
	bpf_load(code, R1, R10, AT_ALT);
	bpf_load(code, R2, R10, AT_UC);
	bpf_jump(code, BPF_JNE, R1, R2, otherwise);
	bpf_load(code, R1, R10, AT_ALT + 8);
	bpf_load(code, R2, R10, AT_UC + UC_STACK_SIZE_AT);
	bpf_jump(code, BPF_JEQ, R1, R2, FOUND_FRAME);
}

/* Goes to FOUND_FRAME, or to GOROUTINE. */
static void search_alternate_stack(struct bpf_code *code, const struct task_fields *fields)
{
	uint32_t sizes[SIGNAL_FRAME_STATES_MAX];
	size_t n_sizes = signal_frame_states(sizes);

	bpf_load(code, R3, R10, AT_TASK);
	bpf_compute_value(code, BPF_ADD, R3, (int)fields->alternate_stack);
	read_memory(code, BPF_READ_KERNEL, AT_ALT, 16);
	bpf_load(code, R1, R10, AT_ALT);
	bpf_load(code, R2, R10, AT_ALT + 8);
	bpf_move(code, R3, R7);
	bpf_compute(code, BPF_SUB, R3, R1);
	bpf_jump(code, BPF_JGE, R3, R2, GOROUTINE);
	for (size_t i = 0; i < n_sizes; i++) {
		check_frame(code, sizes[i], OTHER_STATE + i);
		bpf_label(code, OTHER_STATE + i);
	}
	bpf_jump_value(code, BPF_JA, 0, 0, GOROUTINE);
}

/* R1: the context; R2: start; R3: end; R4: sample_sp; R5: is_saved. */
static void call_write(struct bpf_code *code)
{
	bpf_move(code, R1, R6);
	bpf_load(code, R4, R10, AT_SP);
	bpf_call_label(code, WRITE);
}

static void write_interrupted(struct bpf_code *code)
{
	bpf_label(code, FOUND_FRAME);
	bpf_load(code, R7, R10, AT_UC + UC_SP_AT);
	bpf_move(code, R2, R7);
	bpf_move_value(code, R3, -1);
	bpf_move_value(code, R5, 0);
	call_write(code);
}

/* A struct g at the address in R9, of the m at AT_M, to AT_G. */
static void read_g(struct bpf_code *code, size_t otherwise)
{
	bpf_move(code, R3, R9);
	read_memory(code, BPF_READ_USER, AT_G, G_PART);
	bpf_jump_value(code, BPF_JNE, R0, 0, otherwise);
	bpf_load(code, R1, R10, AT_G + G_M);
	bpf_load(code, R2, R10, AT_M);
	bpf_jump(code, BPF_JNE, R1, R2, otherwise);
}

/* The stack pointer in R1 is on the stack of the g at AT_G. */
static void check_stack(struct bpf_code *code, size_t otherwise)
{
	bpf_load(code, R2, R10, AT_G);
	bpf_load(code, R3, R10, AT_G + G_STACK_HI);
	bpf_compute(code, BPF_SUB, R3, R2);
	bpf_move(code, R4, R1);
	bpf_compute(code, BPF_SUB, R4, R2);
	bpf_jump(code, BPF_JGE, R4, R3, otherwise);
}

static void write_goroutine(struct bpf_code *code, int curg_offset, size_t otherwise)
{
	bpf_load(code, R1, R10, AT_M);
	read_word(code, R1, curg_offset, otherwise);
	bpf_move(code, R9, R0);
	read_g(code, otherwise);
	bpf_load(code, R1, R10, AT_G + G_SCHED_SP);
	check_stack(code, otherwise);
	bpf_move(code, R2, R1);
	bpf_load(code, R3, R10, AT_G + G_STACK_HI);
	bpf_move_value(code, R5, 1);
	call_write(code);
	bpf_jump_value(code, BPF_JA, 0, 0, DONE);
}

/* A goroutine, in R8, calls the vdso on the scheduler's stack: its own is in R12 meanwhile, or in
 * memory, if the vdso needs the register; and in a handler the registers are not those of the call.
 */
static void write_vdso_caller(struct bpf_code *code)
{
	bpf_load(code, R1, R10, AT_SP);
	bpf_jump(code, BPF_JNE, R1, R7, DONE);
	bpf_move(code, R9, R8);
	read_g(code, DONE);
	bpf_load(code, R1, R6, REGS_R12);
	check_stack(code, DONE);
	bpf_move(code, R2, R1);
	bpf_load(code, R3, R10, AT_G + G_STACK_HI);
	bpf_move_value(code, R5, 1);
	call_write(code);
}

/* R7: the stack pointer of what is not a signal handler. */
static void find_goroutine(struct bpf_code *code, const struct task_fields *fields)
{
	bpf_label(code, GOROUTINE);
	bpf_load(code, R3, R10, AT_TASK);
	bpf_compute_value(code, BPF_ADD, R3, (int)fields->thread_pointer);
	read_memory(code, BPF_READ_KERNEL, AT_WORD, 8);
	bpf_load(code, R8, R10, AT_WORD);
	bpf_jump_value(code, BPF_JEQ, R8, 0, DONE);
	read_word(code, R8, TLS_G, DONE);
	bpf_move(code, R8, R0);
	read_word(code, R8, G_M, DONE);
	bpf_store(code, R10, AT_M, R0);
	bpf_move(code, R9, R0);
	read_word(code, R9, M_G0, DONE);
	bpf_move(code, R9, R0);
	read_g(code, DONE);
	bpf_move(code, R1, R7);
	check_stack(code, DONE);
	bpf_jump(code, BPF_JNE, R8, R9, IN_VDSO);
	write_goroutine(code, M_CURG, OTHER_OFFSET);
	bpf_label(code, OTHER_OFFSET);
	write_goroutine(code, M_CURG_1_25, DONE);
	bpf_label(code, IN_VDSO);
	write_vdso_caller(code);
	bpf_label(code, DONE);
	return_from_main(code);
}

/* The function's variables, below its frame pointer. */
enum {
	AT_END = -8,
	AT_CPU = -16,
	AT_CONTEXT = -24,
};

/* R6: this CPU's buffer, with the header; R7: the start. */
static void write_header(struct bpf_code *code, int buffers_map)
{
	bpf_store(code, R10, AT_CONTEXT, R1);
	bpf_move(code, R7, R2);
	bpf_store(code, R10, AT_END, R3);
	bpf_move(code, R8, R4);
	bpf_move(code, R9, R5);
	bpf_call(code, BPF_CPU);
	bpf_store(code, R10, AT_CPU, R0);
	bpf_load_map(code, R1, buffers_map);
	bpf_move(code, R2, R10);
	bpf_compute_value(code, BPF_ADD, R2, AT_CPU);
	bpf_call(code, BPF_MAP_LOOKUP);
	bpf_jump_value(code, BPF_JEQ, R0, 0, WRITE_NOTHING);
	bpf_move(code, R6, R0);
	bpf_store(code, R6, offsetof(struct second_stack_bytes, sample_sp), R8);
	bpf_store(code, R6, offsetof(struct second_stack_bytes, start), R7);
	bpf_load(code, R1, R10, AT_END);
	bpf_store(code, R6, offsetof(struct second_stack_bytes, end), R1);
	bpf_store(code, R6, offsetof(struct second_stack_bytes, is_saved), R9);
}

/* R8: the size of the pages in the buffer, which are read until one is not there. */
static void write_pages(struct bpf_code *code, size_t n_pages)
{
	bpf_compute_value(code, BPF_AND, R7, -PAGE);
	bpf_move_value(code, R8, 0);
	bpf_label(code, WRITE_PAGE);
	bpf_load(code, R1, R10, AT_END);
	bpf_jump(code, BPF_JGE, R7, R1, WRITE_OUT);
	bpf_move(code, R1, R6);
	bpf_compute(code, BPF_ADD, R1, R8);
	bpf_compute_value(code, BPF_ADD, R1, HEADER_SIZE);
	bpf_move_value(code, R2, PAGE);
	bpf_move(code, R3, R7);
	bpf_call(code, BPF_READ_USER);
	bpf_jump_value(code, BPF_JNE, R0, 0, WRITE_OUT);
	bpf_compute_value(code, BPF_ADD, R7, PAGE);
	bpf_compute_value(code, BPF_ADD, R8, PAGE);
	bpf_jump_value(code, BPF_JLT, R8, (int)n_pages * PAGE, WRITE_PAGE);
	bpf_label(code, WRITE_OUT);
	bpf_jump_value(code, BPF_JEQ, R8, 0, WRITE_NOTHING);
}

static void output_buffer(struct bpf_code *code, int events_map)
{
	bpf_load(code, R1, R10, AT_CONTEXT);
	bpf_load_map(code, R2, events_map);
	bpf_move_value(code, R3, -1);
	bpf_compute_value(code, BPF_RSH, R3, 32); /* BPF_F_CURRENT_CPU */
	bpf_move(code, R4, R6);
	bpf_move(code, R5, R8);
	bpf_compute_value(code, BPF_ADD, R5, HEADER_SIZE);
	bpf_call(code, BPF_OUTPUT);
}

size_t second_stacks_pages(uint32_t stack_size)
{
	/* A stack begins anywhere in its first page. */
	size_t n_pages = stack_size / SECOND_STACK_PAGE + 1;

	return n_pages < SECOND_STACK_PAGES_MAX ? n_pages : SECOND_STACK_PAGES_MAX;
}

size_t second_stacks_buffer_size(void)
{
	return HEADER_SIZE + SECOND_STACK_PAGES_MAX * (size_t)PAGE;
}

static void add_second_stacks(struct bpf_code *code, const struct task_fields *fields,
			      const struct stack_watch *watch)
{
	find_stack_pointer(code);
	if (watch) {
		bpf_move(code, R1, R7);
		bpf_call_label(code, WATCH);
	}
	search_alternate_stack(code, fields);
	write_interrupted(code);
	find_goroutine(code, fields);
}

/* For the end of add_second_stacks(), if that is there. */
static void add_write(struct bpf_code *code, uint32_t stack_size, int events_map, int buffers_map)
{
	bpf_label(code, WRITE);
	write_header(code, buffers_map);
	write_pages(code, second_stacks_pages(stack_size));
	output_buffer(code, events_map);
	bpf_label(code, WRITE_NOTHING);
	bpf_move_value(code, R0, 0);
	bpf_return(code);
}

int second_stacks_load(const struct task_fields *fields, uint32_t stack_size,
		       const struct stack_watch *watch, const struct follow_maps *follow,
		       int events_map, int buffers_map, char *reason_ret)
{
	struct bpf_code code = { .n = 0 };

	if (follow) {
		bpf_move(&code, R6, R1);
		bpf_call_label(&code, FOLLOW);
		bpf_move(&code, R1, R6);
	}
	if (fields)
		add_second_stacks(&code, fields, watch);
	else
		return_from_main(&code);
	/* Functions from here on. */
	if (fields && watch)
		stack_watch_add_check(watch, &code, WATCH, WATCH_FIRST);
	if (fields)
		add_write(&code, stack_size, events_map, buffers_map);
	if (follow)
		follow_program_add(&code, OWN_MACHINE, FOLLOW, FOLLOW_FIRST, follow);
	const int fd = bpf_load_program(&code, BPF_PROG_TYPE_PERF_EVENT, "dendro_stacks");
	memcpy(reason_ret, code.reason, sizeof(code.reason));
	return fd;
}
