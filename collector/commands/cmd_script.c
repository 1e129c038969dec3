/*
 * dendro script: writes a block for each sample, in the layout of `perf script`
 * (tools/perf/builtin-script.c), so that programs that read that can read ours: comm, tid, CPU,
 * time, period, event, then the frames leaf first.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/printable.h"
#include "collector/command-line/file_options.h"
#include "collector/command-line/filter_findings.h"
#include "collector/command-line/messages.h"
#include "collector/commands/commands.h"
#include "collector/files/stored_profile.h"
#include "collector/replay/processes.h"
#include "collector/sandbox/reader_sandbox.h"
#include "collector/script/script_fields.h"
#include "collector/script/script_options.h"
#include "collector/script/script_selection.h"
#include "collector/session/dendro.h"
#include "perf/tracing/trace_print.h"
#include "report/names/symbolize.h"

struct script {
	struct file_search *files;
	struct dendro *session;
	struct symbolizer *symbolizer;
	enum symbol_names names;
	unsigned fields; /* enum script_field */
	bool has_no_callers, has_ns;
	size_t event_width;
	const struct path_selection *wanted; /* borrowed */
	struct script_selection selection;
};

/* Called at the first sample, when the metrics are known. */
static int script_start(struct script *script)
{
	const struct profile *profile = dendro_recording(script->session);

	script->symbolizer =
		symbolizer_create(profile, &(struct symbolizer_options){ .no_inlines = true,
									 .names = script->names });
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		size_t width = strlen(profile->metrics[i].name);

		script->event_width = width > script->event_width ? width : script->event_width;
	}
	if (!script->symbolizer)
		return -ENOMEM;
	return script_selection_start(&script->selection, script->wanted, profile, script->names);
}

static void script_deinit(struct script *script)
{
	symbolizer_destroy(script->symbolizer);
	script_selection_deinit(&script->selection);
	dendro_close(script->session);
	file_search_destroy(script->files);
}

/* Names come from the recording, so unsafe characters are escaped. */
static void print_right(const char *text, size_t width)
{
	size_t size = strlen(text);

	printf("%*s", size < width ? (int)(width - size) : 0, "");
	printable_put(stdout, text);
}

/* Time off the CPU without a sample has a marker, too: the reason why it has none. */
static bool has_path(const struct sample *sample)
{
	return !sample->raw.header || sample->record.sample.has_callchain;
}

/* Whether its frames are lines below the sample's. */
static bool prints_path(const struct script *script, const struct sample *sample)
{
	return has_path(sample) && !script->has_no_callers && script->fields & SCRIPT_IP;
}

static void print_task(const struct script *script, const struct sample *sample)
{
	const struct record *record = &sample->record;
	unsigned fields = script->fields;

	if (fields & SCRIPT_COMM) {
		print_right(sample->thread->name, prints_path(script, sample) ? 0 : 16);
		putchar(' ');
	}
	if (fields & SCRIPT_PID && fields & SCRIPT_TID)
		printf("%5d/%-5d ", record->pid, record->tid);
	else if (fields & (SCRIPT_PID | SCRIPT_TID))
		printf("%5d ", fields & SCRIPT_PID ? record->pid : record->tid);
}

static void print_time(const struct script *script, uint64_t time_ns)
{
	uint64_t rest = time_ns % NSEC_PER_SEC;

	printf("%5" PRIu64 ".%0*" PRIu64 ": ", time_ns / NSEC_PER_SEC, script->has_ns ? 9 : 6,
	       script->has_ns ? rest : rest / 1000);
}

/* @has_weight: perf leaves the period of tracepoints out, which is 1. */
static void print_start(const struct script *script, const struct sample *sample, bool has_weight)
{
	const struct record *record = &sample->record;
	unsigned fields = script->fields;

	print_task(script, sample);
	if (record->has_cpu && fields & SCRIPT_CPU)
		printf("[%03u] ", record->cpu);
	if (record->has_time && fields & SCRIPT_TIME)
		print_time(script, record->time_ns);
	if (fields & SCRIPT_PERIOD && (has_weight || fields & SCRIPT_CHOSEN))
		printf("%10" PRIu64 " ", sample->weight);
	if (!(fields & SCRIPT_EVENT))
		return;
	print_right(sample->event->name, script->event_width);
	fputs(": ", stdout);
}

static void print_symbol(const struct script *script, const struct frame_name *name,
			 bool is_return_address)
{
	putchar(' ');
	if (name->symbol_offset == UINT64_MAX) {
		fputs("[unknown]", stdout);
		return;
	}
	printable_put(stdout, name->name);
	if (script->fields & SCRIPT_SYMOFF)
		printf("+0x%" PRIx64, name->symbol_offset + is_return_address);
}

static void print_module(const struct script *script, const struct frame *frame)
{
	const struct module *module =
		module_table_get(&dendro_recording(script->session)->modules, frame->module);

	fputs(" (", stdout);
	printable_put(stdout, module ? module->key.path : "[unknown]");
	putchar(')');
}

