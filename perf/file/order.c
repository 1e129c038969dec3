/*
 * Records are pushed in file order and stay where they lie; only small keys are sorted. The pushed
 * keys form ascending runs (the records of one ring are nearly in order), and a round's runs are
 * merged pairwise, neighbours only, which keeps equal times in file order; then the round is merged
 * with what the rounds before left over. Each record takes part in log2(runs) + 2 merges.
 *
 * "No time" is 0 or UINT64_MAX, as for perf: such a record takes the time of the one before it.
 */
#include "perf/file/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf/file/block_holds.h"

struct order_key {
	uint64_t time_ns;
	uint32_t entry;
	bool has_own_time;
};

struct order_entry {
	struct raw_record record;
	uint32_t hold;
};

enum {
	FIRST_CAPACITY = 1024,
	/* What a record costs here besides its block. */
	ENTRY_BYTES = sizeof(struct order_entry) + sizeof(struct block_hold) +
		      4 * sizeof(struct order_key) + 2 * sizeof(uint32_t),
};

/* Keys of records to hand out next; those before @head have been. */
struct order_queue {
	struct order_key *keys;
	size_t head, end;
};

/* Keys as they were pushed, and where each ascending run of them begins. */
struct order_runs {
	struct order_key *keys;
	uint32_t *starts;
	size_t n_keys, n_runs;
};

struct order {
	size_t max_bytes;
	uint64_t limit_ns;      /* what is not newer may go */
	uint64_t round_ns;      /* newest time of the rounds finished so far */
	uint64_t newest_ns;     /* pushed */
	uint64_t last_ns;       /* pushed last */
	uint64_t handed_out_ns; /* newest time handed out */
	uint64_t n_late;
	bool is_draining; /* let go early, and not below the bound since */

	/* Every array has @capacity elements. */
	size_t capacity;
	struct order_entry *entries;
	uint32_t *free_entries;
	size_t n_entries, n_free;
	struct block_holds holds;
	struct order_queue sorted, late;
	struct order_runs incoming;
	struct order_key *scratch;
};

/* The memory that counts against the bound: the blocks, and each record's part of the arrays. */
static size_t n_bytes(const struct order *order)
{
	return order->holds.n_bytes + (order->n_entries - order->n_free) * ENTRY_BYTES;
}

struct order *order_create(size_t max_pending_bytes)
{
	struct order *order = calloc(1, sizeof(*order));

	if (!order)
		return NULL;
	order->max_bytes = max_pending_bytes;
	block_holds_init(&order->holds);
	return order;
}

static void drop_keys(struct order *order, const struct order_key *keys, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++)
		data_block_unref(order->entries[keys[i].entry].record.block);
}

void order_destroy(struct order *order)
{
	if (!order)
		return;
	drop_keys(order, order->sorted.keys, order->sorted.head, order->sorted.end);
	drop_keys(order, order->incoming.keys, 0, order->incoming.n_keys);
	drop_keys(order, order->late.keys, order->late.head, order->late.end);
	free(order->entries);
	free(order->free_entries);
	block_holds_deinit(&order->holds);
	free(order->sorted.keys);
	free(order->incoming.keys);
	free(order->scratch);
	free(order->late.keys);
	free(order->incoming.starts);
	free(order);
}

static bool grow_array(void **array, size_t n, size_t element_size)
{
	void *grown = reallocarray(*array, n, element_size);

	if (grown)
		*array = grown;
	return grown;
}

/* Everything that sorting needs is allocated here, so that only a push can fail. */
static int grow(struct order *order)
{
	size_t n = order->capacity ? 2 * order->capacity : FIRST_CAPACITY;

	if (n > UINT32_MAX || !grow_array((void **)&order->entries, n, sizeof(*order->entries)) ||
	    !grow_array((void **)&order->free_entries, n, sizeof(*order->free_entries)) ||
	    block_holds_reserve(&order->holds, n) ||
	    !grow_array((void **)&order->sorted.keys, n, sizeof(*order->sorted.keys)) ||
	    !grow_array((void **)&order->incoming.keys, n, sizeof(*order->incoming.keys)) ||
	    !grow_array((void **)&order->scratch, n, sizeof(*order->scratch)) ||
	    !grow_array((void **)&order->late.keys, n, sizeof(*order->late.keys)) ||
	    !grow_array((void **)&order->incoming.starts, n, sizeof(*order->incoming.starts)))
		return -ENOMEM;
	order->capacity = n;
	return 0;
}

static uint32_t entry_create(struct order *order, const struct raw_record *record)
{
	uint32_t index =
		order->n_free ? order->free_entries[--order->n_free] : (uint32_t)order->n_entries++;

	order->entries[index] = (struct order_entry){
		.record = *record,
		.hold = block_holds_take(&order->holds, record->block),
	};
	return index;
}

static void entry_release(struct order *order, uint32_t index)
{
	block_holds_release(&order->holds, order->entries[index].hold);
	order->free_entries[order->n_free++] = index;
}

/* Equal times: @a first, for it precedes @b in the file. */
static void merge(const struct order_key *a, const struct order_key *a_end,
		  const struct order_key *b, const struct order_key *b_end, struct order_key *out)
{
	while (a < a_end && b < b_end) {
		bool is_b = b->time_ns < a->time_ns;
		*out++ = is_b ? *b : *a;
		a += !is_b;
		b += is_b;
	}
	memcpy(out, a, (size_t)(a_end - a) * sizeof(*a));
	out += a_end - a;
	memcpy(out, b, (size_t)(b_end - b) * sizeof(*b));
}

