#include "collector/record/drain.h"

#include <string.h>

#include "perf/kernel/passing_symbols.h"
#include "perf/records/record_ids.h"
#include "perf/records/record_words.h"
#include "perf/records/sample_trim.h"

/* The approximate number of bytes that one round reads. */
#define ROUND_MAX (8u << 20)
/* Space in a ring is returned to the kernel each time this much was read. */
#define RELEASE_SIZE (512u << 10)
/* Bytes that observers may write in one round: while they read and compress, the rings fill. */
#define WAITING_ROUND_MAX (8u << 20)

void drain_init(struct drain *drain, struct evlist *evlist, struct data_writer *writer,
		const struct stack_output *stack_output, struct recording_observers *observers,
		struct second_stacks *second_stacks)
{
	const struct perf_event_attr *attr = &evlist->events[0].attr;

	*drain = (struct drain){ .evlist = evlist,
				 .writer = writer,
				 .stack_output = stack_output,
				 .observers = observers,
				 .second_stacks = second_stacks };
	record_layout_init(&drain->sample_layout, attr);
	record_layout_init(&drain->sideband_layout, &evlist->events[evlist->n_events].attr);
	for (size_t i = 1; i < evlist->n_events; i++)
		if (evlist->events[i].attr.sample_type != attr->sample_type)
			drain->has_mixed_layouts = true;
	drain->has_known_clock = attr->use_clockid && attr->clockid == CLOCK_MONOTONIC;
}

/* Layouts differ only after the identifier; samples of mixed layouts begin with it. */
static struct record_layout layout_of(const struct drain *drain,
				      const struct perf_event_header *header)
{
	struct record_layout layout = drain->sample_layout;
	uint64_t id;

	if (!drain->has_mixed_layouts || header->size < sizeof(*header) + sizeof(id))
		return layout;
	memcpy(&id, header + 1, sizeof(id));
	size_t event = evlist_find_event(drain->evlist, evlist_listed_id(drain->evlist, id));
	if (event != SIZE_MAX)
		record_layout_init(&layout, &drain->evlist->events[event].attr);
	return layout;
}

/* 0: it has none. */
static uint64_t time_of(const struct drain *drain, const struct perf_event_header *header)
{
	const struct record_layout *layout = header->type == PERF_RECORD_SAMPLE
						     ? &drain->sample_layout
						     : &drain->sideband_layout;
	uint64_t time_ns;

	return record_peek_time(layout, header, &time_ns) ? time_ns : 0;
}

static uint64_t oldest_time(const struct drain *drain, struct ring *rings, size_t n_rings,
			    uint64_t oldest)
{
	for (size_t i = 0; i < n_rings; i++) {
		const struct perf_event_header *header = ring_look(&rings[i]);
		uint64_t time_ns = header ? time_of(drain, header) : UINT64_MAX;

		oldest = time_ns < oldest ? time_ns : oldest;
	}
	return oldest;
}

/* The newest time of all records written. */
static uint64_t newest_time(const struct drain *drain)
{
	uint64_t newest = drain->stack_output->newest_ns;

	return newest > drain->newest_ns ? newest : drain->newest_ns;
}

/* The time up to which this round reads: all records, unless they are too many, but at least the
 * oldest record. */
static uint64_t round_end(const struct drain *drain, uint64_t n_waiting)
{
	const struct evlist *evlist = drain->evlist;
	uint64_t now = now_ns();

	if (n_waiting <= ROUND_MAX || !drain->has_known_clock)
		return UINT64_MAX;
	uint64_t oldest = oldest_time(drain, evlist->sample_rings, evlist->n_sample_rings, now);
	oldest = oldest_time(drain, evlist->sideband_rings, evlist->n_sideband_rings, oldest);
	if (!oldest)
		return UINT64_MAX;
	uint64_t end = oldest + (now - oldest) / (n_waiting / ROUND_MAX + 1);
	uint64_t needed = newest_time(drain) + RING_DISORDER_NS;
	return end > needed ? end : needed;
}

/* Records that observers write about a sample precede it, and last of all its second stacks. */
static int see_sample(struct drain *drain, size_t ring, const struct record_layout *layout,
		      const struct perf_event_header *header)
{
	struct record record;

	if ((!drain->second_stacks && !recording_observers_see_samples(drain->observers)) ||
	    record_decode(layout, header, &record) != RECORD_OK)
		return 0;
	if (drain->memory)
		record.sample.memory = ring_memory_of_sample(drain->memory, ring, &record);
	int err = recording_observers_see_sample(drain->observers, &record);
	if (!err && drain->second_stacks)
		err = second_stacks_see_sample(drain->second_stacks, ring, &record);
	return err;
}

