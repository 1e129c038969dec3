/*
 * What a part of a profile's samples has of the profile's tree, because it is not known of nodes of
 * the fold: which processes a row stands for, and how frames were found.
 */
#ifndef REPORT_SCOPE_REFOLD_TREE_H
#define REPORT_SCOPE_REFOLD_TREE_H

#include "report/scope/refold_base.h"

/* All but @into by nodes, or entities, of the base. */
struct refolded {
	bool is_whole;                       /* all samples are selected */
	const bool *is_selected, *is_hidden; /* the second by entity */
	const uint32_t *places;
	struct fold *into;
};

/* Completes the entities of processes, and the marks of frames, of ->into. 0 or -ENOMEM. */
int refold_note_tree(const struct refold_base *base, const struct refolded *refolded);
#endif
