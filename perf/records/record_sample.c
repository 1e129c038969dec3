/*
 * Knows the order of a sample's fields: perf_output_sample() in kernel/events/core.c, documented
 * at PERF_RECORD_SAMPLE in include/uapi/linux/perf_event.h.
 */
#include "perf/records/record_sample.h"

#include "perf/records/read_values.h"
#include "perf/records/record_words.h"

#define SAMPLE_KNOWN_BITS ((1ull << 25) - 1)
/* Newer than some build machines' headers. */
#define SAMPLE_BRANCH_COUNTERS (1ull << 19)

static bool take_sample_read(struct record_cursor *cursor, uint64_t format,
			     struct sample_record *sample)
{
	struct read_values read;

	if (!read_values_take(cursor, format, &read))
		return false;
	sample->read_time_enabled = read.time_enabled;
	sample->read_time_running = read.time_running;
	sample->read_values = read.values;
	sample->n_read_values = read.n_values;
	return true;
}

static bool take_callchain(struct record_cursor *cursor, struct sample_record *sample)
{
	uint64_t n;

	if (!cursor_word(cursor, &n))
		return false;
	sample->callchain = cursor_words(cursor, n);
	sample->n_callchain = n;
	sample->has_callchain = true;
	return sample->callchain;
}

/* Raw data ends at a word, as kernels write it, where fields follow. */
static bool take_raw(struct record_cursor *cursor, uint64_t type, struct sample_record *sample)
{
	const uint64_t up_to_raw =
		RECORD_HEAD_BITS | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW;
	uint32_t size;

	if (!cursor_copy(cursor, &size, sizeof(size)))
		return false;
	sample->raw = cursor_bytes(cursor, size);
	sample->raw_size = size;
	return sample->raw && (!(type & ~up_to_raw) || cursor_is_aligned(cursor));
}

static bool take_branches(struct record_cursor *cursor, uint64_t branch_type,
			  struct sample_record *sample)
{
	enum { BRANCH_WORDS = sizeof(struct perf_branch_entry) / sizeof(uint64_t) };
	uint64_t n;

	if (!cursor_word(cursor, &n))
		return false;
	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX && !cursor_words(cursor, 1))
		return false;
	if (n > cursor_left(cursor) / sizeof(struct perf_branch_entry))
		return false;
	sample->branches = (const void *)cursor_words(cursor, n * BRANCH_WORDS);
	sample->n_branches = n;
	if (branch_type & SAMPLE_BRANCH_COUNTERS && !cursor_words(cursor, n))
		return false;
	return sample->branches;
}

static bool take_regs(struct record_cursor *cursor, uint64_t mask, struct sample_regs *regs)
{
	if (!cursor_word(cursor, &regs->abi))
		return false;
	if (regs->abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	regs->mask = mask;
	regs->values = cursor_words(cursor, (uint64_t)__builtin_popcountll(mask));
	return regs->values;
}

static bool take_user_stack(struct record_cursor *cursor, struct sample_record *sample)
{
	uint64_t space, valid;

	if (!cursor_word(cursor, &space))
		return false;
	if (!space) /* no user context: nothing follows */
		return true;
	sample->user_stack = cursor_bytes(cursor, space);
	if (!sample->user_stack || !cursor_word(cursor, &valid) || valid > space)
		return false;
	sample->user_stack_space = space;
	sample->user_stack_size = valid;
	sample->has_user_stack = true;
	return true;
}

static bool take_weight(struct record_cursor *cursor, uint64_t type, struct sample_record *sample)
{
	if (!cursor_word(cursor, &sample->weight))
		return false;
	/* WEIGHT_STRUCT: latencies beside each other, the load's own in the low half. */
	if (!(type & PERF_SAMPLE_WEIGHT))
		sample->weight &= UINT32_MAX;
	return true;
}

static bool take_stack_part(struct record_cursor *cursor, const struct record_layout *layout,
			    struct sample_record *sample)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_READ && !take_sample_read(cursor, layout->read_format, sample))
		return false;
	if (type & PERF_SAMPLE_CALLCHAIN && !take_callchain(cursor, sample))
		return false;
	if (type & PERF_SAMPLE_RAW && !take_raw(cursor, type, sample))
		return false;
	if (type & PERF_SAMPLE_BRANCH_STACK &&
	    !take_branches(cursor, layout->branch_sample_type, sample))
		return false;
	if (type & PERF_SAMPLE_REGS_USER &&
	    !take_regs(cursor, layout->regs_user_mask, &sample->user_regs))
		return false;
	sample->has_user_regs = sample->user_regs.values;
	return !(type & PERF_SAMPLE_STACK_USER) || take_user_stack(cursor, sample);
}

static bool take_memory_part(struct record_cursor *cursor, const struct record_layout *layout,
			     struct sample_record *sample)
{
	uint64_t type = layout->sample_type;
	uint64_t aux_size;

	if (type & PERF_SAMPLE_WEIGHT_TYPE && !take_weight(cursor, type, sample))
		return false;
	if (type & PERF_SAMPLE_DATA_SRC && !cursor_word(cursor, &sample->data_src))
		return false;
	if (type & PERF_SAMPLE_TRANSACTION && !cursor_word(cursor, &sample->transaction))
		return false;
	if (type & PERF_SAMPLE_REGS_INTR &&
	    !take_regs(cursor, layout->regs_intr_mask, &sample->intr_regs))
		return false;
	if (type & PERF_SAMPLE_PHYS_ADDR && !cursor_word(cursor, &sample->phys_addr))
		return false;
	if (type & PERF_SAMPLE_CGROUP && !cursor_word(cursor, &sample->cgroup))
		return false;
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE && !cursor_word(cursor, &sample->data_page_size))
		return false;
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE && !cursor_word(cursor, &sample->code_page_size))
		return false;
	if (type & PERF_SAMPLE_AUX)
		return cursor_word(cursor, &aux_size) && cursor_bytes(cursor, aux_size);
	return true;
}

enum record_error record_decode_sample(const struct record_layout *layout,
				       struct record_cursor *cursor, struct record *ret)
{
	if (!record_words_take_head(cursor, layout->sample_type, ret))
		return RECORD_TOO_SMALL;
	if (!take_stack_part(cursor, layout, &ret->sample))
		return RECORD_BAD_LENGTH;
	if (!take_memory_part(cursor, layout, &ret->sample))
		return RECORD_BAD_LENGTH;
	return layout->sample_type & ~SAMPLE_KNOWN_BITS ? RECORD_UNSUPPORTED : RECORD_OK;
}
