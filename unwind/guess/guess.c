/* Candidates are rules; what they lead to is checked against the program's bytes. */
#include "unwind/guess/guess.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/hash.h"
#include "unwind/cfi/cfi.h"
#include "unwind/code/code_scan.h"
#include "unwind/code/kept_scans.h"
#include "unwind/guess/guess_anonymous.h"

/* What a new thread runs before its first function. */
#define THREAD_START_SIZE_MAX 16
/* Functions without CFI are assembly. */
#define FUNCTION_SIZE_MAX (64 * 1024)
/* How far back a frame pointer's set-up is looked for. */
#define PROLOGUE_DISTANCE_MAX 4096
/* How far back an outermost function clears its frame pointer. */
#define CLEARING_DISTANCE_MAX 32
/* The search for who called a function that never returns: words, and functions looked into. */
#define SEARCH_WORDS_MAX   256
#define SEARCH_ENTRIES_MAX 16
#define SEARCH_STARTS_MAX  8
#define SEARCHES_MAX       8 /* in vain, for one instruction */

#define RETURNS_BITS 11
#define ENTRIES_BITS 12

/* An instruction of a module. */
struct place_key {
	const struct arch *arch; /* NULL: empty */
	uint64_t offset;
	uint32_t module;
	bool is_exact;
};

/* What the code from an instruction on says. */
struct known_returns {
	struct place_key key;
	struct code_outcomes outcomes;
	bool is_outermost; /* it is the function where processes begin */
	bool has_entry, is_entry_symbol;
	uint64_t entry; /* offset of its function's first instruction */
	uint8_t n_searches;
};

/* What the code from a function's beginning on says about an instruction. */
struct known_entry {
	struct place_key key;
	uint64_t entry; /* offset */
	enum code_way way;
	bool leaves;
	struct code_rule rule;
};

struct guesser {
	struct code_scan *scan;
	struct known_returns returns[1u << RETURNS_BITS]; /* both direct-mapped */
	struct known_entry entries[1u << ENTRIES_BITS];
};

/* A mapping's code. */
struct located {
	struct code code;
	uint32_t module;
	uint64_t bias; /* from offsets to addresses */
};

struct guess {
	struct guesser *guesser;
	struct process_code process;
	const struct arch *arch; /* the process's */
	const struct stack_copy *stack;
	const struct regs *regs;
	uint64_t pc; /* of the frame, to look it up by */
	bool is_exact;
	/* Where code can be followed: */
	struct located at; /* the frame's */
	struct place_key key;
	struct known_returns *known;
	uint64_t slot; /* of the return address of the candidate; 0: below its stack pointer */
};

enum verdict {
	NOT_A_CALLER,
	NO_BYTES, /* executable memory; nothing else can be known */
	A_CALLER, /* calls the function that contains the frame, as far as is known */
	PROVEN,   /* and that function's code agrees */
};

/* The best guess so far. */
struct choice {
	enum verdict verdict;
	struct regs caller;
	bool is_contradicted; /* by one just as good */
};

struct guesser *guesser_create(void)
{
	/* Zeroed pages are not touched before they are used. */
	struct guesser *guesser = calloc(1, sizeof(*guesser));
	if (!guesser)
		return NULL;
	guesser->scan = code_scan_create();
	if (!guesser->scan) {
		guesser_destroy(guesser);
		return NULL;
	}
	return guesser;
}

void guesser_destroy(struct guesser *guesser)
{
	if (!guesser)
		return;
	code_scan_destroy(guesser->scan);
	free(guesser);
}

static bool is_trampoline(const struct guess *guess, uint64_t addr)
{
	size_t size = CALL_SIZE_MAX;
	const uint8_t *code = process_code_before(&guess->process, addr + size, size, &size);

	return code && size == CALL_SIZE_MAX && guess->arch->is_trampoline(code, size);
}

static bool key_equal(const struct place_key *a, const struct place_key *b)
{
	return a->arch == b->arch && a->offset == b->offset && a->module == b->module &&
	       a->is_exact == b->is_exact;
}

