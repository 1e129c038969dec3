/*
 * Ends a process that builds a profile if it hangs: the recorder would wait for it for ever. One
 * that has something to do, but takes no CPU time, hangs; one that waits for a busy machine takes
 * some. It is looked at by a thread, because the recorder may wait for it at any moment.
 */
#ifndef COLLECTOR_RECORD_BUILDER_WATCH_H
#define COLLECTOR_RECORD_BUILDER_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define BUILDER_WATCH_INTERVAL_NS (15ull * 1000 * 1000 * 1000)

struct builder_watch;

/*
 * @pid: a child; @stream_fd: what is written to it, which it reads as long as something is in it.
 * It is killed after two intervals in a row without any CPU time. NULL: it cannot be watched.
 */
struct builder_watch *builder_watch_start(pid_t pid, int stream_fd, uint64_t interval_ns);
/* The stream is about to be closed: from now on the process works until it ends. */
void builder_watch_end_stream(struct builder_watch *watch);
/* The process was waited for. Whether it was killed. NULL is fine. */
bool builder_watch_stop(struct builder_watch *watch);

#endif
