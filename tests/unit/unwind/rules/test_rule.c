#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unwind/rules/rule.h"
#include "unwind/rules/usual_frame.h"

#define RBX   3
#define RDI   5
#define RBP   6
#define RSP   7
#define R12   12
#define RIP   16
#define STACK 0x7fff0000ull

/* word n is 0x100 + n */
static uint64_t words[16];
static struct stack_copy stack = { .bytes = (uint8_t *)words, .start = STACK };

static int fill_stack(void **state)
{
	(void)state;
	for (size_t i = 0; i < 16; i++)
		words[i] = 0x100 + i;
	stack.size = sizeof(words);
	stack.is_full = false;
	stack.mapping_end = 0;
	return 0;
}

static struct regs leaf_regs(void)
{
	struct regs regs = { .pc = 0x1000 };

	regs_set(&regs, RSP, STACK);
	regs_set(&regs, RBP, STACK + 64);
	regs_set(&regs, RBX, 33);
	regs_set(&regs, R12, 12);
	regs_set(&regs, RIP, 0x1000);
	regs_set(&regs, 0, 99);
	return regs;
}

/* CFA = @reg + @offset words, return address below it. */
static struct rule rule_with(uint8_t reg, int16_t offset)
{
	struct rule rule = { .kind = RULE_CFA_REGISTER };

	rule.cfa_reg = reg & 31;
	rule.cfa_offset = offset;
	rule.slots[6] = 1;
	return rule;
}

static bool apply(const struct rule *rule, struct regs *regs, bool is_exact,
		  enum unwind_end *end_ret)
{
	return rule_apply(rule, &arch_x86_64, &stack, regs, &is_exact, end_ret);
}

static void the_callers_registers_come_from_the_stack(void **state)
{
	struct rule rule = rule_with(RSP, 4);
	struct regs regs = leaf_regs();
	bool is_exact = true;
	enum unwind_end end;

	(void)state;
	rule.slots[0] = 3;
	rule.slots[1] = 2;
	assert_true(rule_apply(&rule, &arch_x86_64, &stack, &regs, &is_exact, &end));
	assert_false(is_exact);
	assert_int_equal(regs.pc, 0x103);
	assert_int_equal(regs.values[RSP], STACK + 32);
	assert_int_equal(regs.values[RBX], 0x101);
	assert_int_equal(regs.values[RBP], 0x102);
	assert_int_equal(regs.values[R12], 12);
	assert_false(regs_have(&regs, 0)); /* rax does not survive a call */
}

static void the_cfa_may_be_in_memory(void **state)
{
	struct rule rule = rule_with(RBP, -1);
	struct regs regs = leaf_regs();
	enum unwind_end end;

	(void)state;
	rule.kind = RULE_CFA_MEMORY;
	rule.cfa_addend = 1;
	words[7] = STACK + 72;
	assert_true(apply(&rule, &regs, true, &end));
	assert_int_equal(regs.values[RSP], STACK + 80);
	assert_int_equal(regs.pc, 0x109);
}

static void a_rule_has_a_cfa_without_being_applied(void **state)
{
	struct rule rule = rule_with(RBP, -1);
	const struct regs regs = leaf_regs();
	struct regs lost = regs;
	uint64_t cfa;

	(void)state;
	assert_true(rule_cfa(&rule, &arch_x86_64, &stack, &regs, &cfa));
	assert_int_equal(cfa, STACK + 56);
	rule.kind = RULE_CFA_MEMORY;
	rule.cfa_addend = 1;
	words[7] = STACK + 72;
	assert_true(rule_cfa(&rule, &arch_x86_64, &stack, &regs, &cfa));
	assert_int_equal(cfa, STACK + 80);
	lost.valid &= ~(1ull << RBP);
	assert_false(rule_cfa(&rule, &arch_x86_64, &stack, &lost, &cfa));
	rule.kind = RULE_NONE;
	assert_false(rule_cfa(&rule, &arch_x86_64, &stack, &regs, &cfa));
}

static void a_slot_below_the_stack_pointer_was_popped(void **state)
{
	struct rule rule = rule_with(RSP, 1);
	struct regs regs = leaf_regs();
	enum unwind_end end;

	(void)state;
	rule.slots[0] = 2;
	assert_true(apply(&rule, &regs, true, &end));
	assert_int_equal(regs.values[RBX], 33);
	assert_true(regs_have(&regs, RBX));
}