static size_t key_hash(const struct place_key *key, uint64_t entry, unsigned bits)
{
	uint64_t mixed = (key->offset << 1 | key->is_exact) ^ (uint64_t)key->module << 40 ^
			 entry * 0xff51afd7ed558ccdull;

	return hash_to_bits(mixed, bits);
}

/* Finds the code around @addr. false: its instructions are not known. */
static bool locate(const struct guess *guess, uint64_t addr, struct located *ret)
{
	const struct mapping *mapping;
	struct elf_module *module = process_code_module(&guess->process, addr, &mapping);
	if (!module || !mapping->is_exec || !guess->arch->decode || elf_module_is_anonymous(module))
		return false;

	struct code *code = &ret->code;
	code->arch = guess->arch;
	code->start = mapping->offset;
	code->bytes = elf_module_code(module, mapping->offset, &code->size);
	if (code->size > mapping->end - mapping->start)
		code->size = mapping->end - mapping->start;
	ret->bias = mapping->start - mapping->offset;
	ret->module = mapping->module;
	return code->bytes && addr - ret->bias - code->start < code->size;
}

static bool is_function_start(void *module, const struct arch *arch, uint64_t offset)
{
	uint64_t start;

	return elf_module_function_start(module, arch, offset, 0, &start);
}

static const uint8_t *find_data(void *module, uint64_t pc, uint64_t at, size_t size)
{
	return elf_module_data(module, pc, at, size);
}

/* Tells the code which function holds @offset. false: no symbol tells. */
static bool find_function(const struct guess *guess, struct located *at, uint64_t offset)
{
	struct elf_module *module = elf_modules_get(guess->process.elf_modules, at->module);
	struct code *code = &at->code;

	code->is_start = module ? is_function_start : NULL;
	code->find_data = module ? find_data : NULL;
	code->module = module;
	code->function_start = code->function_end = 0;
	return module &&
	       elf_module_function(module, offset, &code->function_start, &code->function_end);
}

/* The function at the file's entry has no caller. */
static bool is_in_entry_function(struct guess *guess)
{
	struct elf_module *module = elf_modules_get(guess->process.elf_modules, guess->at.module);
	uint64_t entry;

	return module && elf_module_entry(module, &entry) &&
	       code_scan_holds(guess->guesser->scan, &guess->at.code, entry,
			       guess->pc - guess->at.bias);
}

/* The module knows what an earlier profile's scans have found. */
static struct scan_question ask(const struct located *at, const struct place_key *key,
				uint64_t entry)
{
	return (struct scan_question){
		.arch = key->arch,
		.start = at->code.start,
		.size = at->code.size,
		.offset = key->offset,
		.entry = entry,
		.is_exact = key->is_exact,
	};
}

static struct scan_answer scan_returns(struct guess *guess, bool is_past_end)
{
	struct scan_answer answer = { .is_outermost = is_in_entry_function(guess) };

	/* After a call that is a function's last instruction comes another function's code. */
	if (is_past_end)
		answer.outcomes.is_complete = true;
	else
		code_scan_returns(guess->guesser->scan, &guess->at.code, guess->key.offset,
				  guess->is_exact, &answer.outcomes);
	return answer;
}

/* The ways to return from the frame, by its code; scanned once. */
static struct known_returns *get_returns(struct guess *guess)
{
	struct guesser *guesser = guess->guesser;
	struct known_returns *known = &guesser->returns[key_hash(&guess->key, 0, RETURNS_BITS)];
	const struct code *code = &guess->at.code;
	struct scan_answer answer;

	if (key_equal(&known->key, &guess->key))
		return known;
	const struct scan_question question = ask(&guess->at, &guess->key, SCAN_RETURNS);
	struct elf_module *module = elf_modules_get(guess->process.elf_modules, guess->at.module);

	*known = (struct known_returns){ .key = guess->key };
	known->has_entry = find_function(guess, &guess->at, guess->pc - guess->at.bias);
	known->is_entry_symbol = known->has_entry;
	known->entry = code->function_start;
	if (!module || !elf_module_find_scan(module, &question, &answer)) {
		answer = scan_returns(guess,
				      known->has_entry && guess->key.offset >= code->function_end);
		if (module)
			elf_module_keep_scan(module, &question, &answer);
	}
	known->outcomes = answer.outcomes;
	known->is_outermost = answer.is_outermost;
	return known;
}

