/* The walk: look the rule up, apply it, until an end is reached; and the cache that makes it fast.
 */
#include "unwind/walk/unwind.h"

#include <stdalign.h>
#include <stdlib.h>

#include "cct/base/hash.h"
#include "cct/base/huge_pages.h"
#include "unwind/cfi/cfi.h"
#include "unwind/modules/rule_cache.h"
#include "unwind/rules/usual_frame.h"
#include "unwind/walk/guess.h"
#include "unwind/walk/guess_anonymous.h"
#include "unwind/walk/guess_code_view.h"
#include "unwind/walk/guess_interpreter.h"
#include "unwind/walk/last_walk.h"
#include "unwind/walk/row_check.h"
#include "unwind/walk/runtime_frame.h"

#define STEP_BITS  15
#define SITE_BITS  11
#define PAIR_BITS  10
#define PREFETCHED 1024 /* bytes of the stack */
/* If a handler runs on the stack that it interrupted, the interrupted frame is nearer than this to
 * the end of the copy. */
#define SAME_STACK_DISTANCE 65536

/* Functions that switch stacks are shorter than this. */
#define SWITCH_SIZE_MAX 1024

/* What a coroutine's stack has above its first function's return address, at most. */
#define ABOVE_OUTERMOST_MAX 64
#define STACK_PAGE_SIZE     4096u

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
#define STEPS_SIZE (sizeof(struct step) << STEP_BITS)

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

struct unwinder *unwinder_create(struct elf_modules *elf_modules)
{
	struct unwinder *unwinder = aligned_alloc(alignof(struct unwinder), sizeof(*unwinder));
	if (!unwinder)
		return NULL;
	memset(unwinder, 0, sizeof(*unwinder));
	unwinder->elf_modules = elf_modules;
	unwinder->steps = huge_pages_alloc(STEPS_SIZE);
	unwinder->rules = rule_cache_create();
	unwinder->guesser = guesser_create();
	unwinder->scan = code_scan_create();
	unwinder->made = made_rules_create();
	unwinder->last_walks = last_walks_create();
	if (!unwinder->steps || !unwinder->rules || !unwinder->guesser || !unwinder->scan ||
	    !unwinder->made || !unwinder->last_walks) {
		unwinder_destroy(unwinder);
		return NULL;
	}
	return unwinder;
}

void unwinder_destroy(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	rule_cache_destroy(unwinder->rules);
	guesser_destroy(unwinder->guesser);
	code_scan_destroy(unwinder->scan);
	made_rules_destroy(unwinder->made);
	last_walks_destroy(unwinder->last_walks);
	huge_pages_free(unwinder->steps, STEPS_SIZE);
	free(unwinder);
}

const struct unwind_stats *unwinder_stats(const struct unwinder *unwinder)
{
	return &unwinder->stats;
}

/* A rule is one architecture's. Neither files nor user addresses reach these bits. */
static uint64_t rule_key(const struct arch *arch, uint64_t offset)
{
	return offset ^ (uint64_t)arch->elf_machine << 56;
}

static void find_rule(struct unwinder *unwinder, const struct arch *arch, uint32_t module,
		      uint64_t offset, struct known_rule *rule_ret)
{
	const uint64_t key = rule_key(arch, offset);
	struct elf_module *elf_module;

	if (module && rule_cache_get(unwinder->rules, module, key, rule_ret)) {
		unwinder->stats.n_rule_hits++;
		return;
	}
	unwinder->stats.n_rule_misses++;
	*rule_ret = (struct known_rule){ .rule = { .kind = RULE_NONE } };
	elf_module = elf_modules_get(unwinder->elf_modules, module);
	if (!elf_module)
		return;
	bool follows_stack = elf_module_find_rule(elf_module, arch, offset, &rule_ret->rule);
	if (follows_stack && !arch->has_wrong_cfi)
		rule_ret->row = ROW_IS_TRUSTED;
	rule_ret->is_before_special = elf_module_begins_special(elf_module, arch, offset + 1);
	rule_cache_put(unwinder->rules, module, key, rule_ret);
}

/* A signal trampoline whose CFI begins a byte early, as glibc's does, needs nothing. */
static bool is_before_special(struct unwinder *unwinder, const struct address_space *space,
			      const struct arch *arch, uint64_t addr,
			      const struct known_rule *known)
{
	const struct process_code process = { unwinder->elf_modules, space, arch };
	const struct rule *rule = &known->rule;
	bool has_early_cfi = rule->kind == RULE_GENERAL && rule->general->is_signal_frame;

	return known->is_before_special && !has_early_cfi &&
	       !guess_follows_call(&process, addr + 1);
}

/* Most are in the same mapping as the one before. */
static const struct mapping *find_mapping(struct unwinder *unwinder,
					  const struct address_space *space, uint64_t addr)
{
	struct mapping *last = &unwinder->mapping;

	if (unwinder->mapping_epoch == space->epoch && addr - last->start < last->end - last->start)
		return last;
	const struct mapping *mapping = address_space_find(space, addr);
	if (!mapping)
		return NULL;
	*last = *mapping;
	unwinder->mapping_epoch = space->epoch;
	return last;
}

static inline bool is_step_at(const struct step *step, const struct address_space *space,
			      const struct arch *arch, uint64_t addr)
{
	return step->addr == addr && step->code_epoch == space->code_epoch && step->arch == arch;
}

