/*
 * Sizes of instructions with VEX and EVEX prefixes (AVX, AVX-512, mask registers) and of group 7
 * instructions without operands. libcapstone 4 lacks some of them and would misread the code that
 * follows; their encoding is regular, so the size can be computed (Intel SDM volume 2, sections 2.3
 * and 2.7).
 */
#ifndef REPORT_CODE_X86_VECTOR_SIZE_H
#define REPORT_CODE_X86_VECTOR_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The size in bytes of the instruction at @code; 0: not such an instruction, or incomplete. @is_64:
 * 64-bit mode.
 */
unsigned x86_vector_size(const uint8_t *code, size_t size, bool is_64);

#endif
