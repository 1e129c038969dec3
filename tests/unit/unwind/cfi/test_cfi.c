#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/fixtures/elf_image.h"
#include "unwind/cfi/cfi.h"

#define RSP 7
#define RBP 6

struct open_cfi {
	int fd;
	Elf *elf;
	struct cfi *cfi;
};

static struct open_cfi open_cfi(const struct elf_image *image)
{
	struct open_cfi open = { .fd = elf_image_to_fd(image) };

	assert_true(open.fd >= 0);
	elf_version(EV_CURRENT);
	open.elf = elf_begin(open.fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(open.elf);
	open.cfi = cfi_create(open.elf, NULL);
	assert_non_null(open.cfi);
	return open;
}

static void close_cfi(struct open_cfi *open)
{
	cfi_destroy(open->cfi);
	elf_end(open->elf);
	close(open->fd);
}

static struct open_cfi open_program(const void *program, size_t size, bool is_signal)
{
	struct elf_image image;

	elf_image_init(&image, ".eh_frame");
	elf_image_add_fde(&image, CODE_START, CODE_SIZE, is_signal, program, size);
	return open_cfi(&image);
}

/* Rows are looked up at the code's last byte. Slots: rbx, rbp, r12 to r15, return address. */
static const struct row {
	const char *name;
	uint8_t program[24];
	size_t size;
	enum rule_kind kind;
	uint8_t reg;
	int16_t offset;
	int8_t addend;
	uint8_t slots[RULE_SLOTS];
} rows[] = {
	{ "initial", .kind = RULE_CFA_REGISTER, .reg = RSP, .offset = 1, .slots = { [6] = 1 } },
	{ "pushed rbp",
	  { 0x0e, 16, 0x86, 2 },
	  .size = 4,
	  .kind = RULE_CFA_REGISTER,
	  .reg = RSP,
	  .offset = 2,
	  .slots = { [1] = 2, [6] = 1 } },
	{ "frame pointer",
	  { 0x0c, 6, 16, 0x86, 2, 0x83, 3 },
	  .size = 7,
	  .kind = RULE_CFA_REGISTER,
	  .reg = RBP,
	  .offset = 2,
	  .slots = { 3, 2, [6] = 1 } },
	{ "realigned: *(rbp - 8)",
	  { 0x0f, 3, 0x76, 0x78, 0x06 },
	  .size = 5,
	  .kind = RULE_CFA_MEMORY,
	  .reg = RBP,
	  .offset = -1,
	  .slots = { [6] = 1 } },
	{ "*(rsp + 16) + 8",
	  { 0x0f, 5, 0x77, 16, 0x06, 0x23, 8 },
	  .size = 7,
	  .kind = RULE_CFA_MEMORY,
	  .reg = RSP,
	  .offset = 2,
	  .addend = 1,
	  .slots = { [6] = 1 } },
	{ "all saved",
	  { 0x0e, 64, 0x83, 7, 0x86, 6, 0x8c, 5, 0x8d, 4, 0x8e, 3, 0x8f, 2 },
	  .size = 14,
	  .kind = RULE_CFA_REGISTER,
	  .reg = RSP,
	  .offset = 8,
	  .slots = { 7, 6, 5, 4, 3, 2, 1 } },
	{ "call-clobbered registers do not matter",
	  { 0x80, 2, 0x81, 3 },
	  .size = 4,
	  .kind = RULE_CFA_REGISTER,
	  .reg = RSP,
	  .offset = 1,
	  .slots = { [6] = 1 } },
	{ "outermost", { 0x07, 16 }, .size = 2, .kind = RULE_ROOT },
	{ "odd offset", { 0x0e, 13 }, .size = 2, .kind = RULE_GENERAL },
	{ "slot far below", { 0x05, 3, 0xff, 2 }, .size = 4, .kind = RULE_GENERAL },
	{ "slot above the CFA", { 0x11, 3, 0x7f }, .size = 3, .kind = RULE_GENERAL },
	{ "large frame", { 0x0e, 0x80, 0x80, 0x80, 1 }, .size = 5, .kind = RULE_GENERAL },
	{ "register in register", { 0x09, 3, 12 }, .size = 3, .kind = RULE_GENERAL },
	{ "value of a stack pointer", { 0x14, 7, 1 }, .size = 3, .kind = RULE_GENERAL },
	{ "unknown operation", { 0x3f }, .size = 1, .kind = RULE_BAD },
	{ "restore without remember", { 0x0b }, .size = 1, .kind = RULE_BAD },
	{ "unknown atom", { 0x0f, 1, 0x01 }, .size = 3, .kind = RULE_BAD },
};

static void rows_become_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct open_cfi open = open_program(row->program, row->size, false);
		struct rule rule;

