/* glibc's ucontext_t: edi, esi, ebp, esp, ebx lie 36 bytes into it and on, eip at 76. */
#include "unwind/arch/known_code_i386.h"

#include <dwarf.h>
#include <string.h>

#include "unwind/rules/rule.h"

enum { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, EIP };

#define SAME                      \
	{                         \
		.how = SAVED_SAME \
	}
#define AT(op)                                                    \
	{                                                         \
		.how = SAVED_AT, .expression = {.ops = &(op), 1 } \
	}
#define VALUE(op)                                                    \
	{                                                            \
		.how = SAVED_VALUE, .expression = {.ops = &(op), 1 } \
	}

static const struct expression_op at_esp = { DW_OP_bregx, ESP, 0 };
static const struct expression_op above_esp = { DW_OP_bregx, ESP, 4 };
static const struct expression_op context_edi = { DW_OP_bregx, EAX, 36 };
static const struct expression_op context_esi = { DW_OP_bregx, EAX, 40 };
static const struct expression_op context_ebp = { DW_OP_bregx, EAX, 44 };
static const struct expression_op context_ebx = { DW_OP_bregx, EAX, 52 };
static const struct expression_op context_eip = { DW_OP_bregx, EAX, 76 };

static const struct general_rule thunk_rule = {
	.cfa = { &above_esp, 1 },
	.regs = { [EAX] = SAME,
		  [ECX] = SAME,
		  [EDX] = SAME,
		  [EBX] = SAME,
		  [ESP] = VALUE(above_esp),
		  [EBP] = SAME,
		  [ESI] = SAME,
		  [EDI] = SAME,
		  [EIP] = AT(at_esp) },
};

#define SWITCH .is_signal_frame = true, .is_switch = true
#define IN_CONTEXT                                                                 \
	[EBX] = AT(context_ebx), [EBP] = AT(context_ebp), [ESI] = AT(context_esi), \
	[EDI] = AT(context_edi)

static const struct general_rule in_context_rule = {
	SWITCH,
	.cfa = { &at_esp, 1 },
	.regs = { IN_CONTEXT, [ESP] = VALUE(at_esp), [EIP] = AT(context_eip) },
};
static const struct general_rule in_register_rule = {
	SWITCH,
	.cfa = { &at_esp, 1 },
	.regs = { IN_CONTEXT, [ESP] = VALUE(at_esp),
		  [EIP] = { .how = SAVED_REGISTER, .reg = ECX } },
};
#define PUSHED    SWITCH, .cfa = { &above_esp, 1 }
#define PUSHED_PC [ESP] = VALUE(above_esp), [EIP] = AT(at_esp)
/* By how many of edi, esi, ebp and ebx are loaded. */
static const struct general_rule pushed_rules[] = {
	{ PUSHED, .regs = { IN_CONTEXT, PUSHED_PC } },
	{ PUSHED, .regs = { [EBX] = AT(context_ebx),
			    [EBP] = AT(context_ebp),
			    [ESI] = AT(context_esi),
			    [EDI] = SAME,
			    PUSHED_PC } },
	{ PUSHED, .regs = { [EBX] = AT(context_ebx),
			    [EBP] = AT(context_ebp),
			    [ESI] = SAME,
			    [EDI] = SAME,
			    PUSHED_PC } },
	{ PUSHED, .regs = { [EBX] = AT(context_ebx),
			    [EBP] = SAME,
			    [ESI] = SAME,
			    [EDI] = SAME,
			    PUSHED_PC } },
	{ PUSHED, .regs = { [EBX] = SAME, [EBP] = SAME, [ESI] = SAME, [EDI] = SAME, PUSHED_PC } },
};

static bool is_code(const uint8_t *code, size_t size, size_t at, const uint8_t *bytes, size_t n)
{
	return at <= size && size - at >= n && !memcmp(code + at, bytes, n);
}

/* `mov (%esp),%reg; ret` */
static bool is_pc_thunk(const uint8_t *code, size_t size, size_t at)
{
	return at < size && size - at >= 4 && code[at] == 0x8b && (code[at + 1] & 0xc7) == 0x04 &&
	       code[at + 2] == 0x24 && code[at + 3] == 0xc3;
}

/*
 * Position-independent code calls such a thunk before it has saved the call-clobbered registers,
 * and it and its CFI rely on these registers: crt1.o has a thunk without CFI, and one inside
 * _start.
 */
static bool is_in_pc_thunk(const uint8_t *code, size_t size, size_t at)
{
	const size_t ret = 3;

	return is_pc_thunk(code, size, at) || (at >= ret && is_pc_thunk(code, size, at - ret));
}

/*
 * The code to which a function of glibc's makecontext() returns. It has no caller. `lea
 * (%esp,%ebx,4),%esp; cmpl $0,(%esp); je; call; jmp; xor; and; sub; push; call; hlt`
 */
