/*
 * The recorder's side of a process that builds a profile while it records: the process reads the
 * records from a pipe, in their order, and is handed the open file that the profile belongs in.
 */
#ifndef COLLECTOR_RECORD_BUILDER_LINK_H
#define COLLECTOR_RECORD_BUILDER_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct builder_watch; /* collector/record/builder_watch.h */

struct builder_link {
	pid_t pid;
	int stream_fd;  /* a pipe, to write records to; the process ends when it is closed */
	int control_fd; /* a socket, for the descriptor, then a byte when all is written */
	struct builder_watch *watch; /* ends the process if it hangs; NULL: nobody does */
	/* Whose priority follows how much waits for it; 0: that of .pid, or of nobody. */
	pid_t paced_pid;
	bool is_watched; /* somebody waits for what it shows, so it does not get idle priority */
	/* A socket that hands over such a process for each file of the recording, which has none of
	 * the above then; 0: there is one process. */
	int supply_fd;
};

/*
 * A process for the next file, of @supply_fd: *@link_ret has its number and both descriptors, which
 * are the caller's, closed on exec. 0 or -errno; -EPIPE: nobody supplies any.
 */
int builder_link_renew(int supply_fd, struct builder_link *link_ret);
/* Whether who supplies processes wants to hand over the next one: with too many at work, the file
 * at hand had better go on. true as well if nobody answers: to ask for one tells why. */
bool builder_link_may_renew(int supply_fd);
/* The recorder tells who supplies processes that samples are taken from @time_ns on,
 * CLOCK_MONOTONIC. */
void builder_link_tell_begin(int supply_fd, uint64_t time_ns);
/* It tells how many samples it has passed on since its start, all processes together, and that a
 * process got those up to @time_ns: before it asks for the next one, and at its end. */
void builder_link_tell_samples(int supply_fd, uint64_t time_ns, uint64_t n_samples);

/* What a recorder tells through @supply_fd. */
enum builder_call {
	BUILDER_CALL_NONE,  /* nothing so far */
	BUILDER_CALL_RENEW, /* it waits for builder_link_supply() */
	BUILDER_CALL_MAY,   /* it waits for builder_link_allow() */
	BUILDER_CALL_BEGIN,
	BUILDER_CALL_SAMPLES,
	BUILDER_CALL_END, /* it is gone */
};

/* What was told with it. */
struct builder_told {
	uint64_t time_ns;   /* of BUILDER_CALL_BEGIN and BUILDER_CALL_SAMPLES */
	uint64_t n_samples; /* of BUILDER_CALL_SAMPLES */
};

/* Who supplies processes: what was told next, without waiting. */
enum builder_call builder_link_next_call(int supply_fd, struct builder_told *told_ret);
/* Answers whether the recorder may ask for a process. */
void builder_link_allow(int supply_fd, bool may);
/* Hands a process over; the descriptors stay open here. 0 or -errno. */
int builder_link_supply(int supply_fd, const struct builder_link *link);

/* A process that has another one do the work tells the recorder which, once. 0: none was started.
 */
void builder_link_tell_worker(int control_fd, pid_t pid);
/* Waits for that. 0: there is none. */
pid_t builder_link_hear_worker(int control_fd);
/* Tells the process, before the pipe is closed, that all records were written. */
void builder_link_confirm(int control_fd);
/* Waits for that. false: the other side is gone. */
bool builder_link_is_confirmed(int control_fd);
/* Hands @fd over, which stays open here. 0 or -errno. */
int builder_link_send(int control_fd, int fd);
/* Waits for a descriptor. One that is closed on exec; -errno; -EPIPE: the other side is gone. */
int builder_link_receive(int control_fd);

#endif
