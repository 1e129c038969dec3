/* Many answers have the same rules, so each rule is there once. */
#include "unwind/code/kept_scans.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"
#include "cct/base/hash_table.h"
#include "unwind/code/code_path.h"

/* Half of what all kept files may have together: a table that is larger when it grows is the last.
 */
#define SIZE_MAX_ALL ((size_t)2 << 20)
/* A file's code is mapped in one way, or a few. */
#define RANGES_MAX 8
#define RULES_MAX  (UINT16_MAX - 1)

/* A part of the file that is mapped. */
struct range {
	const struct arch *arch;
	uint64_t start;
	size_t size;
};

struct scan {
	uint64_t offset, entry;
	uint16_t rules[CODE_OUTCOMES_MAX];
	uint8_t range; /* from 1 on; 0: the slot is free */
	uint8_t n_rules;
	uint8_t way; /* enum code_way */
	bool is_exact : 1, is_complete : 1, is_ambiguous : 1, is_outermost : 1, leaves : 1;
};

struct kept_scans {
	struct range ranges[RANGES_MAX];
	size_t n_ranges;
	struct code_rule *rules;
	size_t n_rules, n_rules_allocated;
	struct hash_table by_rule; /* numbers of @rules, from 1 on */
	struct hash_table scans;
	bool is_full;
};

static uint32_t hash_scan(uint64_t offset, uint64_t entry, bool is_exact)
{
	return hash_pair(offset << 1 | is_exact, entry);
}

static bool scan_is_used(const void *slot)
{
	return ((const struct scan *)slot)->range;
}

static bool scan_has_key(const void *slot, const void *key, const void *owner)
{
	const struct scan *scan = slot, *wanted = key;

	(void)owner;
	return scan->offset == wanted->offset && scan->entry == wanted->entry &&
	       scan->range == wanted->range && scan->is_exact == wanted->is_exact;
}

static uint32_t scan_hash(const void *slot, const void *owner)
{
	const struct scan *scan = slot;

	(void)owner;
	return hash_scan(scan->offset, scan->entry, scan->is_exact);
}

static const struct hash_table_type scans_by_question = {
	.slot_size = sizeof(struct scan),
	.first_slots = 64,
	.is_used = scan_is_used,
	.has_key = scan_has_key,
	.hash = scan_hash,
};

static uint64_t hash_place(uint64_t hash, const struct place *place)
{
	hash = hash_bytes(hash, &place->kind, 1);
	hash = hash_bytes(hash, &place->reg, 1);
	hash = hash_bytes(hash, &place->offset, sizeof(place->offset));
	return hash_bytes(hash, &place->addend, sizeof(place->addend));
}

static uint32_t hash_rule(const struct code_rule *rule)
{
	uint64_t hash = hash_place(hash_place(HASH_START, &rule->sp), &rule->return_slot);

	for (size_t i = 0; i < CODE_RULE_REGS; i++)
		hash = hash_place(hash, &rule->saved[i]);
	return hash_number(hash_bytes(hash, &rule->is_doubtful, sizeof(rule->is_doubtful)));
}

static bool rule_equal(const struct code_rule *a, const struct code_rule *b)
{
	for (size_t i = 0; i < CODE_RULE_REGS; i++)
		if (!place_equal(&a->saved[i], &b->saved[i]))
			return false;
	return place_equal(&a->sp, &b->sp) && place_equal(&a->return_slot, &b->return_slot) &&
	       a->is_doubtful == b->is_doubtful;
}

static bool number_is_used(const void *slot)
{
	return *(const uint16_t *)slot;
}

static const struct code_rule *rule_of(const void *slot, const struct kept_scans *kept)
{
	return &kept->rules[*(const uint16_t *)slot - 1];
}

static bool number_has_key(const void *slot, const void *key, const void *owner)
{
	return rule_equal(rule_of(slot, owner), key);
}

static uint32_t number_hash(const void *slot, const void *owner)
{
	return hash_rule(rule_of(slot, owner));
}

static const struct hash_table_type numbers_by_rule = {
	.slot_size = sizeof(uint16_t),
	.first_slots = 64,
	.is_used = number_is_used,
	.has_key = number_has_key,
	.hash = number_hash,
};

struct kept_scans *kept_scans_create(void)
{
	return calloc(1, sizeof(struct kept_scans));
}

void kept_scans_destroy(struct kept_scans *kept)
{
	if (!kept)
		return;
	free(kept->rules);
	hash_table_deinit(&kept->by_rule);
	hash_table_deinit(&kept->scans);
	free(kept);
}

