/*
 * Registers: perf's numbering to DWARF's, per architecture.
 *
 * perf: arch/.../include/uapi/asm/perf_regs.h. DWARF: the x86-64 psABI, figure 3.36; the i386
 * psABI, table 2.14; the AAPCS64 DWARF supplement, section 4.1. An architecture is one struct arch
 * in regs_<arch>.c; nothing else in unwind/ names one.
 */
#ifndef UNWIND_RULES_REGS_H
#define UNWIND_RULES_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REGS_MAX 34 /* DWARF numbers 0..33 hold every register an unwinder follows */

struct regs {
	uint64_t values[REGS_MAX]; /* by DWARF number */
	uint64_t valid;            /* bit per DWARF number */
	uint64_t pc;
};

struct general_rule;
struct jump_by_table;
struct made_rule;
struct machine_instruction;
struct rule;
struct stack_copy;

struct arch {
	const char *name;     /* for people */
	uint16_t elf_machine; /* EM_* */
	uint8_t n_regs;
	uint8_t sp, fp, ra;   /* DWARF numbers; ra: the column of the return address */
	uint8_t pc;           /* where signal frames have it; @ra without a link register */
	uint8_t pointer_size; /* bytes; also of a word on the stack. 4: addresses wrap at 2^32 */
	const char *const *reg_names; /* by DWARF number, for people; NULL: none */
	uint64_t callee_saved;        /* bit per DWARF number: kept where CFI has no rule */
	/* perf's register index -> DWARF number; 0xff: not followed; pc apart */
	const uint8_t *perf_to_dwarf;
	uint8_t n_perf_regs;
	uint8_t perf_pc;
	/* Where a function finds its first integer arguments: DWARF numbers; the others are on the
	 * stack. */
	const uint8_t *argument_regs;
	uint8_t n_argument_regs;
	/*
	 * rule_apply() for usual_frame_rule()s at its quickest: the caller's pc cannot be the exact
	 * one. false: @regs are as before, rule_apply() must do it. NULL: always.
	 */
	bool (*usual_caller)(const struct rule *rule, const struct stack_copy *stack,
			     struct regs *regs);
	/* Strips what the processor adds to a return address (arm64 pointer authentication). */
	uint64_t (*strip_return_address)(uint64_t address);
	/*
	 * Whether the @size bytes of code that end at a return address end in a call.
	 * @distance_ret: from the return address to the function called; 0 where the code does
	 * not tell.
	 */
	bool (*ends_in_call)(const uint8_t *code, size_t size, int64_t *distance_ret);
	/* Whether code begins with a jump to an address in memory, as PLT entries do. */
	bool (*is_trampoline)(const uint8_t *code, size_t size);
	/*
	 * How many bytes before the end of this code its function began to set up a frame pointer,
	 * which it still has. 0: it did not, as far as can be seen.
	 */
	size_t (*frame_pointer_since)(const uint8_t *code, size_t size);
	/* Sets the bits of functions that the code calls or takes the address of. May be NULL. */
	void (*mark_function_starts)(const uint8_t *code, size_t size, uint64_t *bits);
	/*
	 * Finds main(), whose address the C library's start-up code, from a program's entry on,
	 * passes as an argument. @addr: of the entry. May be NULL.
	 */
	bool (*find_main)(const uint8_t *entry, size_t size, uint64_t addr, uint64_t *main_ret);
	/* Whether code that ends here has just cleared the frame pointer, as outermost frames do.
	 */
	bool (*clears_frame_pointer)(const uint8_t *code, size_t size);
	/* The first instruction. false: none, or not all of it. NULL: code is not decoded. */
	bool (*decode)(const uint8_t *code, size_t size, struct machine_instruction *ret);
	/* Whether code that ends at an indirect jump has chosen an entry of a table, whose size it
	 * has compared with. NULL: not known. */
	bool (*find_switch)(const uint8_t *code, size_t size, struct jump_by_table *ret);
	/* Whether code begins with an instruction that loads register @base with an address,
	 * *@distance_ret from there. NULL: as above. */
	bool (*loads_table)(const uint8_t *code, size_t size, uint8_t base, int64_t *distance_ret);
	/*
	 * Whether code that follows a call looks like another function, or the space before it.
	 * @misalignment: of its address, to 16. May be NULL.
	 */
	bool (*is_function_start)(const uint8_t *code, size_t size, uint64_t misalignment);
	/* The rule for the instruction at @code + @at, if the instructions there show it. The hook
	 * is NULL where the code of no function is known. */
	bool (*rule_by_code)(const uint8_t *code, size_t size, size_t at, struct rule *rule_ret);
	/* @rule_by_code only knows functions of C libraries. */
	bool knows_c_library_only;
	/* Corrects a rule by CFI where the CFI of compilers is known to be wrong. May be NULL. */
	void (*correct_rule)(const uint8_t *code, size_t size, size_t at, struct rule *rule);
	/* Makes a rule from the instructions at code + @at, to be used in place of @cfi, and freed
	 * with free(). Returns NULL if @cfi is right, or out of memory. May be NULL. */
	struct made_rule *(*make_rule)(const uint8_t *code, size_t size, size_t at,
				       const struct rule *cfi);
	/*
	 * Where the kernel delivers a signal, it has set the stack pointer and the pc to the
	 * handler's, but perhaps not yet the return address: the rule that leads to what is
	 * interrupted, or NULL. NULL: that can't happen.
	 */
	const struct general_rule *(*find_delivery)(const struct stack_copy *stack,
						    const struct regs *regs);
	/* CFI of C libraries' assembly is wrong in places: where it does not lead to a return
	 * address, the caller is found by the code. */
	bool has_wrong_cfi;
	/*
	 * Whether code that follows clone's system call leads, with @regs at its start, to the
	 * first instruction of the new thread's own code. @distance_ret: from the start of the code
	 * to that instruction. May be NULL.
	 */
	bool (*thread_start)(const uint8_t *code, size_t size, const struct regs *regs,
			     int64_t *distance_ret);
};

