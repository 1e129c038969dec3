/*
 * How long instructions with VEX and EVEX prefixes are (AVX, AVX-512, mask registers), and those of
 * group 7 without operands: libcapstone 4 does not know all of them, but their encoding is regular,
 * so what follows one is not misread. Intel SDM volume 2, sections 2.3 and 2.7.
 */
#ifndef REPORT_CODE_X86_VECTOR_SIZE_H
#define REPORT_CODE_X86_VECTOR_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes; 0: no such instruction begins at @code, or it is cut. @is_64: in 64-bit mode. */
unsigned x86_vector_size(const uint8_t *code, size_t size, bool is_64);

#endif