static void a_register_that_cannot_be_read_is_lost_but_the_walk_goes_on(void **state)
{
	struct rule rule = rule_with(RSP, 2);
	struct regs regs = leaf_regs();
	enum unwind_end end;

	(void)state;
	rule.slots[1] = SLOT_UNDEFINED;
	assert_true(apply(&rule, &regs, true, &end));
	assert_false(regs_have(&regs, RBP));
	rule = rule_with(RBP, 2);
	assert_false(apply(&rule, &regs, false, &end));
	assert_int_equal(end, UNWIND_BAD_CFI);
}

static void an_address_beyond_the_copy_is_a_cut_only_if_the_copy_was_full(void **state)
{
	static const struct {
		const char *what;
		int64_t distance; /* of the return address from the stack pointer */
		bool is_full;
		enum unwind_end end;
	} cases[] = {
		{ "just beyond a full copy", 128, true, UNWIND_STACK_CUT },
		{ "half beyond a full copy", 124, true, UNWIND_STACK_CUT },
		{ "just beyond a short copy", 128, false, UNWIND_BAD_MEMORY },
		{ "farther than any stack", 1ll << 40, true, UNWIND_BAD_MEMORY },
		{ "address space's end", -8, true, UNWIND_NO_PROGRESS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rule rule = rule_with(RBP, 1);
		struct regs regs = leaf_regs();
		enum unwind_end end = UNWIND_ROOT;

		regs_set(&regs, RBP, STACK + (uint64_t)cases[i].distance);
		stack.is_full = cases[i].is_full;
		assert_false(apply(&rule, &regs, true, &end));
		if (end != cases[i].end)
			print_error("%s\n", cases[i].what);
		assert_int_equal(end, cases[i].end);
	}
}

static void what_lies_beyond_a_page_that_was_not_in_memory_is_in_a_hole(void **state)
{
	static const struct {
		const char *what;
		int64_t distance; /* of the return address from the stack pointer */
		uint64_t mapping_size;
		enum unwind_end end;
	} cases[] = {
		{ "just beyond the copy", 128, 4096, UNWIND_STACK_HOLE },
		{ "the mapping's last word", 4080, 4096, UNWIND_STACK_HOLE },
		{ "where the mapping ends", 4096, 4096, UNWIND_BAD_MEMORY },
		{ "not cut", 128, 0, UNWIND_BAD_MEMORY },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rule rule = rule_with(RBP, 1);
		struct regs regs = leaf_regs();
		enum unwind_end end = UNWIND_ROOT;

		regs_set(&regs, RBP, STACK + (uint64_t)cases[i].distance);
		stack.mapping_end = cases[i].mapping_size ? STACK + cases[i].mapping_size : 0;
		assert_false(apply(&rule, &regs, true, &end));
		if (end != cases[i].end)
			print_error("%s\n", cases[i].what);
		assert_int_equal(end, cases[i].end);
	}
}

static void the_stack_pointer_must_move_up(void **state)
{
	static const int64_t rbps[] = { 0, -8, -1000 };

	(void)state;
	for (size_t i = 0; i < sizeof(rbps) / sizeof(rbps[0]); i++) {
		struct rule rule = rule_with(RBP, 0);
		struct regs regs = leaf_regs();
		enum unwind_end end;

		regs_set(&regs, RBP, STACK + (uint64_t)rbps[i]);
		assert_false(apply(&rule, &regs, true, &end));
		assert_int_equal(end, UNWIND_NO_PROGRESS);
	}
}

/* glibc's vfork() on x86-64: the return address is popped into rdi, then the system call is made.
 */
static void a_leaf_may_keep_its_return_address_in_a_register(void **state)
{
	static const struct expression_op rsp = { 0x92, RSP, 0 };
	struct general_rule general = { .cfa = { &rsp, 1 } };
	struct rule rule = { .general_kind = RULE_GENERAL, .general = &general };
	enum unwind_end end;

	(void)state;
	for (size_t i = 0; i < REGS_MAX; i++)
		general.regs[i].how = SAVED_SAME;
	general.regs[RIP].how = SAVED_REGISTER;
	general.regs[RIP].reg = RDI;
	for (int is_leaf = 0; is_leaf <= 1; is_leaf++) {
		struct regs regs = leaf_regs();

		regs_set(&regs, RDI, 0x2000);
		assert_int_equal(apply(&rule, &regs, is_leaf, &end), is_leaf);
		if (is_leaf)
			assert_int_equal(regs.pc, 0x2000);
		else
			assert_int_equal(end, UNWIND_NO_PROGRESS);
	}
}

static bool evaluate(const struct expression_op *ops, size_t n_ops, uint64_t *value_ret,
		     enum unwind_end *end_ret)
{
	const struct expression expression = { ops, n_ops };
	const struct regs regs = leaf_regs();

	return expression_evaluate(&expression, &regs, 0xcfa, &stack, value_ret, end_ret);
}

/* Atoms are DW_OP_*: 0x0f const8s, 0x92 bregx, 0x06 deref, 0x94 deref_size, 0x28 bra, 0x2f skip. */
static const struct {
	const char *what;
	struct expression_op ops[8];
	size_t n_ops;
	bool ok;
	uint64_t value; /* or the end */
} expressions[] = {
	{ "constant", { { 0x0f, 0, -5 } }, 1, true, (uint64_t)-5 },
	{ "register", { { 0x92, RBX, 7 } }, 1, true, 40 },
	{ "unknown register", { { 0x92, 1, 0 } }, 1, false, UNWIND_BAD_CFI },
	{ "CFA", { { 0x9c, 0, 0 } }, 1, true, 0xcfa },
	{ "deref", { { 0x92, RSP, 8 }, { 0x06, 0, 0 } }, 2, true, 0x101 },
	{ "deref outside", { { 0x0f, 0, 8 }, { 0x06, 0, 0 } }, 2, false, UNWIND_BAD_MEMORY },
	{ "deref of the last byte", { { 0x92, RSP, 127 }, { 0x94, 0, 1 } }, 2, true, 0 },
	{ "deref of one byte", { { 0x92, RSP, 9 }, { 0x94, 0, 1 } }, 2, true, 1 },
	{ "deref of no bytes", { { 0x92, RSP, 9 }, { 0x94, 0, 0 } }, 2, false, UNWIND_BAD_CFI },
	{ "minus", { { 0x0f, 0, 9 }, { 0x0f, 0, 4 }, { 0x1c, 0, 0 } }, 3, true, 5 },
	{ "and", { { 0x0f, 0, 29 }, { 0x0f, 0, 15 }, { 0x1a, 0, 0 } }, 3, true, 13 },
	{ "ge is signed", { { 0x0f, 0, 0 }, { 0x0f, 0, -1 }, { 0x2a, 0, 0 } }, 3, true, 1 },
	{ "shl", { { 0x0f, 0, 1 }, { 0x0f, 0, 3 }, { 0x24, 0, 0 } }, 3, true, 8 },
	{ "shl by much", { { 0x0f, 0, 1 }, { 0x0f, 0, 64 }, { 0x24, 0, 0 } }, 3, true, 0 },
	{ "shra", { { 0x0f, 0, -16 }, { 0x0f, 0, 2 }, { 0x26, 0, 0 } }, 3, true, (uint64_t)-4 },
	{ "shra by much",
	  { { 0x0f, 0, -1 }, { 0x0f, 0, 99 }, { 0x26, 0, 0 } },
	  3,
	  true,
	  UINT64_MAX },
	{ "div by 0",
	  { { 0x0f, 0, 1 }, { 0x0f, 0, 0 }, { 0x1b, 0, 0 } },
	  3,
	  false,
	  UNWIND_BAD_CFI },
	{ "div of the least by -1",
	  { { 0x0f, 0, INT64_MIN }, { 0x0f, 0, -1 }, { 0x1b, 0, 0 } },
	  3,
	  true,
	  1ull << 63 },
	{ "swap", { { 0x0f, 0, 1 }, { 0x0f, 0, 2 }, { 0x16, 0, 0 } }, 3, true, 1 },
	{ "over", { { 0x0f, 0, 1 }, { 0x0f, 0, 2 }, { 0x14, 0, 0 } }, 3, true, 1 },
	{ "pick too deep", { { 0x0f, 0, 1 }, { 0x15, 0, 1 } }, 2, false, UNWIND_BAD_CFI },
	{ "rot", { { 0x0f, 0, 1 }, { 0x0f, 0, 2 }, { 0x0f, 0, 3 }, { 0x17, 0, 0 } }, 4, true, 2 },
	{ "drop", { { 0x0f, 0, 1 }, { 0x0f, 0, 2 }, { 0x13, 0, 0 } }, 3, true, 1 },
	{ "drop of the last", { { 0x0f, 0, 1 }, { 0x13, 0, 0 } }, 2, false, UNWIND_BAD_CFI },
	{ "branch taken",
	  { { 0x0f, 0, 5 }, { 0x0f, 0, 1 }, { 0x28, 0, 4 }, { 0x0f, 0, 6 } },
	  4,
	  true,
	  5 },
	{ "branch not taken",
	  { { 0x0f, 0, 5 }, { 0x0f, 0, 0 }, { 0x28, 0, 4 }, { 0x0f, 0, 6 } },
	  4,
	  true,
	  6 },
	{ "endless loop", { { 0x0f, 0, 5 }, { 0x2f, 0, 1 } }, 2, false, UNWIND_BAD_CFI },
	{ "stack overflow", { { 0x0f, 0, 5 }, { 0x2f, 0, 0 } }, 2, false, UNWIND_BAD_CFI },
	{ "unknown operation", { { 0x0f, 0, 5 }, { 0xff, 0, 0 } }, 2, false, UNWIND_BAD_CFI },
	{ "nothing", { { 0 } }, 0, false, UNWIND_BAD_CFI },
	{ "underflow", { { 0x0f, 0, 5 }, { 0x22, 0, 0 } }, 2, false, UNWIND_BAD_CFI },
};

static void expressions_evaluate(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++) {
		enum unwind_end end = UNWIND_ROOT;
		uint64_t value = 0;
		bool ok = evaluate(expressions[i].ops, expressions[i].n_ops, &value, &end);

		if (ok != expressions[i].ok || (ok ? value : end) != expressions[i].value)
			print_error("%s\n", expressions[i].what);
		assert_int_equal(ok, expressions[i].ok);
		assert_int_equal(ok ? value : end, expressions[i].value);
	}
}

