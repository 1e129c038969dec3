/*
 * arm64: AADWARF64 section 4.1 (DWARF register numbers), AAPCS64 section 6 (who saves what), and
 * the few instructions that are decoded: Arm ARM, section C4.1.
 */
#include <dwarf.h>
#include <elf.h>

#include "unwind/arch/decode_aarch64.h"
#include "unwind/arch/eh_return_aarch64.h"
#include "unwind/arch/frame_aarch64.h"
#include "unwind/rules/usual_frame.h"

enum {
	X0,
	X19 = 19,
	X29 = 29, /* the frame pointer */
	X30,      /* the link register */
	SP,
	PC,
	N_REGS
};

/* arch/arm64/include/uapi/asm/perf_regs.h has x0 to x30, sp and pc in DWARF's order. */
static const uint8_t perf_to_dwarf[N_REGS] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,  13,  14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, X29, X30, SP, PC,
};

static const char *const reg_names[N_REGS] = { "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",
					       "x7",  "x8",  "x9",  "x10", "x11", "x12", "x13",
					       "x14", "x15", "x16", "x17", "x18", "x19", "x20",
					       "x21", "x22", "x23", "x24", "x25", "x26", "x27",
					       "x28", "x29", "x30", "sp",  "pc" };

/*
 * Pointer authentication fills the bits between the address and bit 55, which tells user from
 * kernel; the byte above is for tags. No code lies above 2^48: the kernel gives such addresses,
 * where it can at all, only to mmap() calls that ask for them.
 */
static uint64_t strip_return_address(uint64_t address)
{
	const uint64_t above = ~0ull << 48;

	return address >> 55 & 1 ? address | above : address & ~above;
}

#define NOP              0xd503201fu
#define BTI_C            0xd503245fu
#define PUSH_X16_X30     0xa9bf7bf0u /* stp x16, x30, [sp, #-16]! */
#define AUTIA1716        0xd503219fu
#define BR_X17           0xd61f0220u
#define MOV_X8_SIGRETURN 0xd2801168u /* mov x8, #139 */
#define SVC              0xd4000001u

