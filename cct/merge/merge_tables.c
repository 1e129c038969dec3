#include "cct/merge/merge_tables.h"

#include <errno.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"

uint32_t merge_process(struct merge_state *state, const struct profile_process *process)
{
	_cleanup_free_ char *identity = sentence("%s%d %s", process->n_joined ? "joined " : "",
						 process->pid, process->name);
	uint32_t index;
	bool is_new;

	if (!identity || string_ids_add(&state->processes, identity, &index, &is_new))
		return UINT32_MAX;
	return is_new ? profile_add_process(state->into, process->pid, process->name) : index;
}

uint32_t merge_thread(struct merge_state *state, const struct profile_thread *thread,
		      uint32_t process)
{
	_cleanup_free_ char *identity = sentence("%d %u %s", thread->tid, process, thread->name);
	uint32_t index;
	bool is_new;

	if (!identity || string_ids_add(&state->threads, identity, &index, &is_new))
		return UINT32_MAX;
	return is_new ? profile_add_thread(state->into, thread->tid, process, thread->name) : index;
}

/* Different metrics have different texts, whatever they are called. */
static int add_metric_text(struct string_ids *texts, const struct metric *metric, uint32_t *id_ret)
{
	_cleanup_free_ char *text =
		sentence("%zu %s%s", strlen(metric->unit), metric->unit, metric->name);
	bool is_new;

	return text ? string_ids_add(texts, text, id_ret, &is_new) : -ENOMEM;
}

uint32_t merge_metric(struct merge_state *state, const struct metric *metric, uint32_t n_before)
{
	uint32_t text, index;

	if (add_metric_text(&state->metrics, metric, &text))
		return UINT32_MAX;
	index = pair_map_find(&state->metric_of, text, n_before);
	if (index != PAIR_MAP_NONE)
		return index;
	index = profile_add_metric(state->into, metric->name, metric->unit);
	if (index == UINT32_MAX || pair_map_add(&state->metric_of, text, n_before, index))
		return UINT32_MAX;
	state->into->metrics[index].has_counted = true;
	state->into->metrics[index].takes_all = true;
	return index;
}

uint32_t *merge_count_metrics(const struct profile *profile)
{
	struct string_ids texts = { 0 };
	uint32_t *n_before = calloc(profile->n_metrics + 1u, sizeof(*n_before));
	_cleanup_free_ uint32_t *n_of = calloc(profile->n_metrics + 1u, sizeof(*n_of));
	bool has_memory = n_before && n_of;

	for (uint32_t i = 0; has_memory && i < profile->n_metrics; i++) {
		uint32_t text;

		has_memory = !add_metric_text(&texts, &profile->metrics[i], &text);
		if (has_memory)
			n_before[i] = n_of[text]++;
	}
	string_ids_deinit(&texts);
	if (has_memory)
		return n_before;
	free(n_before);
	return NULL;
}

/* What was counted is known, and all was recorded, if it is so for all profiles that have the
 * metric. */
static void add_metric(struct metric *into, const struct metric *from)
{
	into->samples += from->samples;
	into->total += from->total;
	into->lost += from->lost;
	into->has_counted &= from->has_counted;
	into->counted = into->has_counted ? into->counted + from->counted : 0;
	into->time_enabled_ns += from->time_enabled_ns;
	into->time_running_ns += from->time_running_ns;
	into->is_scaled |= from->is_scaled;
	into->is_waits |= from->is_waits;
	into->takes_all &= from->takes_all;
}

int merge_metrics(struct merge_state *state, const struct merge_maps *maps)
{
	const struct profile *from = maps->from;
	const uint32_t n_known = state->into->n_metrics;
	_cleanup_free_ uint32_t *n_before = merge_count_metrics(from);
	bool is_same_order = !state->n_added || n_known == from->n_metrics;

	if (!n_before)
		return -ENOMEM;
	for (uint32_t i = 0; i < from->n_metrics; i++) {
		uint32_t index = merge_metric(state, &from->metrics[i], n_before[i]);

		if (index == UINT32_MAX)
			return -ENOMEM;
		add_metric(&state->into->metrics[index], &from->metrics[i]);
		maps->metrics[i] = index;
		is_same_order &= index == i;
	}
	state->is_metric_order_mixed |= !is_same_order;
	return 0;
}

int merge_processes(struct merge_state *state, const struct merge_maps *maps)
{
	for (uint32_t i = 0; i < maps->from->n_processes; i++) {
		const struct profile_process *process = &maps->from->processes[i];
		uint32_t index = merge_process(state, process);

		if (index == UINT32_MAX)
			return -ENOMEM;
		state->into->processes[index].n_mapped += process->n_mapped;
		profile_process_add_joined(&state->into->processes[index], process->n_joined);
		maps->processes[i] = index;
	}
	return 0;
}

int merge_threads(struct merge_state *state, const struct merge_maps *maps)
{
	for (uint32_t i = 0; i < maps->from->n_threads; i++) {
		const struct profile_thread *thread = &maps->from->threads[i];

		maps->threads[i] = merge_thread(state, thread, maps->processes[thread->process]);
		if (maps->threads[i] == UINT32_MAX)
			return -ENOMEM;
	}
	return 0;
}

static int merge_texts(struct string_ids *into, const struct string_ids *from, uint32_t *map)
{
	bool is_new;
	int err = 0;

	for (uint32_t i = 0; !err && i < from->n_strings; i++)
		err = string_ids_add(into, from->strings[i], &map[i], &is_new);
	return err;
}

int merge_wakers(struct merge_state *state, const struct merge_maps *maps)
{
	return merge_texts(&state->into->wakers, &maps->from->wakers, maps->wakers);
}

int merge_cgroups(struct merge_state *state, const struct merge_maps *maps)
{
	return merge_texts(&state->into->cgroups, &maps->from->cgroups, maps->cgroups);
}

int merge_values(struct merge_state *state, const struct merge_maps *maps)
{
	const struct string_ids *splits = &maps->from->splits;
	uint32_t id;
	bool is_new;
	int err = 0;

	for (uint32_t i = 0; !err && i < splits->n_strings; i++)
		err = string_ids_add(&state->into->splits, splits->strings[i], &id, &is_new);
	return err ? err : merge_texts(&state->into->values, &maps->from->values, maps->values);
}
