/* One pass over a recording: order, sideband, samples. */
#include "collector/replay/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cct/base/cleanup.h"
#include "collector/attached/carried_files.h"
#include "collector/attached/event_counts.h"
#include "collector/attached/stack_misses.h"
#include "collector/paths/kernel_names.h"
#include "collector/paths/sample_path.h"
#include "collector/replay/cgroup_paths.h"
#include "collector/replay/event_metrics.h"
#include "collector/replay/later_memory.h"
#include "collector/replay/loss_times.h"
#include "collector/replay/off_cpu.h"
#include "collector/replay/ordered_records.h"
#include "collector/replay/process_images.h"
#include "collector/replay/replay_groups.h"
#include "collector/replay/sample_weight.h"
#include "collector/replay/thread_stacks.h"
#include "perf/file/tracing_formats.h"
#include "perf/records/memory_record.h"
#include "perf/records/runtime_record.h"
#include "perf/records/stack_record.h"
#include "perf/records/waking_record.h"
#include "perf/records/window_record.h"

/* "[woken by a softirq in NAME/TID]" */
#define WAKER_TEXT_MAX (COMM_MAX + 48)

struct replay {
	struct data_file *file;
	struct ordered_records records;
	struct profile *profile;
	struct kernel_names *kernel_names;
	struct module_finder *finder;
	struct processes *processes;
	struct thread_stacks *thread_stacks;
	struct off_cpu *off_cpu; /* NULL: no event weighs it, or not asked yet */
	size_t off_cpu_event;
	bool has_asked_off_cpu;
	/* A sample that ended the time off the CPU of the one handed out before it. */
	struct {
		struct raw_record raw;
		struct record record;
		size_t event;
	} waiting;
	bool has_waiting;
	uint64_t window_end_ns; /* 0: not known */
	/* The sample of this thread and time was read from the thread, which waited. */
	int32_t waiting_tid;
	uint64_t waiting_ns;
	const struct machine *machine; /* once ->is_started */
	struct event_metrics metrics;  /* once ->is_started */
	uint64_t lost_by_lost;         /* in LOST records of sample rings */
	uint64_t lost_by_lost_samples; /* in LOST_SAMPLES records */
	bool is_started;  /* the first sample was met: events, kernel names are complete */
	bool is_finished; /* the last sample was handed out */
	struct replay_groups groups;
	struct cgroup_paths cgroups;
	struct tracing_formats trace_formats; /* if ->has_trace_formats */
	bool has_trace_formats;
	struct loss_times loss_times;
};

/* Creates the parts; each part is created before the parts that use it. 0 or -ENOMEM. */
static int create_parts(struct replay *replay, const char *path, struct file_search *files)
{
	replay->profile = profile_create();
	if (!replay->profile ||
	    ordered_records_init(&replay->records, replay->file, &replay->profile->quality,
				 &replay->profile->phases))
		return -ENOMEM;
	replay->profile->modules.files = files;
	replay->cgroups.paths = &replay->profile->cgroups;
	loss_times_init(&replay->loss_times, &replay->profile->info.losses);
	replay->kernel_names = kernel_names_create(replay->file, &replay->profile->modules);
	replay->finder = module_finder_create(replay->file, path, replay->profile);
	replay->processes = processes_create(replay->profile, replay->finder);
	replay->thread_stacks = thread_stacks_create(replay->processes);
	return replay->kernel_names && replay->finder && replay->processes && replay->thread_stacks
		       ? 0
		       : -ENOMEM;
}

int replay_open(const char *path, const atomic_bool *follow, struct file_search *files,
		struct replay **replay_ret, char **error_ret)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	int err = replay ? data_file_follow(path, follow, &replay->file, error_ret) : -ENOMEM;

	if (!err && files)
		err = carried_files_take(replay->file, files);
	if (!err)
		err = create_parts(replay, path, files);
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
	cgroup_paths_deinit(&replay->cgroups);
	loss_times_deinit(&replay->loss_times);
	replay_groups_deinit(&replay->groups);
	if (replay->has_waiting)
		data_block_unref(replay->waiting.raw.block);
	off_cpu_destroy(replay->off_cpu);
	processes_destroy(replay->processes);
	thread_stacks_destroy(replay->thread_stacks);
	module_finder_destroy(replay->finder);
	kernel_names_destroy(replay->kernel_names);
	ordered_records_deinit(&replay->records);
	profile_destroy(replay->profile);
	data_file_close(replay->file);
	event_metrics_deinit(&replay->metrics);
	tracing_formats_deinit(&replay->trace_formats);
	free(replay);
}

