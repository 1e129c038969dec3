/* Puts the runs of attachment records together again, each in an unlinked temporary file: small
 * ones in memory, up to a bound for all of them. */
#ifndef PERF_FILE_ATTACHMENTS_IN_H
#define PERF_FILE_ATTACHMENTS_IN_H

#include "perf/file/data_types.h"

struct attachments_in {
	struct data_file_attachment **list; /* a pointer stays valid for the file's life */
	size_t n, n_allocated;
	uint64_t n_bytes;     /* written to all temporary files */
	uint64_t n_in_memory; /* the size of those in memory, also of those that were forgotten */
	uint64_t file_size;   /* of the recording: attachments may reach this size; or 0 */
	uint64_t n_last_read; /* bytes of the last one so far */
};

void attachments_in_deinit(struct attachments_in *in);

/* Whether the record is an attachment, not perf's retired record of that type. */
bool attachment_is_ours(const struct perf_event_header *header);
/*
 * Adds a record. A record that does not continue the run before it, or exceeds the bounds of a
 * recording's attachments, leaves its attachment incomplete. 0 or -ENOMEM.
 */
int attachments_in_take(struct attachments_in *in, const struct perf_event_header *header);
/* The last attachment, if it is whole. */
const struct data_file_attachment *attachments_in_last_whole(const struct attachments_in *in);
/* Forgets the last attachment. */
void attachments_in_drop_last(struct attachments_in *in);

#endif
