/* x86-64: psABI figure 3.36 (DWARF register numbers), and the few instructions that are decoded. */
#include <elf.h>
#include <string.h>

#include "unwind/arch/decode_x86.h"
#include "unwind/arch/eh_return_x86_64.h"
#include "unwind/arch/functions_x86.h"
#include "unwind/arch/known_code_x86_64.h"
#include "unwind/arch/perf_regs_x86.h"
#include "unwind/arch/regs_x86.h"
#include "unwind/arch/switch_x86_64.h"
#include "unwind/rules/usual_frame.h"

enum {
	RAX,
	RDX,
	RCX,
	RBX,
	RSI,
	RDI,
	RBP,
	RSP,
	R8,
	R9,
	R10,
	R11,
	R12,
	R13,
	R14,
	R15,
	RIP, /* the column of the return address; expressions of PLTs read it as the pc */
	N_REGS
};

#define NOT_FOLLOWED 0xff

static const uint8_t perf_to_dwarf[PERF_REG_X86_64_MAX] = {
	[PERF_REG_X86_AX] = RAX,          [PERF_REG_X86_BX] = RBX,
	[PERF_REG_X86_CX] = RCX,          [PERF_REG_X86_DX] = RDX,
	[PERF_REG_X86_SI] = RSI,          [PERF_REG_X86_DI] = RDI,
	[PERF_REG_X86_BP] = RBP,          [PERF_REG_X86_SP] = RSP,
	[PERF_REG_X86_IP] = RIP,          [PERF_REG_X86_FLAGS] = NOT_FOLLOWED,
	[PERF_REG_X86_CS] = NOT_FOLLOWED, [PERF_REG_X86_SS] = NOT_FOLLOWED,
	[PERF_REG_X86_DS] = NOT_FOLLOWED, [PERF_REG_X86_ES] = NOT_FOLLOWED,
	[PERF_REG_X86_FS] = NOT_FOLLOWED, [PERF_REG_X86_GS] = NOT_FOLLOWED,
	[PERF_REG_X86_R8] = R8,           [PERF_REG_X86_R9] = R9,
	[PERF_REG_X86_R10] = R10,         [PERF_REG_X86_R11] = R11,
	[PERF_REG_X86_R12] = R12,         [PERF_REG_X86_R13] = R13,
	[PERF_REG_X86_R14] = R14,         [PERF_REG_X86_R15] = R15,
};

static const char *const reg_names[N_REGS] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
	"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra",
};

static uint64_t keep_address(uint64_t address)
{
	return address;
}

/* The length of `call r/m` from its ModRM byte on, after the FF. 0: another instruction. */
static size_t indirect_call_size(const uint8_t *modrm, size_t size)
{
	if (size < 1)
		return 0;
	uint8_t mod = modrm[0] >> 6, rm = modrm[0] & 7;
	if ((modrm[0] >> 3 & 7) != 2)
		return 0;
	if (mod == 3)
		return 1;
	size_t length = 1;
	bool no_base = mod == 0 && rm == 5;
	if (rm == 4) {
		if (size < 2)
			return 0;
		no_base = mod == 0 && (modrm[1] & 7) == 5;
		length++;
	}
	if (mod == 1)
		length += 1;
	else if (mod == 2 || no_base)
		length += 4;
	return length;
}

static bool ends_in_indirect_call(const uint8_t *code, size_t size)
{
	for (size_t length = 1; length <= 6 && length + 1 <= size; length++) {
		const uint8_t *modrm = code + size - length;

		if (modrm[-1] == 0xff && indirect_call_size(modrm, length) == length)
			return true;
	}
	return false;
}

bool x86_ends_in_call(const uint8_t *code, size_t size, int64_t *distance_ret)
{
	int32_t distance;

	*distance_ret = 0;
	if (ends_in_indirect_call(code, size))
		return true;
	if (size < 5 || code[size - 5] != 0xe8)
		return false;
	memcpy(&distance, code + size - sizeof(distance), sizeof(distance));
	*distance_ret = distance;
	/* `call next; next: pop` only reads the pc. */
	return distance != 0;
}

/* `jmp *disp(%rip)`, also after endbr64 and with a bnd prefix. */
static bool is_trampoline(const uint8_t *code, size_t size)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (size > sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64))) {
		code += sizeof(endbr64);
		size -= sizeof(endbr64);
	}
	if (size > 1 && code[0] == 0xf2) {
		code++;
		size--;
	}
	return size >= 2 && code[0] == 0xff && code[1] == 0x25;
}

/* `push -8(%r10)`: a copy of the return address, pushed after the stack was aligned. */
static bool is_after_copy(const uint8_t *code, size_t at)
{
	return at >= 4 && !memcmp(code + at - 4, "\x41\xff\x72\xf8", 4);
}

