/*
 * Records are pushed in file order and stay where they lie; only small keys are sorted. What comes
 * in forms ascending runs (the records of one ring are nearly in order), and a round's runs are
 * merged pairwise, neighbours only, which keeps equal times in file order; then the round is
 * merged with what the rounds before left over. Each record takes part in log2(runs) + 2 merges.
 *
 * "No time" is 0 or UINT64_MAX, as for perf: such a record takes the time of the one before it.
 */
#include "perf/file/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct order_key {
	uint64_t time_ns;
	uint32_t entry;
	bool has_own_time;
};

struct order_entry {
	struct raw_record record;
	uint32_t hold;
};

/* A block that some entries point into; it counts against the bound until the last one leaves. */
struct order_hold {
	struct data_block *block; /* NULL: free, then @n_entries is the next free one */
	uint32_t n_entries;
};

enum {
	FIRST_CAPACITY = 1024,
	N_RECENT_HOLDS = 4, /* a file's records come from very few blocks at a time */
	NO_HOLD = -1,
	/* What a record costs here besides its block. */
	ENTRY_BYTES = sizeof(struct order_entry) + sizeof(struct order_hold) +
		      4 * sizeof(struct order_key) + 2 * sizeof(uint32_t),
};

struct order {
	size_t max_bytes, n_bytes;
	uint64_t limit_ns;      /* what is not newer may go */
	uint64_t round_ns;      /* newest time of the rounds finished so far */
	uint64_t newest_ns;     /* pushed */
	uint64_t last_ns;       /* pushed last */
	uint64_t handed_out_ns; /* newest time handed out */
	uint64_t n_late;
	bool is_draining; /* let go early, and not below the bound since */

	/* Arrays of @capacity elements. */
	size_t capacity;
	struct order_entry *entries;
	uint32_t *free_entries;
	struct order_hold *holds;
	struct order_key *sorted, *incoming, *scratch, *late;
	uint32_t *runs; /* where in @incoming each ascending run begins */

	size_t n_entries, n_free;
	size_t sorted_head, n_sorted; /* n_sorted: end of the array's used part */
	size_t n_incoming, n_runs;
	size_t late_head, n_late_waiting;
	uint32_t n_holds;
	int64_t free_hold;
	int64_t recent_holds[N_RECENT_HOLDS];
	unsigned next_recent;
};

struct order *order_create(size_t max_pending_bytes)
{
	struct order *order = calloc(1, sizeof(*order));

	if (!order)
		return NULL;
	order->max_bytes = max_pending_bytes;
	order->free_hold = NO_HOLD;
	for (size_t i = 0; i < N_RECENT_HOLDS; i++)
		order->recent_holds[i] = NO_HOLD;
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
	drop_keys(order, order->sorted, order->sorted_head, order->n_sorted);
	drop_keys(order, order->incoming, 0, order->n_incoming);
	drop_keys(order, order->late, order->late_head, order->n_late_waiting);
	free(order->entries);
	free(order->free_entries);
	free(order->holds);
	free(order->sorted);
	free(order->incoming);
	free(order->scratch);
	free(order->late);
	free(order->runs);
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
	    !grow_array((void **)&order->holds, n, sizeof(*order->holds)) ||
	    !grow_array((void **)&order->sorted, n, sizeof(*order->sorted)) ||
	    !grow_array((void **)&order->incoming, n, sizeof(*order->incoming)) ||
	    !grow_array((void **)&order->scratch, n, sizeof(*order->scratch)) ||
	    !grow_array((void **)&order->late, n, sizeof(*order->late)) ||
	    !grow_array((void **)&order->runs, n, sizeof(*order->runs)))
		return -ENOMEM;
	order->capacity = n;
	return 0;
}

static uint32_t hold_create(struct order *order, struct data_block *block)
{
	uint32_t index;

	if (order->free_hold == NO_HOLD) {
		index = order->n_holds++;
	} else {
		index = (uint32_t)order->free_hold;
		uint32_t next = order->holds[index].n_entries;
		order->free_hold = next == UINT32_MAX ? NO_HOLD : (int64_t)next;
	}
	order->holds[index] = (struct order_hold){ .block = block };
	order->n_bytes += block->size;
	order->recent_holds[order->next_recent++ % N_RECENT_HOLDS] = index;
	return index;
}

static uint32_t hold_block(struct order *order, struct data_block *block)
{
	uint32_t index;

	for (size_t i = 0; i < N_RECENT_HOLDS; i++) {
		int64_t recent = order->recent_holds[i];
		if (recent != NO_HOLD && order->holds[recent].block == block) {
			order->holds[recent].n_entries++;
			return (uint32_t)recent;
		}
	}
	index = hold_create(order, block);
	order->holds[index].n_entries = 1;
	return index;
}

