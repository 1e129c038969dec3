/*
 * The vdsos: code that the kernel maps into each process, without a file. A recording holds their
 * bytes, because stacks with them cannot be unwound without.
 */
#ifndef COLLECTOR_RECORD_START_VDSO_IMAGES_H
#define COLLECTOR_RECORD_START_VDSO_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#include "cct/model/build_id.h"

struct vdso_image {
	const char *name;     /* static: what readers call it */
	const uint8_t *bytes; /* whole pages */
	size_t size;          /* 0: there is none, or it can't be read */
	struct build_id build_id;
};

struct vdso_images {
	struct vdso_image own; /* mapped into this process */
	struct vdso_image low; /* of 32-bit programs; heap */
};

void vdso_images_read(struct vdso_images *images);
void vdso_images_deinit(struct vdso_images *images);

#endif
