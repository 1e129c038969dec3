#include "collector/push/clickhouse/clickhouse_requests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/sentence.h"
#include "collector/push/clickhouse/row_binary.h"
#include "collector/push/clickhouse/slice_rows.h"
#include "collector/push/clickhouse/stack_rows.h"
#include "collector/push/clickhouse/table_request.h"

#define DAY_S        86400u
#define WINDOW_MAX_S (2 * DAY_S)

struct writer {
	struct push_requests *requests;
	const struct profile *profile;
	struct symbolizer *symbolizer;
	const char *host;
	char *labels; /* owned */
	struct stack_ids stacks;
	struct slice_rows slices;
	uint64_t series;
};

/* -- what both tables have ------------------------------------------------------------------ */

static bool is_own_column(const char *label)
{
	return strcmp(label, PUSH_LABEL_SERVICE) == 0 || strcmp(label, PUSH_LABEL_HOST) == 0;
}

/* Lines of NAME=VALUE. Heap; NULL: no memory. */
static char *join_labels(const struct push_labels *labels)
{
	char *text = strdup("");

	for (size_t i = 0; i < labels->n && text; i++) {
		const struct push_label *label = &labels->labels[i];

		if (is_own_column(label->name))
			continue;
		char *longer =
			sentence("%s%s%s=%s", text, text[0] ? "\n" : "", label->name, label->value);
		free(text);
		text = longer;
	}
	return text;
}

/*
 * The windows of an agent follow one another, and none has the time of another one. It records the
 * whole machine, so agents that were started with other options, one after the other, are one here
 * if they have the same events: their sum is of the same series, too, whatever it knows of them.
 */
static uint64_t find_series(const struct writer *writer)
{
	const struct profile_info *info = &writer->profile->info;
	struct content_id id = content_id_add(content_id_start(), writer->host);

	id = content_id_add(id, info->watched.n ? "agent" : info->command_line);
	for (uint32_t i = 0; i < writer->profile->n_metrics; i++)
		id = content_id_add(id, writer->profile->metrics[i].name);
	if (!info->watched.n) {
		id = content_id_add_number(id, info->start_ns);
		id = content_id_add_number(id, writer->slices.end_ns);
	}
	return (uint64_t)id.hash ^ (uint64_t)(id.hash >> 64);
}

/* -- samples -------------------------------------------------------------------------------- */

static void add_row(const struct writer *writer, const struct slice_row *slice, uint16_t part,
		    struct byte_buffer *row)
{
	const struct profile *profile = writer->profile;
	const struct slice_task *task = &writer->slices.tasks[slice->task];
	const struct module *program = module_table_get(&profile->modules, task->program);
	char build_id[BUILD_ID_TEXT_SIZE] = "";

	if (program)
		stack_ids_build_id(&program->key.build_id, build_id);
	row_add_32(row, slice->start_s);
	row_add_text(row, writer->host);
	row_add_64(row, writer->series);
	row_add_16(row, part);
	row_add_text(row, writer->slices.texts.strings[task->service]);
	row_add_text(row, writer->slices.texts.strings[task->process]);
	row_add_text(row, build_id);
	row_add_text(row, profile->info.os_release);
	row_add_text(row, writer->labels);
	row_add_text(row, profile->metrics[slice->metric].name);
	byte_buffer_add(row, writer->stacks.stacks[slice->stack].id, STACK_ID_SIZE);
	row_add_64(row, slice->samples);
	row_add_64(row, slice->weight);
	row_add_double(row, slice->squares);
}

/* Text of SQL. Heap; NULL: no memory. */
static char *quote(const char *text)
{
	char *quoted = malloc(2 * strlen(text) + 1), *to = quoted;

	for (; quoted && *text; text++) {
		if (*text == '\'' || *text == '\\')
			*to++ = '\\';
		*to++ = *text;
	}
	if (quoted)
		*to = '\0';
	return quoted;
}

/* Of which time there are samples in the window. */
static uint64_t recorded_ns(const struct writer *writer)
{
	const struct watched_time *watched = &writer->profile->info.watched;

	return watched->n ? watched_time_total_ns(watched, NULL)
			  : writer->slices.end_ns - writer->slices.start_ns;
}

/*
 * How much of the window's time there is, in this window, which is inserted last, or in windows
 * that it is a sum or a part of: 0 nothing, 1 all, 2 a part. Those that begin two days earlier have
 * ended. Heap; NULL: no memory.
 */
