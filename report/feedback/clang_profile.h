/*
 * Writes a sample profile for clang -fprofile-sample-use, in the text encoding of LLVM 14
 * (include/llvm/ProfileData/SampleProfReader.h describes it):
 *
 *	function:total:head
 *	 offset.discriminator: count callee:count ...
 *	 offset.discriminator: inlined_function:total
 *	  offset.discriminator: count
 *
 * Lines and functions are in the order in which llvm-profdata writes them.
 *
 * The context-sensitive one has a function for each calling context, with the places of the calls;
 * what is inlined has a context, too:
 *
 *	[caller:offset.discriminator @ function]:total:head
 *	 offset.discriminator: count callee:count ...
 */
#ifndef REPORT_FEEDBACK_CLANG_PROFILE_H
#define REPORT_FEEDBACK_CLANG_PROFILE_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"

/* As path_format::write. */
int clang_profile_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
			const struct path_options *options);
int clang_context_profile_write(FILE *out, const struct profile *profile,
				struct symbolizer *symbolizer, const struct path_options *options);
/*
 * The name that clang looks a function up by: without what follows the first dot, as that of a part
 * or of a copy; but f.__uniq.123 is a name. @name: of CODE_NAME_MAX bytes. false: none that the
 * format can hold.
 */
bool clang_profile_name(const char *symbol, char *name);

#endif
