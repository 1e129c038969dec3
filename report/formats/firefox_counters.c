#include "report/formats/firefox_counters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/text/decimal.h"

#define MAX_SLICES   1000
#define MIN_SLICE_US 10000 /* a few samples at the usual rates */
#define NS_DIGITS    6

struct counting {
	struct firefox_file *file;
	uint64_t *sums; /* ns by slice of time */
	uint32_t n_slices;
	uint64_t slice_us;
	uint32_t n_written;
};

static bool has_cpu_time(const struct firefox_file *file)
{
	const struct metric *metric = &file->profile->metrics[file->metric];

	return strcmp(metric->unit, "ns") == 0 && !metric->is_waits;
}

static void add_thread(const struct counting *counting, uint32_t thread)
{
	const struct firefox_file *file = counting->file;
	const struct sample_rows *rows = file->profile->rows;

	for (uint32_t i = file->samples.first[thread]; i < file->samples.first[thread + 1]; i++) {
		const uint32_t row = file->samples.rows[i];

		if (rows->rows[row].metric == file->metric)
			counting->sums[rows->rows[row].time / counting->slice_us] +=
				sample_list_weight(&file->samples, row);
	}
}

/* A slice without use is written where it is beside one with use: a line goes down to it. */
static bool is_written(const struct counting *counting, uint32_t i)
{
	return counting->sums[i] || (i && counting->sums[i - 1]) || counting->sums[i + 1];
}

static bool has_use(const struct counting *counting)
{
	for (uint32_t i = 0; i < counting->n_slices; i++) {
		if (counting->sums[i])
			return true;
	}
	return false;
}

static uint32_t write_column(const struct counting *counting, const char *name, bool is_time)
{
	FILE *out = counting->file->out;
	uint32_t n = 0;

	fprintf(out, "\"%s\":[", name);
	for (uint32_t i = 0; i < counting->n_slices; i++) {
		if (!is_written(counting, i))
			continue;
		if (n++)
			putc(',', out);
		if (is_time)
			firefox_write_time(counting->file, (i + UINT64_C(1)) * counting->slice_us);
		else
			decimal_write_fraction(out, counting->sums[i], NS_DIGITS);
	}
	fputs("],\n", out);
	return n;
}

/* @group: the process's main thread, or its first. Counts are milliseconds, so their rate is the
 * number of CPUs in use. */
static void write_counter(struct counting *counting, uint32_t group)
{
	FILE *out = counting->file->out;

	fputs(counting->n_written++ ? ",\n" : "\n", out);
	fprintf(out,
		"{\"name\":\"CPU use\",\"category\":\"CPU\",\"description\":\"CPU time of all "
		"threads of the process\",\"mainThreadIndex\":%" PRIu32,
		group);
	firefox_write_pid(counting->file, group);
	fputs(",\n\"display\":{\"graphType\":\"line-rate\",\"unit\":\"\",\"color\":\"blue\","
	      "\"markerSchemaLocation\":null,\"sortWeight\":40,\"label\":\"CPU use\","
	      "\"tooltipRows\":[{\"type\":\"value\",\"source\":\"rate\",\"format\":{\"unit\":"
	      "\"percent\"},\"label\":\"of a CPU\"}]},\n\"samples\":{",
	      out);
	write_column(counting, "time", true);
	fprintf(out, "\"length\":%" PRIu32 "}}", write_column(counting, "count", false));
}

/* Whether the group is a thread of that process; its main thread becomes *@main. */
static bool is_of(const struct firefox_file *file, uint32_t group, uint32_t process, uint32_t *main)
{
	const struct path_group *of = &file->threads.groups[group];
	const struct profile *profile = file->profile;

	if (of->process != process)
		return false;
	if (of->thread < profile->n_threads &&
	    profile->threads[of->thread].tid == profile->processes[process].pid)
		*main = group;
	return true;
}

static int compare_groups(const void *a, const void *b, void *list)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct path_group *groups = list;

	if (groups[x].process != groups[y].process)
		return groups[x].process < groups[y].process ? -1 : 1;
	return (x > y) - (x < y);
}

/* @groups: sorted by process. */
static void write_counters(struct counting *counting, const uint32_t *groups)
{
	const struct firefox_file *file = counting->file;
	const uint32_t n = file->threads.n_groups;

	for (uint32_t i = 0, end; i < n; i = end) {
		const uint32_t process = file->threads.groups[groups[i]].process;
		uint32_t main = groups[i];

		memset(counting->sums, 0, (counting->n_slices + 1u) * sizeof(*counting->sums));
		for (end = i; end < n && is_of(file, groups[end], process, &main); end++)
			add_thread(counting, groups[end]);
		if (process < file->profile->n_processes && has_use(counting))
			write_counter(counting, main);
	}
}

int firefox_write_counters(struct firefox_file *file)
{
	const struct sample_rows *rows = file->profile->rows;
	_cleanup_free_ uint32_t *groups = calloc(file->threads.n_groups + 1u, sizeof(*groups));
	_cleanup_free_ uint64_t *sums = calloc(MAX_SLICES + 2, sizeof(*sums));
	struct counting counting = { .file = file, .sums = sums, .slice_us = MIN_SLICE_US };
	uint64_t last_us = 0;

	if (!groups || !sums)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->n_rows; i++)
		last_us = rows->rows[i].time > last_us ? rows->rows[i].time : last_us;
	while (last_us / counting.slice_us >= MAX_SLICES)
		counting.slice_us *= 2;
	counting.n_slices = (uint32_t)(last_us / counting.slice_us) + 1;
	for (uint32_t i = 0; i < file->threads.n_groups; i++)
		groups[i] = i;
	qsort_r(groups, file->threads.n_groups, sizeof(*groups), compare_groups,
		file->threads.groups);
	fputs(",\n\"counters\":[", file->out);
	if (has_cpu_time(file))
		write_counters(&counting, groups);
	putc(']', file->out);
	return 0;
}
