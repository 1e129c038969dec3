/* What the agent's child processes, which do not exec, need of it. */
#ifndef COLLECTOR_AGENT_CHILD_PROCESS_H
#define COLLECTOR_AGENT_CHILD_PROCESS_H

#include <stddef.h>

/* Closes all descriptors of the calling process but the standard ones and the @n @fds: one that is
 * the agent's keeps a lock, or a pipe open of which somebody waits for the end. */
void child_process_keep(const int *fds, size_t n);

#endif
