#include "report/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cct/cleanup.h"
#include "report/debug_scopes.h"

#define MAX_RANGES (1u << 24)

struct unit {
	Dwarf_Die die;   /* the skeleton's where it is split: it has the lines */
	Dwarf_Die whole; /* that with the functions */
	struct debug_scopes scopes;
	bool is_indexed;
};

struct unit_range {
	uint64_t start, end;
	uint64_t reach; /* the highest end of all up to this one */
	uint32_t unit;
};

struct debug_info {
	Dwarf *dwarf;
	struct unit *units;
	uint32_t n_units, n_units_allocated;
	struct unit_range *ranges; /* sorted by start */
	size_t n_ranges, n_ranges_allocated;
	bool is_scanned;
};

struct debug_info *debug_info_open(Elf *elf)
{
	struct debug_info *info = calloc(1, sizeof(*info));

	if (!info)
		return NULL;
	info->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!info->dwarf) {
		free(info);
		return NULL;
	}
	return info;
}

void debug_info_close(struct debug_info *info)
{
	if (!info)
		return;
	for (uint32_t i = 0; i < info->n_units; i++)
		debug_scopes_deinit(&info->units[i].scopes);
	free(info->units);
	free(info->ranges);
	dwarf_end(info->dwarf);
	free(info);
}

