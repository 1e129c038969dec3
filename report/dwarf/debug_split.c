#include "report/dwarf/debug_split.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The section of each column of a package's index (DWARF 5, 7.3.5.3). */
static const enum debug_section columns[] = {
	[1] = DEBUG_INFO,     [2] = N_DEBUG_SECTIONS,  [3] = DEBUG_ABBREV,     [4] = DEBUG_LINE,
	[5] = DEBUG_LOCLISTS, [6] = DEBUG_STR_OFFSETS, [7] = N_DEBUG_SECTIONS, [8] = DEBUG_RNGLISTS,
};
/* The key of a package in archives, whatever its path was. */
#define PACKAGE_KEY ".dwp"

#define INDEX_HEADER_SIZE 16

/* .debug_cu_index: a hash table by DWO ID, and tables of offsets and sizes by row and column. */
struct package_index {
	const struct debug_sections *sections;
	const uint8_t *ids, *rows, *columns, *offsets, *sizes;
	uint32_t version, n_columns, n_rows, n_slots;
};

static uint32_t number_at(const struct package_index *index, const uint8_t *bytes, uint64_t i)
{
	return (uint32_t)debug_sections_number(index->sections, bytes + 4 * i, 4);
}

/* false: the package has no index of version 2 or 5. */
static bool read_index(const struct debug_sections *sections, struct package_index *index)
{
	const struct debug_bytes *bytes = &sections->of[DEBUG_CU_INDEX];
	const uint8_t *at = bytes->bytes;

	if (!at || bytes->size < INDEX_HEADER_SIZE)
		return false;
	*index = (struct package_index){ .sections = sections };
	/* Four bytes in version 2; two bytes and padding since DWARF 5. */
	index->version = number_at(index, at, 0);
	if (index->version != 2)
		index->version = (uint32_t)debug_sections_number(sections, at, 2);
	index->n_columns = number_at(index, at, 1);
	index->n_rows = number_at(index, at, 2);
	index->n_slots = number_at(index, at, 3);
	uint64_t n_cells = (uint64_t)index->n_columns * index->n_rows;
	if ((index->version != 2 && index->version != 5) || n_cells > bytes->size ||
	    !index->n_slots || (index->n_slots & (index->n_slots - 1)) ||
	    INDEX_HEADER_SIZE + 12ull * index->n_slots + 4ull * index->n_columns + 8 * n_cells >
		    bytes->size)
		return false;
	index->ids = at + INDEX_HEADER_SIZE;
	index->rows = index->ids + 8ull * index->n_slots;
	index->columns = index->rows + 4ull * index->n_slots;
	index->offsets = index->columns + 4ull * index->n_columns;
	index->sizes = index->offsets + 4 * n_cells;
	return true;
}

/* The row of the unit with this DWO ID, from 1 on; 0: not found. */
static uint32_t find_row(const struct package_index *index, uint64_t id)
{
	uint32_t mask = index->n_slots - 1, slot = (uint32_t)id & mask;
	uint32_t step = ((uint32_t)(id >> 32) & mask) | 1;

	for (uint32_t i = 0; i < index->n_slots; i++, slot = (slot + step) & mask) {
		uint32_t row = number_at(index, index->rows, slot);

		if (!row || row > index->n_rows)
			return 0;
		if (debug_sections_number(index->sections, index->ids + 8ull * slot, 8) == id)
			return row;
	}
	return 0;
}