static struct scan_answer scan_from_entry(const struct guess *guess, struct located *at,
					  uint64_t entry, const struct place_key *key)
{
	struct scan_answer answer = { .leaves = false };
	struct code_rule *rule = &answer.outcomes.rules[0];

	find_function(guess, at, entry);
	answer.way = code_scan_entry(guess->guesser->scan, &at->code, entry, key->offset,
				     key->is_exact, rule, &answer.leaves);
	answer.outcomes.n_rules = answer.way == CODE_LEADS;
	return answer;
}

/* Whether and how the function at @entry of @at leads to the instruction @key; scanned once. */
static const struct known_entry *scan_entry(const struct guess *guess, struct located *at,
					    uint64_t entry, const struct place_key *key)
{
	struct guesser *guesser = guess->guesser;
	struct known_entry *known = &guesser->entries[key_hash(key, entry, ENTRIES_BITS)];
	struct scan_answer answer;

	if (key_equal(&known->key, key) && known->entry == entry)
		return known;
	const struct scan_question question = ask(at, key, entry);
	struct elf_module *module = elf_modules_get(guess->process.elf_modules, at->module);

	if (!module || !elf_module_find_scan(module, &question, &answer)) {
		answer = scan_from_entry(guess, at, entry, key);
		if (module)
			elf_module_keep_scan(module, &question, &answer);
	}
	*known = (struct known_entry){
		.key = *key,
		.entry = entry,
		.way = answer.way,
		.leaves = answer.leaves,
		.rule = answer.outcomes.rules[0],
	};
	return known;
}

static const struct known_entry *get_entry(struct guess *guess, uint64_t entry)
{
	return scan_entry(guess, &guess->at, entry, &guess->key);
}

/* Whether the function at @addr may end in a jump to anywhere: a PLT entry, a tail call. */
static bool leads_anywhere(const struct guess *guess, uint64_t addr)
{
	struct located at;

	if (!locate(guess, addr, &at))
		return is_trampoline(guess, addr);
	const struct place_key nowhere = {
		.arch = guess->arch, .offset = UINT64_MAX, .module = at.module, .is_exact = true
	};
	return scan_entry(guess, &at, addr - at.bias, &nowhere)->leaves;
}

/* Whether @rule has the candidate's return address where the candidate has it. */
static bool has_same_place(const struct guess *guess, const struct code_rule *rule,
			   const struct regs *caller)
{
	const struct arch *arch = guess->arch;
	uint64_t slot, sp = caller->values[arch->sp];
	struct regs regs = *guess->regs;
	enum unwind_end end;

	if (!code_rule_apply(rule, arch, guess->stack, &regs, guess->is_exact, &end) ||
	    regs.pc != caller->pc)
		return false;
	if (!code_rule_return_slot(rule, arch, guess->stack, guess->regs, &slot))
		return regs.values[arch->sp] == sp;
	return slot == (guess->slot ? guess->slot : sp - arch->pointer_size);
}

/* Judges @caller by the code of the function at @entry. */
static enum verdict judge_by_entry(struct guess *guess, uint64_t entry, const struct regs *caller)
{
	const struct known_entry *known = get_entry(guess, entry);

	if (known->way != CODE_LEADS)
		return known->way == CODE_CANNOT_LEAD ? NOT_A_CALLER : A_CALLER;
	if (has_same_place(guess, &known->rule, caller))
		return PROVEN;
	return known->rule.is_doubtful ? A_CALLER : NOT_A_CALLER;
}

/* Judges @caller if the function that it called is not known. */
static enum verdict judge_by_symbol(struct guess *guess, const struct regs *caller)
{
	const struct known_returns *known = guess->known;

	if (!known || !known->has_entry)
		return A_CALLER;
	enum verdict verdict = judge_by_entry(guess, known->entry, caller);
	/* It may have been entered in its middle. */
	return verdict == NOT_A_CALLER && get_entry(guess, known->entry)->way != CODE_LEADS
		       ? A_CALLER
		       : verdict;
}

