/*
 * The tree of DIEs of a unit (DWARF 5, 2.3 and 7.5), as far as it takes to find some among many:
 * tags, and where the next one is. libdw tells the same, an order of magnitude slower; what was
 * found is read by libdw.
 * What makes no sense ends the list that it stands in. Not thread-safe.
 */
#ifndef REPORT_DWARF_DEBUG_TREE_H
#define REPORT_DWARF_DEBUG_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "report/dwarf/debug_sections.h"

struct debug_abbreviations;

/* All tables of abbreviations of a file that were asked for. */
struct debug_abbreviation_tables {
	void *tree;      /* of tsearch() */
	uint64_t budget; /* bytes that may still be read, set by the owner */
};

struct debug_tree {
	const struct debug_sections *sections;
	const struct debug_abbreviations *abbreviations;
	const uint8_t *start, *end; /* of the unit, with its header */
};

/* A DIE; valid as long as the sections. */
struct debug_tree_die {
	const uint8_t *at;
	const uint8_t *inside;  /* behind its attributes: what stands in it, if it has any */
	const uint8_t *sibling; /* where it says that the next one is; NULL: it doesn't */
	uint32_t tag;           /* DW_TAG_* */
	bool has_children;
};

void debug_abbreviation_tables_deinit(struct debug_abbreviation_tables *tables);
/*
 * The unit at @offset of .debug_info. @tree is valid as long as @tables and @sections. -EINVAL: it
 * makes no sense; or -ENOMEM.
 */
int debug_tree_init(struct debug_tree *tree, struct debug_abbreviation_tables *tables,
		    const struct debug_sections *sections, uint64_t offset);
/* false: none of the unit's functions has an address, which is known without looking at them. */
bool debug_tree_has_code(const struct debug_tree *tree);
/* The DIE at @at; false: there is none. */
bool debug_tree_read(const struct debug_tree *tree, const uint8_t *at, struct debug_tree_die *die);
/* The first one in @die; false: there is none. */
bool debug_tree_child(const struct debug_tree *tree, const struct debug_tree_die *die,
		      struct debug_tree_die *child_ret);
/*
 * The one behind @die, in the same list; false: there is none. What stands in @die is read where it
 * doesn't say where that ends.
 */
bool debug_tree_next(const struct debug_tree *tree, const struct debug_tree_die *die,
		     struct debug_tree_die *next_ret);

#endif
