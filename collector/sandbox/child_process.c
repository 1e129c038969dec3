#include "collector/sandbox/child_process.h"

#include <limits.h>
#include <unistd.h>

#define FIRST 3 /* after the standard ones */

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
