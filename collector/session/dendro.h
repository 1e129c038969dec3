/*
 * The interface of the reading side. A session opens a source of samples with options. Its user
 * takes the samples one by one, each with its call path, or lets workers build a profile of all of
 * them: a calling context tree with costs, which report/ shows and names.
 *
 *	struct dendro_source source = { .path = "dendro.data" };
 *	struct dendro_options options = { .n_threads = 1 };
 *	const struct sample *sample;
 *	struct dendro *dendro;
 *	char *error;
 *	int got;
 *
 *	if (dendro_open(&source, &options, &dendro, &error)) {
 *		fprintf(stderr, "%s\n", error);
 *		free(error);
 *		return 1;
 *	}
 *	while ((got = dendro_next(dendro, &sample)) > 0)
 *		printf("%" PRIu64 " %s: %zu frames\n", sample->weight, sample->event->name,
 *		       sample->path.n_frames);
 *	if (dendro_error(dendro))
 *		fprintf(stderr, "%s\n", dendro_error(dendro));
 *	dendro_close(dendro);
 *
 * Errors: functions that can fail return 0 (dendro_next() 1 for a sample) or -errno. A source that
 * is damaged is not an error: what precedes the damage counts, and dendro_error() describes it. One
 * that was cut off is not even damaged: info.truncated of the profile describes it.
 *
 * Units: times are nanoseconds of the recording's clock, sizes are bytes, and a weight is in the
 * unit of its metric.
 *
 * Threads: a session belongs to one thread. dendro_build() starts others and ends them before it
 * returns. Sessions do not know of each other, so several threads may have one each.
 */
#ifndef COLLECTOR_SESSION_DENDRO_H
#define COLLECTOR_SESSION_DENDRO_H

#include <stdatomic.h>

#include "cct/base/work_done.h"
#include "cct/model/profile.h"
#include "cct/paths/profile_group.h"
#include "collector/paths/sample.h"

struct dendro;
struct file_search;
struct kept_modules;    /* unwind/modules/kept_modules.h */
struct profile_peek;    /* collector/session/build_profile.h */
struct read_gate;       /* perf/file/read_gate.h */
struct trace_format;    /* perf/tracing/trace_format.h */
struct value_condition; /* report/values/value_condition.h */
struct value_subject;

/* Where the samples come from. */
struct dendro_source {
	const char *path; /* a recording: a file or a named pipe; "-": standard input */
	/* Of a file that is still written: while this is true and its recorder lives, more samples
	 * are waited for. NULL: they are not. Borrowed until dendro_close(). */
	const atomic_bool *follow;
};

/* The samples to take. An empty list lets everything pass; a sample must pass all lists. */
struct dendro_filter {
	const int32_t *pids;
	size_t n_pids;
	const int32_t *tids;
	size_t n_tids;
	const uint32_t *cpus;
	size_t n_cpus;
	/* Patterns, as in cct/text/name_pattern.h. */
	const char *const *comms; /* of the thread's name or its process's */
	size_t n_comms;
	const char *const *cgroups; /* as in cct/text/cgroup_name.h */
	size_t n_cgroups;
	const char *const *events;
	size_t n_events;
	const char *const *phases; /* of the run, in one of which it was taken */
	size_t n_phases;
	const char *const *epochs; /* of its process, in one of which it was taken: as
				      epoch_matches() takes them */
	size_t n_epochs;
	bool has_time;
	struct time_range time;
	/* Of stored profiles: nanoseconds since 1970, samples from the first to before the last;
	 * of a run without a date, none. */
	bool has_dates;
	struct time_span dates;
	/* Of values of variables (--where); the path must have been recorded for them. */
	const struct value_condition *const *conditions;
	size_t n_conditions;
};

