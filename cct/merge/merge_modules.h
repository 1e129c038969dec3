/*
 * Modules of several profiles: those with one build ID are one, wherever their files are; without a
 * build ID, those with one path are. Memory that no file backs, and JIT code, belong to a process,
 * whose pid is part of their identity.
 *
 * Without a build ID, two files at one path may differ. Where the names at an offset do, the frame
 * belongs to another variant of the module (merge_names.h).
 */
#ifndef CCT_MERGE_MERGE_MODULES_H
#define CCT_MERGE_MERGE_MODULES_H

#include "cct/merge/merge_state.h"

/* The id of a module in the sum, added if new; its path becomes the smallest of those seen.
 * @variant: 0 with a build ID. 0: out of memory, or too many modules. */
uint32_t merge_module(struct merge_state *state, const struct module_key *key, uint32_t variant);
/* All of a profile's, as variants 0. 0 or -ENOMEM. */
int merge_modules(struct merge_state *state, const struct profile *from, uint32_t *modules);
/* The order of modules in a finished sum; variants of one module follow each other. */
int merge_compare_modules(const struct module_key *a, const struct module_key *b);
/* Whether they are variants of one module. */
bool merge_are_variants(const struct module_key *a, const struct module_key *b);

#endif
