/* The machine code of a file: which machine it is for, and its bytes. */
#ifndef REPORT_CODE_MACHINE_CODE_H
#define REPORT_CODE_MACHINE_CODE_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

/* The machine of the file's code: EM_X86_64, EM_386 or EM_AARCH64; EM_NONE: another
 * machine, whose code disassembler_create() refuses. */
uint16_t machine_code_arch(Elf *elf);

/*
 * The file's bytes from @vaddr up to @end, or fewer if the section, segment or file ends before.
 * NULL: the file contains no bytes for @vaddr, for example because its code was stripped. They live
 * as long as @elf.
 */
const uint8_t *machine_code_bytes(Elf *elf, uint64_t vaddr, uint64_t end, size_t *size_ret);

#endif