static size_t run_end(const struct order *order, size_t run)
{
	return run + 1 < order->incoming.n_runs ? order->incoming.starts[run + 1]
						: order->incoming.n_keys;
}

/* Merges neighbouring runs, half as many remain. */
static void merge_runs(struct order *order)
{
	struct order_key *from = order->incoming.keys;
	size_t n = 0;

	for (size_t run = 0; run < order->incoming.n_runs; run += 2, n++) {
		size_t begin = order->incoming.starts[run];
		size_t middle = run_end(order, run);
		size_t end = run + 1 < order->incoming.n_runs ? run_end(order, run + 1) : middle;
		merge(from + begin, from + middle, from + middle, from + end,
		      order->scratch + begin);
		order->incoming.starts[n] = (uint32_t)begin;
	}
	order->incoming.n_runs = n;
	order->incoming.keys = order->scratch;
	order->scratch = from;
}

/* From the back, where @sorted has room; equal times: @sorted first. */
static void merge_incoming_into_sorted(struct order *order)
{
	size_t a = order->sorted.end, b = order->incoming.n_keys, out = a + b;

	order->sorted.end = out;
	while (b) {
		bool is_a = a &&
			    order->sorted.keys[a - 1].time_ns > order->incoming.keys[b - 1].time_ns;
		order->sorted.keys[--out] =
			is_a ? order->sorted.keys[a - 1] : order->incoming.keys[b - 1];
		a -= is_a;
		b -= !is_a;
	}
	order->incoming.n_keys = 0;
	order->incoming.n_runs = 0;
}

static void sort_incoming(struct order *order)
{
	size_t n = order->sorted.end - order->sorted.head;

	if (!order->incoming.n_keys)
		return;
	memmove(order->sorted.keys, order->sorted.keys + order->sorted.head,
		n * sizeof(*order->sorted.keys));
	order->sorted.head = 0;
	order->sorted.end = n;
	while (order->incoming.n_runs > 1)
		merge_runs(order);
	merge_incoming_into_sorted(order);
}

static void raise_limit(struct order *order, uint64_t time_ns)
{
	if (time_ns > order->limit_ns)
		order->limit_ns = time_ns;
}

/*
 * Releases the older half. If that did not free memory the last time, because each block had a
 * record that stayed, everything is released. Waits for some new records in between, so that
 * sorting stays cheap.
 */
static void let_go_early(struct order *order)
{
	size_t n = order->sorted.end - order->sorted.head;

	if (order->incoming.n_keys <= n / 4)
		return;
	sort_incoming(order);
	raise_limit(order, order->is_draining ? order->newest_ns
					      : order->sorted.keys[order->sorted.end / 2].time_ns);
	order->is_draining = true;
}

static void append_incoming(struct order *order, struct order_key key)
{
	size_t n = order->incoming.n_keys;

	if (!n || key.time_ns < order->incoming.keys[n - 1].time_ns)
		order->incoming.starts[order->incoming.n_runs++] = (uint32_t)n;
	order->incoming.keys[order->incoming.n_keys++] = key;
}

static void append_late(struct order *order, struct order_key key)
{
	if (order->late.head == order->late.end)
		order->late.head = order->late.end = 0;
	order->late.keys[order->late.end++] = key;
}

static bool is_full(const struct order *order)
{
	size_t n = order->n_entries - order->n_free;

	return n == order->capacity || order->late.end == order->capacity;
}

int order_push(struct order *order, const struct raw_record *record, uint64_t time_ns)
{
	bool has_own_time = time_ns && time_ns != UINT64_MAX;

	if (is_full(order) && grow(order)) {
		data_block_unref(record->block);
		return -ENOMEM;
	}
	if (!has_own_time)
		time_ns = order->last_ns;
	order->last_ns = time_ns;
	if (time_ns > order->newest_ns)
		order->newest_ns = time_ns;
	struct order_key key = { time_ns, entry_create(order, record), has_own_time };
	if (time_ns < order->handed_out_ns)
		append_late(order, key);
	else
		append_incoming(order, key);
	if (n_bytes(order) > order->max_bytes)
		let_go_early(order);
	else
		order->is_draining = false;
	return 0;
}

void order_finish_round(struct order *order)
{
	sort_incoming(order);
	raise_limit(order, order->round_ns);
	order->round_ns = order->newest_ns;
}

void order_finish(struct order *order)
{
	sort_incoming(order);
	order->limit_ns = UINT64_MAX;
}

static bool next_key(struct order *order, struct order_key *ret)
{
	if (order->late.head < order->late.end) {
		*ret = order->late.keys[order->late.head++];
		return true;
	}
	if (order->sorted.head == order->sorted.end ||
	    order->sorted.keys[order->sorted.head].time_ns > order->limit_ns)
		return false;
	*ret = order->sorted.keys[order->sorted.head++];
	return true;
}

bool order_pop(struct order *order, struct raw_record *record_ret, uint64_t *time_ns_ret)
{
	struct order_key key;

	if (!next_key(order, &key))
		return false;
	if (key.time_ns < order->handed_out_ns)
		order->n_late += key.has_own_time;
	else
		order->handed_out_ns = key.time_ns;
	*record_ret = order->entries[key.entry].record;
	*time_ns_ret = key.time_ns;
	entry_release(order, key.entry);
	return true;
}

const struct raw_record *order_peek(const struct order *order, size_t index)
{
	if (index >= order->sorted.end - order->sorted.head)
		return NULL;
	return &order->entries[order->sorted.keys[order->sorted.head + index].entry].record;
}

uint64_t order_n_late(const struct order *order)
{
	return order->n_late;
}
