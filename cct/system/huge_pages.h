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
/*
 * From here on, this process and those that it starts get huge pages for the memory above alone,
 * and where the kernel is older than 6.18, for none. Where all programs get them, as is usual, each
 * heap that is begun would have 2 MiB. For processes that start no programs of others.
 */
void huge_pages_restrict(void);

#endif
