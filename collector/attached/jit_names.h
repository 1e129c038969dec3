/*
 * The text of a perf-PID.map file -> symbols. Lines are "START SIZE NAME", hexadecimal without 0x;
 * others are skipped. Compilers append lines and never delete those of moved or freed code, so
 * where lines overlap the last one names the addresses.
 */
#ifndef COLLECTOR_ATTACHED_JIT_NAMES_H
#define COLLECTOR_ATTACHED_JIT_NAMES_H

#include <stddef.h>

#include "cct/model/module.h"

/* A sorted table; no two symbols overlap. NULL: out of memory. */
struct symbol_table *jit_names_parse(const char *text, size_t size);

#endif
