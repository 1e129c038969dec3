/* Hand-assembled functions, and where their callers' registers lie at some of their instructions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/code/code_scan.h"

enum { RBX = 3, RBP = 6, RSP = 7, R12 = 12 };

#define STACK   0x7fff0000ull
#define N_WORDS 16

static struct code_scan *scan;

static struct code code_of(const char *bytes, size_t size)
{
	return (struct code){
		.arch = &arch_x86_64, .bytes = (const uint8_t *)bytes, .start = 0x1000, .size = size
	};
}

/* Word i of the stack, counted from the stack pointer, is 100 + i; registers are 50 + number. */
static bool apply(const struct code_rule *rule, uint64_t fp, struct regs *regs)
{
	static uint64_t words[N_WORDS];
	const struct stack_copy stack = { .bytes = (const uint8_t *)words,
					  .start = STACK,
					  .size = sizeof(words) };
	enum unwind_end end;

	regs->valid = 0;
	for (unsigned i = 0; i < N_WORDS; i++) {
		words[i] = 100 + i;
		regs_set(regs, i, 50 + i);
	}
	regs_set(regs, RSP, STACK);
	regs_set(regs, RBP, fp);
	return code_rule_apply(rule, &arch_x86_64, &stack, regs, true, &end);
}

/* push rbx; push r12; sub 8,rsp; call; add 8,rsp; pop r12; pop rbx; ret */
#define PUSHES "\x53\x41\x54\x48\x83\xec\x08\xe8\x01\x01\x00\x00\x48\x83\xc4\x08\x41\x5c\x5b\xc3"
/* push rbp; mov rsp,rbp; sub rax,rsp; call; leave; ret */
#define FRAME "\x55\x48\x89\xe5\x48\x29\xc4\xe8\x01\x01\x00\x00\xc9\xc3"
/* test edi,edi; je 1f; push rbx; xor ebx,ebx; pop rbx; 1: ret */
#define EARLY "\x85\xff\x74\x04\x53\x31\xdb\x5b\xc3"
/* mov rbx,r11; xor ebx,ebx; mov r11,rbx; ret */
#define KEPT "\x49\x89\xdb\x31\xdb\x4c\x89\xdb\xc3"

static const struct {
	const char *text;
	const char *bytes;
	size_t size, at;
	unsigned return_word; /* of the stack */
	uint64_t fp, rbx, rbp;
} frames[] = {
	{ "at entry", PUSHES, 20, 0, 0, 56, 53, 56 },
	{ "one pushed", PUSHES, 20, 1, 1, 56, 100, 56 },
	{ "two pushed", PUSHES, 20, 3, 2, 56, 101, 56 },
	{ "before the call", PUSHES, 20, 7, 3, 56, 102, 56 },
	{ "after the call", PUSHES, 20, 12, 3, 56, 102, 56 },
	{ "in the epilogue", PUSHES, 20, 16, 2, 56, 101, 56 },
	{ "one popped", PUSHES, 20, 18, 1, 56, 100, 56 },
	{ "at the return", PUSHES, 20, 19, 0, 56, 53, 56 },
	{ "frame: at entry", FRAME, 14, 0, 0, 56, 53, 56 },
	{ "frame: pushed", FRAME, 14, 1, 1, 56, 53, 100 },
	{ "frame: set up", FRAME, 14, 4, 1, STACK, 53, 100 },
	{ "frame: of any size", FRAME, 14, 7, 6, STACK + 40, 53, 105 },
	{ "frame: left", FRAME, 14, 13, 0, 56, 53, 56 },
	{ "both ways: at entry", EARLY, 9, 0, 0, 56, 53, 56 },
	{ "both ways: pushed", EARLY, 9, 5, 1, 56, 100, 56 },
	{ "in a register", KEPT, 9, 3, 0, 56, 61, 56 },
};