/* @addr: the address to show. */
static int print_frame(struct script *script, const struct frame *frame, uint64_t addr,
		       bool is_return_address)
{
	struct frame_name name;
	int err = symbolizer_name(script->symbolizer, frame, &name);

	if (err)
		return err;
	printf("%16" PRIx64, addr);
	if (script->fields & SCRIPT_SYM)
		print_symbol(script, &name, is_return_address);
	if (script->fields & SCRIPT_DSO)
		print_module(script, frame);
	fputs(frame->origin == FRAME_GUESSED    ? " [guessed]"
	      : frame->origin == FRAME_STITCHED ? " [stitched]"
	      : frame->origin == FRAME_JOINED   ? " [joined]"
						: "",
	      stdout);
	return 0;
}

/*
 * As in perf, user addresses of a path are shown as offsets in their file, kernel addresses
 * unchanged; return addresses of callchains, which are one greater than the lookup address, as they
 * were recorded, and unwound callers by their lookup address.
 */
static uint64_t shown_addr(const struct frame *frame, uint64_t addr, bool is_return_address)
{
	bool is_in_file = frame->kind == FRAME_USER && frame->module;

	return is_in_file ? frame->offset + is_return_address : addr;
}

static int print_frames(struct script *script, const struct frame *frames, const uint64_t *addrs,
			size_t n_frames, bool are_return_addresses, size_t *n_left)
{
	int err = 0;

	for (size_t i = 0; i < n_frames && !err && *n_left; i++) {
		bool is_return_address = i && are_return_addresses, is_hidden;

		err = script_selection_hides(&script->selection, &frames[i], &is_hidden);
		if (err || is_hidden)
			continue;
		--*n_left;
		putchar('\t');
		err = print_frame(script, &frames[i],
				  shown_addr(&frames[i], addrs[i], is_return_address),
				  is_return_address);
		putchar('\n');
	}
	return err;
}

static void print_mark(const char *text)
{
	printf("\t%16x ", 0);
	printable_put(stdout, text);
	puts(" ([dendro])");
}

static void print_marker(enum marker marker)
{
	print_mark(marker_text(marker));
}

/* The innermost frame that is not hidden; their number if there is none. 0 or -errno. */
static int find_shown(struct script *script, const struct frame *frames, size_t n, size_t *at_ret)
{
	bool is_hidden = true;
	int err = 0;

	for (*at_ret = 0; *at_ret < n && !err; ++*at_ret) {
		err = script_selection_hides(&script->selection, &frames[*at_ret], &is_hidden);
		if (!is_hidden)
			break;
	}
	return err;
}

/* A sample without a callchain is one line, and its address is that in memory. */
static int print_leaf(struct script *script, const struct sample *sample)
{
	const struct call_path *path = &sample->path;
	size_t kernel, user;
	int err = find_shown(script, path->kernel_frames, path->n_kernel, &kernel);

	putchar(' ');
	if (!err && kernel < path->n_kernel)
		return print_frame(script, &path->kernel_frames[kernel], path->kernel_addrs[kernel],
				   kernel > 0);
	if (!err)
		err = find_shown(script, path->user_frames, path->n_user, &user);
	if (err)
		return err;
	if (user < path->n_user)
		return print_frame(script, &path->user_frames[user], path->user_addrs[user], false);
	printf("%16" PRIx64 " [unknown] ([unknown])", sample->record.sample.ip);
	return 0;
}

/* How the raw data of a sample are printed. NULL: not at all. Time off the CPU is more than the
 * switch that it begins with. */
static const struct trace_format *format_of(const struct script *script,
					    const struct sample *sample)
{
	if (!sample->raw.header || !sample->record.sample.raw ||
	    sample->event->weight.kind == WEIGHT_OFF_CPU)
		return NULL;
	return dendro_trace_format(script->session, sample->event);
}

/* The fields of a tracepoint, as its format prints them. */
static void print_fields(const struct sample *sample, const struct trace_format *format)
{
	const struct sample_record *record = &sample->record.sample;
	char text[TRACE_TEXT_MAX];

	trace_print(format, record->raw, record->raw_size, text);
	printable_put(stdout, text);
}

static void print_off_reason(const struct script *script, const struct off_reason *off)
{
	char text[LOCK_TEXT_MAX];

	if (off->marker < 0)
		return;
	print_marker((enum marker)off->marker);
	if (off->has_waker)
		print_mark(dendro_recording(script->session)->wakers.strings[off->waker]);
	if (off->lock)
		print_mark(lock_text(off->lock, text));
	if (off->is_all_time)
		print_marker(MARKER_OFF_ALL_TIME);
}

/* What follows the frames. */
static void print_rest(struct script *script, const struct sample *sample)
{
	script_fields_print_branches(script->session, sample, script->fields);
	putchar('\n');
}