extern const struct arch arch_x86_64, arch_i386, arch_aarch64;

#define MACHINE_ABIS 3 /* PERF_SAMPLE_REGS_ABI_NONE, _32, _64 */

/* A kind of processor; the code that runs on it may be of several architectures. */
struct machine {
	const char *name;                       /* as uname() has it: "x86_64", "i686" */
	const struct arch *archs[MACHINE_ABIS]; /* by a sample's ABI; NULL: not unwound */
};

/* @name: of a recording (HEADER_ARCH), or NULL: not known. Returns NULL for a machine whose code is
 * not unwound. */
const struct machine *machine_find(const char *name);
/* The architecture of a task's code, by a sample's @abi (PERF_SAMPLE_REGS_ABI_*). @machine: from
 * machine_find(). NULL: not unwound. */
static inline const struct arch *machine_arch(const struct machine *machine, uint64_t abi)
{
	return machine && abi < MACHINE_ABIS ? machine->archs[abi] : NULL;
}
/* Both at once, for a name that is looked up once. */
const struct arch *arch_find(const char *machine, uint64_t abi);

/* false: pc or stack pointer are missing. @values: popcount(@mask), lowest bit first. */
bool regs_from_perf(const struct arch *arch, uint64_t mask, const uint64_t *values,
		    struct regs *regs_ret);

/*
 * An integer argument (from 1) of the function whose first instruction is at the pc of @regs.
 * @stack_bytes: from the stack pointer up. false: the argument is not in the bytes.
 */
bool regs_argument(const struct arch *arch, const struct regs *regs, const uint8_t *stack_bytes,
		   size_t stack_size, unsigned argument, uint64_t *ret);

static inline bool regs_have(const struct regs *regs, unsigned reg)
{
	return reg < REGS_MAX && (regs->valid >> reg & 1);
}
static inline void regs_set(struct regs *regs, unsigned reg, uint64_t value)
{
	regs->values[reg] = value;
	regs->valid |= 1ull << reg;
}

#endif
