#include "unwind/code/code_path.h"

#include "unwind/rules/rule.h"

/* Up to which a path keeps words that no return needs. */
#define STORES_SPARE_MAX 16
/* From a call that loads the pc to where a jump uses it: bytes. */
#define LOADED_PC_DISTANCE 24
/* How often a loop that moves the stack pointer is followed before its value counts as unknown. */
#define UNBALANCED_MAX 4

struct path_store *code_path_find_store(struct code_path *path, const struct place *address)
{
	for (size_t i = 0; i < path->n_stores; i++)
		if (path->stores[i].reg == address->reg &&
		    path->stores[i].offset == address->offset)
			return &path->stores[i];
	return NULL;
}

/* What a return may depend on: registers, and the word that is the return address on entry. */
static bool is_important(const struct arch *arch, const struct place *value)
{
	const struct place original = { PLACE_MEMORY, arch->sp, 0, 0 };

	return place_equal(value, &original) ||
	       (value->kind == PLACE_VALUE &&
		((rule_saved_regs(arch) | 1ull << arch->sp) >> value->reg & 1));
}

/* Other registers' values are kept as long as there is room; what is lost, only where one was.
 * @is_moved: a word of memory may be a return address. */
static void store(const struct arch *arch, struct code_path *path, struct place address,
		  struct place value, bool is_moved)
{
	if (address.kind != PLACE_VALUE)
		return;
	struct path_store *stored = code_path_find_store(path, &address);
	if (!stored) {
		bool is_needed = is_important(arch, &value);

		bool is_spare = value.kind != PLACE_MEMORY || is_moved;

		if (value.kind == PLACE_LOST ||
		    (!is_needed && (!is_spare || path->n_stores >= STORES_SPARE_MAX)))
			return;
		if (path->n_stores == PATH_STORES_MAX) {
			path->has_lost_stores = true;
			return;
		}
		stored = &path->stores[path->n_stores++];
	}
	*stored = (struct path_store){ address.reg, address.offset, value };
}

/* A word that is copied may be the return address. Arguments that are copied have no use. */
static void store_copy(const struct arch *arch, struct code_path *path, struct place address,
		       struct place word)
{
	store(arch, path, address, word.kind == PLACE_MEMORY ? word : place_lost, true);
}

static struct place load(const struct arch *arch, struct code_path *path, struct place address)
{
	if (address.kind != PLACE_VALUE)
		return place_lost;
	const struct path_store *stored = code_path_find_store(path, &address);
	if (stored)
		return stored->value;
	/* Below the stack pointer lies what the path has written, or rubbish. */
	if (path->has_lost_stores || place_is_base(arch, address.reg) ||
	    (address.reg == arch->sp && address.offset < 0))
		return place_lost;
	return (struct place){ PLACE_MEMORY, address.reg, address.offset, 0 };
}

static struct place code_address(uint64_t offset)
{
	return offset <= INT32_MAX ? (struct place){ PLACE_CODE, 0, (int32_t)offset, 0 }
				   : place_lost;
}

static struct place add_entry(const struct place *base, const struct place *table)
{
	if (base->kind != PLACE_CODE || table->kind != PLACE_CODE)
		return place_lost;
	return (struct place){ PLACE_ENTRY, 0, base->offset, table->offset };
}

static void code_path_clobber(const struct arch *arch, struct code_path *path, unsigned reg)
{
	path->regs[reg] = place_lost;
	if (reg == arch->sp && arch->n_regs + path->n_bases < REGS_MAX)
		path->regs[reg] = (struct place){ PLACE_VALUE,
						  (uint8_t)(arch->n_regs + path->n_bases++), 0, 0 };
}

