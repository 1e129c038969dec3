/* Depth first, with a state per path that is still to be followed. */
#include "unwind/code/code_scan.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/hash.h"
#include "unwind/code/jump_table.h"
#include "unwind/rules/machine_instruction.h"
#include "unwind/rules/rule.h"

#define INSTRUCTIONS_MAX 4096
/* After an answer: a few more that might contradict it. */
#define INSTRUCTIONS_AFTER 512
#define PATHS_MAX          256
#define STORES_MAX         48
/* Up to which a path keeps words that no return needs. */
#define STORES_SPARE_MAX   16
#define VISITED_BITS       13 /* more than twice as many as instructions */
#define FUNCTION_ALIGNMENT 16
/* How far a callee is looked into, for whether it returns: instructions, branches, calls deep. */
#define CALLEE_INSTRUCTIONS_MAX 512
#define REACH_INSTRUCTIONS_MAX  512
#define CALLEE_BRANCHES_MAX     32
#define CALLEE_DEPTH_MAX        3
#define CALLEES_BITS            10
/* From a call that loads the pc to where a jump uses it: bytes. */
#define LOADED_PC_DISTANCE 24
/* How often a loop that moves the stack pointer is followed before its value counts as unknown. */
#define UNBALANCED_MAX 4

/*
 * A value that can't be followed, such as an aligned stack pointer, gets a new number above those
 * of the registers: places relative to it are still known relative to each other.
 */
static bool is_base(const struct arch *arch, unsigned reg)
{
	return reg >= arch->n_regs;
}

/* A word of the stack that was written on the path. */
struct stored {
	uint8_t reg;
	int32_t offset;
	struct place value;
};

struct path {
	uint64_t pc;
	bool is_doubtful;
	bool is_in_function; /* the one whose bounds are known */
	bool has_lost_stores;
	uint8_t n_stores;
	uint8_t n_bases;
	/* The last jump back, and how often it came with another stack pointer. */
	uint8_t n_unbalanced;
	uint64_t back_to;
	struct place back_sp;
	struct stored stores[STORES_MAX];
	struct place regs[REGS_MAX];
};

/* An instruction, with a stack pointer: paths with different stack pointers there are different. */
struct visited {
	uint64_t pc;
	struct place sp;
	uint32_t round;
	bool is_doubtful; /* by such paths only */
};

/* Whether a function that was called returns, as far as can be seen. */
struct callee {
	const uint8_t *code; /* NULL: empty */
	bool may_return;
};

struct code_scan {
	struct callee callees[1u << CALLEES_BITS]; /* direct-mapped */
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
	struct path paths[PATHS_MAX];
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

static const struct place lost = { .kind = PLACE_LOST };

static struct place place_add(struct place place, int32_t value)
{
	int32_t *to = place.kind == PLACE_MEMORY ? &place.addend : &place.offset;

