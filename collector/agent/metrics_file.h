/*
 * A file with numbers about the agent, as node_exporter's textfile collector reads it (Prometheus
 * text format 0.0.4). It is replaced as a whole, so a reader finds the old numbers or the new ones.
 */
#ifndef COLLECTOR_AGENT_METRICS_FILE_H
#define COLLECTOR_AGENT_METRICS_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/push/spool.h"

/* Since the agent has started, unless said otherwise. */
struct agent_metrics {
	uint64_t n_windows, n_lost_windows;
	uint64_t n_lost_samples; /* of lost windows */
	uint64_t n_recorders;    /* that were started */
	uint64_t n_removed;      /* files, because of their size or age */
	uint64_t own_cpu_ns;
	uint64_t own_memory;       /* bytes, of the last window */
	uint64_t last_window_ns;   /* when the last window that was kept ended, since 1970 */
	uint64_t n_files, n_bytes; /* in the folder now */
	uint64_t rate;             /* of samples now, in Hz */
	bool pushes;               /* what follows is written */
	uint64_t n_push_failures;  /* runs of dendro push that have not sent all */
	uint64_t n_not_pushed;     /* windows that no run could take */
	struct spool_state spool;
};

/* 0 or -errno. */
int metrics_file_write(const char *path, const struct agent_metrics *metrics);

#endif
