/* Ranges by process; pages by process and address, with a hash of what they held. */
#include "collector/record/observers/code_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/utsname.h>

#include "cct/base/clock.h"
#include "cct/base/hash.h"
#include "collector/paths/sample_path.h"
#include "perf/records/code_record.h"

#define PROCESS_BITS 10
#define PROBES       8
#define RANGES_MAX   32
#define PAGE_BITS    13
#define WANTED_MAX   512          /* pages in one round */
#define CALLERS_MAX  384          /* up to which the words on stacks may add to them */
#define BYTES_MAX    (256u << 20) /* in a recording */

struct range {
	uint64_t start, end;
	uint64_t time_ns; /* of the last mapping in it: rings are read one after the other, so what
			     an exec or exit ends may come after what begins later */
};

/* A process with code that no file holds. Ranges may hold more than that. */
struct code_process {
	int32_t pid;
	uint32_t n_ranges;    /* 0: the slot is free */
	uint64_t start, size; /* from the first to the last range */
	struct range ranges[RANGES_MAX];
};

struct page {
	uint64_t addr;
	uint64_t hash; /* of what was recorded last */
	uint32_t round;
	int32_t pid;
	bool is_recorded;
	bool is_sampled; /* in this round: its code is wanted for sure */
};

struct code_reader {
	struct data_writer *writer; /* borrowed; as an observer */
	const struct machine *machine;
	size_t n_processes;
	uint64_t n_bytes;
	uint32_t round;
	size_t n_wanted;
	struct code_reader_stats stats;
	struct page *wanted[WANTED_MAX];
	struct code_process processes[1u << PROCESS_BITS];
	struct page pages[1u << PAGE_BITS]; /* direct-mapped */
};

struct code_reader *code_reader_create(void)
{
	/* Zeroed pages are not touched before they are used. */
	struct code_reader *reader = calloc(1, sizeof(*reader));

	if (reader)
		reader->round = 1;
	return reader;
}

void code_reader_destroy(struct code_reader *reader)
{
	free(reader);
}

const struct code_reader_stats *code_reader_stats(const struct code_reader *reader)
{
	return &reader->stats;
}

static size_t probe(int32_t pid, size_t i)
{
	const size_t mask = (1u << PROCESS_BITS) - 1;
	size_t first = (uint32_t)pid * 0x9e3779b1u >> (32 - PROCESS_BITS);

	return (first + i) & mask;
}

bool code_reader_has_process(const struct code_reader *reader, int32_t pid)
{
	for (size_t i = 0; i < PROBES && reader->n_processes; i++) {
		const struct code_process *process = &reader->processes[probe(pid, i)];

		if (process->n_ranges && process->pid == pid)
			return true;
	}
	return false;
}

static struct code_process *find_process(struct code_reader *reader, int32_t pid)
{
	for (size_t i = 0; i < PROBES; i++) {
		struct code_process *process = &reader->processes[probe(pid, i)];

		if (process->n_ranges && process->pid == pid)
			return process;
	}
	return NULL;
}

/* NULL: the table is full. */
static struct code_process *add_process(struct code_reader *reader, int32_t pid)
{
	for (size_t i = 0; i < PROBES; i++) {
		struct code_process *process = &reader->processes[probe(pid, i)];

		if (process->n_ranges)
			continue;
		process->pid = pid;
		reader->n_processes++;
		return process;
	}
	reader->stats.n_missed++;
	return NULL;
}

static void set_bounds(struct code_process *process)
{
	uint64_t start = UINT64_MAX, end = 0;

	for (uint32_t i = 0; i < process->n_ranges; i++) {
		const struct range *range = &process->ranges[i];

		start = range->start < start ? range->start : start;
		end = range->end > end ? range->end : end;
	}
	process->start = start;
	process->size = process->n_ranges ? end - start : 0;
}

/* What was mapped up to that time is gone. */
static void drop_ranges(struct code_reader *reader, int32_t pid, uint64_t time_ns)
{
	struct code_process *process = find_process(reader, pid);
	uint32_t n = 0;

	if (!process)
		return;
	for (uint32_t i = 0; i < process->n_ranges; i++) {
		if (process->ranges[i].time_ns > time_ns)
			process->ranges[n++] = process->ranges[i];
	}
	process->n_ranges = n;
	set_bounds(process);
	reader->n_processes -= !n;
}

static uint64_t distance(const struct range *range, const struct range *other)
{
	if (other->start > range->end)
		return other->start - range->end;
	return other->end < range->start ? range->start - other->end : 0;
}

