/*
 * A profile of pprof (profile.proto of github.com/google/pprof). Each distinct path is a sample
 * with two values for each event, the samples and their weight, and labels for its process. Why a
 * path is not complete, and why a thread was off the CPU, are functions in brackets, as in reports.
 */
#include "report/pprof/pprof.h"

#include <errno.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/paths/path_iterator.h"
#include "report/pprof/pprof_fields.h"
#include "report/pprof/pprof_tables.h"

struct writer {
	struct pprof_tables tables;
	const struct pprof_metric *only; /* NULL: all metrics */
	struct byte_buffer sample, list, label;
	uint64_t pid, tid, comm; /* the strings */
};

static int write_number(struct writer *writer, unsigned field, uint64_t number)
{
	struct byte_buffer *start = &writer->sample;

	byte_buffer_clear(start);
	protobuf_field_number(start, field, number);
	if (start->lacks_memory)
		return -ENOMEM;
	return gzip_stream_write(writer->tables.out, start->bytes, start->size);
}

static int write_value_type(struct writer *writer, unsigned field, const char *type,
			    const char *unit)
{
	uint64_t type_number, unit_number;
	int err = pprof_tables_string(&writer->tables, type, &type_number);

	if (!err)
		err = pprof_tables_string(&writer->tables, unit, &unit_number);
	if (err)
		return err;
	byte_buffer_clear(&writer->sample);
	protobuf_field_number(&writer->sample, VALUE_TYPE_TYPE, type_number);
	protobuf_field_number(&writer->sample, VALUE_TYPE_UNIT, unit_number);
	return pprof_tables_write(&writer->tables, field, &writer->sample);
}

const char *pprof_unit(const struct metric *metric)
{
	return strcmp(metric->unit, "ns") == 0      ? "nanoseconds"
	       : strcmp(metric->unit, "bytes") == 0 ? "bytes"
						    : "count";
}

static int write_metric(struct writer *writer, const struct metric *metric, bool is_only)
{
	_cleanup_free_ char *samples = NULL;

	if (!is_only && asprintf(&samples, "%s samples", metric->name) < 0)
		return -ENOMEM;
	int err = write_value_type(writer, PROFILE_SAMPLE_TYPE, is_only ? "samples" : samples,
				   "count");
	return err ? err
		   : write_value_type(writer, PROFILE_SAMPLE_TYPE, metric->name,
				      pprof_unit(metric));
}

/* Of one metric, whose samples have a weight in the mean that servers call the period. */
static int write_only_metric(struct writer *writer, const struct metric *metric)
{
	const char *name = writer->only->name, *unit = pprof_unit(metric);
	int err = write_value_type(writer, PROFILE_SAMPLE_TYPE, "samples", "count");

	if (!err)
		err = write_value_type(writer, PROFILE_SAMPLE_TYPE, name, unit);
	if (!err)
		err = write_value_type(writer, PROFILE_PERIOD_TYPE, name, unit);
	if (!err)
		err = write_number(writer, PROFILE_PERIOD, writer->only->period);
	return err ? err : write_number(writer, PROFILE_TIME_NS, writer->only->time_ns);
}

/* The first event with samples is what pprof shows by default. */
static int write_metrics(struct writer *writer, const struct profile *profile)
{
	const struct metric *shown = NULL;
	uint64_t number;
	int err = 0;

	for (uint32_t i = 0; i < profile->n_metrics && !err; i++) {
		err = write_metric(writer, &profile->metrics[i], profile->n_metrics == 1);
		if (!shown && profile->metrics[i].samples)
			shown = &profile->metrics[i];
	}
	if (err || !shown)
		return err;
	err = pprof_tables_string(&writer->tables, shown->name, &number);
	return err ? err : write_number(writer, PROFILE_DEFAULT_SAMPLE_TYPE, number);
}

static int write_comment(struct writer *writer, const char *what, const char *text)
{
	_cleanup_free_ char *comment = NULL;
	uint64_t number;

	if (!text)
		return 0;
	if (asprintf(&comment, "%s: %s", what, text) < 0)
		return -ENOMEM;
	int err = pprof_tables_string(&writer->tables, comment, &number);
	return err ? err : write_number(writer, PROFILE_COMMENT, number);
}

static int write_header(struct writer *writer, const struct profile *profile,
			const struct path_options *options)
{
	const struct profile_info *info = &profile->info;
	const struct pprof_metric *only = writer->only;
	struct pprof_tables *tables = &writer->tables;
	int err = only ? write_only_metric(writer, &profile->metrics[only->index])
		       : write_metrics(writer, profile);

	if (!err && !(only && only->has_no_command))
		err = write_comment(writer, "command", info->command_line);
	if (!err)
		err = write_comment(writer, "host", info->hostname);
	if (!err)
		err = write_comment(writer, "kernel", info->os_release);
	if (!err)
		err = write_comment(writer, "the recording ends early", info->truncated);
	if (!err)
		err = write_comment(writer, "selection", options ? options->selection : NULL);
	if (!err)
		err = write_number(writer, PROFILE_DURATION_NS, info->end_ns - info->start_ns);
	if (!err)
		err = pprof_tables_string(tables, "pid", &writer->pid);
	if (!err)
		err = pprof_tables_string(tables, "tid", &writer->tid);
	return err ? err : pprof_tables_string(tables, "comm", &writer->comm);
}

