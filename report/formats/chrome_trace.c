/*
 * Chrome's trace format ("Trace Event Format", JSON object format), as Perfetto and speedscope read
 * it: neither reads its sampled stacks, but both read durations, which are pairs of a begin (B) and
 * an end (E) of a function; docs/decisions/0066-begins-and-ends-in-traces.md says why not single
 * events (X). Functions that consecutive samples have in common are not ended between them, so
 * these are as long as all their samples together.
 *
 * Begins and ends are many more than samples. So the text of one is put together from two parts:
 * what all have that one track has at one time, and what all have that are of one function.
 *
 * A thread has a track for each event that is a track by itself: the first event with samples,
 * others that count time, and waits. Samples of other events are instants (i) of the thread. Times
 * are microseconds.
 */
#include "report/formats/chrome_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/stream.h"
#include "cct/text/decimal.h"
#include "cct/text/json_string.h"
#include "report/formats/sample_spans.h"
#include "report/stacks/path_groups.h"
#include "report/stacks/stack_tree.h"

#define US_DIGITS 3          /* nanoseconds */
#define MAX_TIDS  (1u << 22) /* of Linux; the numbers of further tracks are after these */

#define EDGE_TRACK  ",\n{\"ph\":\"B\",\"pid\":%" PRId32 ",\"tid\":%" PRId64 ",\"ts\":"
#define EDGE_PHASE  (sizeof(",\n{\"ph\":\"") - 1)
#define EDGE_SIZE   (sizeof(EDGE_TRACK) + 3 * DECIMAL_MAX)
#define NAME_MEMBER ",\"name\":"

struct track {
	int32_t pid;
	int64_t tid;
	uint64_t end_ns; /* of its last span */
};

/* The beginning of an edge's text: a track, whose text has ->n_track bytes, and a time. */
struct edge_start {
	char text[EDGE_SIZE];
	size_t n_track, size;
};

/* The rest of it: of a begin the whole, of an end from ->n_category on. */
struct function_text {
	char *text;
	size_t n_category, size;
};

struct writer {
	FILE *out;
	const struct profile *profile;
	const struct path_options *options;
	struct stack_tree *tree;
	struct path_groups threads;
	struct sample_list samples;
	uint32_t metric;
	uint64_t length_ns;              /* of a sample of that metric; 0: its weight */
	struct function_text *functions; /* by function */
	struct edge_start edge;
	uint32_t *open; /* nodes that have begun, outermost first */
	uint32_t *next; /* likewise, of the sample */
	size_t n_open, n_open_allocated, n_next_allocated;
	struct pair_map tracks; /* (pid, tid) -> index */
	struct track *list;
	uint32_t n_tracks;
	bool has_event;
};

static bool is_time(const struct metric *metric)
{
	return strcmp(metric->unit, "ns") == 0;
}

/* -- events ----------------------------------------------------------------------------------- */

static void start_event(struct writer *writer, char phase, const struct track *track)
{
	fprintf(writer->out, "%s\n{\"ph\":\"%c\",\"pid\":%" PRId32 ",\"tid\":%" PRId64,
		writer->has_event ? "," : "", phase, track->pid, track->tid);
	writer->has_event = true;
}

static void write_time(const struct writer *writer, uint64_t time_ns)
{
	fputs(",\"ts\":", writer->out);
	decimal_write_fraction(writer->out, time_ns, US_DIGITS);
}

static uint32_t function_of(const struct writer *writer, uint32_t node)
{
	return writer->tree->frames[writer->tree->nodes[node].frame].function;
}

static const struct function_text *text_of(const struct writer *writer, uint32_t node)
{
	return &writer->functions[function_of(writer, node)];
}

/* Edges that are written next are of that track. Its names precede them. */
static void set_edge_track(struct writer *writer, const struct track *track)
{
	writer->edge.n_track = (size_t)snprintf(writer->edge.text, sizeof(writer->edge.text),
						EDGE_TRACK, track->pid, track->tid);
}

/* Likewise, a time. */
static void set_edge_time(struct writer *writer, uint64_t time_ns)
{
	struct edge_start *edge = &writer->edge;

	edge->size = edge->n_track +
		     decimal_format_fraction(edge->text + edge->n_track, time_ns, US_DIGITS);
}