void replay_set_gate(struct replay *replay, struct read_gate *gate)
{
	data_file_set_gate(replay->file, gate);
}

void replay_name_kernel_late(struct replay *replay)
{
	kernel_names_read_late(replay->kernel_names);
}

bool replay_help(struct replay *replay)
{
	return data_file_help(replay->file);
}

uint64_t replay_position(const struct replay *replay)
{
	return data_file_position(replay->file);
}

uint64_t replay_size(const struct replay *replay)
{
	return data_file_size(replay->file);
}

const char *replay_error(const struct replay *replay)
{
	return data_file_error(replay->file);
}

struct profile *replay_profile(struct replay *replay)
{
	return replay->profile;
}

struct profile *replay_take_profile(struct replay *replay)
{
	process_images_date(replay->profile, replay->records.newest_ns,
			    data_file_info(replay->file)->modified);
	return steal_ptr(replay->profile);
}

const struct kernel_symbols *replay_kernel_symbols(const struct replay *replay)
{
	return kernel_names_symbols(replay->kernel_names);
}

const struct trace_format *replay_trace_format(struct replay *replay,
					       const struct data_file_event *event)
{
	size_t size;
	const uint8_t *bytes = data_file_tracing_data(replay->file, &size);

	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return NULL;
	if (!replay->has_trace_formats && tracing_formats_init(&replay->trace_formats, bytes, size))
		return NULL;
	replay->has_trace_formats = true;
	return tracing_formats_find(&replay->trace_formats, event->attr.config);
}

int replay_name_kernel(struct replay *replay)
{
	return kernel_names_finish(replay->kernel_names);
}

