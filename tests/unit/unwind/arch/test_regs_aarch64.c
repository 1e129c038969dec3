/* arm64: register numbers, return addresses, and what is known by instructions. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unwind/rules/rule.h"

#define SP 31

static const struct arch *const arch = &arch_aarch64;

static void the_architecture_is_found_for_64_bit_tasks(void **state)
{
	(void)state;
	assert_ptr_equal(arch_find("aarch64", PERF_SAMPLE_REGS_ABI_64), arch);
	assert_null(arch_find("aarch64", PERF_SAMPLE_REGS_ABI_32));
}

static void registers_have_the_same_numbers_in_perf_and_dwarf(void **state)
{
	uint64_t values[33];
	struct regs regs;

	(void)state;
	for (unsigned i = 0; i < 33; i++)
		values[i] = 100 + i;
	assert_true(regs_from_perf(arch, (1ull << 33) - 1, values, &regs));
	assert_int_equal(regs.pc, 132);
	assert_int_equal(regs.valid, (1ull << 33) - 1);
	for (unsigned i = 0; i < 33; i++)
		assert_int_equal(regs.values[i], 100 + i);
	/* The sve vector length, if it was requested. */
	assert_true(regs_from_perf(arch, UINT64_MAX & ~(1ull << 40), (uint64_t[64]){ 0 }, &regs));
	assert_int_equal(regs.valid, (1ull << 33) - 1);
	assert_false(regs_from_perf(arch, (1ull << 31) - 1, values, &regs));
}

/* Rules keep a slot for each of them. */
static void all_saved_registers_fit_a_rule(void **state)
{
	(void)state;
	assert_int_equal(__builtin_popcountll(rule_saved_regs(arch)), RULE_SLOTS);
	assert_int_equal(rule_saved_regs(arch), 0x7ff80000);
}

static void signatures_and_tags_are_stripped(void **state)
{
	static const struct {
		uint64_t signed_address, address;
	} cases[] = {
		{ 0x0000ffff8e3a0e40, 0x0000ffff8e3a0e40 }, /* nothing to strip */
		{ 0x003cffff8e3a0e40, 0x0000ffff8e3a0e40 }, /* signed: bits 48 to 54 */
		{ 0x007fffff8e3a0e40, 0x0000ffff8e3a0e40 },
		{ 0xab2dffff8e3a0e40, 0x0000ffff8e3a0e40 }, /* tagged and signed */
		{ 0xffffc633ba3b5d54, 0xffffc633ba3b5d54 }, /* the kernel's: bit 55 */
		{ 0x12bec633ba3b5d54, 0xffffc633ba3b5d54 },
		{ 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(arch->strip_return_address(cases[i].signed_address),
				 cases[i].address);
}

static const struct {
	const char *text;
	uint32_t code;
	bool is_call;
	int64_t distance;
} endings[] = {
	{ "bl .+8", 0x94000002, true, 4 },
	{ "bl .-4", 0x97ffffff, true, -8 },
	{ "bl .-0x8000000", 0x96000000, true, -0x8000004 },
	{ "blr x1", 0xd63f0020, true, 0 },
	{ "blr x30", 0xd63f03c0, true, 0 },
	{ "blraa x1, x2", 0xd73f0822, true, 0 },
	{ "blrab x1, sp", 0xd73f0c3f, true, 0 },
	{ "blraaz x1", 0xd63f083f, true, 0 },
	{ "blrabz x1", 0xd63f0c3f, true, 0 },
	{ "b .+8", 0x14000002, false, 0 },
	{ "br x1", 0xd61f0020, false, 0 },
	{ "ret", 0xd65f03c0, false, 0 },
	{ "svc #0", 0xd4000001, false, 0 },
	{ "nop", 0xd503201f, false, 0 },
};

static void calls_are_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const uint32_t code[] = { 0xd503201f, endings[i].code };
		int64_t distance = 1;
		bool is_call = arch->ends_in_call((const uint8_t *)code, sizeof(code), &distance);

		if (is_call != endings[i].is_call || distance != endings[i].distance)
			print_error("%s\n", endings[i].text);
		assert_int_equal(is_call, endings[i].is_call);
		assert_int_equal(distance, endings[i].distance);
	}
	int64_t distance;
	assert_false(arch->ends_in_call((const uint8_t *)"\0\0\0", 3, &distance));
}

