/*
 * Variables that the compiler says are not initialized yet (gcc's DW_OP_GNU_uninit). libdw takes an
 * expression that has the operation for damage, so the bytes are looked at here.
 */
#ifndef REPORT_DWARF_DEBUG_UNINITIALIZED_H
#define REPORT_DWARF_DEBUG_UNINITIALIZED_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether the expression for an address in the file, of a location or of a list of locations, ends
 * with that operation, which is its place. @attribute: one that libdw could not read. */
bool debug_is_uninitialized(Dwarf_Attribute *attribute, uint64_t vaddr);

#endif
