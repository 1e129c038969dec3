/* One pass over a recording: order, sideband, samples. */
#include "collector/replay/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "collector/attached/carried_files.h"
#include "collector/attached/code_pages.h"
#include "collector/attached/event_counts.h"
#include "collector/attached/stack_misses.h"
#include "collector/paths/kernel_names.h"
#include "collector/paths/sample_path.h"
#include "collector/replay/counter_values.h"
#include "collector/replay/off_cpu.h"
#include "collector/replay/sample_weight.h"
#include "collector/replay/thread_stacks.h"
#include "perf/file/order.h"
#include "perf/records/read_values.h"
#include "perf/records/stack_record.h"
#include "perf/records/window_record.h"

#define MAX_PENDING_BYTES (64u << 20)
#define HIDDEN_KERNEL \
	"the kernel hid its addresses from the recorder (kernel.kptr_restrict, or no CAP_SYSLOG)"
#define NO_METRIC UINT32_MAX

struct replay {
	struct data_file *file;
	struct order *order;
	struct profile *profile;
	struct kernel_names *kernel_names;
	struct module_finder *finder;
	struct processes *processes;
	struct code_pages *code_pages;
	struct thread_stacks *thread_stacks;
	struct off_cpu *off_cpu; /* NULL: no event weighs it, or not asked yet */
	size_t off_cpu_event;
	bool has_asked_off_cpu;
	uint64_t newest_ns;            /* of all records handed out by ->order */
	uint64_t window_end_ns;        /* 0: not told */
	const struct machine *machine; /* once ->is_started */
	uint32_t *metrics;             /* by event of the file */
	size_t n_metrics;
	uint64_t lost_by_lost;         /* in LOST records of sample rings */
	uint64_t lost_by_lost_samples; /* in LOST_SAMPLES records */
	bool is_started; /* the first sample was met: events, kernel names are complete */
	bool is_at_end;
	/* A sample that reads counters is handed out once per counter that grew. */
	struct sample group; /* no block: none */
	size_t group_next;
	struct counter_values counter_values;
};

int replay_open(const char *path, struct file_search *files, struct replay **replay_ret,
		char **error_ret)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	int err = replay ? data_file_open(path, &replay->file, error_ret) : -ENOMEM;

	if (!err && files)
		err = carried_files_take(replay->file, files);
	if (!err) {
		replay->order = order_create(MAX_PENDING_BYTES);
		replay->profile = profile_create();
		if (replay->order && replay->profile) {
			struct module_table *modules = &replay->profile->modules;

			modules->files = files;
			replay->kernel_names = kernel_names_create(replay->file, modules);
			replay->finder = module_finder_create(replay->file, path, replay->profile);
			replay->processes = processes_create(replay->profile, replay->finder);
			replay->code_pages = code_pages_create();
			replay->thread_stacks = thread_stacks_create(replay->processes);
		}
		if (!replay->kernel_names || !replay->finder || !replay->processes ||
		    !replay->code_pages || !replay->thread_stacks)
			err = -ENOMEM;
	}
	if (err) {
		replay_close(replay);
		return err;
	}
	*replay_ret = replay;
	return 0;
}

void replay_close(struct replay *replay)
{
	if (!replay)
		return;
	if (replay->group.raw.block)
		sample_deinit(&replay->group);
	off_cpu_destroy(replay->off_cpu);
	processes_destroy(replay->processes);
	code_pages_destroy(replay->code_pages);
	thread_stacks_destroy(replay->thread_stacks);
	module_finder_destroy(replay->finder);
	kernel_names_destroy(replay->kernel_names);
	order_destroy(replay->order);
	profile_destroy(replay->profile);
	data_file_close(replay->file);
	free(replay->metrics);
	counter_values_deinit(&replay->counter_values);
	free(replay);
}

const char *replay_error(const struct replay *replay)
{
	return data_file_error(replay->file);
}

struct profile *replay_profile(struct replay *replay)
{
	return replay->profile;
}

