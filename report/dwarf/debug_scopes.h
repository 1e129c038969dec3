/*
 * The functions of one unit by address, and the calls inlined into each function. The inlined calls
 * of a function are read at the first address in it. Ranges of inner scopes cut holes into those of
 * outer ones; the result is a sorted list of spans for binary search.
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
	uint32_t parent; /* the scope that this one is inlined into, or SCOPE_NONE */
	uint32_t note;   /* for the caller's use; 0 at first */
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
	struct debug_scope *scopes; /* the functions, then the inlined calls found so far */
	uint32_t n_scopes, n_scopes_allocated;
	struct debug_spans functions;
	struct debug_spans *inlined; /* by function; NULL spans: not read yet */
	uint32_t n_functions;
};

/*
 * Indexes a unit's functions. @tree: of the unit. @is_thorough: also find functions inside other
 * functions and types, which takes longer. Unreadable parts are skipped. 0 or -ENOMEM.
 */
int debug_scopes_init(struct debug_scopes *scopes, Dwarf_Die *unit, const struct debug_tree *tree,
		      const struct debug_range_source *source, bool is_thorough);
void debug_scopes_deinit(struct debug_scopes *scopes);
/* Sets *@scope_ret to the innermost function at @vaddr, or SCOPE_NONE. 0 or -ENOMEM. */
int debug_scopes_find(struct debug_scopes *scopes, const struct debug_tree *tree,
		      const struct debug_range_source *source, uint64_t vaddr, uint32_t *scope_ret);

#endif