static void returns_are_followed_to(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		struct code code = code_of(frames[i].bytes, frames[i].size);
		struct code_outcomes outcomes;
		struct regs regs;

		code_scan_returns(scan, &code, code.start + frames[i].at, true, &outcomes);
		bool ok = outcomes.n_rules == 1 && outcomes.is_complete &&
			  !outcomes.rules[0].is_doubtful &&
			  apply(&outcomes.rules[0], frames[i].fp, &regs) &&
			  regs.pc == 100 + frames[i].return_word &&
			  regs.values[RSP] == STACK + 8 * (frames[i].return_word + 1) &&
			  regs.values[RBX] == frames[i].rbx && regs.values[RBP] == frames[i].rbp;
		if (!ok)
			print_error("%s: %zu rules, pc %ld, rbx %ld, rbp %ld\n", frames[i].text,
				    outcomes.n_rules, regs.pc, regs.values[RBX], regs.values[RBP]);
		assert_true(ok);
	}
}

/* The same frames, found from the function's beginning. */
static void entries_lead_to_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		struct code code = code_of(frames[i].bytes, frames[i].size);
		bool leaves, has_frame = frames[i].fp != 56;
		struct code_rule rule;
		struct regs regs;

		assert_int_equal(code_scan_entry(scan, &code, code.start, code.start + frames[i].at,
						 true, &rule, &leaves),
				 CODE_LEADS);
		assert_false(leaves);
		/* Registers that still have their values are taken as they are. */
		bool ok = apply(&rule, frames[i].fp, &regs) &&
			  regs.pc == 100 + frames[i].return_word &&
			  regs.values[RSP] == STACK + 8 * (frames[i].return_word + 1) &&
			  (!has_frame || regs.values[RBP] == frames[i].rbp);
		if (!ok)
			print_error("%s: pc %ld, rbx %ld, rbp %ld\n", frames[i].text, regs.pc,
				    regs.values[RBX], regs.values[RBP]);
		assert_true(ok);
	}
}

#define STACK_32 0xffff0000u
#define LOST     UINT32_MAX

enum { EBX = 3, ESP, EBP, ESI, EDI, N_REGS_32 };

/* Word i of the stack is 100 + i; registers are 50 + number, but for ebp: the fifth word. */
static const struct {
	const char *text;
	const char *bytes;
	size_t size;
	bool is_doubtful;
	unsigned return_word;
	uint32_t dropped; /* beyond the return address */
	uint32_t ebx, ebp, esi, edi;
} frames_32[] = {
	{ "ret", "\xc3", 1, false, 0, 0, 53, STACK_32 + 20, 56, 57 },
	{ "ret 8", "\xc2\x08\x00", 3, false, 0, 8, 53, STACK_32 + 20, 56, 57 },
	{ "pop ebx; pop esi; ret", "\x5b\x5e\xc3", 3, false, 2, 0, 100, STACK_32 + 20, 101, 57 },
	{ "leave; ret", "\xc9\xc3", 2, false, 6, 0, 53, 105, 56, 57 },
	{ "mov -4(ebp),ebx; leave; ret", "\x8b\x5d\xfc\xc9\xc3", 5, false, 6, 0, 104, 105, 56, 57 },
	{ "push ebp; mov esp,ebp; push ebx; mov 1,ebx; pop ebx; pop ebp; ret",
	  "\x55\x89\xe5\x53\xbb\x01\x00\x00\x00\x5b\x5d\xc3", 12, false, 0, 0, 53, STACK_32 + 20,
	  56, 57 },
	{ "mov edi,eax; mov 1,edi; xchg eax,edi; ret", "\x89\xf8\xbf\x01\x00\x00\x00\x97\xc3", 9,
	  false, 0, 0, 53, STACK_32 + 20, 56, 57 },
	{ "xchg eax,edi; rep movsb; xchg eax,edi; ret", "\x97\xf3\xa4\x97\xc3", 5, true, 0, 0, 53,
	  STACK_32 + 20, LOST, 57 },
	{ "add 4,esp; xor esi,esi; ret", "\x83\xc4\x04\x31\xf6\xc3", 6, true, 1, 0, 53,
	  STACK_32 + 20, LOST, 57 },
	{ "mov ebx,4(esp); add 4,esp; pop esi; ret", "\x89\x5c\x24\x04\x83\xc4\x04\x5e\xc3", 9,
	  false, 2, 0, 53, STACK_32 + 20, 53, 57 },
	{ "je over an undefined instruction; ret", "\x74\x02\x0f\x0b\xc3", 5, false, 0, 0, 53,
	  STACK_32 + 20, 56, 57 },
	{ "call of mov (esp),ebx; ret", "\xe8\x01\x00\x00\x00\xc3\x8b\x1c\x24\xc3", 10, true, 0, 0,
	  LOST, STACK_32 + 20, 56, 57 },
};

