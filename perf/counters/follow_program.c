#include "perf/counters/follow_program.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>

/* Before Linux 5.11, maps count as locked memory, of which a user may have little. */
#define N_RULES  65536u
#define FEWER    16384u
#define N_VALUES 64 /* a power of two, so that any number is made an index by a mask */
static_assert(FOLLOW_WORDS + FOLLOW_STEPS_MAX <= N_VALUES, "bases are indexes of values");

/* Of struct pt_regs; on arm64 of struct user_pt_regs, with which it begins. */
#define REGS_SIZE_MAX 272

struct buffer {
	struct follow_bytes out;
	uint64_t values[N_VALUES];        /* of bases */
	uint64_t user[REGS_SIZE_MAX / 8]; /* of a sample in the kernel */
};

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };

/* Below the frame pointer. */
enum {
	AT_KEY = -(int)sizeof(struct follow_key),
	AT_CPU = AT_KEY - 8,
	AT_WORD = AT_CPU - 8, /* a return address */
};

/* Of the part's labels. */
enum {
	IN_KERNEL,
	HAVE_REGISTERS,
	NEXT_CALLER,
	WITHOUT_STEPS,
	FOUND,
	RULE,
	NEXT_STEP,
	AFTER_STEP,
	OUT,
	DONE,
	N_LABELS
};
static_assert(N_LABELS == FOLLOW_PROGRAM_LABELS, "the caller leaves room for them");

/* Where the kernel has the registers, by DWARF number. */
struct registers {
	unsigned n, sp;
	int size;
	int16_t offsets[32];
	int ip;
	int mode, mode_mask; /* the word and its bits that tell user mode, */
	bool is_user_zero;   /* by being 0, or by not being it */
};

/* arch/x86/include/uapi/asm/ptrace.h; System V ABI for AMD64, figure 3.36. */
static const struct registers registers_x86_64 = {
	.n = 16,
	.sp = 7,
	.size = 168,
	.offsets = { 80, 96, 88, 40, 104, 112, 32, 152, 72, 64, 56, 48, 24, 16, 8, 0 },
	.ip = 128,
	.mode = 136, /* cs */
	.mode_mask = 3,
};

/* arch/arm64/include/uapi/asm/ptrace.h: regs[31], sp, pc, pstate; DWARF for the Arm 64-bit
 * Architecture, 4.1. */
static const struct registers
	registers_aarch64 = {
		.n = 32,
		.sp = 31,
		.size = 272,
		.offsets = { 0,   8,   16,  24,  32,  40,  48,  56,  64,  72,  80,
			     88,  96,  104, 112, 120, 128, 136, 144, 152, 160, 168,
			     176, 184, 192, 200, 208, 216, 224, 232, 240, 248 },
		.ip = 256,
		.mode = 264, /* PSR_MODE_MASK; PSR_MODE_EL0t is 0 */
		.mode_mask = 15,
		.is_user_zero = true,
	};

int follow_rules_create(void)
{
	const int map =
		bpf_create_hash(sizeof(struct follow_key), sizeof(struct follow_rule), N_RULES);

	return map == -EPERM ? bpf_create_hash(sizeof(struct follow_key),
					       sizeof(struct follow_rule), FEWER)
			     : map;
}

int follow_rules_set(int rules_map, const struct follow_key *key, const struct follow_rule *rule)
{
	return bpf_hash_set(rules_map, key, rule);
}

size_t follow_program_buffer_size(void)
{
	return sizeof(struct buffer);
}

/* The value for the key at R10 + @at goes to R0. */
static void look_up(struct bpf_code *code, int map_fd, int at, size_t otherwise)
{
	bpf_load_map(code, R1, map_fd);
	bpf_move(code, R2, R10);
	bpf_compute_value(code, BPF_ADD, R2, at);
	bpf_call(code, BPF_MAP_LOOKUP);
	bpf_jump_value(code, BPF_JEQ, R0, 0, otherwise);
}

/* To @otherwise, where the registers at @base + @at are not of user mode. */
static void check_mode(struct bpf_code *code, const struct registers *registers, uint8_t base,
		       int at, size_t otherwise)
{
	bpf_load(code, R1, base, at + registers->mode);
	bpf_compute_value(code, BPF_AND, R1, registers->mode_mask);
	bpf_jump_value(code, registers->is_user_zero ? BPF_JNE : BPF_JEQ, R1, 0, otherwise);
}

/* To the buffer, from @base + @at. */
static void copy_registers(struct bpf_code *code, const struct registers *registers, uint8_t base,
			   int at)
{
	for (unsigned i = 0; i < registers->n; i++) {
		bpf_load(code, R1, base, at + registers->offsets[i]);
		bpf_store(code, R8, (int)(offsetof(struct buffer, values) + 8 * i), R1);
		if (i == registers->sp)
			bpf_store(code, R8, offsetof(struct buffer, out.sample_sp), R1);
	}
	bpf_load(code, R1, base, at + registers->ip);
	bpf_store(code, R8, offsetof(struct buffer, out.ip), R1);
}

