/* The names of markers, for programs and for people. */
#include "cct/model/frame.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
	const char *name;
	const char *text;
} markers[N_MARKERS] = {
	[MARKER_KERNEL] = { "kernel", "[kernel]" },
	[MARKER_STACK_CUT] = { "stack_cut", "[stack deeper than the copy]" },
	[MARKER_NO_MODULE] = { "no_module", "[address in no known mapping]" },
	[MARKER_NO_UNWIND_INFO] = { "no_unwind_info", "[no unwind information]" },
	[MARKER_BAD_RETURN_ADDRESS] = { "bad_return_address", "[return address is not code]" },
	[MARKER_NO_PROGRESS] = { "no_progress", "[unwinding made no progress]" },
	[MARKER_TOO_DEEP] = { "too_deep", "[too many frames]" },
	[MARKER_BAD_CFI] = { "bad_cfi", "[unreadable unwind information]" },
	[MARKER_BAD_MEMORY] = { "bad_memory", "[memory outside the stack copy]" },
	[MARKER_MODULE_UNREADABLE] = { "module_unreadable", "[module file missing or changed]" },
	[MARKER_OTHER_FILE] = { "other_file", "[code in a file that is not ELF]" },
	[MARKER_NO_STACK] = { "no_stack", "[no user stack recorded]" },
	[MARKER_EXITING] = { "exiting", "[process was exiting]" },
	[MARKER_EXEC] = { "exec", "[registers from before exec]" },
	[MARKER_UNKNOWN_ARCH] = { "unknown_arch", "[architecture not unwound]" },
	[MARKER_NO_CALLCHAIN] = { "no_callchain", "[no kernel callchain]" },
	[MARKER_OTHER_STACK] = { "other_stack", "[callers on another stack]" },
	[MARKER_OFF_BEFORE] = { "off_before", "[off the CPU since before the recording]" },
	[MARKER_NOT_YET_RUN] = { "not_yet_run", "[new thread, not yet run]" },
	[MARKER_SWITCH_LOST] = { "switch_lost", "[sample of the switch lost]" },
	[MARKER_PREEMPTED] = { "preempted", "[preempted]" },
	[MARKER_BLOCKED] = { "blocked", "[blocked]" },
	[MARKER_IO_WAIT] = { "io_wait", "[waiting: I/O]" },
	[MARKER_STACK_HOLE] = { "stack_hole", "[untouched page in the stack]" },
	[MARKER_WAIT_LOCK] = { "wait_lock", "[waiting: lock]" },
	[MARKER_WAIT_KERNEL_LOCK] = { "wait_kernel_lock", "[waiting: kernel lock]" },
	[MARKER_WAIT_POLL] = { "wait_poll", "[waiting: poll]" },
	[MARKER_SLEEPING] = { "sleeping", "[sleeping]" },
	[MARKER_WAIT_PIPE] = { "wait_pipe", "[waiting: pipe]" },
	[MARKER_WAIT_SOCKET] = { "wait_socket", "[waiting: socket]" },
	[MARKER_WAIT_CHILD] = { "wait_child", "[waiting: child]" },
	[MARKER_WAIT_SIGNAL] = { "wait_signal", "[waiting: signal]" },
	[MARKER_WAIT_TERMINAL] = { "wait_terminal", "[waiting: terminal]" },
	[MARKER_WAIT_EVENT] = { "wait_event", "[waiting: event]" },
	[MARKER_WAIT_MESSAGE] = { "wait_message", "[waiting: message]" },
	[MARKER_WAIT_PAGE_FAULT] = { "wait_page_fault", "[waiting: page fault]" },
	[MARKER_WAIT_WORK] = { "wait_work", "[waiting: work]" },
	[MARKER_STOPPED] = { "stopped", "[stopped]" },
	[MARKER_WAIT_FILE_LOCK] = { "wait_file_lock", "[waiting: file lock]" },
	[MARKER_WAIT_SEMAPHORE] = { "wait_semaphore", "[waiting: semaphore]" },
	[MARKER_OFF_ALL_TIME] = { "off_all_time", "[off the CPU all the time]" },
	[MARKER_NOT_IN_TIME] = { "not_in_time", "[stack not unwound in time]" },
	[MARKER_SEEN_ONCE] = { "seen_once", "[paths seen once]" },
};

const char *marker_name(enum marker marker)
{
	return (unsigned)marker < N_MARKERS ? markers[marker].name : "unknown";
}

const char *marker_text(enum marker marker)
{
	return (unsigned)marker < N_MARKERS ? markers[marker].text : "[unknown]";
}

const char *lock_text(uint64_t addr, char text[static LOCK_TEXT_MAX])
{
	snprintf(text, LOCK_TEXT_MAX, "[lock 0x%" PRIx64 "]", addr);
	return text;
}
