/*
 * The jitdumps of a recording. They are read from its attachments or, if it has none, from the
 * mapped file if it still exists. That file is used only if its inode and pid are those of the
 * mapping and it was not written after the recording, because a later process may have created it
 * again. Each dump is kept in an unnamed file, as the image of its module.
 */
#ifndef COLLECTOR_PATHS_JITDUMP_FILES_H
#define COLLECTOR_PATHS_JITDUMP_FILES_H

#include "cct/model/profile.h"
#include "collector/paths/jit_layer.h"
#include "perf/file/data_file.h"
#include "perf/records/record.h"

struct jitdump_files;

/* @path: of the recording. All are borrowed. NULL: out of memory. */
struct jitdump_files *jitdump_files_create(const struct data_file *file, const char *path,
					   struct profile *profile);
void jitdump_files_destroy(struct jitdump_files *files);

/*
 * The code in the dump that @marker maps, whose module is @module; the module gets image and names.
 * *@codes_ret is NULL if the dump is not available. The profile's quality counts missing dumps and
 * errors in dumps. 0 or -ENOMEM.
 */
int jitdump_files_find(struct jitdump_files *files, const struct record *marker, uint32_t module,
		       const struct jit_codes **codes_ret);

/* The latest names of a process's addresses, of attachments from the first-th on. For pipes, where
 * attachments come after the samples. NULL: none, or out of memory. */
struct symbol_table *jitdump_files_latest_names(struct jitdump_files *files, int32_t pid,
						size_t first);

#endif