/* Atoms as above. */
static void expressions_of_32_bit_code_have_32_bits(void **state)
{
	static const struct {
		const char *what;
		struct expression_op ops[4];
		size_t n_ops;
		bool ok;
		uint32_t value;
	} cases[] = {
		{ "negative constant", { { 0x0f, 0, -5 } }, 1, true, (uint32_t)-5 },
		{ "sums wrap", { { 0x92, 4, 0x7fffffff } }, 1, true, 0x7ffeffffu },
		{ "deref reads a word", { { 0x92, 4, 8 }, { 0x06, 0, 0 } }, 2, true, 0x102 },
		{ "deref of the last word", { { 0x92, 4, 124 }, { 0x06, 0, 0 } }, 2, true, 0x11f },
		{ "deref of the last byte", { { 0x92, 4, 127 }, { 0x94, 0, 1 } }, 2, true, 0 },
		{ "deref of 8 bytes", { { 0x92, 4, 8 }, { 0x94, 0, 8 } }, 2, false, 0 },
		{ "shr brings in zeros",
		  { { 0x0f, 0, -1 }, { 0x0f, 0, 28 }, { 0x25, 0, 0 } },
		  3,
		  true,
		  15 },
		{ "shra keeps the sign",
		  { { 0x0f, 0, 0x80000000 }, { 0x0f, 0, 31 }, { 0x26, 0, 0 } },
		  3,
		  true,
		  UINT32_MAX },
		{ "mod is unsigned",
		  { { 0x0f, 0, -1 }, { 0x0f, 0, 16 }, { 0x1d, 0, 0 } },
		  3,
		  true,
		  15 },
		{ "lt is signed",
		  { { 0x0f, 0, 0xffffffff }, { 0x0f, 0, 0 }, { 0x2d, 0, 0 } },
		  3,
		  true,
		  1 },
	};
	static uint32_t narrow[32];
	const struct stack_copy copy = { .bytes = (const uint8_t *)narrow,
					 .start = 0xffff0000,
					 .size = sizeof(narrow),
					 .is_32_bit = true };
	struct regs regs = { .pc = 0x1000 };

	(void)state;
	for (uint32_t i = 0; i < 32; i++)
		narrow[i] = 0x100 + i;
	regs_set(&regs, 4, copy.start);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct expression expression = { cases[i].ops, cases[i].n_ops };
		enum unwind_end end;
		uint64_t value = 0;

		if (expression_evaluate(&expression, &regs, 0, &copy, &value, &end) !=
			    cases[i].ok ||
		    value != cases[i].value)
			fail_msg("%s: %#lx", cases[i].what, value);
	}
}