/* pprof reads IDs as signed numbers: 64 bits with the sign. */
static void add_label(struct writer *writer, uint64_t key, unsigned field, int64_t value)
{
	byte_buffer_clear(&writer->label);
	protobuf_field_number(&writer->label, LABEL_KEY, key);
	protobuf_field_number(&writer->label, field, (uint64_t)value);
	protobuf_field_message(&writer->sample, SAMPLE_LABEL, &writer->label);
}

static int add_labels(struct writer *writer, const struct profile_path *path)
{
	const char *comm = path->thread ? path->thread->name : path->process->name;
	uint64_t number;
	int err = pprof_tables_string(&writer->tables, comm ? comm : "", &number);

	if (err)
		return err;
	add_label(writer, writer->pid, LABEL_NUMBER, path->process->pid);
	if (path->thread)
		add_label(writer, writer->tid, LABEL_NUMBER, path->thread->tid);
	if (number)
		add_label(writer, writer->comm, LABEL_TEXT, (int64_t)number);
	return 0;
}

/* Leaf first. The boundary to the kernel is not a function. */
static int add_locations(struct writer *writer, const struct profile_path *path)
{
	uint64_t number;

	byte_buffer_clear(&writer->list);
	for (size_t i = path->n_frames; i-- > 0;) {
		const struct frame *frame = &path->frames[i];

		if (frame->kind == FRAME_MARKER && frame->offset == MARKER_KERNEL)
			continue;
		int err = pprof_tables_location(&writer->tables, frame, &number);
		if (err)
			return err;
		byte_buffer_add_unsigned(&writer->list, number);
	}
	protobuf_field_message(&writer->sample, SAMPLE_LOCATIONS, &writer->list);
	return 0;
}

static int write_path(struct writer *writer, const struct profile *profile,
		      const struct profile_path *path)
{
	byte_buffer_clear(&writer->sample);
	int err = add_locations(writer, path);

	if (err)
		return err;
	byte_buffer_clear(&writer->list);
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (writer->only && i != writer->only->index)
			continue;
		byte_buffer_add_unsigned(&writer->list, path->costs[i].samples);
		byte_buffer_add_unsigned(&writer->list, path->costs[i].weight);
	}
	protobuf_field_message(&writer->sample, SAMPLE_VALUES, &writer->list);
	if (path->process)
		err = add_labels(writer, path);
	return err ? err : pprof_tables_write(&writer->tables, PROFILE_SAMPLE, &writer->sample);
}

static int write_paths(struct writer *writer, const struct profile *profile,
		       const struct path_options *options)
{
	struct path_iterator iterator;
	struct profile_path path;
	int err = path_iterator_init(&iterator, profile);

	while (!err && path_iterator_next(&iterator, &path)) {
		if (!writer->only || path.costs[writer->only->index].samples)
			err = write_path(writer, profile, &path);
		if (options)
			path_options_reached(options, iterator.node);
	}
	path_iterator_deinit(&iterator);
	return err;
}

/* @options: NULL for one metric. @size_ret: bytes before they are compressed. */
static int write_profile(struct writer *writer, FILE *out, const struct profile *profile,
			 const struct path_options *options, size_t *size_ret)
{
	struct gzip_stream stream;
	int err = gzip_stream_init(&stream, out);

	if (err)
		return err;
	writer->tables.out = &stream;
	writer->tables.profile = profile;
	err = pprof_tables_init(&writer->tables);
	if (!err)
		err = write_header(writer, profile, options);
	if (!err)
		err = write_paths(writer, profile, options);
	if (!err)
		err = gzip_stream_finish(&stream);
	*size_ret = stream.zlib.total_in;
	pprof_tables_deinit(&writer->tables);
	byte_buffer_deinit(&writer->sample);
	byte_buffer_deinit(&writer->list);
	byte_buffer_deinit(&writer->label);
	gzip_stream_deinit(&stream);
	return err;
}

int pprof_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		const struct path_options *options)
{
	struct writer writer = { .tables = { .symbolizer = symbolizer } };
	size_t size;

	path_options_expect(options, profile->cct->n_nodes);
	return write_profile(&writer, out, profile, options, &size);
}

int pprof_write_metric(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		       const struct pprof_metric *metric, size_t *size_ret)
{
	struct writer writer = { .tables = { .symbolizer = symbolizer }, .only = metric };

	return write_profile(&writer, out, profile, NULL, size_ret);
}