	if (place.kind == PLACE_LOST || place.kind == PLACE_ENTRY ||
	    __builtin_add_overflow(*to, value, to))
		return lost;
	return place;
}

static bool place_equal(const struct place *a, const struct place *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->offset == b->offset &&
	       a->addend == b->addend;
}

static bool is_register(const struct place *place, unsigned reg)
{
	return place->kind == PLACE_VALUE && place->reg == reg && place->offset == 0;
}

static bool is_ra_on_stack(const struct arch *arch)
{
	return !(arch->callee_saved >> arch->ra & 1);
}

static struct stored *find_stored(struct path *path, const struct place *address)
{
	for (size_t i = 0; i < path->n_stores; i++)
		if (path->stores[i].reg == address->reg &&
		    path->stores[i].offset == address->offset)
			return &path->stores[i];
	return NULL;
}

/* What a return may depend on. */
static bool is_important(const struct arch *arch, const struct place *value)
{
	return value->kind == PLACE_VALUE &&
	       ((rule_saved_regs(arch) | 1ull << arch->sp) >> value->reg & 1);
}

/* Other registers' values are kept as long as there is room; what is lost, only where one was.
 * @is_moved: a word of memory may be a return address. */
static void store(const struct arch *arch, struct path *path, struct place address,
		  struct place value, bool is_moved)
{
	if (address.kind != PLACE_VALUE)
		return;
	struct stored *stored = find_stored(path, &address);
	if (!stored) {
		bool is_needed = is_important(arch, &value);

		if (value.kind == PLACE_LOST || (value.kind == PLACE_MEMORY && !is_moved) ||
		    (!is_needed && path->n_stores >= STORES_SPARE_MAX))
			return;
		if (path->n_stores == STORES_MAX) {
			path->has_lost_stores = true;
			return;
		}
		stored = &path->stores[path->n_stores++];
	}
	*stored = (struct stored){ address.reg, address.offset, value };
}

/* A word that is copied may be the return address. Arguments that are copied have no use. */
static void store_copy(const struct arch *arch, struct path *path, struct place address,
		       struct place word)
{
	store(arch, path, address, word.kind == PLACE_MEMORY ? word : lost, true);
}

static struct place load(const struct arch *arch, struct path *path, struct place address)
{
	if (address.kind != PLACE_VALUE)
		return lost;
	const struct stored *stored = find_stored(path, &address);
	if (stored)
		return stored->value;
	/* Below the stack pointer lies what the path has written, or rubbish. */
	if (path->has_lost_stores || is_base(arch, address.reg) ||
	    (address.reg == arch->sp && address.offset < 0))
		return lost;
	return (struct place){ PLACE_MEMORY, address.reg, address.offset, 0 };
}

/* What @place is in a rule: that of some value in terms of registers. */
static struct place rule_place(struct place place)
{
	return place.kind == PLACE_VALUE || place.kind == PLACE_MEMORY ? place : lost;
}

static struct place code_address(uint64_t offset)
{
	return offset <= INT32_MAX ? (struct place){ PLACE_CODE, 0, (int32_t)offset, 0 } : lost;
}

static struct place add_entry(const struct place *base, const struct place *table)
{
	if (base->kind != PLACE_CODE || table->kind != PLACE_CODE)
		return lost;
	return (struct place){ PLACE_ENTRY, 0, base->offset, table->offset };
}

static void clobber(const struct arch *arch, struct path *path, unsigned reg)
{
	path->regs[reg] = lost;
	if (reg == arch->sp && arch->n_regs + path->n_bases < REGS_MAX)
		path->regs[reg] = (struct place){ PLACE_VALUE,
						  (uint8_t)(arch->n_regs + path->n_bases++), 0, 0 };
}

static void execute(const struct arch *arch, struct path *path,
		    const struct machine_instruction *what)
{
	for (uint64_t left = what->clobbers; left; left &= left - 1)
		clobber(arch, path, (unsigned)__builtin_ctzll(left));
	for (size_t i = 0; i < what->n_ops; i++) {
		const struct machine_op *op = &what->ops[i];
		struct place from = op->from == MACHINE_NO_REG ? lost : path->regs[op->from];
		struct place top = place_add(path->regs[arch->sp], -arch->pointer_size), address;

		switch ((enum machine_op_kind)op->kind) {
		case OP_SET:
			path->regs[op->to] = place_add(from, op->value);
			break;
		case OP_LOAD:
			path->regs[op->to] = load(arch, path, place_add(from, op->value));
			break;
		case OP_STORE:
			address = place_add(path->regs[op->to], op->value);
			store(arch, path, address, from, place_equal(&address, &top));
			break;
		case OP_PUSH:
			from = load(arch, path, place_add(from, op->value));
			store_copy(arch, path, top, from);
			break;
		case OP_POP:
			address = place_add(path->regs[op->to], op->value);
			store_copy(arch, path, address, load(arch, path, top));
			break;
		case OP_SWAP:
			path->regs[op->from] = path->regs[op->to];
			path->regs[op->to] = from;
			break;
		case OP_ENTRY:
			from = place_add(from, op->value);
			path->regs[op->to] = add_entry(&path->regs[op->to], &from);
			break;
		}
	}
	if (rule_place(path->regs[arch->sp]).kind == PLACE_LOST)
		clobber(arch, path, arch->sp);
}

/* `mov (%esp),%reg; ret` and its like, which keep all other registers. They call nothing. */
static bool only_loads_pc(const struct code *code, uint64_t callee, uint8_t *reg_ret)
{
	struct machine_instruction what;
	uint64_t at = callee - code->start;

	if (at >= code->size || !code->arch->decode(code->bytes + at, code->size - at, &what) ||
	    what.n_ops != 1 || what.ops[0].kind != OP_LOAD || what.ops[0].from != code->arch->sp ||
	    what.ops[0].value || what.ops[0].to == code->arch->sp)
		return false;
	*reg_ret = what.ops[0].to;
	at += what.size;
	return at < code->size && code->arch->decode(code->bytes + at, code->size - at, &what) &&
	       what.flow == FLOW_RETURN;
}

/* @path's pc follows the call. @callee: 0: not known. */
static void step_over_call(const struct code *code, struct path *path, uint64_t callee)
{
	const struct arch *arch = code->arch;
	uint64_t kept = (arch->callee_saved & ~(1ull << arch->ra)) | 1ull << arch->sp;
	uint8_t pc_reg;

	if (callee && only_loads_pc(code, callee, &pc_reg)) {
		path->regs[pc_reg] = code_address(path->pc);
		return;
	}
	for (unsigned reg = 0; reg < arch->n_regs; reg++)
		if (!(kept >> reg & 1))
			path->regs[reg] = lost;
}

static void begin_path(const struct code *code, struct path *path, uint64_t pc)
{
	path->pc = pc;
	path->is_doubtful = false;
	path->is_in_function = pc >= code->function_start && pc < code->function_end;
	path->has_lost_stores = false;
	path->n_stores = 0;
	path->n_bases = 0;
	path->n_unbalanced = 0;
	path->back_to = UINT64_MAX;
	for (unsigned reg = 0; reg < REGS_MAX; reg++)
		path->regs[reg] = (struct place){ PLACE_VALUE, (uint8_t)reg, 0, 0 };
}

/* What tells paths apart that have come to one instruction. */
static struct place stack_of(const struct code_scan *scan, const struct path *path)
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
static bool visit(struct code_scan *scan, const struct path *path)
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

/* Code at @path's pc. 0: none. */
static size_t code_at(const struct code *code, const struct path *path, const uint8_t **bytes_ret)
{
	uint64_t at = path->pc - code->start;

	if (at >= code->size)
		return 0;
	*bytes_ret = code->bytes + at;
	return code->size - at;
}

/* The search for an end of a callee that returns. */
struct callee_search {
	const struct code *code;
	size_t n_left;  /* instructions */
	size_t n_depth; /* calls */
};

static bool callee_returns(struct callee_search *search, uint64_t pc);

/* Follows a callee from @pc to an end. true: it returns, or nothing can be said. */
static bool callee_path_returns(struct callee_search *search, uint64_t pc, uint64_t *branches,
				size_t *n_branches)
{
	const struct code *code = search->code;
	struct machine_instruction what;

	while (true) {
		uint64_t at = pc - code->start;
		if (!search->n_left || at >= code->size ||
		    !code->arch->decode(code->bytes + at, code->size - at, &what))
			return true;
		search->n_left--;
		uint64_t target = pc + (uint64_t)what.target;
		pc += what.size;
		switch ((enum machine_flow)what.flow) {
		case FLOW_NEXT:
			break;
		case FLOW_CALL:
			if (what.target && !callee_returns(search, target))
				return false;
			break;
		case FLOW_JUMP:
			pc = target;
			break;
		case FLOW_BRANCH:
			if (*n_branches == CALLEE_BRANCHES_MAX)
				return true;
			branches[(*n_branches)++] = target;
			break;
		case FLOW_STOP:
			return false;
		case FLOW_RETURN:
		case FLOW_TAIL_CALL:
		case FLOW_INDIRECT:
		case FLOW_SWITCH:
			return true;
		}
	}
}

static bool callee_returns(struct callee_search *search, uint64_t pc)
{
	uint64_t branches[CALLEE_BRANCHES_MAX] = { pc };
	size_t n_branches = 1;
	bool returns = false;

	if (search->n_depth == CALLEE_DEPTH_MAX)
		return true;
	search->n_depth++;
	while (n_branches && !returns)
		returns =
			callee_path_returns(search, branches[--n_branches], branches, &n_branches);
	search->n_depth--;
	return returns;
}

static bool callee_may_return(struct code_scan *scan, uint64_t pc)
{
	struct callee_search search = { .code = scan->code, .n_left = CALLEE_INSTRUCTIONS_MAX };
	struct callee *callee = &scan->callees[hash_to_bits(pc, CALLEES_BITS)];

	if (pc - scan->code->start >= scan->code->size)
		return true;
	const uint8_t *bytes = scan->code->bytes + (pc - scan->code->start);
	if (callee->code != bytes)
		*callee = (struct callee){ bytes, callee_returns(&search, pc) };
	return callee->may_return;
}

/* Whether another function, or the space between two functions, seems to begin after a call. */
static bool is_function_like(const struct code *code, const struct path *path)
{
	const uint8_t *bytes;
	size_t size = code_at(code, path, &bytes);

	if (code->is_start && code->is_start(code->module, code->arch, path->pc))
		return true;
	return code->arch->is_function_start && size &&
	       code->arch->is_function_start(bytes, size, path->pc % FUNCTION_ALIGNMENT);
}

static void lose_differing(struct code_rule *rule, const struct code_rule *other)
{
	for (size_t i = 0; i < CODE_RULE_REGS; i++)
		if (!place_equal(&rule->saved[i], &other->saved[i]))
			rule->saved[i] = lost;
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
			if (!is_ra_on_stack(scan->code->arch) ||
			    known->is_doubtful != rule->is_doubtful)
				continue;
			known->sp = lost;
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
	return rule_place(*place).kind != PLACE_LOST && !is_base(arch, place->reg);
}

/*
 * The place of the return address when the path returns by the word at @slot: @slot, or the word
 * that the path copied it from. false: this is not a return, or the place is not known.
 */
static bool find_return_slot(const struct arch *arch, struct path *path, struct place *slot)
{
	const struct stored *stored = find_stored(path, slot);

	if (!is_ra_on_stack(arch))
		return is_known_address(arch, &path->regs[arch->sp]);
	if (!stored)
		return is_known_address(arch, slot);
	if (stored->value.kind != PLACE_MEMORY || stored->value.addend)
		return false;
	*slot = (struct place){ PLACE_VALUE, stored->value.reg, stored->value.offset, 0 };
	return true;
}

/* @path has just returned, with @return_slot where the stack pointer was before. */
static void end_in_return(struct code_scan *scan, struct path *path, struct place return_slot)
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
	if (is_ra_on_stack(arch))
		rule.return_slot = return_slot;
	if (is_base(arch, rule.sp.reg))
		rule.sp = lost;
	for (uint64_t left = rule_saved_regs(arch); left; left &= left - 1, saved++) {
		unsigned reg = (unsigned)__builtin_ctzll(left);

		if (reg == arch->ra && is_ra_on_stack(arch))
			continue;
		*saved = rule_place(path->regs[reg]);
		/* Who does not give back what its caller had may be another function. */
		if (saved->kind == PLACE_LOST &&
		    (!scan->code->keeps_frame_pointer_only || reg == arch->fp))
			rule.is_doubtful = true;
	}
	add_outcome(scan, &rule);
}

