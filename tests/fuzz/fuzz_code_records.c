/* Any code records of a few pages and processes: kept, and read from afterwards. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/attached/code_pages.h"

/* The input: one after the other. */
struct item {
	struct code_record_header header;
	uint16_t n_missing; /* of the record's bytes */
	uint8_t fill, is_question;
	uint32_t padding;
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void add(struct code_pages *pages, const struct item *item)
{
	static uint64_t space[CODE_RECORD_SIZE_MAX / sizeof(uint64_t) + 1];
	struct perf_event_header *record = (struct perf_event_header *)space;
	struct code_record_header header = item->header;

	/* Half of them make sense in this. */
	if (item->fill & 1)
		header.size = header.size ? CODE_PAGE_SIZE : 0;
	if (header.size > CODE_PAGE_SIZE)
		return;
	memset(code_record_bytes(record), item->fill, header.size);
	code_record_encode(&header, record);
	if (item->n_missing < record->size - sizeof(*record))
		record->size = (uint16_t)(record->size - item->n_missing);
	int err = code_pages_add(pages, record);
	if (err && err != -EINVAL)
		abort();
}

static void ask(const struct code_pages *pages, const struct item *item)
{
	uint8_t bytes[CODE_VIEW_PAGES * CODE_VIEW_PAGE_SIZE];
	struct code_view view;

	struct code_moment moment = code_pages_take(pages, item->header.pid, item->header.begin_ns);
	if (!code_moment_source(&moment))
		return;
	moment.source.find(&moment.source, item->header.addr, &view);
	code_moment_unref(&moment);
	if (view.n_pages > CODE_VIEW_PAGES ||
	    (view.n_pages && item->header.addr - view.start >= view.n_pages * CODE_VIEW_PAGE_SIZE))
		abort();
	if (code_view_fill(&view, bytes) != view.n_pages * CODE_VIEW_PAGE_SIZE)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct code_pages *pages = code_pages_create();
	struct item item;

	for (; size >= sizeof(item); bytes += sizeof(item), size -= sizeof(item)) {
		memcpy(&item, bytes, sizeof(item));
		item.header.pid &= 1;
		item.header.addr &= 0xffffffffffff7fff;
		if (item.is_question & 1)
			ask(pages, &item);
		else
			add(pages, &item);
	}
	code_pages_destroy(pages);
	return 0;
}
