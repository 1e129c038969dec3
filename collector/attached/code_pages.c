/* Hash tables of processes and of their pages; each with its versions, newest first. Bytes stay
 * until the end. */
#include "collector/attached/code_pages.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/clock.h"
#include "cct/base/hash.h"
#include "cct/base/hash_table.h"

static_assert(CODE_PAGE_SIZE == CODE_VIEW_PAGE_SIZE, "a record holds a page of a view");
static_assert(CODE_PAGE_SIZE == MEMORY_PAGE_SIZE, "a record holds a page of memory");

#define BYTES_MAX      (256u << 20)
#define PROCESSES_BITS 4
#define PAGES_BITS     4
/* The maximum delay, about, between a sample and the reading of its page. */
#define FIRST_READING_MAX_NS NSEC_PER_SEC
/* The recorder reads pages about this often while there are samples. */
#define LAST_READING_MAX_NS 200000000u

struct block;

/* Bytes of a page, from the first reading of them to the last. */
struct version {
	uint64_t first_begin_ns, first_end_ns, last_begin_ns, last_end_ns;
	const struct block *block; /* NULL: none */
};

/* What stays as it is once it was made. */
struct block {
	struct block *next;    /* of all, to free them */
	struct version before; /* the version that this one's replaced */
	uint8_t bytes[CODE_PAGE_SIZE];
};

struct page {
	uint64_t addr;
	struct version newest; /* no block: an empty slot */
};

/* Only who holds the one reference may change it; others keep what was known when they took it. */
struct process_pages {
	atomic_uint n_refs;
	int32_t pid;
	uint16_t machine; /* EM_*; only the thread that adds pages reads and writes it */
	unsigned bits;
	size_t n_used;
	struct page slots[]; /* open addressing */
};

struct code_pages {
	struct process_pages **slots; /* open addressing */
	unsigned bits;                /* 0: no slots yet */
	size_t n_used;
	struct block *blocks;
	uint64_t n_bytes;
	bool is_stopped; /* a record is missing */
};

struct code_pages *code_pages_create(void)
{
	return calloc(1, sizeof(struct code_pages));
}

static void unref(struct process_pages *process)
{
	if (process && atomic_fetch_sub_explicit(&process->n_refs, 1, memory_order_acq_rel) == 1)
		free(process);
}

void code_pages_destroy(struct code_pages *pages)
{
	if (!pages)
		return;
	for (size_t i = 0; pages->slots && i < (size_t)1 << pages->bits; i++)
		unref(pages->slots[i]);
	while (pages->blocks) {
		struct block *block = pages->blocks;

		pages->blocks = block->next;
		free(block);
	}
	free(pages->slots);
	free(pages);
}

static size_t find_process(const struct code_pages *pages, int32_t pid)
{
	const size_t mask = ((size_t)1 << pages->bits) - 1;
	size_t i = hash_to_bits((uint32_t)pid, pages->bits);

	while (pages->slots[i] && pages->slots[i]->pid != pid)
		i = (i + 1) & mask;
	return i;
}

static size_t find_page(const struct process_pages *process, uint64_t addr)
{
	const size_t mask = ((size_t)1 << process->bits) - 1;
	size_t i = hash_to_bits(addr / CODE_PAGE_SIZE, process->bits);

	while (process->slots[i].newest.block && process->slots[i].addr != addr)
		i = (i + 1) & mask;
	return i;
}

static struct process_pages *process_create(int32_t pid, unsigned bits)
{
	struct process_pages *process;

	process = calloc(1, sizeof(*process) + (sizeof(process->slots[0]) << bits));
	if (!process)
		return NULL;
	atomic_init(&process->n_refs, 1);
	process->pid = pid;
	process->bits = bits;
	return process;
}