static void hold_release(struct order *order, uint32_t index)
{
	struct order_hold *hold = &order->holds[index];

	if (--hold->n_entries)
		return;
	order->n_bytes -= hold->block->size;
	hold->block = NULL;
	hold->n_entries = order->free_hold == NO_HOLD ? UINT32_MAX : (uint32_t)order->free_hold;
	order->free_hold = index;
}

static uint32_t entry_create(struct order *order, const struct raw_record *record)
{
	uint32_t index =
		order->n_free ? order->free_entries[--order->n_free] : (uint32_t)order->n_entries++;

	order->entries[index] = (struct order_entry){
		.record = *record,
		.hold = hold_block(order, record->block),
	};
	order->n_bytes += ENTRY_BYTES;
	return index;
}

static void entry_release(struct order *order, uint32_t index)
{
	hold_release(order, order->entries[index].hold);
	order->free_entries[order->n_free++] = index;
	order->n_bytes -= ENTRY_BYTES;
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
	return run + 1 < order->n_runs ? order->runs[run + 1] : order->n_incoming;
}

/* Merges neighbouring runs, half as many remain. */
static void merge_runs(struct order *order)
{
	struct order_key *from = order->incoming;
	size_t n = 0;

	for (size_t run = 0; run < order->n_runs; run += 2, n++) {
		size_t begin = order->runs[run];
		size_t middle = run_end(order, run);
		size_t end = run + 1 < order->n_runs ? run_end(order, run + 1) : middle;
		merge(from + begin, from + middle, from + middle, from + end,
		      order->scratch + begin);
		order->runs[n] = (uint32_t)begin;
	}
	order->n_runs = n;
	order->incoming = order->scratch;
	order->scratch = from;
}

/* From the back, where @sorted has room; equal times: @sorted first. */
static void merge_incoming_into_sorted(struct order *order)
{
	size_t a = order->n_sorted, b = order->n_incoming, out = a + b;

	order->n_sorted = out;
	while (b) {
		bool is_a = a && order->sorted[a - 1].time_ns > order->incoming[b - 1].time_ns;
		order->sorted[--out] = is_a ? order->sorted[a - 1] : order->incoming[b - 1];
		a -= is_a;
		b -= !is_a;
	}
	order->n_incoming = 0;
	order->n_runs = 0;
}

static void sort_incoming(struct order *order)
{
	size_t n = order->n_sorted - order->sorted_head;

	if (!order->n_incoming)
		return;
	memmove(order->sorted, order->sorted + order->sorted_head, n * sizeof(*order->sorted));
	order->sorted_head = 0;
	order->n_sorted = n;
	while (order->n_runs > 1)
		merge_runs(order);
	merge_incoming_into_sorted(order);
}

static void raise_limit(struct order *order, uint64_t time_ns)
{
	if (time_ns > order->limit_ns)
		order->limit_ns = time_ns;
}

/*
 * The older half goes. If that did not help the last time, because each block holds a record that
 * stayed, everything goes. Waits for some new records between, so that sorting stays cheap.
 */
static void let_go_early(struct order *order)
{
	size_t n = order->n_sorted - order->sorted_head;

	if (order->n_incoming <= n / 4)
		return;
	sort_incoming(order);
	raise_limit(order, order->is_draining ? order->newest_ns
					      : order->sorted[order->n_sorted / 2].time_ns);
	order->is_draining = true;
}

static void append_incoming(struct order *order, struct order_key key)
{
	size_t n = order->n_incoming;

	if (!n || key.time_ns < order->incoming[n - 1].time_ns)
		order->runs[order->n_runs++] = (uint32_t)n;
	order->incoming[order->n_incoming++] = key;
}

static void append_late(struct order *order, struct order_key key)
{
	if (order->late_head == order->n_late_waiting)
		order->late_head = order->n_late_waiting = 0;
	order->late[order->n_late_waiting++] = key;
}

static bool is_full(const struct order *order)
{
	size_t n = order->n_entries - order->n_free;

	return n == order->capacity || order->n_late_waiting == order->capacity;
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
	if (order->n_bytes > order->max_bytes)
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
	if (order->late_head < order->n_late_waiting) {
		*ret = order->late[order->late_head++];
		return true;
	}
	if (order->sorted_head == order->n_sorted ||
	    order->sorted[order->sorted_head].time_ns > order->limit_ns)
		return false;
	*ret = order->sorted[order->sorted_head++];
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
	if (index >= order->n_sorted - order->sorted_head)
		return NULL;
	return &order->entries[order->sorted[order->sorted_head + index].entry].record;
}

uint64_t order_n_late(const struct order *order)
{
	return order->n_late;
}