/* `push %rbp`, soon `mov %rsp,%rbp` in either encoding, and no `pop %rbp; ret` or `leave; ret`. */
static size_t frame_pointer_since(const uint8_t *code, size_t size)
{
	const size_t most_between = 12;

	for (size_t at = size; at >= 3; at--) {
		const uint8_t *last = code + at - 3;

		if ((last[1] == 0x5d || last[1] == 0xc9) && last[2] == 0xc3)
			return 0;
		if (last[0] != 0x48 ||
		    ((last[1] != 0x89 || last[2] != 0xe5) && (last[1] != 0x8b || last[2] != 0xec)))
			continue;
		for (size_t back = 1; back <= most_between && back <= at - 3; back++)
			if (last[-(ptrdiff_t)back] == 0x55)
				return is_after_copy(code, at - 3 - back) ? 0
									  : size - at + 3 + back;
	}
	return 0;
}

/* The branch's target: `74 rel8` or `0f 84 rel32`, from @at on. */
static bool jump_if_zero(const uint8_t *code, size_t size, size_t at, int64_t *target_ret)
{
	int32_t distance;

	if (size - at >= 2 && code[at] == 0x74) {
		*target_ret = (int64_t)at + 2 + (int8_t)code[at + 1];
		return true;
	}
	if (size - at < 6 || code[at] != 0x0f || code[at + 1] != 0x84)
		return false;
	memcpy(&distance, code + at + 2, sizeof(distance));
	*target_ret = (int64_t)at + 6 + distance;
	return true;
}

bool x86_jumps_if_zero(const uint8_t *code, size_t size, size_t at, int64_t *target_ret)
{
	if (size - at >= 2 && code[at] == 0x7c)
		at += 2;
	else if (size - at >= 6 && code[at] == 0x0f && code[at + 1] == 0x8c)
		at += 6;
	return jump_if_zero(code, size, at, target_ret);
}

/*
 * `test %rax,%rax; jl error; jz thread`, or the rest of that: clone() returns zero in the child. If
 * only a jump is left, the flags are not known, but they were set by zero.
 */
static bool thread_start(const uint8_t *code, size_t size, const struct regs *regs,
			 int64_t *distance_ret)
{
	static const uint8_t test_rax[] = { 0x48, 0x85, 0xc0 };
	size_t at = 0;

	if (!regs_have(regs, RAX) || regs->values[RAX])
		return false;
	if (size >= sizeof(test_rax) && !memcmp(code, test_rax, sizeof(test_rax)))
		at += sizeof(test_rax);
	return x86_jumps_if_zero(code, size, at, distance_ret);
}

/* The x86-64 psABI, 3.2.3. */
static const uint8_t argument_regs[] = { RDI, RSI, RDX, RCX, R8, R9 };

static bool usual_caller(const struct rule *rule, const struct stack_copy *stack, struct regs *regs)
{
	static const uint8_t kept[] = { RBX, RBP, R12, R13, R14, R15 };

	if (!usual_frame_apply(rule, stack, regs, kept, sizeof(kept), RSP, RIP))
		return false;
	regs->pc = regs->values[RIP];
	return true;
}

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.elf_machine = EM_X86_64,
	.n_regs = N_REGS,
	.sp = RSP,
	.fp = RBP,
	.ra = RIP,
	.pc = RIP,
	.pointer_size = 8,
	.reg_names = reg_names,
	.callee_saved = 1u << RBX | 1u << RBP | 1u << R12 | 1u << R13 | 1u << R14 | 1u << R15,
	.perf_to_dwarf = perf_to_dwarf,
	.n_perf_regs = PERF_REG_X86_64_MAX,
	.perf_pc = PERF_REG_X86_IP,
	.argument_regs = argument_regs,
	.n_argument_regs = sizeof(argument_regs),
	.usual_caller = usual_caller,
	.strip_return_address = keep_address,
	.ends_in_call = x86_ends_in_call,
	.is_trampoline = is_trampoline,
	.frame_pointer_since = frame_pointer_since,
	.clears_frame_pointer = x86_clears_frame_pointer,
	.mark_function_starts = x86_mark_function_starts,
	.find_main = x86_64_find_main,
	.decode = x86_64_decode,
	.is_function_start = x86_is_function_start,
	.thread_start = thread_start,
	.rule_by_code = x86_64_rule_by_code,
	.correct_rule = x86_64_correct_rule,
	.knows_c_library_only = true,
	.make_rule = x86_64_make_rule,
	.find_switch = x86_64_find_switch,
	.loads_table = x86_64_loads_table,
};
