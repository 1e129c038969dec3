#include "collector/sandbox/child_process.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST 3 /* after the standard ones */

pid_t child_process_fork_linked(int *end_ret)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	fflush(NULL);
	const pid_t pid = fork();
	const int err = pid < 0 ? -errno : 0;
	const int own = pid == 0;
	close(ends[!own]);
	if (err) {
		close(ends[own]);
		return err;
	}
	*end_ret = ends[own];
	return pid;
}

void child_process_keep(const int *fds, size_t n)
{
	unsigned at = FIRST;

	for (;;) {
		unsigned next = UINT_MAX;

		for (size_t i = 0; i < n; i++) {
			if ((unsigned)fds[i] >= at && (unsigned)fds[i] < next)
				next = (unsigned)fds[i];
		}
		if (next > at)
			close_range(at, next == UINT_MAX ? UINT_MAX : next - 1, 0);
		if (next == UINT_MAX)
			return;
		at = next + 1;
	}
}