/* If the table of ranges is full, the nearest range grows. */
static void add_range(struct code_process *process, const struct range *added)
{
	struct range *nearest = NULL;

	for (uint32_t i = 0; i < process->n_ranges; i++) {
		struct range *range = &process->ranges[i];

		if (!nearest || distance(range, added) < distance(nearest, added))
			nearest = range;
	}
	if (!nearest || (process->n_ranges < RANGES_MAX && distance(nearest, added))) {
		process->ranges[process->n_ranges++] = *added;
		return;
	}
	nearest->start = added->start < nearest->start ? added->start : nearest->start;
	nearest->end = added->end > nearest->end ? added->end : nearest->end;
	nearest->time_ns = added->time_ns > nearest->time_ns ? added->time_ns : nearest->time_ns;
}

void code_reader_see_mapping(struct code_reader *reader, int32_t pid, uint64_t start, uint64_t end,
			     uint64_t time_ns)
{
	const struct range range = { start, end, time_ns };
	struct code_process *process = find_process(reader, pid);

	if (start >= end)
		return;
	if (!process)
		process = add_process(reader, pid);
	if (!process)
		return;
	add_range(process, &range);
	set_bounds(process);
}

static void copy_process(struct code_reader *reader, int32_t from, int32_t to, uint64_t time_ns)
{
	const struct code_process *parent = find_process(reader, from);

	drop_ranges(reader, to, time_ns);
	for (uint32_t i = 0; parent && i < parent->n_ranges; i++)
		code_reader_see_mapping(reader, to, parent->ranges[i].start, parent->ranges[i].end,
					time_ns);
}

void code_reader_see_record(struct code_reader *reader, const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_COMM:
		if (record->comm.is_exec)
			drop_ranges(reader, record->comm.pid, record->time_ns);
		break;
	case PERF_RECORD_FORK:
		if (record->task.pid != record->task.ppid)
			copy_process(reader, record->task.ppid, record->task.pid, record->time_ns);
		break;
	case PERF_RECORD_EXIT:
		if (record->task.pid == record->task.tid)
			drop_ranges(reader, record->task.pid, record->time_ns);
		break;
	}
}

static bool has_address(const struct code_process *process, uint64_t addr)
{
	for (uint32_t i = 0; i < process->n_ranges; i++)
		if (addr - process->ranges[i].start <
		    process->ranges[i].end - process->ranges[i].start)
			return true;
	return false;
}

/* The slot of a page: its own, or that of the one which was not wanted for longest. NULL: all are
 * of this round. */
static struct page *find_page(struct code_reader *reader, int32_t pid, uint64_t addr)
{
	const uint64_t key = addr / CODE_PAGE_SIZE ^ (uint64_t)(uint32_t)pid << 40;
	const size_t first = hash_to_bits(key, PAGE_BITS), mask = (1u << PAGE_BITS) - 1;
	struct page *oldest = NULL;

	for (size_t i = 0; i < PROBES; i++) {
		struct page *page = &reader->pages[(first + i) & mask];

		if (page->addr == addr && page->pid == pid && page->round)
			return page;
		if (page->round != reader->round && (!oldest || page->round < oldest->round))
			oldest = page;
	}
	if (oldest)
		*oldest = (struct page){ .addr = addr, .pid = pid };
	return oldest;
}

/* @max: of pages in the round. */
static void want(struct code_reader *reader, int32_t pid, uint64_t addr, size_t max,
		 bool is_sampled)
{
	struct page *page = find_page(reader, pid, addr);

	if (page && page->round == reader->round) {
		page->is_sampled |= is_sampled;
		return;
	}
	if (!page || reader->n_wanted >= max) {
		reader->stats.n_missed++;
		return;
	}
	page->is_sampled = is_sampled;
	page->round = reader->round;
	reader->wanted[reader->n_wanted++] = page;
}

/* The page at @pc, and the next one, where the function may go on. */
static void want_code(struct code_reader *reader, const struct code_process *process, uint64_t pc,
		      size_t max, bool is_sampled)
{
	uint64_t addr = pc & ~(uint64_t)(CODE_PAGE_SIZE - 1);

	want(reader, process->pid, addr, max, is_sampled);
	if (has_address(process, addr + CODE_PAGE_SIZE))
		want(reader, process->pid, addr + CODE_PAGE_SIZE, max, is_sampled);
}

void code_reader_see_sample(struct code_reader *reader, int32_t pid, uint64_t pc)
{
	const struct code_process *process = find_process(reader, pid);

	if (process && has_address(process, pc))
		want_code(reader, process, pc, WANTED_MAX, true);
}