/* What a recording says of time is put on the clock of files, whose last write it ended with. */
static void date_modules(const struct replay *replay)
{
	const struct profile *profile = replay->profile;
	int64_t end = data_file_info(replay->file)->modified;
	uint64_t first_ns = profile->info.start_ns;

	for (uint32_t id = 1; end && id < profile->modules.n_modules; id++) {
		struct module *module = module_table_get(&profile->modules, id);
		/* What has no time was there when the first sample was taken. */
		uint64_t mapped_ns =
			module->located.mapped_ns ? module->located.mapped_ns : first_ns;

		if (mapped_ns && mapped_ns < replay->newest_ns)
			module->located.mapped =
				end - (int64_t)((replay->newest_ns - mapped_ns) / 1000000000);
	}
}

struct profile *replay_take_profile(struct replay *replay)
{
	date_modules(replay);
	return steal_ptr(replay->profile);
}

const struct kernel_symbols *replay_kernel_symbols(const struct replay *replay)
{
	return kernel_names_symbols(replay->kernel_names);
}

int replay_name_kernel(struct replay *replay)
{
	return kernel_names_finish(replay->kernel_names);
}

static const struct machine *find_machine(const struct replay *replay)
{
	const char *name = data_file_info(replay->file)->arch;

	return machine_find(name ? name : "x86_64");
}

const struct machine *replay_machine(const struct replay *replay)
{
	return replay->is_started ? replay->machine : find_machine(replay);
}

int replay_enter(struct replay *replay, struct sample *sample)
{
	if (sample->process_index != UINT32_MAX && sample->thread_index != UINT32_MAX)
		return 0;
	int err = processes_enter(replay->processes, sample->thread);
	sample->process_index = sample->thread->process->profile_index;
	sample->thread_index = sample->thread->profile_index;
	return err;
}

int replay_find_io_wait(struct replay *replay, struct io_wait *ret)
{
	ret->n_functions = 0;
	if (!replay->off_cpu)
		return 0;
	int err = replay_name_kernel(replay);
	if (!err)
		io_wait_find(&replay->profile->modules, ret);
	return err;
}

static bool is_sideband_event(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

static bool weighs_off_cpu(const struct data_file_event *event)
{
	return event->weight.kind == WEIGHT_OFF_CPU;
}

/* Once the events are known, as they are when the first record is handed out. */
static int ask_off_cpu(struct replay *replay)
{
	size_t n_events = data_file_n_events(replay->file), i = 0;

	if (replay->has_asked_off_cpu)
		return 0;
	replay->has_asked_off_cpu = true;
	while (i < n_events && !weighs_off_cpu(data_file_event(replay->file, i)))
		i++;
	if (i == n_events)
		return 0;
	replay->off_cpu_event = i;
	/* With the exec of a command everything begins; else a window record tells. */
	bool is_whole = data_file_event(replay->file, i)->attr.enable_on_exec;
	replay->off_cpu = off_cpu_create(replay->processes, &replay->profile->quality,
					 is_whole ? 0 : UINT64_MAX);
	return replay->off_cpu ? 0 : -ENOMEM;
}

/* One metric per event; an event of the same name on another PMU or thread shares it. */
static uint32_t find_or_add_metric(struct profile *profile, const struct data_file_event *event)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (strcmp(profile->metrics[i].name, event->name) == 0)
			return i;
	}
	return profile_add_metric(profile, event->name, event->unit);
}

static int add_metrics(struct replay *replay)
{
	size_t n_events = data_file_n_events(replay->file);

	replay->metrics = calloc(n_events ? n_events : 1, sizeof(*replay->metrics));
	if (!replay->metrics)
		return -ENOMEM;
	replay->n_metrics = n_events;
	for (size_t i = 0; i < n_events; i++) {
		const struct data_file_event *event = data_file_event(replay->file, i);

		replay->metrics[i] = NO_METRIC;
		if (is_sideband_event(&event->attr))
			continue;
		replay->metrics[i] = find_or_add_metric(replay->profile, event);
		if (replay->metrics[i] == UINT32_MAX)
			return -ENOMEM;
	}
	return 0;
}

