/*
 * Extracts the parts of an ELF file that a recording needs: its build ID and its bytes, or only the
 * bytes that unwinding and naming read if the file is large. The input is untrusted.
 */
#ifndef COLLECTOR_ATTACHED_ELF_EXTRACT_H
#define COLLECTOR_ATTACHED_ELF_EXTRACT_H

#include <stddef.h>
#include <stdint.h>

#include "cct/model/module.h"

/* The GNU build ID in the file's notes. 0; -ENOENT: it has none; -ENOEXEC: not an ELF file;
 * -errno. */
int elf_read_build_id(int fd, struct build_id *build_id_ret);

/*
 * The file's bytes if there are at most @whole_max of them; else an ELF file of its headers and its
 * unwind, symbol and note sections. The other sections are SHT_NOBITS there, PT_LOAD segments
 * stand as in the original, so offsets of mappings still lead to addresses. Heap, to free.
 *
 * -ENOEXEC: not an ELF file; -EFBIG: more than @max even so; -errno.
 */
int elf_extract(int fd, size_t whole_max, size_t max, uint8_t **bytes_ret, size_t *size_ret);

#endif
