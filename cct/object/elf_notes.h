/* The notes of ELF files and of the kernel: elf(5), "Notes (Nhdr)". */
#ifndef CCT_OBJECT_ELF_NOTES_H
#define CCT_OBJECT_ELF_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/model/module.h"

/*
 * The GNU build ID in notes of this machine's byte order. @align: 4, or 8 in segments and sections
 * that are aligned so. false: there is none.
 */
bool elf_notes_build_id(const uint8_t *notes, size_t size, size_t align, struct build_id *ret);

#endif
