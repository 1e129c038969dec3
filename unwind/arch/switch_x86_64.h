/* How compilers jump by a table of distances in 64-bit code:
 *
 *	cmp $LAST,index; ja default      also with other widths, or an index in memory
 *	lea table(%rip),BASE             perhaps long before
 *	movslq (BASE,index,4),TO
 *	add BASE,TO
 *	jmp *TO
 */
#ifndef UNWIND_ARCH_SWITCH_X86_64_H
#define UNWIND_ARCH_SWITCH_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jump_by_table;

/* As arch->find_switch and arch->loads_table. */
bool x86_64_find_switch(const uint8_t *code, size_t size, struct jump_by_table *ret);
bool x86_64_loads_table(const uint8_t *code, size_t size, uint8_t base, int64_t *distance_ret);

#endif
