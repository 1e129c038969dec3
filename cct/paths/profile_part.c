#include "cct/paths/profile_part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/model/profile_filter.h"

#define UNKNOWN_CGROUP "[unknown cgroup]" /* the name of its row */

static const char *shown_name(const char *name)
{
	return name ? name : "[unknown]";
}

static bool is_same_name(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool task_choice_is_all(const struct task_choice *choice)
{
	return !choice->process && !choice->thread && !choice->cgroup;
}

bool task_choice_equal(const struct task_choice *a, const struct task_choice *b)
{
	return is_same_name(a->process, b->process) && is_same_name(a->thread, b->thread) &&
	       is_same_name(a->cgroup, b->cgroup) && (!a->process || a->pid == b->pid) &&
	       (!a->thread || a->tid == b->tid);
}

static bool is_of_process(const struct task_choice *choice, const struct profile *profile,
			  const struct frame *frame)
{
	if (!choice->process || frame->kind != FRAME_PROCESS)
		return true;
	if (frame->offset >= profile->n_processes)
		return false;
	const struct profile_process *process = &profile->processes[frame->offset];
	return process->pid == choice->pid &&
	       strcmp(shown_name(process->name), choice->process) == 0;
}

static bool is_of_thread(const struct task_choice *choice, const struct profile *profile,
			 const struct frame *frame)
{
	if (!choice->thread || frame->kind != FRAME_THREAD)
		return true;
	if (frame->offset >= profile->n_threads)
		return false;
	const struct profile_thread *thread = &profile->threads[frame->offset];
	return thread->tid == choice->tid && strcmp(shown_name(thread->name), choice->thread) == 0;
}

/* By node, whether samples there are of the process and thread. NULL: out of memory. */
static bool *find_chosen(const struct task_choice *choice, const struct profile *profile)
{
	const struct cct *cct = profile->cct;
	bool *is_chosen = calloc(cct->n_nodes, sizeof(*is_chosen));

	if (!is_chosen)
		return NULL;
	is_chosen[CCT_ROOT] = true;
	for (uint32_t i = 1; i < cct->n_nodes; i++) {
		const struct frame *frame = cct_frame(cct, i);

		is_chosen[i] = is_chosen[cct->nodes[i].parent] &&
			       is_of_process(choice, profile, frame) &&
			       is_of_thread(choice, profile, frame);
	}
	return is_chosen;
}

struct choosing {
	const struct profile *from;
	struct profile *part;
	const bool *is_chosen; /* by node of the tree */
	uint32_t *map;         /* node of the tree -> of the part's; CCT_NONE: it has none */
	bool by_cgroup;
	uint32_t cgroup; /* as in rows */
};

/* The costs of the nodes that are not chosen are 0 in *@copy_ret, which is to be freed. */
static int copy_costs(const struct cct *cct, const bool *is_chosen, struct cct_cost **copy_ret)
{
	const size_t n = cct->n_metrics;
	struct cct_cost *copy = calloc(cct->n_nodes * n + 1, sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	for (uint32_t i = 0; i < cct->n_nodes; i++) {
		if (is_chosen[i])
			memcpy(&copy[i * n], &cct->costs[i * n], n * sizeof(*copy));
	}
	*copy_ret = copy;
	return 0;
}

static int copy_tree(const struct choosing *choosing)
{
	struct cct chosen = *choosing->from->cct;

	if (copy_costs(choosing->from->cct, choosing->is_chosen, &chosen.costs))
		return -ENOMEM;
	int err = cct_merge_used(choosing->part->cct, &chosen, choosing->map);
	free(chosen.costs);
	return err;
}

static bool is_row_chosen(const struct choosing *choosing, const struct sample_row *row)
{
	return choosing->is_chosen[row->node] &&
	       (!choosing->by_cgroup || row->cgroup == choosing->cgroup);
}

static uint32_t count_rows(const struct choosing *choosing)
{
	const struct sample_rows *rows = choosing->from->rows;
	uint32_t n = 0;

	for (uint32_t i = 0; i < rows->n_rows; i++)
		n += is_row_chosen(choosing, &rows->rows[i]);
	return n;
}

/* Those that are chosen, of the copy of the tree. */
static int copy_rows(const struct choosing *choosing)
{
	const struct sample_rows *from = choosing->from->rows;
	const uint32_t n = count_rows(choosing);
	struct sample_rows *rows = malloc(sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	*rows = *from;
	rows->n_rows = 0;
	rows->n_rows_allocated = n + 1;
	rows->rows = calloc((size_t)n + 1, sizeof(*rows->rows));
	rows->sums = from->sums ? calloc((size_t)n + 1, sizeof(*rows->sums)) : NULL;
	choosing->part->rows = rows;
	if (!rows->rows || (from->sums && !rows->sums))
		return -ENOMEM;
	for (uint32_t i = 0; i < from->n_rows; i++) {
		if (!is_row_chosen(choosing, &from->rows[i]))
			continue;
		if (from->sums)
			rows->sums[rows->n_rows] = from->sums[i];
		rows->rows[rows->n_rows] = from->rows[i];
		rows->rows[rows->n_rows++].node = choosing->map[from->rows[i].node];
	}
	return 0;
}

/* The tree again, of the rows alone: a thread may enter another cgroup at any time. */
static int count_chosen(struct profile *part)
{
	_cleanup_free_ bool *is_kept = malloc((size_t)part->rows->n_rows + 1);

	if (!is_kept)
		return -ENOMEM;
	memset(is_kept, true, part->rows->n_rows);
	return profile_keep_rows(part, is_kept);
}

static void count_metrics(struct profile *part)
{
	for (uint32_t i = 0; i < part->n_metrics; i++) {
		const struct cct_cost sum = cct_sum(part->cct, i);

		part->metrics[i].samples = sum.samples;
		part->metrics[i].total = sum.weight;
	}
}

static int choose(struct choosing *choosing)
{
	int err = copy_tree(choosing);

	if (!err && choosing->from->rows)
		err = copy_rows(choosing);
	if (!err && choosing->by_cgroup)
		err = choosing->from->rows ? count_chosen(choosing->part) : -ENOENT;
	return err;
}

/* As rows have it. 0 or -ENOENT. */
static int find_cgroup(const struct profile *profile, const char *path, uint32_t *cgroup_ret)
{
	const uint32_t id = string_ids_find(&profile->cgroups, path);

	*cgroup_ret = id == STRING_IDS_NONE ? 0 : id + 1;
	return *cgroup_ret || strcmp(path, UNKNOWN_CGROUP) == 0 ? 0 : -ENOENT;
}

static int fill(struct profile *part, const struct profile *from, const struct task_choice *choice)
{
	_cleanup_free_ bool *is_chosen = find_chosen(choice, from);
	_cleanup_free_ uint32_t *map = calloc(from->cct->n_nodes, sizeof(*map));
	struct choosing choosing = { .from = from, .part = part, .by_cgroup = choice->cgroup };

	part->metrics = calloc((size_t)from->n_metrics + 1, sizeof(*part->metrics));
	part->cct = cct_create_like(from->cct);
	if (!is_chosen || !map || !part->metrics || !part->cct)
		return -ENOMEM;
	choosing.is_chosen = is_chosen;
	choosing.map = map;
	memcpy(part->metrics, from->metrics, from->n_metrics * sizeof(*part->metrics));
	int err = choice->cgroup ? find_cgroup(from, choice->cgroup, &choosing.cgroup) : 0;
	if (!err)
		err = choose(&choosing);
	if (err)
		return err;
	count_metrics(part);
	return part->cct->n_nodes > 1 ? 0 : -ENOENT;
}

int profile_part_create(const struct profile *profile, const struct task_choice *choice,
			struct profile **part_ret)
{
	struct profile *part = malloc(sizeof(*part));

	if (!part)
		return -ENOMEM;
	*part = *profile;
	part->cct = NULL;
	part->metrics = NULL;
	part->rows = NULL;
	int err = fill(part, profile, choice);
	if (err)
		profile_part_destroy(part);
	else
		*part_ret = part;
	return err;
}

void profile_part_destroy(struct profile *part)
{
	if (!part)
		return;
	if (part->rows) {
		free(part->rows->rows);
		free(part->rows->sums);
	}
	free(part->rows);
	free(part->metrics);
	cct_destroy(part->cct);
	free(part);
}
