/* Memory of megabytes that is used up or touched at random: few page faults, few TLB misses. */
#ifndef CCT_BASE_HUGE_PAGES_H
#define CCT_BASE_HUGE_PAGES_H

#include <stddef.h>

/* Zeroed, on huge pages where the kernel has some; for free(). NULL: out of memory. */
void *huge_pages_alloc(size_t size);
/* Lets the kernel have huge pages where memory that will be used holds whole ones. */
void huge_pages_allow(void *memory, size_t size);

#endif