static void write_edge_start(struct writer *writer, char phase)
{
	writer->edge.text[EDGE_PHASE] = phase;
	fwrite(writer->edge.text, 1, writer->edge.size, writer->out);
}

static void write_begin(struct writer *writer, uint32_t node)
{
	const struct function_text *function = text_of(writer, node);

	write_edge_start(writer, 'B');
	fwrite(function->text, 1, function->size, writer->out);
}

static void write_end(struct writer *writer, uint32_t node, bool has_arguments)
{
	const struct function_text *function = text_of(writer, node);

	write_edge_start(writer, 'E');
	if (has_arguments)
		fputs(",\"args\":{}", writer->out);
	fwrite(function->text + function->n_category, 1, function->size - function->n_category,
	       writer->out);
}

/* "process_name" and the like. */
static void write_name(struct writer *writer, const struct track *track, const char *what,
		       const char *name, const char *suffix)
{
	_cleanup_free_ char *text = NULL;

	if (asprintf(&text, "%s%s%s", name, *suffix ? " " : "", suffix) < 0)
		return;
	start_event(writer, 'M', track);
	fprintf(writer->out, ",\"ts\":0,\"name\":\"%s\",\"args\":{\"name\":", what);
	json_write_printable(writer->out, text);
	fputs("}}", writer->out);
}

static bool have_same_name(const struct writer *writer, uint32_t a, uint32_t b)
{
	const struct function_text *x = text_of(writer, a), *y = text_of(writer, b);

	return strcmp(x->text + x->n_category, y->text + y->n_category) == 0;
}

/*
 * @next: the first function that begins then; STACK_NONE: none. speedscope takes a begin and an end
 * of the same name at the same time for a function without duration, unless only one has arguments.
 */
static void end_functions(struct writer *writer, const struct track *track, size_t n_kept,
			  uint32_t next)
{
	set_edge_time(writer, track->end_ns);
	while (writer->n_open > n_kept) {
		const uint32_t node = writer->open[--writer->n_open];

		write_end(writer, node, next != STACK_NONE && have_same_name(writer, node, next));
	}
}

/* The nodes of a stack, outermost first, in ->next. Their number, or -ENOMEM. */
static ssize_t list_nodes(struct writer *writer, uint32_t node)
{
	size_t n = 0;

	for (uint32_t at = node; at != STACK_NONE; at = writer->tree->nodes[at].parent)
		n++;
	if (array_reserve(writer->next, 0, writer->n_next_allocated, n + 1))
		return -ENOMEM;
	for (size_t i = n; i-- > 0; node = writer->tree->nodes[node].parent)
		writer->next[i] = node;
	return (ssize_t)n;
}

/* Ends what the sample does not have, and begins what it has. 0 or -ENOMEM. */
static int write_span(struct writer *writer, struct track *track, const struct sample_span *span,
		      uint32_t node)
{
	const ssize_t n = list_nodes(writer, node);
	size_t n_common = 0;

	if (n < 0 || array_reserve(writer->open, 0, writer->n_open_allocated, (size_t)n + 1))
		return -ENOMEM;
	while (span->begin_ns == track->end_ns && n_common < writer->n_open &&
	       n_common < (size_t)n && writer->open[n_common] == writer->next[n_common])
		n_common++;
	const bool begins_then = span->begin_ns == track->end_ns && n_common < (size_t)n;
	end_functions(writer, track, n_common, begins_then ? writer->next[n_common] : STACK_NONE);
	set_edge_time(writer, span->begin_ns);
	for (; writer->n_open < (size_t)n; writer->n_open++) {
		writer->open[writer->n_open] = writer->next[writer->n_open];
		write_begin(writer, writer->next[writer->n_open]);
	}
	track->end_ns = span->end_ns;
	return 0;
}

/* -- tracks ----------------------------------------------------------------------------------- */

static const char *name_of(const char *name)
{
	return name ? name : "";
}

/* The track of a thread, or one of its further ones; processes one after the other may have the
 * same. 0 or -ENOMEM. */