/* Handlers return to where CFI describes a signal's frame. */
static bool is_signal_trampoline(const struct guess *guess, uint64_t addr)
{
	struct rule rule;

	process_code_rule(&guess->process, addr, &rule);
	return rule.kind == RULE_GENERAL && rule.general->is_signal_frame;
}

/* Whether CFI describes @function and the frame's instruction as one. */
static bool is_described_with(const struct guess *guess, uint64_t function)
{
	struct elf_module *module = elf_modules_get(guess->process.elf_modules, guess->at.module);
	struct cfi_function described;

	return module &&
	       elf_module_described_function(module, guess->pc - guess->at.bias, &described) &&
	       function - guess->at.bias - described.start < described.end - described.start;
}

/* Judges @caller by the code of @function, which it calls. */
static enum verdict judge_direct_call(struct guess *guess, uint64_t function,
				      const struct regs *caller)
{
	uint64_t entry = function - guess->at.bias;
	/* A call between a function's start and the frame makes the frame another function's. */
	bool is_passed = caller->pc > function && caller->pc <= guess->pc;
	bool is_near = guess->pc - function < FUNCTION_SIZE_MAX && !is_passed;
	enum verdict verdict = is_near ? A_CALLER : NOT_A_CALLER;

	if (guess->known && entry - guess->at.code.start < guess->at.code.size) {
		verdict = judge_by_entry(guess, entry, caller);
		if (verdict == A_CALLER && !is_near && !is_described_with(guess, function))
			verdict = NOT_A_CALLER;
	}
	if (verdict == NOT_A_CALLER && leads_anywhere(guess, function))
		return judge_by_symbol(guess, caller);
	return verdict;
}

/* @caller's pc is an address right after a call that may lead to the frame. */
static enum verdict judge_caller(struct guess *guess, const struct regs *caller)
{
	const struct mapping *mapping = address_space_find(guess->process.space, caller->pc - 1);
	int64_t distance;
	size_t size;

	if (!mapping || !mapping->is_exec)
		return NOT_A_CALLER;
	if (process_code_is_anonymous(&guess->process, caller->pc - 1))
		return NO_BYTES;
	const uint8_t *code =
		process_code_before(&guess->process, caller->pc, CALL_SIZE_MAX, &size);
	bool is_call = code && guess->arch->ends_in_call(code, size, &distance);
	enum verdict verdict = NOT_A_CALLER;

	if (is_call && distance)
		verdict = judge_direct_call(
			guess, stack_address(guess->stack, caller->pc + (uint64_t)distance),
			caller);
	/* What precedes a trampoline may look like a call. */
	bool is_elsewhere = verdict == NOT_A_CALLER && is_signal_trampoline(guess, caller->pc);
	return is_elsewhere || (is_call && !distance) ? judge_by_symbol(guess, caller) : verdict;
}

/* A rule that restores @fp from its slot and loses what else a callee might have saved. */
static struct rule frame_pointer_rule(const struct arch *arch)
{
	struct rule rule = { .kind = RULE_CFA_REGISTER };
	size_t n_slots = 0;

	rule.cfa_reg = arch->fp & 31;
	rule.cfa_offset = 2;
	for (uint64_t left = rule_saved_regs(arch); left; left &= left - 1, n_slots++) {
		unsigned reg = (unsigned)__builtin_ctzll(left);

		rule.slots[n_slots] = SLOT_UNDEFINED;
		if (reg == arch->ra)
			rule.slots[n_slots] = 1;
		else if (reg == arch->fp)
			rule.slots[n_slots] = 2;
	}
	return rule;
}

/* A rule for the first instruction of a function, or any of one that leaves the stack alone. */
static struct rule leaf_rule(const struct arch *arch)
{
	struct rule rule = { .kind = RULE_CFA_REGISTER };
	bool ra_on_stack = !(arch->callee_saved >> arch->ra & 1);

	rule.cfa_reg = arch->sp & 31;
	rule.cfa_offset = ra_on_stack;
	if (ra_on_stack)
		rule.slots[__builtin_popcountll(arch->callee_saved & ((1ull << arch->ra) - 1))] = 1;
	return rule;
}

