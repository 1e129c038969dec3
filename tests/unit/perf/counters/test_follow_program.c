/* The instructions that read memory at samples. What they read is tested with recordings
 * (tests/cli/0649-follow.bats). */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "perf/counters/follow_program.h"

enum { FUNCTION, FIRST };
enum { RULES = 3, EVENTS, BUFFERS };

static void generate(struct bpf_code *code, uint16_t machine, bool reads_in_kernel)
{
	*code = (struct bpf_code){ .n = 0 };
	follow_program_add(code, machine, FUNCTION, FIRST,
			   &(struct follow_maps){ RULES, EVENTS, BUFFERS, reads_in_kernel });
}

/* How many words the code loads from the kernel's registers, which register 6 leads to; *@has_ret:
 * one at @offset. */
static unsigned count_loads(const struct bpf_code *code, int offset, bool *has_ret)
{
	unsigned n = 0;

	*has_ret = false;
	for (size_t i = 0; i < code->n; i++) {
		const struct bpf_insn *insn = &code->insns[i];

		if (insn->code != (BPF_LDX | BPF_MEM | BPF_DW) || insn->src_reg != BPF_REG_6)
			continue;
		*has_ret |= insn->off == offset;
		n++;
	}
	return n;
}

static void all_registers_of_x86_64_are_read_from_its_pt_regs(void **state)
{
	struct bpf_code code;
	bool has;

	(void)state;
	generate(&code, EM_X86_64, true);
	/* 16, the instruction, and the mode. */
	assert_int_equal(count_loads(&code, 128, &has), 16 + 2);
	assert_true(has);
	count_loads(&code, 152, &has);
	assert_true(has);
	count_loads(&code, 160, &has);
	assert_false(has);
}

static void all_registers_of_arm64_are_read_from_its_user_pt_regs(void **state)
{
	struct bpf_code code;
	bool has;

	(void)state;
	generate(&code, EM_AARCH64, true);
	assert_int_equal(count_loads(&code, 256, &has), 32 + 2);
	assert_true(has);
	for (int at = 0; at <= 264; at += 8) {
		count_loads(&code, at, &has);
		assert_true(has);
	}
}

static bool calls(const struct bpf_code *code, enum bpf_helper helper)
{
	for (size_t i = 0; i < code->n; i++) {
		const struct bpf_insn *insn = &code->insns[i];

		if (insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg &&
		    insn->imm == (int)helper)
			return true;
	}
	return false;
}

static void a_kernel_without_the_users_registers_is_not_asked_for_them(void **state)
{
	static const uint16_t machines[] = { EM_X86_64, EM_AARCH64 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct bpf_code with, without;

		generate(&with, machines[i], true);
		generate(&without, machines[i], false);
		assert_true(calls(&with, BPF_TASK_BTF) && calls(&with, BPF_TASK_PT_REGS));
		assert_false(calls(&without, BPF_TASK_BTF) || calls(&without, BPF_TASK_PT_REGS));
		assert_false(calls(&without, BPF_READ_KERNEL));
	}
}

/* Two jumps go back, and they are left after so many rounds, whatever rules say. */
static void the_work_is_bounded(void **state)
{
	static const int bounds[] = { FOLLOW_DEPTH_MAX, FOLLOW_STEPS_MAX };
	struct bpf_code code;
	size_t n_back = 0;

	(void)state;
	generate(&code, EM_X86_64, true);
	for (size_t i = 0; i < code.n_jumps; i++) {
		const struct bpf_insn *insn = &code.insns[code.jumps[i].at];

		if (code.labels[code.jumps[i].label] > code.jumps[i].at)
			continue;
		assert_int_equal(BPF_OP(insn->code), BPF_JLT);
		assert_int_equal(insn->imm, n_back < 2 ? bounds[n_back] : 0);
		n_back++;
	}
	assert_int_equal(n_back, 2);
}

/* Instructions whose frames are alike name the same place, from which keys for callers are made. */
static void callers_are_counted_from_the_place_of_the_rule(void **state)
{
	struct bpf_code code;
	size_t at = 0;

	(void)state;
	generate(&code, EM_X86_64, true);
	/* What the look-up found is in register 0. */
	while (at < code.n && (code.insns[at].src_reg != BPF_REG_0 ||
			       code.insns[at].code != (BPF_LDX | BPF_MEM | BPF_DW) ||
			       code.insns[at].off != offsetof(struct follow_rule, place)))
		at++;
	assert_true(at + 1 < code.n);
	assert_int_equal(code.insns[at + 1].code, BPF_STX | BPF_MEM | BPF_DW);
	assert_int_equal(code.insns[at + 1].dst_reg, BPF_REG_10);
}

/* The kernel's program and the process that makes rules compute the same keys. */
static void places_tell_the_callers_and_their_order(void **state)
{
	const uint64_t place =
		follow_place_called(follow_place_called(0x401000, 0x402000), 0x403000);

	(void)state;
	assert_true(place !=
		    follow_place_called(follow_place_called(0x401000, 0x403000), 0x402000));
	assert_true(place != follow_place_called(0x401000, 0x403000));
	assert_int_equal(follow_place_called(1, 2), FOLLOW_PLACE_FACTOR + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_registers_of_x86_64_are_read_from_its_pt_regs),
		cmocka_unit_test(all_registers_of_arm64_are_read_from_its_user_pt_regs),
		cmocka_unit_test(a_kernel_without_the_users_registers_is_not_asked_for_them),
		cmocka_unit_test(the_work_is_bounded),
		cmocka_unit_test(callers_are_counted_from_the_place_of_the_rule),
		cmocka_unit_test(places_tell_the_callers_and_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
