/*
 * Archives: one file with a recording and all files that reports need, so that reports are the same
 * on every machine (docs/decisions/0012-archives-are-recordings.md).
 */
#ifndef COLLECTOR_FILES_ARCHIVE_H
#define COLLECTOR_FILES_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/base/work_done.h"
#include "cct/object/file_search.h"

struct archive_result {
	uint32_t n_files;    /* packed */
	uint64_t size;       /* of the archive */
	uint64_t added_size; /* of that, what was packed */
};

/*
 * Writes @to, complete or not at all: the recording at @from with the files that @files found while
 * the recording was read. @is_cut: the recording was not finished. @work: counts the bytes of these
 * files and the recording. 0 or -errno.
 */
int archive_write(const char *from, bool is_cut, const char *to, struct file_search *files,
		  struct work_done *work, struct archive_result *result_ret);

#endif