static char *ask_for_window(const struct writer *writer)
{
	const uint64_t start_ns = writer->slices.start_ns, end_ns = writer->slices.end_ns;
	_cleanup_free_ char *host = quote(writer->host);

	return host ? sentence("SELECT multiIf(count() = 0, 0, countIf(start_ns = %" PRIu64
			       " AND end_ns = %" PRIu64 ") > 0 OR sum(least(end_ns, %" PRIu64
			       ") - greatest(start_ns, %" PRIu64 ")) >= %" PRIu64
			       ", 1, 2) FROM (SELECT DISTINCT start_ns, end_ns FROM windows "
			       "WHERE host = '%s' AND start >= toDateTime(%" PRIu64
			       ") AND start <= toDateTime(%" PRIu64 ") AND series = %" PRIu64
			       " AND ((start_ns < %" PRIu64 " AND end_ns > %" PRIu64
			       ") OR start_ns = %" PRIu64 "))",
			       start_ns, end_ns, end_ns, start_ns, recorded_ns(writer), host,
			       start_ns / NSEC_PER_SEC > WINDOW_MAX_S
				       ? start_ns / NSEC_PER_SEC - WINDOW_MAX_S
				       : 0,
			       end_ns / NSEC_PER_SEC, writer->series, end_ns, start_ns, start_ns)
		    : NULL;
}

/* How many rows the server has of a part of a window. Heap; NULL: no memory. */
static char *ask_for(const struct writer *writer, const struct slice_row *first, uint16_t part)
{
	const uint32_t day = first->start_s / DAY_S;
	const uint64_t start = writer->slices.start_ns / NSEC_PER_SEC;
	const uint64_t end = writer->slices.end_ns / NSEC_PER_SEC;
	const uint64_t day_start = (uint64_t)day * DAY_S, day_end = day_start + DAY_S - 1;
	_cleanup_free_ char *host = quote(writer->host);

	return host ? sentence("SELECT count() FROM samples WHERE time >= toDateTime(%" PRIu64
			       ") AND time <= toDateTime(%" PRIu64 ") AND host = '%s' AND "
			       "series = %" PRIu64 " AND part = %u",
			       start > day_start ? start : day_start, end < day_end ? end : day_end,
			       host, writer->series, part)
		    : NULL;
}

/* The rows from @first on that are one request: of one day, and not too many. *@end_ret: the first
 * that is not. */
static int add_part(struct writer *writer, uint32_t first, uint16_t part, uint32_t *end_ret)
{
	const struct slice_rows *slices = &writer->slices;
	const uint32_t day = slices->rows[first].start_s / DAY_S;
	_cleanup_free_ char *complete = ask_for_window(writer);
	_cleanup_free_ char *ask = ask_for(writer, &slices->rows[first], part);
	struct table_request request = {
		.requests = writer->requests,
		.table = "samples",
		.is_samples = true,
		.columns = "time, host, series, part, service, process, build, kernel, labels, "
			   "metric, stack, samples, weight, squares",
		.complete = complete,
		.ask = ask,
	};
	uint32_t i = first;

	for (; i < slices->n_rows && slices->rows[i].start_s / DAY_S == day &&
	       !table_request_is_full(&request);
	     i++) {
		add_row(writer, &slices->rows[i], part, &request.rows);
		request.n_rows++;
	}
	const int err = ask && complete ? table_request_flush(&request) : -ENOMEM;
	table_request_deinit(&request);
	*end_ret = i;
	return err;
}

static int add_samples(struct writer *writer)
{
	uint16_t part = 0;
	int err = 0;

	for (uint32_t i = 0; i < writer->slices.n_rows && !err;) {
		err = add_part(writer, i, part, &i);
		if (!err && part == UINT16_MAX)
			err = -EOVERFLOW;
		part++;
	}
	return err;
}

/* -- the window ----------------------------------------------------------------------------- */

static double cpu_seconds(const struct writer *writer)
{
	const struct profile_info *info = &writer->profile->info;
	double seconds = (double)recorded_ns(writer) / NSEC_PER_SEC * info->n_cpus;

	for (size_t i = 0; i < info->n_cpu_gaps; i++) {
		const struct cpu_gap *gap = &info->cpu_gaps[i];
		const uint64_t end_ns = gap->end_ns ? gap->end_ns : info->end_ns;

		if (end_ns > gap->start_ns)
			seconds -= (double)(end_ns - gap->start_ns) / NSEC_PER_SEC;
	}
	return seconds > 0 ? seconds : 0;
}

static uint8_t flags_of(const struct metric *metric)
{
	return (uint8_t)(metric->has_counted | metric->is_scaled << 1 | metric->is_waits << 2 |
			 metric->takes_all << 3);
}

static void add_events(struct byte_buffer *row, const struct profile *profile)
{
	const uint32_t n = profile->n_metrics;
	const struct metric *metrics = profile->metrics;

	row_add_count(row, n);
	for (uint32_t i = 0; i < n; i++)
		row_add_text(row, metrics[i].name);
	row_add_count(row, n);
	for (uint32_t i = 0; i < n; i++)
		row_add_text(row, metrics[i].unit);
	const size_t fields[] = {
		offsetof(struct metric, samples),
		offsetof(struct metric, total),
		offsetof(struct metric, lost),
		offsetof(struct metric, counted),
		offsetof(struct metric, time_enabled_ns),
		offsetof(struct metric, time_running_ns),
	};
	for (size_t field = 0; field < sizeof(fields) / sizeof(fields[0]); field++) {
		row_add_count(row, n);
		for (uint32_t i = 0; i < n; i++)
			row_add_64(row,
				   *(const uint64_t *)((const char *)&metrics[i] + fields[field]));
	}
	row_add_count(row, n);
	for (uint32_t i = 0; i < n; i++)
		row_add_8(row, flags_of(&metrics[i]));
}