/* A chain of frame pointers goes up, and ends with zero. */
static bool is_chain(const struct guess *guess, const struct regs *callee,
		     const struct regs *caller)
{
	uint64_t from = callee->values[guess->arch->fp], to = caller->values[guess->arch->fp];
	const uint8_t word = guess->arch->pointer_size;

	return to == 0 || (to > from && stack_find(guess->stack, to, word) && to % word == 0);
}

/* Whether the frame's code shows that its function has set up the frame pointer. No CFI describes a
 * function in part; what has some is another function. */
static bool has_frame_pointer(const struct guess *guess)
{
	size_t size;
	const uint8_t *code =
		process_code_before(&guess->process, guess->pc, PROLOGUE_DISTANCE_MAX, &size);
	size_t since = code ? guess->arch->frame_pointer_since(code, size) : 0;

	return since && !process_code_has_cfi(&guess->process, guess->pc - since);
}

/* The frame pointer's caller may use that register for something else. */
static bool guess_by_frame_pointer(struct guess *guess, struct regs *caller_ret)
{
	struct rule rule = frame_pointer_rule(guess->arch);
	const struct regs *regs = guess->regs;
	struct regs caller = *regs;
	bool is_exact = guess->is_exact;
	uint8_t fp = guess->arch->fp;
	enum unwind_end end;

	if (!regs_have(regs, fp) || regs->values[fp] < regs->values[guess->arch->sp] ||
	    regs->values[fp] % guess->arch->pointer_size ||
	    !rule_apply(&rule, guess->arch, guess->stack, &caller, &is_exact, &end) ||
	    !regs_have(&caller, fp))
		return false;

	enum verdict verdict = judge_caller(guess, &caller);
	if (verdict == NOT_A_CALLER || !has_frame_pointer(guess))
		return false;
	/* Without its bytes, code can only be checked for a plausible chain of frame pointers. */
	if (verdict == NO_BYTES && !is_chain(guess, regs, &caller))
		return false;
	*caller_ret = caller;
	return true;
}

static bool guess_leaf(struct guess *guess, struct regs *caller_ret)
{
	struct rule rule = leaf_rule(guess->arch);
	struct regs caller = *guess->regs;
	bool is_exact = true;
	enum unwind_end end;

	if (!guess->is_exact ||
	    !rule_apply(&rule, guess->arch, guess->stack, &caller, &is_exact, &end) ||
	    judge_caller(guess, &caller) != A_CALLER)
		return false;
	*caller_ret = caller;
	return true;
}

bool guess_is_return_address(const struct process_code *process, uint64_t addr)
{
	const struct mapping *mapping = address_space_find(process->space, addr - 1);
	int64_t distance;
	size_t size;

	if (!mapping || !mapping->is_exec)
		return false;
	if (process_code_is_anonymous(process, addr - 1))
		return true;
	const uint8_t *code = process_code_before(process, addr, CALL_SIZE_MAX, &size);
	return code && process->arch->ends_in_call(code, size, &distance);
}

/* Keeps @caller if it is better than what there is. */
static void choose(const struct guess *guess, struct choice *choice, enum verdict verdict,
		   const struct regs *caller)
{
	uint8_t sp = guess->arch->sp;

	if (verdict > choice->verdict) {
		*choice = (struct choice){ .verdict = verdict, .caller = *caller };
	} else if (verdict == choice->verdict && verdict != NOT_A_CALLER) {
		choice->is_contradicted |= caller->pc != choice->caller.pc ||
					   caller->values[sp] != choice->caller.values[sp];
	}
}

static bool leads_here(struct guess *guess, uint64_t entry)
{
	const struct known_entry *known = get_entry(guess, entry);

	return known->way == CODE_LEADS && !known->rule.is_doubtful;
}

/* Why the return address of @rule, which lies in memory that is missing, can't be had. */
static enum unwind_end judge_missing(struct guess *guess, const struct code_rule *rule,
				     enum unwind_end end)
{
	uint64_t sp, entry_sp;