static bool apply_32(const struct code_rule *rule, struct regs *regs)
{
	static uint32_t words[N_WORDS];
	const struct stack_copy stack = { .bytes = (const uint8_t *)words,
					  .start = STACK_32,
					  .size = sizeof(words),
					  .is_32_bit = true };
	enum unwind_end end;

	regs->valid = 0;
	for (unsigned i = 0; i < N_WORDS; i++)
		words[i] = 100 + i;
	for (unsigned i = 0; i < N_REGS_32; i++)
		regs_set(regs, i, 50 + i);
	regs_set(regs, ESP, STACK_32);
	regs_set(regs, EBP, STACK_32 + 20);
	return code_rule_apply(rule, &arch_i386, &stack, regs, true, &end);
}

static uint32_t value_32(const struct regs *regs, unsigned reg)
{
	return regs_have(regs, reg) ? (uint32_t)regs->values[reg] : LOST;
}

static void returns_of_32_bit_code_are_followed_to(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(frames_32) / sizeof(frames_32[0]); i++) {
		struct code code = code_of(frames_32[i].bytes, frames_32[i].size);
		struct code_outcomes outcomes;
		struct regs regs;

		code.arch = &arch_i386;
		code_scan_returns(scan, &code, code.start, true, &outcomes);
		print_message("%s\n", frames_32[i].text);
		assert_int_equal(outcomes.n_rules, 1);
		assert_int_equal(outcomes.rules[0].is_doubtful, frames_32[i].is_doubtful);
		assert_true(apply_32(&outcomes.rules[0], &regs));
		assert_int_equal(regs.pc, 100 + frames_32[i].return_word);
		assert_int_equal(value_32(&regs, ESP), STACK_32 + 4 * frames_32[i].return_word + 4 +
							       frames_32[i].dropped);
		assert_int_equal(value_32(&regs, EBX), frames_32[i].ebx);
		assert_int_equal(value_32(&regs, EBP), frames_32[i].ebp);
		assert_int_equal(value_32(&regs, ESI), frames_32[i].esi);
		assert_int_equal(value_32(&regs, EDI), frames_32[i].edi);
	}
}

/* 0: pop edi; 1: call 31; 6: add 0x10fa,ebx; 12: add (ebx,ecx,4),ebx; 15: jmp *ebx */
#define BY_TABLE "\x5f\xe8\x19\0\0\0\x81\xc3\xfa\x10\0\0\x03\x1c\x8b\xff\xe3"
/* 17: ud2; 19: nop; 20: nop; 21: pop ebx; 22: ret; 23: nop; 24: pop ebx; 25: ret; 26: pop ebx;
 * pop ebx; ret; 29: ud2; 31: mov (esp),ebx; ret */
#define TARGETS "\x0f\x0b\x90\x90\x5b\xc3\x90\x5b\xc3\x5b\x5b\xc3\x0f\x0b\x8b\x1c\x24\xc3"

/* The table is at offset 0x2100, and what its entries are added to as well. */
static int32_t table[4];

static const uint8_t *find_table(void *module, uint64_t pc, uint64_t at, size_t size)
{
	(void)module;
	return pc == 0x1011 && at == 0x2100 && size <= sizeof(table) ? (const uint8_t *)table
								     : NULL;
}

/* From @at on, by a table that leads to the places @targets. */
static void scan_by_table(size_t at, const unsigned targets[4], struct code_outcomes *outcomes)
{
	struct code code = code_of(BY_TABLE TARGETS, sizeof(BY_TABLE TARGETS) - 1);

	code.arch = &arch_i386;
	code.find_data = find_table;
	for (size_t i = 0; i < 4; i++)
		table[i] = (int32_t)(code.start + targets[i] - 0x2100);
	code_scan_returns(scan, &code, code.start + at, true, outcomes);
}

