/* Memory of megabytes that is used up or touched at random: few page faults, few TLB misses. */
#ifndef CCT_SYSTEM_HUGE_PAGES_H
#define CCT_SYSTEM_HUGE_PAGES_H

#include <stddef.h>

/* Zeros, on huge pages where the kernel has some: memory that is never touched costs nothing.
 * @size: not 0. NULL: out of memory. */
void *huge_pages_alloc(size_t size);
/* @size: as it was for huge_pages_alloc(). NULL does nothing. */
void huge_pages_free(void *memory, size_t size);
/* Lets the kernel have huge pages where memory that will be used holds whole ones. */
void huge_pages_allow(void *memory, size_t size);

#endif
