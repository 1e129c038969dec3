/* Depth first, with a state per path that is still to be followed. */
#include "unwind/code/code_scan.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/hash.h"
#include "unwind/code/callees.h"
#include "unwind/code/code_path.h"
#include "unwind/code/jump_table.h"
#include "unwind/rules/rule.h"

#define INSTRUCTIONS_MAX 4096
/* After an answer: a few more that might contradict it. */
#define INSTRUCTIONS_AFTER 512
#define PATHS_MAX          256
#define VISITED_BITS       13 /* more than twice as many as instructions */
#define FUNCTION_ALIGNMENT 16
/* For code_scan_reach(). */
#define REACH_INSTRUCTIONS_MAX 256

/* An instruction, with a stack pointer: paths with different stack pointers there are different. */
struct visited {
	uint64_t pc;
	struct place sp;
	uint32_t round;
	bool is_doubtful; /* by such paths only */
};

struct code_scan {
	struct callees callees;
	const struct code *code;
	/* What is looked for: ways to return, or to @target. */
	struct code_outcomes *outcomes;
	bool is_exact;
	uint64_t target;
	struct code_rule *target_rule;
	bool is_found, is_contradicted;
	bool leaves;
	bool is_holding;          /* asked whether an instruction holds @target */
	bool is_by_frame_pointer; /* where one is set up, paths may differ in their stack pointer */

	bool is_complete;
	size_t n_instructions; /* to follow at most */
	size_t n_left;
	uint32_t round;
	size_t n_paths;
	struct code_path paths[PATHS_MAX];
	struct visited visited[1u << VISITED_BITS];
};

struct code_scan *code_scan_create(void)
{
	/* Zeroed pages are not touched before they are used. */
	struct code_scan *scan = calloc(1, sizeof(*scan));

	if (scan)
		scan->n_instructions = INSTRUCTIONS_MAX;
	return scan;
}

void code_scan_destroy(struct code_scan *scan)
{
	free(scan);
}

/* What tells paths apart that have come to one instruction. */
static struct place stack_of(const struct code_scan *scan, const struct code_path *path)
{
	const struct arch *arch = scan->code->arch;
	struct place place = path->regs[arch->fp];

	if (!scan->is_by_frame_pointer || place.kind != PLACE_VALUE || place.reg != arch->sp)
		return path->regs[arch->sp];
	/* A stack pointer has none. */
	place.addend = 1;
	return place;
}

/* false: been there. A doubtful path says nothing that another would not say better. */
static bool visit(struct code_scan *scan, const struct code_path *path)
{
	const size_t mask = (1u << VISITED_BITS) - 1;
	const struct place stack = stack_of(scan, path), *sp = &stack;
	uint64_t key = path->pc ^ (uint64_t)(uint32_t)sp->offset << 32;
	size_t i = hash_to_bits(key, VISITED_BITS);

	while (scan->visited[i].round == scan->round &&
	       (scan->visited[i].pc != path->pc || !place_equal(&scan->visited[i].sp, sp)))
		i = (i + 1) & mask;
	struct visited *visited = &scan->visited[i];
	if (visited->round == scan->round && visited->is_doubtful <= path->is_doubtful)
		return false;
	*visited = (struct visited){ path->pc, *sp, scan->round, path->is_doubtful };
	return true;
}

/* Whether another function, or the space between two functions, seems to begin after a call. */
static bool is_function_like(const struct code *code, const struct code_path *path)
{
	const uint8_t *bytes;
	size_t size = code_path_bytes(code, path, &bytes);

	if (code->is_start && code->is_start(code->module, code->arch, path->pc))
		return true;
	return code->arch->is_function_start && size &&
	       code->arch->is_function_start(bytes, size, path->pc % FUNCTION_ALIGNMENT);
}

static void lose_differing(struct code_rule *rule, const struct code_rule *other)
{
	for (size_t i = 0; i < CODE_RULE_REGS; i++)
		if (!place_equal(&rule->saved[i], &other->saved[i]))
			rule->saved[i] = place_lost;
}

static void add_outcome(struct code_scan *scan, const struct code_rule *rule)
{
	struct code_outcomes *outcomes = scan->outcomes;

	if (!scan->is_found && !rule->is_doubtful) {
		scan->is_found = true;
		if (scan->n_left > INSTRUCTIONS_AFTER)
			scan->n_left = INSTRUCTIONS_AFTER;
	}
	for (size_t i = 0; i < outcomes->n_rules; i++) {
		struct code_rule *known = &outcomes->rules[i];

		if (!place_equal(&known->return_slot, &rule->return_slot))
			continue;
		if (!place_equal(&known->sp, &rule->sp)) {
			/* How much the callee drops is not known before it does. */
			if (!arch_returns_by_stack(scan->code->arch) ||
			    known->is_doubtful != rule->is_doubtful)
				continue;
			known->sp = place_lost;
		}
		if (known->is_doubtful && !rule->is_doubtful)
			*known = *rule;
		else if (known->is_doubtful == rule->is_doubtful)
			lose_differing(known, rule);
		return;
	}
	if (outcomes->n_rules < CODE_OUTCOMES_MAX)
		outcomes->rules[outcomes->n_rules++] = *rule;
	else
		outcomes->is_ambiguous = true;
}