static int find_track(struct writer *writer, uint32_t group, uint32_t metric,
		      struct track **track_ret)
{
	const struct profile *profile = writer->profile;
	const struct path_group *of = &writer->threads.groups[group];
	const struct profile_process *process =
		of->process < profile->n_processes ? &profile->processes[of->process] : NULL;
	const struct profile_thread *thread =
		of->thread < profile->n_threads ? &profile->threads[of->thread] : NULL;
	const bool is_first = metric == writer->metric;
	struct track track = { .pid = process ? process->pid : -1 };

	track.tid = (thread ? thread->tid : track.pid) +
		    (is_first ? 0 : (int64_t)MAX_TIDS * (metric + 1));
	uint32_t index = pair_map_find(&writer->tracks, (uint64_t)track.pid, (uint64_t)track.tid);
	if (index == PAIR_MAP_NONE) {
		index = writer->n_tracks;
		if (array_reserve_one(writer->list, writer->n_tracks) ||
		    pair_map_add(&writer->tracks, (uint64_t)track.pid, (uint64_t)track.tid, index))
			return -ENOMEM;
		writer->list[writer->n_tracks++] = track;
	}
	*track_ret = &writer->list[index];
	write_name(writer, *track_ret, "process_name", name_of(process ? process->name : NULL), "");
	write_name(writer, *track_ret, "thread_name",
		   name_of(thread    ? thread->name
			   : process ? process->name
				     : NULL),
		   is_first ? "" : profile->metrics[metric].name);
	return 0;
}

static int write_spans(struct writer *writer, uint32_t group, uint32_t metric)
{
	const struct sample_rows *rows = writer->profile->rows;
	const uint64_t length = metric == writer->metric ? writer->length_ns : 0;
	const bool is_wait = writer->profile->metrics[metric].is_waits;
	struct track *track = NULL;
	int err = 0;

	for (uint32_t i = writer->samples.first[group];
	     !err && i < writer->samples.first[group + 1]; i++) {
		const uint32_t number = writer->samples.rows[i];
		const struct sample_row *row = &rows->rows[number];
		const uint64_t weight =
			length ? length : sample_list_weight(&writer->samples, number);

		path_options_written(writer->options, metric == writer->metric);
		if (row->metric != metric || !weight)
			continue;
		if (!track) {
			err = find_track(writer, group, metric, &track);
			if (err)
				break;
			set_edge_track(writer, track);
		}
		const struct sample_span span = sample_span_of(row, is_wait, weight, track->end_ns);
		err = write_span(writer, track, &span, writer->tree->node_of[row->node]);
	}
	if (track)
		end_functions(writer, track, 0, STACK_NONE);
	return err;
}

static void write_instant(struct writer *writer, const struct track *track, uint32_t number)
{
	const struct sample_row *row = &writer->profile->rows->rows[number];
	const uint32_t node = writer->tree->node_of[row->node];

	start_event(writer, 'i', track);
	write_time(writer, row->time * 1000);
	fputs(",\"s\":\"t\",\"name\":", writer->out);
	json_write_printable(writer->out, writer->profile->metrics[row->metric].name);
	fputs(",\"args\":{\"weight\":", writer->out);
	decimal_write(writer->out, sample_list_weight(&writer->samples, number));
	if (node != STACK_NONE) {
		const struct function_text *function = text_of(writer, node);

		fputs(",\"function\":", writer->out);
		fputs(function->text + function->n_category + strlen(NAME_MEMBER), writer->out);
	} else {
		putc('}', writer->out);
	}
	putc('}', writer->out);
}

static int write_instants(struct writer *writer, uint32_t group)
{
	const struct sample_rows *rows = writer->profile->rows;
	struct track *track = NULL;
	int err = 0;

	for (uint32_t i = writer->samples.first[group];
	     !err && i < writer->samples.first[group + 1]; i++) {
		const uint32_t number = writer->samples.rows[i];
		const uint16_t metric = rows->rows[number].metric;

		if (metric == writer->metric || is_time(&writer->profile->metrics[metric]))
			continue;
		err = track ? 0 : find_track(writer, group, writer->metric, &track);
		if (!err)
			write_instant(writer, track, number);
	}
	return err;
}