/* NULL: no mapping holds @addr. */
static __attribute__((noinline)) struct step *fill_step(struct unwinder *unwinder,
							struct step *step,
							const struct address_space *space,
							const struct arch *arch, uint64_t addr)
{
	const struct mapping *mapping = find_mapping(unwinder, space, addr);
	struct known_rule known;

	if (!mapping)
		return NULL;
	if (!mapping->is_exec)
		step = &unwinder->uncached;
	const uint64_t offset = addr - mapping->start + mapping->offset;
	find_rule(unwinder, arch, mapping->module, offset, &known);
	const bool is_special = is_before_special(unwinder, space, arch, addr, &known);
	*step = (struct step){
		.code_epoch = space->code_epoch,
		.addr = addr,
		.arch = arch,
		.offset = offset,
		.module = mapping->module,
		.is_exec = mapping->is_exec,
		.is_before_special = is_special,
		.is_usual = mapping->is_exec && !is_special && arch->usual_caller &&
			    usual_frame_rule(&known.rule),
		.row = known.row,
		.caller = &unwinder->no_step,
		.rule = known.rule,
	};
	return step;
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
		return fill_step(unwinder, step, space, arch, addr);
	unwinder->stats.n_step_hits++;
	return step;
}

/*
 * A return address of zero is where coroutines' stacks begin that a program makes itself, as Ruby
 * and boost do: in the last words of a page, because stacks are allocated in pages, and with all
 * registers zero that functions keep, because a new context is new memory. Processes, threads and
 * ucontext's coroutines are known by their CFI or code. Anything else that leads to zero is a wrong
 * unwind.
 */
static bool is_outermost(const struct arch *arch, const struct regs *regs)
{
	const uint64_t kept = arch->callee_saved & ~(1ull << arch->sp | 1ull << arch->ra);
	const uint64_t above = -regs->values[arch->sp] % STACK_PAGE_SIZE;

	if (regs->pc || above > ABOVE_OUTERMOST_MAX || !regs_have(regs, arch->fp))
		return false;
	for (uint64_t left = kept & regs->valid; left; left &= left - 1)
		if (regs->values[__builtin_ctzll(left)])
			return false;
	return true;
}

void unwind_begin(struct unwind_walk *walk, struct unwinder *unwinder,
		  const struct address_space *space, const struct user_stack *stack)
{
	/* It is needed first, and is rarely what is in the processor's caches. */
	__builtin_prefetch(step_slot(unwinder, space, stack->regs.pc));
	/* The copy was read long ago, in a block of many: its lines come from memory one by one. */
	for (size_t at = 0; at < stack->size && at < PREFETCHED; at += 64)
		__builtin_prefetch(stack->bytes + at);
	walk->unwinder = unwinder;
	walk->sample = stack;
	walk->space = space;
	walk->arch = stack->arch;
	walk->stack = (struct stack_copy){
		.bytes = stack->bytes,
		.start = stack->regs.values[stack->arch->sp],
		.size = stack->size,
		.is_full = stack->is_full,
		.mapping_end = stack->mapping_end,
		.is_32_bit = stack->arch->pointer_size == 4,
	};
	walk->code = stack->code;
	walk->runtime = stack->runtime;
	walk->regs = stack->regs;
	walk->is_exact = true;
	walk->is_leaf = true;
	walk->is_leafs_caller = false;
	walk->row = ROW_IS_TRUSTED;
	walk->is_above_assembly = false;
	walk->memory = stack->memory;
	walk->next_context = 0;
	walk->used_seconds = 0;
	walk->is_elsewhere = false;
	walk->frame = (struct frame){ .kind = FRAME_USER, .origin = FRAME_BY_CFI };
	walk->step = NULL;
	walk->is_usual = false;
}

static bool is_signal_frame(const struct step *step)
{
	return step && step->rule.kind == RULE_GENERAL && step->rule.general->is_signal_frame;
}

/*
 * The step at the walk's pc, or before it, where @step is. A call may be its function's last
 * instruction: what follows is another's. But no call leads to a signal trampoline, which may be a
 * function's first.
 */
static const struct step *choose_step(const struct unwind_walk *walk, const struct step *step,
				      uint64_t *addr_ret)
{
	uint64_t pc = walk->regs.pc;
	bool is_at_pc = walk->is_exact;

	if (!walk->is_exact && is_signal_frame(step)) {
		step = find_step(walk->unwinder, walk->space, walk->arch, pc);
		is_at_pc = is_signal_frame(step);
		if (!is_at_pc)
			step = find_step(walk->unwinder, walk->space, walk->arch, pc - 1);
	}
	*addr_ret = pc - !is_at_pc;
	return step;
}

static struct process_code process_of(const struct unwind_walk *walk)
{
	return (struct process_code){ walk->unwinder->elf_modules, walk->space, walk->arch };
}

static struct runtime_place runtime_place_of(const struct unwind_walk *walk,
					     const struct process_code *process)
{
	return (struct runtime_place){ .process = process,
				       .stack = &walk->stack,
				       .codes = walk->runtime,
				       .source = walk->code,
				       .addr = walk->addr,
				       .is_exact = walk->is_exact };
}

/* Code that its run-time system has described is known by that, if no jitdump has its bytes. */
static void use_description(struct unwind_walk *walk)
{
	const struct process_code process = process_of(walk);
	const struct runtime_place place = runtime_place_of(walk, &process);
	uint64_t offset;
	size_t size;

	if (!process_code_is_anonymous(&process, walk->addr) ||
	    process_code_before(&process, walk->addr + 1, 1, &size) ||
	    !runtime_frame_offset(&place, &walk->regs, &offset))
		return;
	walk->frame.module = walk->runtime->module;
	walk->frame.offset = offset;
}