	if (end == UNWIND_STACK_CUT || !guess->known->is_entry_symbol ||
	    !leads_here(guess, guess->known->entry))
		return end == UNWIND_STACK_CUT ? end : UNWIND_NO_UNWIND_INFO;
	const struct code_rule *entry_rule = &get_entry(guess, guess->known->entry)->rule;
	bool is_proven =
		code_rule_sp(rule, guess->arch, guess->stack, guess->regs, &sp) &&
		code_rule_sp(entry_rule, guess->arch, guess->stack, guess->regs, &entry_sp) &&
		sp == entry_sp;
	return is_proven ? end : UNWIND_NO_UNWIND_INFO;
}

static void try_rule(struct guess *guess, const struct code_rule *rule, struct choice *choice,
		     enum unwind_end *end_ret)
{
	struct regs caller = *guess->regs;
	enum unwind_end end;

	if (!code_rule_apply(rule, guess->arch, guess->stack, &caller, guess->is_exact, &end)) {
		bool is_missing = end == UNWIND_STACK_CUT || end == UNWIND_BAD_MEMORY ||
				  end == UNWIND_STACK_HOLE;

		if (is_missing && !rule->is_doubtful)
			*end_ret = judge_missing(guess, rule, end);
		return;
	}
	if (!code_rule_return_slot(rule, guess->arch, guess->stack, guess->regs, &guess->slot))
		guess->slot = 0;
	enum verdict verdict = judge_caller(guess, &caller);
	guess->slot = 0;
	if (verdict == PROVEN || !rule->is_doubtful)
		choose(guess, choice, verdict, &caller);
}

/* What the word at @addr, as a return address, was called from. 0: nothing that is known. */
static uint64_t called_function(const struct guess *guess, uint64_t addr, uint64_t *pc_ret)
{
	int64_t distance;
	size_t size;

	if (!stack_read(guess->stack, addr, pc_ret) || !*pc_ret)
		return 0;
	const struct mapping *mapping = address_space_find(guess->process.space, *pc_ret - 1);
	if (!mapping || !mapping->is_exec)
		return 0;
	const uint8_t *code = process_code_before(&guess->process, *pc_ret, CALL_SIZE_MAX, &size);
	if (!code || !guess->arch->ends_in_call(code, size, &distance) || !distance)
		return 0;
	return *pc_ret + (uint64_t)distance;
}

/* The function at @entry leads here, and has its return address @pc in the word at @addr. */
static bool is_entry(struct guess *guess, uint64_t entry, uint64_t addr, uint64_t pc)
{
	struct regs caller = { .pc = pc };

	caller.values[guess->arch->sp] = addr + guess->arch->pointer_size;
	return judge_by_entry(guess, entry, &caller) == PROVEN &&
	       !get_entry(guess, entry)->rule.is_doubtful;
}

/* The offset of the function that a return address on the stack says was called, and leads here. */
static bool search_stack(struct guess *guess, uint64_t *entry_ret)
{
	uint64_t sp = guess->regs->values[guess->arch->sp], pc = 0;
	size_t n_entries = 0;

	for (size_t i = 0; i < SEARCH_WORDS_MAX && n_entries < SEARCH_ENTRIES_MAX; i++) {
		uint64_t addr = sp + i * guess->arch->pointer_size;
		uint64_t entry = called_function(guess, addr, &pc) - guess->at.bias;

		if (entry - guess->at.code.start >= guess->at.code.size)
			continue;
		n_entries++;
		if (is_entry(guess, entry, addr, pc)) {
			*entry_ret = entry;
			return true;
		}
	}
	return false;
}

/* The nearest function before that leads here. */
static bool search_code(struct guess *guess, struct elf_module *module, uint64_t *entry_ret)
{
	uint64_t offset = guess->pc - guess->at.bias, first = guess->at.code.start;
	uint64_t distance = offset - first < FUNCTION_SIZE_MAX ? offset - first : FUNCTION_SIZE_MAX;
	uint64_t last = offset - distance;

	for (size_t i = 0; i < SEARCH_STARTS_MAX; i++) {
		if (!elf_module_function_start(module, guess->arch, offset, offset - last,
					       entry_ret))
			return false;
		if (leads_here(guess, *entry_ret))
			return true;
		if (*entry_ret == last)
			return false;
		offset = *entry_ret - 1;
	}
	return false;
}

