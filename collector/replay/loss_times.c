#include "collector/replay/loss_times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX 65536 /* a damaged recording may claim any number */

void loss_times_init(struct loss_times *times, struct losses *losses)
{
	times->losses = losses;
	times->last_ns = NULL;
	times->n_cpus = 0;
	times->n_open = 0;
}

void loss_times_deinit(struct loss_times *times)
{
	free(times->last_ns);
	times->last_ns = NULL;
}

static uint32_t cpu_of(const struct record *record)
{
	return record->has_cpu ? record->cpu : LOSS_NO_CPU;
}

static int reserve_cpu(struct loss_times *times, uint32_t cpu)
{
	size_t n = times->n_cpus ? times->n_cpus : 16;

	while (n <= cpu)
		n *= 2;
	uint64_t *larger = reallocarray(times->last_ns, n, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	memset(&larger[times->n_cpus], 0, (n - times->n_cpus) * sizeof(*larger));
	times->last_ns = larger;
	times->n_cpus = n;
	return 0;
}

int loss_times_see_sample(struct loss_times *times, const struct record *record)
{
	if (!record->has_cpu || !record->has_time || record->cpu >= CPUS_MAX)
		return 0;
	int err = record->cpu < times->n_cpus ? 0 : reserve_cpu(times, record->cpu);
	if (!err)
		times->last_ns[record->cpu] = record->time_ns;
	return err;
}

int loss_times_lose(struct loss_times *times, const struct record *record)
{
	const uint32_t cpu = cpu_of(record);
	uint64_t start_ns = cpu < times->n_cpus ? times->last_ns[cpu] : 0;

	if (!record->has_time || !record->lost.lost)
		return 0;
	if (!start_ns || start_ns > record->time_ns)
		start_ns = record->time_ns;
	return losses_add(times->losses, &(struct loss){ LOSS_OF_SAMPLES, cpu, start_ns,
							 record->time_ns, record->lost.lost });
}

static int end_throttle(struct loss_times *times, size_t i, uint64_t end_ns)
{
	const struct open_throttle open = times->open[i];

	times->open[i] = times->open[--times->n_open];
	return losses_add(times->losses,
			  &(struct loss){ LOSS_BY_THROTTLING, open.cpu, open.start_ns,
					  end_ns > open.start_ns ? end_ns : open.start_ns, 1 });
}

/* The counter of a thread that inherited it has an id of its own. */
static bool is_inherited(const struct record *record)
{
	return record->has_tid && record->throttle.id != record->throttle.stream_id;
}

int loss_times_throttle(struct loss_times *times, const struct record *record)
{
	if (!record->throttle.time_ns)
		return 0;
	times->open[times->n_open++] = (struct open_throttle){
		.stream_id = record->throttle.stream_id,
		.start_ns = record->throttle.time_ns,
		.cpu = cpu_of(record),
		.tid = is_inherited(record) ? record->tid : -1,
	};
	return times->n_open < LOSS_TIMES_OPEN_MAX
		       ? 0
		       : end_throttle(times, times->n_open - 1, record->throttle.time_ns);
}

int loss_times_unthrottle(struct loss_times *times, const struct record *record)
{
	for (size_t i = times->n_open; i-- > 0;) {
		int err = times->open[i].stream_id == record->throttle.stream_id
				  ? end_throttle(times, i, record->throttle.time_ns)
				  : 0;

		if (err)
			return err;
	}
	return 0;
}

int loss_times_exit(struct loss_times *times, const struct record *record)
{
	for (size_t i = times->n_open; i-- > 0;) {
		int err = times->open[i].tid >= 0 && times->open[i].tid == record->task.tid
				  ? end_throttle(times, i, record->task.time_ns)
				  : 0;

		if (err)
			return err;
	}
	return 0;
}

int loss_times_end(struct loss_times *times, uint64_t end_ns)
{
	int err = 0;

	while (!err && times->n_open)
		err = end_throttle(times, times->n_open - 1, end_ns);
	losses_sort(times->losses);
	return err;
}
