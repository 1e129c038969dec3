/*
 * Types and variables that lie. Input: the size of .debug_abbrev (16 bits), .debug_abbrev, and
 * .debug_info. The variables of all functions are listed and their values written.
 */
#include <dwarf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/dwarf/debug_location.h"
#include "report/values/value_expression.h"
#include "report/values/value_text.h"
#include "report/values/value_types.h"
#include "report/values/value_variables.h"
#include "tests/unit/fixtures/debug_image.h"

#define MEMORY 0x5000ull
#define SIZE   4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Words that lead to it. */
static bool read_memory(void *data, uint64_t addr, size_t size, uint8_t *bytes)
{
	(void)data;
	if (addr < MEMORY || addr - MEMORY > SIZE || size > SIZE - (addr - MEMORY))
		return false;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (addr + i) % 8 == 1 ? MEMORY >> 8 : (addr + i) % 8 == 0 ? 8 : 0;
	return true;
}

static const struct debug_frame *find_caller(void *data, const struct debug_frame *frame)
{
	(void)data;
	(void)frame;
	return NULL;
}

static void check_text(struct value_place *place, const struct debug_frame *frame)
{
	const struct value_object object = { .frame = frame, .location = &place->location };
	struct value_text text;
	char type[64];

	value_type_name(&place->type, type, sizeof(type));
	if (strlen(type) >= sizeof(type))
		abort();
	if (!value_text_write(&text, &object, &place->type, place->bit, place->n_bits) &&
	    (text.n > VALUE_TEXT_MAX || strlen(text.text) != text.n))
		abort();
}

static void write_value(Dwarf_Die *variable, const struct debug_frame *frame)
{
	static const char *const texts[] = { "*v",  "v[1]",       "v->x",
					     "v.y", "(*v->x)[2]", "v->next->next" };
	struct value_place place = { .bit = 0 };
	struct value_expression expression;

	if (!value_type_of(variable, &place.type))
		return;
	if (debug_location_find(&place.location, variable, frame))
		debug_location_at(&place.location, MEMORY);
	check_text(&place, frame);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (value_expression_parse(&expression, texts[i]))
			abort();
		if (!value_expression_find(&expression, variable, frame, &place))
			check_text(&place, frame);
	}
}

static void ask(Dwarf_Die *function)
{
	static const uint64_t registers[17] = { MEMORY, MEMORY + 8, 3, 4, 5, 6, MEMORY, MEMORY };
	static struct value_variable variables[VALUE_VARIABLES_MAX];
	const struct debug_process process = { read_memory, find_caller, NULL };
	const struct debug_frame frame = { .process = &process,
					   .registers = registers,
					   .known = 0xff,
					   .cfa = MEMORY + 64,
					   .has_cfa = true,
					   .vaddr = 0x1000,
					   .function = function };
	size_t n = value_variables_list(function, 0x1000, true, variables);

	if (n > VALUE_VARIABLES_MAX)
		abort();
	for (size_t i = 0; i < n && i < 16; i++)
		write_value(&variables[i].die, &frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct debug_image image;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, child;
	unsigned n = 0;

	if (size < 2)
		return 0;
	size_t first = (size_t)data[0] | (size_t)data[1] << 8;
	if (first > size - 2)
		first = size - 2;
	const struct image_section sections[] = {
		{ ".debug_abbrev", data + 2, first, 0 },
		{ ".debug_info", data + 2 + first, size - 2 - first, 0 },
	};
	debug_image_init(&image, sections, 2);
	Dwarf *dwarf = dwarf_begin_elf(image.elf, DWARF_C_READ, NULL);
	while (dwarf && n < 64 &&
	       dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		for (int err = dwarf_child(&die, &child); err == 0 && n++ < 64;
		     err = dwarf_siblingof(&child, &child))
			if (dwarf_tag(&child) == DW_TAG_subprogram)
				ask(&child);
	}
	dwarf_end(dwarf);
	debug_image_deinit(&image);
	return 0;
}