static int grow(struct code_pages *pages)
{
	struct code_pages bigger = { .bits = pages->bits ? pages->bits + 1 : PROCESSES_BITS };

	bigger.slots = calloc((size_t)1 << bigger.bits, sizeof(struct process_pages *));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; pages->slots && i < (size_t)1 << pages->bits; i++)
		if (pages->slots[i])
			bigger.slots[find_process(&bigger, pages->slots[i]->pid)] = pages->slots[i];
	free(pages->slots);
	pages->slots = bigger.slots;
	pages->bits = bigger.bits;
	return 0;
}

/* Replaces *@process by a copy that has room, and no other reference. */
static int copy_process(struct process_pages **process)
{
	struct process_pages *from = *process;
	bool is_full = from->n_used * 2 >= (size_t)1 << from->bits;
	struct process_pages *copy = process_create(from->pid, from->bits + is_full);

	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < (size_t)1 << from->bits; i++)
		if (from->slots[i].newest.block)
			copy->slots[find_page(copy, from->slots[i].addr)] = from->slots[i];
	copy->n_used = from->n_used;
	copy->machine = from->machine;
	unref(from);
	*process = copy;
	return 0;
}

/* The pages of a process, which may be changed and have room for one more. */
static int open_process(struct code_pages *pages, int32_t pid, struct process_pages **ret)
{
	if (!pages->slots || pages->n_used * 2 >= (size_t)1 << pages->bits) {
		int err = grow(pages);
		if (err)
			return err;
	}
	struct process_pages **process = &pages->slots[find_process(pages, pid)];
	if (!*process) {
		*process = process_create(pid, PAGES_BITS);
		pages->n_used += *process != NULL;
	} else if (atomic_load_explicit(&(*process)->n_refs, memory_order_acquire) > 1 ||
		   (*process)->n_used * 2 >= (size_t)1 << (*process)->bits) {
		int err = copy_process(process);
		if (err)
			return err;
	}
	*ret = *process;
	return *process ? 0 : -ENOMEM;
}

static int add_version(struct code_pages *pages, struct version *newest,
		       const struct code_record *record)
{
	const struct code_record_header *header = &record->header;

	if (pages->n_bytes >= BYTES_MAX)
		return -EINVAL;
	struct block *block = malloc(sizeof(*block));
	if (!block)
		return -ENOMEM;
	memcpy(block->bytes, record->bytes, CODE_PAGE_SIZE);
	block->before = *newest;
	block->next = pages->blocks;
	pages->blocks = block;
	pages->n_bytes += sizeof(*block);
	newest->first_begin_ns = newest->last_begin_ns = header->begin_ns;
	newest->first_end_ns = newest->last_end_ns = header->end_ns;
	newest->block = block;
	return 0;
}

static int add(struct code_pages *pages, const struct code_record *record)
{
	const struct code_record_header *header = &record->header;
	struct process_pages *process;

	int err = open_process(pages, header->pid, &process);
	if (err)
		return err;
	struct page *page = &process->slots[find_page(process, header->addr)];
	struct version *newest = &page->newest;
	bool is_known = newest->block;
	if (is_known && header->begin_ns < newest->last_end_ns)
		return -EINVAL;
	if (is_known &&
	    (!header->size || !memcmp(newest->block->bytes, record->bytes, CODE_PAGE_SIZE))) {
		newest->last_begin_ns = header->begin_ns;
		newest->last_end_ns = header->end_ns;
		return 0;
	}
	if (!header->size)
		return -EINVAL;
	err = add_version(pages, newest, record);
	if (err)
		return err;
	page->addr = header->addr;
	process->n_used += !is_known;
	return 0;
}

int code_pages_add(struct code_pages *pages, const struct perf_event_header *record)
{
	struct code_record decoded;

	if (pages->is_stopped)
		return -EINVAL;
	int err = code_record_decode(record, &decoded) ? add(pages, &decoded) : -EINVAL;
	pages->is_stopped = err != 0;
	return err;
}

