/*
 * The functions of one unit, and what is inlined into them, by address. Ranges of inner scopes cut
 * holes into those of outer ones, which makes a list of spans that is searched by halving.
 */
#ifndef REPORT_DEBUG_SCOPES_H
#define REPORT_DEBUG_SCOPES_H

#include <elfutils/libdw.h>
#include <stdint.h>

#define SCOPE_NONE UINT32_MAX

struct debug_scope {
	Dwarf_Die die;   /* a DW_TAG_subprogram or a DW_TAG_inlined_subroutine */
	uint32_t parent; /* the function that this one is inlined into; SCOPE_NONE: none */
};

struct debug_span {
	uint64_t start, end; /* virtual addresses */
	uint32_t scope;      /* the innermost one */
};

struct debug_scopes {
	struct debug_scope *scopes;
	uint32_t n_scopes, n_scopes_allocated;
	struct debug_span *spans; /* sorted, no two overlap */
	size_t n_spans;
};

/* 0 or -ENOMEM. What can't be read is left out. */
int debug_scopes_init(struct debug_scopes *scopes, Dwarf_Die *unit);
void debug_scopes_deinit(struct debug_scopes *scopes);
/* The innermost function at @vaddr, or SCOPE_NONE. */
uint32_t debug_scopes_find(const struct debug_scopes *scopes, uint64_t vaddr);

#endif