/* Which event's sample it is. With one event, samples may have no identifier. */
static void see_event(struct drain *drain, const struct record_layout *layout,
		      const struct perf_event_header *header)
{
	const struct evlist *evlist = drain->evlist;
	size_t event = 0;
	uint64_t id;

	if (evlist->n_events > 1) {
		if (!record_peek_id(layout->sample_type, layout->sample_id_all, header, &id))
			return;
		event = evlist_find_event(evlist, evlist_listed_id(evlist, id));
	}
	if (event != SIZE_MAX)
		dump_conditions_see_sample(drain->conditions, event);
}

/* What waits for a sample of the ring has lost it. */
static void see_other(struct drain *drain, size_t ring)
{
	if (drain->second_stacks)
		second_stacks_see_other(drain->second_stacks, ring);
	if (drain->memory)
		ring_memory_see_other(drain->memory, ring);
}

/* Nor do observers see the sample: what they would add is more than the stack. Returns 0. */
static int leave_stack_out(struct drain *drain, size_t ring, struct sample_trim *trim)
{
	drain->n_left_out += sample_trim_leave_stack_out(trim);
	see_other(drain, ring);
	return 0;
}

static uint64_t listed_id(const void *evlist, uint64_t id)
{
	return evlist_listed_id(evlist, id);
}

/* In the recording, a counter that was opened again has the id of the counter that it replaced. */
static void list_ids(const struct drain *drain, const struct record_layout *layout,
		     struct perf_event_header *header)
{
	const struct record_id_map map = { listed_id, drain->evlist };

	if (drain->evlist->has_reopened)
		record_map_ids(layout, header, &map);
}

static int write_sample(struct drain *drain, size_t ring, const struct perf_event_header *header)
{
	struct record_layout layout = layout_of(drain, header);
	struct sample_trim trim;
	void *room;

	drain->n_samples++;
	if (drain->conditions && drain->conditions->has_events)
		see_event(drain, &layout, header);
	sample_trim_init(&trim, &layout, header);
	int err = drain->leaves_stacks ? leave_stack_out(drain, ring, &trim)
				       : see_sample(drain, ring, &layout, header);
	if (!err)
		err = data_writer_reserve(drain->writer, trim.size, &room);
	if (err)
		return err;
	sample_trim_copy(&trim, room);
	list_ids(drain, &layout, room);
	return data_writer_commit(drain->writer);
}

/* PERF_RECORD_LOST: the id, then the number of lost records. */
static uint64_t lost_count(const struct perf_event_header *header)
{
	const uint64_t *body = (const uint64_t *)(header + 1);

	return header->size >= sizeof(*header) + 16 ? body[1] : 0;
}

static int note_process(struct int_list *pids, const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP2:
		return int_list_insert(pids, record->mmap.pid);
	case PERF_RECORD_COMM:
		return int_list_insert(pids, record->comm.pid);
	case PERF_RECORD_FORK:
		return int_list_insert(pids, record->task.pid);
	case PERF_RECORD_EXIT:
		if (record->task.pid == record->task.tid)
			int_list_remove(pids, record->task.pid);
		return 0;
	default:
		return 0;
	}
}

static int see_sideband(struct drain *drain, const struct perf_event_header *header)
{
	struct record record;

	if (record_decode(&drain->sideband_layout, header, &record) != RECORD_OK)
		return 0;
	int err = drain->live_pids ? note_process(drain->live_pids, &record) : 0;
	if (drain->conditions && record.type == PERF_RECORD_EXIT)
		dump_conditions_see_thread(drain->conditions, &record);
	return err ? err : recording_observers_see_sideband(drain->observers, &record);
}

/* Layouts of mixed samples have the same trailers. Readers look for these at the record's end. */
static int copy_record(struct drain *drain, const struct perf_event_header *header,
		       bool is_sideband)
{
	const struct record_layout *layout =
		is_sideband ? &drain->sideband_layout : &drain->sample_layout;
	const size_t size = record_written_size(layout->sample_type, layout->sample_id_all, header);
	void *room;
	int err = data_writer_reserve(drain->writer, size, &room);

	if (err)
		return err;
	memcpy(room, header, size);
	((struct perf_event_header *)room)->size = (uint16_t)size;
	list_ids(drain, layout, room);
	return data_writer_commit(drain->writer);
}

static void see_switch(struct drain *drain, const struct perf_event_header *header)
{
	struct record record;

	if (drain->conditions &&
	    record_decode(&drain->sideband_layout, header, &record) == RECORD_OK)
		dump_conditions_see_thread(drain->conditions, &record);
}

/* Whether @name, of a BPF program, is that of one that lists the kernel's symbols. */
static bool is_symbols_program(const char *name)
{
	const size_t size = strlen(name), own_size = strlen("_" PASSING_SYMBOLS_PROGRAM);

	return size >= own_size && strcmp(name + size - own_size, "_" PASSING_SYMBOLS_PROGRAM) == 0;
}