int replay_keep_code(struct replay *replay)
{
	return code_pages_copy_newest(replay->records.code_pages, &replay->profile->memory_code);
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

int replay_find_wait_reasons(struct replay *replay, struct wait_reasons *ret)
{
	*ret = (struct wait_reasons){ .functions = NULL };
	if (!replay->off_cpu)
		return 0;
	int err = replay_name_kernel(replay);
	return err ? err : wait_reasons_init(ret, &replay->profile->modules);
}

static bool weighs_off_cpu(const struct data_file_event *event)
{
	return event->weight.kind == WEIGHT_OFF_CPU;
}

static bool has_switch_records(const struct data_file *file)
{
	for (size_t i = 0; i < data_file_n_events(file); i++) {
		if (data_file_event(file, i)->attr.context_switch)
			return true;
	}
	return false;
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
	/* With the exec of a command everything begins; else a window record tells, which other
	 * recorders do not write. */
	bool is_foreign = data_file_info(replay->file)->is_simpleperf;
	bool is_whole = is_foreign || data_file_event(replay->file, i)->attr.enable_on_exec;
	replay->off_cpu = off_cpu_create(replay->processes, &replay->profile->quality,
					 is_whole ? 0 : UINT64_MAX);
	if (!replay->off_cpu)
		return -ENOMEM;
	if (is_foreign && !has_switch_records(replay->file))
		off_cpu_end_with_samples(replay->off_cpu);
	return 0;
}

/* Where the recording relates the clock of its events to the time of day. */
static void fill_date(const struct data_file *file, struct profile_info *info)
{
	const struct data_file_info *from = data_file_info(file);

	if (!from->wall_ns || !data_file_n_events(file))
		return;
	const struct perf_event_attr *attr = &data_file_event(file, 0)->attr;
	if (!attr->use_clockid || (uint32_t)attr->clockid != from->clock_id)
		return;
	info->has_date = true;
	info->unix_offset_ns = from->wall_ns - from->clock_ns;
}

static uint32_t largest_stack_copy(const struct data_file *file)
{
	uint32_t largest = 0;

	for (size_t i = 0; i < data_file_n_events(file); i++) {
		const struct perf_event_attr *attr = &data_file_event(file, i)->attr;

		if ((attr->sample_type & PERF_SAMPLE_STACK_USER) &&
		    !event_metrics_is_sideband(attr) && attr->sample_stack_user > largest)
			largest = attr->sample_stack_user;
	}
	return largest;
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
	info->n_cpus = from->n_cpus_online;
	info->stack_copy = largest_stack_copy(replay->file);
	fill_date(replay->file, info);
	return 0;
}

/* Once, when headers are over: before the first sample, or at the end of a file without any. */
static int start(struct replay *replay)
{
	if (replay->is_started)
		return 0;
	replay->machine = find_machine(replay);
	replay->is_started = true;
	int err = event_metrics_init(&replay->metrics, replay->file, replay->profile);
	if (!err)
		err = kernel_names_start(replay->kernel_names);
	return err ? err : fill_info(replay);
}

/* What a time off the CPU ends with may be among it. */
static void lose_switches(struct replay *replay)
{
	if (replay->off_cpu)
		off_cpu_lose(replay->off_cpu);
}

static void count_lost_sideband(struct replay *replay, uint64_t n)
{
	replay->profile->quality.counts[QUALITY_LOST_SIDEBAND] += n;
	lose_switches(replay);
}

/* A LOST record of samples is noted with its time, too. 0 or -ENOMEM. */
static int count_lost(struct replay *replay, const struct record *record, size_t event)
{
	const struct data_file_event *of =
		event == SIZE_MAX ? NULL : data_file_event(replay->file, event);

	int err = 0;

	if (record->type == PERF_RECORD_LOST_SAMPLES) {
		replay->lost_by_lost_samples += record->lost.lost;
	} else if (of && event_metrics_is_sideband(&of->attr)) {
		count_lost_sideband(replay, record->lost.lost);
	} else {
		replay->lost_by_lost += record->lost.lost;
		err = loss_times_lose(&replay->loss_times, record);
	}
	if (data_file_info(replay->file)->is_simpleperf)
		lose_switches(replay);
	uint32_t metric = event_metrics_find(&replay->metrics, event);
	if (metric != NO_METRIC && record->type == PERF_RECORD_LOST_SAMPLES)
		replay->profile->metrics[metric].lost += record->lost.lost;
	return err;
}

static int apply_task(struct replay *replay, const struct record *record)
{
	int err = processes_apply(replay->processes, record);

	if (!err && record->type == PERF_RECORD_EXIT)
		err = loss_times_exit(&replay->loss_times, record);
	return err;
}

static int apply_stack_record(struct replay *replay, const struct perf_event_header *header)
{
	struct stack_misses misses;

	if (stack_misses_read(header, &misses))
		return stack_misses_explain(&misses, replay->profile);
	int err = thread_stacks_apply(replay->thread_stacks, replay_machine(replay), header);

	replay->profile->quality.counts[QUALITY_BROKEN_RECORDS] += err == -EINVAL;
	return err == -EINVAL ? 0 : err;
}

static int apply_runtime_record(struct replay *replay, const struct perf_event_header *header)
{
	int err = processes_describe(replay->processes, header);

	replay->profile->quality.counts[QUALITY_BROKEN_RECORDS] += err == -EINVAL;
	return err == -EINVAL ? 0 : err;
}

/* What an AUXTRACE_INFO record begins with: enum auxtrace_type of tools/perf/util/auxtrace.h. */
static const char *aux_source(const struct record *record)
{
	static const char *const sources[] = { NULL,      "intel_pt",    "intel_bts", "cs_etm",
					       "arm_spe", "s390_cpumsf", "hisi_ptt",  "vpa_dtl" };
	uint32_t type = 0;

	if (record->type == RECORD_AUXTRACE_INFO && record->body.size >= sizeof(type))
		memcpy(&type, record->body.bytes, sizeof(type));
	return type < sizeof(sources) / sizeof(sources[0]) ? sources[type] : NULL;
}

static int note_aux(struct replay *replay, const struct record *record)
{
	struct profile_info *info = &replay->profile->info;
	const char *source = aux_source(record);
	char text[64];

	if (info->not_decoded && !source)
		return 0;
	snprintf(text, sizeof(text), "AUX data%s%s: not decoded", source ? " of " : "",
		 source ? source : "");
	return profile_set_string(&info->not_decoded, text);
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
		return apply_task(replay, record);
	case PERF_RECORD_CGROUP:
		return cgroup_paths_add(&replay->cgroups, record->cgroup.cgroup_id,
					record->cgroup.path);
	case PERF_RECORD_KSYMBOL:
		return kernel_names_ksymbol(replay->kernel_names, record);
	case RECORD_KERNEL_TEXT_POKE:
		replay->profile->quality.counts[QUALITY_TEXT_POKES]++;
		return 0;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return count_lost(replay, record, event);
	case PERF_RECORD_AUX:
	case RECORD_AUXTRACE_INFO:
	case RECORD_AUXTRACE:
		return note_aux(replay, record);
	case PERF_RECORD_THROTTLE:
		replay->profile->quality.counts[QUALITY_THROTTLED]++;
		return loss_times_throttle(&replay->loss_times, record);
	case PERF_RECORD_UNTHROTTLE:
		return loss_times_unthrottle(&replay->loss_times, record);
	default:
		if (record->type > RECORD_KERNEL_CALLCHAIN_DEFERRED &&
		    record->type < RECORD_HEADER_ATTR)
			replay->profile->quality.counts[QUALITY_UNKNOWN_RECORDS]++;
		return 0;
	}
}

