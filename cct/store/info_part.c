/* Writes and reads what was recorded, metrics, processes, threads and quality. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/store/known_texts.h"
#include "cct/store/profile_parts.h"

#define N_INFO_TEXTS 9

/* The texts of struct profile_info, in the order of the file. */
static char **info_text(struct profile_info *info, unsigned i)
{
	char **texts[N_INFO_TEXTS] = {
		&info->command_line, &info->hostname,    &info->os_release,
		&info->arch,         &info->cpu,         &info->tool_version,
		&info->truncated,    &info->not_decoded, &info->no_kernel_names,
	};

	return texts[i];
}

static void write_info(struct byte_buffer *body, const struct profile_info *info)
{
	struct profile_info copy = *info;

	for (unsigned i = 0; i < N_INFO_TEXTS; i++)
		byte_buffer_add_text(body, *info_text(&copy, i));
	byte_buffer_add_unsigned(body, info->n_cpus);
	byte_buffer_add_unsigned(body, info->stack_copy);
	byte_buffer_add_unsigned(body, info->start_ns);
	byte_buffer_add_unsigned(body, info->end_ns);
	byte_buffer_add_unsigned(body, info->has_date);
	byte_buffer_add_unsigned(body, info->unix_offset_ns);
	byte_buffer_add_unsigned(body, info->n_cpu_gaps);
	for (size_t i = 0; i < info->n_cpu_gaps; i++) {
		byte_buffer_add_unsigned(body, info->cpu_gaps[i].cpu);
		byte_buffer_add_unsigned(body, info->cpu_gaps[i].start_ns);
		byte_buffer_add_unsigned(body, info->cpu_gaps[i].end_ns);
	}
	byte_buffer_add_unsigned(body, N_MARKERS);
	for (int marker = 0; marker < N_MARKERS; marker++)
		byte_buffer_add_text(body, info->why[marker]);
}

static int read_gaps(struct dwarf_reader *body, struct profile_info *info)
{
	int64_t n = part_read_count(body, 3);

	if (n <= 0)
		return n < 0 ? -EINVAL : 0;
	info->cpu_gaps = calloc((size_t)n, sizeof(*info->cpu_gaps));
	if (!info->cpu_gaps)
		return -ENOMEM;
	info->n_cpu_gaps = (size_t)n;
	for (int64_t i = 0; i < n; i++)
		info->cpu_gaps[i] = (struct cpu_gap){
			.cpu = (uint32_t)dwarf_read_uleb(body),
			.start_ns = dwarf_read_uleb(body),
			.end_ns = dwarf_read_uleb(body),
		};
	return 0;
}

/* Of markers that a later dendro may have added, nothing can be shown: their texts are dropped. */
static int read_reasons(struct dwarf_reader *body, struct profile_info *info)
{
	int64_t n = part_read_count(body, 1);

	for (int64_t i = 0; i < n; i++) {
		char *text;
		int err = part_read_text(body, &text);

		if (err)
			return err;
		if (i < N_MARKERS)
			info->why[i] = text;
		else
			free(text);
	}
	return n < 0 ? -EINVAL : 0;
}

static int read_info(struct dwarf_reader *body, struct profile_info *info)
{
	int err;

	for (unsigned i = 0; i < N_INFO_TEXTS; i++) {
		err = part_read_text(body, info_text(info, i));
		if (err)
			return err;
	}
	info->n_cpus = (uint32_t)dwarf_read_uleb(body);
	info->stack_copy = (uint32_t)dwarf_read_uleb(body);
	info->start_ns = dwarf_read_uleb(body);
	info->end_ns = dwarf_read_uleb(body);
	info->has_date = dwarf_read_uleb(body);
	info->unix_offset_ns = dwarf_read_uleb(body);
	err = read_gaps(body, info);
	return err ? err : read_reasons(body, info);
}

enum { METRIC_HAS_COUNTED = 1, METRIC_IS_SCALED = 2, METRIC_IS_WAITS = 4, METRIC_TAKES_ALL = 8 };

static void write_metrics(struct byte_buffer *body, const struct profile *profile)
{
	byte_buffer_add_unsigned(body, profile->n_metrics);
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		const struct metric *metric = &profile->metrics[i];

		byte_buffer_add_text(body, metric->name);
		byte_buffer_add_text(body, metric->unit);
		byte_buffer_add_unsigned(body, (metric->has_counted ? METRIC_HAS_COUNTED : 0) |
						       (metric->is_scaled ? METRIC_IS_SCALED : 0) |
						       (metric->is_waits ? METRIC_IS_WAITS : 0) |
						       (metric->takes_all ? METRIC_TAKES_ALL : 0));
		byte_buffer_add_unsigned(body, metric->samples);
		byte_buffer_add_unsigned(body, metric->total);
		byte_buffer_add_unsigned(body, metric->lost);
		byte_buffer_add_unsigned(body, metric->counted);
		byte_buffer_add_unsigned(body, metric->time_enabled_ns);
		byte_buffer_add_unsigned(body, metric->time_running_ns);
	}
}

