/*
 * Varies sampling periods, so that no program runs in step with its samples. Each counter draws a
 * rate from a uniform distribution around the requested rate.
 *
 * A clock event (cpu-clock, task-clock) and its inherited copies keep the rate that was drawn when
 * it was opened, because the kernel does not write a later period of a clock to its samples
 * (perf_swevent_hrtimer() reports hw.last_period, which only opening sets). If the sampling period
 * is neither a multiple nor a fraction of the program's period, samples drift through all phases of
 * the program. The requested rate is most likely the program's rate, so clocks avoid its
 * neighbourhood. The agent's clocks have one rate on all CPUs. Other events draw new rates
 * repeatedly.
 */
#include <sys/ioctl.h>
#include <sys/random.h>

#include "cct/base/clock.h"
#include "perf/counters/evlist.h"
#include "perf/counters/evlist_private.h"

#define PPM           1000000u
#define SPREAD_PPM    100000u /* of the requested rate, up and down */
#define CLEAR_PPM     20000u  /* clocks avoid deviations below this */
#define MIN_CLOCK_NS  10000u  /* the kernel extends shorter periods to this */
#define MIN_PERIOD    16u     /* of other events: shorter periods have no room to vary */
#define MAX_PER_ROUND 256     /* counters; setting one may interrupt another CPU */

bool evlist_is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* A machine that has just booted may have no random numbers yet. */
static uint64_t random_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = now_ns();
	return seed | !seed;
}

/* xorshift64*, Vigna 2016 */
static uint64_t draw(uint64_t *state)
{
	if (!*state)
		*state = random_seed();
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull >> 32;
}

static uint64_t scale(uint64_t value, uint64_t numerator, uint64_t denominator)
{
	return (uint64_t)((unsigned __int128)value * numerator / denominator);
}

/* A deviation, up or down, of at least @clear_ppm. */
static uint64_t draw_rate_ppm(struct evlist_impl *impl, uint32_t clear_ppm)
{
	uint64_t drawn = draw(&impl->random_state);
	uint64_t change = clear_ppm + (drawn >> 1) % (SPREAD_PPM - clear_ppm + 1);
	return drawn & 1 ? PPM + change : PPM - change;
}

static uint64_t draw_clock_period(struct evlist_impl *impl, const struct perf_event_attr *attr)
{
	uint64_t asked = attr->freq ? NSEC_PER_SEC / attr->sample_freq : attr->sample_period;
	uint64_t drawn = scale(asked, PPM, draw_rate_ppm(impl, CLEAR_PPM));
	uint64_t max_rate = impl->limits.max_sample_rate;
	uint64_t least = max_rate ? NSEC_PER_SEC / max_rate : 0;
	least = least < MIN_CLOCK_NS ? MIN_CLOCK_NS : least;
	return asked <= least ? asked : drawn < least ? least : drawn;
}

static uint64_t draw_frequency(struct evlist_impl *impl, uint64_t asked)
{
	uint64_t drawn = scale(asked, draw_rate_ppm(impl, 0), PPM);
	uint64_t max = impl->limits.max_sample_rate;
	drawn = max && drawn > max ? max : drawn;
	return drawn ? drawn : asked;
}

void evlist_draw_rate(struct evlist_impl *impl, struct evlist_event *event,
		      struct perf_event_attr *attr)
{
	if (evlist_is_clock(attr)) {
		if (!event->clock_period || impl->jitter != JITTER_ALL_ALIKE)
			event->clock_period = draw_clock_period(impl, attr);
		attr->sample_period = event->clock_period;
		attr->freq = 0;
	} else if (attr->freq) {
		attr->sample_freq = draw_frequency(impl, attr->sample_freq);
	} else if (attr->sample_period >= MIN_PERIOD) {
		attr->sample_period = scale(attr->sample_period, PPM, draw_rate_ppm(impl, 0));
	}
}

static void draw_again(struct evlist_impl *impl, struct evlist_event *event, size_t counter)
{
	struct perf_event_attr attr = event->attr;
	evlist_draw_rate(impl, event, &attr);
	uint64_t rate = attr.sample_period; /* or sample_freq, which is in the same union */
	/* The ioctl fails for a counter whose task has exited; it takes no more samples. */
	ioctl(event->fds[counter], PERF_EVENT_IOC_PERIOD, &rate);
}

void evlist_vary_rates(struct evlist *evlist)
{
	struct evlist_impl *impl = evlist_impl(evlist);
	size_t n_left = MAX_PER_ROUND;
	for (size_t e = 0; e < evlist->n_events; e++) {
		struct evlist_event *event = &evlist->events[e];
		if (!event->has_jitter || evlist_is_clock(&event->attr))
			continue;
		for (size_t i = 0; i < event->n_ids && n_left; i++, n_left--)
			draw_again(impl, event, (impl->next_varied + i) % event->n_ids);
	}
	impl->next_varied += MAX_PER_ROUND - n_left;
}
