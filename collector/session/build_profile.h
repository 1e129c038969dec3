/*
 * All samples of a replay -> its profile's tree. One thread reads, orders and applies sideband;
 * workers unwind, merge and build a tree each; the trees are merged at the end.
 */
#ifndef COLLECTOR_SESSION_BUILD_PROFILE_H
#define COLLECTOR_SESSION_BUILD_PROFILE_H

#include "collector/replay/replay.h"
#include "collector/session/dendro.h"

/* Fills replay_profile(). No sample may have been taken before. 0 or -ENOMEM. */
int build_profile(struct replay *replay, const struct dendro_options *options);

#endif
