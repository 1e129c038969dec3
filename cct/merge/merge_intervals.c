#include "cct/merge/merge_intervals.h"

static int add_phases(struct phases *into, const struct phases *from, const uint32_t *runs)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < from->n; i++) {
		struct phase phase = from->phases[i];

		phase.run = runs[phase.run];
		err = phases_add(into, &phase);
	}
	return err;
}

static int add_epochs(struct profile *into, struct epoch_list *to, const struct profile *from,
		      const struct epoch_list *list, const uint32_t *runs)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < list->n; i++) {
		struct epoch epoch = list->epochs[i];

		epoch.run = runs[epoch.run];
		epoch.end_ns = epoch_is_last(list, i) ? epoch.end_ns : 0;
		err = epochs_add(&into->epochs, to, &epoch, epoch_files(&from->epochs, list, i));
	}
	return err;
}

int merge_intervals(struct merge_state *state, const struct merge_maps *maps, const uint32_t *runs)
{
	const struct profile *from = maps->from;
	struct profile *into = state->into;
	int err = add_phases(&into->phases, &from->phases, runs);

	into->epochs.n_left_out += from->epochs.n_left_out;
	for (uint32_t i = 0; !err && i < from->n_processes; i++)
		err = add_epochs(into, &into->processes[maps->processes[i]].epochs, from,
				 &from->processes[i].epochs, runs);
	return err;
}

void merge_sort_intervals(struct profile *profile)
{
	phases_sort(&profile->phases);
	for (uint32_t i = 0; i < profile->n_processes; i++)
		epochs_sort(&profile->epochs, &profile->processes[i].epochs);
}

void merge_move_intervals(struct merge_state *sorted, struct merge_state *sum,
			  const struct merge_maps *maps, const uint32_t *runs)
{
	struct profile *from = sum->into, *into = sorted->into;

	into->phases = from->phases;
	into->epochs = from->epochs;
	from->phases = (struct phases){ .n = 0 };
	from->epochs = (struct epochs){ .n = 0 };
	for (uint32_t i = 0; i < into->phases.n; i++)
		into->phases.phases[i].run = runs[into->phases.phases[i].run];
	for (uint32_t i = 0; i < from->n_processes; i++) {
		struct epoch_list *list = &into->processes[maps->processes[i]].epochs;

		*list = from->processes[i].epochs;
		from->processes[i].epochs = (struct epoch_list){ .n = 0 };
		for (uint32_t k = 0; k < list->n; k++)
			list->epochs[k].run = runs[list->epochs[k].run];
	}
	merge_sort_intervals(into);
}

void merge_drop_intervals(struct profile *profile)
{
	phases_deinit(&profile->phases);
	epochs_deinit(&profile->epochs);
	for (uint32_t i = 0; i < profile->n_processes; i++)
		epoch_list_deinit(&profile->processes[i].epochs);
}
