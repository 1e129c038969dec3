/* Fills the names of a profile that is to be stored (cct/model/stored_names.h). */
#ifndef REPORT_NAMES_NAMES_STORE_H
#define REPORT_NAMES_NAMES_STORE_H

#include "cct/model/profile.h"
#include "report/names/symbolize.h"

/*
 * Names all code of the profile's tree, with inlined functions and lines, and notes what is
 * missing. The result is the caller's. 0 or -ENOMEM. The symbolizer's options must have inlined
 * functions and lines.
 */
int names_store(const struct profile *profile, struct symbolizer *symbolizer,
		struct stored_names **names_ret);

#endif
