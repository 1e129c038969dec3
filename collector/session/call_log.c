#include "collector/session/call_log.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"
#include "collector/replay/processes.h"

void call_log_deinit(struct call_log *log)
{
	free(log->paths);
	free(log->frames);
	*log = (struct call_log){ .paths = NULL };
}

void call_log_clear(struct call_log *log)
{
	log->n_paths = 0;
	log->n_frames = 0;
}

/* Callers are further up on the stack: else there are several. */
static bool is_on_one_stack(const struct call_path *path)
{
	for (size_t i = 1; i < path->n_user; i++) {
		if (path->user_sps[i] < path->user_sps[i - 1])
			return false;
	}
	return true;
}

static bool is_proved(const struct call_path *path)
{
	if (path->user_half != USER_COMPLETE || !path->user_sps || path->n_user < 2)
		return false;
	for (int mark = 0; mark < N_PATH_MARKS; mark++) {
		if (path->n_marked[mark])
			return false;
	}
	return is_on_one_stack(path);
}

static void hash_frames(const struct call_path *path, uint32_t *to)
{
	for (size_t i = path->n_user; i-- > 0;)
		*to++ = hash_pair(path->user_addrs[i], path->user_sps[i]);
	for (size_t i = path->n_kernel; i-- > 0;)
		*to++ = hash_pair(path->kernel_addrs[i], 0);
}

int call_log_note(struct call_log *log, const struct sample *sample, uint32_t node)
{
	const struct call_path *path = &sample->path;
	const size_t n = path->n_user + path->n_kernel;

	if (!is_proved(path))
		return 0;
	if (array_reserve(log->paths, log->n_paths, log->n_paths_allocated, 1) ||
	    array_reserve(log->frames, log->n_frames, log->n_frames_allocated, n))
		return -ENOMEM;
	log->paths[log->n_paths++] = (struct noted_path){
		.process = sample->process_index,
		.has_begun = sample->is_exec && sample->thread->tid == sample->thread->process->pid,
		.root_sp = path->user_sps[path->n_user - 1],
		.node = node,
		.start = log->n_frames,
		.n_frames = n,
	};
	hash_frames(path, log->frames + log->n_frames);
	log->n_frames += n;
	return 0;
}

int call_log_enter(struct call_log *log, struct seen_stacks *stacks)
{
	for (size_t i = 0; i < log->n_paths; i++) {
		struct noted_path *noted = &log->paths[i];
		const struct seen_path path = { .process = noted->process,
						.has_begun = noted->has_begun,
						.root_sp = noted->root_sp,
						.frames = log->frames + noted->start,
						.n_frames = noted->n_frames };

		if (seen_stacks_enter(stacks, &path, &noted->n_new))
			return -ENOMEM;
	}
	return 0;
}

void call_log_count(const struct call_log *log, struct cct *cct)
{
	for (size_t i = 0; i < log->n_paths; i++)
		cct_count_calls(cct, log->paths[i].node, log->paths[i].n_new);
}