/* Reduces @sections of a package to the parts that belong to the unit in @row. */
static bool take_parts(const struct package_index *index, uint32_t row,
		       struct debug_sections *sections)
{
	for (uint32_t i = 0; i < index->n_columns; i++) {
		uint32_t column = number_at(index, index->columns, i);
		uint64_t cell = (uint64_t)(row - 1) * index->n_columns + i;
		uint64_t offset = number_at(index, index->offsets, cell);
		uint64_t size = number_at(index, index->sizes, cell);

		/* In version 2, column 8 means macros instead. */
		if (column >= sizeof(columns) / sizeof(columns[0]) || !column ||
		    columns[column] == N_DEBUG_SECTIONS || (column == 8 && index->version == 2))
			continue;
		const bool is_old_list = column == 5 && index->version == 2;
		struct debug_bytes *bytes =
			&sections->of[is_old_list ? DEBUG_LOC : columns[column]];
		if (!bytes->bytes)
			continue;
		if (offset > bytes->size || size > bytes->size - offset)
			return false;
		*bytes = (struct debug_bytes){ bytes->bytes + offset, size };
	}
	return true;
}

static struct debug_bytes from_offset(struct debug_bytes bytes, uint64_t offset)
{
	if (!bytes.bytes || offset >= bytes.size)
		return (struct debug_bytes){ 0 };
	return (struct debug_bytes){ bytes.bytes + offset, bytes.size - offset };
}

/*
 * In a split unit, indexes into .debug_addr and, before DWARF 5, offsets into .debug_ranges count
 * from a base that the skeleton gives. libdw gets the sections from that base on, so that they
 * count from 0.
 */
static void add_parts_of_skeleton(struct debug_split *split, Dwarf_Die *skeleton,
				  const struct debug_range_source *source)
{
	const struct debug_bytes *of = source->sections->of;
	Dwarf_Attribute found;
	Dwarf_Word ranges_base = 0;

	split->sections.of[DEBUG_ADDR] = from_offset(of[DEBUG_ADDR], source->addr_base);
	if (dwarf_attr(skeleton, DW_AT_GNU_ranges_base, &found))
		dwarf_formudata(&found, &ranges_base);
	split->sections.of[DEBUG_RANGES] = from_offset(of[DEBUG_RANGES], ranges_base);
}

/* Searches for the unit in the sections of @split. */
static int find_unit(struct debug_split *split, Dwarf_Die *skeleton, uint64_t id,
		     const struct debug_range_source *source)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;

	add_parts_of_skeleton(split, skeleton, source);
	int err = debug_dwarf_init(&split->dwarf, &split->sections);
	while (!err &&
	       dwarf_get_units(split->dwarf.dwarf, unit, &unit, NULL, &type, &die, NULL) == 0) {
		uint64_t found_id;

		if (type != DW_UT_split_compile ||
		    dwarf_cu_info(unit, NULL, NULL, NULL, NULL, &found_id, NULL, NULL) != 0 ||
		    found_id != id)
			continue;
		split->die = die;
		err = debug_range_source_init(&split->source, &die, &split->sections,
					      source->budget);
		split->source.base = source->base;
		return err ? -ENOENT : 0;
	}
	return err ? err : -ENOENT;
}

static int open_from_package(struct debug_split *split, const struct debug_package *package,
			     Dwarf_Die *skeleton, uint64_t id,
			     const struct debug_range_source *source)
{
	struct package_index index;
	uint32_t row = read_index(&package->sections, &index) ? find_row(&index, id) : 0;

	if (!row)
		return -ENOENT;
	split->sections = package->sections;
	return take_parts(&index, row, &split->sections) ? find_unit(split, skeleton, id, source)
							 : -ENOENT;
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute found;

	return dwarf_attr(die, name, &found) ? dwarf_formstring(&found) : NULL;
}

static int open_file(struct debug_split *split, const struct debug_package *package,
		     const struct module_file_place *place, const char *name, Dwarf_Die *skeleton,
		     uint64_t id, const struct debug_range_source *source)
{
	module_file_open_named(place, name, name, &split->file);
	if (split->file.state != MODULE_FILE_OK)
		return -ENOENT;
	int err =
		debug_sections_read(&split->of_file, split->file.elf, true, package->has_locations);
	/*
	 * The file is mapped and can be closed; there may be more .dwo files than files may be
	 * open.
	 */
	if (elf_cntl(split->file.elf, ELF_C_FDREAD) == 0) {
		close(split->file.fd);
		split->file.fd = -1;
	}
	split->sections = split->of_file;
	return err ? err : find_unit(split, skeleton, id, source);
}

