#include "collector/agent/metrics_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/clock.h"
#include "cct/text/decimal.h"

#define SUFFIX ".tmp" /* node_exporter reads names that end in .prom */

static void write_name(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP dendro_agent_%s %s\n# TYPE dendro_agent_%s %s\ndendro_agent_%s ", name,
		help, name, type, name);
}

static void write_number(FILE *out, const char *name, const char *type, const char *help,
			 uint64_t number)
{
	write_name(out, name, type, help);
	fprintf(out, "%" PRIu64 "\n", number);
}

/* From nanoseconds. */
static void write_seconds(FILE *out, const char *name, const char *type, const char *help,
			  uint64_t ns)
{
	write_name(out, name, type, help);
	decimal_write_fraction(out, ns, 9);
	putc('\n', out);
}

static void write_push(FILE *out, const struct agent_metrics *metrics)
{
	const struct spool_state *spool = &metrics->spool;

	write_number(out, "push_failures_total", "counter",
		     "Runs of dendro push that have not sent or written all.",
		     metrics->n_push_failures);
	write_number(out, "push_windows_lost_total", "counter",
		     "Windows that were not pushed, because one run took too long.",
		     metrics->n_not_pushed);
	write_number(out, "push_requests_waiting", "gauge", "Requests in the spool.",
		     spool->n_waiting);
	write_number(out, "push_requests_waiting_bytes", "gauge", "Their size.",
		     spool->n_waiting_bytes);
	write_number(out, "push_requests_refused", "gauge",
		     "Requests in the spool that the server has refused.", spool->n_refused);
	write_number(out, "push_requests_dropped_total", "counter",
		     "Requests that were dropped, because the spool was full.", spool->n_dropped);
	write_number(out, "push_requests_dropped_bytes_total", "counter", "Their size.",
		     spool->n_dropped_bytes);
}

static void write_metrics(FILE *out, const struct agent_metrics *metrics)
{
	write_number(out, "windows_total", "counter", "Windows that were recorded and kept.",
		     metrics->n_windows);
	write_number(out, "windows_lost_total", "counter", "Windows that could not be kept.",
		     metrics->n_lost_windows);
	write_number(out, "samples_lost_total", "counter",
		     "Samples of windows that could not be kept.", metrics->n_lost_samples);
	write_number(out, "recorder_starts_total", "counter", "Times that recording has begun.",
		     metrics->n_recorders);
	write_number(out, "files_removed_total", "counter",
		     "Profiles that were removed because of their size or age.",
		     metrics->n_removed);
	write_seconds(out, "cpu_seconds_total", "counter",
		      "CPU time of all processes of the agent.", metrics->own_cpu_ns);
	write_number(out, "memory_bytes", "gauge",
		     "Memory of all processes of the agent, at most, in the last window.",
		     metrics->own_memory);
	write_seconds(out, "last_window_timestamp_seconds", "gauge",
		      "When the last window that was kept ended, since 1970.",
		      metrics->last_window_ns);
	write_number(out, "rate_hertz", "gauge", "Samples per second and CPU.", metrics->rate);
	write_number(out, "files", "gauge", "Profiles in the folder.", metrics->n_files);
	write_number(out, "files_bytes", "gauge", "Size of the profiles in the folder.",
		     metrics->n_bytes);
	if (metrics->pushes)
		write_push(out, metrics);
}

static int write_and_close(FILE *out, const struct agent_metrics *metrics)
{
	int err = fchmod(fileno(out), 0644) ? -errno : 0;

	write_metrics(out, metrics);
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

int metrics_file_write(const char *path, const struct agent_metrics *metrics)
{
	char temporary[PATH_MAX];

	if (snprintf(temporary, sizeof(temporary), "%s" SUFFIX, path) >= PATH_MAX)
		return -ENAMETOOLONG;
	/* What an agent left that was killed. */
	if (unlink(temporary) && errno != ENOENT)
		return -errno;
	const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out)
		return -errno;
	int err = write_and_close(out, metrics);
	if (!err && rename(temporary, path))
		err = -errno;
	if (err)
		unlink(temporary);
	return err;
}
