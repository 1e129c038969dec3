/* Where a recording's bytes come from: a file read by position, or a pipe read as it comes. */
#ifndef PERF_FILE_DATA_INPUT_H
#define PERF_FILE_DATA_INPUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perf/file/data_blocks.h"

struct read_gate; /* perf/file/read_gate.h */

/* Where the header of a recording has the offset and the size of its records; the size is 0 until
 * the recorder has written all of them. */
#define DATA_INPUT_SECTION 40

struct data_input {
	int fd;
	bool is_borrowed; /* standard input */
	bool is_seekable;
	bool at_eof;            /* the file ended before @limit */
	uint64_t position;      /* of the next sequential read */
	uint64_t limit;         /* sequential reads end here; UINT64_MAX: at the end of the file */
	uint64_t size;          /* of a seekable file */
	int64_t modified;       /* likewise: when, in seconds since 1970 */
	struct read_gate *gate; /* left while bytes are waited for; borrowed; NULL: none */
	/* While this is true, the records of a file that is still written are waited for; borrowed;
	 * NULL: they are not. */
	const atomic_bool *follow;
	bool is_growing; /* the file's end is not written yet, and is followed */
};

/* @path: "-" is standard input. 0 or -errno. */
int data_input_open(struct data_input *input, const char *path);
void data_input_close(struct data_input *input);

/* The next bytes, at most @size: how many, 0 at the limit or the end, -errno. */
ssize_t data_input_read(struct data_input *input, uint8_t *bytes, size_t size);
/* Moves on without reading where the file can: how many bytes. */
uint64_t data_input_skip(struct data_input *input, uint64_t size);
/* Maps what follows in a seekable file, together with the last @back bytes before it, and moves on
 * to its end. *@pos_ret: where those begin in the block. NULL: nothing follows, or it must be read.
 */
struct data_block *data_input_map(struct data_input *input, uint32_t back, uint32_t *pos_ret);
/* Exactly @size bytes at @offset of a seekable file. -ENODATA: the file is shorter. */
int data_input_read_at(const struct data_input *input, uint64_t offset, void *bytes, size_t size);

#endif
