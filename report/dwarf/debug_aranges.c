#include "report/dwarf/debug_aranges.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/sorted.h"
void debug_aranges_deinit(struct debug_aranges *aranges)
{
	free(aranges->ranges);
	*aranges = (struct debug_aranges){ 0 };
}

static int add(struct debug_aranges *aranges, uint64_t unit, uint64_t start, uint64_t size)
{
	/* Linkers put the code that they removed at address 0. */
	if (!start || !size || start + size < start)
		return 0;
	if (array_reserve(aranges->ranges, aranges->n, aranges->n_allocated, 1))
		return -ENOMEM;
	aranges->ranges[aranges->n++] = (struct debug_arange){ unit, start, start + size };
	return 0;
}

/* Reads the ranges of one unit. Moves @reader past them. */
static int read_set(struct debug_aranges *aranges, struct dwarf_reader *reader)
{
	const uint8_t *start = reader->at;
	uint64_t size = dwarf_read_unsigned(reader, 4);
	size_t offset_size = 4;
	int err = 0;

	if (size == UINT32_MAX) {
		offset_size = 8;
		size = dwarf_read_unsigned(reader, 8);
	}
	struct dwarf_reader set = *reader;
	if (!dwarf_skip(reader, size))
		return 0;
	set.end = reader->at;
	uint64_t version = dwarf_read_unsigned(&set, 2);
	uint64_t unit = dwarf_read_unsigned(&set, offset_size);
	size_t address_size = dwarf_read_byte(&set);
	if (version != 2 || dwarf_read_byte(&set) || (address_size != 4 && address_size != 8))
		return 0;
	/* Tuples are aligned to their own size. */
	dwarf_skip(&set, -(uint64_t)(set.at - start) % (2 * address_size));
	while (!err && dwarf_left(&set)) {
		uint64_t address = dwarf_read_unsigned(&set, address_size);
		uint64_t length = dwarf_read_unsigned(&set, address_size);

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
	struct dwarf_reader reader = debug_reader_at(sections, DEBUG_ARANGES, 0);
	int err = 0;

	*aranges = (struct debug_aranges){ 0 };
	while (!err && dwarf_left(&reader))
		err = read_set(aranges, &reader);
	if (err)
		debug_aranges_deinit(aranges);
	else if (aranges->n)
		qsort(aranges->ranges, aranges->n, sizeof(*aranges->ranges), compare);
	return err;
}

const struct debug_arange *debug_aranges_of(const struct debug_aranges *aranges, uint64_t offset,
					    size_t *n_ret)
{
	size_t low = sorted_count(aranges->n, i, aranges->ranges[i].unit < offset);
	size_t n = 0;
	while (low + n < aranges->n && aranges->ranges[low + n].unit == offset)
		n++;
	*n_ret = n;
	return n ? &aranges->ranges[low] : NULL;
}
