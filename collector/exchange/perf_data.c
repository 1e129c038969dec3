#include "collector/exchange/perf_data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/stream.h"
#include "cct/paths/sample_list.h"
#include "collector/exchange/frame_addresses.h"
#include "collector/exchange/perf_events.h"
#include "collector/exchange/perf_maps.h"
#include "perf/writer/sample_build.h"

/* Frames and marks of contexts in a sample: a record has at most 64 KiB. The outermost frames of
 * deeper paths are left out. */
#define CALLCHAIN_MAX 8000
#define SAMPLE_FIELDS 128
#define CONTEXT_OF(addr) \
	(frame_addresses_are_kernel(addr) ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER)

struct exporter {
	const struct profile *profile;
	const struct path_options *options;
	struct frame_addresses addresses;
	struct sample_list samples;
	struct perf_events events;
	struct data_writer *writer;
	struct record_builder builder;
	struct record_layout layout;
	const char **names; /* of the thread with an index of threads */
	size_t n_names;
	struct pair_map threads; /* (pid, tid) -> index in names */
	uint64_t callchain[CALLCHAIN_MAX];
};

static bool has_cpus(const struct exporter *exporter)
{
	for (size_t i = 0; i < exporter->samples.n; i++) {
		if (sample_list_get(&exporter->samples, i).cpu == UINT32_MAX)
			return false;
	}
	return exporter->samples.n;
}

/* What has an end that can be written first, and a beginning that can be written last. */
static bool is_empty_file(int fd)
{
	const int flags = fcntl(fd, F_GETFL);
	struct stat st;

	return flags >= 0 && !(flags & O_APPEND) && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       !st.st_size && lseek(fd, 0, SEEK_CUR) == 0;
}

static int start(struct exporter *exporter, FILE *out, const struct path_options *path_options)
{
	const uint64_t fields = (has_cpus(exporter) ? PERF_SAMPLE_CPU : 0) |
				(path_options->has_no_callchains ? 0 : PERF_SAMPLE_CALLCHAIN);
	const struct data_writer_options options = { .is_pipe = !is_empty_file(fileno(out)) };
	struct perf_events *events = &exporter->events;
	int err = perf_events_init(events, exporter->profile, fields);

	if (!err)
		err = data_writer_create(fileno(out), &options, events->events, events->n_events,
					 events->features, events->n_features, &exporter->writer);
	if (err)
		return err;
	exporter->layout = (struct record_layout){
		.sample_type = events->attrs[0].sample_type,
		.sample_id_all = true,
	};
	exporter->builder = (struct record_builder){
		.writer = exporter->writer,
		.attr = &events->attrs[0],
		.id = events->ids[0],
	};
	return 0;
}

/* Innermost first. Returns the number of words. */
static size_t fill_callchain(struct exporter *exporter, uint32_t node)
{
	const struct cct *cct = exporter->profile->cct;
	uint64_t context = 0;
	size_t n = 0;

	for (; node != CCT_ROOT && n + 2 <= CALLCHAIN_MAX; node = cct->nodes[node].parent) {
		const uint64_t addr = exporter->addresses.addresses[cct->nodes[node].frame];

		if (!addr)
			continue;
		if (CONTEXT_OF(addr) != context)
			exporter->callchain[n++] = context = CONTEXT_OF(addr);
		exporter->callchain[n++] = addr;
	}
	return n;
}

/* Notes and writes the thread's name if it is another one than before. */
static int name_thread(struct exporter *exporter, const struct listed_sample *sample)
{
	const char *name = sample->thread_name ? sample->thread_name : "";
	uint32_t at =
		pair_map_find(&exporter->threads, (uint32_t)sample->pid, (uint32_t)sample->tid);

	if (at == PAIR_MAP_NONE) {
		if (array_reserve_one(exporter->names, exporter->n_names))
			return -ENOMEM;
		at = (uint32_t)exporter->n_names;
		exporter->names[exporter->n_names++] = NULL;
		if (pair_map_add(&exporter->threads, (uint32_t)sample->pid, (uint32_t)sample->tid,
				 at))
			return -ENOMEM;
	}
	if (exporter->names[at] && strcmp(exporter->names[at], name) == 0)
		return 0;
	exporter->names[at] = name;
	return perf_maps_write_comm(&exporter->builder, sample->pid, sample->tid, name);
}

static int write_sample(struct exporter *exporter, const struct listed_sample *sample)
{
	const size_t n = fill_callchain(exporter, sample->node);
	const size_t size = SAMPLE_FIELDS + n * sizeof(uint64_t);
	const struct sample_parts parts = {
		.id = exporter->events.ids[sample->metric],
		.ip = n ? exporter->callchain[1] : 0,
		.time_ns = exporter->profile->info.start_ns + sample->time_ns,
		.period = sample->weight,
		.pid = sample->pid,
		.tid = sample->tid,
		.cpu = sample->cpu,
		.callchain = exporter->callchain,
		.n_callchain = n,
	};
	void *room;

	exporter->builder.time_ns = parts.time_ns;
	int err = name_thread(exporter, sample);
	if (!err)
		err = data_writer_reserve(exporter->writer, size, &room);
	if (err)
		return err;
	if (!sample_build(&exporter->layout, &parts, room, size))
		return -EINVAL;
	if (!frame_addresses_are_kernel(parts.ip))
		((struct perf_event_header *)room)->misc = PERF_RECORD_MISC_USER;
	return data_writer_commit(exporter->writer);
}

static int write_all(struct exporter *exporter)
{
	int err = perf_maps_write(&exporter->builder, exporter->profile, &exporter->addresses);

	path_options_expect(exporter->options, exporter->samples.n);
	for (size_t i = 0; i < exporter->samples.n && !err; i++) {
		const struct listed_sample sample = sample_list_get(&exporter->samples, i);

		err = write_sample(exporter, &sample);
		path_options_written(exporter->options, 1);
	}
	if (!err)
		err = perf_maps_write_build_ids(exporter->writer, exporter->profile,
						&exporter->addresses);
	return err ? err : data_writer_finish(exporter->writer);
}

static void exporter_destroy(struct exporter *exporter)
{
	data_writer_destroy(exporter->writer);
	perf_events_deinit(&exporter->events);
	sample_list_deinit(&exporter->samples);
	frame_addresses_deinit(&exporter->addresses);
	pair_map_deinit(&exporter->threads);
	free(exporter->names);
	free(exporter);
}

int perf_data_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		    const struct path_options *options)
{
	struct exporter *exporter = calloc(1, sizeof(*exporter));

	if (!exporter)
		return -ENOMEM;
	exporter->profile = profile;
	exporter->options = options;
	int err = sample_list_init(&exporter->samples, profile);
	if (!err)
		err = frame_addresses_init(&exporter->addresses, profile, symbolizer);
	if (!err)
		err = start(exporter, out, options);
	if (!err)
		err = write_all(exporter);
	exporter_destroy(exporter);
	return err ? err : stream_finish(out);
}
