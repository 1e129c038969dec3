#include "report/dwarf/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/sorted.h"
#include "report/dwarf/debug_aranges.h"
#include "report/dwarf/debug_lines.h"
#include "report/dwarf/debug_names.h"
#include "report/dwarf/debug_ranges.h"
#include "report/dwarf/debug_scopes.h"
#include "report/dwarf/debug_sections.h"
#include "report/dwarf/debug_split.h"
#include "report/dwarf/debug_tree.h"

/* Of inlined calls; elfutils does not name it (LLVM, BinaryFormat/Dwarf.def). */
#define AT_GNU_DISCRIMINATOR 0x2136
#define MAX_UNIT_RANGES      (1u << 24)
/*
 * How often each range of the file may be read on average: for units, for functions, and again for
 * functions that are indexed thoroughly.
 */
#define MAX_READS 8

/* How many bytes may be read for names, whatever the size of the file. That takes some seconds. */
#define NAMES_BUDGET (256u << 20)

/* Which of a unit's functions are indexed. */
enum index_state {
	NOT_INDEXED,
	INDEXED,
	THOROUGHLY_INDEXED,
};

struct unit {
	Dwarf_Die die; /* of the skeleton if the unit is split, because that has the line table */
	struct debug_range_source source; /* set once the unit is indexed */
	struct debug_split *split;        /* NULL: the unit is not split */
	struct debug_tree tree; /* the tree with its functions; set once the unit is indexed */
	struct debug_scopes scopes;
	enum index_state state;
	bool is_skeleton; /* its split unit was not searched for yet */
};

/* An inlined call, the same for all addresses in it. */
struct description {
	struct debug_function function; /* its name and declaration, without a line */
	const char *call_file;
	uint32_t call_line, call_discriminator;
};

struct unit_range {
	uint64_t start, end;
	uint64_t reach; /* the highest end of this range and all before it */
	uint32_t unit;
};

/* A file with debug information. */
struct debug_file {
	struct debug_sections sections;
	struct debug_dwarf dwarf;
};

struct debug_info {
	struct debug_file main;
	struct module_file_place place;
	struct module_file alternate_file; /* the supplementary file of dwz */
	struct debug_file alternate;
	struct debug_package package;
	bool has_package; /* the package was searched for */
	uint64_t budget;  /* how many ranges may still be read */
	struct debug_names names;
	struct debug_line_tables lines;
	struct debug_abbreviation_tables abbreviations;
	struct description
		*descriptions; /* a scope's note is the number of its description, from 1 on */
	uint32_t n_descriptions, n_descriptions_allocated;
	struct unit *units;
	uint32_t n_units, n_units_allocated;
	struct unit_range *ranges; /* sorted by start */
	size_t n_ranges, n_ranges_allocated;
	bool is_scanned;
};

static int open_file(struct debug_file *file, Elf *elf, bool has_locations)
{
	int err = debug_sections_read(&file->sections, elf, false, has_locations);

	return err ? err : debug_dwarf_init(&file->dwarf, &file->sections);
}

static void close_file(struct debug_file *file)
{
	debug_dwarf_deinit(&file->dwarf);
	debug_sections_deinit(&file->sections);
}

/*
 * Opens the supplementary file to which dwz moved the data that several files share, if there is
 * one.
 */
static void open_alternate(struct debug_info *info)
{
	const struct debug_bytes *link = &info->main.sections.of[DEBUG_ALT_LINK];
	const char *name = (const char *)link->bytes;
	const uint8_t *end = name ? memchr(name, 0, link->size) : NULL;
	struct build_id build_id = { 0 };
	size_t size = end ? link->size - (size_t)(end + 1 - link->bytes) : 0;

	if (!size || size > BUILD_ID_MAX_SIZE)
		return;
	build_id_set(&build_id, end + 1, size);
	module_file_open_build_id(&info->place, &build_id, name, &info->alternate_file);
	if (info->alternate_file.state != MODULE_FILE_OK ||
	    open_file(&info->alternate, info->alternate_file.elf, info->package.has_locations))
		return;
	dwarf_setalt(info->main.dwarf.dwarf, info->alternate.dwarf.dwarf);
}

/* Adds to the budgets for the lists and tables in @sections. */
static void grant(struct debug_info *info, const struct debug_sections *sections)
{
	const struct debug_bytes *of = sections->of;

	info->budget +=
		MAX_READS * (of[DEBUG_INFO].size + of[DEBUG_RANGES].size + of[DEBUG_RNGLISTS].size);
	info->lines.budget += MAX_READS * of[DEBUG_LINE].size;
	info->abbreviations.budget += MAX_READS * of[DEBUG_ABBREV].size;
	info->names.budget += MAX_READS * of[DEBUG_INFO].size;
}

