/*
 * Synthesizes records for processes that already run, as the kernel would have written them: COMM,
 * FORK of threads and MMAP2 from /proc, and MMAP for the kernel and its modules. At the start of a
 * recording all have time 0, so that records of the kernel are newer.
 */
#ifndef COLLECTOR_RECORD_START_SYNTHESIZE_H
#define COLLECTOR_RECORD_START_SYNTHESIZE_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/attached/kernel_code.h"
#include "collector/record/observing/recording_observers.h"
#include "perf/writer/data_writer.h"

struct synthesize_options {
	struct data_writer *writer;            /* borrowed, as is the next */
	struct recording_observers *observers; /* see each mapping */
	const struct perf_event_attr *attr;    /* the layout of the sample_id in the records */
	uint64_t id;                           /* the identifier in the sample_id */
	const char *proc;                      /* "/proc", but in tests */
	const pid_t *pids;                     /* NULL: all */
	size_t n_pids;
	uint64_t time_ns; /* of the records; 0 unless a step sets it */
	bool is_again;    /* the threads are known: they have no FORK */
};

struct synthesizer;

int synthesizer_create(const struct synthesize_options *options,
		       struct synthesizer **synthesizer_ret);
void synthesizer_destroy(struct synthesizer *synthesizer);

/* Synthesizes the next process. @time_ns: of the records; not 0: the processes are described again,
 * and threads without FORK, which would make them new ones. 1: there may be others; 0: there are no
 * more; -errno of the writer. A process that has exited meanwhile has no records. */
int synthesizer_step(struct synthesizer *synthesizer, uint64_t time_ns);

/* COMM for the process @pid, which is about to execute @program: events that start at exec count
 * before the kernel has given the process its name, hardware counters hundreds of times. */
int synthesize_command(const struct synthesize_options *options, pid_t pid, const char *program);

/* The kernel's text [start, end_addr), with @symbol ("_text") at @start, and the modules in
 * /proc/modules. */
int synthesize_kernel(const struct synthesize_options *options, uint64_t start, uint64_t end_addr,
		      const char *symbol);

/* PERF_RECORD_KSYMBOL for code that existed before the recording. */
int synthesize_kernel_code(const struct synthesize_options *options,
			   const struct kernel_code *code);

/* PERF_RECORD_CGROUP for a cgroup that existed before the recording. */
int synthesize_cgroup(const struct synthesize_options *options, uint64_t id, const char *path);

/* PERF_RECORD_LOST_SAMPLES: the event whose counter has @id lost @n_lost samples up to @time_ns.
 * perf 6.2 and later write this at the end of a recording. */
int synthesize_lost(const struct synthesize_options *options, uint64_t id, uint64_t n_lost,
		    uint64_t time_ns);

#endif
