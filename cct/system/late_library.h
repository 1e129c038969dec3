/*
 * Shared libraries that few runs need, and whose tables take long to load: they are loaded when
 * they are first needed, and stay. A process that gives up its rights loads them before.
 */
#ifndef CCT_SYSTEM_LATE_LIBRARY_H
#define CCT_SYSTEM_LATE_LIBRARY_H

#include <stddef.h>

struct late_function {
	const char *name;
	void *pointer; /* to a pointer to such a function */
};

/*
 * Loads the library of this file name, if it is not loaded, and sets the pointers of all @n
 * functions. 0; or -ELIBACC: it cannot be loaded, or lacks one of them, and *@reason_ret says why,
 * until the thread's next dlerror().
 */
int late_library_open(const char *file, const struct late_function *functions, size_t n,
		      const char **reason_ret);

#endif