static int fill_info(struct replay *replay)
{
	const struct data_file_info *from = data_file_info(replay->file);
	struct profile_info *info = &replay->profile->info;
	const struct {
		char **to;
		const char *value;
	} strings[] = {
		{ &info->command_line, from->command_line },
		{ &info->hostname, from->hostname },
		{ &info->os_release, from->os_release },
		{ &info->arch, from->arch },
		{ &info->cpu, from->cpu_desc },
		{ &info->tool_version, from->perf_version },
	};

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		if (profile_set_string(strings[i].to, strings[i].value))
			return -ENOMEM;
	}
	return 0;
}

/* Once, when headers are over: before the first sample, or at the end of a file without any. */
static int start(struct replay *replay)
{
	if (replay->is_started)
		return 0;
	replay->machine = find_machine(replay);
	replay->is_started = true;
	int err = add_metrics(replay);
	if (!err)
		err = kernel_names_start(replay->kernel_names);
	return err ? err : fill_info(replay);
}

static int push_stack_record(struct replay *replay, struct raw_record *raw)
{
	struct stack_record record;

	if (stack_record_decode(raw->header, &record))
		return order_push(replay->order, raw, record.header.time_ns);
	replay->profile->quality.counts[QUALITY_BROKEN_RECORDS]++;
	data_block_unref(raw->block);
	return 0;
}

static int push_window_record(struct replay *replay, struct raw_record *raw)
{
	struct window_record record;

	if (window_record_decode(raw->header, &record))
		return order_push(replay->order, raw, record.time_ns);
	replay->profile->quality.counts[QUALITY_BROKEN_RECORDS]++;
	data_block_unref(raw->block);
	return 0;
}

static int push(struct replay *replay, struct raw_record *raw)
{
	struct record record;
	size_t event;
	enum record_error error = data_file_decode(replay->file, raw->header, &record, &event);

	if (error != RECORD_OK) {
		/* Its inside is broken, its frame is not: one record less, counted. */
		replay->profile->quality.counts[QUALITY_BROKEN_RECORDS]++;
		data_block_unref(raw->block);
		return 0;
	}
	return order_push(replay->order, raw, record.has_time ? record.time_ns : 0);
}

/* Before it is put in order: samples may be older. */
static int take_code_record(struct replay *replay, struct raw_record *raw)
{
	int err = code_pages_add(replay->code_pages, raw->header);

	replay->profile->quality.counts[QUALITY_BROKEN_RECORDS] += err == -EINVAL;
	data_block_unref(raw->block);
	return err == -EINVAL ? 0 : err;
}

static int read_more(struct replay *replay)
{
	struct raw_record raw;
	int got = data_file_next(replay->file, &raw);

	if (got <= 0) {
		order_finish(replay->order);
		replay->is_at_end = true;
		return got == -ENOMEM ? got : 0;
	}
	if (raw.header->type == RECORD_FINISHED_ROUND) {
		data_block_unref(raw.block);
		order_finish_round(replay->order);
		return 0;
	}
	if (code_record_is_type(raw.header))
		return take_code_record(replay, &raw);
	if (window_record_is_type(raw.header))
		return push_window_record(replay, &raw);
	return stack_record_is_type(raw.header) ? push_stack_record(replay, &raw)
						: push(replay, &raw);
}

static void count_lost_sideband(struct replay *replay, uint64_t n)
{
	replay->profile->quality.counts[QUALITY_LOST_SIDEBAND] += n;
	if (replay->off_cpu)
		off_cpu_lose(replay->off_cpu);
}

