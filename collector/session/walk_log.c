#include "collector/session/walk_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

void walk_log_deinit(struct walk_log *log)
{
	free(log->walks);
	free(log->frames);
	free(log->outer);
	*log = (struct walk_log){ .walks = NULL };
}

void walk_log_clear(struct walk_log *log)
{
	log->n_walks = 0;
	log->n_frames = 0;
	log->n_outer = 0;
}

static void copy_frames(const struct call_path *path, struct placed_frame *to)
{
	for (size_t i = 0; i < path->n_user; i++)
		to[i] = (struct placed_frame){ .sp = path->user_sps[i],
					       .addr = path->user_addrs[i],
					       .frame = path->user_frames[i] };
}

int walk_log_note(struct walk_log *log, size_t number, const struct sample *sample)
{
	const struct call_path *path = &sample->path;
	const bool is_cut = sample_path_is_cut(path);

	if (!sample->may_join || !path->user_sps || (!is_cut && path->user_half != USER_COMPLETE) ||
	    path->n_user > WALK_LOG_FRAMES - log->n_frames)
		return 0;
	if (array_reserve(log->walks, log->n_walks, log->n_walks_allocated, 1) ||
	    array_reserve(log->frames, log->n_frames, log->n_frames_allocated, path->n_user))
		return -ENOMEM;
	log->walks[log->n_walks++] = (struct noted_walk){ .sample = number,
							  .thread = sample->thread,
							  .is_cut = is_cut,
							  .start = log->n_frames,
							  .n_frames = path->n_user };
	copy_frames(path, log->frames + log->n_frames);
	log->n_frames += path->n_user;
	return is_cut;
}

static int keep_outer(struct walk_log *log, struct noted_walk *walk,
		      const struct placed_frame *outer, size_t n_outer)
{
	if (n_outer > WALK_LOG_FRAMES - log->n_outer)
		return 0;
	if (array_reserve(log->outer, log->n_outer, log->n_outer_allocated, n_outer))
		return -ENOMEM;
	memcpy(log->outer + log->n_outer, outer, n_outer * sizeof(*outer));
	walk->start_outer = log->n_outer;
	walk->n_outer = n_outer;
	log->n_outer += n_outer;
	return 0;
}

static int join_walk(struct walk_log *log, struct path_joins *joins, struct noted_walk *walk)
{
	const struct walked_path path = { .thread = walk->thread,
					  .frames = log->frames + walk->start,
					  .n_frames = walk->n_frames };
	const struct placed_frame *outer;
	size_t n_outer;

	if (!walk->is_cut)
		return path_joins_learn(joins, &path);
	int err = path_joins_find(joins, &path, &outer, &n_outer);
	return err || !n_outer ? err : keep_outer(log, walk, outer, n_outer);
}

int walk_log_join(struct walk_log *log, struct path_joins *joins)
{
	int err = 0;

	for (size_t i = 0; i < log->n_walks && !err; i++)
		err = join_walk(log, joins, &log->walks[i]);
	return err;
}

const struct placed_frame *walk_log_outer(const struct walk_log *log, const struct noted_walk *walk)
{
	return walk->n_outer ? log->outer + walk->start_outer : NULL;
}
