/* A cache (module, offset) -> rule: the rules that one thread has read from CFI, for all processes
 * and epochs. */
#ifndef UNWIND_MODULES_RULE_CACHE_H
#define UNWIND_MODULES_RULE_CACHE_H

#include "unwind/rules/rule.h"

struct rule_cache;

struct known_rule {
	struct rule rule;
	bool is_before_special; /* elf_module_begins_special() for the code after it */
	uint8_t row;            /* enum row_check; only sampled instructions are compared */
};

/* NULL: out of memory. */
struct rule_cache *rule_cache_create(void);
void rule_cache_destroy(struct rule_cache *cache);
/* false: not known, or forgotten. */
bool rule_cache_get(const struct rule_cache *cache, uint32_t module, uint64_t offset,
		    struct known_rule *rule_ret);
/* May forget another rule. @module is not 0. */
void rule_cache_put(struct rule_cache *cache, uint32_t module, uint64_t offset,
		    const struct known_rule *rule);

#endif