static struct debug_info *open_info(Elf *elf, const struct module *module, int fd,
				    bool has_locations)
{
	struct debug_info *info = calloc(1, sizeof(*info));

	if (!info)
		return NULL;
	info->alternate_file.fd = info->package.file.fd = -1;
	info->package.has_locations = has_locations;
	if (open_file(&info->main, elf, has_locations)) {
		debug_info_close(info);
		return NULL;
	}
	module_file_place_init(&info->place, module, fd);
	info->names.budget = NAMES_BUDGET;
	grant(info, &info->main.sections);
	open_alternate(info);
	grant(info, &info->alternate.sections);
	return info;
}

struct debug_info *debug_info_open(Elf *elf, const struct module *module, int fd)
{
	return open_info(elf, module, fd, false);
}

struct debug_info *debug_info_open_with_locations(Elf *elf, const struct module *module, int fd)
{
	return open_info(elf, module, fd, true);
}

static void close_unit(struct unit *unit)
{
	debug_scopes_deinit(&unit->scopes);
	if (unit->split)
		debug_split_close(unit->split);
	free(unit->split);
}

void debug_info_close(struct debug_info *info)
{
	if (!info)
		return;
	for (uint32_t i = 0; i < info->n_units; i++)
		close_unit(&info->units[i]);
	free(info->units);
	free(info->ranges);
	free(info->descriptions);
	debug_names_deinit(&info->names);
	debug_line_tables_deinit(&info->lines);
	debug_abbreviation_tables_deinit(&info->abbreviations);
	debug_package_close(&info->package);
	close_file(&info->main);
	close_file(&info->alternate);
	module_file_close(&info->alternate_file);
	module_file_place_deinit(&info->place);
	free(info);
}

static int add_range(struct debug_info *info, uint64_t start, uint64_t end, uint32_t unit)
{
	/* Linkers put the code that they removed at address 0. */
	if (!start || start >= end || info->n_ranges == MAX_UNIT_RANGES)
		return 0;
	if (array_reserve(info->ranges, info->n_ranges, info->n_ranges_allocated, 1))
		return -ENOMEM;
	info->ranges[info->n_ranges++] =
		(struct unit_range){ .start = start, .end = end, .unit = unit };
	return 0;
}

static int add_unit(struct debug_info *info, const struct unit *unit)
{
	if (array_reserve(info->units, info->n_units, info->n_units_allocated, 1))
		return -ENOMEM;
	info->units[info->n_units++] = *unit;
	return 0;
}

/* Searches for the split unit of a skeleton. 0, whether found or not, or -ENOMEM. */
static int open_split(struct debug_info *info, struct unit *unit)
{
	if (!unit->is_skeleton)
		return 0;
	unit->is_skeleton = false;
	int err = info->has_package ? 0 : debug_package_open(&info->package, &info->place);
	if (err)
		return err;
	info->has_package = true;
	unit->split = calloc(1, sizeof(*unit->split));
	if (!unit->split)
		return -ENOMEM;
	err = debug_split_open(unit->split, &info->package, &info->place, &unit->die,
			       &unit->source);
	if (!err) {
		grant(info, &unit->split->sections);
		return 0;
	}
	free(unit->split);
	unit->split = NULL;
	return err == -ENOENT ? 0 : err;
}

/* The DIE that contains a unit's functions. */
static Dwarf_Die *whole_unit(struct unit *unit)
{
	return unit->split ? &unit->split->die : &unit->die;
}

static const struct debug_range_source *whole_source(const struct unit *unit)
{
	return unit->split ? &unit->split->source : &unit->source;
}

static int init_tree(struct debug_info *info, struct unit *unit)
{
	Dwarf_Die *die = whole_unit(unit);

	return debug_tree_init(&unit->tree, &info->abbreviations, whole_source(unit)->sections,
			       dwarf_dieoffset(die) - dwarf_cuoffset(die));
}