static int print_path(struct script *script, const struct sample *sample)
{
	const struct call_path *path = &sample->path;
	size_t n_left = script_selection_max_frames(&script->selection);

	putchar('\n');
	print_off_reason(script, &path->off);
	int err = print_frames(script, path->kernel_frames, path->kernel_addrs, path->n_kernel,
			       true, &n_left);
	if (!err)
		err = print_frames(script, path->user_frames, path->user_addrs, path->n_user,
				   path->user_half == USER_UNVERIFIED, &n_left);
	if (path->user_half == USER_INCOMPLETE && n_left)
		print_marker(path->end);
	return err;
}

static int print_sample(struct script *script, const struct sample *sample)
{
	const struct trace_format *format = format_of(script, sample);
	int err = 0;

	print_start(script, sample, !format || sample->event->weight.kind != WEIGHT_PERIOD);
	if (format && script->fields & SCRIPT_TRACE)
		print_fields(sample, format);
	script_fields_print_data(sample, script->fields);
	if (prints_path(script, sample))
		err = print_path(script, sample);
	else if (!format && script->fields & SCRIPT_IP)
		err = print_leaf(script, sample);
	print_rest(script, sample);
	return err;
}

static int script_run(struct script *script)
{
	const struct sample *sample;
	int got;

	while ((got = dendro_next(script->session, &sample)) > 0) {
		int err = script->symbolizer ? 0 : script_start(script);
		bool is_taken = false;

		if (!err)
			err = script_selection_takes(&script->selection, sample, &is_taken);
		if (!err && is_taken)
			err = print_sample(script, sample);
		if (err)
			return err;
		if (ferror(stdout))
			return -EPIPE;
	}
	return got;
}

/* Returns the exit status: 0 with a warning for a cut recording, 1 for a corrupt one. */
static int script_conclude(const struct script *script, const char *path, int err)
{
	const char *truncated = dendro_recording(script->session)->info.truncated;

	if (err == -EPIPE)
		return 0;
	if (err)
		message_error_of_file("script", path, strerror(-err));
	else if (truncated)
		message_error_of_file("script", path, truncated);
	return err || dendro_error(script->session) ? 1 : 0;
}

/* Were samples left out by filters? */
static bool is_filtered(const struct script *script)
{
	return dendro_recording(script->session)->quality.counts[QUALITY_FILTERED];
}

static int script_open(struct script *script, const char *path, const struct dendro_filter *filter,
		       char **error_ret)
{
	const struct dendro_source source = { .path = path };
	struct dendro_options options = { .files = script->files, .filter = *filter };
	int err = filter->has_time ? dendro_read_times(&source, &options.times, error_ret) : 0;

	return err ? err : dendro_open(&source, &options, &script->session, error_ret);
}

/* The exit status. */
static int run(struct script *script, struct script_options *options)
{
	const struct dendro_filter filter = filter_options_filter(&options->filter);
	const char *path = options->path;
	const struct reader_needs needs = { .inputs = &path, .n_inputs = 1 };
	_cleanup_free_ char *error = NULL;

	if (stored_profile_refused(path, "script"))
		return 1;
	reader_sandbox_enter("script", &options->files, &needs);
	if (file_options_open(&options->files, "script", &script->files))
		return 1;
	int err = script_open(script, path, &filter, &error);
	if (err) {
		message_error_of_file("script", path, error ? error : strerror(-err));
		file_search_destroy(script->files);
		return 1;
	}
	err = script_run(script);
	if (fflush(stdout) && !err)
		err = errno == EPIPE ? -EPIPE : -errno;
	int status = script_conclude(script, path, err);
	if (!err && (filter_findings_check_phases("script", NULL, dendro_recording(script->session),
						  &filter) ||
		     filter_findings_check_epochs("script", NULL, dendro_recording(script->session),
						  &filter)))
		status = 1;
	else if (!script->symbolizer && is_filtered(script))
		filter_findings_print("script", &path, 1, &options->files, &filter);
	else if (!err && script->symbolizer)
		script_selection_conclude(&script->selection);
	script_deinit(script);
	return status;
}

int cmd_script(int argc, char **argv, struct configuration *configuration)
{
	struct script_options options = { .path = file_options_default,
					  .names = NAMES_WITHOUT_PARAMETERS,
					  .fields = SCRIPT_DEFAULT_FIELDS };
	struct parsed_line parsed =
		options_parse(&script_line, configuration, argc, argv, &options);

	struct script script = { .names = options.names,
				 .fields = options.fields,
				 .has_no_callers = options.has_no_callers,
				 .has_ns = options.has_ns,
				 .wanted = &options.selection };
	int status = parsed.status;

	if (!parsed.is_done)
		status = file_options_take_operand("script", &parsed, 0, &options.path);
	if (!parsed.is_done && !status)
		status = run(&script, &options);
	filter_options_deinit(&options.filter);
	path_selection_deinit(&options.selection);
	return status;
}
