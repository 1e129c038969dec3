/*
 * Opens program files for a process without rights (cct/broker/file_request.h).
 *
 * Whoever asks may be taken over by what it reads, so it decides nothing. It gets regular files
 * alone, to read, and of these ELF files that are no memory of a process (core dumps), jitdumps,
 * and what belongs to the kernel's modules and to debug files: all below /usr/lib/debug and
 * /lib/modules, by their true paths. Files are found before they are opened, so a device or a FIFO
 * of that name notices nothing. Roots are those of processes; the cache is the search's own.
 */
#ifndef CCT_OBJECT_FILE_SERVER_H
#define CCT_OBJECT_FILE_SERVER_H

#include "cct/object/file_search.h"

/* Answers requests with files of @search, until nobody has the other end of the socket open. */
void file_server_run(const struct file_search *search, int socket_fd);

#endif
