#include "cct/paths/profile_group.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/model/profile_filter.h"
#include "cct/paths/path_copies.h"

struct grouping {
	const struct profile *profile;
	struct cct *into;
	enum sample_grouping kind;
	struct path_copies copies;
};

static struct frame frame_of_phase(const struct profile *profile, const struct sample_row *row)
{
	const uint64_t start_ns = profile_run_span(profile, row->run).start_ns;
	uint32_t phase = profile_phase_of(profile, row);

	if (phase == PHASE_NONE)
		phase = phases_are_ahead(&profile->phases, row->run, start_ns, row->time)
				? FRAME_PHASE_BEFORE
				: FRAME_PHASE_BETWEEN;
	return (struct frame){ .kind = FRAME_PHASE, .offset = phase };
}

static struct frame frame_of_epoch(const struct profile *profile, const struct sample_row *row)
{
	uint32_t process;
	const uint32_t epoch = profile_epoch_of(profile, row, &process);

	return (struct frame){ .kind = FRAME_EPOCH, .offset = frame_epoch_offset(process, epoch) };
}

static struct frame frame_of_group(const struct grouping *grouping, const struct sample_row *row)
{
	switch (grouping->kind) {
	case GROUPED_BY_CPU:
	case GROUPED_BY_CPU_AND_TASK:
		return (struct frame){ .kind = FRAME_CPU, .offset = row->cpu };
	case GROUPED_BY_CGROUP:
		return (struct frame){ .kind = FRAME_CGROUP, .offset = row->cgroup };
	case GROUPED_BY_PHASE:
		return frame_of_phase(grouping->profile, row);
	case GROUPED_BY_EPOCH:
		return frame_of_epoch(grouping->profile, row);
	case GROUPED_BY_TASK:
		break;
	}
	return (struct frame){ .kind = FRAME_ROOT };
}

/* The node of a row's path in its group. CCT_NONE: out of memory. */
static uint32_t place(struct grouping *grouping, const struct sample_row *row)
{
	const struct frame group = frame_of_group(grouping, row);

	return path_copies_get(&grouping->copies, grouping->into, group.offset, &group, row->node);
}

/* The rows' nodes are those of the new tree then. */
static int place_all(struct grouping *grouping, struct sample_rows *rows)
{
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const uint32_t node = place(grouping, &rows->rows[i]);

		if (node == CCT_NONE)
			return -ENOMEM;
		rows->rows[i].node = node;
	}
	return 0;
}

static int count_all(struct profile *profile)
{
	const size_t n = (size_t)profile->rows->n_rows + 1;
	_cleanup_free_ bool *is_kept = malloc(n);

	if (!is_kept)
		return -ENOMEM;
	memset(is_kept, true, n);
	return profile_keep_rows(profile, is_kept);
}

int profile_group(struct profile *profile, enum sample_grouping kind)
{
	struct grouping grouping = {
		.profile = profile,
		.into = cct_create_like(profile->cct),
		.kind = kind,
		.copies = { .from = profile->cct, .has_tasks = kind == GROUPED_BY_CPU_AND_TASK },
	};
	int err = grouping.into ? place_all(&grouping, profile->rows) : -ENOMEM;

	path_copies_deinit(&grouping.copies);
	if (err) {
		cct_destroy(grouping.into);
		return err;
	}
	cct_destroy(profile->cct);
	profile->cct = grouping.into;
	return count_all(profile);
}
