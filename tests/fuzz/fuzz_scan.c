/*
 * Follows hostile code.
 *
 * Input: what to ask (struct question), then the code. Answers must hold together: what leads from
 * an entry to an instruction holds it, and rules never move the stack pointer down.
 */
#include <stdlib.h>
#include <string.h>

#include "unwind/arch/decode_x86.h"
#include "unwind/code/code_scan.h"
#include "unwind/rules/rule.h"

#define START   0x1000
#define STACK   0x7fff0000ull
#define N_WORDS 64

struct question {
	uint16_t pc, entry;
	uint16_t function_start, function_size;
	uint8_t is_exact, has_function, is_32_bit, padding;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_instructions(const uint8_t *code, size_t size)
{
	struct machine_instruction what;

	for (size_t at = 0; at < size; at++) {
		bool ok = x86_64_decode(code + at, size - at, &what);

		if (ok && (!what.size || what.size > size - at || what.size > 15 ||
			   what.n_ops > MACHINE_OPS_MAX))
			abort();
		i386_decode(code + at, size - at, &what);
	}
}

static void check_rule(const struct code_rule *rule, const struct arch *arch)
{
	static const uint64_t words[N_WORDS] = { STACK, STACK + 8, STACK - 8, STACK + 64 };
	const struct stack_copy stack = { .bytes = (const uint8_t *)words,
					  .start = STACK,
					  .size = sizeof(words),
					  .is_32_bit = arch->pointer_size == 4 };
	struct regs regs = { .valid = 0 };
	enum unwind_end end;

	for (unsigned reg = 0; reg < arch->n_regs; reg++)
		regs_set(&regs, reg, STACK + 8 * reg);
	regs_set(&regs, arch->sp, STACK);
	if (code_rule_apply(rule, arch, &stack, &regs, true, &end) &&
	    regs.values[arch->sp] <= STACK)
		abort();
}

static void check_scans(struct code_scan *scan, const struct code *code,
			const struct question *question)
{
	uint64_t pc = START + question->pc, entry = START + question->entry;
	bool is_exact = question->is_exact & 1, leaves;
	struct code_outcomes outcomes;
	struct code_rule rule;

	code_scan_returns(scan, code, pc, is_exact, &outcomes);
	for (size_t i = 0; i < outcomes.n_rules; i++)
		check_rule(&outcomes.rules[i], code->arch);
	if (code_scan_entry(scan, code, entry, pc, is_exact, &rule, &leaves) != CODE_LEADS)
		return;
	check_rule(&rule, code->arch);
	if (!rule.is_doubtful && !code_scan_holds(scan, code, entry, is_exact ? pc : pc - 1))
		abort();
}

/* What the code says in place of CFI: all of it is read within the code. */
static void check_made_rules(const uint8_t *code, size_t size)
{
	const struct rule in_frame = { .kind = RULE_CFA_REGISTER,
				       .cfa_reg = 6,
				       .cfa_offset = 2,
				       .slots = { 7, 2, 6, 5, 4, 3, 1 } };
	const struct rule at_entry = { .kind = RULE_CFA_REGISTER,
				       .cfa_reg = 7,
				       .cfa_offset = 1,
				       .slots = { 0, 0, 0, 0, 0, 0, 1 } };

	for (size_t at = 0; at < size; at++) {
		free(arch_x86_64.make_rule(code, size, at, &in_frame));
		free(arch_x86_64.make_rule(code, size, at, &at_entry));
	}
}

/* Tables lie in the code. */
static const uint8_t *find_data(void *module, uint64_t pc, uint64_t at, size_t size)
{
	const struct code *code = module;

	(void)pc;
	if (at - START > code->size || code->size - (at - START) < size)
		return NULL;
	return code->bytes + (at - START);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct question question;

	if (size < sizeof(question))
		return 0;
	memcpy(&question, data, sizeof(question));
	data += sizeof(question);
	size -= sizeof(question);
	struct code code = { .arch = question.is_32_bit & 1 ? &arch_i386 : &arch_x86_64,
			     .bytes = data,
			     .start = START,
			     .size = size,
			     .find_data = find_data,
			     .module = &code };
	if (question.has_function & 1) {
		code.function_start = START + question.function_start;
		code.function_end = code.function_start + question.function_size;
	}
	struct code_scan *scan = code_scan_create();
	if (!scan)
		abort();
	check_instructions(data, size);
	check_made_rules(data, size);
	check_scans(scan, &code, &question);
	code_scan_destroy(scan);
	return 0;
}
