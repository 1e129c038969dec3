#include "collector/exchange/branch_stacks.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "collector/files/progress.h"

/* The branches of one sample, and its callers, if these are asked for; the arrays are used again
 * for the next one. */
struct stack_steps {
	struct branch_step *steps;
	size_t n_allocated;
	bool by_context;
	uint32_t *contexts;
	size_t contexts_allocated;
};

static bool has_all_branches(uint64_t filter)
{
	const uint64_t lacking = PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX;

	return filter & PERF_SAMPLE_BRANCH_ANY && !(filter & lacking);
}

/* Whether it is what a context consists of: a function, or why its callers are missing. */
static bool has_context(const struct frame *frame)
{
	return frame->kind == FRAME_USER || frame->kind == FRAME_KERNEL ||
	       (frame->kind == FRAME_MARKER && marker_is_reason((enum marker)frame->offset));
}

/* A path of the sampled instruction alone has no callers. 0 or -ENOMEM. */
static int find_callers(struct dendro *session, const struct sample *sample,
			struct branch_paths *paths, struct stack_steps *steps,
			struct branch_callers *callers_ret)
{
	uint32_t context = CONTEXT_TOP;
	size_t n = 0;
	int err = dendro_resolve(session);
	const struct call_path *path = &sample->path;

	*callers_ret = (struct branch_callers){ 0 };
	if (err || path->user_half == USER_FLAT)
		return err;
	err = array_reserve(steps->contexts, 0, steps->contexts_allocated, path->n_frames);
	for (size_t i = 0; i < path->n_frames && !err; i++) {
		struct frame_name name;

		if (!has_context(&path->frames[i]))
			continue;
		err = symbolizer_name(paths->symbolizer, &path->frames[i], &name);
		if (err)
			break;
		const struct branch_context callee = {
			.function = name.function,
			.name = name.name,
			.is_kernel = path->frames[i].kind == FRAME_KERNEL,
		};
		err = branch_contexts_enter(&paths->contexts, context, &callee, &context);
		/* From the sampled function on: the last one is the first. */
		steps->contexts[path->n_frames - ++n] = context;
	}
	if (!err)
		*callers_ret = (struct branch_callers){ steps->contexts + path->n_frames - n, n };
	return err;
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
	struct branch_callers callers;
	if (!err && steps->by_context)
		err = find_callers(session, sample, paths, steps, &callers);
	return err ? err
		   : branch_paths_add(paths, steps->steps, n, steps->by_context ? &callers : NULL);
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
		       bool by_context, struct branch_stacks *stacks)
{
	struct stack_steps steps = { .by_context = by_context };
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
	free(steps.contexts);
	return err ? err : got;
}

int branch_stacks_read_again(const char *command, const char *path,
			     const struct dendro_options *options,
			     const struct symbolizer_options *names, struct dendro **session_ret,
			     struct branch_stacks *stacks, char **error_ret)
{
	const struct dendro_source source = { .path = path };
	struct dendro_options again = { .no_paths = true,
					.filter = options->filter,
					.files = options->files };
	const struct progress_title title = { .command = command, .what = "reading branches" };
	struct work_done work = { 0 };
	struct progress *progress = progress_start(&title, &work);
	int err = again.filter.has_time ? dendro_read_times(&source, &again.times, error_ret) : 0;

	again.work = &work;
	if (!err)
		err = dendro_open(&source, &again, session_ret, error_ret);
	if (!err)
		err = branch_stacks_read(*session_ret, names, false, stacks);
	progress_stop(progress);
	return err;
}

void branch_stacks_deinit(struct branch_stacks *stacks)
{
	branch_paths_deinit(&stacks->paths);
	symbolizer_destroy(stacks->symbolizer);
}
