/* The kernel's struct rt_sigframe and the C library's ucontext_t: gregs lie 40 bytes into both. */
#include "unwind/arch/known_code_x86_64.h"

#include <dwarf.h>
#include <string.h>

#include "unwind/rules/rule.h"

enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, RIP = 16 };

/* Where a ucontext_t has the registers, by DWARF number; @base points to it. */
#define GREG(base, n)                                                     \
	{                                                                 \
		.atom = DW_OP_bregx, .reg = (base), .value = 40 + 8 * (n) \
	}
#define GREGS(base)                                                                                \
	{                                                                                          \
		GREG(base, 13), GREG(base, 12), GREG(base, 14), GREG(base, 11), GREG(base, 9),     \
			GREG(base, 8), GREG(base, 10), GREG(base, 15), GREG(base, 0),              \
			GREG(base, 1), GREG(base, 2), GREG(base, 3), GREG(base, 4), GREG(base, 5), \
			GREG(base, 6), GREG(base, 7), GREG(base, 16),                              \
	}
#define SAVED(ops, n)                                           \
	{                                                       \
		.how = SAVED_AT, .expression = { &(ops)[n], 1 } \
	}
#define SAVED_REGS(ops)                                                                            \
	{                                                                                          \
		SAVED(ops, 0), SAVED(ops, 1), SAVED(ops, 2), SAVED(ops, 3), SAVED(ops, 4),         \
			SAVED(ops, 5), SAVED(ops, 6), SAVED(ops, 7), SAVED(ops, 8), SAVED(ops, 9), \
			SAVED(ops, 10), SAVED(ops, 11), SAVED(ops, 12), SAVED(ops, 13),            \
			SAVED(ops, 14), SAVED(ops, 15), SAVED(ops, 16),                            \
	}

static const struct expression_op at_rsp[] = GREGS(RSP), at_rdx[] = GREGS(RDX);
static const struct expression_op rsp = { .atom = DW_OP_bregx, .reg = RSP };
static const struct expression_op above_rsp = { .atom = DW_OP_bregx, .reg = RSP, .value = 8 };

static const struct general_rule trampoline_rule = {
	.is_signal_frame = true,
	.cfa = { &rsp, 1 },
	.regs = SAVED_REGS(at_rsp),
};

static const struct general_rule in_context_rule = {
	.is_signal_frame = true,
	.is_switch = true,
	.cfa = { &rsp, 1 },
	.regs = SAVED_REGS(at_rdx),
};
#define SAME                      \
	{                         \
		.how = SAVED_SAME \
	}
#define SAME_CALLEE_SAVED \
	[RBX] = SAME, [RBP] = SAME, [12] = SAME, [13] = SAME, [14] = SAME, [15] = SAME
static const struct general_rule in_register_rule = {
	.is_signal_frame = true,
	.is_switch = true,
	.cfa = { &rsp, 1 },
	.regs = { SAME_CALLEE_SAVED, [RSP] = { .how = SAVED_VALUE, .expression = { &rsp, 1 } },
		  [RIP] = { .how = SAVED_REGISTER, .reg = RCX } },
};
static const struct general_rule pushed_rule = {
	.is_signal_frame = true,
	.is_switch = true,
	.cfa = { &above_rsp, 1 },
	.regs = { SAME_CALLEE_SAVED,
		  [RSP] = { .how = SAVED_VALUE, .expression = { &above_rsp, 1 } },
		  [RIP] = { .how = SAVED_AT, .expression = { &rsp, 1 } } },
};

static bool is_code(const uint8_t *code, size_t size, size_t at, const uint8_t *bytes, size_t n)
{
	return at <= size && size - at >= n && !memcmp(code + at, bytes, n);
}

static bool is_padding(const uint8_t *code, size_t size, size_t at)
{
	static const uint8_t nopl[] = { 0x0f, 0x1f }, nopw[] = { 0x66, 0x0f, 0x1f },
			     cs_nopw[] = { 0x66, 0x2e, 0x0f, 0x1f };

	return at >= size || code[at] == 0x90 || code[at] == 0xcc || code[at] == 0 ||
	       is_code(code, size, at, nopl, sizeof(nopl)) ||
	       is_code(code, size, at, nopw, sizeof(nopw)) ||
	       is_code(code, size, at, cs_nopw, sizeof(cs_nopw));
}

/*
 * `mov $15,%rax; syscall`: at either instruction, or in the system call, from which it does not
 * come back: but what follows may be another function.
 */