		cfi_find_rule(open.cfi, &arch_x86_64, CODE_START + CODE_SIZE - 1, &rule);
		if (rule.kind != row->kind)
			print_error("%s\n", row->name);
		assert_int_equal(rule.kind, row->kind);
		if (rule.kind == RULE_CFA_REGISTER || rule.kind == RULE_CFA_MEMORY) {
			assert_int_equal(rule.cfa_reg, row->reg);
			assert_int_equal(rule.cfa_offset, row->offset);
			assert_int_equal(rule.cfa_addend, row->addend);
			assert_memory_equal(rule.slots, row->slots, sizeof(rule.slots));
		}
		close_cfi(&open);
	}
}

static void addresses_without_cfi_have_no_rule(void **state)
{
	struct open_cfi open = open_program("", 0, false);
	struct rule rule;

	(void)state;
	cfi_find_rule(open.cfi, &arch_x86_64, CODE_START - 1, &rule);
	assert_int_equal(rule.kind, RULE_NONE);
	cfi_find_rule(open.cfi, &arch_x86_64, CODE_START + CODE_SIZE, &rule);
	assert_int_equal(rule.kind, RULE_NONE);
	close_cfi(&open);
}

static void debug_frame_serves_where_eh_frame_does_not(void **state)
{
	static const uint8_t pushed[] = { 0x0e, 16 };
	struct elf_image image;
	struct rule rule;

	(void)state;
	elf_image_init(&image, ".debug_frame");
	elf_image_add_fde(&image, CODE_START, CODE_SIZE, false, pushed, sizeof(pushed));
	struct open_cfi open = open_cfi(&image);
	cfi_find_rule(open.cfi, &arch_x86_64, CODE_START, &rule);
	assert_int_equal(rule.kind, RULE_CFA_REGISTER);
	assert_int_equal(rule.cfa_offset, 2);
	close_cfi(&open);
}

static void rules_do_not_depend_on_what_was_asked_before(void **state)
{
	/* 16 bytes of each row; within the first function begins another, the last is broken. */
	static const uint8_t first[] = { 0x50, 0x0e, 16, 0x50, 0x0e, 24 };
	static const uint8_t inner[] = { 0x0e, 40 };
	static const uint8_t broken[] = { 0x50, 0x0e, 16, 0x50, 0x3f, 0x50, 0x0e, 24 };
	static const struct {
		enum rule_kind kind;
		int16_t cfa_offset;
	} expected[CODE_SIZE / 16] = {
		{ RULE_CFA_REGISTER, 1 }, { RULE_CFA_REGISTER, 2 }, { RULE_CFA_REGISTER, 3 },
		{ RULE_CFA_REGISTER, 3 }, { RULE_CFA_REGISTER, 5 }, { RULE_NONE, 0 },
		{ RULE_NONE, 0 },         { RULE_NONE, 0 },         { RULE_CFA_REGISTER, 1 },
		{ RULE_CFA_REGISTER, 2 }, { RULE_BAD, 0 },          { RULE_BAD, 0 },
		{ RULE_BAD, 0 },          { RULE_BAD, 0 },          { RULE_BAD, 0 },
		{ RULE_BAD, 0 },
	};
	static const size_t strides[] = { 1, 7, 101, CODE_SIZE - 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); i++) {
		struct elf_image image;
		struct rule rule;

		elf_image_init(&image, ".eh_frame");
		elf_image_add_fde(&image, CODE_START, 0x80, false, first, sizeof(first));
		elf_image_add_fde(&image, CODE_START + 0x40, 0x10, false, inner, sizeof(inner));
		elf_image_add_fde(&image, CODE_START + 0x80, 0x80, false, broken, sizeof(broken));
		struct open_cfi open = open_cfi(&image);
		for (size_t n = 0; n < 2ul * CODE_SIZE; n++) {
			size_t at = n * strides[i] % CODE_SIZE;

			cfi_find_rule(open.cfi, &arch_x86_64, CODE_START + at, &rule);
			assert_int_equal(rule.kind, expected[at / 16].kind);
			if (rule.kind == RULE_CFA_REGISTER)
				assert_int_equal(rule.cfa_offset, expected[at / 16].cfa_offset);
		}
		close_cfi(&open);
	}
}

