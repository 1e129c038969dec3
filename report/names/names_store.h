/* Fills the names of a profile that is to be stored (cct/model/stored_names.h). */
#ifndef REPORT_NAMES_NAMES_STORE_H
#define REPORT_NAMES_NAMES_STORE_H

#include "cct/model/known_names.h"
#include "cct/model/profile.h"
#include "report/names/symbolize.h"

/*
 * Names all code of the profile's tree, with inlined functions and lines, and notes what is
 * missing. The result is the caller's. 0 or -ENOMEM. The symbolizer's options must have inlined
 * functions and lines. It is used up: files are closed as soon as all of a module has names, so
 * that memory is needed for one at a time. @known: names found for profiles before, which are taken
 * over, and to which these are added; the result is the same without (NULL).
 */
int names_store(const struct profile *profile, struct symbolizer *symbolizer,
		struct known_names *known, struct stored_names **names_ret);
/*
 * Adds the names of code that is new in the tree of a profile that grows, without what is missing.
 * The symbolizer has named nothing by another function: its profile must have no names of its own,
 * and may have become larger. 0 or -ENOMEM.
 */
int names_store_more(const struct profile *profile, struct symbolizer *symbolizer,
		     struct stored_names *names);

#endif
