#include "report/dwarf/debug_aranges.h"

#include <errno.h>
#include <stdlib.h>

#include "report/dwarf/debug_cursor.h"

void debug_aranges_deinit(struct debug_aranges *aranges)
{
	free(aranges->ranges);
	*aranges = (struct debug_aranges){ 0 };
}

static int add(struct debug_aranges *aranges, uint64_t unit, uint64_t start, uint64_t size)
{
	/* At 0 lies what the linker left out. */
	if (!start || !size || start + size < start)
		return 0;
	if (aranges->n == aranges->n_allocated) {
		size_t n = aranges->n ? aranges->n * 2 : 256;
		struct debug_arange *larger = reallocarray(aranges->ranges, n, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		aranges->ranges = larger;
		aranges->n_allocated = n;
	}
	aranges->ranges[aranges->n++] = (struct debug_arange){ unit, start, start + size };
	return 0;
}

/* The ranges of one unit. Moves @cursor behind them. */
static int read_set(struct debug_aranges *aranges, struct debug_cursor *cursor)
{
	const uint8_t *start = cursor->at;
	uint64_t size = debug_cursor_number(cursor, 4);
	size_t offset_size = 4;
	int err = 0;

	if (size == UINT32_MAX) {
		offset_size = 8;
		size = debug_cursor_number(cursor, 8);
	}
	struct debug_cursor set = *cursor;
	if (!debug_cursor_skip(cursor, size))
		return 0;
	set.end = cursor->at;
	uint64_t version = debug_cursor_number(&set, 2);
	uint64_t unit = debug_cursor_number(&set, offset_size);
	size_t address_size = debug_cursor_byte(&set);
	if (version != 2 || debug_cursor_byte(&set) || (address_size != 4 && address_size != 8))
		return 0;
	/* Tuples are aligned to their own size. */
	debug_cursor_skip(&set, -(uint64_t)(set.at - start) % (2 * address_size));
	while (!err && debug_cursor_left(&set)) {
		uint64_t address = debug_cursor_number(&set, address_size);
		uint64_t length = debug_cursor_number(&set, address_size);

		err = add(aranges, unit, address, length);
	}
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct debug_arange *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

int debug_aranges_read(struct debug_aranges *aranges, const struct debug_sections *sections)
{
	struct debug_cursor cursor = debug_cursor_at(sections, DEBUG_ARANGES, 0);
	int err = 0;

	*aranges = (struct debug_aranges){ 0 };
	while (!err && debug_cursor_left(&cursor))
		err = read_set(aranges, &cursor);
	if (err)
		debug_aranges_deinit(aranges);
	else if (aranges->n)
		qsort(aranges->ranges, aranges->n, sizeof(*aranges->ranges), compare);
	return err;
}

const struct debug_arange *debug_aranges_of(const struct debug_aranges *aranges, uint64_t offset,
					    size_t *n_ret)
{
	size_t low = 0, high = aranges->n, n = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (aranges->ranges[middle].unit < offset)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + n < aranges->n && aranges->ranges[low + n].unit == offset)
		n++;
	*n_ret = n;
	return n ? &aranges->ranges[low] : NULL;
}