static bool serves_later(const struct version *last, uint64_t time_ns)
{
	return last->first_end_ns <= last->last_begin_ns && last->last_end_ns <= time_ns &&
	       time_ns - last->last_end_ns <= LAST_READING_MAX_NS;
}

/* false: the page is unknown at that time. */
static bool find_bytes(const struct process_pages *process, uint64_t addr, uint64_t time_ns,
		       const uint8_t **before_ret, const uint8_t **after_ret)
{
	const struct version *last = &process->slots[find_page(process, addr)].newest;
	const struct version *next = NULL; /* the one after it */

	/* Samples come soon before the newest readings. */
	for (; last->block && last->last_begin_ns >= time_ns; last = &last->block->before)
		next = last;
	if (!next && !last->block)
		return false;
	const struct version *after = next ? next : last;
	*before_ret = *after_ret = after->block->bytes;
	if (!next)
		return serves_later(last, time_ns);
	if (next->first_end_ns <= time_ns)
		return true;
	if (next->first_begin_ns < time_ns)
		return false;
	if (last->block)
		*before_ret = last->block->bytes;
	return last->block || next->first_begin_ns - time_ns <= FIRST_READING_MAX_NS;
}

static void find_view(const struct code_source *source, uint64_t addr, struct code_view *view_ret)
{
	/* It is the first member. */
	const struct code_moment *moment = (const struct code_moment *)source;
	struct code_view view = { .start = addr & ~(uint64_t)(CODE_PAGE_SIZE - 1) };

	while (view.n_pages < CODE_VIEW_PAGES &&
	       find_bytes(moment->pages, view.start + view.n_pages * CODE_PAGE_SIZE,
			  moment->time_ns, &view.before[view.n_pages], &view.after[view.n_pages]))
		view.n_pages++;
	*view_ret = view;
}

struct code_moment code_pages_take(const struct code_pages *pages, int32_t pid, uint64_t time_ns)
{
	struct code_moment moment = { .source.find = find_view, .time_ns = time_ns };

	if (pages->slots)
		moment.pages = pages->slots[find_process(pages, pid)];
	code_moment_ref(&moment);
	return moment;
}

void code_moment_ref(const struct code_moment *moment)
{
	if (moment->pages)
		atomic_fetch_add_explicit(&moment->pages->n_refs, 1, memory_order_relaxed);
}

void code_moment_unref(struct code_moment *moment)
{
	unref(moment->pages);
	moment->pages = NULL;
}

void code_pages_set_machine(struct code_pages *pages, int32_t pid, uint16_t machine)
{
	struct process_pages *process =
		pages->slots ? pages->slots[find_process(pages, pid)] : NULL;

	if (process)
		process->machine = machine;
}

static size_t count_pages(const struct code_pages *pages)
{
	size_t n = 0;

	for (size_t i = 0; pages->slots && i < (size_t)1 << pages->bits; i++)
		n += pages->slots[i] ? pages->slots[i]->n_used : 0;
	return n;
}

/* Fills @to with the pages of a process. Returns their number. */
static size_t list_pages(const struct process_pages *process, struct memory_page *to)
{
	size_t n = 0;

	for (size_t i = 0; i < (size_t)1 << process->bits; i++) {
		const struct page *page = &process->slots[i];

		if (page->newest.block)
			to[n++] = (struct memory_page){ .addr = page->addr,
							.pid = process->pid,
							.machine = process->machine,
							.bytes = page->newest.block->bytes };
	}
	return n;
}

int code_pages_copy_newest(const struct code_pages *pages, struct memory_code *ret)
{
	struct memory_page *list = calloc(count_pages(pages) + 1, sizeof(*list));
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; pages->slots && i < (size_t)1 << pages->bits; i++)
		n += pages->slots[i] ? list_pages(pages->slots[i], list + n) : 0;
	int err = memory_code_init(ret, list, n);
	free(list);
	return err;
}

const struct code_source *code_moment_source(const struct code_moment *moment)
{
	return moment->pages ? &moment->source : NULL;
}