/* Counters that are not 0: the names, then the numbers. */
static void add_quality(struct byte_buffer *row, const struct profile_quality *quality)
{
	struct byte_buffer numbers = { 0 }, names = { 0 };
	uint64_t n = 0;

	for (unsigned i = 0; i < N_QUALITY_COUNTERS; i++) {
		if (!quality->counts[i])
			continue;
		row_add_text(&names, quality_describe((enum quality_counter)i)->name);
		row_add_64(&numbers, quality->counts[i]);
		n++;
	}
	for (unsigned i = 0; i < N_MARKERS; i++) {
		char name[64];

		if (!quality->incomplete[i])
			continue;
		snprintf(name, sizeof(name), "incomplete.%s", marker_name((enum marker)i));
		row_add_text(&names, name);
		row_add_64(&numbers, quality->incomplete[i]);
		n++;
	}
	row->lacks_memory |= names.lacks_memory | numbers.lacks_memory;
	row_add_count(row, n);
	byte_buffer_add(row, names.bytes, names.size);
	row_add_count(row, n);
	byte_buffer_add(row, numbers.bytes, numbers.size);
	byte_buffer_deinit(&names);
	byte_buffer_deinit(&numbers);
}

static void add_machine(const struct writer *writer, struct byte_buffer *row)
{
	const struct profile_info *info = &writer->profile->info;

	row_add_text(row, info->os_release);
	row_add_text(row, info->arch);
	row_add_text(row, info->cpu);
	row_add_text(row, info->tool_version);
	row_add_text(row, writer->labels);
	row_add_text(row, writer->requests->has_commands ? info->command_line : "");
}

static int add_window(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	_cleanup_free_ char *complete = ask_for_window(writer);
	struct table_request request = {
		.requests = writer->requests,
		.table = "windows",
		.complete = complete,
		.columns = "start, host, series, start_ns, end_ns, cpus, cpu_seconds, samples, "
			   "lost, event_names, event_units, event_samples, event_totals, "
			   "event_lost, event_counted, event_enabled_ns, event_running_ns, "
			   "event_flags, quality_names, quality_counts, kernel, arch, cpu, "
			   "version, labels, command",
	};
	struct byte_buffer *row = &request.rows;

	row_add_32(row, (uint32_t)(writer->slices.start_ns / NSEC_PER_SEC));
	row_add_text(row, writer->host);
	row_add_64(row, writer->series);
	row_add_64(row, writer->slices.start_ns);
	row_add_64(row, writer->slices.end_ns);
	row_add_32(row, profile->info.n_cpus);
	row_add_double(row, cpu_seconds(writer));
	row_add_64(row, profile->quality.counts[QUALITY_SAMPLES]);
	row_add_64(row, profile->quality.counts[QUALITY_LOST]);
	add_events(row, profile);
	add_quality(row, &profile->quality);
	add_machine(writer, row);
	request.n_rows = 1;
	const int err = complete ? table_request_flush(&request) : -ENOMEM;
	table_request_deinit(&request);
	return err;
}

/* ------------------------------------------------------------------------------------------- */

static int add_all(struct writer *writer)
{
	const char *service = push_labels_find(writer->requests->labels, PUSH_LABEL_SERVICE);
	int err = stack_ids_init(&writer->stacks, writer->profile, writer->host);

	if (!err)
		err = slice_rows_init(&writer->slices, &writer->stacks, service,
				      writer->requests->slice_ns);
	if (err)
		return err;
	writer->series = find_series(writer);
	writer->requests->n_services += writer->slices.n_tasks;
	const uint16_t day = (uint16_t)(writer->slices.start_ns / NSEC_PER_SEC / DAY_S);
	err = stack_rows_add(writer->requests, &writer->stacks, writer->symbolizer, day);
	if (!err)
		err = add_samples(writer);
	return err ? err : add_window(writer);
}

int clickhouse_requests_add(struct push_requests *requests, const struct profile *profile,
			    struct symbolizer *symbolizer)
{
	_cleanup_free_ char *host = push_requests_host(requests, profile);
	struct writer writer = {
		.requests = requests,
		.profile = profile,
		.symbolizer = symbolizer,
		.host = host,
		.labels = join_labels(requests->labels),
	};
	const int err = host && writer.labels ? add_all(&writer) : -ENOMEM;

	slice_rows_deinit(&writer.slices);
	stack_ids_deinit(&writer.stacks);
	free(writer.labels);
	return err;
}