static int read_metric(struct dwarf_reader *body, struct profile *profile)
{
	_cleanup_free_ char *name = NULL, *unit = NULL;
	int err = part_read_text(body, &name);

	if (!err)
		err = part_read_text(body, &unit);
	if (err || !name || !unit)
		return err ? err : -EINVAL;
	uint32_t index = profile_add_metric(profile, name, unit);
	if (index == UINT32_MAX)
		return -ENOMEM;
	struct metric *metric = &profile->metrics[index];
	uint64_t flags = dwarf_read_uleb(body);
	metric->has_counted = flags & METRIC_HAS_COUNTED;
	metric->is_scaled = flags & METRIC_IS_SCALED;
	metric->is_waits = flags & METRIC_IS_WAITS;
	metric->takes_all = flags & METRIC_TAKES_ALL;
	metric->samples = dwarf_read_uleb(body);
	metric->total = dwarf_read_uleb(body);
	metric->lost = dwarf_read_uleb(body);
	metric->counted = dwarf_read_uleb(body);
	metric->time_enabled_ns = dwarf_read_uleb(body);
	metric->time_running_ns = dwarf_read_uleb(body);
	return 0;
}

/* A process mostly has a little higher pid than the one before, and a thread is mostly the main
 * thread of the next process. */
static void write_processes(struct byte_buffer *body, const struct profile *profile)
{
	struct known_texts known = { .ids = { .n_strings = 0 } };
	int64_t last = 0;

	byte_buffer_add_unsigned(body, profile->n_processes);
	for (uint32_t i = 0; i < profile->n_processes; i++) {
		const struct profile_process *process = &profile->processes[i];

		byte_buffer_add_signed(body, process->pid - last);
		known_texts_write(body, &known, process->name, NULL);
		byte_buffer_add_unsigned(body, process->n_mapped);
		last = process->pid;
	}
	last = 0;
	byte_buffer_add_unsigned(body, profile->n_threads);
	for (uint32_t i = 0; i < profile->n_threads; i++) {
		const struct profile_thread *thread = &profile->threads[i];
		const struct profile_process *process = &profile->processes[thread->process];

		byte_buffer_add_signed(body, thread->process - last);
		byte_buffer_add_signed(body, (int64_t)thread->tid - process->pid);
		known_texts_write(body, &known, thread->name, process->name);
		last = thread->process;
	}
	known_texts_deinit(&known);
}

static int read_known_process(struct dwarf_reader *body, struct profile *profile,
			      struct known_texts *known)
{
	const uint32_t n = profile->n_processes;
	const int32_t last = n ? profile->processes[n - 1].pid : 0;
	const uint64_t pid = (uint64_t)last + (uint64_t)dwarf_read_sleb(body);
	const char *name;
	int err = known_texts_read(body, known, NULL, &name);

	if (err)
		return err;
	if (profile_add_process(profile, (int32_t)pid, name) == UINT32_MAX)
		return -ENOMEM;
	profile->processes[n].n_mapped = dwarf_read_uleb(body);
	return 0;
}

static int read_known_thread(struct dwarf_reader *body, struct profile *profile,
			     struct known_texts *known)
{
	const uint32_t n = profile->n_threads;
	const uint32_t last = n ? profile->threads[n - 1].process : 0;
	const uint64_t index = last + (uint64_t)dwarf_read_sleb(body);
	const uint64_t distance = (uint64_t)dwarf_read_sleb(body);
	const char *name;

	if (index >= profile->n_processes)
		return -EINVAL;
	const struct profile_process *process = &profile->processes[index];
	const int32_t tid = (int32_t)((uint64_t)process->pid + distance);
	int err = known_texts_read(body, known, process->name, &name);
	if (err)
		return err;
	return profile_add_thread(profile, tid, (uint32_t)index, name) == UINT32_MAX ? -ENOMEM : 0;
}

static int read_processes(struct dwarf_reader *body, struct profile *profile)
{
	struct known_texts known = { .ids = { .n_strings = 0 } };
	int64_t n = part_read_count(body, 3);
	int err = n < 0 ? -EINVAL : 0;

	for (int64_t i = 0; !err && i < n; i++)
		err = read_known_process(body, profile, &known);
	n = err ? 0 : part_read_count(body, 3);
	for (int64_t i = 0; !err && i < n; i++)
		err = read_known_thread(body, profile, &known);
	known_texts_deinit(&known);
	return n < 0 ? -EINVAL : err;
}

/* As versions 1 and 2 of the format have them. */
static int read_process(struct dwarf_reader *body, struct profile *profile)
{
	_cleanup_free_ char *name = NULL;
	int32_t pid = (int32_t)dwarf_read_sleb(body);
	int err = part_read_text(body, &name);

	if (err || !name)
		return err ? err : -EINVAL;
	uint32_t index = profile_add_process(profile, pid, name);
	if (index == UINT32_MAX)
		return -ENOMEM;
	profile->processes[index].n_mapped = dwarf_read_uleb(body);
	return 0;
}

