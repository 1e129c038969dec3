/* What all architectures share: finding one, and sorting perf's registers into DWARF's numbers. */
#include "unwind/regs.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

static const struct arch *const archs[] = { &arch_x86_64 };

const struct arch *arch_find(const char *machine, uint64_t abi)
{
	if (!machine || abi != PERF_SAMPLE_REGS_ABI_64)
		return NULL;
	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++)
		if (!strcmp(archs[i]->name, machine))
			return archs[i];
	return NULL;
}

bool regs_from_perf(const struct arch *arch, uint64_t mask, const uint64_t *values,
		    struct regs *regs_ret)
{
	bool has_pc = false;

	regs_ret->valid = 0;
	for (; mask; mask &= mask - 1, values++) {
		unsigned index = (unsigned)__builtin_ctzll(mask);

		if (index == arch->perf_pc) {
			regs_ret->pc = *values;
			has_pc = true;
		}
		if (index < arch->n_perf_regs && arch->perf_to_dwarf[index] < REGS_MAX)
			regs_set(regs_ret, arch->perf_to_dwarf[index], *values);
	}
	return has_pc && regs_have(regs_ret, arch->sp);
}
