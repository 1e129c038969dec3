/*
 * Joins kernel and user parts: callers come first, so user frames follow the root, and kernel
 * frames end the path.
 */
#include "kernel-merge/merge.h"

#include <assert.h>

enum marker merge_cpu_state_marker(enum cpu_state state)
{
	static const enum marker markers[] = {
		[OFF_PREEMPTED] = MARKER_PREEMPTED,
		[OFF_BLOCKED] = MARKER_BLOCKED,
		[OFF_IO_WAIT] = MARKER_IO_WAIT,
	};

	assert(state != ON_CPU);
	return markers[state];
}

size_t merge_call_path(const struct path_halves *halves, struct frame *path)
{
	size_t n = 0;

	if (halves->end_marker >= 0)
		path[n++] = frame_marker((enum marker)halves->end_marker);
	for (size_t i = halves->n_user; i-- > 0;)
		path[n++] = halves->user[i];
	if (n && halves->n_kernel)
		path[n++] = frame_marker(MARKER_KERNEL);
	for (size_t i = halves->n_kernel; i-- > 0;)
		path[n++] = halves->kernel[i];
	if (halves->cpu_state != ON_CPU)
		path[n++] = frame_marker(merge_cpu_state_marker(halves->cpu_state));
	return n;
}
