/*
 * Compresses the bytes of an attachment into one frame of zstd; attached_text and jitdump_files
 * read them.
 */
#ifndef COLLECTOR_ATTACHED_PACKER_H
#define COLLECTOR_ATTACHED_PACKER_H

#include <stddef.h>
#include <stdint.h>

#include "perf/writer/data_writer.h"

/* Zeroed before packer_begin(). */
struct packer {
	void *stream; /* NULL: not begun */
	/* The packed bytes so far. A caller that has written them elsewhere sets the size to 0. */
	uint8_t *bytes;
	size_t size, n_allocated;
};

/* @level: zstd's. 0 or -ENOMEM. */
int packer_begin(struct packer *packer, int level);
/* 0 or -ENOMEM. */
int packer_add(struct packer *packer, const void *bytes, size_t size);
/* Packs the last bytes, possibly none, and ends the frame. The same errors. */
int packer_end(struct packer *packer, const void *bytes, size_t size);
void packer_deinit(struct packer *packer);

/* Attaches @bytes, packed. 0, -ENOMEM or the writer's -errno. */
int packer_attach(struct data_writer *writer, enum attachment_kind kind, const char *key,
		  const void *bytes, size_t size, int level);

#endif
