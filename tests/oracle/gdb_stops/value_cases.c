/*
 * value_cases FILE: evaluates the variables of the cases that stop_and_walk.py wrote with
 * STOPS_VALUES, and prints for each part of them what gdb and we know:
 *
 *	leaf|caller parameter|local FUNCTION VARIABLE COMPARED GDB OURS REASON
 *
 * GDB and OURS are bits as a hexadecimal number, or -. COMPARED is "stack" if gdb has it from the
 * recorded stack, "memory" if from another place in memory, or if we lack memory on the way there;
 * "vector" if we lack a vector register, "entry" if it is computed from what the function was
 * called with, and the variable is a reference or that of an inlined function; else "other". A part
 * that no piece describes has the reason "no-piece".
 */
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/values/value_stack.h"
#include "report/dwarf/debug_location.h"
#include "report/values/value_types.h"
#include "report/values/value_variables.h"
#include "tests/oracle/gdb_stops/cases.h"

#define NAME_SIZE 256

struct gdb_variable {
	size_t frame, depth, n_parts;
	char function[NAME_SIZE], kind[16], name[NAME_SIZE];
	uint64_t addr; /* 0: none */
};

/* What we know of it. */
struct our_variable {
	enum debug_reason reason;
	struct debug_location location;
	const struct debug_frame *frame;
	bool is_in_vector_register;
	bool is_at_entry;    /* computed from what the function was called with */
	bool is_reference;   /* whose address gdb takes for that of what it refers to */
	const char *problem; /* why it is not even looked for; or NULL */
};

/* What an evaluation needed last that the sample does not have. */
static uint64_t missing;

static bool note_missing(void *data, uint64_t addr, size_t size, uint8_t *bytes,
			 bool *is_at_sample_ret)
{
	(void)data;
	(void)size;
	(void)bytes;
	(void)is_at_sample_ret;
	missing = addr;
	return false;
}

static bool is_in_copy(const struct cases *cases, uint64_t addr)
{
	const uint64_t at = addr - cases->stack.regs.values[cases->stack.arch->sp];

	return at < cases->stack.size && cases->stack.size - at >= 8;
}

/* System V ABI for AMD64, figure 3.36; DWARF for the Arm 64-bit Architecture, 4.1. */
static bool is_vector_register(uint64_t number)
{
#ifdef __aarch64__
	return number >= 64 && number <= 95;
#else
	return number >= 17 && number <= 32;
#endif
}

/* Whether its value, or its address, is computed from one. */
static bool is_in_vector_register(Dwarf_Die *die, uint64_t vaddr)
{
	Dwarf_Attribute found;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(die, DW_AT_location, &found) ||
	    dwarf_getlocation_addr(&found, vaddr, &ops, &n, 1) < 1)
		return false;
	for (size_t i = 0; i < n; i++) {
		const uint8_t atom = ops[i].atom;

		if ((atom >= DW_OP_reg0 && atom <= DW_OP_reg31 &&
		     is_vector_register(atom - DW_OP_reg0)) ||
		    ((atom == DW_OP_regx || atom == DW_OP_regval_type ||
		      atom == DW_OP_GNU_regval_type) &&
		     is_vector_register(ops[i].number)))
			return true;
	}
	return false;
}

static bool is_at_entry(Dwarf_Die *die, uint64_t vaddr)
{
	Dwarf_Attribute found;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(die, DW_AT_location, &found) ||
	    dwarf_getlocation_addr(&found, vaddr, &ops, &n, 1) < 1)
		return false;
	for (size_t i = 0; i < n; i++)
		if (ops[i].atom == DW_OP_entry_value || ops[i].atom == DW_OP_GNU_entry_value)
			return true;
	return false;
}

static bool is_reference(Dwarf_Die *die)
{
	Dwarf_Die type;

	return value_type_of(die, &type) && value_type_plain(&type) &&
	       (dwarf_tag(&type) == DW_TAG_reference_type ||
		dwarf_tag(&type) == DW_TAG_rvalue_reference_type);
}

static void find_variable(struct value_stack *stack, const struct gdb_variable *gdb,
			  struct our_variable *ours)
{
	static struct value_variable variables[VALUE_VARIABLES_MAX];
	Dwarf_Die dies[DEBUG_INFO_MAX_INLINED];
	const size_t n_dies = value_stack_functions(stack, gdb->frame, dies);