static bool is_trampoline(const uint8_t *code, size_t size, size_t at)
{
	static const uint8_t bytes[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };

	return is_code(code, size, at, bytes, sizeof(bytes)) ||
	       (at >= 7 && is_code(code, size, at - 7, bytes, sizeof(bytes))) ||
	       (at >= 9 && is_code(code, size, at - 9, bytes, sizeof(bytes)) &&
		is_padding(code, size, at));
}

/*
 * glibc's __start_context, where a makecontext() function returns to. Nobody has called it.
 * `mov %rbx,%rsp; mov (%rsp),%rdi; test %rdi,%rdi; je; call; mov; call; hlt`
 */
static bool is_context_start(const uint8_t *code, size_t size, size_t at)
{
	static const uint8_t bytes[] = {
		0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24, 0x48, 0x85, 0xff
	};
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const size_t last = 25;

	if (is_code(code, size, at, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	for (size_t back = 0; back <= last && back <= at; back++)
		if (is_code(code, size, at - back, bytes, sizeof(bytes)))
			return true;
	return false;
}

/*
 * The end of glibc's setcontext() and swapcontext(): `mov 0xa0(%rdx),%rsp`, six other registers,
 * `mov 0xa8(%rdx),%rcx; push %rcx`, arguments, `mov 0x88(%rdx),%rdx; xor %eax,%eax; ret`. The CFI
 * of one does not know that the stack is another; that of the other knows no better than %rdx.
 */
static const struct general_rule *context_switch_rule(const uint8_t *code, size_t size, size_t at)
{
	static const uint8_t to_rsp[] = { 0x48, 0x8b, 0xa2, 0xa0, 0, 0, 0 };
	static const uint8_t to_rcx[] = { 0x48, 0x8b, 0x8a, 0xa8, 0, 0, 0, 0x51 };
	static const uint8_t to_rdx[] = { 0x48, 0x8b, 0x92, 0x88, 0, 0, 0, 0x31, 0xc0, 0xc3 };
	const size_t most = 80;
	size_t start = at > most ? at - most : 0;
	size_t end = size - at > most ? at + most : size;

	const uint8_t *first = memmem(code + start, end - start, to_rsp, sizeof(to_rsp));
	if (!first || first + sizeof(to_rsp) > code + at)
		return NULL;
	const uint8_t *push = memmem(first, (size_t)(code + end - first), to_rcx, sizeof(to_rcx));
	const uint8_t *last = memmem(first, (size_t)(code + end - first), to_rdx, sizeof(to_rdx));
	if (!push || !last || push > last || code + at > last + sizeof(to_rdx) - 1)
		return NULL;
	push += sizeof(to_rcx) - 1;
	if (code + at == push)
		return &in_register_rule;
	return code + at < push ? &in_context_rule : &pushed_rule;
}

bool x86_64_rule_by_code(const uint8_t *code, size_t size, size_t at, struct rule *rule_ret)
{
	if (is_context_start(code, size, at)) {
		*rule_ret = (struct rule){ .kind = RULE_ROOT };
		return true;
	}
	const struct general_rule *rule = is_trampoline(code, size, at)
						  ? &trampoline_rule
						  : context_switch_rule(code, size, at);
	if (!rule)
		return false;
	*rule_ret = (struct rule){ .general_kind = RULE_GENERAL, .general = rule };
	return true;
}

/*
 * SBCL's call_into_lisp_ makes the frame of the Lisp function that it calls: `push %rbp; push %rbp;
 * mov %rsp,%rbp; ...; call *-3(%rax)`. Its CFI has the CFA by that frame pointer, which the callee
 * replaces by the caller's before it returns. @at is the call's last byte, where only return
 * addresses look.
 */
static bool is_behind_call_of_lisp(const uint8_t *code, size_t size, size_t at)
{
	static const uint8_t makes_frame[] = { 0x55, 0x55, 0x48, 0x89, 0xe5 };
	static const uint8_t call[] = { 0xff, 0x50, 0xfd };
	const size_t most = 32, last = sizeof(call) - 1;

	return at >= most && is_code(code, size, at - last, call, sizeof(call)) &&
	       memmem(code + at - most, most - last, makes_frame, sizeof(makes_frame));
}

void x86_64_correct_rule(const uint8_t *code, size_t size, size_t at, struct rule *rule)
{
	if (rule->kind != RULE_GENERAL || !is_behind_call_of_lisp(code, size, at))
		return;
	/* Its caller's other registers are below a stack pointer that may be another stack's. */
	*rule = (struct rule){ .kind = RULE_CFA_REGISTER, .cfa_reg = RBP, .cfa_offset = 2 };
	memset(rule->slots, SLOT_UNDEFINED, sizeof(rule->slots));
	rule->slots[1] = 2; /* %rbp, after %rbx */
	rule->slots[6] = 1; /* the return address, after %r15 */
}
