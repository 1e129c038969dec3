/*
 * Profiles as files (".cct"): a profile with its names is written to one, and read back equal
 * (docs/FORMAT.md, "Profiles"). What is left out is where code can be read: a stored profile needs
 * no other file, and stack bytes and registers are in recordings only.
 */
#ifndef CCT_STORE_PROFILE_FILE_H
#define CCT_STORE_PROFILE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "cct/model/profile.h"

/*
 * Writes a profile with ->names, and ->rows if it has them, to @file, which may be a pipe, and
 * flushes. Each row's node is below the frame of its thread. 0 or -errno; -EINVAL: it has no names,
 * and nothing was written.
 */
int profile_file_write(FILE *file, const struct profile *profile);

/* Whether the file @path ("-": standard input, which is not consumed) is a profile. */
bool profile_file_is_at(const char *path);

/*
 * Reads a profile, without rows. It may be hostile. 0, or -errno with a sentence in *@error_ret, on
 * the heap (NULL without memory). *@n_skipped_ret: sections of a later version that were skipped.
 */
int profile_file_read(FILE *file, struct profile **profile_ret, unsigned *n_skipped_ret,
		      char **error_ret);
/* Likewise, with its rows, if it has them. */
int profile_file_read_with_rows(FILE *file, struct profile **profile_ret, unsigned *n_skipped_ret,
				char **error_ret);

#endif
