/*
 * The process that reads for the recorder what --follow asks for. It parses program files and debug
 * information, which the recorder must not do, and answers requests (record/follow/follow_link.h)
 * until the recorder closes the socket.
 */
#ifndef COLLECTOR_RECORD_FOLLOW_FOLLOW_PROCESS_H
#define COLLECTOR_RECORD_FOLLOW_FOLLOW_PROCESS_H

#include "collector/record/follow/follow_link.h"

/* Starts it; the caller has no other threads, and has blocked the signals that end a recording.
 * @subjects is borrowed. 0 or -errno. */
int follow_process_start(const struct follow_subjects *subjects, struct follow_link *link_ret);
/* Ends it. Returns the signal that had ended it before, or 0. */
int follow_process_finish(struct follow_link *link);

#endif
