/* What child processes that do not exec need. */
#ifndef COLLECTOR_SANDBOX_CHILD_PROCESS_H
#define COLLECTOR_SANDBOX_CHILD_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * As fork(), with a socket (SOCK_SEQPACKET) between both processes: *@end_ret is each one's own
 * end. -errno: no process was started.
 */
pid_t child_process_fork_linked(int *end_ret);
/* Closes all descriptors of the calling process but the standard ones and the @n @fds: one that is
 * the parent's keeps a lock, or a pipe open of which somebody waits for the end. */
void child_process_keep(const int *fds, size_t n);

#endif
