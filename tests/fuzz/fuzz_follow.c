/*
 * What the kernel is to read at samples (record/follow/sample_steps), by types and variables that
 * lie, in the sampled function and in one of its callers. Input: as that of fuzz_values.
 */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/record/follow/sample_steps.h"
#include "report/values/value_variables.h"
#include "tests/unit/fixtures/debug_image.h"

enum { SP = 7, SAMPLED_SP = 0x7000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The program has no loops: a step's base is a register, nothing, or the word of one before it. */
static void check(const struct follow_rule *rule)
{
	if (rule->n_steps > FOLLOW_STEPS_MAX)
		abort();
	for (uint64_t i = 0; i < rule->n_steps; i++) {
		const struct follow_step *step = &rule->steps[i];

		if (!step->size || step->size > FOLLOW_PART_MAX || step->base >= FOLLOW_WORDS + i ||
		    (step->base >= FOLLOW_WORDS && rule->steps[step->base - FOLLOW_WORDS].size < 8))
			abort();
	}
}

static void ask(struct follow_rule *rule, const struct steps_frame *frame, const char *text,
		Dwarf_Die *variable)
{
	const struct follow_rule before = *rule;
	struct value_expression expression;

	/* Names of files may be anything. */
	if (value_expression_parse(&expression, text))
		return;
	if (!sample_steps_add(rule, frame, &expression, variable) &&
	    memcmp(rule, &before, sizeof(before)) != 0)
		abort();
	check(rule);
}

static void ask_all(struct value_variable *variable, const struct steps_frame *frame)
{
	static const struct {
		const char *before, *behind;
	} texts[] = { { "", "" },   { "*", "" },         { "", "[1]" },    { "", "->a" },
		      { "", ".b" }, { "(*", "->a)[2]" }, { "", "->n->n" }, { "", "->b[1]" } };
	struct follow_rule rule = { .caller_at = FOLLOW_NO_CALLER };
	char text[VALUE_EXPRESSION_MAX + 1];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		snprintf(text, sizeof(text), "%s%.64s%s", texts[i].before, variable->name,
			 texts[i].behind);
		ask(&rule, frame, text, &variable->die);
	}
}

static void ask_function(Dwarf_Die *function)
{
	static struct value_variable variables[VALUE_VARIABLES_MAX];
	static const uint64_t registers[FOLLOW_NOTHING] = { [SP] = SAMPLED_SP + 64 };
	const struct debug_frame debug = { .registers = registers,
					   .known = UINT32_MAX,
					   .cfa = SAMPLED_SP + 96,
					   .has_cfa = true,
					   .vaddr = 0x100,
					   .function = function };
	const size_t n = value_variables_list(function, debug.vaddr, true, variables);

	for (unsigned is_caller = 0; is_caller < 2; is_caller++) {
		struct steps_frame frame = { .debug = &debug, .sp = SP, .sampled_sp = SAMPLED_SP };

		for (unsigned reg = 0; reg < FOLLOW_NOTHING; reg++) {
			frame.registers[reg].where =
				is_caller ? (enum saved_where)(reg % 3) : SAVED_IN_PLACE;
			frame.registers[reg].addr = SAMPLED_SP + 8 * reg;
		}
		for (size_t i = 0; i < n && i < 4; i++)
			ask_all(&variables[i], &frame);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct debug_image image;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, child;
	unsigned n = 0;

	if (size < 2)
		return 0;
	size_t first = (size_t)data[0] | (size_t)data[1] << 8;
	if (first > size - 2)
		first = size - 2;
	const struct image_section sections[] = {
		{ ".debug_abbrev", data + 2, first, 0 },
		{ ".debug_info", data + 2 + first, size - 2 - first, 0 },
	};
	debug_image_init(&image, sections, 2);
	Dwarf *dwarf = dwarf_begin_elf(image.elf, DWARF_C_READ, NULL);
	while (dwarf && n < 64 &&
	       dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		for (int err = dwarf_child(&die, &child); err == 0 && n++ < 64;
		     err = dwarf_siblingof(&child, &child))
			if (dwarf_tag(&child) == DW_TAG_subprogram)
				ask_function(&child);
	}
	dwarf_end(dwarf);
	debug_image_deinit(&image);
	return 0;
}