static int index_unit(struct debug_info *info, struct unit *unit, enum index_state wanted)
{
	if (unit->state >= wanted)
		return 0;
	if (unit->state == NOT_INDEXED &&
	    debug_range_source_init(&unit->source, &unit->die, &info->main.sections, &info->budget))
		return 0;
	unit->state = wanted;
	int err = open_split(info, unit);
	if (err)
		return err;
	debug_scopes_deinit(&unit->scopes);
	err = init_tree(info, unit);
	if (err)
		return err == -EINVAL ? 0 : err;
	/* Link-time optimization makes many units that contain only declarations. */
	if (!debug_tree_has_code(&unit->tree))
		return 0;
	return debug_scopes_init(&unit->scopes, whole_unit(unit), &unit->tree, whole_source(unit),
				 wanted == THOROUGHLY_INDEXED);
}

/* Adds the ranges of a unit's functions, for a unit without ranges. */
static int add_ranges_of_functions(struct debug_info *info, uint32_t index)
{
	struct unit *unit = &info->units[index];
	int err = index_unit(info, unit, THOROUGHLY_INDEXED);
	const struct debug_spans *functions = &unit->scopes.functions;

	for (size_t i = 0; i < functions->n && !err; i++)
		err = add_range(info, functions->spans[i].start, functions->spans[i].end, index);
	return err;
}

/* Reads the ranges of a unit that .debug_aranges does not list. */
static int scan_unit(struct debug_info *info, uint32_t index, struct debug_ranges *ranges)
{
	struct unit *unit = &info->units[index];
	int err;

	if (debug_range_source_init(&unit->source, &unit->die, &info->main.sections, &info->budget))
		return 0;
	err = debug_ranges_read(ranges, &unit->source, &unit->die);
	for (size_t i = 0; i < ranges->n && !err; i++)
		err = add_range(info, ranges->ranges[i].start, ranges->ranges[i].end, index);
	return err || ranges->n ? err : add_ranges_of_functions(info, index);
}

