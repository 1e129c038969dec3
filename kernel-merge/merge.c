/*
 * Joins kernel and user parts: callers come first, so user frames follow the root, and kernel
 * frames end the path.
 */
#include "kernel-merge/merge.h"

/* The value stands below its function: the functions further in stand below the value. */
static size_t put_valued(const struct frame *frame, const struct path_value *value,
			 struct frame *path)
{
	path[0] = value->has_inner ? frame_outer(*frame, value->n_outer) : *frame;
	path[1] = frame_value(value->text);
	if (value->has_inner)
		path[2] = frame_inner(*frame, value->n_outer);
	return value->has_inner ? 3 : 2;
}

static size_t put_user(const struct path_halves *halves, struct frame *path)
{
	const struct path_value *value = &halves->value;
	size_t n = 0;

	for (size_t i = halves->n_user; i-- > 0;) {
		if (value->is_there && i == value->at)
			n += put_valued(&halves->user[i], value, path + n);
		else
			path[n++] = halves->user[i];
	}
	return n;
}

size_t merge_call_path(const struct path_halves *halves, struct frame *path)
{
	size_t n = 0;

	if (halves->end_marker >= 0)
		path[n++] = frame_marker((enum marker)halves->end_marker);
	n += put_user(halves, path + n);
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