static bool is_known_address(const struct arch *arch, const struct place *place)
{
	return place_in_rule(*place).kind != PLACE_LOST && !place_is_base(arch, place->reg);
}

/*
 * The place of the return address when the path returns by the word at @slot: @slot, or the word
 * that the path copied it from. false: this is not a return, or the place is not known.
 */
static bool find_return_slot(const struct arch *arch, struct code_path *path, struct place *slot)
{
	const struct path_store *stored = code_path_find_store(path, slot);

	if (!arch_returns_by_stack(arch))
		return is_known_address(arch, &path->regs[arch->sp]);
	if (!stored)
		return is_known_address(arch, slot);
	if (stored->value.kind != PLACE_MEMORY || stored->value.addend)
		return false;
	*slot = (struct place){ PLACE_VALUE, stored->value.reg, stored->value.offset, 0 };
	return true;
}

/* @path has just returned, with @return_slot where the stack pointer was before. */
static void end_in_return(struct code_scan *scan, struct code_path *path, struct place return_slot)
{
	const struct arch *arch = scan->code->arch;
	struct code_rule rule = { .sp = path->regs[arch->sp], .is_doubtful = path->is_doubtful };
	struct place *saved = rule.saved;

	if (!scan->outcomes)
		return;
	if ((rule.sp.kind == PLACE_VALUE && rule.sp.reg == arch->sp && rule.sp.offset < 0) ||
	    !find_return_slot(arch, path, &return_slot)) {
		scan->is_complete = false;
		return;
	}
	if (arch_returns_by_stack(arch))
		rule.return_slot = return_slot;
	if (place_is_base(arch, rule.sp.reg))
		rule.sp = place_lost;
	for (uint64_t left = rule_saved_regs(arch); left; left &= left - 1, saved++) {
		unsigned reg = (unsigned)__builtin_ctzll(left);

		if (reg == arch->ra && arch_returns_by_stack(arch))
			continue;
		*saved = place_in_rule(path->regs[reg]);
		/* Who does not give back what its caller had may be another function. */
		if (saved->kind == PLACE_LOST &&
		    (!scan->code->keeps_frame_pointer_only || reg == arch->fp))
			rule.is_doubtful = true;
	}
	add_outcome(scan, &rule);
}

static void end_in_tail_call(struct code_scan *scan, struct code_path *path)
{
	const struct arch *arch = scan->code->arch;
	struct place slot = path->regs[arch->sp];

	if (arch_returns_by_stack(arch))
		path->regs[arch->sp] = place_add(slot, arch->pointer_size);
	end_in_return(scan, path, slot);
}

static void arrive(struct code_scan *scan, const struct code_path *path)
{
	struct code_rule rule;

	if (!code_path_invert(scan->code->arch, path, &rule)) {
		scan->is_contradicted |= !path->is_doubtful;
		return;
	}
	if (!scan->is_found || (scan->target_rule->is_doubtful && !rule.is_doubtful)) {
		*scan->target_rule = rule;
		scan->is_found = true;
		if (scan->n_left > INSTRUCTIONS_AFTER)
			scan->n_left = INSTRUCTIONS_AFTER;
	} else if (rule.is_doubtful && !scan->target_rule->is_doubtful) {
		return;
	} else if (!place_equal(&rule.sp, &scan->target_rule->sp) ||
		   !place_equal(&rule.return_slot, &scan->target_rule->return_slot)) {
		scan->is_contradicted = true;
	} else {
		lose_differing(scan->target_rule, &rule);
	}
}

/* Later: @path with its branch taken. */
static void branch(struct code_scan *scan, const struct code_path *path, uint64_t from,
		   int64_t distance)
{
	if (scan->n_paths == PATHS_MAX) {
		scan->is_complete = false;
		return;
	}
	struct code_path *other = &scan->paths[scan->n_paths++];
	*other = *path;
	code_path_jump(scan->code, other, from, distance);
}

/* The jump at @from takes one of the entries of a table, all of which are known. */
static bool branch_by_bounded_table(struct code_scan *scan, const struct code_path *path,
				    uint64_t from)
{
	uint64_t targets[JUMP_ENTRIES_MAX];
	size_t n = jump_table_bounded(scan->code, from, targets);

	for (size_t i = 0; i < n; i++)
		branch(scan, path, path->pc, (int64_t)(targets[i] - path->pc));
	return n > 0;
}

