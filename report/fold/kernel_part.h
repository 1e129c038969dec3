/* Which frames a choice of the kernel's part leaves out of paths. */
#ifndef REPORT_FOLD_KERNEL_PART_H
#define REPORT_FOLD_KERNEL_PART_H

#include "cct/model/frame.h"
#include "report/fold/view_options.h"

/* @is_mark: the frame is MARKER_KERNEL. */
static inline bool kernel_part_hides(enum view_kernel kernel, enum frame_kind kind, bool is_mark)
{
	switch (kind) {
	case FRAME_USER:
		return kernel == KERNEL_ONLY;
	case FRAME_KERNEL:
		return kernel == KERNEL_NONE;
	case FRAME_LOCK:
	case FRAME_WAKER:
	case FRAME_VALUE:
	case FRAME_MARKER:
		return kernel == KERNEL_ONLY || (is_mark && kernel == KERNEL_NONE);
	default:
		return false;
	}
}

#endif