static bool is_context_start(const uint8_t *code, size_t size, size_t at)
{
	static const uint8_t bytes[] = { 0x8d, 0x24, 0x9c, 0x83, 0x3c, 0x24, 0, 0x74 };
	const size_t last = 30;

	for (size_t back = 0; back <= last && back <= at; back++)
		if (is_code(code, size, at - back, bytes, sizeof(bytes)))
			return true;
	return false;
}

/*
 * The end of glibc's setcontext() and swapcontext(): `mov 0x30(%eax),%esp` and `mov
 * 0x4c(%eax),%ecx`, in either order, `push %ecx`, the other registers, `ret`. The CFI of one
 * computes the CFA from another register than the stack pointer; that of the other does not
 * describe the switch.
 */
#define TO_ESP 0x8b, 0x60, 0x30
#define TO_ECX 0x8b, 0x48, 0x4c
#define REST                                                                                      \
	0x51, 0x8b, 0x78, 0x24, 0x8b, 0x70, 0x28, 0x8b, 0x68, 0x2c, 0x8b, 0x58, 0x34, 0x8b, 0x50, \
		0x38, 0x8b, 0x48, 0x3c, 0x8b, 0x40, 0x40, 0xc3
static const uint8_t set_end[] = { TO_ESP, TO_ECX, REST };
static const uint8_t swap_end[] = { TO_ECX, TO_ESP, REST };

/* @at, from where the switch begins on. NULL: not yet. */
static const struct general_rule *switch_rule_at(size_t at, bool is_esp_first)
{
	const size_t mov = 3, push = 6;

	if (at < push)
		return is_esp_first && at >= mov ? &in_context_rule : NULL;
	if (at == push)
		return &in_register_rule;
	size_t n_loaded = (at - push - 1) / mov, all = 4;
	return &pushed_rules[n_loaded < all ? n_loaded : all];
}

static const struct general_rule *switch_rule(const uint8_t *code, size_t size, size_t at)
{
	for (size_t back = 0; back < sizeof(set_end) && back <= at; back++) {
		bool is_set = is_code(code, size, at - back, set_end, sizeof(set_end));

		if (is_set || is_code(code, size, at - back, swap_end, sizeof(swap_end)))
			return switch_rule_at(back, is_set);
	}
	return NULL;
}

/* setcontext()'s CFI describes the new stack one instruction early. */
static bool is_before_switch(const uint8_t *code, size_t size, size_t at)
{
	return is_code(code, size, at, set_end, sizeof(set_end));
}

/*
 * swapcontext()'s system call: `push %ebx; lea 0x6c(%eax),%edx; lea 0x6c(%ecx),%ecx; mov $2,%ebx;
 * mov $126,%eax`, `call *%gs:0x10`, `call *...` or `int $0x80`, `pop %ebx`. The CFI leaves the push
 * out.
 */
static bool is_in_swap_call(const uint8_t *code, size_t size, size_t at)
{
	static const uint8_t bytes[] = { 0x53, 0x8d, 0x50, 0x6c, 0x8d, 0x49, 0x6c, 0xbb, 2,
					 0,    0,    0,    0xb8, 0x7e, 0,    0,    0 };
	const size_t call_max = 7;

	for (size_t back = 1; back <= sizeof(bytes) + call_max && back <= at; back++) {
		if (!is_code(code, size, at - back, bytes, sizeof(bytes)))
			continue;
		size_t call = at - back + sizeof(bytes);
		const uint8_t *pop = memchr(
			code + call, 0x5b, size - call < call_max + 1 ? size - call : call_max + 1);
		return pop && code + at <= pop;
	}
	return false;
}

/* CFA = esp + @words; ebx may have been saved. Saved registers: ebx, ebp, esi, edi, eip. */
static struct rule esp_rule(int16_t words, uint8_t ebx_slot)
{
	struct rule rule = { .kind = RULE_CFA_REGISTER };

	rule.cfa_reg = ESP;
	rule.cfa_offset = words;
	rule.slots[0] = ebx_slot;
	rule.slots[4] = 1;
	return rule;
}

bool i386_rule_by_code(const uint8_t *code, size_t size, size_t at, struct rule *rule_ret)
{
	const struct general_rule *rule =
		is_in_pc_thunk(code, size, at) ? &thunk_rule : switch_rule(code, size, at);

	if (rule)
		*rule_ret = (struct rule){ .general_kind = RULE_GENERAL, .general = rule };
	else if (is_context_start(code, size, at))
		*rule_ret = (struct rule){ .kind = RULE_ROOT };
	else if (is_before_switch(code, size, at))
		*rule_ret = esp_rule(1, SLOT_SAME);
	else if (is_in_swap_call(code, size, at))
		*rule_ret = esp_rule(2, 2);
	else
		return false;
	return true;
}
