/*
 * Stored names of several profiles. Of a module with a build ID, an offset has one name: where the
 * profiles differ, as one of them was built without debug information, the fullest is kept. Without
 * a build ID, different names at an offset mean different code: each belongs to another variant of
 * the module, in the order in which they come.
 *
 * By name, code is what its functions are called, in a module that has no more than a file name:
 * the compiled function's symbol and the names of those inlined at the address, without lines. Its
 * offset is a hash of these, and where two hashes are equal, there are two variants.
 */
#ifndef CCT_MERGE_MERGE_NAMES_H
#define CCT_MERGE_MERGE_NAMES_H

#include "cct/merge/merge_state.h"

/*
 * Adds a profile's names, and sets @maps->code_modules and ->code_offsets. @maps->modules must be
 * known. @order: NULL: as they are. 0 or -ENOMEM.
 */
int merge_names(struct merge_state *state, const struct merge_maps *maps,
		const struct merge_order *order);
/*
 * Which of two addresses of one module, or of its variants, comes first in a finished sum: by
 * offset, then by what is known of it; the fuller is greater.
 */
int merge_compare_codes(const struct stored_names *names, const struct stored_code *a,
			const struct stored_code *b);

#endif
