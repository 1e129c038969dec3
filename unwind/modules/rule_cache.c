/* Direct-mapped, of fixed size: a recording of any length needs no more memory. */
#include "unwind/modules/rule_cache.h"

#include "cct/base/hash.h"
#include "cct/system/huge_pages.h"

#define CACHE_BITS 16

struct rule_cache_entry {
	uint64_t offset;
	uint32_t module; /* 0: empty */
	bool is_before_special;
	uint8_t row;
	struct rule rule;
};
static_assert(sizeof(struct rule_cache_entry) == 32, "two entries to a cache line");

struct rule_cache {
	struct rule_cache_entry entries[1u << CACHE_BITS];
};

static size_t cache_index(uint32_t module, uint64_t offset)
{
	uint64_t key = offset ^ (uint64_t)module << 40;

	return hash_to_bits(key, CACHE_BITS);
}

struct rule_cache *rule_cache_create(void)
{
	return huge_pages_alloc(sizeof(struct rule_cache));
}

void rule_cache_destroy(struct rule_cache *cache)
{
	huge_pages_free(cache, sizeof(*cache));
}

bool rule_cache_get(const struct rule_cache *cache, uint32_t module, uint64_t offset,
		    struct known_rule *rule_ret)
{
	const struct rule_cache_entry *entry = &cache->entries[cache_index(module, offset)];

	if (entry->module != module || entry->offset != offset)
		return false;
	*rule_ret = (struct known_rule){ .rule = entry->rule,
					 .is_before_special = entry->is_before_special,
					 .row = entry->row };
	return true;
}

void rule_cache_put(struct rule_cache *cache, uint32_t module, uint64_t offset,
		    const struct known_rule *rule)
{
	cache->entries[cache_index(module, offset)] =
		(struct rule_cache_entry){ .offset = offset,
					   .module = module,
					   .is_before_special = rule->is_before_special,
					   .row = rule->row,
					   .rule = rule->rule };
}
