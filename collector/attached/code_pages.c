/* A hash table of pages; each with its versions in the order of time. Bytes stay until the end. */
#include "collector/attached/code_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/clock.h"
#include "cct/base/hash.h"
#include "cct/base/hash_table.h"

static_assert(CODE_PAGE_SIZE == CODE_VIEW_PAGE_SIZE, "a record holds a page of a view");

#define BYTES_MAX (256u << 20)
/* A sample is read about this late, at most. */
#define FIRST_READING_MAX_NS NSEC_PER_SEC
/* The recorder reads this often, more or less, while there are samples. */
#define LAST_READING_MAX_NS 200000000u

/* From the first reading of these bytes to the last. */
struct version {
	uint64_t first_begin_ns, first_end_ns, last_begin_ns, last_end_ns;
	uint8_t *bytes;
};

struct page_key {
	int32_t pid;
	uint64_t addr;
};

struct page {
	struct page_key key;
	struct version *versions; /* NULL: the slot is free */
	size_t n_versions, n_allocated;
};

struct code_pages {
	struct hash_table by_addr; /* struct page */
	uint64_t n_bytes;
	bool is_stopped; /* a record is missing */
};

static bool slot_is_used(const void *slot)
{
	return ((const struct page *)slot)->versions != NULL;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	const struct page_key *page = &((const struct page *)slot)->key, *wanted = key;

	(void)owner;
	return page->pid == wanted->pid && page->addr == wanted->addr;
}

static uint32_t key_hash(const struct page_key *key)
{
	return hash_number(key->addr / CODE_PAGE_SIZE ^ (uint64_t)(uint32_t)key->pid << 40);
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	(void)owner;
	return key_hash(&((const struct page *)slot)->key);
}

static const struct hash_table_type pages_by_addr = {
	.slot_size = sizeof(struct page),
	.first_slots = 256,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

struct code_pages *code_pages_create(void)
{
	return calloc(1, sizeof(struct code_pages));
}

void code_pages_destroy(struct code_pages *pages)
{
	if (!pages)
		return;
	for (struct page *page = NULL;
	     (page = hash_table_next(&pages->by_addr, &pages_by_addr, page));) {
		for (size_t i = 0; i < page->n_versions; i++)
			free(page->versions[i].bytes);
		free(page->versions);
	}
	hash_table_deinit(&pages->by_addr);
	free(pages);
}

static struct page *find_page(const struct code_pages *pages, int32_t pid, uint64_t addr)
{
	const struct page_key key = { .pid = pid, .addr = addr };

	return hash_table_find(&pages->by_addr, &pages_by_addr, key_hash(&key), &key, NULL);
}

/* A page without versions. NULL: no memory. */
static struct page *add_page(struct code_pages *pages, int32_t pid, uint64_t addr)
{
	struct page page = { .key = { .pid = pid, .addr = addr } };

	if (array_reserve(page.versions, page.n_versions, page.n_allocated, 1))
		return NULL;
	struct page *slot =
		hash_table_insert(&pages->by_addr, &pages_by_addr, key_hash(&page.key), NULL);
	if (!slot) {
		free(page.versions);
		return NULL;
	}
	*slot = page;
	return slot;
}

static int add_version(struct code_pages *pages, struct page *page,
		       const struct code_record *record)
{
	if (pages->n_bytes >= BYTES_MAX)
		return -EINVAL;
	if (array_reserve(page->versions, page->n_versions, page->n_allocated, 1))
		return -ENOMEM;
	uint8_t *bytes = malloc(CODE_PAGE_SIZE);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, record->bytes, CODE_PAGE_SIZE);
	pages->n_bytes += CODE_PAGE_SIZE + sizeof(*page->versions);
	page->versions[page->n_versions++] = (struct version){
		.first_begin_ns = record->header.begin_ns,
		.first_end_ns = record->header.end_ns,
		.last_begin_ns = record->header.begin_ns,
		.last_end_ns = record->header.end_ns,
		.bytes = bytes,
	};
	return 0;
}

static int add(struct code_pages *pages, const struct code_record *record)
{
	const struct code_record_header *header = &record->header;
	struct page *page = find_page(pages, header->pid, header->addr);
	struct version *last =
		page && page->n_versions ? &page->versions[page->n_versions - 1] : NULL;

	if (last && header->begin_ns < last->last_end_ns)
		return -EINVAL;
	if (last && (!header->size || !memcmp(last->bytes, record->bytes, CODE_PAGE_SIZE))) {
		last->last_begin_ns = header->begin_ns;
		last->last_end_ns = header->end_ns;
		return 0;
	}
	if (!header->size)
		return -EINVAL;
	if (!page)
		page = add_page(pages, header->pid, header->addr);
	return page ? add_version(pages, page, record) : -ENOMEM;
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
	if (!page || !page->n_versions)
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
	return !pages->by_addr.n_used;
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