static int write_thread(struct writer *writer, uint32_t group)
{
	const struct profile *profile = writer->profile;
	int err = 0;

	for (uint32_t i = 0; !err && i < profile->n_metrics; i++) {
		if (i == writer->metric || is_time(&profile->metrics[i]))
			err = write_spans(writer, group, i);
	}
	return err ? err : write_instants(writer, group);
}

/* -- the file --------------------------------------------------------------------------------- */

struct first_time {
	uint64_t time;
	uint32_t group;
};

static int compare_times(const void *a, const void *b)
{
	const struct first_time *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

/* By the first sample: what has the same track comes in the order of time. */
static int write_threads(struct writer *writer)
{
	const uint32_t n = writer->threads.n_groups;
	const struct sample_list *samples = &writer->samples;
	_cleanup_free_ struct first_time *times = calloc(n + 1u, sizeof(*times));
	int err = times ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < n; i++) {
		const bool has_rows = samples->first[i] < samples->first[i + 1];

		times[i].group = i;
		if (has_rows)
			times[i].time =
				writer->profile->rows->rows[samples->rows[samples->first[i]]].time;
	}
	path_options_expect(writer->options, samples->first[n]);
	if (times)
		qsort(times, n, sizeof(*times), compare_times);
	for (uint32_t i = 0; !err && i < n; i++)
		err = write_thread(writer, times[i].group);
	return err;
}

/* What all edges of a function have: ,"cat":"user","name":"f"}. 0 or -ENOMEM. */
static int make_function_text(const struct stack_function *function, struct function_text *text)
{
	static const char *const categories[N_STACK_KINDS] = {
		[STACK_USER] = "user",
		[STACK_KERNEL] = "kernel",
		[STACK_JIT] = "jit",
		[STACK_MARK] = "other",
	};
	FILE *out = open_memstream(&text->text, &text->size);

	if (!out)
		return -ENOMEM;
	text->n_category = (size_t)fprintf(out, ",\"cat\":\"%s\"", categories[function->kind]);
	fputs(NAME_MEMBER, out);
	json_write_printable(out, function->name);
	putc('}', out);
	return fclose(out) ? -ENOMEM : 0;
}

static int make_function_texts(struct writer *writer)
{
	const uint32_t n = writer->tree->n_functions;
	int err = 0;

	writer->functions = calloc(n + 1u, sizeof(*writer->functions));
	if (!writer->functions)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < n; i++)
		err = make_function_text(&writer->tree->functions[i], &writer->functions[i]);
	return err;
}

static int write_file(struct writer *writer)
{
	FILE *out = writer->out;
	int err = make_function_texts(writer);

	if (!err)
		err = sample_spans_length(writer->profile, &writer->samples,
					  writer->threads.n_groups, writer->metric,
					  &writer->length_ns);
	if (err)
		return err;
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"version\":\"dendro " DENDRO_VERSION
	      "\",\"event\":",
	      out);
	json_write_printable(out, writer->profile->metrics[writer->metric].name);
	if (writer->profile->info.command_line) {
		fputs(",\"command\":", out);
		json_write_printable(out, writer->profile->info.command_line);
	}
	fputs("},\n\"traceEvents\":[", out);
	err = write_threads(writer);
	fputs("\n]}\n", out);
	return err ? err : stream_finish(out);
}

static void deinit(struct writer *writer)
{
	for (uint32_t i = 0; writer->functions && i < writer->tree->n_functions; i++)
		free(writer->functions[i].text);
	free(writer->functions);
	free(writer->open);
	free(writer->next);
	free(writer->list);
	pair_map_deinit(&writer->tracks);
	sample_list_deinit(&writer->samples);
	path_groups_deinit(&writer->threads);
	stack_tree_destroy(writer->tree);
}

int chrome_trace_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		       const struct path_options *options)
{
	struct writer writer = {
		.out = out, .profile = profile, .options = options, .metric = options->metric
	};
	int err = stack_tree_create(profile, symbolizer, STACKS_OF_FUNCTIONS, &writer.tree);

	if (!err)
		err = path_groups_init(&writer.threads, profile, GROUP_THREAD);
	if (!err)
		err = sample_list_init_groups(&writer.samples, profile, writer.threads.group_of,
					      writer.threads.n_groups);
	if (!err)
		err = write_file(&writer);
	deinit(&writer);
	return err;
}
