/*
 * The frame's own CFA is %rbp + 16. In libgcc's struct _Unwind_Context, reg[i] points to where the
 * register i is saved, 8 * i bytes from its start, and ra lies 0x98 bytes from it.
 */
#include "unwind/arch/eh_return_x86_64.h"

#include <dwarf.h>
#include <string.h>

#include "unwind/arch/decode_x86.h"
#include "unwind/arch/eh_return_x86.h"
#include "unwind/rules/machine_instruction.h"
#include "unwind/rules/made_rule.h"

enum { RAX, RCX = 2, RSI = 4, RBP = 6, RSP = 7, RIP = 16 };

#define OWN_CFA       16
#define CONTEXT_TO_RA 0x98
#define TAIL_SIZE_MAX 224 /* from the landing pad's load to `lea` */
#define RESTORE_MAX   64  /* from `lea` to `mov %rcx,%rsp` */
#define CALL_SIZE     5
#define STORE_SIZE    5

/* As the slots of a compact rule have them. */
#define N_SAVED 7
static const uint8_t saved_regs[N_SAVED] = { 3, RBP, 12, 13, 14, 15, RIP };
static const struct eh_return_words own_words = {
	.sp = RSP,
	.counter = RCX,
	.ip = RIP,
	.word = 8,
	.pop = 3,
	.saved = saved_regs,
	.n_saved = N_SAVED,
};

static const uint8_t lea_bytes[] = { 0x48, 0x8d, 0x4c, 0x0d, 0x08 };
static const uint8_t leave_bytes[] = { 0x48, 0x89, 0xcc, 0x59, 0xff, 0xe1 };
static const uint8_t load_rsi[] = { 0x48, 0x8b, 0xb5 }, load_rdi[] = { 0x48, 0x8b, 0xbd };

/* Where the parts of such an end lie in the code. */
struct eh_return {
	size_t load;  /* after the call of uw_install_context_1() */
	size_t lea;   /* `lea 8(%rbp,%rcx),%rcx` */
	size_t leave; /* `mov %rcx,%rsp` */
	int32_t ra;   /* %rbp + @ra: the landing pad */
};