/* The range's number, from 1 on; 0: scans of it are not kept. */
static uint8_t find_range(const struct kept_scans *kept, const struct scan_question *question)
{
	for (size_t i = 0; i < kept->n_ranges; i++) {
		const struct range *range = &kept->ranges[i];

		if (range->arch == question->arch && range->start == question->start &&
		    range->size == question->size)
			return (uint8_t)(i + 1);
	}
	return 0;
}

static struct scan key_of(const struct scan_question *question, uint8_t range)
{
	return (struct scan){
		.offset = question->offset,
		.entry = question->entry,
		.range = range,
		.is_exact = question->is_exact,
	};
}

bool kept_scans_find(const struct kept_scans *kept, const struct scan_question *question,
		     struct scan_answer *ret)
{
	const struct scan key = key_of(question, find_range(kept, question));
	const struct scan *scan =
		key.range ? hash_table_find(&kept->scans, &scans_by_question,
					    hash_scan(key.offset, key.entry, key.is_exact), &key,
					    NULL)
			  : NULL;

	if (!scan)
		return false;
	*ret = (struct scan_answer){
		.outcomes.n_rules = scan->n_rules,
		.outcomes.is_complete = scan->is_complete,
		.outcomes.is_ambiguous = scan->is_ambiguous,
		.is_outermost = scan->is_outermost,
		.way = (enum code_way)scan->way,
		.leaves = scan->leaves,
	};
	for (size_t i = 0; i < scan->n_rules; i++)
		ret->outcomes.rules[i] = kept->rules[scan->rules[i]];
	return true;
}

static uint8_t add_range(struct kept_scans *kept, const struct scan_question *question)
{
	if (kept->n_ranges == RANGES_MAX)
		return 0;
	kept->ranges[kept->n_ranges++] =
		(struct range){ question->arch, question->start, question->size };
	return (uint8_t)kept->n_ranges;
}

/* false: out of memory, or there are too many. */
static bool add_rule(struct kept_scans *kept, const struct code_rule *rule, uint16_t *index_ret)
{
	const uint32_t hash = hash_rule(rule);
	uint16_t *slot = hash_table_find(&kept->by_rule, &numbers_by_rule, hash, rule, kept);

	if (!slot) {
		if (kept->n_rules == RULES_MAX ||
		    array_reserve(kept->rules, kept->n_rules, kept->n_rules_allocated, 1) ||
		    !(slot = hash_table_insert(&kept->by_rule, &numbers_by_rule, hash, kept)))
			return false;
		kept->rules[kept->n_rules++] = *rule;
		*slot = (uint16_t)kept->n_rules;
	}
	*index_ret = (uint16_t)(*slot - 1);
	return true;
}

/* Tables have twice the size when they grow. */
static bool has_room(const struct kept_scans *kept)
{
	const bool grows = kept->scans.n_used >= kept->scans.n_slots / 2;

	return kept_scans_size(kept) + (grows ? kept->scans.n_slots * sizeof(struct scan) : 0) <=
	       SIZE_MAX_ALL;
}

void kept_scans_add(struct kept_scans *kept, const struct scan_question *question,
		    const struct scan_answer *answer)
{
	const struct code_outcomes *outcomes = &answer->outcomes;
	uint8_t range = find_range(kept, question);

	assert(outcomes->n_rules <= CODE_OUTCOMES_MAX);
	if (!range)
		range = add_range(kept, question);
	kept->is_full |= !has_room(kept);
	if (!range || kept->is_full)
		return;
	struct scan scan = key_of(question, range);
	for (size_t i = 0; i < outcomes->n_rules; i++)
		if (!add_rule(kept, &outcomes->rules[i], &scan.rules[i]))
			return;
	scan.n_rules = (uint8_t)outcomes->n_rules;
	scan.is_complete = outcomes->is_complete;
	scan.is_ambiguous = outcomes->is_ambiguous;
	scan.is_outermost = answer->is_outermost;
	scan.way = (uint8_t)answer->way;
	scan.leaves = answer->leaves;
	struct scan *slot =
		hash_table_insert(&kept->scans, &scans_by_question,
				  hash_scan(scan.offset, scan.entry, scan.is_exact), NULL);
	if (slot)
		*slot = scan;
}

bool kept_scans_are_full(const struct kept_scans *kept)
{
	return kept->is_full;
}

size_t kept_scans_size(const struct kept_scans *kept)
{
	return sizeof(*kept) + kept->n_rules_allocated * sizeof(kept->rules[0]) +
	       kept->by_rule.n_slots * sizeof(uint16_t) + kept->scans.n_slots * sizeof(struct scan);
}