static void jumps_by_a_table_are_followed(void **state)
{
	static const size_t starts[] = { 0, 1, 6, 12, 15 };
	struct code_outcomes outcomes;
	struct regs regs;

	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		unsigned popped = starts[i] == 0;

		scan_by_table(starts[i], (const unsigned[]){ 19, 24, 20, 21 }, &outcomes);
		assert_int_equal(outcomes.n_rules, 1);
		assert_false(outcomes.rules[0].is_doubtful);
		assert_true(apply_32(&outcomes.rules[0], &regs));
		assert_int_equal(regs.pc, 100 + 1 + popped);
		assert_int_equal(value_32(&regs, ESP), STACK_32 + 4 * (2 + popped));
		assert_int_equal(value_32(&regs, EBX), 100 + popped);
		assert_int_equal(value_32(&regs, EDI), popped ? 100 : 57);
	}
}

static void tables_that_lead_out_of_the_code_are_not_followed(void **state)
{
	struct code_outcomes outcomes;

	(void)state;
	scan_by_table(0, (const unsigned[]){ 19, 24, 20, 5000 }, &outcomes);
	assert_true(outcomes.n_rules == 0 || outcomes.rules[0].is_doubtful);
	assert_false(outcomes.is_complete);
}

static void tables_whose_entries_differ_have_several_rules(void **state)
{
	struct code_outcomes outcomes;

	(void)state;
	scan_by_table(0, (const unsigned[]){ 19, 24, 26, 21 }, &outcomes);
	assert_int_equal(outcomes.n_rules, 2);
}

static void what_does_not_return_has_no_rule(void **state)
{
	static const char *const functions[] = {
		"\x8d\x65\xf8\x0f\x0b", /* lea -8(ebp),esp; ud2 */
		"\xeb\xfe\x90\x90\x90", /* a loop without an end */
		"\x66\x5c\xc3\x90\x90", /* pop sp; ret */
		"\x66\x66\x66\x66\x66", /* prefixes only */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		struct code code = code_of(functions[i], 5);
		struct code_outcomes outcomes;

		code.arch = &arch_i386;
		code_scan_returns(scan, &code, code.start, true, &outcomes);
		assert_int_equal(outcomes.n_rules, 0);
	}
}

/* push rbp; mov rsp,rbp; call; leave; pop rcx; add rbx,rsp; push rcx; ret: V8's interpreter */
#define DROPS_SOME "\x55\x48\x89\xe5\xe8\x01\x01\x00\x00\xc9\x59\x48\x01\xdc\x51\xc3"
/* push rbp; mov rsp,rbp; call; leave; cmp 2,rcx; jg 1f; ret 16;
 * 1: pop r10; lea (rsp,rcx,8),rsp; push r10; ret */
#define DROPS_TWO_OR_MORE                                                              \
	"\x55\x48\x89\xe5\xe8\x01\x01\x00\x00\xc9\x48\x83\xf9\x02\x7f\x03\xc2\x10\x00" \
	"\x41\x5a\x48\x8d\x24\xcc\x41\x52\xc3"
/* jmp rax, of a return address that was popped and pushed: pop rcx; push rax; push rcx; jmp *rdx */
#define LEAVES_WITH_ARGUMENT "\x59\x50\x51\xff\xe2"
/* pop rax; 1: dec rcx; jl 2f; push rdx; jmp 1b; 2: push rax; jmp *rdx */
#define LEAVES_WITH_ARGUMENTS "\x58\x48\xff\xc9\x7c\x03\x52\xeb\xf8\x50\xff\xe2"