/* Goes on from the step that find_frame() has looked up, and returns like it. */
static __attribute__((noinline)) bool find_unusual_frame(struct unwind_walk *walk,
							 const struct step *step)
{
	uint64_t addr;

	walk->step = NULL;
	step = choose_step(walk, step, &addr);
	if (step && step->is_before_special && !walk->is_exact) {
		walk->is_exact = true;
		addr = walk->regs.pc;
		step = find_step(walk->unwinder, walk->space, walk->arch, addr);
	}
	if (!step && !walk->is_leaf) {
		walk->end = UNWIND_NO_MODULE;
		return false;
	}
	/* What the processor was executing is code, whatever the mapping said once. */
	if (!walk->is_leaf && !step->is_exec) {
		walk->end = UNWIND_BAD_RETURN_ADDRESS;
		return false;
	}
	walk->addr = addr;
	walk->rule = step ? &step->rule : NULL;
	walk->frame.module = step ? step->module : 0;
	walk->frame.offset = step ? step->offset : addr;
	walk->frame.kind = FRAME_USER;
	if (walk->runtime)
		use_description(walk);
	return true;
}

/*
 * A leaf's CFI is wrong if it leads to an address that does not follow a call. Where processes and
 * threads begin, or a handler returns to, there need be none; and code made at run time has no
 * bytes.
 */
static enum step_returns find_returns(const struct unwind_walk *walk, const struct step *step)
{
	const struct process_code process = process_of(walk);
	const struct rule *rule = &step->rule;
	bool has_caller = rule->kind == RULE_CFA_REGISTER || rule->kind == RULE_CFA_MEMORY ||
			  (rule->kind == RULE_GENERAL && !rule->general->is_signal_frame);
	int64_t distance;
	size_t size;

	if (!step->is_exec)
		return RETURNS_NEVER;
	if (!has_caller || step->is_before_special)
		return RETURNS_MAYBE;
	const uint8_t *code = process_code_before(&process, step->addr + 1, CALL_SIZE_MAX, &size);
	if (!code)
		return RETURNS_MAYBE;
	if (!walk->arch->ends_in_call(code, size, &distance))
		return RETURNS_NEVER;
	return distance ? RETURNS_FROM_CALLED : RETURNS_MAYBE;
}

/* What the call before @step leads to; looked up once. */
static struct call_site *find_site(const struct unwind_walk *walk, const struct step *step)
{
	const uint64_t to_offset = step->offset - step->addr;
	const uint64_t hash = step->offset ^ (uint64_t)step->module << 40;
	struct call_site *site = &walk->unwinder->sites[hash_to_bits(hash, SITE_BITS)];
	const struct process_code process = process_of(walk);
	struct called_function called;

	if (site->arch == step->arch && site->return_address == step->offset + 1 &&
	    site->module == step->module)
		return site;
	*site = (struct call_site){ .arch = step->arch,
				    .return_address = step->offset + 1,
				    .module = step->module };
	site->leads_anywhere = !guess_called(&process, step->addr + 1, &called) ||
			       called.module != step->module || called.to_offset != to_offset;
	if (!site->leads_anywhere) {
		site->function = called.function;
		site->start = called.start;
		site->end = called.end;
	}
	return site;
}

/* Whether the row of the sampled instruction counts from a register that a function keeps.
 * longjmp() and the like have rows of the frame that they jump to. */
static bool has_frame(const struct unwind_walk *walk)
{
	const uint64_t pc = walk->sample->regs.pc;
	const struct mapping *mapping = find_mapping(walk->unwinder, walk->space, pc);
	const struct arch *arch = walk->arch;
	struct known_rule known;

	if (!mapping)
		return false;
	find_rule(walk->unwinder, arch, mapping->module, pc - mapping->start + mapping->offset,
		  &known);
	const struct rule *rule = &known.rule;
	return (rule->kind == RULE_CFA_REGISTER || rule->kind == RULE_CFA_MEMORY) &&
	       (rule->cfa_reg == arch->sp || arch->callee_saved >> rule->cfa_reg & 1);
}

/* The place for the answer whether @site's function leads to offset @to of @to_module. */
static struct call_pair *pair_slot(const struct unwind_walk *walk, const struct call_site *site,
				   uint32_t to_module, uint64_t to)
{
	const uint64_t hash = hash_pair(to ^ (uint64_t)to_module << 40,
					site->function ^ (uint64_t)site->module << 40);

	return &walk->unwinder->pairs[hash >> (32 - PAIR_BITS)];
}

/* That answer. NULL: it is not known. */
static const struct call_pair *find_pair(const struct unwind_walk *walk,
					 const struct call_site *site, uint32_t to_module,
					 uint64_t to)
{
	const struct call_pair *pair = pair_slot(walk, site, to_module, to);
	bool is_known = pair->arch == site->arch && pair->function == site->function &&
			pair->to == to && pair->module == site->module &&
			pair->to_module == to_module;

	return is_known ? pair : NULL;
}

static bool is_known_to_lead(const struct unwind_walk *walk, const struct call_site *site,
			     uint32_t to_module, uint64_t to)
{
	const struct call_pair *pair = find_pair(walk, site, to_module, to);

	return pair && pair->may_lead;
}

static void keep_pair(const struct unwind_walk *walk, const struct call_site *site,
		      uint32_t to_module, uint64_t to, bool may_lead)
{
	*pair_slot(walk, site, to_module, to) = (struct call_pair){ .arch = site->arch,
								    .function = site->function,
								    .to = to,
								    .module = site->module,
								    .to_module = to_module,
								    .may_lead = may_lead };
}

/* Whether @site's function, at the address @function, leads to the sampled instruction, in @leafs.
 * Nearly all calls that do have a tail call there: the code is followed for the others alone. */
