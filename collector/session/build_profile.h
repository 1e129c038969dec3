/*
 * All samples of a replay -> its profile's tree. One thread reads, orders and applies sideband;
 * workers unwind, merge and build a tree each; the trees are merged at the end.
 */
#ifndef COLLECTOR_SESSION_BUILD_PROFILE_H
#define COLLECTOR_SESSION_BUILD_PROFILE_H

#include "collector/replay/replay.h"
#include "collector/session/dendro.h"

struct build;

/* Both are borrowed until build_destroy(). NULL: out of memory. */
struct build *build_create(struct replay *replay, const struct dendro_options *options);
/* Fills replay_profile(). No sample may have been taken before. Once. 0 or -ENOMEM. */
int build_run(struct build *build);
void build_destroy(struct build *build);

/* A profile as it was when somebody looked at it, while it was built. All zero: none. */
struct profile_peek {
	/* What it leads to is borrowed from the build, but for the tree's costs and the metrics;
	 * for readers only. It has no names. */
	struct profile profile;
	struct cct cct;         /* the profile's tree, if there is one worker, with other costs */
	struct cct_cost *costs; /* owned, as are the others */
	struct cct *merged;     /* the profile's tree, if there are several */
	struct metric *metrics;
};

/*
 * By another thread than that of build_run(), inside options.gate: what the profile would be if the
 * samples ended here, with weights scaled. Valid until the gate is left; profile_peek_deinit()
 * follows. It has no rows. 0; -EAGAIN: there is no sample yet; or -ENOMEM.
 */
int build_peek(struct build *build, struct profile_peek *peek_ret);
void profile_peek_deinit(struct profile_peek *peek);

#endif