/* The beginning of a function that does not return, and of which no symbol tells. */
static void search(struct guess *guess)
{
	struct known_returns *known = guess->known;
	struct elf_module *module = elf_modules_get(guess->process.elf_modules, guess->at.module);

	if (!module || known->n_searches == SEARCHES_MAX)
		return;
	known->has_entry = (elf_module_main(module, guess->arch, &known->entry) &&
			    known->entry - guess->at.code.start < guess->at.code.size &&
			    leads_here(guess, known->entry)) ||
			   search_stack(guess, &known->entry) ||
			   search_code(guess, module, &known->entry);
	known->n_searches++;
}

/* A function that was entered with no caller: it marks that, and has no way to return. */
static bool is_outermost(const struct guess *guess)
{
	const struct code_outcomes *outcomes = &guess->known->outcomes;
	size_t size;

	if (outcomes->n_rules || !outcomes->is_complete || !guess->arch->clears_frame_pointer ||
	    !regs_have(guess->regs, guess->arch->fp) || guess->regs->values[guess->arch->fp])
		return false;
	const uint8_t *code =
		process_code_before(&guess->process, guess->pc, CLEARING_DISTANCE_MAX, &size);
	return code && guess->arch->clears_frame_pointer(code, size);
}

/* Guesses by following the code. true: *@choice, or *@end_ret, is final. */
static bool guess_by_scan(struct guess *guess, struct choice *choice, enum unwind_end *end_ret)
{
	struct known_returns *known = guess->known = get_returns(guess);
	const struct code_outcomes *outcomes = &known->outcomes;
	bool is_sure = false;

	if (known->is_outermost) {
		*end_ret = UNWIND_ROOT;
		return true;
	}
	for (size_t i = 0; i < outcomes->n_rules && !outcomes->is_ambiguous; i++) {
		is_sure |= !outcomes->rules[i].is_doubtful;
		try_rule(guess, &outcomes->rules[i], choice, end_ret);
	}
	if (choice->verdict != NOT_A_CALLER || *end_ret == UNWIND_STACK_CUT)
		return true;
	if (!known->has_entry)
		search(guess);
	if (known->has_entry && leads_here(guess, known->entry)) {
		struct code_rule rule = get_entry(guess, known->entry)->rule;

		try_rule(guess, &rule, choice, end_ret);
	}
	if (choice->verdict == NOT_A_CALLER && is_outermost(guess))
		*end_ret = UNWIND_ROOT;
	return is_sure || choice->verdict != NOT_A_CALLER || *end_ret == UNWIND_ROOT;
}

bool guess_caller(struct guesser *guesser, const struct process_code *process,
		  const struct stack_copy *stack, struct regs *regs, bool *is_exact,
		  enum unwind_end *end_ret)
{
	struct guess guess = { .guesser = guesser,
			       .process = *process,
			       .arch = process->arch,
			       .stack = stack,
			       .regs = regs,
			       .is_exact = *is_exact,
			       .pc = *is_exact ? regs->pc : regs->pc - 1 };
	struct choice choice = { .verdict = NOT_A_CALLER };
	bool has_code = locate(&guess, guess.pc, &guess.at);

	guess.key = (struct place_key){ .arch = process->arch,
					.offset = regs->pc - guess.at.bias,
					.module = guess.at.module,
					.is_exact = guess.is_exact };

	*end_ret = UNWIND_NO_UNWIND_INFO;
	if (process_code_is_anonymous(&guess.process, guess.pc))
		return guess_anonymous_caller(process, stack, regs, is_exact);
	if (has_code && guess_by_scan(&guess, &choice, end_ret)) {
		if (choice.verdict == NOT_A_CALLER || choice.is_contradicted)
			return false;
	} else if (!(!has_code && guess_leaf(&guess, &choice.caller)) &&
		   !guess_by_frame_pointer(&guess, &choice.caller)) {
		return false;
	}
	*regs = choice.caller;
	*is_exact = false;
	return true;
}

