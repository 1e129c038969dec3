#include "collector/record/control/thread_waits.h"

#include <stdlib.h>

#include "cct/base/hash.h"

#define FIRST_SLOTS 256

struct thread_wait {
	int32_t tid;     /* above 0 in a used slot */
	uint64_t out_ns; /* when it left the CPU, while it is away; else 0 */
	uint64_t in_ns;  /* when it came back last; 0: not known. Both 0: it has ended. */
};

static bool is_used(const void *slot)
{
	return ((const struct thread_wait *)slot)->tid > 0;
}

static bool has_tid(const void *slot, const void *key, const void *owner)
{
	(void)owner;
	return ((const struct thread_wait *)slot)->tid == *(const int32_t *)key;
}

static uint32_t hash_tid(int32_t tid)
{
	return hash_number((uint32_t)tid);
}

static uint32_t hash_slot(const void *slot, const void *owner)
{
	(void)owner;
	return hash_tid(((const struct thread_wait *)slot)->tid);
}

static const struct hash_table_type type = {
	.slot_size = sizeof(struct thread_wait),
	.first_slots = FIRST_SLOTS,
	.is_used = is_used,
	.has_key = has_tid,
	.hash = hash_slot,
};

void thread_waits_deinit(struct thread_waits *waits)
{
	hash_table_deinit(&waits->threads);
	*waits = (struct thread_waits){ 0 };
}

static struct thread_wait *find(const struct thread_waits *waits, int32_t tid)
{
	return hash_table_find(&waits->threads, &type, hash_tid(tid), &tid, NULL);
}

/* The table has no removal: threads that have ended are left out of a new one. */
static void leave_out_ended(struct thread_waits *waits)
{
	struct hash_table kept = { 0 };
	const struct thread_wait *wait = NULL;

	if (hash_table_reserve(&kept, &type, waits->threads.n_used - waits->n_ended + 1, NULL))
		return;
	while ((wait = hash_table_next(&waits->threads, &type, wait))) {
		if (!wait->out_ns && !wait->in_ns)
			continue;
		struct thread_wait *copy =
			hash_table_insert(&kept, &type, hash_tid(wait->tid), NULL);
		if (copy)
			*copy = *wait;
	}
	hash_table_deinit(&waits->threads);
	waits->threads = kept;
	waits->n_ended = 0;
}

static struct thread_wait *take(struct thread_waits *waits, int32_t tid)
{
	struct thread_wait *wait = find(waits, tid);

	if (wait && (wait->out_ns || wait->in_ns))
		return wait;
	if (wait) { /* the number of a thread that has ended */
		waits->n_ended--;
		return wait;
	}
	if (waits->n_ended > FIRST_SLOTS / 4 && waits->n_ended > waits->threads.n_used / 2)
		leave_out_ended(waits);
	wait = hash_table_insert(&waits->threads, &type, hash_tid(tid), NULL);
	if (wait)
		*wait = (struct thread_wait){ .tid = tid };
	return wait;
}

uint64_t thread_waits_out(struct thread_waits *waits, int32_t tid, uint64_t time_ns)
{
	struct thread_wait *wait = tid > 0 && time_ns ? take(waits, tid) : NULL;

	if (!wait)
		return 0;
	if (time_ns < wait->in_ns) /* its return was read first */
		return wait->in_ns - time_ns;
	wait->out_ns = time_ns;
	return 0;
}

uint64_t thread_waits_in(struct thread_waits *waits, int32_t tid, uint64_t time_ns)
{
	struct thread_wait *wait = tid > 0 && time_ns ? take(waits, tid) : NULL;

	if (!wait)
		return 0;
	const uint64_t out_ns = wait->out_ns;
	wait->in_ns = time_ns;
	wait->out_ns = 0;
	return out_ns && out_ns < time_ns ? time_ns - out_ns : 0;
}

void thread_waits_end(struct thread_waits *waits, int32_t tid)
{
	struct thread_wait *wait = tid > 0 ? find(waits, tid) : NULL;

	if (!wait || (!wait->out_ns && !wait->in_ns))
		return;
	wait->out_ns = wait->in_ns = 0;
	waits->n_ended++;
}