void code_path_execute(const struct arch *arch, struct code_path *path,
		       const struct machine_instruction *what)
{
	for (uint64_t left = what->clobbers; left; left &= left - 1)
		code_path_clobber(arch, path, (unsigned)__builtin_ctzll(left));
	for (size_t i = 0; i < what->n_ops; i++) {
		const struct machine_op *op = &what->ops[i];
		struct place from = op->from == MACHINE_NO_REG ? place_lost : path->regs[op->from];
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
	if (place_in_rule(path->regs[arch->sp]).kind == PLACE_LOST)
		code_path_clobber(arch, path, arch->sp);
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

void code_path_step_over_call(const struct code *code, struct code_path *path, uint64_t callee)
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
			path->regs[reg] = place_lost;
}

void code_path_begin(const struct code *code, struct code_path *path, uint64_t pc)
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

size_t code_path_bytes(const struct code *code, const struct code_path *path,
		       const uint8_t **bytes_ret)
{
	uint64_t at = path->pc - code->start;

	if (at >= code->size)
		return 0;
	*bytes_ret = code->bytes + at;
	return code->size - at;
}

/*
 * A register that has @base + *@offset_ret. The frame pointer is the best one, because callees may
 * drop arguments; then the stack pointer, then callee-saved registers.
 */
static bool find_relative(const struct arch *arch, const struct code_path *path, unsigned base,
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
static struct place find_address(const struct arch *arch, const struct code_path *path,
				 unsigned base, int32_t offset)
{
	struct place place = { .kind = PLACE_VALUE };
	int32_t has;

	if (!find_relative(arch, path, base, &place.reg, &has) ||
	    __builtin_sub_overflow(offset, has, &place.offset))
		return place_lost;
	return place;
}

/* The word that @stored was written to. */
static struct place find_word(const struct arch *arch, const struct code_path *path,
			      const struct path_store *stored)
{
	struct place place = find_address(arch, path, stored->reg, stored->offset);

	if (place.kind == PLACE_VALUE)
		place.kind = PLACE_MEMORY;
	return place;
}

/* Where the value that @reg had on entry is on @path. */
static struct place find_entry_value(const struct arch *arch, const struct code_path *path,
				     unsigned reg)
{
	if (place_is_register(&path->regs[reg], reg))
		return path->regs[reg];
	for (size_t i = 0; i < path->n_stores; i++) {
		if (!place_is_register(&path->stores[i].value, reg))
			continue;
		struct place word = find_word(arch, path, &path->stores[i]);
		if (word.kind != PLACE_LOST)
			return word;
	}
	for (unsigned other = 0; other < arch->n_regs; other++)
		if (place_is_register(&path->regs[other], reg))
			return (struct place){ PLACE_VALUE, (uint8_t)other, 0, 0 };
	return place_lost;
}

/* The stack pointer on entry: by a register, or by a word that tells where it was. */
static struct place find_entry_sp(const struct arch *arch, const struct code_path *path)
{
	struct place place = find_address(arch, path, arch->sp, 0);

	for (size_t i = 0; i < path->n_stores && place.kind == PLACE_LOST; i++) {
		const struct path_store *stored = &path->stores[i];

		if (stored->value.kind == PLACE_VALUE && stored->value.reg == arch->sp &&
		    stored->value.offset > INT32_MIN)
			place = place_add(find_word(arch, path, stored), -stored->value.offset);
	}
	return place;
}

/* Where @path has put the return address, if it has moved it to make room for arguments. */
static struct place find_moved_return(const struct arch *arch, const struct code_path *path,
				      struct place entry_slot)
{
	const struct place original = { PLACE_MEMORY, arch->sp, 0, 0 };

	for (size_t i = 0; i < path->n_stores; i++)
		if (place_equal(&path->stores[i].value, &original))
			return find_address(arch, path, path->stores[i].reg,
					    path->stores[i].offset);
	return entry_slot;
}

bool code_path_invert(const struct arch *arch, const struct code_path *path,
		      struct code_rule *rule_ret)
{
	struct code_rule rule = { .is_doubtful = path->is_doubtful };
	struct place *saved = rule.saved;

	rule.sp = find_entry_sp(arch, path);
	if (rule.sp.kind == PLACE_LOST)
		return false;
	if (arch_returns_by_stack(arch)) {
		rule.return_slot = find_moved_return(arch, path, rule.sp);
		rule.sp = place_add(rule.sp, arch->pointer_size);
	}
	for (uint64_t left = rule_saved_regs(arch); left; left &= left - 1, saved++) {
		unsigned reg = (unsigned)__builtin_ctzll(left);

		if (reg != arch->ra || !arch_returns_by_stack(arch))
			*saved = find_entry_value(arch, path, reg);
	}
	*rule_ret = rule;
	return true;
}

/* A loop that pushes as many words as a register says. */
static void jump_back(const struct arch *arch, struct code_path *path)
{
	const struct place *sp = &path->regs[arch->sp];

	if (path->pc != path->back_to)
		path->n_unbalanced = 0;
	else if (!place_equal(sp, &path->back_sp) && path->n_unbalanced < UNBALANCED_MAX)
		path->n_unbalanced++;
	path->back_to = path->pc;
	path->back_sp = *sp;
	if (path->n_unbalanced == UNBALANCED_MAX)
		code_path_clobber(arch, path, arch->sp);
}

void code_path_jump(const struct code *code, struct code_path *path, uint64_t from,
		    int64_t distance)
{
	path->pc = from + (uint64_t)distance;
	if (distance < 0)
		jump_back(code->arch, path);
	path->is_in_function = path->is_in_function && path->pc >= code->function_start &&
			       path->pc < code->function_end;
}

/* Follows a call that loads the pc, and what follows in a straight line. false: not to @end. */
static bool leads_from_loaded_pc(const struct code *code, struct code_path *path, uint64_t end)
{
	const struct arch *arch = code->arch;
	enum machine_flow flow = FLOW_CALL;
	struct machine_instruction what;
	const uint8_t *bytes;
	uint8_t reg;

	while (path->pc < end) {
		size_t size = code_path_bytes(code, path, &bytes);
		if (!size || !arch->decode(bytes, size, &what) || what.flow != flow)
			return false;
		uint64_t callee = path->pc + (uint64_t)what.target;
		code_path_execute(arch, path, &what);
		path->pc += what.size;
		if (flow == FLOW_CALL && !only_loads_pc(code, callee, &reg))
			return false;
		if (flow == FLOW_CALL)
			code_path_step_over_call(code, path, callee);
		flow = FLOW_NEXT;
	}
	return path->pc == end;
}

void code_path_find_loaded_pc(const struct code *code, struct code_path *path)
{
	struct code_path before;

	for (uint64_t back = 1; back <= LOADED_PC_DISTANCE && back <= path->pc; back++) {
		code_path_begin(code, &before, path->pc - back);
		if (!leads_from_loaded_pc(code, &before, path->pc))
			continue;
		for (unsigned reg = 0; reg < code->arch->n_regs; reg++)
			if (before.regs[reg].kind == PLACE_CODE ||
			    before.regs[reg].kind == PLACE_ENTRY)
				path->regs[reg] = before.regs[reg];
		return;
	}
}
