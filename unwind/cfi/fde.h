/*
 * Finds the frame description entry (FDE) that describes an address: by the table of .eh_frame_hdr
 * if it has the usual form, else by an index that is built in one pass over the section.
 */
#ifndef UNWIND_CFI_FDE_H
#define UNWIND_CFI_FDE_H

#include "cct/object/eh_frame.h"

/* The entries of one section. */
struct fde_table;

/* @elf is borrowed for the life of the result. 0; -ENOENT: no such section; -EINVAL: it cannot be
 * read; -ENOMEM. No other thread may use @elf during the call. */
int fde_table_create(Elf *elf, enum eh_frame_section section, struct fde_table **table_ret);
void fde_table_destroy(struct fde_table *table);
/* Of the section, in bytes. */
size_t fde_table_size(const struct fde_table *table);
/* The memory it takes. */
size_t fde_table_memory(const struct fde_table *table);
/* 0; -ENOENT: no entry contains @vaddr; -EINVAL: the entry cannot be read. Any thread. Results
 * point into the section. */
int fde_find(const struct fde_table *table, uint64_t vaddr, struct fde *fde_ret);
/* Whether an entry describes any of [@start, @end). */
bool fde_has_any(const struct fde_table *table, uint64_t start, uint64_t end);

#endif
