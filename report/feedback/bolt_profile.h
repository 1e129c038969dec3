/*
 * Writes a profile for BOLT, llvm-bolt -data=FILE, of one program or library: its "fdata", as
 * perf2bolt writes it. With branches each line is a branch, taken or not, with how often it was
 * mispredicted and executed; offsets are hexadecimal:
 *
 *	1 FROM_FUNCTION OFFSET 1 TO_FUNCTION OFFSET MISPREDICTED COUNT
 *
 * "0 [unknown] 0" is what is outside the program. With samples alone each is an address with its
 * samples:
 *
 *	no_lbr EVENT:
 *	1 FUNCTION OFFSET SAMPLES
 *
 * Source: LLVM 16, bolt/include/bolt/Profile/DataReader.h and bolt/lib/Profile/DataAggregator.cpp.
 * BOLT knows more of jump tables and landing pads: where one is in the midst of what runs straight
 * on, it has a branch more there.
 */
#ifndef REPORT_FEEDBACK_BOLT_PROFILE_H
#define REPORT_FEEDBACK_BOLT_PROFILE_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"

/* As path_format::write. */
int bolt_profile_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		       const struct path_options *options);

#endif
