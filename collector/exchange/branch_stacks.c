#include "collector/exchange/branch_stacks.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "cct/base/array.h"

/* The branches of one sample; the array is used again for the next one. */
struct stack_steps {
	struct branch_step *steps;
	size_t n_allocated;
};

static bool has_all_branches(uint64_t filter)
{
	const uint64_t lacking = PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX;

	return filter & PERF_SAMPLE_BRANCH_ANY && !(filter & lacking);
}

/* The kernel lists the last branch first. 0 or -ENOMEM. */
static int add_stack(struct dendro *session, const struct sample *sample,
		     struct branch_paths *paths, struct stack_steps *steps)
{
	const struct sample_record *record = &sample->record.sample;
	size_t n = record->n_branches;
	int err = array_reserve(steps->steps, 0, steps->n_allocated, n);

	for (size_t i = 0; i < n && !err; i++) {
		const struct perf_branch_entry *branch = &record->branches[n - 1 - i];
		struct branch_step *step = &steps->steps[i];
		struct frame from = dendro_frame(session, sample, branch->from);
		struct frame to = dendro_frame(session, sample, branch->to);

		step->is_mispredicted = branch->mispred;
		step->cycles = branch->cycles;
		err = branch_paths_place(paths, &from, branch->from, &step->from);
		if (!err)
			err = branch_paths_place(paths, &to, branch->to, &step->to);
	}
	return err ? err : branch_paths_add(paths, steps->steps, n);
}

/* 0 or -ENOMEM. */
static int begin(struct branch_stacks *stacks, struct dendro *session,
		 const struct symbolizer_options *names)
{
	if (stacks->symbolizer)
		return 0;
	const struct profile *recording = dendro_recording(session);

	stacks->symbolizer = symbolizer_create(recording, names);
	return stacks->symbolizer ? branch_paths_init(&stacks->paths, recording, stacks->symbolizer)
				  : -ENOMEM;
}

int branch_stacks_read(struct dendro *session, const struct symbolizer_options *names,
		       struct branch_stacks *stacks)
{
	struct stack_steps steps = { 0 };
	const struct sample *sample;
	int got = 0, err = 0;

	*stacks = (struct branch_stacks){ 0 };
	while (!err && (got = dendro_next(session, &sample)) > 0) {
		if (!sample->raw.header)
			continue; /* time off the CPU without a sample */
		err = begin(stacks, session, names);
		if (err)
			break;
		if (!sample->record.sample.n_branches)
			stacks->n_without++;
		else if (!has_all_branches(sample->event->layout.branch_sample_type))
			stacks->n_filtered++;
		else
			err = add_stack(session, sample, &stacks->paths, &steps);
	}
	free(steps.steps);
	return err ? err : got;
}

void branch_stacks_deinit(struct branch_stacks *stacks)
{
	branch_paths_deinit(&stacks->paths);
	symbolizer_destroy(stacks->symbolizer);
}