/* The rule that ld gives .plt: CFA = rsp + 8 + ((rip & 15) >= 11) * 8. */
static void lazy_plt_entries_find_their_caller(void **state)
{
	static const uint8_t plt[] = { 0x0f, 11,   0x77, 8,    0x80, 0,   0x3f,
				       0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 };
	static const struct {
		uint64_t pc, caller, sp;
	} cases[] = { { CODE_START + 10, 0x1111, 8 }, { CODE_START + 11, 0x2222, 16 } };
	const uint64_t words[] = { 0x1111, 0x2222, 0x3333 };
	struct open_cfi open = open_program(plt, sizeof(plt), false);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct stack_copy stack = { .bytes = (const uint8_t *)words,
						  .start = 0x7000,
						  .size = sizeof(words) };
		struct regs regs = { .pc = cases[i].pc };
		enum unwind_end end;
		bool is_exact = true;
		struct rule rule;

		regs_set(&regs, 7, stack.start);
		regs_set(&regs, 16, regs.pc);
		cfi_find_rule(open.cfi, &arch_x86_64, regs.pc, &rule);
		assert_int_equal(rule.kind, RULE_GENERAL);
		assert_true(rule_apply(&rule, &arch_x86_64, &stack, &regs, &is_exact, &end));
		assert_int_equal(regs.pc, cases[i].caller);
		assert_int_equal(regs.values[7], stack.start + cases[i].sp);
	}
	close_cfi(&open);
}

static void signal_frames_restore_all_and_are_exact(void **state)
{
	/* CFA = *(rsp + 24); rip at rsp + 8, rcx at rsp + 16, rsp at rsp + 24. */
	static const uint8_t restore[] = { 0x0f, 3, 0x77, 24,   0x06, 0x10, 16, 2, 0x77, 8,
					   0x10, 2, 2,    0x77, 16,   0x10, 7,  2, 0x77, 24 };
	const uint64_t words[] = { 1, 0x4444, 0x5555, 0x9000 };
	const struct stack_copy stack = { .bytes = (const uint8_t *)words,
					  .start = 0x7000,
					  .size = sizeof(words) };
	struct open_cfi open = open_program(restore, sizeof(restore), true);
	struct regs regs = { .pc = CODE_START };
	bool is_exact = false;
	enum unwind_end end;
	struct rule rule, again;

	(void)state;
	regs_set(&regs, 7, stack.start);
	cfi_find_rule(open.cfi, &arch_x86_64, CODE_START, &rule);
	assert_int_equal(rule.kind, RULE_GENERAL);
	cfi_find_rule(open.cfi, &arch_x86_64, CODE_START + 9, &again);
	assert_ptr_equal(again.general, rule.general); /* one row, one rule */
	assert_true(rule_apply(&rule, &arch_x86_64, &stack, &regs, &is_exact, &end));
	assert_true(is_exact);
	assert_int_equal(regs.pc, 0x4444);
	assert_int_equal(regs.values[2], 0x5555);
	assert_int_equal(regs.values[7], 0x9000);
	close_cfi(&open);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_become_rules),
		cmocka_unit_test(addresses_without_cfi_have_no_rule),
		cmocka_unit_test(rules_do_not_depend_on_what_was_asked_before),
		cmocka_unit_test(debug_frame_serves_where_eh_frame_does_not),
		cmocka_unit_test(lazy_plt_entries_find_their_caller),
		cmocka_unit_test(signal_frames_restore_all_and_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