/* Adds a unit. If @aranges lists its ranges, no more of the unit is read. */
static int take_unit(struct debug_info *info, const struct unit *unit,
		     const struct debug_aranges *aranges, struct debug_ranges *ranges)
{
	uint32_t index = info->n_units;
	Dwarf_Die die = unit->die;
	size_t n;
	const struct debug_arange *arange =
		debug_aranges_of(aranges, dwarf_dieoffset(&die) - dwarf_cuoffset(&die), &n);
	int err = add_unit(info, unit);

	if (!err && !arange)
		return scan_unit(info, index, ranges);
	for (size_t i = 0; i < n && !err; i++)
		err = add_range(info, arange[i].start, arange[i].end, index);
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
	struct debug_ranges ranges = { 0 };
	struct debug_aranges aranges;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	int err = debug_aranges_read(&aranges, &info->main.sections);

	info->is_scanned = true;
	while (!err &&
	       dwarf_get_units(info->main.dwarf.dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		struct unit unit = { .die = die, .is_skeleton = type == DW_UT_skeleton };

		if (type == DW_UT_compile || type == DW_UT_skeleton)
			err = take_unit(info, &unit, &aranges, &ranges);
	}
	debug_ranges_deinit(&ranges);
	debug_aranges_deinit(&aranges);
	sort_ranges(info);
}

/* The first range that begins above @vaddr. */
static size_t first_above(const struct debug_info *info, uint64_t vaddr)
{
	return sorted_count(info->n_ranges, i, info->ranges[i].start <= vaddr);
}

/*
 * Finds the function at @vaddr. Ranges of units may be too large, so all units that claim the
 * address are searched. SCOPE_NONE: no function found; *@unit_ret is then a unit that claims the
 * address, or NULL.
 */
static uint32_t find_scope_in(struct debug_info *info, uint64_t vaddr, enum index_state wanted,
			      struct unit **unit_ret)
{
	uint32_t scope;

	*unit_ret = NULL;
	for (size_t i = first_above(info, vaddr); i-- > 0;) {
		const struct unit_range *range = &info->ranges[i];
		struct unit *unit = &info->units[range->unit];

		if (range->reach <= vaddr)
			break;
		if (vaddr >= range->end)
			continue;
		*unit_ret = unit;
		if (index_unit(info, unit, wanted) ||
		    debug_scopes_find(&unit->scopes, &unit->tree, whole_source(unit), vaddr,
				      &scope))
			return SCOPE_NONE;
		if (scope != SCOPE_NONE)
			return scope;
	}
	return SCOPE_NONE;
}

/*
 * Functions in unusual places (inside types or other functions) are searched only if no other is
 * found.
 */
static uint32_t find_scope(struct debug_info *info, uint64_t vaddr, struct unit **unit_ret)
{
	uint32_t scope = find_scope_in(info, vaddr, INDEXED, unit_ret);

	return scope == SCOPE_NONE && *unit_ret
		       ? find_scope_in(info, vaddr, THOROUGHLY_INDEXED, unit_ret)
		       : scope;
}

static bool number_of(Dwarf_Attribute *attribute, uint64_t *number_ret)
{
	Dwarf_Word value;

	if (!attribute || dwarf_formudata(attribute, &value) != 0)
		return false;
	*number_ret = value;
	return true;
}

/* 0: none, or it does not fit. */
static uint32_t small_number_of(Dwarf_Attribute *attribute)
{
	uint64_t line;

	return number_of(attribute, &line) && line <= UINT32_MAX ? (uint32_t)line : 0;
}

static const char *directory_of(Dwarf_Die *unit)
{
	Dwarf_Attribute found;

	return dwarf_attr(unit, DW_AT_comp_dir, &found) ? dwarf_formstring(&found) : NULL;
}

/* The sections that contain @cu; NULL: none of ours. */
static const struct debug_sections *sections_of(const struct debug_info *info,
						const struct unit *unit, Dwarf_CU *cu)
{
	const Dwarf *dwarf = dwarf_cu_getdwarf(cu);

	if (dwarf == info->main.dwarf.dwarf)
		return &info->main.sections;
	if (unit->split && dwarf == unit->split->dwarf.dwarf)
		return &unit->split->sections;
	return dwarf == info->alternate.dwarf.dwarf ? &info->alternate.sections : NULL;
}

/*
 * The line table of @cu. A split unit may have a table for names of files, or use that of its
 * skeleton.
 */
static struct debug_lines *lines_of(struct debug_info *info, struct unit *unit, Dwarf_CU *cu)
{
	const struct debug_sections *sections = sections_of(info, unit, cu);
	Dwarf_Attribute found;
	uint64_t offset = 0;
	Dwarf_Die die;

	if (!sections)
		return NULL;
	if (unit->split && sections == &unit->split->sections) {
		if (sections->of[DEBUG_LINE].bytes)
			return debug_line_tables_get(&info->lines, sections, 0,
						     directory_of(&unit->die));
		sections = &info->main.sections;
		cu = unit->die.cu;
	}
	if (dwarf_cu_info(cu, NULL, NULL, &die, NULL, NULL, NULL, NULL) != 0 ||
	    !number_of(dwarf_attr(&die, DW_AT_stmt_list, &found), &offset))
		return NULL;
	return debug_line_tables_get(&info->lines, sections, offset, directory_of(&die));
}

/* The name of the file that an attribute refers to, from the line table of the attribute's unit. */
static const char *file_of(struct debug_info *info, struct unit *unit, Dwarf_Attribute *attribute)
{
	struct debug_lines *lines;
	uint64_t number;

	if (!number_of(attribute, &number) || !(lines = lines_of(info, unit, attribute->cu)))
		return NULL;
	return debug_lines_file(lines, number);
}

static void describe(struct debug_info *info, struct unit *unit, Dwarf_Die *die,
		     struct debug_function *function)
{
	Dwarf_Attribute found;

	function->name = debug_names_find(&info->names, die, dwarf_srclang(whole_unit(unit)));
	function->decl_file =
		file_of(info, unit, dwarf_attr_integrate(die, DW_AT_decl_file, &found));
	function->decl_line = small_number_of(dwarf_attr_integrate(die, DW_AT_decl_line, &found));
}

static void describe_inlined(struct debug_info *info, struct unit *unit, Dwarf_Die *die,
			     struct description *description)
{
	Dwarf_Attribute found;

	*description = (struct description){ 0 };
	describe(info, unit, die, &description->function);
	description->call_file = file_of(info, unit, dwarf_attr(die, DW_AT_call_file, &found));
	description->call_line = small_number_of(dwarf_attr(die, DW_AT_call_line, &found));
	description->call_discriminator =
		small_number_of(dwarf_attr(die, AT_GNU_DISCRIMINATOR, &found));
}

/* NULL: out of memory. */
static struct description *add_description(struct debug_info *info)
{
	if (array_reserve(info->descriptions, info->n_descriptions, info->n_descriptions_allocated,
			  1))
		return NULL;
	return &info->descriptions[info->n_descriptions++];
}

static struct description description_of(struct debug_info *info, struct unit *unit,
					 struct debug_scope *scope)
{
	struct description description;

	if (scope->note)
		return info->descriptions[scope->note - 1];
	describe_inlined(info, unit, &scope->die, &description);
	struct description *kept = add_description(info);
	if (kept) {
		*kept = description;
		scope->note = info->n_descriptions;
	}
	return description;
}

/* What find() is asked for. */
enum {
	FIND_LINE = 1 << 0,          /* of the instruction */
	FIND_COMPILED = 1 << 1,      /* the compiled function's name and declaration */
	FIND_DISCRIMINATORS = 1 << 2 /* with FIND_LINE */
};

static void find_line(struct debug_info *info, struct unit *unit, uint64_t vaddr, unsigned wanted,
		      struct debug_function *function)
{
	struct debug_lines *lines = lines_of(info, unit, unit->die.cu);
	const struct debug_line *line;

	if (!lines)
		return;
	line = wanted & FIND_DISCRIMINATORS
		       ? debug_lines_find_discriminated(lines, vaddr, &function->discriminator)
		       : debug_lines_find(lines, vaddr);
	if (!line)
		return;
	function->file = debug_lines_file(lines, line->file);
	function->line = line->line;
}

/* @unit_ret: where the address is; NULL if it returns 0. */
static size_t find(struct debug_info *info, uint64_t vaddr, unsigned wanted,
		   struct debug_function *functions, size_t max_functions, struct unit **unit_ret)
{
	struct debug_function next = { 0 };
	struct unit *unit;
	size_t n = 0;

	if (!info->is_scanned)
		scan(info);
	uint32_t scope = find_scope(info, vaddr, &unit);
	*unit_ret = unit;
	if (!unit)
		return 0;
	const char *directory = directory_of(&unit->die);
	if (wanted & FIND_LINE)
		find_line(info, unit, vaddr, wanted, &next);
	next.directory = directory;
	if (scope == SCOPE_NONE && next.line && max_functions)
		functions[n++] = next;
	while (scope != SCOPE_NONE && n < max_functions) {
		struct debug_scope *at = &unit->scopes.scopes[scope];
		struct debug_function *function = &functions[n++];
		struct description description = { 0 };

		if (at->parent != SCOPE_NONE)
			description = description_of(info, unit, at);
		else if (wanted & FIND_COMPILED)
			describe(info, unit, &at->die, &description.function);
		*function = description.function;
		function->file = next.file;
		function->line = next.line;
		function->discriminator = next.discriminator;
		function->directory = directory;
		next.file = description.call_file;
		next.line = description.call_line;
		next.discriminator = description.call_discriminator;
		scope = at->parent;
	}
	return n;
}

size_t debug_info_find(struct debug_info *info, uint64_t vaddr, struct debug_function *functions,
		       size_t max_functions)
{
	struct unit *unit;

	return find(info, vaddr, FIND_LINE | FIND_COMPILED, functions, max_functions, &unit);
}

static bool is_of_gcc(Dwarf_Die *unit)
{
	Dwarf_Attribute found;
	const char *producer =
		dwarf_attr(unit, DW_AT_producer, &found) ? dwarf_formstring(&found) : NULL;

	return producer && strncmp(producer, "GNU ", strlen("GNU ")) == 0;
}

size_t debug_info_find_discriminated(struct debug_info *info, uint64_t vaddr,
				     struct debug_function *functions, size_t max_functions,
				     bool *is_of_llvm_ret)
{
	struct unit *unit;
	const size_t n = find(info, vaddr, FIND_LINE | FIND_COMPILED | FIND_DISCRIMINATORS,
			      functions, max_functions, &unit);

	*is_of_llvm_ret = unit && !is_of_gcc(whole_unit(unit));
	return n;
}

size_t debug_info_find_calls(struct debug_info *info, uint64_t vaddr, bool wants_line,
			     struct debug_function *functions, size_t max_functions)
{
	struct unit *unit;

	return find(info, vaddr, wants_line ? FIND_LINE : 0, functions, max_functions, &unit);
}

size_t debug_info_find_dies(struct debug_info *info, uint64_t vaddr, Dwarf_Die *dies,
			    size_t max_dies)
{
	struct unit *unit;
	size_t n = 0;

	if (!info->is_scanned)
		scan(info);
	uint32_t scope = find_scope(info, vaddr, &unit);
	while (scope != SCOPE_NONE && n < max_dies) {
		dies[n++] = unit->scopes.scopes[scope].die;
		scope = unit->scopes.scopes[scope].parent;
	}
	return n;
}
