#include "collector/record/kept_part.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cct/base/cleanup.h"
#include "perf/file/data_file.h"

static void count_samples(struct data_file *file, struct kept_part *kept)
{
	uint64_t first_ns = UINT64_MAX, last_ns = 0;
	struct raw_record record;

	for (; data_file_next(file, &record) > 0; data_block_unref(record.block)) {
		if (record.header->type != PERF_RECORD_SAMPLE)
			continue;
		uint64_t time_ns = data_file_peek_time(file, record.header);
		kept->n_samples++;
		first_ns = time_ns < first_ns ? time_ns : first_ns;
		last_ns = time_ns > last_ns ? time_ns : last_ns;
	}
	if (kept->n_samples)
		kept->duration_ns = last_ns - first_ns;
}

int kept_part_read(const char *path, struct kept_part *ret)
{
	_cleanup_free_ char *error = NULL;
	struct kept_part kept = { 0 };
	struct data_file *file;
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	int err = data_file_open(path, &file, &error);
	if (err == -ENOMEM)
		return err;
	if (!err) {
		count_samples(file, &kept);
		data_file_close(file);
	}
	*ret = kept;
	return 0;
}