static void callers_of_code_that_drops_arguments_have_no_certain_stack_pointer(void **state)
{
	static const struct {
		const char *bytes;
		size_t size, at;
	} cases[] = { { DROPS_SOME, 16, 9 }, { DROPS_TWO_OR_MORE, 28, 9 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct code code = code_of(cases[i].bytes, cases[i].size);
		struct code_outcomes outcomes;
		struct regs regs;

		code.keeps_frame_pointer_only = true;
		code_scan_returns(scan, &code, code.start + cases[i].at, true, &outcomes);
		assert_int_equal(outcomes.n_rules, 1);
		assert_false(outcomes.rules[0].is_doubtful);
		assert_true(apply(&outcomes.rules[0], STACK + 16, &regs));
		assert_int_equal(regs.pc, 103);
		assert_int_equal(regs.values[RBP], 102);
		assert_false(regs_have(&regs, RSP));
		/* At least so much. */
		assert_int_equal(regs.values[RSP], STACK + 32);
	}
}

static void code_that_moves_its_return_address_may_jump_anywhere(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
	} cases[] = { { LEAVES_WITH_ARGUMENT, 5 }, { LEAVES_WITH_ARGUMENTS, 12 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct code code = code_of(cases[i].bytes, cases[i].size);
		struct code_rule rule;
		bool leaves;

		code_scan_entry(scan, &code, code.start, UINT64_MAX, true, &rule, &leaves);
		assert_true(leaves);
	}
}

/* pop rcx; push rax; push rcx; push rbp; mov rsp,rbp; nop */
#define MOVES_BY_REGISTER "\x59\x50\x51\x55\x48\x89\xe5\x90"
/* sub 8,rsp; push 8(rsp); mov rax,8(rsp); push rbp; mov rsp,rbp; nop */
#define MOVES_IN_MEMORY "\x48\x83\xec\x08\xff\x74\x24\x08\x48\x89\x44\x24\x08\x55\x48\x89\xe5\x90"
/* sub 8,rsp; mov 8(rsp),r10; mov r10,(rsp); push rbp; mov rsp,rbp; nop */
#define MOVES_DOWN "\x48\x83\xec\x08\x4c\x8b\x54\x24\x08\x4c\x89\x14\x24\x55\x48\x89\xe5\x90"

static void a_return_address_is_where_it_was_moved_to(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
	} cases[] = { { MOVES_BY_REGISTER, 8 }, { MOVES_IN_MEMORY, 18 }, { MOVES_DOWN, 18 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct code code = code_of(cases[i].bytes, cases[i].size);
		struct code_rule rule;
		struct regs regs;
		bool leaves;

		assert_int_equal(code_scan_entry(scan, &code, code.start,
						 code.start + cases[i].size - 1, true, &rule,
						 &leaves),
				 CODE_LEADS);
		assert_true(apply(&rule, STACK + 8, &regs));
		assert_int_equal(regs.pc, 102);
		assert_int_equal(regs.values[RBP], 101);
	}
}

/* pop 8(rbp); lea -32(rbp),rsp; call; mov rbp,rsp; clc; pop rbp; ret: a Lisp's, whose callers make
 * room for the frame */
#define POPS "\x8f\x45\x08\x48\x8d\x65\xe0\xe8\x01\x01\x00\x00\x48\x8b\xe5\xf8\x5d\xc3"

static void a_popped_return_address_is_in_the_frame_that_the_caller_has_made(void **state)
{
	static const struct {
		size_t at;
		uint64_t pc;
	} cases[] = { { 0, 100 }, { 3, 102 }, { 7, 102 }, { 12, 102 } };
	struct code code = code_of(POPS, 18);

	(void)state;
	code.keeps_frame_pointer_only = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct code_outcomes outcomes;
		struct regs regs;

		code_scan_returns(scan, &code, code.start + cases[i].at, true, &outcomes);
		assert_int_equal(outcomes.n_rules, 1);
		assert_true(apply(&outcomes.rules[0], STACK + 8, &regs));
		assert_int_equal(regs.pc, cases[i].pc);
		assert_int_equal(regs.values[RSP], STACK + 24);
		assert_int_equal(regs.values[RBP], 101);
	}
}

/* je 1f; many times `je; push rax`; leave; ret; 1: two bytes; call; leave; ret: where the call is
 * found last, once too many stack pointers were met. */
static size_t make_pushes(char *bytes, const char *prologue, const char *two)
{
	char *at = stpcpy(bytes, prologue);

	at = mempcpy(at, "\x0f\x84\xf2\x00\x00\x00", 6);
	for (int i = 0; i < 80; i++)
		at = mempcpy(at, "\x74\x01\x50", 3);
	at = mempcpy(at, "\xc9\xc3", 2);
	at = mempcpy(at, two, 2);
	at = mempcpy(at, "\xe8\x01\x01\x00\x00", 5);
	return (size_t)(at - bytes);
}

