#include "perf/kernel/debug_registers.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__

#include <cpuid.h>
#include <string.h>

/* Each hypervisor that a virtual machine sees describes itself at a multiple of 0x100 from here on
 * (arch/x86/include/asm/cpuid/api.h, cpuid_base_hypervisor()). */
#define HYPERVISOR_FIRST 0x40000000u
#define HYPERVISOR_END   0x40010000u
#define HYPERVISOR_STEP  0x100u
#define BIT_HYPERVISOR   (1u << 31) /* of leaf 1, ecx */

static bool is_intel(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0, &a, &b, &c, &d) && b == signature_INTEL_ebx &&
	       d == signature_INTEL_edx && c == signature_INTEL_ecx;
}

static bool is_below_kvm(void)
{
	unsigned a, b, c = 0, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & BIT_HYPERVISOR))
		return false;
	for (unsigned leaf = HYPERVISOR_FIRST; leaf < HYPERVISOR_END; leaf += HYPERVISOR_STEP) {
		unsigned name[3];

		__cpuid(leaf, a, name[0], name[1], name[2]);
		if (memcmp(name, "KVMKVMKVM\0\0\0", sizeof(name)) == 0)
			return true;
	}
	return false;
}

bool debug_registers_are_safe(void)
{
	return !is_intel() || !is_below_kvm();
}

#else

bool debug_registers_are_safe(void)
{
	return true;
}

#endif

bool debug_registers_work(void)
{
	static volatile uint64_t word;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&word,
		.bp_len = HW_BREAKPOINT_LEN_8,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	/* There they do, and the trial might end this process. */
	if (!debug_registers_are_safe())
		return true;
	const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	uint64_t n_hits;

	if (fd < 0)
		return true;
	word++;
	const bool works = read(fd, &n_hits, sizeof(n_hits)) != sizeof(n_hits) || n_hits;
	close(fd);
	return works;
}
