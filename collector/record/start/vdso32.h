/*
 * The vdso that this kernel lends to 32-bit programs, had without running one: those that are
 * recorded may have exited before anybody looks. arch_prctl(ARCH_MAP_VDSO_32), Linux 4.8, x86-64.
 */
#ifndef COLLECTOR_RECORD_START_VDSO32_H
#define COLLECTOR_RECORD_START_VDSO32_H

#include <stddef.h>
#include <stdint.h>

/* Its ELF image, for free(). 0; -ENOTSUP: this kernel has none, or does not give it away. */
int vdso32_read(uint8_t **bytes_ret, size_t *size_ret);

#endif
