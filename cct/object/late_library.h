/*
 * Shared libraries that few commands need, opened with their first use: one with large tables of
 * pointers takes a millisecond or two of each start, since the dynamic linker relocates all of
 * them.
 */
#ifndef CCT_OBJECT_LATE_LIBRARY_H
#define CCT_OBJECT_LATE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct late_function {
	const char *name;
	void *pointer; /* the pointer to a function that is set; its type is the caller's business
			*/
};

/*
 * Opens the library with this name, which stays until the process ends, and sets pointers to its
 * functions. They are visible to dlsym(RTLD_DEFAULT) as well. false: the library is not there, or
 * lacks one; pointers may be set in part. Any thread.
 */
bool late_library_open(const char *name, const struct late_function *functions, size_t n);

#endif