static void count_lost(struct replay *replay, const struct record *record, size_t event)
{
	const struct data_file_event *of =
		event == SIZE_MAX ? NULL : data_file_event(replay->file, event);

	if (record->type == PERF_RECORD_LOST_SAMPLES)
		replay->lost_by_lost_samples += record->lost.lost;
	else if (of && is_sideband_event(&of->attr))
		count_lost_sideband(replay, record->lost.lost);
	else
		replay->lost_by_lost += record->lost.lost;
	if (of && event < replay->n_metrics && replay->metrics[event] != NO_METRIC &&
	    record->type == PERF_RECORD_LOST_SAMPLES)
		replay->profile->metrics[replay->metrics[event]].lost += record->lost.lost;
}

static int apply_stack_record(struct replay *replay, const struct perf_event_header *header)
{
	struct stack_misses misses;

	if (stack_misses_read(header, &misses))
		return stack_misses_explain(&misses, &replay->profile->info);
	int err = thread_stacks_apply(replay->thread_stacks, replay_machine(replay), header);

	replay->profile->quality.counts[QUALITY_BROKEN_RECORDS] += err == -EINVAL;
	return err == -EINVAL ? 0 : err;
}

static int apply(struct replay *replay, const struct record *record, size_t event)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (record->cpu_mode == PERF_RECORD_MISC_KERNEL || record->mmap.pid < 0)
			return kernel_names_map(replay->kernel_names, record);
		return processes_apply(replay->processes, record);
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return processes_apply(replay->processes, record);
	case PERF_RECORD_KSYMBOL:
		return kernel_names_ksymbol(replay->kernel_names, record);
	case RECORD_KERNEL_TEXT_POKE:
		replay->profile->quality.counts[QUALITY_TEXT_POKES]++;
		return 0;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		count_lost(replay, record, event);
		return 0;
	case PERF_RECORD_THROTTLE:
		replay->profile->quality.counts[QUALITY_THROTTLED]++;
		return 0;
	default:
		if (record->type > RECORD_KERNEL_CALLCHAIN_DEFERRED &&
		    record->type < RECORD_HEADER_ATTR)
			replay->profile->quality.counts[QUALITY_UNKNOWN_RECORDS]++;
		return 0;
	}
}

static struct code_view find_code(const struct replay *replay, const struct record *record)
{
	struct code_view view = { .n_pages = 0 };
	uint64_t pc;

	if (!code_pages_is_empty(replay->code_pages) && record->has_time &&
	    sample_user_pc(record, replay_machine(replay), &pc))
		code_pages_find(replay->code_pages, record->pid, pc, record->time_ns, &view);
	return view;
}

/* How far a counter has grown for the sample's thread since it was read last. 0 or -ENOMEM. */
static int read_growth(struct replay *replay, const struct data_file_event *event,
		       const struct read_value *value, uint64_t *growth_ret)
{
	const struct thread *thread = replay->group.thread;
	struct counter_key key = { .id = value->id };

	*growth_ret = 0;
	if (!value->id)
		return 0;
	if (event->attr.inherit && event->layout.sample_type & PERF_SAMPLE_TID) {
		key.tid = thread->tid;
		key.generation = thread->generation;
	}
	return counter_values_note(&replay->counter_values, &key, value->value, growth_ret);
}

static uint32_t metric_of(const struct replay *replay, size_t event)
{
	return event < replay->n_metrics ? replay->metrics[event] : NO_METRIC;
}

static int account(struct replay *replay, struct sample *sample, size_t event, uint64_t weight)
{
	uint32_t metric = metric_of(replay, event);

	if (metric == NO_METRIC) {
		replay->profile->quality.counts[QUALITY_NOT_ATTRIBUTED]++;
		return 0;
	}
	sample->event = data_file_event(replay->file, event);
	sample->machine = replay->machine;
	sample->metric = metric;
	sample->weight = weight;
	replay->profile->quality.counts[QUALITY_SAMPLES]++;
	return 1;
}