static void end_in_tail_call(struct code_scan *scan, struct path *path)
{
	const struct arch *arch = scan->code->arch;
	struct place slot = path->regs[arch->sp];

	if (is_ra_on_stack(arch))
		path->regs[arch->sp] = place_add(slot, arch->pointer_size);
	end_in_return(scan, path, slot);
}

/*
 * A register that has @base + *@offset_ret. The frame pointer is the best one, because callees may
 * drop arguments; then the stack pointer, then callee-saved registers.
 */
static bool find_relative(const struct arch *arch, const struct path *path, unsigned base,
			  uint8_t *reg_ret, int32_t *offset_ret)
{
	const uint64_t all = (1ull << arch->n_regs) - 1;
	const uint64_t groups[] = { 1ull << arch->fp, 1ull << arch->sp, arch->callee_saved & all,
				    all };

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (uint64_t left = groups[i]; left; left &= left - 1) {
			unsigned reg = (unsigned)__builtin_ctzll(left);
			const struct place *value = &path->regs[reg];

			if (value->kind != PLACE_VALUE || value->reg != base)
				continue;
			*reg_ret = (uint8_t)reg;
			*offset_ret = value->offset;
			return true;
		}
	return false;
}

/* The address @base + @offset by a register that has it now. */
static struct place find_address(const struct arch *arch, const struct path *path, unsigned base,
				 int32_t offset)
{
	struct place place = { .kind = PLACE_VALUE };
	int32_t has;

	if (!find_relative(arch, path, base, &place.reg, &has) ||
	    __builtin_sub_overflow(offset, has, &place.offset))
		return lost;
	return place;
}