	ours->problem = "no-such-function";
	if (gdb->depth >= n_dies)
		return;
	ours->frame = value_stack_debug_frame(stack, gdb->frame);
	ours->problem = "no-such-variable";
	const size_t n = value_variables_list(&dies[n_dies - 1 - gdb->depth], ours->frame->vaddr,
					      true, variables);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(variables[i].name, gdb->name))
			continue;
		ours->problem = NULL;
		ours->is_reference = is_reference(&variables[i].die);
		ours->is_in_vector_register =
			is_in_vector_register(&variables[i].die, ours->frame->vaddr);
		ours->is_at_entry = is_at_entry(&variables[i].die, ours->frame->vaddr);
		ours->reason = debug_location_find(&ours->location, &variables[i].die, ours->frame);
	}
}

static void print_reason(enum debug_reason reason)
{
	for (const char *text = debug_reason_text(reason); *text; text++)
		putchar(*text == ' ' ? '-' : *text);
	putchar('\n');
}

static void print_part(const struct cases *cases, const struct gdb_variable *gdb,
		       const struct our_variable *ours, bool is_there)
{
	char theirs[32];
	uint64_t bit, n_bits, bits = 0;

	if (fscanf(cases->file, " %" SCNu64 " %" SCNu64 " %31s", &bit, &n_bits, theirs) != 3 ||
	    n_bits > 64)
		give_up("a variable lacks a part");
	if (!is_there)
		return;
	enum debug_reason reason = ours->reason;
	const char *place = "other";

	if (!ours->problem && !reason)
		reason = debug_location_read(&ours->location, ours->frame, bit, n_bits,
					     (uint8_t *)&bits);
	if (ours->is_at_entry && (gdb->depth || ours->is_reference))
		place = "entry";
	else if (reason == DEBUG_NO_REGISTER && ours->is_in_vector_register)
		place = "vector";
	else if (reason == DEBUG_NO_MEMORY)
		place = is_in_copy(cases, missing) ? "stack" : "memory";
	else if (gdb->addr && !ours->is_reference)
		place = is_in_copy(cases, gdb->addr + bit / 8) ? "stack" : "memory";
	printf("%s %s %s %s %s %s ", gdb->frame ? "caller" : "leaf", gdb->kind, gdb->function,
	       gdb->name, place, theirs);
	if (ours->problem) {
		printf("- %s\n", ours->problem);
		return;
	}
	if (!ours->reason && reason == DEBUG_OPTIMIZED_OUT) {
		puts("- no-piece");
		return;
	}
	if (reason)
		fputs("- ", stdout);
	else
		printf("%" PRIx64 " ", bits);
	print_reason(reason);
}

/* @is_there: the walks agree as far as its frame. */
static void compare_variable(const struct cases *cases, struct value_stack *stack, bool is_there)
{
	struct gdb_variable gdb;
	struct our_variable ours = { .problem = NULL };

	if (fscanf(cases->file, "%zu %zu %255s %15s %255s %" SCNx64 " %zu", &gdb.frame, &gdb.depth,
		   gdb.function, gdb.kind, gdb.name, &gdb.addr, &gdb.n_parts) != 7)
		give_up("a case lacks a variable");
	if (is_there)
		find_variable(stack, &gdb, &ours);
	for (size_t i = 0; i < gdb.n_parts; i++)
		print_part(cases, &gdb, &ours, is_there);
}

static void compare(const struct cases *cases, struct value_stack *stack)
{
	bool is_there = true;
	char word[16];
	uint64_t addr;
	size_t frame;

	value_stack_walk(stack, cases->space, &cases->stack);
	value_stack_use_process(stack, note_missing, NULL);
	while (fscanf(cases->file, " %15s", word) == 1 && strcmp(word, "end") != 0) {
		if (!strcmp(word, "variable")) {
			compare_variable(cases, stack, is_there);
			continue;
		}
		if (fscanf(cases->file, "%zu %" SCNx64, &frame, &addr) != 2)
			give_up("a case lacks a frame");
		is_there = is_there && frame < value_stack_n(stack) &&
			   addr - value_stack_addr(stack, frame) <= (frame ? 1 : 0);
	}
	puts("stop");
}

int main(int argc, char **argv)
{
	static struct cases cases;

	if (argc != 2)
		give_up("usage: value_cases FILE");
	cases_init(&cases, argv[1]);
	struct value_stack *stack = value_stack_create(&cases.modules);
	if (!stack)
		give_up("out of memory");
	while (cases_next(&cases))
		compare(&cases, stack);
	value_stack_destroy(stack);
	cases_deinit(&cases);
	return 0;
}
