/*
 * What already runs, as the records the kernel would have written had we been there: COMM, FORK of
 * threads, MMAP2 from /proc; MMAP for the kernel and its modules. All bear time 0, so that
 * whatever the kernel says later wins.
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
	const struct perf_event_attr *attr;    /* whose sample_id ends the records */
	uint64_t id;                           /* in that sample_id */
	const char *proc;                      /* "/proc", but in tests */
	const pid_t *pids;                     /* NULL: all */
	size_t n_pids;
};

struct synthesizer;

int synthesizer_create(const struct synthesize_options *options,
		       struct synthesizer **synthesizer_ret);
void synthesizer_destroy(struct synthesizer *synthesizer);

/* One process more. 1: there may be others; 0: that was the last; -errno of the writer. A process
 * that has gone meanwhile is none. */
int synthesizer_step(struct synthesizer *synthesizer);

/* Kernel text [start, end_addr), where @symbol ("_text") stands at @start; then the kernel's
 * modules as /proc/modules has them. */
int synthesize_kernel(const struct synthesize_options *options, uint64_t start, uint64_t end_addr,
		      const char *symbol);

/* PERF_RECORD_KSYMBOL: it was there before. */
int synthesize_kernel_code(const struct synthesize_options *options,
			   const struct kernel_code *code);

/* PERF_RECORD_LOST_SAMPLES: of the event whose counter has @id, @n_lost samples were lost up to
 * @time_ns. perf 6.2 and later end a recording so. */
int synthesize_lost(const struct synthesize_options *options, uint64_t id, uint64_t n_lost,
		    uint64_t time_ns);

#endif