static const uint8_t *find(const uint8_t *code, size_t start, size_t end, const uint8_t *bytes,
			   size_t n)
{
	return start < end ? memmem(code + start, end - start, bytes, n) : NULL;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* `call; mov S(%rbp),%rsi; mov S-8(%rbp),%rdi` */
static bool is_load(const uint8_t *code, size_t at, int32_t *ra_ret)
{
	const size_t n = sizeof(load_rsi);
	int32_t ra, cfa;

	if (code[at - CALL_SIZE] != 0xe8 || memcmp(code + at, load_rsi, n) != 0 ||
	    memcmp(code + at + n + sizeof(ra), load_rdi, n) != 0)
		return false;
	memcpy(&ra, code + at + n, sizeof(ra));
	memcpy(&cfa, code + at + 2 * n + sizeof(ra), sizeof(cfa));
	*ra_ret = ra;
	return ra < 0 && ra > INT16_MIN && cfa == ra - 8;
}

/* `mov %rsi,8(%rbp,R)`, with any R that needs no REX.X. */
static bool has_store(const uint8_t *code, size_t start, size_t end)
{
	for (size_t at = start; at + STORE_SIZE <= end; at++)
		if (code[at] == 0x48 && code[at + 1] == 0x89 && code[at + 2] == 0x74 &&
		    (code[at + 3] & 0xc7) == 0x05 && code[at + 4] == 8)
			return true;
	return false;
}

/* Finds the end of a function that the byte @at belongs to; of the call before it, the last. */
static bool find_eh_return(const uint8_t *code, size_t size, size_t at, struct eh_return *ret)
{
	const size_t load_size = 2 * (sizeof(load_rsi) + sizeof(int32_t));
	size_t from = at > RESTORE_MAX ? at - RESTORE_MAX : 0;
	const uint8_t *lea =
		find(code, from, least(size, at + 1 + TAIL_SIZE_MAX), lea_bytes, sizeof(lea_bytes));
	if (!lea)
		return false;
	ret->lea = (size_t)(lea - code);
	const uint8_t *leave = find(code, ret->lea, least(size, ret->lea + RESTORE_MAX),
				    leave_bytes, sizeof(leave_bytes));
	if (!leave)
		return false;
	ret->leave = (size_t)(leave - code);
	for (size_t back = load_size; back <= TAIL_SIZE_MAX && back + CALL_SIZE <= ret->lea;
	     back++) {
		ret->load = ret->lea - back;
		if (is_load(code, ret->load, &ret->ra))
			return at + 1 >= ret->load && at < ret->leave &&
			       has_store(code, ret->load + load_size, ret->lea);
	}
	return false;
}

/*
 * The register that holds the displacement at @at: the call's result, or the register that it was
 * moved to. The call of _Unwind_DebugHook() before @at does not change registers that are used
 * after it. -1: none.
 */
static int displacement_at(const uint8_t *code, const struct eh_return *found, size_t at)
{
	uint64_t holds = 1u << RAX;
	struct machine_instruction what;

	for (size_t pc = found->load; pc < at; pc += what.size) {
		if (!x86_64_decode(code + pc, found->leave - pc, &what))
			return -1;
		if (pc + what.size > at)
			break;
		holds &= ~what.clobbers;
		for (size_t i = 0; i < what.n_ops; i++) {
			const struct machine_op *op = &what.ops[i];

			if (op->kind == OP_STORE || op->kind == OP_PUSH || op->kind == OP_POP)
				continue;
			bool is_copy = op->kind == OP_SET && op->from < 64 && !op->value &&
				       (holds >> op->from & 1);
			holds &= ~(1ull << op->to);
			if (op->kind == OP_SWAP)
				holds &= ~(1ull << op->from);
			holds |= (uint64_t)is_copy << op->to;
		}
	}
	return holds ? __builtin_ctzll(holds) : -1;
}

static int64_t saved_slot(const struct rule *cfi, size_t i)
{
	return OWN_CFA - 8 * (int64_t)cfi->slots[i];
}

/* Within uw_install_context_1(). */
static void make_installing(struct made_rule *made, const struct eh_return *found,
			    const struct rule *cfi)
{
	x86_push_sum(made, RBP, OWN_CFA);
	made->rule.cfa = made_rule_since(made, 0);
	for (size_t i = 0; i < N_SAVED; i++) {
		if (cfi->slots[i] == SLOT_SAME)
			made->rule.regs[saved_regs[i]].how = SAVED_SAME;
		else
			x86_save_if_kept(made, saved_regs[i], RBP, saved_slot(cfi, i),
					 found->ra - CONTEXT_TO_RA + 8 * (int64_t)saved_regs[i]);
	}
}

/* From there on the landing frame's registers are where the caller's were. */
static void save_landing(struct made_rule *made, const struct rule *cfi)
{
	made->rule.is_landing = true;
	for (size_t i = 0; i < N_SAVED; i++) {
		const size_t from = made->n_ops;

		if (saved_regs[i] == RIP)
			continue;
		made->rule.regs[saved_regs[i]].how = SAVED_SAME;
		if (cfi->slots[i] == SLOT_SAME)
			continue;
		x86_push_sum(made, RBP, saved_slot(cfi, i));
		x86_save_at(made, saved_regs[i], from);
	}
}

/* Up to `lea`; @displacement: a register. */
static void make_installed(struct made_rule *made, const struct eh_return *found,
			   uint8_t displacement, const struct rule *cfi)
{
	x86_push_sum(made, RBP, OWN_CFA);
	x86_push_sum(made, displacement, 0);
	x86_push_op(made, DW_OP_plus, 0);
	made->rule.cfa = made_rule_since(made, 0);
	x86_push_sum(made, RBP, found->ra);
	x86_save_at(made, RIP, made->n_ops - 1);
	save_landing(made, cfi);
}

/* After `lea`: %rcx points to the landing pad's address. */
static void make_restoring(struct made_rule *made, const struct rule *cfi)
{
	x86_push_sum(made, RCX, 8);
	made->rule.cfa = made_rule_since(made, 0);
	x86_push_sum(made, RCX, 0);
	x86_save_at(made, RIP, made->n_ops - 1);
	save_landing(made, cfi);
}

static void make_in_frame(struct made_rule *made, const uint8_t *code,
			  const struct eh_return *found, size_t at, const struct rule *cfi)
{
	if (at + 1 == found->load) {
		make_installing(made, found, cfi);
		return;
	}
	if (at > found->lea) {
		make_restoring(made, cfi);
		return;
	}
	int displacement = displacement_at(code, found, at);
	if (displacement < 0)
		made->rule.regs[RIP].how = SAVED_UNDEFINED;
	else
		make_installed(made, found, (uint8_t)displacement, cfi);
}

static bool is_code(const uint8_t *code, size_t size, size_t at, const uint8_t *bytes, size_t n)
{
	return at <= size && size - at >= n && !memcmp(code + at, bytes, n);
}

/* `mov 0(%rbp),%rbp; mov %rcx,%rsp; pop %rcx; jmp *%rcx`: how far @at is into the last three. */
static bool is_leaving(const uint8_t *code, size_t size, size_t at, size_t *into_ret)
{
	static const uint8_t bytes[] = { 0x48, 0x8b, 0x6d, 0, 0x48, 0x89, 0xcc, 0x59, 0xff, 0xe1 };
	static const size_t into[] = { 0, 3, 4 };
	const size_t mov = 4;

	for (size_t i = 0; i < sizeof(into) / sizeof(into[0]); i++) {
		*into_ret = into[i];
		if (at >= mov + into[i] &&
		    is_code(code, size, at - mov - into[i], bytes, sizeof(bytes)))
			return true;
	}
	return false;
}

/* Whether CFI is that of a frame at the stack pointer, as nearly all of a program is: the last
 * three instructions never have it, as their stack pointer is another frame's. Code that is not in
 * the processor's caches takes longer to fetch than CFI takes to read. */
static bool has_frame_at_sp(const struct rule *cfi)
{
	return cfi->kind == RULE_CFA_REGISTER && cfi->cfa_reg == RSP && cfi->cfa_offset > 1;
}

/* `endbr64; ret` or `ret`, and nothing else, as _Unwind_DebugHook() is. */
static bool is_empty_function(const uint8_t *code, size_t size, size_t at)
{
	static const uint8_t bytes[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xc3 };
	const size_t ret = sizeof(bytes) - 1;

	if (is_code(code, size, at, bytes, sizeof(bytes)) ||
	    (at >= ret && is_code(code, size, at - ret, bytes, sizeof(bytes))))
		return true;
	return at % 16 == 0 && size - at >= 2 && code[at] == bytes[ret] &&
	       (code[at + 1] == 0x66 || code[at + 1] == 0x0f || code[at + 1] == 0x90);
}

/* It keeps every register, which the CFI does not promise. */
static void make_empty(struct made_rule *made)
{
	x86_push_sum(made, RSP, 8);
	made->rule.cfa = made_rule_since(made, 0);
	for (unsigned reg = 0; reg < RIP; reg++)
		made->rule.regs[reg].how = SAVED_SAME;
	made->rule.regs[RSP].how = SAVED_UNDEFINED;
	x86_push_sum(made, RSP, 0);
	x86_save_at(made, RIP, 1);
}

/* CFA = @reg + 8 * @words, and the return address lies below it. */
static bool is_rule(const struct rule *cfi, unsigned reg, int words)
{
	return cfi->kind == RULE_CFA_REGISTER && cfi->cfa_reg == reg && cfi->cfa_offset == words &&
	       cfi->slots[N_SAVED - 1] == 1;
}

static bool keeps_all(const struct rule *cfi)
{
	for (size_t i = 0; i + 1 < N_SAVED; i++)
		if (cfi->slots[i] != SLOT_SAME)
			return false;
	return true;
}

struct made_rule *x86_64_make_rule(const uint8_t *code, size_t size, size_t at,
				   const struct rule *cfi)
{
	struct eh_return found = { .load = 0 };
	size_t into;
	const bool is_in_frame =
		is_rule(cfi, RBP, OWN_CFA / 8) && find_eh_return(code, size, at, &found);
	const bool is_empty =
		is_rule(cfi, RSP, 1) && keeps_all(cfi) && is_empty_function(code, size, at);
	const bool leaves = !has_frame_at_sp(cfi) && is_leaving(code, size, at, &into);

	if (!is_in_frame && !is_empty && !leaves)
		return NULL;
	struct made_rule *made = made_rule_create();
	if (!made)
		return NULL;
	if (leaves)
		x86_make_leaving(made, &own_words, into);
	else if (is_empty)
		make_empty(made);
	else
		make_in_frame(made, code, &found, at, cfi);
	return made;
}