/* A call stack is shown as callers. */
static bool has_other_branches(const struct sample *sample)
{
	return sample->raw.header && sample->record.sample.n_branches &&
	       !(sample->event->layout.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
}

static int account(struct replay *replay, struct sample *sample, size_t event, uint64_t weight)
{
	uint32_t metric = event_metrics_find(&replay->metrics, event);

	if (metric == NO_METRIC) {
		replay->profile->quality.counts[QUALITY_NOT_ATTRIBUTED]++;
		return 0;
	}
	sample->event = data_file_event(replay->file, event);
	sample->machine = replay->machine;
	sample->metric = metric;
	sample->weight = weight;
	replay->profile->quality.counts[QUALITY_SAMPLES]++;
	replay->profile->quality.counts[QUALITY_BRANCHES] += has_other_branches(sample);
	return 1;
}

/* The next counter of a group's sample that is a metric's. 1: @ret is filled; 0: no more. */
static int next_of_group(struct replay *replay, struct sample *ret)
{
	uint64_t id;
	int got;

	while ((got = replay_groups_next(&replay->groups, ret, &id)) > 0) {
		if (account(replay, ret, data_file_find_event(replay->file, id), ret->weight))
			return 1;
		sample_deinit(ret);
	}
	return got;
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

/* Says from when on the recording has samples. */
static int note_last_part(struct replay *replay, uint64_t begin_ns)
{
	struct profile_info *info = &replay->profile->info;
	char text[128], when[48] = "";

	fill_date(replay->file, info);
	if (info->has_date) {
		const time_t seconds = (time_t)((begin_ns + info->unix_offset_ns) / NSEC_PER_SEC);
		struct tm tm;

		if (gmtime_r(&seconds, &tm))
			strftime(when, sizeof(when), ", from %Y-%m-%d %H:%M:%S UTC on", &tm);
	}
	snprintf(text, sizeof(text), "the last part of the run%s; older samples were not kept",
		 when);
	return profile_set_string(&info->not_decoded, text);
}

static int apply_window_record(struct replay *replay, const struct perf_event_header *header)
{
	struct window_record record;
	int err = ask_off_cpu(replay);

	if (err)
		return err;
	if (!window_record_decode(header, &record)) {
		replay->profile->quality.counts[QUALITY_BROKEN_RECORDS]++;
		return 0;
	}
	note_time(&replay->profile->info, record.time_ns);
	switch ((enum window_record_kind)record.kind) {
	case WINDOW_RECORD_BEGIN:
		if (replay->off_cpu)
			off_cpu_begin(replay->off_cpu, record.time_ns);
		return 0;
	case WINDOW_RECORD_END:
		replay->window_end_ns = record.time_ns;
		return 0;
	case WINDOW_RECORD_WAITING:
		replay->waiting_tid = (int32_t)record.cpu;
		replay->waiting_ns = record.time_ns;
		return 0;
	case WINDOW_RECORD_LAST_PART:
		return note_last_part(replay, record.time_ns);
	case WINDOW_RECORD_CPU_LOST:
		return profile_lose_cpu(&replay->profile->info, record.cpu, record.time_ns);
	case WINDOW_RECORD_CPU_BACK:
		profile_regain_cpu(&replay->profile->info, record.cpu, record.time_ns);
		if (replay->off_cpu) /* it has run without its switches being recorded */
			off_cpu_lose(replay->off_cpu);
		return 0;
	}
	return 0;
}

/* What a path shows of the waker. */
static const char *describe_waker(const struct replay *replay, const struct waking_record *waking,
				  char text[static WAKER_TEXT_MAX])
{
	const struct thread *thread =
		processes_find_thread(replay->processes, waking->waker_pid, waking->waker_tid);
	const char *name = thread && thread->is_named ? thread->name : waking->waker_comm;

	if (waking->kind == WAKING_BY_INTERRUPT)
		return "[woken by an interrupt]";
	if (waking->waker_tid < 0)
		return "[woken by an exiting thread]";
	if (!waking->waker_tid)
		return waking->kind == WAKING_BY_SOFTIRQ ? "[woken by a softirq]"
							 : "[woken by the idle task]";
	snprintf(text, WAKER_TEXT_MAX, "[woken by %s%.*s/%d]",
		 waking->kind == WAKING_BY_SOFTIRQ ? "a softirq in " : "", COMM_MAX,
		 *name ? name : ":", waking->waker_tid);
	return text;
}

static int apply_waking_record(struct replay *replay, const struct perf_event_header *header)
{
	struct waking_record waking;
	char text[WAKER_TEXT_MAX];
	uint32_t waker;
	bool is_new;

	if (!waking_record_decode(header, &waking)) {
		replay->profile->quality.counts[QUALITY_BROKEN_RECORDS]++;
		return 0;
	}
	if (!replay->off_cpu)
		return 0;
	int err = string_ids_add(&replay->profile->wakers, describe_waker(replay, &waking, text),
				 &waker, &is_new);
	if (!err)
		off_cpu_wake(replay->off_cpu, waking.tid, waker);
	return err;
}

static int take_off_cpu_at_end(struct replay *replay, struct sample *ret)
{
	uint64_t end_ns = replay->window_end_ns ? replay->window_end_ns : replay->records.newest_ns;
	int got = replay->off_cpu ? off_cpu_next_at_end(replay->off_cpu, end_ns, ret) : 0;

	return got > 0 ? hand_out_off_cpu(replay, ret) : got;
}

/* A sample without a weight is still counted and shown. */
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

/* A sample of off-cpu that is not of a switch: it was read from a thread that waited. */
static bool is_of_waiting(const struct replay *replay, const struct record *record)
{
	return (replay->window_end_ns && record->time_ns >= replay->window_end_ns) ||
	       (record->time_ns == replay->waiting_ns && record->tid == replay->waiting_tid);
}

/* The recorder has read it from a thread that waited, but a switch of the thread came before. */
static bool is_stale(const struct replay *replay, const struct thread *thread,
		     const struct record *record)
{
	return replay->off_cpu && is_of_waiting(replay, record) &&
	       !off_cpu_is_silent(replay->off_cpu, thread);
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
	if (!replay->off_cpu) { /* the event's weight was read too late */
		replay->profile->quality.counts[QUALITY_UNWEIGHED]++;
		return 1;
	}
	if (is_of_waiting(replay, &sample.record))
		return off_cpu_hold_silent(replay->off_cpu, &sample);
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

/* The code of its process as it was then, and what architecture it is of. */
static struct code_moment take_code(struct replay *replay, const struct record *record)
{
	const struct sample_regs *regs = &record->sample.user_regs;
	const struct arch *arch =
		record->sample.has_user_regs ? machine_arch(replay->machine, regs->abi) : NULL;

	if (arch)
		code_pages_set_machine(replay->records.code_pages, record->pid, arch->elf_machine);
	return code_pages_take(replay->records.code_pages, record->pid, record->time_ns);
}

/* Exec leaves the registers of what it replaces for a while. */
static uint64_t find_user_pc(const struct replay *replay, const struct record *record,
			     bool is_in_exec)
{
	uint64_t pc;

	if (record->cpu_mode == PERF_RECORD_MISC_USER)
		return record->sample.ip;
	return !is_in_exec && sample_user_pc(record, replay->machine, &pc) ? pc : 0;
}

/* Fills in what a sample meets at its time; ->raw and ->record are there. 0 or -ENOMEM. */
static int fill_sample(struct replay *replay, struct thread *thread, struct sample *sample)
{
	const struct record *record = &sample->record;
	int err = kernel_names_layout(replay->kernel_names, record->has_time ? record->time_ns : 0,
				      &sample->kernel);
	if (!err)
		err = advance_to(replay, thread, record);
	if (!err)
		err = thread_stacks_meet_sample(thread, record->has_time ? record->time_ns : 0);
	if (err)
		return err;
	sample->is_in_exec = process_image_is_in_exec(&replay->records, record, thread);
	err = processes_meet_sample(replay->processes, thread,
				    record->has_time ? record->time_ns : 0,
				    find_user_pc(replay, record, sample->is_in_exec));
	if (err)
		return err;
	err = cgroup_paths_find(&replay->cgroups, record->sample.cgroup, &sample->cgroup,
				&sample->cgroup_path);
	if (err)
		return err;
	module_finder_take_attachments(replay->finder);
	sample->cpu_state = ON_CPU;
	sample->is_off_all_time = sample->is_off_at_end = sample->has_waker = false;
	sample->end = MARKER_KERNEL;
	sample->path.n_frames = 0;
	sample->value = (struct path_value){ .is_there = false };
	sample->is_value_unknown = sample->is_value_later = sample->is_value_open = false;
	sample->may_join = false;
	sample->code = (struct code_moment){ .pages = NULL };
	if (record->has_time)
		sample->code = take_code(replay, record);
	later_memory_meet_sample(thread, sample);
	sample_place(sample, thread);
	return 0;
}

/* A sample whose ->raw, taken over, and ->record are there. 1: the rest of @ret is filled; 0:
 * nothing to hand out. */
static int take_sample(struct replay *replay, size_t event, struct sample *ret)
{
	int err = start(replay);
	if (!err)
		err = loss_times_see_sample(&replay->loss_times, &ret->record);
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
	if (weighs_off_cpu(of) && is_stale(replay, thread, &ret->record)) {
		sample_deinit(ret);
		return 0;
	}
	thread->has_full_copy |=
		ret->record.sample.user_stack_size > 0 &&
		sample_stack_is_full(&ret->record.sample, of->attr.sample_stack_user);
	ret->may_join = thread->has_full_copy;
	if (!weighs_off_cpu(of) && replay_groups_has_counters(of, &ret->record)) {
		ret->event = of;
		replay_groups_begin(&replay->groups, ret);
		return next_of_group(replay, ret);
	}
	uint64_t weight = weighs_off_cpu(of) ? 0 : weight_of(replay, &ret->record, of);
	if (!account(replay, ret, event, weight)) {
		sample_deinit(ret);
		return 0;
	}
	return weighs_off_cpu(of) ? hold_off_cpu(replay, ret->record.time_ns, ret) : 1;
}

static int apply_memory_record(struct replay *replay, const struct raw_record *raw)
{
	int err = later_memory_apply(replay->processes, raw);

	replay->profile->quality.counts[QUALITY_BROKEN_RECORDS] += err == -EINVAL;
	return err == -EINVAL ? 0 : err;
}

/* A record that is not a sample. 1: it completed a waiting sample, which is in @ret. */
static int apply_record(struct replay *replay, const struct raw_record *raw,
			const struct record *record, size_t event, struct sample *ret)
{
	const struct perf_event_header *header = raw->header;

	if (stack_record_is_type(header))
		return apply_stack_record(replay, header);
	if (window_record_is_type(header))
		return apply_window_record(replay, header);
	if (runtime_record_is_type(header))
		return apply_runtime_record(replay, header);
	if (waking_record_is_type(header))
		return apply_waking_record(replay, header);
	if (memory_record_is_type(header))
		return apply_memory_record(replay, raw);
	int err = apply(replay, record, event);
	return err ? err : apply_off_cpu(replay, record, ret);
}

/* Kernels that count lost samples per event count the same loss in LOST records again; a recording
 * that was cut has only those. */
uint64_t replay_n_lost(const struct replay *replay)
{
	return replay->lost_by_lost > replay->lost_by_lost_samples ? replay->lost_by_lost
								   : replay->lost_by_lost_samples;
}

/* Everything was read: what is only known now. */
static int finish(struct replay *replay)
{
	struct profile_quality *quality = &replay->profile->quality;
	const char *truncation = data_file_truncation(replay->file);
	const char *error = data_file_error(replay->file);

	quality->counts[QUALITY_LATE_RECORDS] = order_n_late(replay->records.order);
	quality->counts[QUALITY_UNNAMED_CODE] =
		kernel_symbols_n_dropped(kernel_names_symbols(replay->kernel_names));
	quality->counts[QUALITY_LOST] = replay_n_lost(replay);
	int err = start(replay);
	if (!err)
		err = loss_times_end(&replay->loss_times, replay->profile->info.end_ns);
	if (!err)
		err = replay_name_kernel(replay);
	if (!err)
		err = profile_set_string(&replay->profile->info.no_kernel_names,
					 kernel_names_problem(replay->kernel_names));
	if (!err)
		err = event_counts_take(replay->file, replay->metrics.metrics,
					replay->metrics.n_metrics, replay->profile);
	return err ? err
		   : profile_set_string(&replay->profile->info.truncated,
					error ? error : truncation);
}

/* 1: the sample in @ret waits, because it ended the time off the CPU of the one that is there now;
 * 0: it did not. */
static int end_off_cpu(struct replay *replay, size_t event, struct sample *ret)
{
	const struct record *record = &ret->record;
	struct sample ended;

	if (!replay->off_cpu || event == SIZE_MAX || event == replay->off_cpu_event)
		return 0;
	const struct thread *thread =
		processes_find_thread(replay->processes, record->pid, record->tid);
	if (!off_cpu_see(replay->off_cpu, thread, record->time_ns, &ended))
		return 0;
	replay->waiting.raw = ret->raw;
	replay->waiting.record = *record;
	replay->waiting.event = event;
	replay->has_waiting = true;
	*ret = ended;
	return 1;
}

/* 1: the next record, its ->raw and ->record in @ret; 0: the end; -ENOMEM. */
static int next_record(struct replay *replay, struct sample *ret, size_t *event_ret)
{
	if (!replay->has_waiting)
		return ordered_records_next(&replay->records, &ret->raw, &ret->record, event_ret);
	replay->has_waiting = false;
	ret->raw = replay->waiting.raw;
	ret->record = replay->waiting.record;
	*event_ret = replay->waiting.event;
	return 1;
}

/* A record whose ->raw, taken over, and ->record are in @ret. 1: @ret is a sample; 0: nothing to
 * hand out. */
static int take_record(struct replay *replay, size_t event, struct sample *ret)
{
	if (ret->record.type == PERF_RECORD_SAMPLE)
		return end_off_cpu(replay, event, ret) ? 1 : take_sample(replay, event, ret);
	struct raw_record raw = ret->raw;
	struct record record = ret->record;
	int got = apply_record(replay, &raw, &record, event, ret);
	data_block_unref(raw.block);
	return got;
}

/* What comes after the last record. */
static int next_at_end(struct replay *replay, struct sample *ret)
{
	int got = replay->is_finished ? 0 : take_off_cpu_at_end(replay, ret);

	if (got || replay->is_finished)
		return got;
	replay->is_finished = true;
	data_file_drop_blocks(replay->file);
	return finish(replay);
}

int replay_next(struct replay *replay, struct sample *ret)
{
	int got = next_of_group(replay, ret);

	while (!got) {
		size_t event;
		int err = next_record(replay, ret, &event);

		if (err <= 0)
			return err ? err : next_at_end(replay, ret);
		got = take_record(replay, event, ret);
	}
	return got;
}