/*
 * R6: the argument; R8: this CPU's buffer, with the user's registers, which the sample has, too.
 * Of a sample in the kernel, they are where the thread has entered it.
 */
static void take_registers(struct bpf_code *code, const struct registers *registers, size_t label,
			   const struct follow_maps *maps)
{
	const int user = offsetof(struct buffer, user);

	bpf_move(code, R6, R1);
	bpf_call(code, BPF_CPU);
	bpf_store(code, R10, AT_CPU, R0);
	look_up(code, maps->buffers, AT_CPU, label + DONE);
	bpf_move(code, R8, R0);
	check_mode(code, registers, R6, 0, label + IN_KERNEL);
	copy_registers(code, registers, R6, 0);
	bpf_jump_value(code, BPF_JA, 0, 0, label + HAVE_REGISTERS);
	bpf_label(code, label + IN_KERNEL);
	if (!maps->reads_in_kernel) {
		bpf_jump_value(code, BPF_JA, 0, 0, label + DONE);
	} else {
		bpf_call(code, BPF_TASK_BTF);
		bpf_move(code, R1, R0);
		bpf_call(code, BPF_TASK_PT_REGS);
		bpf_move(code, R3, R0);
		bpf_move(code, R1, R8);
		bpf_compute_value(code, BPF_ADD, R1, user);
		bpf_move_value(code, R2, registers->size);
		bpf_call(code, BPF_READ_KERNEL);
		bpf_jump_value(code, BPF_JNE, R0, 0, label + DONE);
		check_mode(code, registers, R8, user, label + DONE);
		copy_registers(code, registers, R8, user);
	}
	bpf_label(code, label + HAVE_REGISTERS);
}

/* The key is that of the instruction in user mode. */
static void begin_key(struct bpf_code *code)
{
	bpf_call(code, BPF_THREAD_ID);
	bpf_compute_value(code, BPF_RSH, R0, 32);
	bpf_store(code, R10, AT_KEY + (int)offsetof(struct follow_key, pid), R0);
	bpf_load(code, R1, R8, offsetof(struct buffer, out.ip));
	bpf_store(code, R10, AT_KEY + (int)offsetof(struct follow_key, place), R1);
}

/* The key for one caller more, whose return address is at the stack pointer + R3. R0: the rule. */
static void add_caller(struct bpf_code *code, size_t otherwise)
{
	const int place = AT_KEY + (int)offsetof(struct follow_key, place);

	bpf_load(code, R1, R0, offsetof(struct follow_rule, place));
	bpf_store(code, R10, place, R1);
	bpf_load(code, R1, R8, offsetof(struct buffer, out.sample_sp));
	bpf_compute(code, BPF_ADD, R3, R1);
	bpf_move(code, R1, R10);
	bpf_compute_value(code, BPF_ADD, R1, AT_WORD);
	bpf_move_value(code, R2, sizeof(uint64_t));
	bpf_call(code, BPF_READ_USER);
	bpf_jump_value(code, BPF_JNE, R0, 0, otherwise);
	bpf_load(code, R1, R10, place);
	bpf_compute_value(code, BPF_MUL, R1, FOLLOW_PLACE_FACTOR);
	bpf_load(code, R2, R10, AT_WORD);
	bpf_compute(code, BPF_ADD, R1, R2);
	bpf_store(code, R10, place, R1);
}

/* R7: the rule. Calls change R0 to R5. */
static void find_rule(struct bpf_code *code, size_t label, int rules_map)
{
	begin_key(code);
	bpf_move_value(code, R7, 0);
	bpf_move_value(code, R9, 0);
	bpf_label(code, label + NEXT_CALLER);
	look_up(code, rules_map, AT_KEY, label + FOUND);
	bpf_load(code, R1, R0, offsetof(struct follow_rule, n_steps));
	bpf_jump_value(code, BPF_JEQ, R1, 0, label + WITHOUT_STEPS);
	bpf_move(code, R7, R0);
	bpf_label(code, label + WITHOUT_STEPS);
	bpf_load(code, R3, R0, offsetof(struct follow_rule, caller_at));
	bpf_jump_value(code, BPF_JEQ, R3, -1, label + FOUND); /* FOLLOW_NO_CALLER */
	add_caller(code, label + FOUND);
	bpf_compute_value(code, BPF_ADD, R9, 1);
	bpf_jump_value(code, BPF_JLT, R9, FOLLOW_DEPTH_MAX, label + NEXT_CALLER);
	bpf_label(code, label + FOUND);
	bpf_jump_value(code, BPF_JNE, R7, 0, label + RULE);
	bpf_jump_value(code, BPF_JA, 0, 0, label + DONE);
	bpf_label(code, label + RULE);
}

static void store_value(struct bpf_code *code, size_t at, int32_t value)
{
	bpf_move_value(code, R1, value);
	bpf_store(code, R8, (int)at, R1);
}

