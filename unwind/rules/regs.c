/* What all architectures share: finding one, and sorting perf's registers into DWARF's numbers. */
#include "unwind/rules/regs.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

static const struct machine machines[] = {
	{ "x86_64",
	  { [PERF_SAMPLE_REGS_ABI_64] = &arch_x86_64, [PERF_SAMPLE_REGS_ABI_32] = &arch_i386 } },
	{ "aarch64", { [PERF_SAMPLE_REGS_ABI_64] = &arch_aarch64 } },
	{ "i386", { [PERF_SAMPLE_REGS_ABI_32] = &arch_i386 } },
	{ "i486", { [PERF_SAMPLE_REGS_ABI_32] = &arch_i386 } },
	{ "i586", { [PERF_SAMPLE_REGS_ABI_32] = &arch_i386 } },
	{ "i686", { [PERF_SAMPLE_REGS_ABI_32] = &arch_i386 } },
};

const struct machine *machine_find(const char *name)
{
	for (size_t i = 0; name && i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (strcmp(machines[i].name, name) == 0)
			return &machines[i];
	}
	return NULL;
}

const struct arch *arch_find(const char *machine, uint64_t abi)
{
	return machine_arch(machine_find(machine), abi);
}

bool regs_from_perf(const struct arch *arch, uint64_t mask, const uint64_t *values,
		    struct regs *regs_ret)
{
	bool has_pc = false;

	/* The kernel widens 32-bit registers: a failed system call's result is -4096 and up. */
	const uint64_t bits = arch->pointer_size == 4 ? UINT32_MAX : UINT64_MAX;

	regs_ret->valid = 0;
	for (; mask; mask &= mask - 1, values++) {
		unsigned index = (unsigned)__builtin_ctzll(mask);

		if (index == arch->perf_pc) {
			regs_ret->pc = *values & bits;
			has_pc = true;
		}
		if (index < arch->n_perf_regs && arch->perf_to_dwarf[index] < REGS_MAX)
			regs_set(regs_ret, arch->perf_to_dwarf[index], *values & bits);
	}
	return has_pc && regs_have(regs_ret, arch->sp);
}

bool regs_argument(const struct arch *arch, const struct regs *regs, const uint8_t *stack_bytes,
		   size_t stack_size, unsigned argument, uint64_t *ret)
{
	if (!argument)
		return false;
	if (argument <= arch->n_argument_regs) {
		unsigned reg = arch->argument_regs[argument - 1];

		*ret = regs->values[reg];
		return regs_have(regs, reg);
	}
	/* Without a link register the return address lies below the arguments. */
	size_t index = argument - arch->n_argument_regs - 1 + (arch->ra == arch->pc);
	size_t size = arch->pointer_size;

	if (stack_size / size <= index)
		return false;
	*ret = 0;
	memcpy(ret, stack_bytes + index * size, size);
	return true;
}
