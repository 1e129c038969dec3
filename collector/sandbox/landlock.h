/*
 * Landlock (Linux 5.13): a process opens, makes and runs no files from now on, but to read some,
 * and reaches no TCP port, abstract socket or process outside, as far as the kernel knows these
 * rights.
 */
#ifndef COLLECTOR_SANDBOX_LANDLOCK_H
#define COLLECTOR_SANDBOX_LANDLOCK_H

#include <stdbool.h>
#include <stddef.h>

bool landlock_is_here(void);
/* For the calling thread and those that it starts. It can't get new privileges (no_new_privs).
 * @paths: files, and folders with all that is in them, that may be read; what is not there is left
 * out. @written: a folder in which files may be made, changed and removed, too; NULL: none. 0 or
 * -errno. */
int landlock_enter(const char *const *paths, size_t n_paths, const char *written);

#endif
