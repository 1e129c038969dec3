/* i386: psABI 1.1, table 2.14 (DWARF register numbers), and the few instructions that are decoded.
 */
#include <elf.h>
#include <string.h>

#include "unwind/arch/decode_x86.h"
#include "unwind/arch/eh_return_i386.h"
#include "unwind/arch/functions_x86.h"
#include "unwind/arch/known_code_i386.h"
#include "unwind/arch/perf_regs_x86.h"
#include "unwind/arch/regs_x86.h"
#include "unwind/rules/rule.h"

enum {
	EAX,
	ECX,
	EDX,
	EBX,
	ESP,
	EBP,
	ESI,
	EDI,
	EIP, /* the column of the return address; expressions of PLTs read it as the pc */
	N_REGS
};

#define NOT_FOLLOWED 0xff

/* A 64-bit kernel's samples have r8 to r15 too, with whatever 64-bit code left there. */
static const uint8_t perf_to_dwarf[PERF_REG_X86_32_MAX] = {
	[PERF_REG_X86_AX] = EAX,          [PERF_REG_X86_BX] = EBX,
	[PERF_REG_X86_CX] = ECX,          [PERF_REG_X86_DX] = EDX,
	[PERF_REG_X86_SI] = ESI,          [PERF_REG_X86_DI] = EDI,
	[PERF_REG_X86_BP] = EBP,          [PERF_REG_X86_SP] = ESP,
	[PERF_REG_X86_IP] = EIP,          [PERF_REG_X86_FLAGS] = NOT_FOLLOWED,
	[PERF_REG_X86_CS] = NOT_FOLLOWED, [PERF_REG_X86_SS] = NOT_FOLLOWED,
	[PERF_REG_X86_DS] = NOT_FOLLOWED, [PERF_REG_X86_ES] = NOT_FOLLOWED,
	[PERF_REG_X86_FS] = NOT_FOLLOWED, [PERF_REG_X86_GS] = NOT_FOLLOWED,
};

static const char *const reg_names[N_REGS] = { "eax", "ecx", "edx", "ebx", "esp",
					       "ebp", "esi", "edi", "ra" };

static uint64_t keep_address(uint64_t address)
{
	return address;
}

/* `jmp *slot` or, in position-independent code, `jmp *slot(%ebx)`; also after endbr32. */
static bool is_trampoline(const uint8_t *code, size_t size)
{
	static const uint8_t endbr32[] = { 0xf3, 0x0f, 0x1e, 0xfb };

	if (size > sizeof(endbr32) && !memcmp(code, endbr32, sizeof(endbr32))) {
		code += sizeof(endbr32);
		size -= sizeof(endbr32);
	}
	return size >= 2 && code[0] == 0xff && (code[1] == 0x25 || code[1] == 0xa3);
}

/* `push -4(%ecx)`: a copy of the return address; an aligned stack follows it. */
static bool is_behind_copy(const uint8_t *code, size_t at)
{
	return at >= 3 && !memcmp(code + at - 3, "\xff\x71\xfc", 3);
}

/* `push %ebp`, soon `mov %esp,%ebp` in either encoding, and no `pop %ebp; ret` or `leave; ret`. */
static size_t frame_pointer_since(const uint8_t *code, size_t size)
{
	const size_t most_between = 8;

	for (size_t at = size; at >= 2; at--) {
		const uint8_t *last = code + at - 2;

		if ((last[0] == 0x5d || last[0] == 0xc9) && last[1] == 0xc3)
			return 0;
		if ((last[0] != 0x89 || last[1] != 0xe5) && (last[0] != 0x8b || last[1] != 0xec))
			continue;
		for (size_t back = 1; back <= most_between && back <= at - 2; back++)
			if (last[-(ptrdiff_t)back] == 0x55)
				return is_behind_copy(code, at - 2 - back) ? 0
									   : size - at + 2 + back;
	}
	return 0;
}

/* `test %eax,%eax; jz thread`, or only the jump: clone() returns zero in the child. */
static bool thread_start(const uint8_t *code, size_t size, const struct regs *regs,
			 int64_t *distance_ret)
{
	static const uint8_t test_eax[] = { 0x85, 0xc0 };
	size_t at = 0;

	if (!regs_have(regs, EAX) || regs->values[EAX])
		return false;
	if (size >= sizeof(test_eax) && !memcmp(code, test_eax, sizeof(test_eax)))
		at += sizeof(test_eax);
	return x86_jumps_if_zero(code, size, at, distance_ret);
}

const struct arch arch_i386 = {
	.name = "i386",
	.elf_machine = EM_386,
	.n_regs = N_REGS,
	.sp = ESP,
	.fp = EBP,
	.ra = EIP,
	.pc = EIP,
	.pointer_size = 4,
	.reg_names = reg_names,
	.callee_saved = 1u << EBX | 1u << EBP | 1u << ESI | 1u << EDI,
	.perf_to_dwarf = perf_to_dwarf,
	.n_perf_regs = PERF_REG_X86_32_MAX,
	.perf_pc = PERF_REG_X86_IP,
	.strip_return_address = keep_address,
	.ends_in_call = x86_ends_in_call,
	.is_trampoline = is_trampoline,
	.frame_pointer_since = frame_pointer_since,
	.thread_start = thread_start,
	.rule_by_code = i386_rule_by_code,
	.correct_rule = i386_correct_rule,
	.make_rule = i386_make_rule,
	.has_wrong_cfi = true,
	.clears_frame_pointer = x86_clears_frame_pointer,
	.mark_function_starts = x86_mark_function_starts,
	.decode = i386_decode,
	.is_function_start = x86_is_function_start,
};