static enum code_reach find_reach(const struct unwind_walk *walk, const struct call_site *site,
				  uint64_t function, const struct cfi_function *leafs)
{
	const struct process_code process = process_of(walk);

	if (walk->frame.module == site->module &&
	    guess_jumps_to(&process, function, site->end - site->function, leafs))
		return CODE_REACHES;
	return guess_may_lead(walk->unwinder->guesser, &process, function, walk->sample->regs.pc);
}

/* Whether @site's function, at the address @function, may lead to the function that CFI describes
 * around the sampled instruction. */
static bool may_lead_to_function(const struct unwind_walk *walk, struct call_site *site,
				 uint64_t function)
{
	const struct process_code process = process_of(walk);
	const uint32_t leaf_module = walk->frame.module;
	struct cfi_function leafs;

	site->leads_anywhere = is_known_to_lead(walk, site, 0, 0);
	if (site->leads_anywhere || !guess_described(&process, walk->sample->regs.pc, &leafs) ||
	    is_known_to_lead(walk, site, leaf_module, leafs.start))
		return true;
	const enum code_reach reach = find_reach(walk, site, function, &leafs);
	site->leads_anywhere = reach == CODE_REACHES_ANY;
	if (reach == CODE_REACHES_ANY)
		keep_pair(walk, site, 0, 0, true);
	if (reach == CODE_REACHES)
		keep_pair(walk, site, leaf_module, leafs.start, true);
	return reach != CODE_ENDS_BEFORE;
}

/* Whether the call before @step can have led to the sampled instruction, whose frame is still the
 * present one. */
static bool may_lead_to_leaf(const struct unwind_walk *walk, const struct step *step)
{
	struct call_site *site = find_site(walk, step);
	const struct frame *leaf = &walk->frame;

	if (site->leads_anywhere ||
	    (leaf->module == site->module && leaf->offset - site->start < site->end - site->start))
		return true;
	const struct call_pair *pair = find_pair(walk, site, leaf->module, leaf->offset);
	if (pair)
		return pair->may_lead;
	bool may_lead =
		!has_frame(walk) ||
		may_lead_to_function(walk, site, site->function - step->offset + step->addr);
	keep_pair(walk, site, leaf->module, leaf->offset, may_lead);
	return may_lead;
}

/* Whether CFI of the sampled instruction may have led to @step. */
static __attribute__((noinline)) bool may_return_to(const struct unwind_walk *walk,
						    struct step *step)
{
	if (!step)
		return false;
	if (step->returns == RETURNS_UNKNOWN)
		step->returns = (uint8_t)find_returns(walk, step);
	return step->returns == RETURNS_MAYBE ||
	       (step->returns == RETURNS_FROM_CALLED && may_lead_to_leaf(walk, step));
}

/* Finds the sampled instruction's caller by its code, because CFI leads to none: @end. */
static bool guess_leafs_caller(struct unwind_walk *walk, enum unwind_end end)
{
	const struct process_code process = process_of(walk);

	walk->is_leafs_caller = false;
	walk->regs = walk->sample->regs;
	walk->is_exact = true;
	walk->step = NULL;
	walk->frame.origin = FRAME_GUESSED;
	if (guess_caller(walk->unwinder->guesser, &process, &walk->stack, &walk->regs,
			 &walk->is_exact, &walk->end))
		return true;
	if (walk->end == UNWIND_NO_UNWIND_INFO)
		walk->end = end;
	return false;
}

/* Whether the row of CFI at @step is the instruction's: known by the module's offset, or found. */
static enum row_check find_row(const struct unwind_walk *walk, const struct step *step)
{
	struct unwinder *unwinder = walk->unwinder;
	struct elf_module *module = elf_modules_get(unwinder->elf_modules, step->module);
	const bool has_code = module && !elf_module_is_anonymous(module);
	const uint64_t key = rule_key(walk->arch, step->offset);
	struct known_rule known = { .row = ROW_NOT_CHECKED };
	const bool is_kept =
		step->module && rule_cache_get(unwinder->rules, step->module, key, &known);

	if (known.row != ROW_NOT_CHECKED)
		return (enum row_check)known.row;
	known.row = (uint8_t)(has_code ? row_check(module, walk->arch, step->offset, &step->rule)
				       : ROW_AGREES);
	if (is_kept)
		rule_cache_put(unwinder->rules, step->module, key, &known);
	return (enum row_check)known.row;
}

/* Execution goes on at @step. */
static __attribute__((noinline)) void check_row(struct unwind_walk *walk, struct step *step)
{
	if (step->row == ROW_NOT_CHECKED)
		step->row = (uint8_t)find_row(walk, step);
	walk->row = (enum row_check)step->row;
}

static inline __attribute__((always_inline)) bool find_frame(struct unwind_walk *walk)
{
	struct unwinder *unwinder = walk->unwinder;
	uint64_t addr = walk->regs.pc - !walk->is_exact;
	struct step *callee = walk->step, *step = callee ? callee->caller : &unwinder->no_step;

	/* The same caller as before has been checked before. */
	if (is_step_at(step, walk->space, walk->arch, addr)) {
		unwinder->stats.n_step_hits++;
	} else {
		step = find_step(unwinder, walk->space, walk->arch, addr);
		if (walk->is_leafs_caller && !walk->is_exact && walk->row != ROW_IS_TRUSTED &&
		    !may_return_to(walk, step))
			return guess_leafs_caller(walk, step ? UNWIND_BAD_RETURN_ADDRESS
							     : UNWIND_NO_MODULE) &&
			       unwind_frame(walk);
		if (walk->is_exact && step && step->row != ROW_IS_TRUSTED)
			check_row(walk, step);
		/* It may have taken its callee's place. */
		if (callee && step && step->is_usual)
			callee->caller = step;
	}
	if (!step || !step->is_usual)
		return find_unusual_frame(walk, step);
	walk->step = step;
	walk->addr = addr;
	walk->rule = &step->rule;
	walk->frame.module = step->module;
	walk->frame.offset = step->offset;
	walk->frame.kind = FRAME_USER;
	return true;
}

