#include "cct/text/string_ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"

struct string_slot {
	uint32_t hash;
	uint32_t number; /* the id + 1; 0: a free slot */
};

static bool is_used(const void *slot)
{
	return ((const struct string_slot *)slot)->number != 0;
}

static bool has_key(const void *slot, const void *key, const void *owner)
{
	const struct string_ids *ids = owner;

	return strcmp(ids->strings[((const struct string_slot *)slot)->number - 1], key) == 0;
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	(void)owner;
	return ((const struct string_slot *)slot)->hash;
}

static const struct hash_table_type by_text = {
	.slot_size = sizeof(struct string_slot),
	.first_slots = 64,
	.is_used = is_used,
	.has_key = has_key,
	.hash = slot_hash,
};

void string_ids_deinit(struct string_ids *ids)
{
	for (uint32_t i = 0; i < ids->n_strings; i++)
		free(ids->strings[i]);
	free(ids->strings);
	hash_table_deinit(&ids->ids);
	*ids = (struct string_ids){ 0 };
}

int string_ids_reserve(struct string_ids *ids, uint32_t n_more)
{
	if (array_reserve(ids->strings, ids->n_strings, ids->n_allocated, n_more))
		return -ENOMEM;
	return hash_table_reserve(&ids->ids, &by_text, n_more, ids);
}

uint32_t string_ids_find(const struct string_ids *ids, const char *text)
{
	const uint32_t hash = hash_number(hash_text(HASH_START, text));
	const struct string_slot *known = hash_table_find(&ids->ids, &by_text, hash, text, ids);

	return known ? known->number - 1 : STRING_IDS_NONE;
}

int string_ids_add(struct string_ids *ids, const char *text, uint32_t *id_ret, bool *is_new_ret)
{
	uint32_t hash = hash_number(hash_text(HASH_START, text));
	const struct string_slot *known = hash_table_find(&ids->ids, &by_text, hash, text, ids);

	*is_new_ret = !known;
	if (known) {
		*id_ret = known->number - 1;
		return 0;
	}
	if (string_ids_reserve(ids, 1))
		return -ENOMEM;
	char *copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	*id_ret = ids->n_strings;
	ids->strings[ids->n_strings++] = copy;
	struct string_slot *slot = hash_table_insert(&ids->ids, &by_text, hash, ids);
	*slot = (struct string_slot){ hash, ids->n_strings };
	return 0;
}