/* ebx at CFA - 3 words, ebp at CFA - 2, the return address at CFA - 1. */
static void rules_of_32_bit_code_count_in_words_of_four_bytes(void **state)
{
	static const uint32_t narrow[] = { 0x100, 0x101, 0x102, 0x103, 0x104 };
	const struct stack_copy copy = { .bytes = (const uint8_t *)narrow,
					 .start = 0xffff0000,
					 .size = sizeof(narrow),
					 .is_32_bit = true };
	struct rule rule = { .kind = RULE_CFA_REGISTER };
	struct regs regs = { .pc = 0x1000 };
	bool is_exact = true;
	enum unwind_end end;

	(void)state;
	rule.cfa_reg = 4;
	rule.cfa_offset = 5;
	rule.slots[0] = 3;
	rule.slots[1] = 2;
	rule.slots[4] = 1;
	for (unsigned reg = 0; reg <= 8; reg++)
		regs_set(&regs, reg, reg);
	regs_set(&regs, 4, copy.start);
	assert_true(rule_apply(&rule, &arch_i386, &copy, &regs, &is_exact, &end));
	assert_int_equal(regs.pc, 0x104);
	assert_int_equal(regs.values[3], 0x102);
	assert_int_equal(regs.values[5], 0x103);
	assert_int_equal(regs.values[6], 6);
	assert_int_equal(regs.values[4], copy.start + sizeof(narrow));
	assert_false(regs_have(&regs, 1));
}