/* Instructions are little-endian whatever the data is. */
static uint32_t instruction(const uint8_t *code)
{
	return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

/* `bl`; `blr` also with authentication of its register. */
static bool ends_in_call(const uint8_t *code, size_t size, int64_t *distance_ret)
{
	*distance_ret = 0;
	if (size < 4)
		return false;
	uint32_t last = instruction(code + size - 4);
	if (last >> 26 == 0x25) {
		*distance_ret = ((int64_t)((uint64_t)last << 38) >> 36) - 4;
		return true;
	}
	return (last & 0xfffffc1f) == 0xd63f0000 || /* blr */
	       (last & 0xfffff81f) == 0xd63f081f || /* blraaz, blrabz */
	       (last & 0xfffff800) == 0xd73f0800;   /* blraa, blrab */
}

static bool is_adrp_x16(uint32_t insn)
{
	return (insn & 0x9f00001f) == 0x90000010;
}

static bool is_ldr_x17_x16(uint32_t insn)
{
	return (insn & 0xffc003ff) == 0xf9400211;
}

static bool is_add_x16_x16(uint32_t insn)
{
	return (insn & 0xffc003ff) == 0x91000210;
}

/* `adrp x16, page`, then the load of a slot of the PLT or the address that a linker's veneer is
 * for. */
static bool is_trampoline(const uint8_t *code, size_t size)
{
	if (size >= 4 && instruction(code) == BTI_C) {
		code += 4;
		size -= 4;
	}
	if (size < 8 || !is_adrp_x16(instruction(code)))
		return false;
	uint32_t second = instruction(code + 4);
	return is_ldr_x17_x16(second) || is_add_x16_x16(second);
}

/*
 * `stp x29, x30, [sp, ...]`, then `mov x29, sp` or `add x29, sp, #n`, and neither a return nor a
 * load of x29 and x30 since.
 */
static size_t frame_pointer_since(const uint8_t *code, size_t size)
{
	bool is_set = false;

	for (size_t at = size & ~(size_t)3; at >= 4; at -= 4) {
		uint32_t insn = instruction(code + at - 4);

		if ((insn & 0xfffff3ff) == 0xd65f03c0 || (insn & 0xfe407fff) == 0xa8407bfd)
			return 0;
		is_set |= (insn & 0xffc003ff) == 0x910003fd;
		if (is_set && (insn & 0xfe407fff) == 0xa8007bfd)
			return size - at + 4;
	}
	return 0;
}

/*
 * A handler returns to `mov x8, #139; svc #0`, in the vdso or in a C library, with the stack
 * pointer at the kernel's struct rt_sigframe: a siginfo of 128 bytes, then a ucontext, with a
 * sigcontext 176 bytes into it, which has 8 bytes before the registers x0 to x30, sp and pc. CFI,
 * where there is some, takes the interrupted x30 for the pc, or leaves it out.
 */
#define SIGFRAME_REGS_AT (128 + 176 + 8)
#define SIGFRAME_FPSIMD  (128 + 176 + 288)
#define FPSIMD_MAGIC     0x46508001

#define SIGFRAME_REG(n)                                                             \
	{                                                                           \
		.atom = DW_OP_bregx, .reg = SP, .value = SIGFRAME_REGS_AT + 8 * (n) \
	}
#define SIGFRAME_REGS(n) SIGFRAME_REG(n), SIGFRAME_REG((n) + 1), SIGFRAME_REG((n) + 2)
#define SAVED(n)                                                   \
	{                                                          \
		.how = SAVED_AT, .expression = { &sigframe[n], 1 } \
	}
#define SAVED_REGS(n) SAVED(n), SAVED((n) + 1), SAVED((n) + 2)

static const struct expression_op sigframe[N_REGS] = {
	SIGFRAME_REGS(0),  SIGFRAME_REGS(3),  SIGFRAME_REGS(6),  SIGFRAME_REGS(9),
	SIGFRAME_REGS(12), SIGFRAME_REGS(15), SIGFRAME_REGS(18), SIGFRAME_REGS(21),
	SIGFRAME_REGS(24), SIGFRAME_REGS(27), SIGFRAME_REGS(30),
};
static const struct expression_op sigframe_sp = { .atom = DW_OP_bregx, .reg = SP };
/*
 * sp * (fpsimd_context is there), which must be in the copy: within sigreturn() the kernel sets the
 * registers back, at last the pc. Before the pc, the frame that has it lies below the stack pointer
 * that is set back, and is not copied. The context is the first in the sigcontext, 288 bytes into
 * it, and begins with this number.
 */
static const struct expression_op sigframe_sp_in_syscall[] = {
	{ .atom = DW_OP_bregx, .reg = SP },
	{ .atom = DW_OP_bregx, .reg = SP, .value = SIGFRAME_FPSIMD },
	{ .atom = DW_OP_deref_size, .value = 4 },
	{ .atom = DW_OP_const8s, .value = FPSIMD_MAGIC },
	{ .atom = DW_OP_eq },
	{ .atom = DW_OP_mul },
	{ .atom = DW_OP_dup },
	{ .atom = DW_OP_deref },
	{ .atom = DW_OP_drop },
};
#define SIGFRAME_RULE(cfa_ops, n_cfa_ops)                                                 \
	{                                                                                 \
		.is_signal_frame = true, .cfa = { (cfa_ops), (n_cfa_ops) },               \
		.regs = { SAVED_REGS(0),  SAVED_REGS(3),  SAVED_REGS(6),  SAVED_REGS(9),  \
			  SAVED_REGS(12), SAVED_REGS(15), SAVED_REGS(18), SAVED_REGS(21), \
			  SAVED_REGS(24), SAVED_REGS(27), SAVED_REGS(30) },               \
	}
static const struct general_rule sigframe_rules[] = {
	SIGFRAME_RULE(&sigframe_sp, 1),
	SIGFRAME_RULE(sigframe_sp_in_syscall,
		      sizeof(sigframe_sp_in_syscall) / sizeof(sigframe_sp_in_syscall[0])),
};

static const struct general_rule *find_delivery(const struct stack_copy *stack,
						const struct regs *regs)
{
	uint64_t frame = regs->values[SP], magic, interrupted_x30;
	bool is_delivery =
		stack_read(stack, frame + SIGFRAME_FPSIMD, &magic) &&
		(uint32_t)magic == FPSIMD_MAGIC &&
		stack_read(stack, frame + SIGFRAME_REGS_AT + 8 * X30, &interrupted_x30) &&
		regs_have(regs, X30) && interrupted_x30 == regs->values[X30];

	return is_delivery ? &sigframe_rules[0] : NULL;
}

/* The instruction at @at, or zero outside of the code, which never matches. */
static uint32_t instruction_at(const uint8_t *code, size_t size, size_t at)
{
	return at <= size && size - at >= 4 ? instruction(code + at) : 0;
}

/* The rule if @at is in the trampoline, or after its system call; else NULL. */
static const struct general_rule *find_sigframe_rule(const uint8_t *code, size_t size, size_t at)
{
	for (size_t before = 0; before <= 8 && before <= at; before += 4)
		if (instruction_at(code, size, at - before) == MOV_X8_SIGRETURN &&
		    instruction_at(code, size, at - before + 4) == SVC)
			return &sigframe_rules[before > 4];
	return NULL;
}

/*
 * The size of `adrp x16; ldr x17, [x16, ...]; add x16, x16, ...; br x17` from @at on, in any kind
 * of PLT. 0: other code.
 */
static size_t plt_code_size(const uint8_t *code, size_t size, size_t at)
{
	size_t br = at + (instruction_at(code, size, at + 12) == AUTIA1716 ? 16 : 12);
	bool is_plt = is_adrp_x16(instruction_at(code, size, at)) &&
		      is_ldr_x17_x16(instruction_at(code, size, at + 4)) &&
		      is_add_x16_x16(instruction_at(code, size, at + 8)) &&
		      instruction_at(code, size, br) == BR_X17;

	return is_plt ? br + 4 - at : 0;
}

/* Nothing is saved; the caller's stack pointer is @words up. */
static struct rule sp_rule(int16_t words)
{
	struct rule rule = { .kind = RULE_CFA_REGISTER };

	rule.cfa_reg = SP;
	rule.cfa_offset = words;
	return rule;
}

/*
 * PLTs have no CFI: x30 is the caller's all the way, and the stack pointer too but for 16 bytes
 * pushed by the first entry, which comes to `adrp` by way of `stp x16, x30, [sp, #-16]!`.
 */
static bool plt_rule(const uint8_t *code, size_t size, size_t at, struct rule *rule_ret)
{
	size_t adrp = at;
	int16_t pushed = 0;

	if (instruction_at(code, size, adrp) == BTI_C)
		adrp += 4;
	if (instruction_at(code, size, adrp) == PUSH_X16_X30)
		adrp += 4;
	if (adrp == at) {
		while (adrp >= 4 && at - adrp < 16 &&
		       !is_adrp_x16(instruction_at(code, size, adrp)))
			adrp -= 4;
		pushed = adrp >= 4 && instruction_at(code, size, adrp - 4) == PUSH_X16_X30 ? 2 : 0;
	}
	size_t n = plt_code_size(code, size, adrp);
	if (!n || at >= adrp + n)
		return false;
	*rule_ret = sp_rule(pushed);
	return true;
}

/* The first instruction of glibc's _dl_runtime_resolve, whose CFI begins with the second. */
static bool resolve_rule(const uint8_t *code, size_t size, size_t at, struct rule *rule_ret)
{
	const uint32_t push_x8_x9 = 0xa9b327e8; /* stp x8, x9, [sp, #-208]! */

	uint32_t insn = instruction_at(code, size, at);

	if ((insn != BTI_C && insn != NOP) || instruction_at(code, size, at + 4) != push_x8_x9)
		return false;
	*rule_ret = sp_rule(2);
	return true;
}

/* A handler's return address is looked up one byte before the trampoline, too. */
static bool rule_by_code(const uint8_t *code, size_t size, size_t at, struct rule *rule_ret)
{
	const struct general_rule *found = find_sigframe_rule(code, size, (at + 3) & ~(size_t)3);

	if (found) {
		*rule_ret = (struct rule){ .general_kind = RULE_GENERAL, .general = found };
		return true;
	}
	/* A return address minus one is not the address of an instruction. */
	return at % 4 == 0 &&
	       (plt_rule(code, size, at, rule_ret) || resolve_rule(code, size, at, rule_ret) ||
		frame_aarch64_epilogue(code, size, at, rule_ret));
}

static void correct_rule(const uint8_t *code, size_t size, size_t at, struct rule *rule)
{
	if (rule->kind == RULE_CFA_REGISTER && aarch64_is_installing(code, size, at))
		*rule = (struct rule){ .kind = RULE_BAD };
	else if (at % 4 == 0)
		frame_aarch64_prologue(code, size, at, rule);
}

/* `cmp x0, #0; b.eq thread`, or the rest of that, or `cbz`: clone() returns zero in the child. */
static bool thread_start(const uint8_t *code, size_t size, const struct regs *regs,
			 int64_t *distance_ret)
{
	const uint32_t cmp_x0_0 = 0xf100001f;
	size_t at = instruction_at(code, size, 0) == cmp_x0_0 ? 4 : 0;
	uint32_t insn = instruction_at(code, size, at);
	bool is_beq = (insn & 0xff00001f) == 0x54000000, is_cbz = (insn & 0x7f00001f) == 0x34000000;

	if (!regs_have(regs, X0) || regs->values[X0] || !(is_beq || is_cbz))
		return false;
	*distance_ret = (int64_t)at + ((int64_t)((uint64_t)insn << 40) >> 45) * 4;
	return true;
}

/* AAPCS64, 6.8.2. */
static const uint8_t argument_regs[] = {
	X0, X0 + 1, X0 + 2, X0 + 3, X0 + 4, X0 + 5, X0 + 6, X0 + 7
};

static bool usual_caller(const struct rule *rule, const struct stack_copy *stack, struct regs *regs)
{
	static const uint8_t kept[] = { X19,     X19 + 1, X19 + 2, X19 + 3, X19 + 4, X19 + 5,
					X19 + 6, X19 + 7, X19 + 8, X19 + 9, X29 };

	if (!usual_frame_apply(rule, stack, regs, kept, sizeof(kept), SP, X30))
		return false;
	regs->values[X30] = strip_return_address(regs->values[X30]);
	regs->pc = regs->values[X30];
	return true;
}

const struct arch arch_aarch64 = {
	.name = "aarch64",
	.elf_machine = EM_AARCH64,
	.n_regs = N_REGS,
	.sp = SP,
	.fp = X29,
	.ra = X30,
	.pc = PC,
	.pointer_size = 8,
	.reg_names = reg_names,
	.callee_saved = (1ull << SP) - (1ull << X19),
	.perf_to_dwarf = perf_to_dwarf,
	.n_perf_regs = N_REGS,
	.perf_pc = PC,
	.argument_regs = argument_regs,
	.n_argument_regs = sizeof(argument_regs),
	.usual_caller = usual_caller,
	.strip_return_address = strip_return_address,
	.ends_in_call = ends_in_call,
	.is_trampoline = is_trampoline,
	.frame_pointer_since = frame_pointer_since,
	.mark_function_starts = aarch64_mark_function_starts,
	.clears_frame_pointer = aarch64_clears_frame_pointer,
	.decode = aarch64_decode,
	.is_function_start = aarch64_is_function_start,
	.rule_by_code = rule_by_code,
	.find_delivery = find_delivery,
	.correct_rule = correct_rule,
	.make_rule = aarch64_make_rule,
	.thread_start = thread_start,
};
