/*
 * The paths of a batch of samples, noted as they are resolved and compared, in the order of all
 * samples, with the ones before (collector/paths/seen_stacks.h). The calls that are new are then
 * counted in the tree.
 *
 * Left out are paths that are incomplete, and those that the sample's copy of the stack and unwind
 * information do not prove: with frames that were guessed, joined or read from other memory.
 */
#ifndef COLLECTOR_SESSION_CALL_LOG_H
#define COLLECTOR_SESSION_CALL_LOG_H

#include "cct/model/cct.h"
#include "collector/paths/sample.h"
#include "collector/paths/seen_stacks.h"

struct noted_path {
	uint32_t process;
	bool has_begun;
	uint64_t root_sp;
	uint32_t node; /* its last one, in the tree */
	size_t start, n_frames;
	size_t n_new; /* once entered */
};

/* All zero is an empty log. */
struct call_log {
	struct noted_path *paths;
	size_t n_paths, n_paths_allocated;
	uint32_t *frames; /* as in struct seen_path */
	size_t n_frames, n_frames_allocated;
};

void call_log_deinit(struct call_log *log);
void call_log_clear(struct call_log *log);
/* Notes a sample whose path is resolved and ends at @node. 0 or -ENOMEM. */
int call_log_note(struct call_log *log, const struct sample *sample, uint32_t node);
/* Enters the paths, in the order of the log. 0 or -ENOMEM. */
int call_log_enter(struct call_log *log, struct seen_stacks *stacks);
/* Counts the new calls of the paths that were entered. */
void call_log_count(const struct call_log *log, struct cct *cct);

#endif
