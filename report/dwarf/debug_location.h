/*
 * Where an object of a program is, or what its value is, at a moment: DWARF's expressions, location
 * lists and constants (DWARF 5, 2.5 and 2.6), evaluated for one frame of a sample.
 *
 * libdw decodes the operations. Expressions come from files: steps, depth, and the nesting of
 * expressions are bounded, and one that is malformed has a reason like one that leads to what is
 * not known. Not thread-safe.
 */
#ifndef REPORT_DWARF_DEBUG_LOCATION_H
#define REPORT_DWARF_DEBUG_LOCATION_H

#include "report/dwarf/debug_pieces.h"

/*
 * Finds the object that @die, a variable or a parameter, describes in @frame: by DW_AT_location or
 * DW_AT_const_value, its own or those of its abstract origin. A reason: nothing of it is known.
 */
enum debug_reason debug_location_find(struct debug_location *location, Dwarf_Die *die,
				      const struct debug_frame *frame);
/* Evaluates an attribute whose value is an expression or a location list. */
enum debug_reason debug_location_evaluate(struct debug_location *location,
					  Dwarf_Attribute *attribute,
					  const struct debug_frame *frame);

#endif