/* xorshift */
static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static struct rule random_rule(const struct arch *arch, uint64_t *random)
{
	static const uint8_t likely[] = { SLOT_SAME, SLOT_SAME,      1,  1, 2, 3, 4, 5, 6, 7, 8,
					  16,        SLOT_UNDEFINED, 254 };
	struct rule rule = { .kind = RULE_CFA_REGISTER };

	rule.cfa_reg = (next_random(random) % 4 ? arch->sp : arch->fp) & 31;
	rule.cfa_offset = (int16_t)(next_random(random) % 20 - 2);
	for (size_t i = 0; i < RULE_SLOTS; i++)
		rule.slots[i] = likely[next_random(random) % sizeof(likely)];
	if (next_random(random) % 4)
		for (size_t i = 0; i < RULE_SLOTS; i++)
			rule.slots[i] &= 15;
	return rule;
}

static struct regs random_regs(const struct arch *arch, uint64_t *random)
{
	struct regs regs = { .valid = (1ull << arch->n_regs) - 1 };

	for (size_t i = 0; i < REGS_MAX; i++)
		regs.values[i] = next_random(random);
	regs.values[arch->sp] = STACK + next_random(random) % 20 * 8 - 16;
	regs.values[arch->fp] = STACK + next_random(random) % 20 * 8;
	if (next_random(random) % 8 == 0)
		regs.valid &= next_random(random) | 1ull << arch->sp;
	return regs;
}

static void assert_same_caller(const struct arch *arch, const struct rule *rule,
			       const struct regs *leaf, const struct regs *caller)
{
	for (int i = 0; i < 2; i++) {
		struct regs regs = *leaf;
		bool is_exact = i;
		enum unwind_end end;

		assert_true(rule_apply(rule, arch, &stack, &regs, &is_exact, &end));
		assert_false(is_exact);
		assert_int_equal(regs.pc, caller->pc);
		assert_int_equal(regs.valid, caller->valid);
		for (unsigned reg = 0; reg < REGS_MAX; reg++)
			if (regs_have(&regs, reg))
				assert_int_equal(regs.values[reg], caller->values[reg]);
	}
}