/* Whether the bytes at @entry are code. An exported case has zeros in place of code that it leaves
 * out, and no function begins with them. */
static bool is_code_known(const struct located *at, uint64_t entry)
{
	static const uint8_t left_out[4];
	uint64_t from = entry - at->code.start;

	return from < at->code.size && at->code.size - from >= sizeof(left_out) &&
	       memcmp(at->code.bytes + from, left_out, sizeof(left_out)) != 0;
}

bool guess_called(const struct process_code *process, uint64_t return_address,
		  struct called_function *ret)
{
	const struct mapping *mapping;
	struct cfi_function described;
	int64_t distance;
	size_t size;

	const uint8_t *code = process_code_before(process, return_address, CALL_SIZE_MAX, &size);
	if (!code || !process->arch->ends_in_call(code, size, &distance) || !distance)
		return false;
	uint64_t function = return_address + (uint64_t)distance;
	if (process->arch->pointer_size == 4)
		function = (uint32_t)function;
	const uint8_t *entry =
		process_code_before(process, function + CALL_SIZE_MAX, CALL_SIZE_MAX, &size);
	struct elf_module *module = process_code_module(process, function, &mapping);
	if (!module || !mapping->is_exec || elf_module_is_anonymous(module) || !entry ||
	    size < CALL_SIZE_MAX || process->arch->is_trampoline(entry, size))
		return false;
	const uint64_t to_offset = mapping->offset - mapping->start;
	function += to_offset;
	*ret = (struct called_function){ mapping->module, to_offset, function, function, function };
	if (elf_module_described_function(module, function, &described) &&
	    (described.start == function || described.has_landing_pads)) {
		ret->start = described.start;
		ret->end = described.end;
	}
	return true;
}

bool guess_described(const struct process_code *process, uint64_t pc, struct cfi_function *ret)
{
	const struct mapping *mapping;
	struct elf_module *module = process_code_module(process, pc, &mapping);

	return module &&
	       elf_module_described_function(module, pc - mapping->start + mapping->offset, ret) &&
	       !ret->has_landing_pads;
}

bool guess_jumps_to(const struct process_code *process, uint64_t function, uint64_t size,
		    const struct cfi_function *to)
{
	struct guess guess = { .process = *process, .arch = process->arch };

	return locate(&guess, function, &guess.at) &&
	       code_scan_jumps_to(&guess.at.code, function - guess.at.bias, size, to->start,
				  to->end - to->start);
}

enum code_reach guess_may_lead(struct guesser *guesser, const struct process_code *process,
			       uint64_t function, uint64_t pc)
{
	/* Without symbols: what is described by CFI needs none. */
	struct guess guess = { .process = *process, .arch = process->arch };

	if (!locate(&guess, function, &guess.at) ||
	    !is_code_known(&guess.at, function - guess.at.bias))
		return CODE_REACHES_ANY;
	return code_scan_reach(guesser->scan, &guess.at.code, function - guess.at.bias,
			       pc - guess.at.bias);
}

bool guess_follows_call(const struct process_code *process, uint64_t addr)
{
	int64_t distance;
	size_t size;
	const uint8_t *code = process_code_before(process, addr, CALL_SIZE_MAX, &size);

	if (!code || !process->arch->ends_in_call(code, size, &distance))
		return false;
	/* Bytes that only look like a call have a target that is not code. */
	const struct mapping *target =
		address_space_find(process->space, addr + (uint64_t)distance);
	return distance == 0 || (target && target->is_exec);
}

bool guess_thread_start(const struct process_code *process, const struct regs *regs)
{
	struct rule rule;
	size_t size;
	int64_t distance;

	if (!process->arch->thread_start)
		return false;
	const uint8_t *code = process_code_before(process, regs->pc + THREAD_START_SIZE_MAX,
						  THREAD_START_SIZE_MAX, &size);
	if (!code || size != THREAD_START_SIZE_MAX ||
	    !process->arch->thread_start(code, size, regs, &distance))
		return false;
	process_code_rule(process, regs->pc + (uint64_t)distance, &rule);
	return rule.kind == RULE_ROOT;
}
