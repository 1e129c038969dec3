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

#define PEEK_TREES_MAX 16

/* A profile as it was when somebody looked at it, while it was built. All zero: none. */
struct profile_peek {
	/* What it leads to is borrowed from the build, but for the tree and the metrics; for
	 * readers only. It has neither names nor rows, and no tree at first. */
	struct profile profile;
	const struct cct *trees[PEEK_TREES_MAX]; /* that have all code; borrowed */
	unsigned n_trees;
	struct cct *merged; /* owned, as the metrics are */
	struct metric *metrics;
	struct sample_rows *rows; /* owned; its tasks and names are not */
};

/*
 * By another thread than that of build_run(), inside options.gate: waits until all samples that
 * were read are in trees. No worker is at work then, until build_go_on(), which must come before
 * the gate is left. *@peek_ret is valid until then, in a process that is forked meanwhile for ever.
 * 0; -EAGAIN: there is no sample yet; or -ENOMEM. After an error workers go on.
 */
int build_pause(struct build *build, struct profile_peek *peek_ret);
void build_go_on(struct build *build);
/*
 * Makes the tree: what the profile would be if the samples ended here, with weights scaled;
 * profile_peek_deinit() follows. @recent_ns, at most options.recent_ns: not 0: of the samples of so
 * long before the last one alone, with their rows; of fewer, which info.window says, where these
 * are more than memory is there for. 0 or -ENOMEM.
 */
int build_finish_peek(const struct build *build, struct profile_peek *peek, uint64_t recent_ns);
void profile_peek_deinit(struct profile_peek *peek);

#endif
