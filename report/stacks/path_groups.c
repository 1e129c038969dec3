#include "report/stacks/path_groups.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"

/* Who ran the paths below a node. */
struct owner {
	uint32_t process, thread;
};

static char *text_of(const struct profile *profile, const struct owner *owner,
		     enum view_grouping grouping)
{
	const bool has_process = owner->process < profile->n_processes;
	const bool has_thread = owner->thread < profile->n_threads;
	const int32_t pid = has_process ? profile->processes[owner->process].pid : -1;
	const char *name = has_process ? profile->processes[owner->process].name : NULL;
	char *text = NULL;
	int n;

	if (grouping == GROUP_THREAD && has_thread)
		name = profile->threads[owner->thread].name;
	name = name ? name : "[unknown]";
	if (grouping == GROUP_COMM || !has_process || profile->processes[owner->process].n_joined)
		n = asprintf(&text, "%s", name);
	else if (grouping == GROUP_PROCESS || !has_thread)
		n = asprintf(&text, "%s-%" PRId32, name, pid);
	else
		n = asprintf(&text, "%s-%" PRId32 "/%" PRId32, name, pid,
			     profile->threads[owner->thread].tid);
	return n < 0 ? NULL : text;
}

static int enter(struct path_groups *groups, const struct profile *profile,
		 const struct owner *owner, enum view_grouping grouping, uint32_t *group_ret)
{
	_cleanup_free_ char *text = text_of(profile, owner, grouping);
	bool is_new;

	if (!text || string_ids_add(&groups->names, text, group_ret, &is_new))
		return -ENOMEM;
	if (!is_new)
		return 0;
	if (array_reserve_one(groups->groups, groups->n_groups))
		return -ENOMEM;
	groups->groups[groups->n_groups++] =
		(struct path_group){ .process = owner->process, .thread = owner->thread };
	return 0;
}

static bool has_samples(const struct cct *cct, uint32_t node)
{
	for (uint32_t metric = 0; metric < cct->n_metrics; metric++) {
		if (cct_cost(cct, node, metric)->samples)
			return true;
	}
	return false;
}

static struct owner owner_at(const struct cct *cct, uint32_t node)
{
	struct owner owner = { PATH_GROUP_NONE, PATH_GROUP_NONE };

	for (; node != CCT_ROOT; node = cct->nodes[node].parent) {
		const struct frame *frame = cct_frame(cct, node);

		if (frame->kind == FRAME_PROCESS)
			owner.process = (uint32_t)frame->offset;
		if (frame->kind == FRAME_THREAD)
			owner.thread = (uint32_t)frame->offset;
	}
	return owner;
}

/* Nodes of processes and threads get a group when a node below them has samples. */
static int find_groups(struct path_groups *groups, const struct profile *profile,
		       enum view_grouping grouping)
{
	const struct cct *cct = profile->cct;
	_cleanup_free_ uint32_t *owners = calloc(cct->n_nodes, sizeof(*owners));
	int err = owners ? 0 : -ENOMEM;

	groups->group_of[CCT_ROOT] = PATH_GROUP_NONE;
	for (uint32_t i = 1; !err && i < cct->n_nodes; i++) {
		const uint32_t parent = cct->nodes[i].parent;
		const bool is_owner = frame_is_above_code(cct_frame(cct, i)) || parent == CCT_ROOT;
		uint32_t *group = &groups->group_of[is_owner ? i : owners[parent]];

		owners[i] = is_owner ? i : owners[parent];
		if (is_owner)
			*group = PATH_GROUP_NONE;
		if (*group == PATH_GROUP_NONE && has_samples(cct, i)) {
			const struct owner owner = owner_at(cct, i);

			err = enter(groups, profile, &owner, grouping, group);
		}
		groups->group_of[i] = *group;
	}
	return err;
}

/* Sorts the nodes with samples by group: first how many there are, then where each begins. */
static int sort_nodes(struct path_groups *groups, const struct cct *cct)
{
	_cleanup_free_ uint32_t *next = calloc(groups->n_groups + 1u, sizeof(*next));
	uint32_t at = 0;

	if (!next || array_reserve_one(groups->groups, groups->n_groups))
		return -ENOMEM;
	for (uint32_t i = 1; i < cct->n_nodes; i++) {
		if (has_samples(cct, i))
			next[groups->group_of[i]]++;
	}
	for (uint32_t group = 0; group < groups->n_groups; group++) {
		const uint32_t n = next[group];

		next[group] = groups->groups[group].first = at;
		at += n;
	}
	groups->groups[groups->n_groups] = (struct path_group){ .first = at };
	for (uint32_t i = 1; i < cct->n_nodes; i++) {
		if (has_samples(cct, i))
			groups->nodes[next[groups->group_of[i]]++] = i;
	}
	return 0;
}

int path_groups_init(struct path_groups *groups, const struct profile *profile,
		     enum view_grouping grouping)
{
	const struct cct *cct = profile->cct;

	*groups = (struct path_groups){
		.group_of = calloc(cct->n_nodes, sizeof(*groups->group_of)),
		.nodes = calloc(cct->n_nodes, sizeof(*groups->nodes)),
	};
	if (!groups->group_of || !groups->nodes)
		return -ENOMEM;
	int err = find_groups(groups, profile, grouping);
	return err ? err : sort_nodes(groups, cct);
}

void path_groups_deinit(struct path_groups *groups)
{
	string_ids_deinit(&groups->names);
	free(groups->groups);
	free(groups->group_of);
	free(groups->nodes);
}

struct cct_cost path_groups_cost(const struct path_groups *groups, const struct profile *profile,
				 uint32_t group, uint32_t metric)
{
	struct cct_cost sum = { 0 };

	for (uint32_t i = groups->groups[group].first; i < groups->groups[group + 1].first; i++) {
		const struct cct_cost *cost = cct_cost(profile->cct, groups->nodes[i], metric);

		sum.samples += cost->samples;
		sum.weight += cost->weight;
	}
	return sum;
}
