#include "collector/record/stacks/stack_wakes.h"

#include <stddef.h>

#include "cct/base/clock.h"

#define PAUSE_LEAST_NS (2 * NSEC_PER_MSEC)
#define PAUSE_MAX_NS   (128 * NSEC_PER_MSEC)

static const struct stack_wakes_access real_access = {
	.arm = stack_watch_arm,
	.take = stack_watch_take,
	.know = stack_watch_know,
	.forget = stack_watch_forget,
};

void stack_wakes_init(struct stack_wakes *wakes, struct stack_watch *watch,
		      const struct stack_wakes_access *access)
{
	*wakes = (struct stack_wakes){
		.access = access ? *access : real_access,
		.watch = watch,
	};
}

static void arm(struct stack_wakes *wakes, uint64_t now_ns, bool is_quiet)
{
	if (is_quiet && now_ns >= wakes->pause_until_ns)
		wakes->access.arm(wakes->watch);
}

void stack_wakes_begin_round(struct stack_wakes *wakes, uint64_t now_ns, bool is_quiet)
{
	if (!wakes->watch)
		return;
	wakes->has_woken = wakes->access.take(wakes->watch);
	/* What the round is about to see does not wake again meanwhile. */
	if (!wakes->has_woken)
		arm(wakes, now_ns, is_quiet);
	wakes->n_woken += wakes->has_woken;
}

void stack_wakes_end_round(struct stack_wakes *wakes, uint64_t now_ns, bool is_quiet,
			   bool has_looked)
{
	if (!wakes->watch || !wakes->has_woken)
		return;
	uint64_t pause = wakes->pause_ns ? 2 * wakes->pause_ns : PAUSE_LEAST_NS;
	if (has_looked)
		pause = 0;
	wakes->pause_ns = pause < PAUSE_MAX_NS ? pause : PAUSE_MAX_NS;
	wakes->pause_until_ns = now_ns + wakes->pause_ns;
	arm(wakes, now_ns, is_quiet);
}

void stack_wakes_know(struct stack_wakes *wakes, pid_t tid, uint64_t low, uint64_t high)
{
	if (wakes->watch)
		wakes->access.know(wakes->watch, tid, low, high);
}

void stack_wakes_forget(struct stack_wakes *wakes, pid_t tid)
{
	if (wakes->watch)
		wakes->access.forget(wakes->watch, tid);
}