bool unwind_frame(struct unwind_walk *walk)
{
	return find_frame(walk);
}

/*
 * While the kernel is in sigreturn(), the pc is after the last instruction of the trampoline, where
 * the CFI has ended: nothing is ever executed there. NULL: this is not such a place.
 */
static const struct rule *sigreturn_rule(const struct unwind_walk *walk)
{
	const struct step *step =
		find_step(walk->unwinder, walk->space, walk->arch, walk->regs.pc - 1);
	bool is_trampoline =
		step && step->rule.kind == RULE_GENERAL && step->rule.general->is_signal_frame;

	return is_trampoline ? &step->rule : NULL;
}

static bool guess(struct unwind_walk *walk)
{
	const struct process_code process = process_of(walk);

	walk->frame.origin = FRAME_GUESSED;
	return guess_caller(walk->unwinder->guesser, &process, &walk->stack, &walk->regs,
			    &walk->is_exact, &walk->end);
}

/* Whether no call lies between the frame and the sampled instruction, or one that a signal
 * interrupted. */
static bool has_all_registers(const struct unwind_walk *walk)
{
	return walk->regs.valid == (1ull << walk->arch->n_regs) - 1;
}

/* By the code that was recorded while samples were taken, or by its maker. */
static bool follow_recorded_code(struct unwind_walk *walk)
{
	struct unwinder *unwinder = walk->unwinder;
	const struct process_code process = process_of(walk);

	if (!(walk->code &&
	      guess_by_code_view(unwinder->made, unwinder->scan, &process, &walk->stack, walk->code,
				 walk->is_exact, &walk->regs)) &&
	    !guess_by_dumped_code(unwinder->made, unwinder->scan, &process, &walk->stack,
				  walk->is_exact, &walk->regs))
		return false;
	walk->is_exact = false;
	walk->frame.origin = FRAME_GUESSED;
	return true;
}

/* By what a run-time system knows of its frames. */
static bool follow_description(struct unwind_walk *walk)
{
	const struct process_code process = process_of(walk);
	const struct runtime_place place = runtime_place_of(walk, &process);

	if (!walk->runtime || !runtime_frame_caller(&place, &walk->regs))
		return false;
	walk->is_exact = false;
	walk->frame.origin = FRAME_BY_CFI;
	return true;
}

static bool follow_interpreter(struct unwind_walk *walk)
{
	const struct process_code process = process_of(walk);

	if (!guess_interpreters_caller(&process, &walk->stack, &walk->regs))
		return false;
	walk->is_exact = false;
	walk->frame.origin = FRAME_GUESSED;
	return true;
}

static bool apply_no_rule(struct unwind_walk *walk)
{
	const struct rule *rule = walk->is_leaf ? sigreturn_rule(walk) : NULL;

	if (rule) {
		walk->unwinder->stats.n_expressions++;
		walk->frame.origin = FRAME_BY_CFI;
		return rule_apply(rule, walk->arch, &walk->stack, &walk->regs, &walk->is_exact,
				  &walk->end);
	}
	walk->end = UNWIND_NO_UNWIND_INFO;
	const struct process_code process = process_of(walk);
	bool is_anonymous = process_code_is_anonymous(&process, walk->addr);
	bool is_above_assembly = walk->is_above_assembly;
	walk->is_above_assembly = !is_anonymous;
	if (follow_description(walk))
		return true;
	if (follow_recorded_code(walk))
		return true;
	if (is_anonymous && follow_interpreter(walk))
		return true;
	const bool lacks_frame = is_anonymous && is_above_assembly &&
				 guess_anonymous_lacks_frame(&process, &walk->stack, &walk->regs);
	if (!lacks_frame && guess(walk))
		return true;
	if (is_anonymous && process_code_is_other_file(&process, walk->addr))
		walk->end = UNWIND_OTHER_FILE;
	return false;
}

static bool is_root(const struct unwind_walk *walk)
{
	if (walk->rule->kind != RULE_NONE || !walk->is_leaf)
		return walk->rule->kind == RULE_ROOT;
	const struct process_code process = process_of(walk);
	return guess_thread_start(&process, &walk->regs);
}

static bool apply_cfi(struct unwind_walk *walk)
{
	const struct rule *rule = walk->rule;

	walk->frame.origin = FRAME_BY_CFI;
	walk->is_above_assembly = false;
	if (!rule_apply(rule, walk->arch, &walk->stack, &walk->regs, &walk->is_exact, &walk->end))
		return false;
	if (rule->kind == RULE_GENERAL && rule->general->is_switch) {
		const struct process_code process = process_of(walk);

		walk->is_exact = !guess_follows_call(&process, walk->regs.pc);
	}
	return true;
}

/* The return address leads to a call of the function that the frame is in, as far as it tells. */
static bool is_called_from(const struct unwind_walk *walk, uint64_t return_address)
{
	const struct process_code process = process_of(walk);
	int64_t distance;
	size_t size;
	const uint8_t *code = process_code_before(&process, return_address, CALL_SIZE_MAX, &size);

	if (!code || !walk->arch->ends_in_call(code, size, &distance))
		return false;
	return !distance || walk->addr - (return_address + (uint64_t)distance) < SWITCH_SIZE_MAX;
}

static struct stack_copy copy_of_second(const struct unwind_walk *walk,
					const struct second_stack *second)
{
	return (struct stack_copy){ .bytes = second->block->bytes,
				    .start = second->start,
				    .size = second->block->size,
				    .is_full = second->is_full,
				    .is_32_bit = walk->stack.is_32_bit };
}

