/*
 * Runs dendro push for profiles that are made one after the other, beside whoever makes them: one
 * at a time, with all profiles that were finished meanwhile (docs/decisions/0060-push.md).
 */
#ifndef COLLECTOR_PUSH_PUSH_RUNS_H
#define COLLECTOR_PUSH_PUSH_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PUSH_RUNS_WAITING_MAX 60
#define PUSH_RUNS_NAME_MAX    256

struct push_runs_options {
	const char *url;      /* NULL: nothing is pushed */
	bool no_send;         /* the requests stay in the spool */
	uint64_t every_ns;    /* profiles wait for so long, and are pushed as one; 0: they do not */
	int nice;             /* of the runs, unless somebody waits for them */
	bool keeps_all_paths; /* of what is pushed as one, those seen once are not folded */
	const char *config;   /* the file of settings of --config; NULL: the usual ones */
};

/* All zero: nothing waits. */
struct push_runs {
	pid_t pid; /* 0: none runs */
	uint64_t started_ns;
	bool is_urgent; /* somebody waits for the runs, which do not go after others' work */
	char waiting[PUSH_RUNS_WAITING_MAX][PUSH_RUNS_NAME_MAX]; /* names, oldest first */
	size_t n_waiting;
	uint64_t waits_since_ns; /* of the oldest one */
	uint64_t n_left_out;     /* profiles that were dropped, as too many waited */
	uint64_t n_failed;       /* runs that have not sent all */
};

/* A profile was finished: @name in the folder. */
void push_runs_add(struct push_runs *push, const char *name, uint64_t now_ns);
/* Starts it for what waits, if none runs, and for what may wait longer if @is_last. 0 or -errno. */
int push_runs_start(struct push_runs *push, const struct push_runs_options *options,
		    const char *folder, uint64_t now_ns, bool is_last);
/* Somebody waits from now on, also for the run at hand, where its priority may be raised. */
void push_runs_hurry(struct push_runs *push);
/* It has ended, with this status of waitpid(). */
void push_runs_end(struct push_runs *push, int status);
/* The spool of a folder; heap. NULL: no memory. */
char *push_runs_spool(const char *folder);

#endif