/* The jump takes one of the table's entries, with the same stack as it would any other. */
static bool branch_by_table(struct code_scan *scan, const struct code_path *path, uint8_t reg)
{
	uint64_t targets[JUMP_TABLE_TARGETS];

	if (!scan->outcomes || reg == MACHINE_NO_REG ||
	    !jump_table_targets(scan->code, path->pc, &path->regs[reg], targets))
		return false;
	for (size_t i = 0; i < JUMP_TABLE_TARGETS; i++)
		branch(scan, path, path->pc, (int64_t)(targets[i] - path->pc));
	return true;
}

/* Continues after a call of @callee (0: not known). false: the call was the path's last
 * instruction. */
static bool go_on_after_call(struct code_scan *scan, struct code_path *path, uint64_t callee)
{
	const struct code *code = scan->code;

	code_path_step_over_call(code, path, callee);
	if (scan->target_rule && !scan->is_exact && path->pc == scan->target)
		arrive(scan, path);
	if (path->is_in_function && path->pc >= code->function_end)
		return false;
	if (callee && !callees_may_return(&scan->callees, code, callee))
		return false;
	if (!path->is_in_function)
		path->is_doubtful = path->is_doubtful || is_function_like(code, path);
	return true;
}

/* Whether who is jumped to returns to the function's caller: the stack is as it was on entry, or
 * the return address is on top of it again. */
static bool has_return_address(const struct arch *arch, struct code_path *path,
			       const struct place *sp)
{
	const struct place original = { PLACE_MEMORY, arch->sp, 0, 0 };
	const struct path_store *stored = code_path_find_store(path, sp);

	return place_is_register(sp, arch->sp) ||
	       (stored && place_equal(&stored->value, &original));
}

/* false: the path ends here. */
static bool follow(struct code_scan *scan, struct code_path *path,
		   const struct machine_instruction *what, struct place sp_before)
{
	uint64_t from = path->pc;

	path->pc += what->size;
	switch ((enum machine_flow)what->flow) {
	case FLOW_NEXT:
		return true;
	case FLOW_CALL:
		return go_on_after_call(scan, path,
					what->target ? from + (uint64_t)what->target : 0);
	case FLOW_JUMP:
		code_path_jump(scan->code, path, from, what->target);
		return true;
	case FLOW_BRANCH:
		branch(scan, path, from, what->target);
		return true;
	case FLOW_RETURN:
		end_in_return(scan, path, sp_before);
		return false;
	case FLOW_TAIL_CALL:
		scan->leaves |= has_return_address(scan->code->arch, path, &sp_before);
		scan->is_complete &= scan->outcomes != NULL;
		end_in_tail_call(scan, path);
		return false;
	case FLOW_INDIRECT:
		if (what->jumps_to != MACHINE_NO_REG && branch_by_bounded_table(scan, path, from))
			return false;
		scan->leaves |= has_return_address(scan->code->arch, path, &sp_before);
		__attribute__((fallthrough));
	case FLOW_SWITCH:
		scan->is_complete = false;
		if (what->flow == FLOW_INDIRECT && branch_by_table(scan, path, what->jumps_to))
			return false;
		path->is_doubtful = true;
		/* What it jumps to is most likely what follows. */
		if (scan->target_rule)
			return true;
		if (what->flow == FLOW_INDIRECT)
			end_in_tail_call(scan, path);
		return false;
	case FLOW_STOP:
		return false;
	}
	return false;
}

static void follow_path(struct code_scan *scan, struct code_path *path)
{
	const struct arch *arch = scan->code->arch;
	struct machine_instruction what;
	const uint8_t *bytes;
	size_t size;

	do {
		/* No function falls through into the next. */
		if (path->is_in_function && path->pc >= scan->code->function_end)
			return;
		size = code_path_bytes(scan->code, path, &bytes);
		if (!scan->n_left || !size || !arch->decode(bytes, size, &what)) {
			scan->is_complete = false;
			return;
		}
		scan->n_left--;
		if (scan->target_rule && scan->is_exact && path->pc == scan->target)
			arrive(scan, path);
		if (!visit(scan, path))
			return;
		if (scan->is_holding && scan->target - path->pc < what.size) {
			scan->is_found |= !path->is_doubtful;
			scan->is_contradicted |= path->is_doubtful;
		}
		struct place sp = path->regs[arch->sp];
		code_path_execute(arch, path, &what);
		if (!follow(scan, path, &what, sp))
			return;
	} while (true);
}