static void enter_second_stack(struct unwind_walk *walk, const struct second_stack *second)
{
	walk->used_seconds |= 1u << (second - walk->memory->seconds);
	walk->is_elsewhere = true;
	walk->stack = copy_of_second(walk, second);
}

/* NULL: none that was not used yet. */
static const struct second_stack *find_second(const struct unwind_walk *walk, bool is_saved)
{
	const struct stack_memory *memory = walk->memory;

	for (size_t i = 0; memory && i < memory->n_seconds; i++) {
		if (memory->seconds[i].is_saved == is_saved && !(walk->used_seconds >> i & 1))
			return &memory->seconds[i];
	}
	return NULL;
}

/*
 * Applies the rule of a function that has left its caller's stack, to where it saved its stack
 * pointer. @second: the stack that was left; NULL: the function is still on it.
 */
static bool return_to_stack(struct unwind_walk *walk, const struct second_stack *second,
			    uint64_t sp)
{
	const struct stack_copy stack = second ? copy_of_second(walk, second) : walk->stack;
	struct regs regs = { .pc = walk->regs.pc };
	struct rule rule = *walk->rule;
	bool is_exact = false;
	enum unwind_end end;

	rule.kind = RULE_CFA_REGISTER;
	rule.cfa_reg = walk->arch->sp & 31;
	regs_set(&regs, walk->arch->sp, sp);
	if (!rule_apply(&rule, walk->arch, &stack, &regs, &is_exact, &end) ||
	    !is_called_from(walk, regs.pc))
		return false;
	if (second)
		enter_second_stack(walk, second);
	walk->frame.origin = FRAME_BY_CFI;
	walk->is_exact = false;
	walk->regs = regs;
	return true;
}

/* The frame's function has been called on another stack, or perhaps on this. */
static bool return_to_saved_stack(struct unwind_walk *walk)
{
	const struct second_stack *second = find_second(walk, true);
	const struct rule *rule = walk->rule;
	uint64_t sp = second ? second->start : 0;

	walk->end = UNWIND_OTHER_STACK;
	if (!rule->cfa_offset)
		return false;
	if (rule->cfa_reg != walk->arch->sp) {
		if (!regs_have(&walk->regs, rule->cfa_reg))
			return false;
		sp = walk->regs.values[rule->cfa_reg];
		if (sp - walk->stack.start < walk->stack.size)
			return return_to_stack(walk, NULL, sp);
	}
	return second && second->start == sp && return_to_stack(walk, second, sp);
}

static bool apply_rule(struct unwind_walk *walk)
{
	switch ((enum rule_kind)walk->rule->kind) {
	case RULE_ROOT:
		walk->end = UNWIND_ROOT;
		return false;
	case RULE_BAD:
		walk->end = UNWIND_BAD_CFI;
		return false;
	case RULE_UNREADABLE:
		walk->end = UNWIND_MODULE_UNREADABLE;
		return false;
	case RULE_OTHER_STACK:
		return return_to_saved_stack(walk);
	case RULE_NONE:
		return apply_no_rule(walk);
	case RULE_GENERAL:
		walk->unwinder->stats.n_expressions++;
		__attribute__((fallthrough));
	case RULE_CFA_REGISTER:
	case RULE_CFA_MEMORY:
		return apply_cfi(walk);
	}
	return false;
}

/* Where the frame that was just left kept its return address; 0: in a register, or not known. */
static uint64_t return_address_slot(const struct unwind_walk *walk)
{
	const struct arch *arch = walk->arch;

	if (walk->is_exact || arch->callee_saved >> arch->ra & 1)
		return 0;
	return walk->regs.values[arch->sp] - arch->pointer_size;
}

/* Finds proof that the rest of the stack is known, and marks what was read from there. */
static void use_rest(struct unwind_walk *walk)
{
	uint64_t slot = return_address_slot(walk);
	bool is_beyond = slot - walk->stack.start >= walk->stack.size;

	if (!slot)
		return;
	if (is_beyond && walk->frame.origin == FRAME_BY_CFI)
		walk->frame.origin = FRAME_STITCHED;
	if (!is_beyond && !walk->stack.rest &&
	    stack_memory_has_guard(walk->memory, slot, walk->regs.pc))
		walk->stack.rest = walk->memory;
}

/* After a signal's frame: the interrupted code may use another stack. */
static void use_context(struct unwind_walk *walk)
{
	const struct stack_memory *memory = walk->memory;
	uint64_t sp = walk->regs.values[walk->arch->sp];

	if (sp - walk->stack.start < walk->stack.size)
		return;
	const struct second_stack *second = find_second(walk, false);
	if (second && second->start == sp) {
		enter_second_stack(walk, second);
		return;
	}
	size_t i = stack_memory_find_context(memory, walk->arch, &walk->regs, walk->next_context);
	if (i == memory->n_contexts)
		return;
	walk->next_context = i + 1;
	walk->is_elsewhere = true;
	walk->stack = (struct stack_copy){ .bytes = memory->contexts[i].block->bytes,
					   .start = sp,
					   .size = memory->contexts[i].block->size,
					   .is_full = memory->contexts[i].is_full,
					   .is_32_bit = walk->stack.is_32_bit };
}

/* A signal's frame, or a switch, has led off the stack that the copy is of. */
static bool has_left_stack(const struct unwind_walk *walk)
{
	uint64_t end = walk->stack.start + walk->stack.size;
	uint64_t sp = walk->regs.values[walk->arch->sp];

	return sp - walk->stack.start >= walk->stack.size && sp - end >= SAME_STACK_DISTANCE;
}

