/*
 * The packages that have the symbols of this machine's files: from the lists of files that dpkg
 * keeps, or by the files' names where dnf knows them. Only files are read.
 */
#ifndef REPORT_NAMES_DEBUG_PACKAGES_H
#define REPORT_NAMES_DEBUG_PACKAGES_H

#include <stdbool.h>
#include <stddef.h>

/* At most this much of dpkg's lists is read: some 10 MiB for 1000 packages. */
#define DEBUG_PACKAGES_MAX_READ (64u << 20)

/* Whether a recording of this host and kernel was made on this machine as it runs. Either: NULL. */
bool debug_packages_are_here(const char *hostname, const char *os_release);
/*
 * "apt install libc6-dbg make-dbgsym": the command that installs the symbols of the files at
 * @paths, below @root ("" for this machine). NULL: not known, or no memory. The caller frees it.
 */
char *debug_packages_command(const char *root, const char *const *paths, size_t n_paths);

#endif
