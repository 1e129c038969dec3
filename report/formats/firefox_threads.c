#include "report/formats/firefox_threads.h"

#include <inttypes.h>
#include <string.h>

#include "cct/text/decimal.h"
#include "cct/text/json_string.h"

#define NS_DIGITS 6 /* of a millisecond */

/* Kinds of markers: the "type" of their data. */
#define TYPE_WAIT  "dendro-wait"
#define TYPE_TIME  "dendro-time"
#define TYPE_EVENT "dendro-event"
#define TYPE_BYTES "dendro-bytes"

#define PHASE_INSTANT  0
#define PHASE_INTERVAL 1

static void write_schema(const struct firefox_file *file, const char *start, const char *type,
			 const char *weight_format, const char *description)
{
	const bool is_wait = strcmp(type, TYPE_WAIT) == 0;

	fprintf(file->out,
		"%s\n{\"name\":\"%s\",\"description\":\"%s\",\"tooltipLabel\":\"{marker.name}\","
		"\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],",
		start, type, description);
	if (is_wait)
		fputs("\"tableLabel\":\"{marker.data.reason}\","
		      "\"chartLabel\":\"{marker.data.reason}\",",
		      file->out);
	fprintf(file->out,
		"\"fields\":[%s{\"key\":\"weight\",\"label\":\"Weight\",\"format\":\"%s\"}]}",
		is_wait ? "{\"key\":\"reason\",\"label\":\"Reason\",\"format\":\"string\"}," : "",
		weight_format);
}

void firefox_write_marker_schema(const struct firefox_file *file)
{
	fputs(",\n\"markerSchema\":[", file->out);
	write_schema(file, "", TYPE_WAIT, "milliseconds",
		     "Time for which the thread was off the CPU");
	write_schema(file, ",", TYPE_TIME, "milliseconds", "A sample of an event that counts time");
	write_schema(file, ",", TYPE_BYTES, "bytes", "A sample of an event that counts bytes");
	write_schema(file, ",", TYPE_EVENT, "integer", "A sample of an event");
	putc(']', file->out);
}

static const struct metric *metric_of(const struct firefox_file *file, uint32_t row)
{
	return &file->profile->metrics[file->profile->rows->rows[row].metric];
}

static uint64_t weight_of(const struct firefox_file *file, uint32_t row)
{
	return sample_list_weight(&file->samples, row);
}

static bool is_ns(const struct metric *metric)
{
	return strcmp(metric->unit, "ns") == 0;
}

static void write_weight(const struct firefox_file *file, uint32_t row)
{
	if (is_ns(metric_of(file, row)))
		decimal_write_fraction(file->out, weight_of(file, row), NS_DIGITS);
	else
		decimal_write(file->out, weight_of(file, row));
}

/* -- columns of samples and markers ------------------------------------------------------------ */

static void write_stack(struct firefox_file *file, uint32_t row)
{
	const uint32_t node = file->tree->node_of[file->profile->rows->rows[row].node];

	if (node == STACK_NONE)
		fputs("null", file->out);
	else
		decimal_write(file->out, node);
}

static void write_start(struct firefox_file *file, uint32_t row)
{
	firefox_write_time(file, file->profile->rows->rows[row].time);
}

static void write_sample_weight(struct firefox_file *file, uint32_t row)
{
	write_weight(file, row);
}

static void write_cpu_time(struct firefox_file *file, uint32_t row)
{
	decimal_write(file->out, weight_of(file, row));
}

static void write_marker_name(struct firefox_file *file, uint32_t row)
{
	decimal_write(file->out, firefox_string(file, metric_of(file, row)->name));
}

/* A wait begins with its sample. */
static void write_end(struct firefox_file *file, uint32_t row)
{
	const uint64_t time = file->profile->rows->rows[row].time;

	if (metric_of(file, row)->is_waits)
		firefox_write_time(file, time + weight_of(file, row) / 1000);
	else
		fputs("null", file->out);
}

static void write_phase(struct firefox_file *file, uint32_t row)
{
	fprintf(file->out, "%d", metric_of(file, row)->is_waits ? PHASE_INTERVAL : PHASE_INSTANT);
}

static void write_category(struct firefox_file *file, uint32_t row)
{
	(void)row;
	fprintf(file->out, "%d", FIREFOX_OTHER);
}

/* The text of the innermost mark that says why the thread waited. */
static const char *reason_of(const struct firefox_file *file, uint32_t node)
{
	const struct stack_tree *tree = file->tree;
	const struct frame *frames = file->profile->cct->frames.frames;

	for (; node != STACK_NONE; node = tree->nodes[node].parent) {
		const struct stack_frame *frame = &tree->frames[tree->nodes[node].frame];
		const struct stack_function *function = &tree->functions[frame->function];

		if (function->kind != STACK_MARK)
			break;
		if (frames[frame->cct].kind == FRAME_MARKER)
			return function->name;
	}
	return "";
}

