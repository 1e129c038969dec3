#include "report/dwarf/debug_ranges.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cct/base/array.h"

/* The values of the attributes that describe address ranges. */
struct place {
	Dwarf_Attribute low, high, list;
	bool has_low, has_high, has_list;
};

static bool number_of(Dwarf_Die *die, unsigned name, uint64_t *number_ret)
{
	Dwarf_Attribute found;
	Dwarf_Word number;

	if (!dwarf_attr(die, name, &found) || dwarf_formudata(&found, &number) != 0)
		return false;
	*number_ret = number;
	return true;
}

int debug_range_source_init(struct debug_range_source *source, Dwarf_Die *unit,
			    const struct debug_sections *sections, uint64_t *budget)
{
	Dwarf_Addr base;

	*source = (struct debug_range_source){ .sections = sections };
	source->budget = budget;
	if (dwarf_cu_info(unit->cu, &source->version, NULL, NULL, NULL, NULL, &source->address_size,
			  &source->offset_size) != 0 ||
	    (source->address_size != 4 && source->address_size != 8) ||
	    (source->offset_size != 4 && source->offset_size != 8))
		return -EINVAL;
	if (dwarf_lowpc(unit, &base) == 0)
		source->base = base;
	/* Without a base, indexes count from the end of the first header. */
	if (!number_of(unit, DW_AT_rnglists_base, &source->lists_base))
		source->lists_base = source->offset_size == 8 ? 20 : 12;
	if (!number_of(unit, DW_AT_addr_base, &source->addr_base) &&
	    !number_of(unit, DW_AT_GNU_addr_base, &source->addr_base))
		source->addr_base = 0;
	return 0;
}

void debug_ranges_deinit(struct debug_ranges *ranges)
{
	free(ranges->ranges);
	*ranges = (struct debug_ranges){ 0 };
}

static int add_range(struct debug_ranges *ranges, uint64_t start, uint64_t end)
{
	if (!start || start >= end)
		return 0;
	if (array_reserve(ranges->ranges, ranges->n, ranges->n_allocated, 1))
		return -ENOMEM;
	ranges->ranges[ranges->n++] = (struct debug_range){ start, end };
	return 0;
}

static uint64_t address_by_index(const struct debug_range_source *source,
				 struct dwarf_reader *reader)
{
	uint64_t index = dwarf_read_uleb(reader), offset;

	if (__builtin_mul_overflow(index, source->address_size, &offset) ||
	    __builtin_add_overflow(offset, source->addr_base, &offset)) {
		dwarf_break(reader);
		return 0;
	}
	struct dwarf_reader at = debug_reader_at(source->sections, DEBUG_ADDR, offset);
	uint64_t address = dwarf_read_unsigned(&at, source->address_size);
	if (at.is_broken)
		dwarf_break(reader);
	return address;
}

/*
 * Reads one entry of a DWARF 5 list. false: it was the last one. An entry without a range sets an
 * empty range.
 */
static bool take_entry(const struct debug_range_source *source, struct dwarf_reader *reader,
		       uint64_t *base, struct debug_range *range)
{
	uint8_t size = source->address_size;

	*range = (struct debug_range){ 0 };
	switch (dwarf_read_byte(reader)) {
	case DW_RLE_base_addressx:
		*base = address_by_index(source, reader);
		return !reader->is_broken;
	case DW_RLE_startx_endx:
		range->start = address_by_index(source, reader);
		range->end = address_by_index(source, reader);
		return !reader->is_broken;
	case DW_RLE_startx_length:
		range->start = address_by_index(source, reader);
		range->end = range->start + dwarf_read_uleb(reader);
		return !reader->is_broken;
	case DW_RLE_offset_pair:
		range->start = *base + dwarf_read_uleb(reader);
		range->end = *base + dwarf_read_uleb(reader);
		return !reader->is_broken;
	case DW_RLE_base_address:
		*base = dwarf_read_unsigned(reader, size);
		return !reader->is_broken;
	case DW_RLE_start_end:
		range->start = dwarf_read_unsigned(reader, size);
		range->end = dwarf_read_unsigned(reader, size);
		return !reader->is_broken;
	case DW_RLE_start_length:
		range->start = dwarf_read_unsigned(reader, size);
		range->end = range->start + dwarf_read_uleb(reader);
		return !reader->is_broken;
	default: /* DW_RLE_end_of_list, and unknown kinds */
		return false;
	}
}