static void use_memory(struct unwind_walk *walk)
{
	if (walk->is_elsewhere && walk->frame.origin == FRAME_BY_CFI)
		walk->frame.origin = FRAME_STITCHED;
	if (walk->is_exact)
		use_context(walk);
	else
		use_rest(walk);
}

/* Where CFI may be wrong and the code can be followed: see whether CFI leads to a caller. */
static bool apply_rule_or_follow(struct unwind_walk *walk)
{
	const enum rule_kind kind = walk->rule->kind;
	const struct regs leaf = walk->regs;
	bool ok = apply_rule(walk);

	if (kind < RULE_CFA_REGISTER || (ok && walk->is_exact))
		return ok;
	const struct process_code process = process_of(walk);
	if (ok && guess_is_return_address(&process, walk->regs.pc))
		return true;
	const struct regs caller = walk->regs;
	const bool is_exact = walk->is_exact;
	walk->regs = leaf;
	const enum unwind_end end = walk->end;
	walk->is_exact = true;
	if (guess(walk))
		return true;
	walk->regs = caller;
	walk->is_exact = is_exact;
	walk->frame.origin = FRAME_BY_CFI;
	walk->end = end;
	return ok;
}

static bool apply_some_rule(struct unwind_walk *walk)
{
	bool can_follow = walk->arch->has_wrong_cfi && has_all_registers(walk);

	return can_follow ? apply_rule_or_follow(walk) : apply_rule(walk);
}

/* Where the row of CFI may not be the instruction's: the code tells. If it does not, a row that is
 * wrong leads to no caller. */
static bool follow_instead(struct unwind_walk *walk)
{
	const bool is_wrong = walk->row == ROW_IS_WRONG;
	const struct regs callee = walk->regs;
	const bool ok = apply_some_rule(walk);
	const struct regs by_row = walk->regs;
	const uint16_t origin = walk->frame.origin;
	const bool is_exact = walk->is_exact;
	const enum unwind_end end = walk->end;
	const uint8_t sp = walk->arch->sp;

	walk->row = ROW_AGREES;
	walk->regs = callee;
	walk->is_exact = true;
	const bool is_guessed = guess(walk);
	if (is_guessed &&
	    !(ok && walk->regs.pc == by_row.pc && walk->regs.values[sp] == by_row.values[sp]))
		return true;
	if (!is_guessed && is_wrong) {
		if (walk->end == UNWIND_NO_UNWIND_INFO)
			walk->end = UNWIND_BAD_CFI;
		return false;
	}
	walk->regs = by_row;
	walk->is_exact = is_exact;
	walk->frame.origin = origin;
	walk->end = end;
	return ok;
}

/* The registers are a handler's, but the link register is still that of what it interrupts. */
static bool apply_delivery(struct unwind_walk *walk)
{
	const struct arch *arch = walk->arch;
	struct rule rule = { .general_kind = RULE_GENERAL };

	if (!walk->is_leaf || !arch->find_delivery)
		return false;
	rule.general = arch->find_delivery(&walk->stack, &walk->regs);
	if (!rule.general)
		return false;
	uint64_t ra = arch->strip_return_address(walk->regs.values[arch->ra]);
	if (is_signal_frame(find_step(walk->unwinder, walk->space, arch, ra))) {
		/* That may have taken the place of this. */
		walk->rule = &find_step(walk->unwinder, walk->space, arch, walk->addr)->rule;
		return false;
	}
	walk->frame.origin = FRAME_GUESSED;
	return rule_apply(&rule, arch, &walk->stack, &walk->regs, &walk->is_exact, &walk->end);
}

/* CFI, or the code, has led to a return address of zero. Returns like unwind_caller(). */
static bool end_at_zero(struct unwind_walk *walk)
{
	if (is_outermost(walk->arch, &walk->regs)) {
		walk->end = UNWIND_ROOT;
		return false;
	}
	if (walk->is_leafs_caller)
		return guess_leafs_caller(walk, UNWIND_BAD_RETURN_ADDRESS);
	walk->end = UNWIND_BAD_RETURN_ADDRESS;
	return false;
}

/* Returns like unwind_caller(). */
static __attribute__((noinline)) bool find_unusual_caller(struct unwind_walk *walk)
{
	walk->is_usual = false;
	if (!walk->rule) {
		walk->end = UNWIND_NO_MODULE;
		return false;
	}
	/* It needs no stack, and a new thread has not touched its own yet. */
	if (is_root(walk)) {
		walk->end = UNWIND_ROOT;
		return false;
	}
	if (!walk->stack.size) {
		walk->end = UNWIND_NO_STACK;
		return false;
	}
	const bool may_be_wrong = walk->row >= ROW_IS_DOUBTFUL;
	if (!apply_delivery(walk) && !(may_be_wrong ? follow_instead(walk) : apply_some_rule(walk)))
		return false;
	if (walk->memory)
		use_memory(walk);
	if (walk->is_exact)
		walk->stack.is_left |= has_left_stack(walk);
	walk->is_leafs_caller = walk->is_leaf && walk->frame.origin == FRAME_BY_CFI;
	walk->is_leaf = false;
	return walk->regs.pc || end_at_zero(walk);
}

static inline bool find_caller(struct unwind_walk *walk)
{
	bool may_be_usual = walk->step && walk->row < ROW_IS_DOUBTFUL &&
			    !(walk->is_leaf && walk->arch->find_delivery);

	if (!may_be_usual || !walk->arch->usual_caller(walk->rule, &walk->stack, &walk->regs))
		return find_unusual_caller(walk);
	walk->frame.origin = FRAME_BY_CFI;
	walk->is_usual = true;
	walk->is_leafs_caller = walk->is_leaf;
	walk->is_above_assembly = walk->is_exact = walk->is_leaf = false;
	if (walk->memory)
		use_memory(walk);
	return walk->regs.pc || end_at_zero(walk);
}

