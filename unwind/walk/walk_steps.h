/*
 * The caches of an unwinder, private to this folder: a step holds the rule of the frame at an
 * address; a call site holds the function that a call leads to; a call pair holds whether that
 * function may lead to a sampled instruction. unwind.c says what a walk does with them.
 */
#ifndef UNWIND_WALK_WALK_STEPS_H
#define UNWIND_WALK_WALK_STEPS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "cct/base/hash.h"
#include "unwind/guess/process_code.h"
#include "unwind/modules/rule_cache.h"
#include "unwind/walk/last_walk.h"
#include "unwind/walk/row_check.h"
#include "unwind/walk/unwind_walk.h"

#define STEP_BITS 15
#define SITE_BITS 11
#define PAIR_BITS 10

/* Whether a step's address follows a call, so that a leaf may return to it. */
enum step_returns {
	RETURNS_UNKNOWN, /* not checked yet */
	RETURNS_MAYBE,
	RETURNS_FROM_CALLED, /* the call names its function */
	RETURNS_NEVER,
};

/* All that a frame at an address of an address space needs, in one cache line. */
struct step {
	uint64_t code_epoch; /* 0: empty */
	uint64_t addr;
	const struct arch *arch; /* a process may change between two, by exec or a far jump */
	uint64_t offset;
	uint32_t module;
	bool is_exec : 1;
	bool is_before_special : 1; /* a return to after @addr is not from a call at @addr */
	bool is_usual;              /* a usual frame: struct arch's usual_caller() is enough */
	uint8_t returns;            /* enum step_returns */
	uint8_t row;                /* enum row_check: of execution that goes on at @addr */
	struct step *caller; /* the last walk's step after this one, tried first by the next */
	struct rule rule;
} __attribute__((aligned(64)));
static_assert(sizeof(struct step) == 64, "one cache line");

/* A call that names its function, and the code that CFI describes together with that: offsets in a
 * module, which many processes may share. */
struct call_site {
	const struct arch *arch; /* NULL: empty */
	uint64_t return_address;
	uint32_t module;
	bool leads_anywhere; /* for all that is known */
	uint64_t function, start, end;
};

/* Such a function, and a sampled instruction outside of that code, or the beginning of its
 * function. */
struct call_pair {
	const struct arch *arch; /* NULL: empty */
	uint64_t function, to;
	uint32_t module, to_module; /* 0: to any */
	bool may_lead;              /* from one to the other */
};

struct unwinder {
	struct step *steps;     /* 1 << STEP_BITS, direct-mapped */
	struct step uncached;   /* of an address in no executable mapping */
	struct step no_step;    /* of no address */
	struct mapping mapping; /* that was looked up last, in @mapping_epoch */
	uint64_t mapping_epoch;
	struct elf_modules *elf_modules; /* borrowed */
	struct rule_cache *rules;
	struct guesser *guesser;
	struct code_scan *scan;
	struct made_rules *made;
	struct last_walks *last_walks;
	struct rule walked[LAST_WALK_FRAMES];    /* rules of the present walk's frames */
	struct call_site sites[1u << SITE_BITS]; /* both direct-mapped */
	struct call_pair pairs[1u << PAIR_BITS];
	struct unwind_stats stats;
};

/* The rule at an offset of a module, or none of this kind. */
void steps_find_rule(struct unwinder *unwinder, const struct arch *arch, uint32_t module,
		     uint64_t offset, struct known_rule *rule_ret);
/* The mapping that holds @addr, valid until the next call; NULL: none. */
const struct mapping *steps_find_mapping(struct unwinder *unwinder,
					 const struct address_space *space, uint64_t addr);
/* Fills @step, which is in the place of @addr, and returns where it is. NULL: no mapping holds
 * @addr. */
struct step *steps_fill(struct unwinder *unwinder, struct step *step,
			const struct address_space *space, const struct arch *arch, uint64_t addr);
/* Whether the row of CFI at @step is the instruction's: known by the module's offset, or found. */
enum row_check steps_find_row(struct unwinder *unwinder, const struct arch *arch,
			      const struct step *step);

static inline bool is_step_at(const struct step *step, const struct address_space *space,
			      const struct arch *arch, uint64_t addr)
{
	return step->addr == addr && step->code_epoch == space->code_epoch && step->arch == arch;
}

static inline struct step *step_slot(const struct unwinder *unwinder,
				     const struct address_space *space, uint64_t addr)
{
	return &unwinder->steps[hash_to_bits(addr ^ space->code_epoch << 40, STEP_BITS)];
}

/* NULL: no mapping holds @addr. Valid until the next call. */
static inline struct step *find_step(struct unwinder *unwinder, const struct address_space *space,
				     const struct arch *arch, uint64_t addr)
{
	struct step *step = step_slot(unwinder, space, addr);

	if (!is_step_at(step, space, arch, addr))
		return steps_fill(unwinder, step, space, arch, addr);
	unwinder->stats.n_step_hits++;
	return step;
}

static inline bool is_signal_frame(const struct step *step)
{
	return step && step->rule.kind == RULE_GENERAL && step->rule.general->is_signal_frame;
}

static inline struct process_code process_of(const struct unwind_walk *walk)
{
	return (struct process_code){ walk->unwinder->elf_modules, walk->space, walk->arch };
}

#endif