/* The next counter of a group sample that grew. 1: @ret is filled; 0: no more of them. */
static int next_of_group(struct replay *replay, struct sample *ret)
{
	const struct sample_record *record = &replay->group.record.sample;
	const struct data_file_event *of = replay->group.event;

	while (replay->group_next < record->n_read_values) {
		struct read_value value;
		uint64_t growth;

		read_values_of_sample(record, of->layout.read_format, replay->group_next++, &value);
		int err = read_growth(replay, of, &value, &growth);
		if (err)
			return err;
		if (!growth)
			continue;
		sample_copy(&replay->group, ret);
		if (account(replay, ret, data_file_find_event(replay->file, value.id), growth))
			return 1;
		sample_deinit(ret);
	}
	sample_deinit(&replay->group);
	return 0;
}

static void note_time(struct profile_info *info, uint64_t time_ns)
{
	if (!info->start_ns || time_ns < info->start_ns)
		info->start_ns = time_ns;
	if (time_ns > info->end_ns)
		info->end_ns = time_ns;
}

/* Time off the CPU is over: what has no sample gets what all of its event have. */
static int hand_out_off_cpu(struct replay *replay, struct sample *sample)
{
	if (sample->raw.header)
		return 1;
	int err = start(replay);
	if (err) {
		sample_deinit(sample);
		return err;
	}
	replay->profile->quality.counts[QUALITY_UNKNOWN_PROCESSES] +=
		!sample->thread->process->is_announced;
	return account(replay, sample, replay->off_cpu_event, sample->weight);
}

/* 1: @ret is filled; 0: nothing to hand out. */
static int apply_off_cpu(struct replay *replay, const struct record *record, struct sample *ret)
{
	int got = ask_off_cpu(replay);

	if (got || !replay->off_cpu)
		return got;
	got = off_cpu_apply(replay->off_cpu, record, ret);
	return got > 0 ? hand_out_off_cpu(replay, ret) : got;
}

static int apply_window_record(struct replay *replay, const struct perf_event_header *header)
{
	struct window_record record;
	int err = ask_off_cpu(replay);

	if (err || !window_record_decode(header, &record))
		return err;
	note_time(&replay->profile->info, record.time_ns);
	if (record.kind == WINDOW_RECORD_END)
		replay->window_end_ns = record.time_ns;
	else if (replay->off_cpu)
		off_cpu_begin(replay->off_cpu, record.time_ns);
	return 0;
}

static int take_off_cpu_at_end(struct replay *replay, struct sample *ret)
{
	uint64_t end_ns = replay->window_end_ns ? replay->window_end_ns : replay->newest_ns;
	int got = replay->off_cpu ? off_cpu_next_at_end(replay->off_cpu, end_ns, ret) : 0;

	return got > 0 ? hand_out_off_cpu(replay, ret) : got;
}

static bool reads_counters(const struct record *record, const struct record_layout *layout)
{
	return layout->sample_type & PERF_SAMPLE_READ && layout->read_format & PERF_FORMAT_ID &&
	       record->sample.n_read_values;
}

/* What a thread does after a sample is told within so many records, or not at all. */
#define EXEC_DISTANCE_MAX 4096

/* The recorded command is counted from the middle of its exec on. No mapping is known before, so
 * what its old stack pointer leads to is of the new stack. */
static bool is_in_kernel_without_stack(const struct record *record, const struct process *process)
{
	return record->cpu_mode == PERF_RECORD_MISC_KERNEL && record->sample.has_user_regs &&
	       (!record->sample.user_stack_size || !process->has_memory);
}

/* Does the record of an exec precede all that the thread does with a stack? */
static bool is_exec_next(const struct replay *replay, const struct record *record,
			 const struct process *process)
{
	const struct raw_record *next;

	for (size_t i = 0; i < EXEC_DISTANCE_MAX && (next = order_peek(replay->order, i)); i++) {
		struct record later;
		size_t event;

		if (next->header->type != PERF_RECORD_SAMPLE &&
		    next->header->type != PERF_RECORD_COMM)
			continue;
		data_file_decode(replay->file, next->header, &later, &event);
		if (later.type == PERF_RECORD_COMM && later.comm.pid == record->pid)
			return later.comm.is_exec;
		if (later.type == PERF_RECORD_SAMPLE && later.tid == record->tid &&
		    !is_in_kernel_without_stack(&later, process))
			return false;
	}
	return false;
}