static void the_callers_of_usual_frames_are_those_of_all_frames(void **state)
{
	static const struct arch *const archs[] = { &arch_x86_64, &arch_aarch64 };
	const unsigned n = 200000;
	uint64_t random = 88172645463325252;

	(void)state;
	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++) {
		unsigned n_usual = 0;

		for (unsigned k = 0; k < n; k++) {
			const struct rule rule = random_rule(archs[i], &random);
			const struct regs leaf = random_regs(archs[i], &random);
			struct regs caller = leaf;

			stack.size = next_random(&random) % (sizeof(words) + 1);
			if (!usual_frame_rule(&rule))
				continue;
			if (archs[i]->usual_caller(&rule, &stack, &caller)) {
				assert_same_caller(archs[i], &rule, &leaf, &caller);
				n_usual++;
			} else {
				assert_memory_equal(&caller, &leaf, sizeof(leaf));
			}
		}
		assert_in_range(n_usual, n / 100, n);
	}
}

static void where_registers_are_saved_is_told(void **state)
{
	struct rule rule = rule_with(RSP, 4);
	struct regs regs = leaf_regs(), caller = regs;
	const uint64_t cfa = STACK + 32;
	uint64_t addr;
	bool is_exact = true;
	enum unwind_end end;

	(void)state;
	rule.slots[0] = 3;              /* rbx */
	rule.slots[1] = 5;              /* rbp, whose slot is popped */
	rule.slots[3] = SLOT_UNDEFINED; /* r13 */
	assert_true(rule_apply(&rule, &arch_x86_64, &stack, &caller, &is_exact, &end));
	assert_int_equal(rule_find_saved(&rule, &arch_x86_64, &regs, cfa, RBX, &addr),
			 SAVED_IN_MEMORY);
	assert_int_equal(addr, STACK + 8);
	assert_int_equal(caller.values[RBX], words[1]);
	assert_int_equal(rule_find_saved(&rule, &arch_x86_64, &regs, cfa, RIP, &addr),
			 SAVED_IN_MEMORY);
	assert_int_equal(addr, STACK + 24);
	assert_int_equal(rule_find_saved(&rule, &arch_x86_64, &regs, cfa, RBP, &addr),
			 SAVED_IN_PLACE);
	assert_int_equal(caller.values[RBP], regs.values[RBP]);
	assert_int_equal(rule_find_saved(&rule, &arch_x86_64, &regs, cfa, R12, &addr),
			 SAVED_IN_PLACE);
	assert_int_equal(rule_find_saved(&rule, &arch_x86_64, &regs, cfa, 13, &addr),
			 SAVED_NOT_KNOWN);
	rule.kind = RULE_NONE;
	assert_int_equal(rule_find_saved(&rule, &arch_x86_64, &regs, cfa, RBX, &addr),
			 SAVED_NOT_KNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(where_registers_are_saved_is_told, fill_stack),
		cmocka_unit_test_setup(the_callers_registers_come_from_the_stack, fill_stack),
		cmocka_unit_test(expressions_of_32_bit_code_have_32_bits),
		cmocka_unit_test(rules_of_32_bit_code_count_in_words_of_four_bytes),
		cmocka_unit_test_setup(the_cfa_may_be_in_memory, fill_stack),
		cmocka_unit_test_setup(a_rule_has_a_cfa_without_being_applied, fill_stack),
		cmocka_unit_test_setup(a_slot_below_the_stack_pointer_was_popped, fill_stack),
		cmocka_unit_test_setup(a_register_that_cannot_be_read_is_lost_but_the_walk_goes_on,
				       fill_stack),
		cmocka_unit_test_setup(
			an_address_beyond_the_copy_is_a_cut_only_if_the_copy_was_full, fill_stack),
		cmocka_unit_test_setup(what_lies_beyond_a_page_that_was_not_in_memory_is_in_a_hole,
				       fill_stack),
		cmocka_unit_test_setup(the_stack_pointer_must_move_up, fill_stack),
		cmocka_unit_test_setup(a_leaf_may_keep_its_return_address_in_a_register,
				       fill_stack),
		cmocka_unit_test_setup(expressions_evaluate, fill_stack),
		cmocka_unit_test_setup(the_callers_of_usual_frames_are_those_of_all_frames,
				       fill_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
