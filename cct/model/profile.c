/* A profile's tables, and the check that no cost was lost on the way into the tree. */
#include "cct/model/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

struct profile *profile_create(void)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (profile && module_table_init(&profile->modules)) {
		free(profile);
		return NULL;
	}
	return profile;
}

static void profile_info_deinit(struct profile_info *info)
{
	free(info->command_line);
	free(info->hostname);
	free(info->os_release);
	free(info->arch);
	free(info->cpu);
	free(info->tool_version);
	free(info->truncated);
	free(info->not_decoded);
	free(info->no_kernel_names);
	free(info->cpu_gaps);
	losses_deinit(&info->losses);
	watched_time_deinit(&info->watched);
	for (int marker = 0; marker < N_MARKERS; marker++)
		free(info->why[marker]);
}

void profile_destroy(struct profile *profile)
{
	if (!profile)
		return;
	for (uint32_t i = 0; i < profile->n_metrics; i++)
		metric_deinit(&profile->metrics[i]);
	for (uint32_t i = 0; i < profile->n_processes; i++) {
		epoch_list_deinit(&profile->processes[i].epochs);
		free(profile->processes[i].name);
	}
	for (uint32_t i = 0; i < profile->n_threads; i++)
		free(profile->threads[i].name);
	free(profile->metrics);
	free(profile->processes);
	free(profile->threads);
	string_ids_deinit(&profile->cgroups);
	string_ids_deinit(&profile->wakers);
	string_ids_deinit(&profile->values);
	string_ids_deinit(&profile->splits);
	cct_destroy(profile->cct);
	sample_rows_destroy(profile->rows);
	profile_info_deinit(&profile->info);
	phases_deinit(&profile->phases);
	epochs_deinit(&profile->epochs);
	memory_code_deinit(&profile->memory_code);
	stored_names_destroy(profile->names);
	module_table_deinit(&profile->modules);
	free(profile);
}

uint32_t profile_add_metric(struct profile *profile, const char *name, const char *unit)
{
	struct metric metric = { .name = strdup(name), .unit = strdup(unit) };

	if (!metric.name || !metric.unit ||
	    array_reserve_one(profile->metrics, profile->n_metrics)) {
		metric_deinit(&metric);
		return UINT32_MAX;
	}
	profile->metrics[profile->n_metrics] = metric;
	return profile->n_metrics++;
}

uint32_t profile_waits_metric(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (profile->metrics[i].is_waits)
			return i;
	}
	return UINT32_MAX;
}

uint32_t profile_add_process(struct profile *profile, int32_t pid, const char *name)
{
	char *copy = strdup(name);

	if (!copy || array_reserve_one(profile->processes, profile->n_processes)) {
		free(copy);
		return UINT32_MAX;
	}
	profile->processes[profile->n_processes] =
		(struct profile_process){ .pid = pid, .name = copy };
	return profile->n_processes++;
}

uint32_t profile_add_thread(struct profile *profile, int32_t tid, uint32_t process,
			    const char *name)
{
	char *copy = strdup(name);

	if (!copy || array_reserve_one(profile->threads, profile->n_threads)) {
		free(copy);
		return UINT32_MAX;
	}
	profile->threads[profile->n_threads] =
		(struct profile_thread){ .tid = tid, .process = process, .name = copy };
	return profile->n_threads++;
}

/* A damaged recording may claim any number. */
#define CPU_GAPS_MAX 4096

static struct cpu_gap *open_gap(const struct profile_info *info, uint32_t cpu)
{
	for (size_t i = info->n_cpu_gaps; i-- > 0;) {
		if (info->cpu_gaps[i].cpu == cpu)
			return info->cpu_gaps[i].end_ns ? NULL : &info->cpu_gaps[i];
	}
	return NULL;
}

int profile_lose_cpu(struct profile_info *info, uint32_t cpu, uint64_t time_ns)
{
	if (open_gap(info, cpu) || info->n_cpu_gaps == CPU_GAPS_MAX)
		return 0;
	if (array_reserve_one(info->cpu_gaps, info->n_cpu_gaps))
		return -ENOMEM;
	info->cpu_gaps[info->n_cpu_gaps++] = (struct cpu_gap){ cpu, time_ns, 0 };
	return 0;
}

void profile_regain_cpu(struct profile_info *info, uint32_t cpu, uint64_t time_ns)
{
	struct cpu_gap *gap = open_gap(info, cpu);

	if (gap)
		gap->end_ns = time_ns;
}

int profile_set_string(char **string, const char *value)
{
	char *copy = value ? strdup(value) : NULL;

	if (value && !copy)
		return -ENOMEM;
	free(*string);
	*string = copy;
	return 0;
}

void profile_scale(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		struct metric *metric = &profile->metrics[i];

		if (metric->is_scaled || !metric_can_be_scaled(metric))
			continue;
		metric->is_scaled = true;
		metric->total = 0;
		for (uint32_t node = 0; node < profile->cct->n_nodes; node++) {
			struct cct_cost *cost = cct_cost(profile->cct, node, i);

			cost->weight = metric_scale(metric, cost->weight);
			metric->total += cost->weight;
		}
	}
}

struct time_span profile_run_span(const struct profile *profile, uint32_t run)
{
	const struct sample_rows *rows = profile->rows;

	if (rows && rows->n_runs)
		return (struct time_span){ rows->runs[run].start_ns, rows->runs[run].end_ns };
	return (struct time_span){ profile->info.start_ns, profile->info.end_ns };
}

uint64_t profile_since_start(const struct profile *profile, uint32_t run, uint64_t time_ns)
{
	const struct profile_info *info = &profile->info;
	const struct sample_run *of = NULL;
	uint64_t start_ns = info->start_ns;

	if (profile->rows && profile->rows->n_runs)
		of = &profile->rows->runs[run];
	if (of && of->has_date != info->has_date)
		start_ns = of->start_ns;
	else if (of && of->has_date)
		time_ns += of->unix_offset_ns - info->unix_offset_ns;
	return time_ns > start_ns ? time_ns - start_ns : 0;
}

uint32_t profile_phase_of(const struct profile *profile, const struct sample_row *row)
{
	return phases_find(&profile->phases, row->run, profile_run_span(profile, row->run).start_ns,
			   row->time);
}

uint64_t profile_phase_since(const struct profile *profile, const struct sample_row *row)
{
	if (!profile->phases.n)
		return 0;
	return phases_since(&profile->phases, row->run,
			    profile_run_span(profile, row->run).start_ns, row->time);
}

static uint32_t process_of(const struct profile *profile, const struct sample_row *row)
{
	return profile->threads[profile->rows->tasks[row->task].thread].process;
}

uint32_t profile_epoch_of(const struct profile *profile, const struct sample_row *row,
			  uint32_t *process_ret)
{
	*process_ret = process_of(profile, row);
	return epoch_list_find(&profile->processes[*process_ret].epochs, row->run,
			       profile_run_span(profile, row->run).start_ns, row->time);
}

uint64_t profile_epoch_since(const struct profile *profile, const struct sample_row *row)
{
	if (!profile->epochs.n)
		return 0;
	return epoch_list_since(&profile->processes[process_of(profile, row)].epochs, row->run,
				profile_run_span(profile, row->run).start_ns, row->time);
}

int profile_check_conservation(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		struct cct_cost sum = cct_sum(profile->cct, i);

		if (sum.samples != profile->metrics[i].samples ||
		    sum.weight != profile->metrics[i].total)
			return (int)i;
	}
	return -1;
}