/* Exec takes the old memory away before the record that tells of it, and sets the registers
 * after that. */
static bool is_in_exec(const struct replay *replay, const struct record *record,
		       struct thread *thread)
{
	if (!record->sample.has_user_regs)
		return false;
	if (!is_in_kernel_without_stack(record, thread->process)) {
		thread->is_in_exec = false;
		return false;
	}
	return thread->is_in_exec || is_exec_next(replay, record, thread->process);
}

/* A sample that does not tell is a sample all the same, and shown. */
static uint64_t weight_of(struct replay *replay, const struct record *record,
			  const struct data_file_event *event)
{
	uint64_t weight;

	if (sample_weight(record, event, replay_machine(replay), &weight))
		return weight;
	replay->profile->quality.counts[QUALITY_UNWEIGHED]++;
	return 0;
}

/* The idle tasks have no user registers. */
static bool is_outside(const struct record *record)
{
	return record->pid == 0 &&
	       (record->sample.has_user_regs || record->cpu_mode == PERF_RECORD_MISC_USER);
}

static struct thread *thread_of(struct replay *replay, const struct record *record)
{
	if (is_outside(record))
		return processes_thread(replay->processes, PID_OUTSIDE, PID_OUTSIDE);
	return processes_thread(replay->processes, record->pid, record->tid);
}

/* Keeps *@ret until its thread runs again; another may be due now. */
static int hold_off_cpu(struct replay *replay, uint64_t time_ns, struct sample *ret)
{
	struct sample sample = *ret;
	int err = ask_off_cpu(replay);

	if (!err)
		err = replay_enter(replay, &sample);
	if (err) {
		sample_deinit(&sample);
		return err;
	}
	if (!replay->off_cpu) { /* what the event weighs was told too late */
		replay->profile->quality.counts[QUALITY_UNWEIGHED]++;
		return 1;
	}
	return off_cpu_hold(replay->off_cpu, &sample, time_ns, ret);
}

/* Brings its process to the time of a sample. */
static int advance_to(struct replay *replay, struct thread *thread, const struct record *record)
{
	if (!thread->process->is_announced && thread->process->pid != 0)
		replay->profile->quality.counts[QUALITY_UNKNOWN_PROCESSES]++;
	if (!record->has_time)
		return 0;
	note_time(&replay->profile->info, record->time_ns);
	return processes_advance(thread->process, record->time_ns);
}

/* Fills in what a sample meets at its time; ->raw and ->record are there. 0 or -ENOMEM. */
static int fill_sample(struct replay *replay, struct thread *thread, struct sample *sample)
{
	const struct record *record = &sample->record;
	int err = kernel_names_layout(replay->kernel_names, record->has_time ? record->time_ns : 0,
				      &sample->kernel);
	if (!err)
		err = advance_to(replay, thread, record);
	if (err)
		return err;
	module_finder_take_attachments(replay->finder);
	sample->cpu_state = ON_CPU;
	sample->end = MARKER_KERNEL;
	sample->path.n_frames = 0;
	sample->code = find_code(replay, record);
	sample->is_in_exec = is_in_exec(replay, record, thread);
	sample_place(sample, thread);
	return 0;
}

/* A sample whose ->raw, taken over, and ->record are there. 1: the rest of @ret is filled; 0:
 * nothing to hand out. */