/* The word that @stored was written to. */
static struct place find_word(const struct arch *arch, const struct path *path,
			      const struct stored *stored)
{
	struct place place = find_address(arch, path, stored->reg, stored->offset);

	if (place.kind == PLACE_VALUE)
		place.kind = PLACE_MEMORY;
	return place;
}

/* Where the value that @reg had on entry is on @path. */
static struct place find_entry_value(const struct arch *arch, const struct path *path, unsigned reg)
{
	if (is_register(&path->regs[reg], reg))
		return path->regs[reg];
	for (size_t i = 0; i < path->n_stores; i++) {
		if (!is_register(&path->stores[i].value, reg))
			continue;
		struct place word = find_word(arch, path, &path->stores[i]);
		if (word.kind != PLACE_LOST)
			return word;
	}
	for (unsigned other = 0; other < arch->n_regs; other++)
		if (is_register(&path->regs[other], reg))
			return (struct place){ PLACE_VALUE, (uint8_t)other, 0, 0 };
	return lost;
}

/* The stack pointer on entry: by a register, or by a word that tells where it was. */
static struct place find_entry_sp(const struct arch *arch, const struct path *path)
{
	struct place place = find_address(arch, path, arch->sp, 0);

	for (size_t i = 0; i < path->n_stores && place.kind == PLACE_LOST; i++) {
		const struct stored *stored = &path->stores[i];

		if (stored->value.kind == PLACE_VALUE && stored->value.reg == arch->sp &&
		    stored->value.offset > INT32_MIN)
			place = place_add(find_word(arch, path, stored), -stored->value.offset);
	}
	return place;
}