static void see_code_change(struct drain *drain, const struct perf_event_header *header)
{
	struct record record;

	if (record_decode(&drain->sideband_layout, header, &record) != RECORD_OK ||
	    record.ksymbol.ksym_type != PERF_RECORD_KSYMBOL_TYPE_BPF ||
	    !is_symbols_program(record.ksymbol.name))
		drain->n_code_changes++;
}

static int write_record(struct drain *drain, const struct perf_event_header *header,
			bool is_sideband)
{
	int err = 0;

	switch (header->type) {
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		err = see_sideband(drain, header);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		see_switch(drain, header);
		break;
	case PERF_RECORD_KSYMBOL:
		see_code_change(drain, header);
		break;
	case PERF_RECORD_THROTTLE:
		drain->n_throttled++;
		break;
	case PERF_RECORD_LOST:
		*(is_sideband ? &drain->n_lost_sideband : &drain->n_lost) += lost_count(header);
		break;
	}
	return err ? err : copy_record(drain, header, is_sideband);
}

static int take_record(struct drain *drain, const struct ring *ring,
		       const struct perf_event_header *header, bool is_sideband)
{
	if (is_sideband)
		return write_record(drain, header, true);
	size_t index = (size_t)(ring - drain->evlist->sample_rings);
	if (drain->memory && ring_memory_take(drain->memory, index, header))
		return 0;
	if (drain->second_stacks && second_stacks_take(drain->second_stacks, index, header))
		return 0;
	if (header->type == PERF_RECORD_SAMPLE)
		return write_sample(drain, index, header);
	see_other(drain, index);
	return write_record(drain, header, false);
}

/* Reads a ring up to the first record newer than @end_ns. */
static int drain_ring(struct drain *drain, struct ring *ring, bool is_sideband, uint64_t end_ns)
{
	uint64_t released = ring->tail;
	int err = 0;

	while (!err && ring->tail != ring->head) {
		const struct perf_event_header *header = ring_look(ring);
		if (!header) {
			drain->n_corrupt_rings++;
			ring->tail = ring->head;
			break;
		}
		const uint64_t time_ns = time_of(drain, header);
		if (time_ns > end_ns)
			break;
		ring->tail += header->size;
		if (time_ns > drain->newest_ns)
			drain->newest_ns = time_ns;
		err = take_record(drain, ring, header, is_sideband);
		if (ring->tail - released >= RELEASE_SIZE) {
			ring_end(ring);
			released = ring->tail;
		}
	}
	ring_end(ring);
	return err;
}

static int drain_rings(struct drain *drain, uint64_t end_ns)
{
	struct evlist *evlist = drain->evlist;
	int err = 0;

	for (size_t i = 0; i < evlist->n_sideband_rings && !err; i++)
		err = drain_ring(drain, &evlist->sideband_rings[i], true, end_ns);
	if (!err)
		err = recording_observers_write_waiting(drain->observers, WAITING_ROUND_MAX);
	for (size_t i = 0; i < evlist->n_sample_rings && !err; i++)
		err = drain_ring(drain, &evlist->sample_rings[i], false, end_ns);
	return err;
}

int drain_round(struct drain *drain)
{
	static const struct perf_event_header finished = { .type = RECORD_FINISHED_ROUND,
							   .size = sizeof(finished) };
	struct evlist *evlist = drain->evlist;
	uint64_t began_ns = now_ns(), n_waiting = 0;

	/* The sideband later, so that the mappings of samples come in the same round at the latest.
	 */
	for (size_t i = 0; i < evlist->n_sample_rings; i++)
		n_waiting += ring_begin(&evlist->sample_rings[i]);
	for (size_t i = 0; i < evlist->n_sideband_rings; i++)
		n_waiting += ring_begin(&evlist->sideband_rings[i]);
	struct observed_round round = {
		.began_ns = began_ns,
		.end_ns = n_waiting ? round_end(drain, n_waiting) : UINT64_MAX,
	};
	round.is_behind = drain->is_behind = round.end_ns != UINT64_MAX;
	drain->read_ns = round.is_behind ? round.end_ns : began_ns;
	/* What happened before a sample that is read is known now. */
	int err = recording_observers_begin_round(drain->observers, &round);
	if (!n_waiting)
		return err;
	if (!err)
		err = drain_rings(drain, round.end_ns);
	int end_err = recording_observers_end_round(drain->observers, &round);
	err = err ? err : end_err;
	if (!err)
		err = data_writer_append(drain->writer, &finished, sizeof(finished));
	return err ? err : 1;
}

int drain_up_to_now(struct drain *drain)
{
	const uint64_t present_ns = now_ns();
	int more;

	do
		more = drain_round(drain);
	while (more > 0 && drain->read_ns < present_ns);
	return more;
}

int drain_all(struct drain *drain)
{
	int more;

	do
		more = drain_round(drain);
	while (more > 0);
	return more;
}

void drain_redirect(struct drain *drain, struct data_writer *writer,
		    struct recording_observers *observers)
{
	drain->writer = writer;
	drain->observers = observers;
}
