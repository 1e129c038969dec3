/*
 * Walks the tree of DIEs of a unit (DWARF 5, 2.3 and 7.5) to find some among many: it reads only
 * their tags and where the next DIE is. libdw could do that, too, but takes ten times as long; the
 * DIEs that are found are read by libdw. A malformed DIE ends the list that contains it. Not
 * thread-safe.
 */
#ifndef REPORT_DWARF_DEBUG_TREE_H
#define REPORT_DWARF_DEBUG_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "report/dwarf/debug_sections.h"

struct debug_abbreviations;

/* All abbreviation tables of a file that were requested so far. */
struct debug_abbreviation_tables {
	void *tree;      /* of tsearch() */
	uint64_t budget; /* how many bytes may still be read, set by the owner */
};

struct debug_tree {
	const struct debug_sections *sections;
	const struct debug_abbreviations *abbreviations;
	const uint8_t *start, *end; /* of the unit, including its header */
};

/* A DIE; valid as long as the sections. */
struct debug_tree_die {
	const uint8_t *at;
	const uint8_t *inside;  /* after its attributes: its first child if it has children */
	const uint8_t *sibling; /* its DW_AT_sibling; NULL: it has none */
	uint32_t tag;           /* DW_TAG_* */
	bool has_children;
};

void debug_abbreviation_tables_deinit(struct debug_abbreviation_tables *tables);
/*
 * Opens the unit at @offset of .debug_info. @tree is valid as long as @tables and @sections. 0;
 * -EINVAL: the unit is malformed; -ENOMEM.
 */
int debug_tree_init(struct debug_tree *tree, struct debug_abbreviation_tables *tables,
		    const struct debug_sections *sections, uint64_t offset);
/* Whether a function of the unit may have an address, judging by the abbreviations alone. */
bool debug_tree_has_code(const struct debug_tree *tree);
/* Reads the DIE at @at. false: there is none. */
bool debug_tree_read(const struct debug_tree *tree, const uint8_t *at, struct debug_tree_die *die);
/* Reads the first child of @die. false: there is none. */
bool debug_tree_child(const struct debug_tree *tree, const struct debug_tree_die *die,
		      struct debug_tree_die *child_ret);
/*
 * Reads the next sibling of @die. false: there is none. Without a DW_AT_sibling, the children of
 * @die are read to find their end.
 */
bool debug_tree_next(const struct debug_tree *tree, const struct debug_tree_die *die,
		     struct debug_tree_die *next_ret);

#endif