static int read_thread(struct dwarf_reader *body, struct profile *profile)
{
	_cleanup_free_ char *name = NULL;
	int32_t tid = (int32_t)dwarf_read_sleb(body);
	int err = part_read_text(body, &name);
	uint64_t process = err ? 0 : dwarf_read_uleb(body);

	if (err || !name || process >= profile->n_processes)
		return err ? err : -EINVAL;
	return profile_add_thread(profile, tid, (uint32_t)process, name) == UINT32_MAX ? -ENOMEM
										       : 0;
}

static void write_quality(struct byte_buffer *body, const struct profile_quality *quality)
{
	byte_buffer_add_unsigned(body, N_QUALITY_COUNTERS);
	for (int i = 0; i < N_QUALITY_COUNTERS; i++) {
		byte_buffer_add_text(body, quality_describe((enum quality_counter)i)->name);
		byte_buffer_add_unsigned(body, quality->counts[i]);
	}
	byte_buffer_add_unsigned(body, N_MARKERS);
	for (int i = 0; i < N_MARKERS; i++)
		byte_buffer_add_unsigned(body, quality->incomplete[i]);
}

/* Counters of another version of dendro that this one does not know are left out. */
static void set_counter(struct profile_quality *quality, const char *name, uint64_t value)
{
	for (int i = 0; i < N_QUALITY_COUNTERS; i++) {
		if (strcmp(quality_describe((enum quality_counter)i)->name, name) == 0)
			quality->counts[i] = value;
	}
}

static int read_quality(struct dwarf_reader *body, struct profile_quality *quality)
{
	int64_t n = part_read_count(body, 2);

	for (int64_t i = 0; i < n; i++) {
		_cleanup_free_ char *name = NULL;
		int err = part_read_text(body, &name);

		if (err)
			return err;
		set_counter(quality, name ? name : "", dwarf_read_uleb(body));
	}
	n = n < 0 ? n : part_read_count(body, 1);
	for (int64_t i = 0; i < n; i++) {
		uint64_t value = dwarf_read_uleb(body);

		if (i < N_MARKERS)
			quality->incomplete[i] = value;
		else if (value)
			return -EINVAL;
	}
	return n < 0 ? -EINVAL : 0;
}

static void write_texts(struct byte_buffer *body, const struct string_ids *texts)
{
	byte_buffer_add_unsigned(body, texts->n_strings);
	for (uint32_t i = 0; i < texts->n_strings; i++)
		byte_buffer_add_text(body, texts->strings[i]);
}

static int read_text(struct dwarf_reader *body, struct string_ids *texts)
{
	_cleanup_free_ char *text = NULL;
	uint32_t n = texts->n_strings, id;
	bool is_new;
	int err = part_read_text(body, &text);

	if (err || !text)
		return err ? err : -EINVAL;
	err = string_ids_add(texts, text, &id, &is_new);
	return err || id == n ? err : -EINVAL;
}

static int read_waker(struct dwarf_reader *body, struct profile *profile)
{
	return read_text(body, &profile->wakers);
}

static int read_value(struct dwarf_reader *body, struct profile *profile)
{
	return read_text(body, &profile->values);
}

static int read_split(struct dwarf_reader *body, struct profile *profile)
{
	return read_text(body, &profile->splits);
}

void info_part_write(struct byte_buffer *body, const struct profile *profile)
{
	write_info(body, &profile->info);
	write_metrics(body, profile);
	write_processes(body, profile);
	write_quality(body, &profile->quality);
	write_texts(body, &profile->wakers);
	if (!profile->splits.n_strings)
		return;
	write_texts(body, &profile->values);
	write_texts(body, &profile->splits);
}

/* A list of @min_size bytes or more each. */
static int read_list(struct dwarf_reader *body, size_t min_size, struct profile *profile,
		     int (*read)(struct dwarf_reader *, struct profile *))
{
	int64_t n = part_read_count(body, min_size);
	int err = n < 0 ? -EINVAL : 0;

	for (int64_t i = 0; !err && i < n; i++)
		err = read(body, profile);
	return err;
}

static int read_process_lists(struct dwarf_reader *body, struct profile *profile)
{
	int err = read_list(body, 3, profile, read_process);

	return err ? err : read_list(body, 3, profile, read_thread);
}

static int read_part(struct dwarf_reader *body, struct profile *profile,
		     int (*read_all_processes)(struct dwarf_reader *, struct profile *))
{
	int err = read_info(body, &profile->info);

	if (!err)
		err = read_list(body, 9, profile, read_metric);
	if (!err)
		err = read_all_processes(body, profile);
	if (!err)
		err = read_quality(body, &profile->quality);
	if (!err)
		err = read_list(body, 1, profile, read_waker);
	if (!err && dwarf_left(body)) {
		err = read_list(body, 1, profile, read_value);
		if (!err)
			err = read_list(body, 1, profile, read_split);
		if (!err && !profile->splits.n_strings)
			err = -EINVAL;
	}
	return err ? err : body->is_broken ? -EINVAL : 0;
}

int info_part_read(struct dwarf_reader *body, struct profile *profile)
{
	return read_part(body, profile, read_processes);
}

int info_part_read_before_3(struct dwarf_reader *body, struct profile *profile)
{
	return read_part(body, profile, read_process_lists);
}
