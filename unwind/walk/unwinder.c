/* Makes and frees the caches. */
#include "unwind/walk/unwinder.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "cct/system/huge_pages.h"
#include "unwind/guess/guess.h"
#include "unwind/guess/guess_code_view.h"
#include "unwind/walk/walk_steps.h"

#define STEPS_SIZE (sizeof(struct step) << STEP_BITS)

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