/* Where @path has put the return address, if it has moved it to make room for arguments. */
static struct place find_moved_return(const struct arch *arch, const struct path *path,
				      struct place entry_slot)
{
	const struct place original = { PLACE_MEMORY, arch->sp, 0, 0 };

	for (size_t i = 0; i < path->n_stores; i++)
		if (place_equal(&path->stores[i].value, &original))
			return find_address(arch, path, path->stores[i].reg,
					    path->stores[i].offset);
	return entry_slot;
}

/* The caller's registers in terms of the present registers of @path. */
static bool invert(const struct arch *arch, const struct path *path, struct code_rule *rule_ret)
{
	struct code_rule rule = { .is_doubtful = path->is_doubtful };
	struct place *saved = rule.saved;

	rule.sp = find_entry_sp(arch, path);
	if (rule.sp.kind == PLACE_LOST)
		return false;
	if (is_ra_on_stack(arch)) {
		rule.return_slot = find_moved_return(arch, path, rule.sp);
		rule.sp = place_add(rule.sp, arch->pointer_size);
	}
	for (uint64_t left = rule_saved_regs(arch); left; left &= left - 1, saved++) {
		unsigned reg = (unsigned)__builtin_ctzll(left);

		if (reg != arch->ra || !is_ra_on_stack(arch))
			*saved = find_entry_value(arch, path, reg);
	}
	*rule_ret = rule;
	return true;
}

