/*
 * A process of its own that builds a profile from records while they come, and stores it: all that
 * parses stacks, program files and debug information runs there, beside the recorder. On two CPUs
 * it has one thread, on more it adds threads when it falls behind.
 *
 * It outlives signals of the terminal, and the recorder: when no more records can come, it stores
 * the profile of those that came.
 */
#ifndef COLLECTOR_FILES_PROFILE_BUILDER_H
#define COLLECTOR_FILES_PROFILE_BUILDER_H

#include <stdbool.h>
#include <stdio.h>

#include "cct/model/profile.h"
#include "collector/record/builder_link.h"

struct profile_builder_options {
	const char *command; /* for messages */
	const char *output;  /* likewise: the profile's name */
	bool is_quiet;       /* it prints nothing but errors */
	bool keeps_rights;   /* no sandbox (collector/sandbox/parser_sandbox.h) */
};

/* When the samples of a profile were taken, and what that took. */
struct watched_answer {
	struct time_span span; /* nanoseconds since 1970, UTC */
	uint64_t own_cpu_ns, own_memory;
	bool is_slow; /* the rate was lower than what the user asked for */
};

/*
 * Forks a process for records, which may be another one than the builder; the caller has no other
 * threads. In the child, link_ret->pid is 0, its descriptors are the other ends, to read from, and
 * signals that end the recording are ignored. 0, or another value after a message.
 */
int profile_builder_fork(const char *command, struct builder_link *link_ret);
/*
 * Starts it; the caller has no other threads. The first descriptor that it is sent is the file of
 * the profile. Without one it ends without a profile. 0, or another value after a message.
 */
int profile_builder_start(const struct profile_builder_options *options,
			  struct builder_link *link_ret);
/* How many threads may build a profile while its samples come, as n_threads of dendro_options. */
unsigned profile_builder_threads(void);
/*
 * In a child of profile_builder_fork(), with one thread: gives up all rights, builds the profile
 * from the stream and writes it to @out, which it closes. Returns the exit status, after a message
 * if that is not 0.
 */
int profile_builder_run(const struct profile_builder_options *options, FILE *out, int stream_fd,
			int control_fd);
/*
 * Both ends of what records come through: of the pipe and of the control socket first the one that
 * the process has. 0, or another value after a message.
 */
int profile_builder_make_link(const char *command, int stream_ret[2], int control_ret[2]);
/*
 * In a process of its own, with one thread: gives up all rights, then builds a profile for each
 * task that comes through a socket (SOCK_SEQPACKET), with what was found for those before. It ends
 * with the socket. Returns the exit status, after a message if that is not 0.
 */
int profile_builder_serve(const struct profile_builder_options *options, int task_fd);

/* What it says of the task at hand. */
enum builder_word {
	BUILDER_ASKS,   /* the profile is built: it waits for a struct watched_answer */
	BUILDER_DONE,   /* the profile is written */
	BUILDER_FAILED, /* it is not, after a message */
	BUILDER_GONE,   /* the process has ended */
	BUILDER_SILENT, /* nothing was said */
};
/* Hands over a task: its ends of the link, and the profile's file, which stay open here. 0 or
 * -errno. */
int profile_builder_give(int task_fd, int stream_fd, int control_fd, int file_fd);
/* The next word, without waiting. */
enum builder_word profile_builder_hear(int task_fd);
/* Answers the question. A process that is gone shows by itself. */
void profile_builder_answer(int task_fd, const struct watched_answer *answer);

/* In the child, when the stream has ended: notes in the profile if the recorder has not finished
 * it. 0 or -ENOMEM. */
int profile_builder_note_end(struct profile *profile, int control_fd);
/* Tells it that no more records will come, and waits until the profile is stored. @is_whole: it has
 * got all of them; else the profile says that it ends early. 0, or another value after a message.
 */
int profile_builder_finish(const char *command, struct builder_link *link, bool is_whole);

#endif
