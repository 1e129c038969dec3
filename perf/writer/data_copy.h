/*
 * Makes a copy of a recording with additional attachments. They precede its first record, so that
 * each reader reads them first, in files and pipes, whole and cut ones. Everything else is
 * unchanged, except file offsets, which are adjusted.
 */
#ifndef PERF_WRITER_DATA_COPY_H
#define PERF_WRITER_DATA_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/base/work_done.h"
#include "perf/records/attachment.h"

struct data_copy {
	int from, to;        /* borrowed */
	uint64_t from_size;  /* of the recording */
	uint64_t data_start; /* in @from: where its records begin */
	uint64_t position;   /* in @to */
	bool is_pipe, is_cut;
	struct work_done *work; /* borrowed; counts the recording's bytes; NULL: nobody looks */
};

/*
 * @from: a recording that perf/file/data_file.h can open, a regular file; @to: empty. @is_cut: its
 * recorder did not finish it. 0 or -errno; -EINVAL: no such recording.
 */
int data_copy_start(struct data_copy *copy, int from, int to, bool is_cut);
/* All of @fd, from its start. 0 or -errno. */
int data_copy_attach(struct data_copy *copy, enum attachment_kind kind, const char *key, int fd);
/* Copies the records and everything after them. 0 or -errno. */
int data_copy_finish(struct data_copy *copy);

#endif
