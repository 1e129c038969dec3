#include "cct/model/frame_ids.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"

struct frame_slot {
	uint32_t number; /* the frame's, and 1; 0: free */
	uint32_t hash;
};

static bool slot_is_used(const void *slot)
{
	return ((const struct frame_slot *)slot)->number;
}

struct frame_key {
	const struct frame *frame;
	uint32_t hash;
};

/* Frames with other hashes are not looked at: they are in no cache. */
static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	const struct frame_slot *of = slot;
	const struct frame_key *wanted = key;
	const struct frame_ids *ids = owner;

	return of->hash == wanted->hash && frame_equal(&ids->frames[of->number - 1], wanted->frame);
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	(void)owner;
	return ((const struct frame_slot *)slot)->hash;
}

static const struct hash_table_type numbers_by_frame = {
	.slot_size = sizeof(struct frame_slot),
	.first_slots = 1024,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

static uint32_t frame_hash(const struct frame *frame)
{
	uint64_t hash = frame->offset ^ ((uint64_t)frame->module << 40) ^
			((uint64_t)frame->kind << 60) ^ ((uint64_t)frame->part << 24);

	hash *= 0x9e3779b97f4a7c15ull;
	hash ^= hash >> 29;
	hash *= 0xbf58476d1ce4e5b9ull;
	return (uint32_t)(hash >> 32);
}

void frame_ids_deinit(struct frame_ids *ids)
{
	free(ids->frames);
	hash_table_deinit(&ids->by_frame);
	*ids = (struct frame_ids){ .frames = NULL };
}

/* 0 or -ENOMEM. */
static int index_frame(struct frame_ids *ids, uint32_t id, uint32_t hash)
{
	struct frame_slot *slot = hash_table_insert(&ids->by_frame, &numbers_by_frame, hash, ids);

	if (!slot)
		return -ENOMEM;
	*slot = (struct frame_slot){ .number = id + 1, .hash = hash };
	return 0;
}

/* After frame_ids_drop_index(). */
static int restore_index(struct frame_ids *ids)
{
	if (hash_table_reserve(&ids->by_frame, &numbers_by_frame, ids->n_frames, ids))
		return -ENOMEM;
	for (uint32_t id = 0; id < ids->n_frames; id++)
		index_frame(ids, id, frame_hash(&ids->frames[id]));
	return 0;
}

static uint32_t add(struct frame_ids *ids, const struct frame *frame, uint32_t hash)
{
	const uint32_t id = ids->n_frames;

	if (id == FRAME_IDS_MAX || array_reserve(ids->frames, id, ids->n_frames_allocated, 1) ||
	    index_frame(ids, id, hash))
		return FRAME_IDS_NONE;
	ids->frames[ids->n_frames++] = *frame;
	ids->frames[id].origin = 0;
	return id;
}

uint32_t frame_ids_enter(struct frame_ids *ids, const struct frame *frame)
{
	const struct frame_key key = { frame, frame_hash(frame) };

	if (!ids->by_frame.n_slots && ids->n_frames && restore_index(ids))
		return FRAME_IDS_NONE;
	const struct frame_slot *known =
		hash_table_find(&ids->by_frame, &numbers_by_frame, key.hash, &key, ids);
	return known ? known->number - 1 : add(ids, frame, key.hash);
}

/* The slot where the search for a frame begins. There are slots. */
static const struct frame_slot *first_slot(const struct frame_ids *ids, const struct frame *frame)
{
	return hash_table_at(&ids->by_frame, &numbers_by_frame,
			     frame_hash(frame) & (ids->by_frame.n_slots - 1));
}

void frame_ids_fetch(const struct frame_ids *ids, const struct frame *frames, size_t n_frames)
{
	const size_t n = ids->by_frame.n_slots ? n_frames : 0;

	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(first_slot(ids, &frames[i]));
	for (size_t i = 0; i < n; i++) {
		const struct frame_slot *slot = first_slot(ids, &frames[i]);

		if (slot->number)
			__builtin_prefetch(&ids->frames[slot->number - 1]);
	}
}

int frame_ids_reserve(struct frame_ids *ids, uint32_t n_more)
{
	if (array_reserve(ids->frames, ids->n_frames, ids->n_frames_allocated, n_more) ||
	    (!ids->by_frame.n_slots && ids->n_frames && restore_index(ids)))
		return -ENOMEM;
	return hash_table_reserve(&ids->by_frame, &numbers_by_frame, n_more, ids);
}

void frame_ids_drop_index(struct frame_ids *ids)
{
	hash_table_deinit(&ids->by_frame);
}
