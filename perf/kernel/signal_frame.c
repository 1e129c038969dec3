#include "perf/kernel/signal_frame.h"

#ifdef __x86_64__

#include <cpuid.h>

/* Intel's manual, volume 1, chapter 13: the layout in memory is told by leaf 13 of cpuid. */
#define STATE_LEAF     0xd
#define FIRST_EXTENDED 2  /* the components before are at fixed places */
#define AMX_TILES      18 /* XFEATURE_XTILE_DATA */
#define LEGACY_SIZE    512
#define HEADER_SIZE    64
#define END_MARK_SIZE  4 /* FP_XSTATE_MAGIC2 */

static uint64_t enabled_components(void)
{
	uint32_t low, high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

static uint32_t state_size(uint64_t components)
{
	uint32_t end = LEGACY_SIZE + HEADER_SIZE;

	for (unsigned i = FIRST_EXTENDED; i < 63; i++) {
		unsigned size, offset, c, d;

		if (components >> i & 1 &&
		    __get_cpuid_count(STATE_LEAF, i, &size, &offset, &c, &d) && offset + size > end)
			end = offset + size;
	}
	return end + END_MARK_SIZE;
}

size_t signal_frame_states(uint32_t sizes_ret[SIGNAL_FRAME_STATES_MAX])
{
	const uint64_t tiles = 1ull << AMX_TILES;
	unsigned a, b, c = 0, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return 0;
	uint64_t components = enabled_components();
	sizes_ret[0] = state_size(components & ~tiles);
	if (!(components & tiles))
		return 1;
	sizes_ret[1] = state_size(components);
	return 2;
}

#else

size_t signal_frame_states(uint32_t sizes_ret[SIGNAL_FRAME_STATES_MAX])
{
	(void)sizes_ret;
	return 0;
}

#endif