/*
 * Opens the .dwo file at the compiler's path or, as files may have been moved, in the folder of the
 * skeleton's file.
 */
static int open_from_file(struct debug_split *split, const struct debug_package *package,
			  const struct module_file_place *place, Dwarf_Die *skeleton, uint64_t id,
			  const struct debug_range_source *source)
{
	const char *directory = text_of(skeleton, DW_AT_comp_dir);
	const char *name = text_of(skeleton, DW_AT_dwo_name);
	char in_directory[PATH_MAX];

	if (!name)
		name = text_of(skeleton, DW_AT_GNU_dwo_name);
	if (!name)
		return -ENOENT;
	const char *slash = strrchr(name, '/');
	int n = directory && *name != '/'
			? snprintf(in_directory, sizeof(in_directory), "%s/%s", directory, name)
			: -1;
	const char *names[] = { n >= 0 && (size_t)n < sizeof(in_directory) ? in_directory : name,
				slash ? slash + 1 : name };
	int err = -ENOENT;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && err == -ENOENT; i++) {
		debug_split_close(split);
		err = open_file(split, package, place, names[i], skeleton, id, source);
	}
	return err;
}

int debug_split_open(struct debug_split *split, const struct debug_package *package,
		     const struct module_file_place *place, Dwarf_Die *skeleton,
		     const struct debug_range_source *source)
{
	uint64_t id;

	*split = (struct debug_split){ .file = { .state = MODULE_FILE_NONE, .fd = -1 } };
	if (dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, NULL, &id, NULL, NULL) != 0)
		return -ENOENT;
	int err = open_from_package(split, package, skeleton, id, source);
	if (err == -ENOENT) {
		debug_split_close(split);
		err = open_from_file(split, package, place, skeleton, id, source);
	}
	if (err)
		debug_split_close(split);
	return err;
}

void debug_split_close(struct debug_split *split)
{
	debug_dwarf_deinit(&split->dwarf);
	debug_sections_deinit(&split->of_file);
	module_file_close(&split->file);
	split->sections = (struct debug_sections){ 0 };
}

/* Opens the package of the file at this path, with the end of the path cut off. */
static bool open_beside(struct debug_package *package, const struct module_file_place *place,
			size_t left_out)
{
	size_t size = strlen(place->path) - left_out;
	char name[PATH_MAX];

	if (size + sizeof(".dwp") > sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%.*s.dwp", (int)size, place->path);
	module_file_open_named(place, PACKAGE_KEY, name, &package->file);
	return package->file.state == MODULE_FILE_OK;
}

static bool open_package(struct debug_package *package, const struct module_file_place *place)
{
	static const char suffix[] = ".debug";
	size_t size = place->path ? strlen(place->path) : 0, size_suffix = strlen(suffix);

	if (!size) {
		module_file_open_named(place, PACKAGE_KEY, NULL, &package->file);
		return package->file.state == MODULE_FILE_OK;
	}
	return open_beside(package, place, 0) ||
	       (size > size_suffix && strcmp(place->path + size - size_suffix, suffix) == 0 &&
		open_beside(package, place, size_suffix));
}

int debug_package_open(struct debug_package *package, const struct module_file_place *place)
{
	package->file = (struct module_file){ .state = MODULE_FILE_NONE, .fd = -1 };
	if (!open_package(package, place))
		return 0;
	int err = debug_sections_read(&package->sections, package->file.elf, true,
				      package->has_locations);
	if (err)
		module_file_close(&package->file);
	return err;
}

void debug_package_close(struct debug_package *package)
{
	debug_sections_deinit(&package->sections);
	module_file_close(&package->file);
}
