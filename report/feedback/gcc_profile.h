/*
 * Writes a profile for gcc -fauto-profile: the file that gcc calls AutoFDO's, version 2. Words are
 * of 4 bytes and, as counts of 8 bytes, in the order of the machine's bytes, which is taken to be
 * little endian.
 *
 *	"adcg" 2 0
 *	0xaa000000 length n { size, name with NUL } n times
 *	0xac000000 length n { entered (8 bytes), function } n times
 *	0xae000000 length 0
 *
 *	function: number of its name, n lines, n inlined functions
 *	          { place, n callees, count (8) { 3, number of the name (8), count (8) } } n lines
 *times { place, function } n inlined functions times
 *
 * A place has the line's distance from the function's first one in its upper half; its lower half,
 * the discriminator, is 0, because gcc 12 looks for no other. Lengths are of bytes; gcc skips them.
 * Source: gcc 12, gcc/auto-profile.cc and gcov-io.cc, whose gcov_read_string() counts bytes.
 */
#ifndef REPORT_FEEDBACK_GCC_PROFILE_H
#define REPORT_FEEDBACK_GCC_PROFILE_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"

/* As path_format::write. */
int gcc_profile_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		      const struct path_options *options);
/*
 * The name that gcc looks a function up by: without what follows the first dot. @name: of
 * CODE_NAME_MAX bytes. false: it has none.
 */
bool gcc_profile_name(const char *symbol, char *name);

#endif
