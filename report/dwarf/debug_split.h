/*
 * Split units. The module's file contains a skeleton; the unit's functions are in the .dwo file
 * that the skeleton names, or in a package of such units, FILE.dwp (DWARF 5, 7.3.2 and 7.3.5; for
 * DWARF 4, the GNU extension). A split unit is only used if its DWO ID is that of the skeleton.
 */
#ifndef REPORT_DWARF_DEBUG_SPLIT_H
#define REPORT_DWARF_DEBUG_SPLIT_H

#include <elfutils/libdw.h>

#include "cct/object/module_file.h"
#include "report/dwarf/debug_ranges.h"
#include "report/dwarf/debug_sections.h"

/* The package of a file, in the same folder. */
struct debug_package {
	bool has_locations; /* set by the owner: split units need these sections, too */
	struct module_file file;
	struct debug_sections sections;
};

/* A split unit. @die and all data reached through it are valid until debug_split_close(). */
struct debug_split {
	struct module_file file; /* the .dwo file; none if the unit is from a package */
	struct debug_sections of_file;
	struct debug_sections
		sections; /* parts of @of_file or of the package, and of the skeleton's file */
	struct debug_dwarf dwarf;
	struct debug_range_source source;
	Dwarf_Die die;
};

/* Opens the package of the file at @place, if there is one. @package: all zero but for its first
 * field. 0 or -ENOMEM. */
int debug_package_open(struct debug_package *package, const struct module_file_place *place);
void debug_package_close(struct debug_package *package);
/*
 * Opens the split unit of @skeleton. @source: the skeleton's. @place: the skeleton's file. The
 * caller closes it with debug_split_close(). 0; -ENOENT: there is none; -ENOMEM.
 */
int debug_split_open(struct debug_split *split, const struct debug_package *package,
		     const struct module_file_place *place, Dwarf_Die *skeleton,
		     const struct debug_range_source *source);
void debug_split_close(struct debug_split *split);

#endif