static void write_data(struct firefox_file *file, uint32_t row)
{
	const struct metric *metric = metric_of(file, row);
	const uint32_t node = file->tree->node_of[file->profile->rows->rows[row].node];
	const bool is_bytes = strcmp(metric->unit, "bytes") == 0;

	fprintf(file->out, "\n{\"type\":\"%s\",\"weight\":",
		metric->is_waits ? TYPE_WAIT
		: is_ns(metric)  ? TYPE_TIME
		: is_bytes       ? TYPE_BYTES
				 : TYPE_EVENT);
	write_weight(file, row);
	if (metric->is_waits)
		firefox_write_text(file, "reason", reason_of(file, node));
	if (node != STACK_NONE)
		fprintf(file->out, ",\"cause\":{\"stack\":%" PRIu32 "}", node);
	putc('}', file->out);
}

/* Writes a column of the thread's samples, or of its markers, and a comma. Returns their number. */
static uint32_t write_column(struct firefox_file *file, uint32_t thread, bool are_markers,
			     const char *name,
			     void (*write)(struct firefox_file *file, uint32_t row))
{
	uint32_t n = 0;

	fprintf(file->out, "\"%s\":[", name);
	for (uint32_t i = file->samples.first[thread]; i < file->samples.first[thread + 1]; i++) {
		const uint32_t row = file->samples.rows[i];

		if ((file->profile->rows->rows[row].metric != file->metric) != are_markers)
			continue;
		if (n++)
			putc(',', file->out);
		write(file, row);
	}
	fputs("],\n", file->out);
	return n;
}

static void write_samples(struct firefox_file *file, uint32_t thread)
{
	const struct metric *metric = &file->profile->metrics[file->metric];
	const bool is_bytes = strcmp(metric->unit, "bytes") == 0;

	fprintf(file->out, ",\n\"samples\":{\"weightType\":\"%s\",\n",
		is_ns(metric) ? "tracing-ms"
		: is_bytes    ? "bytes"
			      : "samples");
	write_column(file, thread, false, "stack", write_stack);
	write_column(file, thread, false, "time", write_start);
	if (is_ns(metric) && !metric->is_waits)
		write_column(file, thread, false, "threadCPUDelta", write_cpu_time);
	fprintf(file->out, "\"length\":%" PRIu32 "}",
		write_column(file, thread, false, "weight", write_sample_weight));
}

static void write_markers(struct firefox_file *file, uint32_t thread)
{
	fputs(",\n\"markers\":{", file->out);
	write_column(file, thread, true, "name", write_marker_name);
	write_column(file, thread, true, "startTime", write_start);
	write_column(file, thread, true, "endTime", write_end);
	write_column(file, thread, true, "phase", write_phase);
	write_column(file, thread, true, "category", write_category);
	fprintf(file->out, "\"length\":%" PRIu32 "}",
		write_column(file, thread, true, "data", write_data));
}

/* -- threads ----------------------------------------------------------------------------------- */

static void write_names(const struct firefox_file *file, uint32_t group)
{
	const struct path_group *of = &file->threads.groups[group];
	const struct profile *profile = file->profile;
	const bool has_process = of->process < profile->n_processes;
	const bool has_thread = of->thread < profile->n_threads;
	const char *process = has_process ? profile->processes[of->process].name : NULL;
	const char *name = has_thread ? profile->threads[of->thread].name : process;
	const int32_t pid = has_process ? profile->processes[of->process].pid : -1;
	const int32_t tid = has_thread ? profile->threads[of->thread].tid : pid;

	firefox_write_text(file, "name", name ? name : "");
	firefox_write_text(file, "processName", process ? process : "");
	firefox_write_pid(file, group);
	fprintf(file->out, ",\"tid\":%" PRId32 ",\"isMainThread\":%s", tid,
		tid == pid ? "true" : "false");
}

static void write_thread(struct firefox_file *file, uint32_t group)
{
	const uint32_t first = file->samples.first[group];
	const struct sample_row *rows = file->profile->rows->rows;

	fputs("{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
	      "\"pausedRanges\":[],\"unregisterTime\":null,\"registerTime\":",
	      file->out);
	firefox_write_time(file, first < file->samples.first[group + 1]
					 ? rows[file->samples.rows[first]].time
					 : 0);
	write_names(file, group);
	write_samples(file, group);
	write_markers(file, group);
	putc('}', file->out);
}

void firefox_write_threads(struct firefox_file *file)
{
	const struct sample_list *samples = &file->samples;

	path_options_expect(file->options, samples->first[file->threads.n_groups]);
	fputs(",\n\"threads\":[", file->out);
	for (uint32_t i = 0; i < file->threads.n_groups; i++) {
		fputs(i ? ",\n" : "\n", file->out);
		write_thread(file, i);
		path_options_written(file->options, samples->first[i + 1] - samples->first[i]);
	}
	putc(']', file->out);
}
