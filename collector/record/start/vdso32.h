/*
 * Reads the vdso of 32-bit programs without running one, because a recorded one may exit too early.
 * arch_prctl(ARCH_MAP_VDSO_32), Linux 4.8, x86-64.
 */
#ifndef COLLECTOR_RECORD_START_VDSO32_H
#define COLLECTOR_RECORD_START_VDSO32_H

#include <stddef.h>
#include <stdint.h>

/* The ELF image, to free(). 0, or -ENOTSUP: this kernel has no such vdso or refuses to map it. */
int vdso32_read(uint8_t **bytes_ret, size_t *size_ret);

#endif