static void arrive(struct code_scan *scan, const struct path *path)
{
	struct code_rule rule;

	if (!invert(scan->code->arch, path, &rule)) {
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

/* A loop that pushes as many words as a register says. */
static void jump_back(const struct arch *arch, struct path *path)
{
	const struct place *sp = &path->regs[arch->sp];

	if (path->pc != path->back_to)
		path->n_unbalanced = 0;
	else if (!place_equal(sp, &path->back_sp) && path->n_unbalanced < UNBALANCED_MAX)
		path->n_unbalanced++;
	path->back_to = path->pc;
	path->back_sp = *sp;
	if (path->n_unbalanced == UNBALANCED_MAX)
		clobber(arch, path, arch->sp);
}

static void jump(const struct code *code, struct path *path, uint64_t from, int64_t distance)
{
	path->pc = from + (uint64_t)distance;
	if (distance < 0)
		jump_back(code->arch, path);
	path->is_in_function = path->is_in_function && path->pc >= code->function_start &&
			       path->pc < code->function_end;
}

/* Later: @path with its branch taken. */
static void branch(struct code_scan *scan, const struct path *path, uint64_t from, int64_t distance)
{
	if (scan->n_paths == PATHS_MAX) {
		scan->is_complete = false;
		return;
	}
	struct path *other = &scan->paths[scan->n_paths++];
	*other = *path;
	jump(scan->code, other, from, distance);
}

/* The jump at @from takes one of the entries of a table, all of which are known. */
static bool branch_by_bounded_table(struct code_scan *scan, const struct path *path, uint64_t from)
{
	uint64_t targets[JUMP_ENTRIES_MAX];
	size_t n = jump_table_bounded(scan->code, from, targets);

	for (size_t i = 0; i < n; i++)
		branch(scan, path, path->pc, (int64_t)(targets[i] - path->pc));
	return n > 0;
}

/* The jump takes one of the table's entries, with the same stack as it would any other. */
static bool branch_by_table(struct code_scan *scan, const struct path *path, uint8_t reg)
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
static bool go_on_after_call(struct code_scan *scan, struct path *path, uint64_t callee)
{
	const struct code *code = scan->code;

	step_over_call(code, path, callee);
	if (scan->target_rule && !scan->is_exact && path->pc == scan->target)
		arrive(scan, path);
	if (path->is_in_function && path->pc >= code->function_end)
		return false;
	if (callee && !callee_may_return(scan, callee))
		return false;
	if (!path->is_in_function)
		path->is_doubtful = path->is_doubtful || is_function_like(code, path);
	return true;
}

/* Whether who is jumped to returns to the function's caller: the stack is as it was on entry, or
 * the return address is on top of it again. */
static bool has_return_address(const struct arch *arch, struct path *path, const struct place *sp)
{
	const struct place original = { PLACE_MEMORY, arch->sp, 0, 0 };
	const struct stored *stored = find_stored(path, sp);

	return is_register(sp, arch->sp) || (stored && place_equal(&stored->value, &original));
}

/* false: the path ends here. */
static bool follow(struct code_scan *scan, struct path *path,
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
		jump(scan->code, path, from, what->target);
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

static void follow_path(struct code_scan *scan, struct path *path)
{
	const struct arch *arch = scan->code->arch;
	struct machine_instruction what;
	const uint8_t *bytes;
	size_t size;

	do {
		/* No function falls through into the next. */
		if (path->is_in_function && path->pc >= scan->code->function_end)
			return;
		size = code_at(scan->code, path, &bytes);
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
		execute(arch, path, &what);
		if (!follow(scan, path, &what, sp))
			return;
	} while (true);
}

/* Follows a call that loads the pc, and what follows in a straight line. false: not to @end. */
static bool leads_from_loaded_pc(const struct code *code, struct path *path, uint64_t end)
{
	const struct arch *arch = code->arch;
	enum machine_flow flow = FLOW_CALL;
	struct machine_instruction what;
	const uint8_t *bytes;
	uint8_t reg;

	while (path->pc < end) {
		size_t size = code_at(code, path, &bytes);
		if (!size || !arch->decode(bytes, size, &what) || what.flow != flow)
			return false;
		uint64_t callee = path->pc + (uint64_t)what.target;
		execute(arch, path, &what);
		path->pc += what.size;
		if (flow == FLOW_CALL && !only_loads_pc(code, callee, &reg))
			return false;
		if (flow == FLOW_CALL)
			step_over_call(code, path, callee);
		flow = FLOW_NEXT;
	}
	return path->pc == end;
}

/* Tells @path, at its beginning, what a call right before it has made known of the pc. */
static void find_loaded_pc(const struct code *code, struct path *path)
{
	struct path before;

	for (uint64_t back = 1; back <= LOADED_PC_DISTANCE && back <= path->pc; back++) {
		begin_path(code, &before, path->pc - back);
		if (!leads_from_loaded_pc(code, &before, path->pc))
			continue;
		for (unsigned reg = 0; reg < code->arch->n_regs; reg++)
			if (before.regs[reg].kind == PLACE_CODE ||
			    before.regs[reg].kind == PLACE_ENTRY)
				path->regs[reg] = before.regs[reg];
		return;
	}
}

static void scan_from(struct code_scan *scan, const struct code *code, uint64_t pc, bool is_exact)
{
	struct path path;

	scan->code = code;
	scan->is_found = scan->is_contradicted = scan->leaves = false;
	scan->is_complete = true;
	scan->n_left = scan->n_instructions;
	if (!++scan->round) {
		memset(scan->visited, 0, sizeof(scan->visited));
		scan->round = 1;
	}
	begin_path(code, &scan->paths[0], pc);
	if (scan->outcomes)
		find_loaded_pc(code, &scan->paths[0]);
	/* A call has put its own return address there. */
	if (!is_exact && !is_ra_on_stack(code->arch))
		scan->paths[0].regs[code->arch->ra] = lost;
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
	       is_ra_on_stack(code->arch) && rule->sp.kind == PLACE_VALUE && rule->sp.reg == fp &&
	       rule->return_slot.kind == PLACE_VALUE && rule->return_slot.reg == fp;
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