static void a_frame_pointer_tells_where_the_stack_pointer_does_not(void **state)
{
	static const struct {
		const char *prologue, *two;
		enum code_way way;
	} cases[] = {
		{ "\x55\x48\x89\xe5", "\x90\x90", CODE_LEADS },
		{ "\x55\x48\x89\xe0", "\x90\x90", CODE_CAN_LEAD }, /* mov rsp,rax */
		{ "\x55\x48\x89\xe5", "\x31\xed", CODE_CAN_LEAD }, /* xor ebp,ebp */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char bytes[300] = { 0 };
		size_t at = make_pushes(bytes, cases[i].prologue, cases[i].two);
		struct code code = code_of(bytes, at + 2);
		struct code_rule rule;
		struct regs regs;
		bool leaves;

		memcpy(bytes + at, "\xc9\xc3", 2);
		assert_int_equal(code_scan_entry(scan, &code, code.start, code.start + at, false,
						 &rule, &leaves),
				 cases[i].way);
		if (cases[i].way != CODE_LEADS)
			continue;
		assert_true(apply(&rule, STACK + 40, &regs));
		assert_int_equal(regs.pc, 106);
		assert_int_equal(regs.values[RSP], STACK + 56);
		assert_int_equal(regs.values[RBP], 105);
	}
}

static void a_jump_by_a_pushed_address_is_no_return(void **state)
{
	struct code code = code_of("\x50\xc3", 2);
	struct code_outcomes outcomes;

	(void)state;
	code_scan_returns(scan, &code, code.start, true, &outcomes);
	assert_int_equal(outcomes.n_rules, 0);
}

static void code_that_no_path_leads_to_is_recognized(void **state)
{
	struct code code = code_of(PUSHES PUSHES, 40);
	struct code_rule rule;
	bool leaves;

	(void)state;
	assert_int_equal(
		code_scan_entry(scan, &code, code.start, code.start + 23, true, &rule, &leaves),
		CODE_CANNOT_LEAD);
	/* In the middle of an instruction. */
	assert_int_equal(
		code_scan_entry(scan, &code, code.start, code.start + 2, true, &rule, &leaves),
		CODE_CANNOT_LEAD);
	/* A return address: only after a call. */
	assert_int_equal(
		code_scan_entry(scan, &code, code.start, code.start + 7, false, &rule, &leaves),
		CODE_CANNOT_LEAD);
	assert_int_equal(
		code_scan_entry(scan, &code, code.start, code.start + 12, false, &rule, &leaves),
		CODE_LEADS);
	assert_true(code_scan_holds(scan, &code, code.start, code.start + 9));
	assert_false(code_scan_holds(scan, &code, code.start, code.start + 20));
}

/* sub 24,rsp; call abort; then another function: sub 8,rsp; add 8,rsp; ret */
#define NO_RETURN "\x48\x83\xec\x18\xe8\x01\x01\x00\x00"
#define OTHER     "\x48\x83\xec\x08\x48\x83\xc4\x08\xc3"

static void code_behind_a_last_call_is_doubted(void **state)
{
	/* Fill up to an address where functions begin. */
	struct code code = code_of("\x90\x90\x90\x90\x90\x90\x90" NO_RETURN OTHER, 25);
	struct code_outcomes outcomes;

	(void)state;
	code_scan_returns(scan, &code, code.start + 11, true, &outcomes);
	assert_int_equal(outcomes.n_rules, 1);
	assert_true(outcomes.rules[0].is_doubtful);
	/* Where the function's end is known, so is that nothing returns. */
	code.function_start = code.start + 7;
	code.function_end = code.start + 16;
	code_scan_returns(scan, &code, code.start + 11, true, &outcomes);
	assert_int_equal(outcomes.n_rules, 0);
	assert_true(outcomes.is_complete);
}

static void jumps_to_anywhere_are_doubted(void **state)
{
	struct code code = code_of("\x48\x83\xec\x08\xff\xe0", 6);
	struct code_outcomes outcomes;
	struct code_rule rule;
	bool leaves;

	(void)state;
	code_scan_returns(scan, &code, code.start + 4, true, &outcomes);
	assert_int_equal(outcomes.n_rules, 1);
	assert_true(outcomes.rules[0].is_doubtful);
	assert_false(outcomes.is_complete);
	code_scan_entry(scan, &code, code.start, code.start + 5, true, &rule, &leaves);
	assert_false(leaves);
	code_scan_entry(scan, &code, code.start + 4, code.start + 5, true, &rule, &leaves);
	assert_true(leaves);
}

