/*
 * Joins kernel and user parts: callers come first, so user frames follow the root, and kernel
 * frames end the path.
 */
#include "kernel-merge/merge.h"

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
	if (halves->off.marker < 0)
		return n;
	if (halves->off.is_all_time)
		path[n++] = frame_marker(MARKER_OFF_ALL_TIME);
	if (halves->off.lock)
		path[n++] = frame_lock(halves->off.lock);
	if (halves->off.has_waker)
		path[n++] = frame_waker(halves->off.waker);
	path[n++] = frame_marker((enum marker)halves->off.marker);
	return n;
}
