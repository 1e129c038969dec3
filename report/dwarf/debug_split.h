/*
 * Split units: the functions of a unit whose skeleton is in the module's file, from the .dwo file
 * that the skeleton names, or from a package of them, FILE.dwp (DWARF 5, 7.3.2 and 7.3.5; and what
 * GNU tools did for DWARF 4). A split unit's DWO ID is that of its skeleton, always.
 */
#ifndef REPORT_DWARF_DEBUG_SPLIT_H
#define REPORT_DWARF_DEBUG_SPLIT_H

#include <elfutils/libdw.h>

#include "cct/object/module_file.h"
#include "report/dwarf/debug_ranges.h"
#include "report/dwarf/debug_sections.h"

/* The package beside a file. */
struct debug_package {
	struct module_file file;
	struct debug_sections sections;
};

/* A split unit; @die and what is read through it live until debug_split_close(). */
struct debug_split {
	struct module_file file; /* a .dwo file; none if it is from a package */
	struct debug_sections of_file;
	struct debug_sections
		sections; /* parts of the former, or of the package, and the skeleton's */
	struct debug_dwarf dwarf;
	struct debug_range_source source;
	Dwarf_Die die;
};

/* @place: the file beside which packages are. */
int debug_package_open(struct debug_package *package, const struct module_file_place *place);
void debug_package_close(struct debug_package *package);
/*
 * The split unit of @skeleton, which has @source; @place: its file. To be closed.
 * -ENOENT: there is none; or -ENOMEM.
 */
int debug_split_open(struct debug_split *split, const struct debug_package *package,
		     const struct module_file_place *place, Dwarf_Die *skeleton,
		     const struct debug_range_source *source);
void debug_split_close(struct debug_split *split);

#endif
