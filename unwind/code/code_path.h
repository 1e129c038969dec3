/*
 * A path through code: the registers and the words of the stack as symbols, in terms of the values
 * that registers had at the path's first instruction. Each instruction changes them.
 */
#ifndef UNWIND_CODE_CODE_PATH_H
#define UNWIND_CODE_CODE_PATH_H

#include "unwind/code/code.h"
#include "unwind/code/code_rule.h"
#include "unwind/rules/machine_instruction.h"

#define PATH_STORES_MAX 48

/* A word of the stack that was written on the path. */
struct path_store {
	uint8_t reg;
	int32_t offset;
	struct place value;
};

struct code_path {
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
	struct path_store stores[PATH_STORES_MAX];
	struct place regs[REGS_MAX];
};

static const struct place place_lost = { .kind = PLACE_LOST };

/* The value at @place plus @value. */
static inline struct place place_add(struct place place, int32_t value)
{
	int32_t *to = place.kind == PLACE_MEMORY ? &place.addend : &place.offset;

	if (place.kind == PLACE_LOST || place.kind == PLACE_ENTRY ||
	    __builtin_add_overflow(*to, value, to))
		return place_lost;
	return place;
}

static inline bool place_equal(const struct place *a, const struct place *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->offset == b->offset &&
	       a->addend == b->addend;
}

static inline bool place_is_register(const struct place *place, unsigned reg)
{
	return place->kind == PLACE_VALUE && place->reg == reg && place->offset == 0;
}

/* Whether calls push the return address; otherwise it is in a register. */
static inline bool arch_returns_by_stack(const struct arch *arch)
{
	return !(arch->callee_saved >> arch->ra & 1);
}

/*
 * A value that can't be followed, such as an aligned stack pointer, gets a new number above those
 * of the registers: places relative to it are still known relative to each other.
 */
static inline bool place_is_base(const struct arch *arch, unsigned reg)
{
	return reg >= arch->n_regs;
}

/* @place as a rule may have it: lost, unless it is in terms of registers. */
static inline struct place place_in_rule(struct place place)
{
	return place.kind == PLACE_VALUE || place.kind == PLACE_MEMORY ? place : place_lost;
}

/* Begins a path at @pc, where each register has its own value. */
void code_path_begin(const struct code *code, struct code_path *path, uint64_t pc);
/* For a path that begins right after a call that loads the pc, as position-independent code does:
 * sets the registers that the call and the instructions after it have given a known address. */
void code_path_find_loaded_pc(const struct code *code, struct code_path *path);
/* The code at the path's pc. Returns its size; 0: none. */
size_t code_path_bytes(const struct code *code, const struct code_path *path,
		       const uint8_t **bytes_ret);

/* Applies an instruction, except for its flow of control. */
void code_path_execute(const struct arch *arch, struct code_path *path,
		       const struct machine_instruction *what);
/* The path's pc follows a call. @callee: 0: not known. */
void code_path_step_over_call(const struct code *code, struct code_path *path, uint64_t callee);
/* Moves the pc to @from + @distance. */
void code_path_jump(const struct code *code, struct code_path *path, uint64_t from,
		    int64_t distance);

/* NULL: the path has not written there. */
struct path_store *code_path_find_store(struct code_path *path, const struct place *address);
/* The registers at the path's beginning in terms of its present ones, as the caller's registers:
 * for a path that begins at a function's first instruction. false: they are lost. */
bool code_path_invert(const struct arch *arch, const struct code_path *path,
		      struct code_rule *rule_ret);

#endif