bool unwind_cfa(const struct unwind_walk *walk, uint64_t *cfa_ret)
{
	return walk->rule && walk->row != ROW_IS_WRONG &&
	       rule_cfa(walk->rule, walk->arch, &walk->stack, &walk->regs, cfa_ret);
}

bool unwind_caller(struct unwind_walk *walk)
{
	return find_caller(walk);
}

/* A walk into its user's arrays. */
struct whole_walk {
	struct unwind_walk walk;
	struct frame *frames;
	uint64_t *addrs, *sps; /* or NULL */
	size_t n_frames, max_frames;
	size_t first_usual; /* of the frames that only usual ones have led to, one after the other
			     */
	size_t n_same;      /* the last of them, known from the last walk */
	struct last_walk *last; /* of the thread; NULL: not kept */
	struct unwind_result result;
};

static void begin_last(struct whole_walk *whole)
{
	const struct user_stack *stack = whole->walk.sample;
	struct unwinder *unwinder = whole->walk.unwinder;

	if (!stack->thread || !stack->arch->usual_caller || !whole->addrs || !whole->sps)
		return;
	whole->last = last_walks_find(unwinder->last_walks, stack->thread);
	last_walk_begin(whole->last, stack->arch, whole->walk.space->code_epoch,
			&whole->walk.stack);
}

/* Adds the present frame. */
static inline void add_frame(struct whole_walk *whole)
{
	const struct unwind_walk *walk = &whole->walk;
	const size_t i = whole->n_frames++;

	whole->frames[i] = walk->frame;
	if (whole->addrs)
		whole->addrs[i] = walk->addr;
	if (whole->sps)
		whole->sps[i] = walk->regs.values[walk->arch->sp];
	if (whole->last && i < LAST_WALK_FRAMES && walk->rule)
		walk->unwinder->walked[i] = *walk->rule;
	whole->result.n_guessed += walk->frame.origin == FRAME_GUESSED;
	whole->result.n_stitched += walk->frame.origin == FRAME_STITCHED;
}

/* Adds the callers of the present frame, if the last walk has met it in the same state. */
static __attribute__((noinline)) bool add_same_callers(struct whole_walk *whole)
{
	struct unwind_walk *walk = &whole->walk;
	const bool is_in_copy =
		!walk->is_elsewhere && walk->regs.values[walk->arch->sp] >= walk->stack.start;

	if (!walk->is_usual || !walk->step || !is_in_copy)
		return false;
	const size_t n = last_walk_meet(whole->last, &walk->regs, walk->addr);
	const size_t at = whole->n_frames;
	if (!n || n > whole->max_frames - at)
		return false;
	last_walk_copy(whole->last, n, whole->frames + at, whole->addrs + at, whole->sps + at);
	whole->n_same = n;
	walk->end = UNWIND_ROOT;
	return true;
}

static inline bool find_next_frame(struct whole_walk *whole)
{
	struct unwind_walk *walk = &whole->walk;

	if (whole->last && last_walk_may_meet(whole->last, walk->regs.values[walk->arch->sp]) &&
	    add_same_callers(whole))
		return false;
	if (!find_caller(walk))
		return false;
	if (!walk->is_usual)
		whole->first_usual = whole->n_frames + 1;
	return true;
}

/* For the thread's next walk. */
static void keep_last(const struct whole_walk *whole)
{
	const struct unwind_walk *walk = &whole->walk;
	const struct walked_frames walked = { .frames = whole->frames,
					      .addrs = whole->addrs,
					      .sps = whole->sps,
					      .rules = walk->unwinder->walked,
					      .n_frames = whole->n_frames,
					      .first = whole->first_usual };
	const bool is_known =
		whole->n_same || (walk->end == UNWIND_ROOT && walk->rule &&
				  walk->rule->kind == RULE_ROOT && !walk->is_elsewhere);

	if (whole->last && is_known && whole->n_frames <= LAST_WALK_FRAMES)
		last_walk_keep(whole->last, walk->arch, walk->space->code_epoch, &walk->stack,
			       &walked, whole->n_same);
}

size_t unwind_user_stack(struct unwinder *unwinder, const struct address_space *space,
			 const struct user_stack *stack, struct frame *frames, uint64_t *addrs,
			 size_t max_frames, struct unwind_result *result_ret)
{
	struct whole_walk whole;
	struct unwind_walk *walk = &whole.walk;

	whole.frames = frames;
	whole.addrs = addrs;
	whole.sps = stack->sps;
	whole.n_frames = whole.n_same = 0;
	whole.max_frames = max_frames;
	whole.first_usual = 1;
	whole.last = NULL;
	whole.result = (struct unwind_result){ .n_guessed = 0 };
	unwind_begin(&whole.walk, unwinder, space, stack);
	begin_last(&whole);
	while (find_frame(walk)) {
		if (whole.n_frames == max_frames) {
			walk->end = UNWIND_TOO_DEEP;
			break;
		}
		add_frame(&whole);
		if (!find_next_frame(&whole))
			break;
	}
	keep_last(&whole);
	whole.n_frames += whole.n_same;
	whole.result.end = walk->end;
	*result_ret = whole.result;
	unwinder->stats.n_walks++;
	unwinder->stats.n_frames += whole.n_frames;
	unwinder->stats.n_repeated += whole.n_same;
	unwinder->stats.n_guessed += whole.result.n_guessed;
	return whole.n_frames;
}