static void trampolines_go_through_x16(void **state)
{
	const uint32_t plt[] = { 0xb0000090, 0xf9400211 };
	const uint32_t plt_with_bti[] = { 0xd503245f, 0xb0000090, 0xf9400211 };
	const uint32_t veneer[] = { 0x90000010, 0x91004210 };
	const uint32_t other[] = { 0x90000010, 0xf9400210 };

	(void)state;
	assert_true(arch->is_trampoline((const uint8_t *)plt, sizeof(plt)));
	assert_true(arch->is_trampoline((const uint8_t *)plt_with_bti, sizeof(plt_with_bti)));
	assert_true(arch->is_trampoline((const uint8_t *)veneer, sizeof(veneer)));
	assert_false(arch->is_trampoline((const uint8_t *)other, sizeof(other)));
	assert_false(arch->is_trampoline((const uint8_t *)plt, 7));
	assert_false(arch->is_trampoline((const uint8_t *)plt_with_bti, 8));
}

#define PACIASP    0xd503233f
#define STP_PRE    0xa9be7bfd /* stp x29, x30, [sp, #-32]! */
#define STP_OFFSET 0xa9017bfd /* stp x29, x30, [sp, #16] */
#define MOV_X29_SP 0x910003fd
#define ADD_X29_SP 0x910043fd /* add x29, sp, #16 */
#define LDP_POST   0xa8c27bfd
#define RET        0xd65f03c0
#define NOP        0xd503201f

