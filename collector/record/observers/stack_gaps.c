#include "collector/record/observers/stack_gaps.h"

#include <errno.h>

#include "cct/base/clock.h"

static int write_misses(struct stack_output *output)
{
	return stack_output_write_misses(output, now_ns());
}

static int begin(const struct observed_recording *recording, void **state)
{
	struct stack_output *output = recording->stack_output;

	if (!recording->completes_stacks)
		return 0;
	if (recording->has_known_clock)
		*state = output;
	if (!recording->evlist->second_stacks_err)
		return 0;
	output->misses.seconds_err = -recording->evlist->second_stacks_err;
	if (recording->evlist->contexts.n_ids)
		return *state ? write_misses(output) : 0;
	output->misses.contexts_err = -recording->evlist->contexts_err;
	/* Without stacks nobody wants them; another note names a lack of permission. */
	int contexts_err = recording->evlist->contexts_err;
	bool is_detail =
		contexts_err == -EOPNOTSUPP || contexts_err == -EACCES || contexts_err == -EPERM;
	recording_notes_add(
		recording->notes, is_detail,
		"handlers on signal stacks will have no callers: the stacks that they interrupt "
		"cannot be recorded (signal:signal_deliver: %s).",
		stack_misses_contexts_text(output->misses.contexts_err));
	return *state ? write_misses(output) : 0;
}

static int finish(void *state)
{
	return write_misses(state);
}

const struct recording_observer stack_gaps_observer = {
	.name = "gaps in stacks",
	.begin = begin,
	.finish = finish,
};
