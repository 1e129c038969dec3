#include "cct/marks/path_marks.h"

#include <errno.h>

#include "cct/base/hash.h"

struct marks_slot {
	uint32_t number; /* the node's, and 1; 0: free */
	uint64_t n_samples[N_PATH_MARKS];
};

static bool slot_is_used(const void *slot)
{
	return ((const struct marks_slot *)slot)->number;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	(void)owner;
	return ((const struct marks_slot *)slot)->number == *(const uint32_t *)key;
}

static uint32_t number_hash(uint32_t number)
{
	return hash_number(number);
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	(void)owner;
	return number_hash(((const struct marks_slot *)slot)->number);
}

static const struct hash_table_type marks_by_node = {
	.slot_size = sizeof(struct marks_slot),
	.first_slots = 64,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

const char *path_mark_name(enum path_mark mark)
{
	static const char *const names[N_PATH_MARKS] = {
		[PATH_GUESSED] = "guessed", [PATH_STITCHED] = "stitched", [PATH_JOINED] = "joined"
	};

	return names[mark];
}

void path_marks_deinit(struct path_marks *marks)
{
	hash_table_deinit(&marks->by_node);
}

static struct marks_slot *find(const struct path_marks *marks, uint32_t number)
{
	return hash_table_find(&marks->by_node, &marks_by_node, number_hash(number), &number, NULL);
}

const uint64_t *path_marks_of(const struct path_marks *marks, uint32_t node)
{
	static const uint64_t none[N_PATH_MARKS];
	const struct marks_slot *slot = find(marks, node + 1);

	return slot ? slot->n_samples : none;
}

int path_marks_add(struct path_marks *marks, uint32_t node, enum path_mark mark, uint64_t n_samples)
{
	const uint32_t number = node + 1;
	struct marks_slot *slot = n_samples ? find(marks, number) : NULL;

	if (!n_samples)
		return 0;
	if (!slot) {
		slot = hash_table_insert(&marks->by_node, &marks_by_node, number_hash(number),
					 NULL);
		if (!slot)
			return -ENOMEM;
		*slot = (struct marks_slot){ .number = number };
	}
	slot->n_samples[mark] += n_samples;
	return 0;
}

int path_marks_add_all(struct path_marks *marks, uint32_t node, const uint64_t *n_samples)
{
	int err = 0;

	for (int mark = 0; mark < N_PATH_MARKS && !err; mark++)
		err = path_marks_add(marks, node, (enum path_mark)mark, n_samples[mark]);
	return err;
}