static int take_sample(struct replay *replay, size_t event, struct sample *ret)
{
	int err = start(replay);
	struct thread *thread = err ? NULL : thread_of(replay, &ret->record);

	if (!thread || event == SIZE_MAX) {
		replay->profile->quality.counts[QUALITY_NOT_ATTRIBUTED] += thread != NULL;
		data_block_unref(ret->raw.block);
		return thread ? 0 : -ENOMEM;
	}
	err = fill_sample(replay, thread, ret);
	if (err) {
		data_block_unref(ret->raw.block);
		return err;
	}
	const struct data_file_event *of = data_file_event(replay->file, event);
	if (!weighs_off_cpu(of) && reads_counters(&ret->record, &of->layout)) {
		replay->group = *ret;
		replay->group.event = of;
		replay->group_next = 0;
		return next_of_group(replay, ret);
	}
	uint64_t weight = weighs_off_cpu(of) ? 0 : weight_of(replay, &ret->record, of);
	if (!account(replay, ret, event, weight)) {
		sample_deinit(ret);
		return 0;
	}
	return weighs_off_cpu(of) ? hold_off_cpu(replay, ret->record.time_ns, ret) : 1;
}

/* A record that is no sample, taken over. 1: it made one due, which is in @ret. */
static int apply_record(struct replay *replay, struct raw_record *raw, struct sample *ret)
{
	struct record record;
	size_t event;
	int got;

	if (stack_record_is_type(raw->header)) {
		got = apply_stack_record(replay, raw->header);
	} else if (window_record_is_type(raw->header)) {
		got = apply_window_record(replay, raw->header);
	} else {
		data_file_decode(replay->file, raw->header, &record, &event);
		got = apply(replay, &record, event);
		if (!got)
			got = apply_off_cpu(replay, &record, ret);
	}
	data_block_unref(raw->block);
	return got;
}

/* Everything was read: what is only known now. */
static int finish(struct replay *replay)
{
	struct profile_quality *quality = &replay->profile->quality;
	const char *truncation = data_file_truncation(replay->file);
	const char *error = data_file_error(replay->file);

	quality->counts[QUALITY_LATE_RECORDS] = order_n_late(replay->order);
	quality->counts[QUALITY_UNNAMED_CODE] =
		kernel_symbols_n_dropped(kernel_names_symbols(replay->kernel_names));
	/* Kernels that count lost samples per event count the same loss in LOST records again; a
	 * recording that was cut has only those. */
	quality->counts[QUALITY_LOST] = replay->lost_by_lost > replay->lost_by_lost_samples
						? replay->lost_by_lost
						: replay->lost_by_lost_samples;
	int err = start(replay);
	if (!err)
		err = replay_name_kernel(replay);
	if (!err && kernel_names_are_hidden(replay->kernel_names))
		err = profile_set_string(&replay->profile->info.no_kernel_names, HIDDEN_KERNEL);
	if (!err)
		err = event_counts_take(replay->file, replay->metrics, replay->n_metrics,
					replay->profile);
	return err ? err
		   : profile_set_string(&replay->profile->info.truncated,
					error ? error : truncation);
}

/* 1: @ret is filled; 0: nothing to hand out. */
static int take_record(struct replay *replay, struct raw_record *raw, struct sample *ret)
{
	size_t event;

	if (raw->header->type != PERF_RECORD_SAMPLE)
		return apply_record(replay, raw, ret);
	ret->raw = *raw;
	data_file_decode(replay->file, raw->header, &ret->record, &event);
	return take_sample(replay, event, ret);
}

int replay_next(struct replay *replay, struct sample *ret)
{
	struct raw_record raw;
	uint64_t time_ns;
	int got = replay->group.raw.block ? next_of_group(replay, ret) : 0;

	while (!got) {
		if (order_pop(replay->order, &raw, &time_ns)) {
			if (time_ns > replay->newest_ns && time_ns != UINT64_MAX)
				replay->newest_ns = time_ns;
			got = take_record(replay, &raw, ret);
		} else if (!replay->is_at_end) {
			got = read_more(replay);
		} else {
			got = take_off_cpu_at_end(replay, ret);
			return got ? got : finish(replay);
		}
	}
	return got;
}