static int add_range(struct debug_info *info, uint64_t start, uint64_t end, uint32_t unit)
{
	/* At 0 lies what the linker left out. */
	if (!start || start >= end || info->n_ranges == MAX_RANGES)
		return 0;
	if (info->n_ranges == info->n_ranges_allocated) {
		size_t n = info->n_ranges ? info->n_ranges * 2 : 256;
		struct unit_range *larger = reallocarray(info->ranges, n, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		info->ranges = larger;
		info->n_ranges_allocated = n;
	}
	info->ranges[info->n_ranges++] =
		(struct unit_range){ .start = start, .end = end, .unit = unit };
	return 0;
}

static int add_unit(struct debug_info *info, const Dwarf_Die *die, const Dwarf_Die *whole)
{
	if (info->n_units == info->n_units_allocated) {
		uint32_t n = info->n_units ? info->n_units * 2 : 256;
		struct unit *larger = reallocarray(info->units, n, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		info->units = larger;
		info->n_units_allocated = n;
	}
	info->units[info->n_units++] = (struct unit){ .die = *die, .whole = *whole };
	return 0;
}

static int index_unit(struct unit *unit)
{
	if (unit->is_indexed)
		return 0;
	unit->is_indexed = true;
	return debug_scopes_init(&unit->scopes, &unit->whole);
}

/* A unit that does not say where its code is: its functions do. */
static int add_ranges_of_functions(struct debug_info *info, uint32_t index)
{
	struct unit *unit = &info->units[index];
	int err = index_unit(unit);

	for (size_t i = 0; i < unit->scopes.n_spans && !err; i++)
		err = add_range(info, unit->scopes.spans[i].start, unit->scopes.spans[i].end,
				index);
	return err;
}

static int scan_unit(struct debug_info *info, Dwarf_Die *die, const Dwarf_Die *whole)
{
	size_t n_before = info->n_ranges;
	uint32_t index = info->n_units;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int err = add_unit(info, die, whole);

	while (!err && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		err = add_range(info, start, end, index);
	if (!err && info->n_ranges == n_before)
		err = add_ranges_of_functions(info, index);
	return err;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

static void sort_ranges(struct debug_info *info)
{
	uint64_t reach = 0;

	if (info->n_ranges)
		qsort(info->ranges, info->n_ranges, sizeof(*info->ranges), compare_ranges);
	for (size_t i = 0; i < info->n_ranges; i++) {
		if (info->ranges[i].end > reach)
			reach = info->ranges[i].end;
		info->ranges[i].reach = reach;
	}
}

static void scan(struct debug_info *info)
{
	Dwarf_Die die, split;
	Dwarf_CU *unit = NULL;
	uint8_t type;
	int err = 0;

	info->is_scanned = true;
	while (!err && dwarf_get_units(info->dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			err = scan_unit(info, &die,
					dwarf_tag(&split) == DW_TAG_compile_unit ? &split : &die);
	}
	sort_ranges(info);
}

/* The first range that begins above @vaddr. */
static size_t first_above(const struct debug_info *info, uint64_t vaddr)
{
	size_t low = 0, high = info->n_ranges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (info->ranges[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A unit's function at @vaddr; units may claim more than they have. SCOPE_NONE: none has one;
 * *@unit_ret is then any that claims the address, or NULL. */
static uint32_t find_scope(struct debug_info *info, uint64_t vaddr, struct unit **unit_ret)
{
	*unit_ret = NULL;
	for (size_t i = first_above(info, vaddr); i-- > 0;) {
		const struct unit_range *range = &info->ranges[i];

		if (range->reach <= vaddr)
			break;
		if (vaddr >= range->end)
			continue;
		*unit_ret = &info->units[range->unit];
		if (index_unit(*unit_ret))
			return SCOPE_NONE;
		uint32_t scope = debug_scopes_find(&(*unit_ret)->scopes, vaddr);
		if (scope != SCOPE_NONE)
			return scope;
	}
	return SCOPE_NONE;
}

static const char *file_name(Dwarf_Die *unit, uint64_t index)
{
	Dwarf_Files *files;
	size_t n_files;

	if (dwarf_getsrcfiles(unit, &files, &n_files) != 0 || index >= n_files)
		return NULL;
	return dwarf_filesrc(files, index, NULL, NULL);
}

static bool number_of(Dwarf_Attribute *attribute, uint64_t *number_ret)
{
	Dwarf_Word value;

	if (!attribute || dwarf_formudata(attribute, &value) != 0)
		return false;
	*number_ret = value;
	return true;
}

static uint32_t line_of(Dwarf_Attribute *attribute)
{
	uint64_t line;

	return number_of(attribute, &line) && line <= UINT32_MAX ? (uint32_t)line : 0;
}

/* The name of the file that an attribute means, by the list of its own unit. */
static const char *file_of(Dwarf_Attribute *attribute)
{
	Dwarf_Die unit;
	uint64_t index;

	if (!number_of(attribute, &index) ||
	    !dwarf_cu_die(attribute->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
		return NULL;
	return file_name(&unit, index);
}

static const char *directory_of(Dwarf_Die *unit)
{
	Dwarf_Attribute found;
	Dwarf_Attribute *at = dwarf_attr(unit, DW_AT_comp_dir, &found);

	return at ? dwarf_formstring(at) : NULL;
}

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned linkage[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute found;

	for (size_t i = 0; i < sizeof(linkage) / sizeof(linkage[0]); i++) {
		Dwarf_Attribute *at = dwarf_attr_integrate(die, linkage[i], &found);
		const char *name = at ? dwarf_formstring(at) : NULL;
		if (name)
			return name;
	}
	return dwarf_diename(die);
}

static void describe(Dwarf_Die *die, struct debug_function *function)
{
	Dwarf_Attribute found;

	function->name = name_of(die);
	function->decl_file = file_of(dwarf_attr_integrate(die, DW_AT_decl_file, &found));
	function->decl_line = line_of(dwarf_attr_integrate(die, DW_AT_decl_line, &found));
}

/* Where the inlined function at @die is called. */
static void describe_call(Dwarf_Die *die, struct debug_function *caller)
{
	Dwarf_Attribute found;

	*caller = (struct debug_function){ .file = file_of(
						   dwarf_attr(die, DW_AT_call_file, &found)) };
	caller->line = line_of(dwarf_attr(die, DW_AT_call_line, &found));
}

static void find_line(struct unit *unit, uint64_t vaddr, struct debug_function *function)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->die, vaddr);
	int number;

	if (!line)
		return;
	function->file = dwarf_linesrc(line, NULL, NULL);
	if (dwarf_lineno(line, &number) == 0 && number > 0)
		function->line = (uint32_t)number;
}

size_t debug_info_find(struct debug_info *info, uint64_t vaddr, struct debug_function *functions,
		       size_t max_functions)
{
	struct debug_function next = { 0 };
	struct unit *unit;
	size_t n = 0;

	if (!info->is_scanned)
		scan(info);
	uint32_t scope = find_scope(info, vaddr, &unit);
	if (!unit)
		return 0;
	const char *directory = directory_of(&unit->die);
	find_line(unit, vaddr, &next);
	if (scope == SCOPE_NONE && next.line && max_functions)
		functions[n++] = next;
	while (scope != SCOPE_NONE && n < max_functions) {
		struct debug_scope *at = &unit->scopes.scopes[scope];

		describe(&at->die, &next);
		next.directory = directory;
		functions[n++] = next;
		describe_call(&at->die, &next);
		scope = at->parent;
	}
	return n;
}
