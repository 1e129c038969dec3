#include "perf/writer/sample_build.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

#include "perf/records/record_words.h"

#define KNOWN_BITS                                                                                 \
	((uint64_t)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		    PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ |     \
		    PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER |              \
		    PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_CGROUP))
#define RECORD_MAX (UINT16_MAX & ~7u)

/* Words are only counted where there is no room. */
struct output {
	char *bytes; /* or NULL */
	size_t size;
};

static void put(struct output *output, const void *bytes, size_t size)
{
	if (output->bytes && size)
		memcpy(output->bytes + output->size, bytes, size);
	output->size += size;
}

static void put_word(struct output *output, uint64_t word)
{
	put(output, &word, sizeof(word));
}

static void put_halves(struct output *output, uint32_t low, uint32_t high)
{
	put(output, &low, sizeof(low));
	put(output, &high, sizeof(high));
}

/* In the order of the ABI. */
static void put_head(struct output *output, uint64_t type, const struct sample_parts *parts)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_word(output, parts->id);
	if (type & PERF_SAMPLE_IP)
		put_word(output, parts->ip);
	if (type & PERF_SAMPLE_TID)
		put_halves(output, (uint32_t)parts->pid, (uint32_t)parts->tid);
	if (type & PERF_SAMPLE_TIME)
		put_word(output, parts->time_ns);
	if (type & PERF_SAMPLE_ID)
		put_word(output, parts->id);
	if (type & PERF_SAMPLE_CPU)
		put_halves(output, parts->cpu, 0);
	if (type & PERF_SAMPLE_PERIOD)
		put_word(output, parts->period);
}

/* Counters are not read: a group without members, or one value of 0. */
static void put_read(struct output *output, uint64_t read_format)
{
	uint64_t words = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;

	if (!(read_format & PERF_FORMAT_GROUP))
		words = ~(uint64_t)PERF_FORMAT_GROUP;
	for (int i = __builtin_popcountll(read_format & words); i >= 0; i--)
		put_word(output, 0);
}

/* Its size is such that the words after it are aligned; the kernel's, too, includes the zeros. */
static void put_raw(struct output *output, const struct sample_parts *parts)
{
	static const char zeros[8];
	uint32_t rest = -(parts->raw_size + (uint32_t)sizeof(uint32_t)) & 7;
	uint32_t size = parts->raw_size + rest;

	put(output, &size, sizeof(size));
	put(output, parts->raw, parts->raw_size);
	put(output, zeros, rest);
}

static void put_no_branches(struct output *output, uint64_t branch_type)
{
	put_word(output, 0);
	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		put_word(output, UINT64_MAX); /* none, as in the kernel */
}

static void put_user(struct output *output, const struct record_layout *layout,
		     const struct sample_parts *parts)
{
	size_t n_regs = (size_t)__builtin_popcountll(layout->regs_user_mask);
	bool has_user = parts->abi != PERF_SAMPLE_REGS_ABI_NONE;

	if (layout->sample_type & PERF_SAMPLE_REGS_USER) {
		put_word(output, parts->abi);
		put(output, parts->regs, has_user ? n_regs * sizeof(uint64_t) : 0);
	}
	if (!(layout->sample_type & PERF_SAMPLE_STACK_USER))
		return;
	put_word(output, has_user ? parts->stack_size : 0);
	if (!has_user || !parts->stack_size)
		return;
	put(output, parts->stack, parts->stack_size);
	put_word(output, parts->stack_size);
}

static void put_sample(struct output *output, const struct record_layout *layout,
		       const struct sample_parts *parts)
{
	uint64_t type = layout->sample_type;

	output->size = sizeof(struct perf_event_header);
	put_head(output, type, parts);
	if (type & PERF_SAMPLE_READ)
		put_read(output, layout->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		put_word(output, parts->n_callchain);
		put(output, parts->callchain, parts->n_callchain * sizeof(uint64_t));
	}
	if (type & PERF_SAMPLE_RAW)
		put_raw(output, parts);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_no_branches(output, layout->branch_sample_type);
	put_user(output, layout, parts);
	if (type & PERF_SAMPLE_CGROUP)
		put_word(output, 0); /* not known */
}

size_t sample_build_stack_max(const struct record_layout *layout, const struct sample_parts *parts)
{
	struct sample_parts without = *parts;
	struct output output = { .bytes = NULL };

	without.stack_size = 0;
	put_sample(&output, layout, &without);
	output.size += sizeof(uint64_t); /* after the stack */
	return output.size < RECORD_MAX ? RECORD_MAX - output.size : 0;
}

size_t sample_build(const struct record_layout *layout, const struct sample_parts *parts,
		    void *room, size_t room_size)
{
	struct output output = { .bytes = NULL };

	put_sample(&output, layout, parts);
	if (output.size > room_size || output.size > RECORD_MAX ||
	    layout->sample_type & ~KNOWN_BITS)
		return 0;
	const struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
						  .misc = PERF_RECORD_MISC_KERNEL,
						  .size = (uint16_t)output.size };
	memcpy(room, &header, sizeof(header));
	output.bytes = room;
	put_sample(&output, layout, parts);
	return output.size;
}