/* All zeros: every sample, with its path, by as many threads as there are CPUs. */
struct dendro_options {
	struct dendro_filter filter; /* lists and strings are borrowed until dendro_close() */
	bool by_thread;  /* in trees: a node for each thread, below that of its process */
	bool no_paths;   /* dendro_next() resolves none; dendro_resolve() does, if called */
	bool keeps_code; /* of memory, as it was recorded last, in the profile */
	bool keeps_rows; /* of all samples; to store them, by_thread, too */
	/* Rows that may be there before they are added up in slices of time; 0: SAMPLE_ROWS_MAX. */
	uint32_t n_rows_max;
	/* With keeps_rows: those of so long are kept apart for dendro_finish_peek(); 0: none. */
	uint64_t recent_ns;
	enum sample_grouping grouping; /* in trees; not by task: needs keeps_rows */
	bool counts_calls;             /* in trees: the calls that were made, at least */
	bool keeps_squares;            /* of the samples' weights, in the tree */
	/* Of dendro_build(): a value that is a row below its function; NULL: none. Borrowed. */
	const struct value_subject *split;
	/* The bytes that were read so far, for another thread; NULL: they are not noted. Borrowed.
	 */
	struct work_done *work;
	/* dendro_build() leaves this gate while it waits for bytes, so that another thread can
	 * visit it and call dendro_pause(). NULL: none. Borrowed. */
	struct read_gate *gate;
	unsigned n_threads; /* of dendro_build(), the caller's included; 0: one per CPU */
	/* Each thread that unwinds starts when those that are there fall behind, so that caches and
	 * trees are no more than samples need that come bit by bit. */
	bool adds_threads;
	/* dendro_build() reads the kernel's names at the end, as kernel_names_read_late() says. */
	bool names_kernel_late;
	/* As dendro_read_times() gives it: dendro_next() needs it for filter.time, which it else
	 * does not look at. */
	struct time_span times;
	/* Where the files of modules are looked for; NULL: on this machine. It gets the files that
	 * the recording carries. Borrowed until the session and its profile are gone. */
	struct file_search *files;
	/* Of a process that makes one profile after the other: unwind information of files, which
	 * is used and kept on; NULL: none. Borrowed. */
	struct kept_modules *kept_modules;
};

/* @options are copied. -errno with *@error_ret: a sentence for the user, to free(). */
int dendro_open(const struct dendro_source *source, const struct dendro_options *options,
		struct dendro **dendro_ret, char **error_ret);
/* Frees all but a profile that was taken. NULL is fine. */
void dendro_close(struct dendro *dendro);

/*
 * Reads a file up to its end for the times of its first and last sample. -errno with *@error_ret as
 * dendro_open(); a pipe, which could not be read once more, is such an error.
 */
int dendro_read_times(const struct dendro_source *source, struct time_span *times_ret,
		      char **error_ret);

/*
 * 1: *@sample_ret is the next sample in the order of time, valid with its path and all that it
 * leads to until the next call; a sample of time off the CPU comes when that time is over. 0: the
 * end. -ENOMEM. What happened to processes, threads and modules up to then is in
 * dendro_recording().
 */
int dendro_next(struct dendro *dendro, const struct sample **sample_ret);
/* Resolves the path of the sample that dendro_next() gave last, with options.no_paths. 0 or
 * -ENOMEM. */
int dendro_resolve(struct dendro *dendro);

/*
 * Reads all samples and builds a profile of them, which is the caller's to destroy. 0, -ENOMEM, or
 * -EINVAL: samples were taken already, by dendro_next() or by a call before. -EFBIG: there are more
 * than SAMPLE_ROWS_MAX samples, which cannot be grouped, or chosen by filter.time. -ENODATA: they
 * have no times for that.
 */
int dendro_build(struct dendro *dendro, struct profile **profile_ret);
/* build_pause() of dendro_build(), which another thread has called, and the others. -EAGAIN before
 * and after that, and before the first sample. */
int dendro_pause(struct dendro *dendro, struct profile_peek *peek_ret);
void dendro_go_on(struct dendro *dendro);
/* @recent_ns: as build_finish_peek() takes it. */
int dendro_finish_peek(const struct dendro *dendro, struct profile_peek *peek, uint64_t recent_ns);
/*
 * A whole session: opens the source, builds its profile, closes it. -errno: no profile, and
 * *@error_ret says why. 0: a profile; *@error_ret, if not NULL, describes the damage where the
 * source ended early. The sentence is to be freed.
 */
int dendro_build_from(const struct dendro_source *source, const struct dendro_options *options,
		      struct profile **profile_ret, char **error_ret);

/* The frame of any address that the sample of the last dendro_next() contains, such as the ends of
 * its branches. The module is 0 where nothing is mapped. */
struct frame dendro_frame(const struct dendro *dendro, const struct sample *sample, uint64_t addr);

/*
 * The recording as it was read so far: modules, metrics, processes, quality, info; no tree. Its
 * metrics are complete with the first sample. NULL after dendro_build() has given the profile to
 * the caller.
 */
/*
 * How the raw data of an event's samples are printed: of a tracepoint that the recording describes;
 * else NULL. Valid until dendro_close().
 */
const struct trace_format *dendro_trace_format(struct dendro *dendro,
					       const struct data_file_event *event);
const struct profile *dendro_recording(const struct dendro *dendro);
/* A sentence about the damage that ended the source early, with its offset; NULL: none so far.
 * Valid until dendro_close(). */
const char *dendro_error(const struct dendro *dendro);

#endif