static void scan_from(struct code_scan *scan, const struct code *code, uint64_t pc, bool is_exact)
{
	struct code_path path;

	scan->code = code;
	scan->is_found = scan->is_contradicted = scan->leaves = false;
	scan->is_complete = true;
	scan->n_left = scan->n_instructions;
	if (!++scan->round) {
		memset(scan->visited, 0, sizeof(scan->visited));
		scan->round = 1;
	}
	code_path_begin(code, &scan->paths[0], pc);
	if (scan->outcomes)
		code_path_find_loaded_pc(code, &scan->paths[0]);
	/* A call has put its own return address there. */
	if (!is_exact && !arch_returns_by_stack(code->arch))
		scan->paths[0].regs[code->arch->ra] = place_lost;
	if (!is_exact && !scan->paths[0].is_in_function)
		scan->paths[0].is_doubtful = is_function_like(code, &scan->paths[0]);
	for (scan->n_paths = 1; scan->n_paths;) {
		path = scan->paths[--scan->n_paths];
		follow_path(scan, &path);
	}
}

void code_scan_returns(struct code_scan *scan, const struct code *code, uint64_t pc, bool is_exact,
		       struct code_outcomes *outcomes_ret)
{
	outcomes_ret->n_rules = 0;
	outcomes_ret->is_ambiguous = false;
	scan->outcomes = outcomes_ret;
	scan->target_rule = NULL;
	scan_from(scan, code, pc, is_exact);
	outcomes_ret->is_complete = scan->is_complete;
}

/*
 * The callees of V8's builtins drop their arguments, so paths seem to come to one instruction with
 * many stack pointers: too many to follow. Where all that lead there have set up the frame pointer,
 * it alone shows where the return address is.
 */
static bool leads_by_frame_pointer(struct code_scan *scan, const struct code *code, uint64_t entry)
{
	const struct code_rule *rule = scan->target_rule;
	const uint8_t fp = code->arch->fp;

	scan->is_by_frame_pointer = true;
	scan_from(scan, code, entry, true);
	scan->is_by_frame_pointer = false;
	return scan->is_found && !scan->is_contradicted && !rule->is_doubtful &&
	       arch_returns_by_stack(code->arch) && rule->sp.kind == PLACE_VALUE &&
	       rule->sp.reg == fp && rule->return_slot.kind == PLACE_VALUE &&
	       rule->return_slot.reg == fp;
}

enum code_way code_scan_entry(struct code_scan *scan, const struct code *code, uint64_t entry,
			      uint64_t pc, bool is_exact, struct code_rule *rule_ret,
			      bool *leaves_ret)
{
	scan->outcomes = NULL;
	scan->target = pc;
	scan->is_exact = is_exact;
	scan->target_rule = rule_ret;
	scan_from(scan, code, entry, true);
	*leaves_ret = scan->leaves;
	if (scan->is_found && !scan->is_contradicted)
		return CODE_LEADS;
	if (!scan->is_found && !scan->is_contradicted && !scan->is_complete)
		return leads_by_frame_pointer(scan, code, entry) ? CODE_LEADS : CODE_CAN_LEAD;
	return scan->is_complete && !scan->is_contradicted ? CODE_CANNOT_LEAD : CODE_CAN_LEAD;
}

bool code_scan_holds(struct code_scan *scan, const struct code *code, uint64_t entry,
		     uint64_t lookup)
{
	scan->outcomes = NULL;
	scan->target_rule = NULL;
	scan->target = lookup;
	scan->is_holding = true;
	scan_from(scan, code, entry, true);
	scan->is_holding = false;
	return scan->is_found;
}

enum code_reach code_scan_reach(struct code_scan *scan, const struct code *code, uint64_t entry,
				uint64_t pc)
{
	scan->n_instructions = REACH_INSTRUCTIONS_MAX;
	bool holds = code_scan_holds(scan, code, entry, pc);
	scan->n_instructions = INSTRUCTIONS_MAX;
	if (scan->leaves || !scan->is_complete)
		return CODE_REACHES_ANY;
	return holds || scan->is_contradicted ? CODE_REACHES : CODE_ENDS_BEFORE;
}

bool code_scan_jumps_to(const struct code *code, uint64_t from, uint64_t size, uint64_t to,
			uint64_t to_size)
{
	struct machine_instruction what;

	if (from - code->start >= code->size)
		return false;
	const uint64_t left = code->size - (from - code->start);
	const uint8_t *bytes = code->bytes + (from - code->start);
	if (size > left)
		size = left;
	for (size_t n = 0, at = 0; n < REACH_INSTRUCTIONS_MAX && at < size; n++, at += what.size) {
		if (!code->arch->decode(bytes + at, size - at, &what))
			return false;
		bool is_jump = what.flow == FLOW_JUMP || what.flow == FLOW_BRANCH;
		if (is_jump && from + at + (uint64_t)what.target - to < to_size)
			return true;
	}
	return false;
}