/* Likewise for the lists before DWARF 5. */
static bool take_old_entry(const struct debug_range_source *source, struct dwarf_reader *reader,
			   uint64_t *base, struct debug_range *range)
{
	uint64_t highest = source->address_size == 4 ? UINT32_MAX : UINT64_MAX;
	uint64_t start = dwarf_read_unsigned(reader, source->address_size);
	uint64_t end = dwarf_read_unsigned(reader, source->address_size);

	*range = (struct debug_range){ 0 };
	if (reader->is_broken || (!start && !end))
		return false;
	if (start == highest)
		*base = end;
	else
		*range = (struct debug_range){ *base + start, *base + end };
	return true;
}

/* A reader for the bytes of an attribute's value, in .debug_info or .debug_types. */
static struct dwarf_reader value_of(const struct debug_range_source *source,
				    const Dwarf_Attribute *at)
{
	static const enum debug_section sections[] = { DEBUG_INFO, DEBUG_TYPES };

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		const struct debug_bytes *in = &source->sections->of[sections[i]];

		if (in->bytes && at->valp >= in->bytes && at->valp < in->bytes + in->size)
			return debug_reader(source->sections, at->valp, in->bytes + in->size);
	}
	return (struct dwarf_reader){ .is_broken = true };
}

static bool list_offset(const struct debug_range_source *source, const Dwarf_Attribute *attribute,
			uint64_t *offset_ret)
{
	struct dwarf_reader value = value_of(source, attribute);
	uint64_t index, offset;

	switch (attribute->form) {
	case DW_FORM_data4:
		*offset_ret = dwarf_read_unsigned(&value, 4);
		return !value.is_broken;
	case DW_FORM_data8:
		*offset_ret = dwarf_read_unsigned(&value, 8);
		return !value.is_broken;
	case DW_FORM_sec_offset:
		*offset_ret = dwarf_read_unsigned(&value, source->offset_size);
		return !value.is_broken;
	case DW_FORM_rnglistx:
		index = dwarf_read_uleb(&value);
		break;
	default:
		return false;
	}
	if (value.is_broken || __builtin_mul_overflow(index, source->offset_size, &offset) ||
	    __builtin_add_overflow(offset, source->lists_base, &offset))
		return false;
	struct dwarf_reader entry = debug_reader_at(source->sections, DEBUG_RNGLISTS, offset);
	*offset_ret = source->lists_base + dwarf_read_unsigned(&entry, source->offset_size);
	return !entry.is_broken;
}

static int read_list(struct debug_ranges *ranges, const struct debug_range_source *source,
		     const Dwarf_Attribute *attribute)
{
	uint64_t base = source->base, offset;
	struct debug_range range = { 0 };
	int err = 0;

	if (!list_offset(source, attribute, &offset))
		return 0;
	bool is_old = source->version < 5;
	struct dwarf_reader reader =
		debug_reader_at(source->sections, is_old ? DEBUG_RANGES : DEBUG_RNGLISTS, offset);
	while (!err && *source->budget &&
	       (is_old ? take_old_entry : take_entry)(source, &reader, &base, &range)) {
		--*source->budget;
		err = add_range(ranges, range.start, range.end);
	}
	return err;
}

static int note_attribute(Dwarf_Attribute *attribute, void *opaque)
{
	struct place *place = opaque;

	switch (attribute->code) {
	case DW_AT_low_pc:
		place->low = *attribute;
		place->has_low = true;
		break;
	case DW_AT_high_pc:
		place->high = *attribute;
		place->has_high = true;
		break;
	case DW_AT_ranges:
		place->list = *attribute;
		place->has_list = true;
		break;
	}
	return DWARF_CB_OK;
}

/* false: the attributes do not describe a single range. */
static bool single_range(struct place *place, struct debug_range *range_ret)
{
	Dwarf_Addr start, end;
	Dwarf_Word size;

	if (!place->has_low || !place->has_high || dwarf_formaddr(&place->low, &start) != 0)
		return false;
	if (dwarf_formaddr(&place->high, &end) != 0) {
		if (dwarf_formudata(&place->high, &size) != 0)
			return false;
		end = start + size;
	}
	*range_ret = (struct debug_range){ start, end };
	return true;
}

int debug_ranges_read(struct debug_ranges *ranges, const struct debug_range_source *source,
		      Dwarf_Die *die)
{
	struct place place = { 0 };
	struct debug_range range;

	ranges->n = 0;
	dwarf_getattrs(die, note_attribute, &place, 0);
	if (single_range(&place, &range))
		return add_range(ranges, range.start, range.end);
	return place.has_list ? read_list(ranges, source, &place.list) : 0;
}
