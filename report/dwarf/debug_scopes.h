/*
 * The functions of one unit by address; and what is inlined into one, which is read when the first
 * address in it comes up. Ranges of inner scopes cut holes into those of outer ones, which makes
 * lists of spans that are searched by halving.
 */
#ifndef REPORT_DWARF_DEBUG_SCOPES_H
#define REPORT_DWARF_DEBUG_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "report/dwarf/debug_ranges.h"
#include "report/dwarf/debug_tree.h"

#define SCOPE_NONE UINT32_MAX

struct debug_scope {
	Dwarf_Die die;   /* a DW_TAG_subprogram or a DW_TAG_inlined_subroutine */
	uint32_t parent; /* the function that this one is inlined into; SCOPE_NONE: none */
	uint32_t note;   /* whoever asks may note something; 0 at first */
};

struct debug_span {
	uint64_t start, end; /* virtual addresses */
	uint32_t scope;      /* the innermost one */
};

struct debug_spans {
	struct debug_span *spans; /* sorted, no two overlap */
	size_t n;
};

struct debug_scopes {
	struct debug_scope *scopes; /* the functions, then what was found to be inlined */
	uint32_t n_scopes, n_scopes_allocated;
	struct debug_spans functions;
	struct debug_spans *inlined; /* by function; NULL spans: not read yet */
	uint32_t n_functions;
};

/*
 * @tree: the unit's. @is_thorough: functions that stand inside others or in types, too; takes
 * longer. 0 or -ENOMEM. What can't be read is left out.
 */
int debug_scopes_init(struct debug_scopes *scopes, Dwarf_Die *unit, const struct debug_tree *tree,
		      const struct debug_range_source *source, bool is_thorough);
void debug_scopes_deinit(struct debug_scopes *scopes);
/* Sets *@scope_ret to the innermost function at @vaddr, or SCOPE_NONE. 0 or -ENOMEM. */
int debug_scopes_find(struct debug_scopes *scopes, const struct debug_tree *tree,
		      const struct debug_range_source *source, uint64_t vaddr, uint32_t *scope_ret);

#endif
