/*
 * Joining of rare addresses: most paths of an hour differ from another one in nothing but the
 * instruction at which the innermost function was (docs/decisions/0073-rare-addresses-joined.md).
 *
 * Of the addresses of one function that end paths with the same callers, all with fewer than
 * RARE_ADDRESS_BELOW samples become one: the lowest of them. All others stay. So functions keep
 * what they cost on each path, and lines keep it where their addresses are not rare. Functions are
 * the same if all that are inlined at both addresses are, too; code without a name, or of a file
 * without a build ID, stays. Paths are counted over all processes and threads, and samples stay in
 * theirs.
 */
#ifndef CCT_MERGE_JOIN_ADDRESSES_H
#define CCT_MERGE_JOIN_ADDRESSES_H

#include "cct/merge/path_tree.h"
#include "cct/model/profile.h"

#define RARE_ADDRESS_BELOW 16 /* the standard error of 16 samples is a quarter of them */

/* Joins addresses of a profile's tree, which stays as it is. @joined->n_samples have another
 * address than before. 0 or -ENOMEM; in each case the caller releases @joined. */
int join_addresses(const struct profile *profile, struct changed_tree *joined);

#endif
