/* Releases locals at scope end: `_cleanup_free_ char *text = ...;` */
#ifndef CCT_BASE_CLEANUP_H
#define CCT_BASE_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}
static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
#define _cleanup_free_  __attribute__((cleanup(cleanup_free)))
#define _cleanup_close_ __attribute__((cleanup(cleanup_close)))

/* Takes the value out of a variable that would be released. */
#define steal_ptr(pointer)                       \
	({                                       \
		__auto_type stolen_ = (pointer); \
		(pointer) = NULL;                \
		stolen_;                         \
	})

#endif
