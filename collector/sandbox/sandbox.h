/*
 * Takes all rights from this process, for good: what parses files of others runs without any
 * (docs/SECURITY.md). It keeps its open descriptors, memory and threads to come, and can ask for
 * files by a socket.
 *
 * The layers: another user and an empty root folder, if it may change them; no capabilities;
 * Landlock without any rule; a list of system calls; limits of memory.
 */
#ifndef COLLECTOR_SANDBOX_SANDBOX_H
#define COLLECTOR_SANDBOX_SANDBOX_H

#include <stddef.h>

/* What this kernel lacks, for a message: "Landlock", "seccomp filters", both, or NULL: nothing. */
const char *sandbox_lacks(void);
/*
 * The caller has one thread. What the kernel lacks is left out; all else that fails is an error:
 * -errno.
 */
int sandbox_enter(void);
/*
 * Likewise, but the process stays who it is, and may read the files and folders @paths, also those
 * of other users; what is not there is left out. @written: a folder in which it may make, change
 * and remove files; NULL: none. Nothing bounds its memory.
 */
int sandbox_enter_reading(const char *const *paths, size_t n_paths, const char *written);

#endif
