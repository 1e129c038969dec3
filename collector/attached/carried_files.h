/*
 * The files inside an archive, for file searches (cct/object/file_search.h): attachments of kind
 * ATTACHMENT_FILE.
 */
#ifndef COLLECTOR_ATTACHED_CARRIED_FILES_H
#define COLLECTOR_ATTACHED_CARRIED_FILES_H

#include <stddef.h>

#include "cct/object/file_search.h"
#include "perf/file/data_file.h"

/* Marks the recording as an archive. */
#define CARRIED_ARCHIVE "archive"
/* Found like files, but attached with the kind that they have in every recording. */
#define CARRIED_KALLSYMS "kallsyms"
#define CARRIED_VDSO     "[vdso]"
#define CARRIED_JITDUMP  "jitdump " /* and its key */

/* Reads attachments that precede the first record, and the time of the recording. 0 or -errno. */
int carried_files_take(const struct data_file *file, struct file_search *files);
/* file_search_found() for bytes in memory. */
void carried_files_found_bytes(struct file_search *files, const char *key, const void *bytes,
			       size_t size);

#endif
