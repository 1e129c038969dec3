/*
 * The signals that mean something to a recorder, read from a descriptor: those that end a
 * recording, SIGCHLD of the command, SIGUSR1 for a phase, and SIGUSR2 for a part.
 *
 * They are blocked before anything else is done and before there is a second thread, because a
 * thread that does not block one of them lets it end the process. Whoever sends one as soon as the
 * process blocks it is heard, however long the recording takes to begin.
 */
#ifndef COLLECTOR_RECORD_CONTROL_RECORDER_SIGNALS_H
#define COLLECTOR_RECORD_CONTROL_RECORDER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>

struct recorder_signals {
	sigset_t caught;
	sigset_t old_mask; /* for the command */
	bool is_blocked;
	int fd; /* a signalfd, once it is open; else -1 */
};

/* None is blocked. */
void recorder_signals_init(struct recorder_signals *signals);
/* Blocks them in the calling thread, the only one. SIGPIPE is ignored. */
void recorder_signals_block(struct recorder_signals *signals);
/* There are no parts: SIGUSR2 means what it meant before, also where it came meanwhile. */
void recorder_signals_leave_parts(struct recorder_signals *signals);
/* Opens the descriptor. 0 or -errno. */
int recorder_signals_open(struct recorder_signals *signals);
/* The next signal that came; false: none has. */
bool recorder_signals_next(struct recorder_signals *signals, struct signalfd_siginfo *info_ret);
/* The recording is complete: from now on, what would have ended it ends the process, and what would
 * have marked a phase or a part, also if it waits to be read, has no effect. */
void recorder_signals_release(struct recorder_signals *signals);
/* Likewise, and closes the descriptor. */
void recorder_signals_deinit(struct recorder_signals *signals);

#endif