static void begin(struct bpf_code *code)
{
	store_value(code, offsetof(struct buffer, values) + 8 * (size_t)FOLLOW_NOTHING, 0);
	store_value(code, offsetof(struct buffer, out.kind), FOLLOW_KIND);
	store_value(code, offsetof(struct buffer, out.was_read), 0);
	store_value(code, offsetof(struct buffer, out.n_parts), 0);
}

/* To what the step with the index in R9 has in an array of the buffer. */
static void find_element(struct bpf_code *code, uint8_t to, int shift)
{
	bpf_move(code, to, R9);
	bpf_compute_value(code, BPF_LSH, to, shift);
	bpf_compute(code, BPF_ADD, to, R8);
}

/* R3: the address of the step with the index in R9; R5: its size. */
static void find_address(struct bpf_code *code)
{
	const int step = offsetof(struct follow_rule, steps);

	bpf_move(code, R2, R9);
	bpf_compute_value(code, BPF_MUL, R2, sizeof(struct follow_step));
	bpf_compute(code, BPF_ADD, R2, R7);
	bpf_load(code, R3, R2, step + (int)offsetof(struct follow_step, base));
	bpf_compute_value(code, BPF_AND, R3, N_VALUES - 1);
	bpf_compute_value(code, BPF_LSH, R3, 3);
	bpf_compute(code, BPF_ADD, R3, R8);
	bpf_load(code, R3, R3, offsetof(struct buffer, values));
	bpf_load(code, R4, R2, step + (int)offsetof(struct follow_step, offset));
	bpf_compute(code, BPF_ADD, R3, R4);
	bpf_load(code, R5, R2, step + (int)offsetof(struct follow_step, size));
}

/* What it reads is the base of others; where it cannot be read, that is 0. */
static void read_step(struct bpf_code *code, size_t next, size_t out)
{
	find_address(code);
	find_element(code, R1, 4);
	bpf_store(code, R1, offsetof(struct buffer, out.parts[0].addr), R3);
	bpf_store(code, R1, offsetof(struct buffer, out.parts[0].size), R5);
	bpf_jump_value(code, BPF_JGT, R5, FOLLOW_PART_MAX, out);
	find_element(code, R1, 3);
	bpf_move_value(code, R2, 0);
	bpf_store(code, R1, offsetof(struct buffer, values[FOLLOW_WORDS]), R2);
	find_element(code, R1, 6);
	bpf_compute_value(code, BPF_ADD, R1, offsetof(struct buffer, out.bytes));
	bpf_move(code, R2, R5);
	bpf_call(code, BPF_READ_USER);
	bpf_jump_value(code, BPF_JNE, R0, 0, next);
	find_element(code, R1, 6);
	bpf_load(code, R2, R1, offsetof(struct buffer, out.bytes));
	find_element(code, R1, 3);
	bpf_store(code, R1, offsetof(struct buffer, values[FOLLOW_WORDS]), R2);
	bpf_move_value(code, R1, 1);
	bpf_compute(code, BPF_LSH, R1, R9);
	bpf_load(code, R2, R8, offsetof(struct buffer, out.was_read));
	bpf_compute(code, BPF_OR, R2, R1);
	bpf_store(code, R8, offsetof(struct buffer, out.was_read), R2);
}

static void write_out(struct bpf_code *code, int events_map)
{
	bpf_move(code, R1, R6);
	bpf_load_map(code, R2, events_map);
	bpf_move_value(code, R3, -1);
	bpf_compute_value(code, BPF_RSH, R3, 32); /* BPF_F_CURRENT_CPU */
	bpf_move(code, R4, R8);
	bpf_move_value(code, R5, sizeof(struct follow_bytes));
	bpf_call(code, BPF_OUTPUT);
}

void follow_program_add(struct bpf_code *code, uint16_t machine, size_t function,
			size_t first_label, const struct follow_maps *maps)
{
	const struct registers *registers =
		machine == EM_AARCH64 ? &registers_aarch64 : &registers_x86_64;
	const size_t label = first_label;

	bpf_label(code, function);
	take_registers(code, registers, label, maps);
	find_rule(code, label, maps->rules);
	begin(code);
	bpf_move_value(code, R9, 0);
	bpf_label(code, label + NEXT_STEP);
	bpf_load(code, R1, R7, offsetof(struct follow_rule, n_steps));
	bpf_jump(code, BPF_JGE, R9, R1, label + OUT);
	read_step(code, label + AFTER_STEP, label + OUT);
	bpf_label(code, label + AFTER_STEP);
	bpf_compute_value(code, BPF_ADD, R9, 1);
	bpf_store(code, R8, offsetof(struct buffer, out.n_parts), R9);
	bpf_jump_value(code, BPF_JLT, R9, FOLLOW_STEPS_MAX, label + NEXT_STEP);
	bpf_label(code, label + OUT);
	write_out(code, maps->events);
	bpf_label(code, label + DONE);
	bpf_move_value(code, R0, 0);
	bpf_return(code);
}
