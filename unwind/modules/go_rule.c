#include "unwind/modules/go_rule.h"

#include <string.h>

#define X86_64_R12 12 /* its DWARF number */

/* Assembly's names end in .abi0 if the program has a table of both calling conventions. */
static bool is_one_of(const char *name, const char *const *names)
{
	static const char abi0[] = ".abi0";

	for (; *names; names++) {
		size_t size = strlen(*names);

		if (!strncmp(name, *names, size) && (!name[size] || !strcmp(name + size, abi0)))
			return true;
	}
	return false;
}

/* Go keeps no register but the stack pointer for its callers; what C code saved is not followed. */
static bool depth_rule(const struct arch *arch, int64_t depth, struct rule *rule_ret)
{
	struct rule rule = { .kind = RULE_CFA_REGISTER };
	size_t n_slots = 0;

	if (depth < 0 || depth % arch->pointer_size || depth / arch->pointer_size >= INT16_MAX)
		return false;
	rule.cfa_reg = arch->sp & 31;
	rule.cfa_offset = (int16_t)(depth / arch->pointer_size + 1);
	for (uint64_t left = rule_saved_regs(arch); left; left &= left - 1)
		rule.slots[n_slots++] =
			(unsigned)__builtin_ctzll(left) == arch->ra ? 1 : SLOT_UNDEFINED;
	*rule_ret = rule;
	return true;
}

/* The frame is as deep on the stack that was left as the table has it, if it has. */
static void switch_rule(const struct go_pclntab *table, const struct arch *arch,
			const struct go_function *function, uint64_t vaddr, struct rule *rule_ret)
{
	int64_t depth;

	if (!go_pclntab_depth(table, function, vaddr, &depth) || !depth_rule(arch, depth, rule_ret))
		*rule_ret = (struct rule){ .cfa_offset = 0 };
	rule_ret->kind = RULE_OTHER_STACK;
}

bool go_rule_find(const struct go_pclntab *table, const struct arch *arch, uint64_t vaddr,
		  bool is_return, struct rule *rule_ret)
{
	/* A goroutine's and a thread's first function, and the first ones on a scheduler's stack.
	 */
	static const char *const outermost[] = { "runtime.goexit", "runtime.mstart",
						 "runtime.rt0_go", "_rt0_amd64_linux",
						 "_rt0_amd64",     NULL };
	static const char *const switch_for_good[] = { "runtime.mcall", "runtime.morestack", NULL };
	static const char *const switch_and_return[] = { "runtime.systemstack",
							 "runtime.asmcgocall", NULL };
	/* These call the vdso. They switch unless they are on a scheduler's stack already. */
	static const char *const keep_sp_in_r12[] = { "runtime.nanotime1", "runtime.walltime",
						      "time.now", NULL };
	static const char *const not_called[] = { "runtime.sigreturn",
						  "runtime.sigreturn__sigaction", NULL };
	bool ra_on_stack = !(arch->callee_saved >> arch->ra & 1);
	struct go_function function;
	int64_t depth;

	if (!ra_on_stack || go_pclntab_version(table) < GO_1_18 ||
	    go_pclntab_pointer_size(table) != 8 || !go_pclntab_find(table, vaddr, &function))
		return false;
	const char *name = function.name;
	bool is_for_good = is_one_of(name, switch_for_good);
	bool keeps_r12 = is_one_of(name, keep_sp_in_r12);
	bool is_switch = keeps_r12 || is_one_of(name, switch_and_return);
	if (is_one_of(name, outermost)) {
		*rule_ret = (struct rule){ .kind = RULE_ROOT };
		return true;
	}
	/* Only at a call is it known on which stack these run. */
	if (is_for_good || (is_switch && !is_return)) {
		*rule_ret = (struct rule){ .kind = is_return ? RULE_ROOT : RULE_NONE };
		return true;
	}
	if (is_switch) {
		switch_rule(table, arch, &function, vaddr, rule_ret);
		if (keeps_r12)
			rule_ret->cfa_reg = X86_64_R12;
		return true;
	}
	return !is_one_of(name, not_called) && go_pclntab_depth(table, &function, vaddr, &depth) &&
	       depth_rule(arch, depth, rule_ret);
}
