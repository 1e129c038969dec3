#include "collector/record/second_stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "perf/counters/second_stacks_program.h"
#include "unwind/rules/regs.h"
#include "unwind/rules/stack_memory.h"

#define BYTES_MAX (SECOND_STACK_PAGES_MAX * SECOND_STACK_PAGE)

struct waiting {
	int32_t pid, tid;
	struct second_stack_bytes header;
	size_t size;
	uint8_t bytes[BYTES_MAX]; /* from header.start on */
};

/* The second stacks of one ring, in the order of the walk. */
struct ring_waiting {
	struct waiting *stacks[STACK_SECONDS_MAX]; /* made when they are first needed */
	size_t n;
};

struct second_stacks {
	const struct evlist *evlist;
	struct stack_output *output;
	const struct arch *arch;
	struct record_layout layout;
	uint64_t n_written, n_bytes;
	uint64_t n_lost; /* their samples did not follow */
	struct ring_waiting rings[];
};

int second_stacks_create(const struct evlist *evlist, struct stack_output *output,
			 struct second_stacks **stacks_ret)
{
	size_t n_rings = evlist->second_stacks.n_ids;
	struct utsname names;

	*stacks_ret = NULL;
	if (!n_rings || uname(&names) != 0)
		return 0;
	struct second_stacks *stacks =
		calloc(1, sizeof(*stacks) + n_rings * sizeof(stacks->rings[0]));
	if (!stacks)
		return -ENOMEM;
	stacks->evlist = evlist;
	stacks->output = output;
	stacks->arch = arch_find(names.machine, PERF_SAMPLE_REGS_ABI_64);
	record_layout_init(&stacks->layout, &evlist->second_stacks.attr);
	*stacks_ret = stacks;
	return 0;
}

void second_stacks_destroy(struct second_stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; i < stacks->evlist->n_sample_rings; i++)
		for (size_t j = 0; j < STACK_SECONDS_MAX; j++)
			free(stacks->rings[i].stacks[j]);
	free(stacks);
}

static bool has_id(const struct perf_event_header *header, uint64_t id)
{
	return header->type == PERF_RECORD_SAMPLE && header->size >= sizeof(*header) + sizeof(id) &&
	       memcmp(header + 1, &id, sizeof(id)) == 0;
}

/* The bytes from @start on: whole pages from the one with @start were read. false: none. */
static bool fill(struct waiting *waiting, const struct record *record)
{
	const struct sample_record *sample = &record->sample;
	size_t header_size = sizeof(waiting->header);

	if (sample->raw_size < header_size)
		return false;
	memcpy(&waiting->header, sample->raw, header_size);
	if (waiting->header.is_saved > 1)
		return false;
	size_t size = (sample->raw_size - header_size) & ~(size_t)(SECOND_STACK_PAGE - 1);
	size_t skipped = waiting->header.start % SECOND_STACK_PAGE;
	if (size <= skipped || size > BYTES_MAX)
		return false;
	waiting->pid = record->pid;
	waiting->tid = record->tid;
	waiting->size = size - skipped;
	memcpy(waiting->bytes, sample->raw + header_size + skipped, waiting->size);
	return true;
}

static void keep(struct second_stacks *stacks, struct ring_waiting *ring,
		 const struct perf_event_header *header)
{
	struct record record;

	if (ring->n == STACK_SECONDS_MAX ||
	    record_decode(&stacks->layout, header, &record) != RECORD_OK)
		return;
	struct waiting **slot = &ring->stacks[ring->n];
	if (!*slot)
		*slot = malloc(sizeof(**slot));
	if (*slot && fill(*slot, &record))
		ring->n++;
}

bool second_stacks_take(struct second_stacks *stacks, size_t ring,
			const struct perf_event_header *header)
{
	if (!has_id(header, stacks->evlist->second_stacks.ids[ring]))
		return false;
	keep(stacks, &stacks->rings[ring], header);
	return true;
}

static bool is_of_sample(const struct second_stacks *stacks, const struct waiting *waiting,
			 const struct record *record)
{
	const struct sample_record *sample = &record->sample;
	struct regs regs;

	return stacks->arch && waiting->tid == record->tid && waiting->pid == record->pid &&
	       regs_from_perf(stacks->arch, sample->user_regs.mask, sample->user_regs.values,
			      &regs) &&
	       regs.values[stacks->arch->sp] == waiting->header.sample_sp;
}

static int write_stack(struct second_stacks *stacks, const struct waiting *waiting,
		       const struct record *record)
{
	const struct second_stack_bytes *from = &waiting->header;
	uint64_t room = from->end - from->start;
	size_t read_max = second_stacks_pages(stacks->evlist->events[0].attr.sample_stack_user) *
			  SECOND_STACK_PAGE;
	bool is_cut = waiting->size > read_max - SECOND_STACK_PAGE && room > waiting->size;
	size_t size = room < waiting->size ? room : waiting->size;
	const struct stack_record_header header = {
		.kind = from->is_saved ? STACK_RECORD_GOROUTINE : STACK_RECORD_INTERRUPTED,
		.pid = record->pid,
		.tid = record->tid,
		.time_ns = record->time_ns,
		.start = from->start,
		.end = from->start + size + is_cut,
		.size = (uint32_t)size,
	};

	stacks->n_written++;
	stacks->n_bytes += size;
	return stack_output_write(stacks->output, &header, NULL, waiting->bytes);
}

int second_stacks_see_sample(struct second_stacks *stacks, size_t ring, const struct record *record)
{
	struct ring_waiting *waiting = &stacks->rings[ring];
	int err = 0;

	for (size_t i = 0; i < waiting->n && !err; i++) {
		if (is_of_sample(stacks, waiting->stacks[i], record))
			err = write_stack(stacks, waiting->stacks[i], record);
		else
			stacks->n_lost++;
	}
	waiting->n = 0;
	return err;
}

void second_stacks_see_other(struct second_stacks *stacks, size_t ring)
{
	stacks->n_lost += stacks->rings[ring].n;
	stacks->rings[ring].n = 0;
}

void second_stacks_describe(const struct second_stacks *stacks, struct recording_notes *notes)
{
	char size[SIZE_TEXT_MAX];

	if (stacks)
		recording_notes_add(notes, true,
				    "stacks that threads had left: recorded %" PRIu64
				    " times (%s), %" PRIu64 " lost with their samples.",
				    stacks->n_written, recording_notes_size(stacks->n_bytes, size),
				    stacks->n_lost);
}
