/* A hash table of pages; each with its versions in the order of time. Bytes stay until the end. */
#include "collector/attached/code_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static_assert(CODE_PAGE_SIZE == CODE_VIEW_PAGE_SIZE, "a record holds a page of a view");

#define BYTES_MAX (256u << 20)
/* A sample is read about this late, at most. */
#define FIRST_READING_MAX_NS 1000000000u
/* The recorder reads this often, more or less, while there are samples. */
#define LAST_READING_MAX_NS 200000000u

/* From the first reading of these bytes to the last. */
struct version {
	uint64_t first_begin_ns, first_end_ns, last_begin_ns, last_end_ns;
	uint8_t *bytes;
};

struct page {
	int32_t pid;
	uint64_t addr;
	struct version *versions; /* NULL: an empty slot */
	size_t n_versions, n_allocated;
};

struct code_pages {
	struct page *slots; /* open addressing */
	size_t n_slots, n_used;
	uint64_t n_bytes;
	bool is_stopped; /* a record is missing */
};

struct code_pages *code_pages_create(void)
{
	return calloc(1, sizeof(struct code_pages));
}

void code_pages_destroy(struct code_pages *pages)
{
	if (!pages)
		return;
	for (size_t i = 0; i < pages->n_slots; i++) {
		for (size_t j = 0; j < pages->slots[i].n_versions; j++)
			free(pages->slots[i].versions[j].bytes);
		free(pages->slots[i].versions);
	}
	free(pages->slots);
	free(pages);
}

static struct page *find_slot(const struct code_pages *pages, int32_t pid, uint64_t addr)
{
	uint64_t key = addr / CODE_PAGE_SIZE ^ (uint64_t)(uint32_t)pid << 40;
	size_t mask = pages->n_slots - 1;
	size_t i = (key * 0x9e3779b97f4a7c15ull >> 32) & mask;

	while (pages->slots[i].versions &&
	       (pages->slots[i].pid != pid || pages->slots[i].addr != addr))
		i = (i + 1) & mask;
	return &pages->slots[i];
}

static const struct page *find_page(const struct code_pages *pages, int32_t pid, uint64_t addr)
{
	const struct page *page = pages->n_slots ? find_slot(pages, pid, addr) : NULL;

	return page && page->versions ? page : NULL;
}

static int grow(struct code_pages *pages)
{
	struct code_pages bigger = { .n_slots = pages->n_slots ? pages->n_slots * 2 : 256 };

	bigger.slots = calloc(bigger.n_slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < pages->n_slots; i++)
		if (pages->slots[i].versions)
			*find_slot(&bigger, pages->slots[i].pid, pages->slots[i].addr) =
				pages->slots[i];
	free(pages->slots);
	pages->slots = bigger.slots;
	pages->n_slots = bigger.n_slots;
	return 0;
}

static int add_version(struct code_pages *pages, struct page *page,
		       const struct code_record *record)
{
	const struct code_record_header *header = &record->header;

	if (pages->n_bytes >= BYTES_MAX)
		return -EINVAL;
	if (!page->versions || page->n_versions == page->n_allocated) {
		size_t n = page->n_allocated ? page->n_allocated * 2 : 2;
		struct version *versions = reallocarray(page->versions, n, sizeof(*versions));
		if (!versions)
			return -ENOMEM;
		pages->n_used += !page->versions;
		page->pid = header->pid;
		page->addr = header->addr;
		page->versions = versions;
		page->n_allocated = n;
	}
	uint8_t *bytes = malloc(CODE_PAGE_SIZE);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, record->bytes, CODE_PAGE_SIZE);
	pages->n_bytes += CODE_PAGE_SIZE + sizeof(*page->versions);
	struct version *version = &page->versions[page->n_versions++];
	version->first_begin_ns = version->last_begin_ns = header->begin_ns;
	version->first_end_ns = version->last_end_ns = header->end_ns;
	version->bytes = bytes;
	return 0;
}

static int add(struct code_pages *pages, const struct code_record *record)
{
	const struct code_record_header *header = &record->header;

	if (pages->n_used * 2 >= pages->n_slots) {
		int err = grow(pages);
		if (err)
			return err;
	}
	struct page *page = find_slot(pages, header->pid, header->addr);
	struct version *last = page->n_versions ? &page->versions[page->n_versions - 1] : NULL;
	if (last && header->begin_ns < last->last_end_ns)
		return -EINVAL;
	if (last && (!header->size || !memcmp(last->bytes, record->bytes, CODE_PAGE_SIZE))) {
		last->last_begin_ns = header->begin_ns;
		last->last_end_ns = header->end_ns;
		return 0;
	}
	return header->size ? add_version(pages, page, record) : -EINVAL;
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

/* false: nothing is known. */
static bool find_bytes(const struct code_pages *pages, int32_t pid, uint64_t addr, uint64_t time_ns,
		       const uint8_t **before_ret, const uint8_t **after_ret)
{
	const struct page *page = find_page(pages, pid, addr);
	size_t i = page ? page->n_versions : 0;

	/* Samples come soon before the newest readings. */
	while (i && page->versions[i - 1].last_begin_ns >= time_ns)
		i--;
	if (!page)
		return false;
	bool is_later = i == page->n_versions;
	const struct version *after = &page->versions[i - is_later];
	*before_ret = *after_ret = after->bytes;
	if (is_later)
		return serves_later(after, time_ns);
	if (after->first_end_ns <= time_ns)
		return true;
	if (after->first_begin_ns < time_ns)
		return false;
	if (i)
		*before_ret = page->versions[i - 1].bytes;
	return i || after->first_begin_ns - time_ns <= FIRST_READING_MAX_NS;
}

bool code_pages_is_empty(const struct code_pages *pages)
{
	return !pages->n_used;
}

void code_pages_find(const struct code_pages *pages, int32_t pid, uint64_t addr, uint64_t time_ns,
		     struct code_view *view_ret)
{
	struct code_view view = { .start = addr & ~(uint64_t)(CODE_PAGE_SIZE - 1) };

	while (view.n_pages < CODE_VIEW_PAGES &&
	       find_bytes(pages, pid, view.start + view.n_pages * CODE_PAGE_SIZE, time_ns,
			  &view.before[view.n_pages], &view.after[view.n_pages]))
		view.n_pages++;
	*view_ret = view;
}