void code_reader_see_stack(struct code_reader *reader, int32_t pid, const void *bytes, size_t size)
{
	const struct code_process *process = find_process(reader, pid);
	uint64_t last_page = 0, word;

	for (size_t at = 0; process && at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, (const uint8_t *)bytes + at, sizeof(word));
		/* The byte before a return address is the call's. */
		word--;
		if (word - process->start >= process->size || word / CODE_PAGE_SIZE == last_page ||
		    !has_address(process, word))
			continue;
		last_page = word / CODE_PAGE_SIZE;
		want_code(reader, process, word, CALLERS_MAX, false);
	}
}

static uint64_t hash_page(const uint8_t *bytes)
{
	uint64_t hash = 0, word;

	for (size_t i = 0; i < CODE_PAGE_SIZE; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 32;
	}
	return hash;
}

static bool read_page(const struct page *page, void *bytes)
{
	struct iovec to = { bytes, CODE_PAGE_SIZE };
	struct iovec from = { .iov_len = CODE_PAGE_SIZE };

	memcpy(&from.iov_base, &page->addr, sizeof(from.iov_base));
	return process_vm_readv(page->pid, &to, 1, &from, 1, 0) == CODE_PAGE_SIZE;
}

static int record_page(struct code_reader *reader, struct data_writer *writer, struct page *page)
{
	struct code_record_header header = { .pid = page->pid, .addr = page->addr };
	void *room;

	int err = data_writer_reserve(writer, CODE_RECORD_SIZE_MAX, &room);
	if (err)
		return err;
	header.begin_ns = now_ns();
	bool has_room = reader->n_bytes < BYTES_MAX;
	if (!has_room || !read_page(page, code_record_bytes(room))) {
		/* A word on a stack may be a return address to what is long gone. */
		reader->stats.n_missed += !has_room || page->is_sampled;
		page->is_recorded = false;
		return 0;
	}
	header.end_ns = now_ns();
	uint64_t hash = hash_page(code_record_bytes(room));
	if (!page->is_recorded || page->hash != hash) {
		header.size = CODE_PAGE_SIZE;
		reader->stats.n_pages++;
		reader->n_bytes += CODE_PAGE_SIZE;
	}
	page->is_recorded = true;
	page->hash = hash;
	code_record_encode(&header, room);
	return data_writer_commit(writer);
}

int code_reader_end_round(struct code_reader *reader, struct data_writer *writer)
{
	int err = 0;

	for (size_t i = 0; i < reader->n_wanted && !err; i++)
		err = record_page(reader, writer, reader->wanted[i]);
	reader->n_wanted = 0;
	if (!++reader->round)
		reader->round = 1;
	return err;
}

static int begin(const struct observed_recording *recording, void **state)
{
	struct utsname name;

	if (!recording->has_known_clock)
		return 0;
	struct code_reader *reader = code_reader_create();
	if (!reader)
		return -ENOMEM;
	reader->writer = recording->writer;
	reader->machine = uname(&name) == 0 ? machine_find(name.machine) : NULL;
	*state = reader;
	return 0;
}

static void destroy(void *state)
{
	code_reader_destroy(state);
}

static void see_mapping(void *state, const struct observed_mapping *mapping,
			struct build_id *build_id)
{
	(void)build_id;
	if (observed_mapping_is_anonymous_code(mapping))
		code_reader_see_mapping(state, mapping->pid, mapping->start, mapping->end,
					mapping->time_ns);
}

static void see_new_mapping(void *state, const struct observed_mapping *mapping)
{
	see_mapping(state, mapping, NULL);
}

static int see_sideband(void *state, const struct record *record)
{
	code_reader_see_record(state, record);
	return 0;
}

static int see_sample(void *state, const struct record *record)
{
	struct code_reader *reader = state;
	const struct sample_record *sample = &record->sample;
	uint64_t pc;

	if (!code_reader_has_process(reader, record->pid) ||
	    !sample_user_pc(record, reader->machine, &pc))
		return 0;
	code_reader_see_sample(reader, record->pid, pc);
	if (sample->user_stack)
		code_reader_see_stack(reader, record->pid, sample->user_stack,
				      sample->user_stack_size);
	return 0;
}

static int end_round(void *state, const struct observed_round *round)
{
	struct code_reader *reader = state;

	(void)round;
	return code_reader_end_round(reader, reader->writer);
}

static void advise(const void *state, struct recording_notes *notes)
{
	uint64_t n_missed = code_reader_stats(state)->n_missed;

	if (n_missed)
		recording_notes_add_counted(notes, false, n_missed,
					    "{page|pages} of code made at run time could not be "
					    "read: samples there may have no callers.");
}

const struct recording_observer code_reader_observer = {
	.name = "anonymous code",
	.begin = begin,
	.destroy = destroy,
	.see_mapping = see_mapping,
	.see_new_mapping = see_new_mapping,
	.see_sideband = see_sideband,
	.see_sample = see_sample,
	.end_round = end_round,
	.advise = advise,
};