static void frame_pointers_are_seen_in_the_code_before(void **state)
{
	static const struct {
		uint32_t code[6];
		size_t n, since;
	} cases[] = {
		{ { PACIASP, STP_PRE, MOV_X29_SP, NOP }, 4, 12 },
		{ { NOP, STP_OFFSET, NOP, ADD_X29_SP }, 4, 12 },
		{ { STP_PRE, MOV_X29_SP, NOP, LDP_POST, RET, NOP }, 6, 0 },
		{ { STP_PRE, MOV_X29_SP, LDP_POST }, 3, 0 },
		{ { STP_PRE, NOP }, 2, 0 },
		{ { MOV_X29_SP, NOP }, 2, 0 },
		{ { RET, STP_PRE, MOV_X29_SP }, 3, 8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			arch->frame_pointer_since((const uint8_t *)cases[i].code, cases[i].n * 4),
			cases[i].since);
	assert_int_equal(arch->frame_pointer_since((const uint8_t *)cases[0].code, 3), 0);
}

/* Entries as ld writes them: what the caller's stack pointer is above each instruction's; -1: no
 * rule. */
static const struct {
	uint32_t code;
	int words;
} plt[] = {
	{ NOP, -1 },        { 0xd503245f, 0 },  /* bti c */
	{ 0xa9bf7bf0, 0 },                      /* stp x16, x30, [sp, #-16]! */
	{ 0xf0000490, 2 },                      /* adrp x16, 9f000 */
	{ 0xf947fe11, 2 },                      /* ldr x17, [x16, #4088] */
	{ 0x913fe210, 2 },                      /* add x16, x16, #0xff8 */
	{ 0xd61f0220, 2 },                      /* br x17 */
	{ NOP, -1 },        { 0x900004b0, 0 },  /* adrp x16, a0000 */
	{ 0xf9400611, 0 },                      /* ldr x17, [x16, #8] */
	{ 0x91002210, 0 },                      /* add x16, x16, #8 */
	{ 0xd61f0220, 0 },                      /* br x17 */
	{ 0xd503245f, 0 },                      /* bti c */
	{ 0x900004b0, 0 },                      /* adrp x16, a0000 */
	{ 0xf9400a11, 0 },                      /* ldr x17, [x16, #16] */
	{ 0x91004210, 0 },                      /* add x16, x16, #16 */
	{ 0xd503219f, 0 },                      /* autia1716 */
	{ 0xd61f0220, 0 },                      /* br x17 */
	{ NOP, -1 },        { 0xd503245f, 2 },  /* bti c of _dl_runtime_resolve */
	{ 0xa9b327e8, -1 },                     /* stp x8, x9, [sp, #-208]! */
	{ NOP, 2 },                             /* where that has no landing pads */
	{ 0xa9b327e8, -1 }, { 0x900004b0, -1 }, /* adrp x16, a0000, no PLT's */
	{ 0xf9400611, -1 }, { 0xd61f0060, -1 }, /* br x3 */
};

static void plts_have_rules_at_each_instruction(void **state)
{
	enum { N = sizeof(plt) / sizeof(plt[0]) };
	uint32_t code[N];
	struct rule rule;

	(void)state;
	for (size_t i = 0; i < N; i++)
		code[i] = plt[i].code;
	for (size_t i = 0; i < N; i++) {
		bool found = arch->rule_by_code((const uint8_t *)code, sizeof(code), i * 4, &rule);

		if (found != (plt[i].words >= 0))
			print_error("instruction %zu\n", i);
		assert_int_equal(found, plt[i].words >= 0);
		if (!found)
			continue;
		assert_int_equal(rule.kind, RULE_CFA_REGISTER);
		assert_int_equal(rule.cfa_reg, SP);
		assert_int_equal(rule.cfa_offset, plt[i].words);
		for (size_t slot = 0; slot < RULE_SLOTS; slot++)
			assert_int_equal(rule.slots[slot], SLOT_SAME);
		/* Nobody returns to there. */
		assert_false(
			arch->rule_by_code((const uint8_t *)code, sizeof(code), i * 4 - 1, &rule));
	}
}

static void no_byte_outside_the_code_is_read(void **state)
{
	enum { N = sizeof(plt) / sizeof(plt[0]) };

	(void)state;
	for (size_t size = 0; size <= N * 4; size++) {
		uint8_t *code = malloc(size ? size : 1);
		struct rule rule;

		assert_non_null(code);
		for (size_t i = 0; i < size; i++)
			code[i] = (uint8_t)(plt[i / 4].code >> i % 4 * 8);
		for (size_t at = 0; at <= size; at++)
			arch->rule_by_code(code, size, at, &rule);
		free(code);
	}
}

/* A signal's frame on the stack, with the registers' numbers plus 1000 in it. */
struct sigframe {
	uint64_t words[128];
};

static void set_up_sigframe(struct sigframe *frame, uint64_t pc)
{
	memset(frame, 0, sizeof(*frame));
	for (size_t reg = 0; reg < 32; reg++)
		frame->words[39 + reg] = 1000 + reg;
	frame->words[39 + 31] = 0xffff00000;
	frame->words[39 + 32] = pc;
	frame->words[74] = 0x21046508001; /* size and magic of fpsimd_context */
}

static bool apply_at(size_t at, bool is_exact, const struct sigframe *frame, struct regs *regs,
		     enum unwind_end *end)
{
	static const uint32_t code[] = { NOP, 0xd2801168, 0xd4000001, NOP, NOP };
	const struct stack_copy stack = { .bytes = (const uint8_t *)frame,
					  .start = 0x7000,
					  .size = sizeof(*frame) };
	struct rule rule;

	*regs = (struct regs){ .valid = 0 };
	regs_set(regs, SP, 0x7000);
	return arch->rule_by_code((const uint8_t *)code, sizeof(code), at, &rule) &&
	       rule_apply(&rule, arch, &stack, regs, &is_exact, end) && is_exact;
}

static void interrupted_registers_are_read_from_the_signals_frame(void **state)
{
	struct sigframe frame;
	enum unwind_end end;
	struct regs regs;

	(void)state;
	set_up_sigframe(&frame, 0x4000);
	/* A handler's return address, less one; in the trampoline; in its system call. */
	for (size_t at = 3; at <= 12; at += at == 3 ? 1 : 4) {
		assert_true(apply_at(at, at != 3, &frame, &regs, &end));
		assert_int_equal(regs.pc, 0x4000);
		for (unsigned reg = 0; reg < 31; reg++) {
			assert_true(regs_have(&regs, reg));
			assert_int_equal(regs.values[reg], 1000 + reg);
		}
		assert_int_equal(regs.values[SP], 0xffff00000);
	}
	assert_false(apply_at(0, true, &frame, &regs, &end));
	assert_false(apply_at(16, true, &frame, &regs, &end));
	assert_false(apply_at(13, true, &frame, &regs, &end));
}

/* The kernel has set back the stack pointer, but not the pc. */
static void half_a_sigreturn_has_no_caller(void **state)
{
	struct sigframe frame;
	enum unwind_end end;
	struct regs regs;

	(void)state;
	set_up_sigframe(&frame, 0x4000);
	frame.words[74] = 0;
	assert_false(apply_at(12, true, &frame, &regs, &end));
	assert_int_equal(end, UNWIND_BAD_MEMORY);
	assert_true(apply_at(8, true, &frame, &regs, &end));
}

static struct rule frame_rule(int16_t words, uint8_t fp_slot, uint8_t ra_slot)
{
	struct rule rule = { .kind = RULE_CFA_REGISTER };

	rule.cfa_reg = SP;
	rule.cfa_offset = words;
	rule.slots[10] = fp_slot;
	rule.slots[11] = ra_slot;
	return rule;
}

static bool apply(const struct rule *rule, bool is_exact, uint64_t link_register, struct regs *regs,
		  enum unwind_end *end_ret)
{
	static const uint64_t words[] = { 0x7040, 0x003c00000000beef, 3, 4 };
	const struct stack_copy stack = { .bytes = (const uint8_t *)words,
					  .start = 0x7000,
					  .size = sizeof(words) };

	*regs = (struct regs){ .valid = 0 };
	regs_set(regs, SP, 0x7000);
	regs_set(regs, 29, 0x7777);
	regs_set(regs, 30, link_register);
	return rule_apply(rule, arch, &stack, regs, &is_exact, end_ret);
}

static void leaves_return_to_the_link_register(void **state)
{
	const struct rule rule = frame_rule(0, SLOT_SAME, SLOT_SAME);
	enum unwind_end end;
	struct regs regs;

	(void)state;
	/* As between paciasp and the store, too. */
	assert_true(apply(&rule, true, 0x0055000000001234, &regs, &end));
	assert_int_equal(regs.pc, 0x1234);
	assert_int_equal(regs.values[SP], 0x7000);
	assert_int_equal(regs.values[29], 0x7777);
}

static void a_call_overwrites_the_link_register(void **state)
{
	const struct rule rule = frame_rule(4, SLOT_SAME, SLOT_SAME);
	enum unwind_end end = UNWIND_ROOT;
	struct regs regs;

	(void)state;
	assert_true(apply(&rule, true, 0x1234, &regs, &end));
	assert_false(apply(&rule, false, 0x1234, &regs, &end));
	assert_int_equal(end, UNWIND_BAD_CFI);
}

static void saved_return_addresses_are_stripped(void **state)
{
	const struct rule rule = frame_rule(4, 4, 3);
	enum unwind_end end;
	struct regs regs;

	(void)state;
	assert_true(apply(&rule, false, 0x1234, &regs, &end));
	assert_int_equal(regs.pc, 0xbeef);
	assert_int_equal(regs.values[30], 0xbeef);
	assert_int_equal(regs.values[29], 0x7040);
	assert_int_equal(regs.values[SP], 0x7020);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_architecture_is_found_for_64_bit_tasks),
		cmocka_unit_test(registers_have_the_same_numbers_in_perf_and_dwarf),
		cmocka_unit_test(all_saved_registers_fit_a_rule),
		cmocka_unit_test(signatures_and_tags_are_stripped),
		cmocka_unit_test(calls_are_known),
		cmocka_unit_test(trampolines_go_through_x16),
		cmocka_unit_test(frame_pointers_are_seen_in_the_code_before),
		cmocka_unit_test(plts_have_rules_at_each_instruction),
		cmocka_unit_test(no_byte_outside_the_code_is_read),
		cmocka_unit_test(interrupted_registers_are_read_from_the_signals_frame),
		cmocka_unit_test(half_a_sigreturn_has_no_caller),
		cmocka_unit_test(leaves_return_to_the_link_register),
		cmocka_unit_test(a_call_overwrites_the_link_register),
		cmocka_unit_test(saved_return_addresses_are_stripped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
