/*
 * What the kernel is to fetch, by types and variables that lie. Input: as that of fuzz_values; the
 * end of .debug_info is the function's code, too.
 */
#include <dwarf.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/kinds/probe_argument.h"
#include "report/values/entry_value.h"
#include "report/values/value_variables.h"
#include "tests/unit/fixtures/debug_image.h"

#define CODE_SIZE 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct entry_point *entry, const char *text)
{
	struct value_expression expression;
	struct entry_value value;
	char reason[ENTRY_REASON_MAX] = "";

	/* Names of files may be anything. */
	if (value_expression_parse(&expression, text))
		return;
	if (!entry_value_find(entry, &expression, &value, reason)) {
		if (!*reason || strlen(reason) >= sizeof(reason))
			abort();
		return;
	}
	/* One word for uprobe_events, and bits that are in what is read. */
	if (!value.place[0] || strlen(value.place) >= ENTRY_PLACE_MAX - 1 ||
	    value.place[strcspn(value.place, " \t\n#=;:")] ||
	    (value.kind != ENTRY_STRING && value.size != 1 && value.size != 2 && value.size != 4 &&
	     value.size != 8) ||
	    value.bit + value.n_bits > 8 * value.size)
		abort();
}

static void ask_all(struct entry_point *entry)
{
	static const struct {
		const char *before, *behind;
	} texts[] = { { "", "" },   { "*", "" },         { "", "[1]" },    { "", "->a" },
		      { "", ".b" }, { "(*", "->a)[2]" }, { "", "->n->n" }, { "", "->b[1]" } };
	static struct value_variable variables[VALUE_VARIABLES_MAX];
	const size_t n = value_variables_list(&entry->function, entry->vaddr, true, variables);
	char text[VALUE_EXPRESSION_MAX + 1];

	for (size_t i = 0; i < n && i < 4; i++) {
		for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
			snprintf(text, sizeof(text), "%s%.64s%s", texts[j].before,
				 variables[i].name, texts[j].behind);
			ask(entry, text);
		}
	}
}

static void ask_function(Dwarf_Die *function, const uint8_t *code, size_t size)
{
	for (unsigned machine = 0; machine < 2; machine++)
		ask_all(&(struct entry_point){
			.function = *function,
			.vaddr = 0x100,
			.machine = machine ? EM_AARCH64 : EM_X86_64,
			.code = code,
			.code_size = size,
			.register_name = probe_argument_register,
			.offset = 0x100,
		});
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
	const size_t rest = size - 2 - first, code = rest < CODE_SIZE ? rest : CODE_SIZE;
	const struct image_section sections[] = {
		{ ".debug_abbrev", data + 2, first, 0 },
		{ ".debug_info", data + 2 + first, rest, 0 },
	};
	debug_image_init(&image, sections, 2);
	Dwarf *dwarf = dwarf_begin_elf(image.elf, DWARF_C_READ, NULL);
	while (dwarf && n < 64 &&
	       dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		for (int err = dwarf_child(&die, &child); err == 0 && n++ < 64;
		     err = dwarf_siblingof(&child, &child))
			if (dwarf_tag(&child) == DW_TAG_subprogram)
				ask_function(&child, data + size - code, code);
	}
	dwarf_end(dwarf);
	debug_image_deinit(&image);
	return 0;
}
