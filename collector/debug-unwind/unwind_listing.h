/* One sample's unwinding, a step at a time, for people. */
#ifndef COLLECTOR_DEBUG_UNWIND_UNWIND_LISTING_H
#define COLLECTOR_DEBUG_UNWIND_UNWIND_LISTING_H

#include <stdio.h>

#include "collector/paths/sample_path.h"
#include "report/names/symbolize.h"

struct unwind_listing {
	FILE *out;
	const struct module_table *modules;
	struct elf_modules *elf_modules;
	struct symbolizer *symbolizer;
	struct unwinder *unwinder;
};

/* What the sample, whose path is resolved, is; every step of its walk with the rule that was used,
 * and why the walk ended. 0 or -ENOMEM. */
int unwind_listing_print(const struct unwind_listing *listing, uint64_t number,
			 const struct sample *sample);

#endif