/* je 1f; pop rbx; 1: ret */
static void all_different_outcomes_are_listed(void **state)
{
	struct code code = code_of("\x74\x01\x5b\xc3", 4);
	struct code_outcomes outcomes;
	struct code_rule rule;
	bool leaves;

	(void)state;
	code_scan_returns(scan, &code, code.start, true, &outcomes);
	assert_int_equal(outcomes.n_rules, 2);
	assert_int_equal(
		code_scan_entry(scan, &code, code.start, code.start + 3, true, &rule, &leaves),
		CODE_CAN_LEAD);
}

static void scans_end(void **state)
{
	static char bytes[1 << 16];
	struct code code = code_of(bytes, sizeof(bytes));
	struct code_outcomes outcomes;

	(void)state;
	/* je +0 without end, each with two ways. */
	for (size_t i = 0; i < sizeof(bytes); i += 2)
		memcpy(bytes + i, "\x74\x02", 2);
	code_scan_returns(scan, &code, code.start, true, &outcomes);
	assert_int_equal(outcomes.n_rules, 0);
	assert_false(outcomes.is_complete);
	/* A loop has no way out, and is followed once. */
	code = code_of("\xeb\xfe", 2);
	code_scan_returns(scan, &code, code.start, true, &outcomes);
	assert_int_equal(outcomes.n_rules, 0);
	assert_true(outcomes.is_complete);
	/* Out of the code, and no code. */
	code = code_of("\xeb\x70", 2);
	code_scan_returns(scan, &code, code.start, true, &outcomes);
	assert_false(outcomes.is_complete);
	code_scan_returns(scan, &code, code.start + 2, true, &outcomes);
	assert_false(outcomes.is_complete);
	code_scan_returns(scan, &code, 0, true, &outcomes);
	assert_false(outcomes.is_complete);
}

static int set_up(void **state)
{
	(void)state;
	scan = code_scan_create();
	return !scan;
}

static int tear_down(void **state)
{
	(void)state;
	code_scan_destroy(scan);
	return 0;
}

static void jumps_out_of_a_function_are_found_without_following_it(void **state)
{
	/* ret; je +0x10; jmp -0x20 */
	const struct code code = code_of("\xc3\x74\x10\xeb\xe0", 5);
	const uint64_t after_je = 0x1013, after_jmp = 0xfe5;

	(void)state;
	assert_true(code_scan_jumps_to(&code, 0x1000, 5, after_je, 1));
	assert_true(code_scan_jumps_to(&code, 0x1000, 5, after_je - 4, 5));
	assert_false(code_scan_jumps_to(&code, 0x1000, 5, after_je + 1, 100));
	assert_false(code_scan_jumps_to(&code, 0x1000, 5, after_je, 0));
	assert_true(code_scan_jumps_to(&code, 0x1000, 100, after_jmp, 1));
	assert_false(code_scan_jumps_to(&code, 0x1000, 3, after_jmp, 1));
	assert_false(code_scan_jumps_to(&code, 0x1005, 5, after_je, 1));
	assert_false(code_scan_jumps_to(&code, 0xfff, 5, after_je, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_are_followed_to),
		cmocka_unit_test(entries_lead_to_the_same),
		cmocka_unit_test(returns_of_32_bit_code_are_followed_to),
		cmocka_unit_test(jumps_by_a_table_are_followed),
		cmocka_unit_test(tables_that_lead_out_of_the_code_are_not_followed),
		cmocka_unit_test(tables_whose_entries_differ_have_several_rules),
		cmocka_unit_test(what_does_not_return_has_no_rule),
		cmocka_unit_test(
			callers_of_code_that_drops_arguments_have_no_certain_stack_pointer),
		cmocka_unit_test(code_that_moves_its_return_address_may_jump_anywhere),
		cmocka_unit_test(a_return_address_is_where_it_was_moved_to),
		cmocka_unit_test(a_popped_return_address_is_in_the_frame_that_the_caller_has_made),
		cmocka_unit_test(a_frame_pointer_tells_where_the_stack_pointer_does_not),
		cmocka_unit_test(a_jump_by_a_pushed_address_is_no_return),
		cmocka_unit_test(code_that_no_path_leads_to_is_recognized),
		cmocka_unit_test(code_behind_a_last_call_is_doubted),
		cmocka_unit_test(jumps_to_anywhere_are_doubted),
		cmocka_unit_test(all_different_outcomes_are_listed),
		cmocka_unit_test(scans_end),
		cmocka_unit_test(jumps_out_of_a_function_are_found_without_following_it),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
