#include "cct/merge/join_processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"

/* The tables as they become. Where what is joined is looked for, a text leads to its number. */
struct joining {
	struct profile *from; /* its tables give up what moves */
	const struct time_span *spans;
	uint64_t *samples;   /* [process] */
	uint64_t n_samples;  /* of all */
	uint64_t *n_joined;  /* [process]: how many its group has; 0: it stays as it is */
	uint32_t *processes; /* [process]: what it becomes */
	uint32_t *threads;   /* [thread]: likewise */
	struct profile_process *new_processes;
	struct profile_thread *new_threads;
	uint32_t n_new_processes, n_new_threads;
};

static int joining_init(struct joining *joining, struct profile *profile,
			const struct time_span *spans)
{
	const size_t n_processes = (size_t)profile->n_processes + 1;
	const size_t n_threads = (size_t)profile->n_threads + 1;

	*joining = (struct joining){
		.from = profile,
		.spans = spans,
		.samples = calloc(n_processes, sizeof(*joining->samples)),
		.n_joined = calloc(n_processes, sizeof(*joining->n_joined)),
		.processes = calloc(n_processes, sizeof(*joining->processes)),
		.threads = calloc(n_threads, sizeof(*joining->threads)),
		.new_processes = calloc(n_processes, sizeof(*joining->new_processes)),
		.new_threads = calloc(n_threads, sizeof(*joining->new_threads)),
	};
	return joining->samples && joining->n_joined && joining->processes && joining->threads &&
			       joining->new_processes && joining->new_threads
		       ? 0
		       : -ENOMEM;
}

static void joining_deinit(struct joining *joining)
{
	free(joining->samples);
	free(joining->n_joined);
	free(joining->processes);
	free(joining->threads);
	free(joining->new_processes);
	free(joining->new_threads);
}

static uint64_t samples_at(const struct cct *cct, uint32_t node)
{
	uint64_t n = 0;

	for (uint32_t metric = 0; metric < cct->n_metrics; metric++)
		n += cct_cost(cct, node, metric)->samples;
	return n;
}

/* 0 or -ENOMEM. */
static int count_samples(struct joining *joining)
{
	const struct cct *cct = joining->from->cct;
	_cleanup_free_ uint32_t *processes = calloc(cct->n_nodes, sizeof(*processes));

	if (!processes)
		return -ENOMEM;
	processes[CCT_ROOT] = UINT32_MAX;
	for (uint32_t node = CCT_ROOT + 1; node < cct->n_nodes; node++) {
		const struct frame *frame = cct_frame(cct, node);
		const uint64_t n = samples_at(cct, node);

		processes[node] = frame->kind == FRAME_PROCESS ? (uint32_t)frame->offset
							       : processes[cct->nodes[node].parent];
		if (processes[node] != UINT32_MAX)
			joining->samples[processes[node]] += n;
		joining->n_samples += n;
	}
	return 0;
}

/* Not the idle tasks (pid 0), nor what stands for unknown processes (-1). */
static bool is_short(const struct joining *joining, uint32_t process)
{
	const struct time_span *span = &joining->spans[process];
	const uint64_t n = joining->samples[process];

	if (joining->from->processes[process].n_joined)
		return true;
	return joining->from->processes[process].pid > 0 && n &&
	       n < joining->n_samples / JOINED_SHARE &&
	       span->end_ns - span->start_ns <= JOINED_SPAN_NS;
}

static int compare_names(const void *a, const void *b, void *context)
{
	const struct profile_process *processes = context;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const int order = strcmp(processes[x].name, processes[y].name);

	return order ? order : (x > y) - (x < y);
}

/* Of short processes of one name. */
static void note_group(struct joining *joining, const uint32_t *group, uint32_t n)
{
	struct profile_process sum = { .n_joined = 0 };

	for (uint32_t i = 0; i < n; i++) {
		const uint64_t n_joined = joining->from->processes[group[i]].n_joined;

		profile_process_add_joined(&sum, n_joined ? n_joined : 1);
	}
	for (uint32_t i = 0; i < n && sum.n_joined > 1; i++)
		joining->n_joined[group[i]] = sum.n_joined;
}

static void find_groups(struct joining *joining, uint32_t *groups)
{
	struct profile_process *processes = joining->from->processes;
	uint32_t n = 0, n_group;

	for (uint32_t i = 0; i < joining->from->n_processes; i++) {
		if (is_short(joining, i))
			groups[n++] = i;
	}
	if (n)
		qsort_r(groups, n, sizeof(*groups), compare_names, processes);
	for (uint32_t first = 0; first < n; first += n_group) {
		n_group = 1;
		while (first + n_group < n && !strcmp(processes[groups[first]].name,
						      processes[groups[first + n_group]].name))
			n_group++;
		note_group(joining, &groups[first], n_group);
		/* They become the one with the lowest number. */
		for (uint32_t i = 0; i < n_group; i++)
			joining->processes[groups[first + i]] = groups[first];
	}
}

/* Moves the process to the new table, or adds it to what it is joined with. */
static void move_process(struct joining *joining, uint32_t index)
{
	struct profile_process *process = &joining->from->processes[index];
	const uint32_t first = joining->processes[index];
	const bool is_joined = joining->n_joined[index];

	if (is_joined)
		epochs_forget(&joining->from->epochs, &process->epochs);
	if (is_joined && first != index) {
		joining->processes[index] = joining->processes[first];
		joining->new_processes[joining->processes[first]].n_mapped += process->n_mapped;
		free(process->name);
		return;
	}
	joining->processes[index] = joining->n_new_processes;
	struct profile_process *moved = &joining->new_processes[joining->n_new_processes++];
	*moved = *process;
	if (is_joined) {
		moved->pid = -1;
		moved->n_joined = joining->n_joined[index];
	}
}

static void join_tables_of_processes(struct joining *joining)
{
	struct profile *profile = joining->from;

	for (uint32_t i = 0; i < profile->n_processes; i++)
		move_process(joining, i);
	free(profile->processes);
	profile->processes = steal_ptr(joining->new_processes);
	profile->n_processes = joining->n_new_processes;
}

/* The number of a joined process's thread, by name. 0 or -ENOMEM. */
static int find_joined_thread(const struct profile_thread *thread, struct string_ids *known,
			      uint32_t *number_ret, bool *is_new_ret)
{
	_cleanup_free_ char *identity = sentence("%u %s", thread->process, thread->name);

	return identity ? string_ids_add(known, identity, number_ret, is_new_ret) : -ENOMEM;
}

/* @joined: the new index of each thread of @known. */
static int move_thread(struct joining *joining, uint32_t index, struct string_ids *known,
		       uint32_t *joined)
{
	struct profile_thread *thread = &joining->from->threads[index];
	bool is_new = true;
	uint32_t number;

	thread->process = joining->processes[thread->process];
	if (joining->from->processes[thread->process].n_joined) {
		if (find_joined_thread(thread, known, &number, &is_new))
			return -ENOMEM;
		thread->tid = -1;
		if (is_new)
			joined[number] = joining->n_new_threads;
	}
	if (!is_new) {
		joining->threads[index] = joined[number];
		free(steal_ptr(thread->name));
		return 0;
	}
	joining->threads[index] = joining->n_new_threads;
	joining->new_threads[joining->n_new_threads++] = *thread;
	thread->name = NULL;
	return 0;
}

/* 0, or -ENOMEM, and the profile has the threads that were not moved. */
static int join_threads(struct joining *joining)
{
	struct profile *profile = joining->from;
	_cleanup_free_ uint32_t *joined = calloc((size_t)profile->n_threads + 1, sizeof(*joined));
	struct string_ids known = { .n_strings = 0 };
	int err = joined ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < profile->n_threads; i++)
		err = move_thread(joining, i, &known, joined);
	string_ids_deinit(&known);
	for (uint32_t i = 0; err && i < joining->n_new_threads; i++)
		free(joining->new_threads[i].name);
	if (err)
		return err;
	free(profile->threads);
	profile->threads = steal_ptr(joining->new_threads);
	profile->n_threads = joining->n_new_threads;
	return 0;
}

/* The number of a joined process's task, by thread and names. 0 or -ENOMEM. */
static int find_joined_task(const struct row_task *task, struct string_ids *known,
			    uint32_t *number_ret, bool *is_new_ret)
{
	_cleanup_free_ char *identity =
		sentence("%u %u %u", task->thread, task->thread_name, task->process_name);

	return identity ? string_ids_add(known, identity, number_ret, is_new_ret) : -ENOMEM;
}

/* Fills @tasks: what each becomes. 0 or -ENOMEM. */
static int join_tasks(const struct joining *joining, uint32_t *tasks)
{
	const struct profile *profile = joining->from;
	struct sample_rows *rows = profile->rows;
	_cleanup_free_ uint32_t *joined = calloc((size_t)rows->n_tasks + 1, sizeof(*joined));
	struct string_ids known = { .n_strings = 0 };
	int err = joined ? 0 : -ENOMEM;
	uint32_t n = 0;

	for (uint32_t i = 0; !err && i < rows->n_tasks; i++) {
		struct row_task task = rows->tasks[i];
		bool is_new = true;
		uint32_t number = 0;

		task.thread = joining->threads[task.thread];
		const uint32_t process = profile->threads[task.thread].process;
		if (profile->processes[process].n_joined) {
			task.pid = task.tid = -1;
			err = find_joined_task(&task, &known, &number, &is_new);
			if (!err && is_new)
				joined[number] = n;
		}
		tasks[i] = is_new ? n : joined[number];
		if (is_new)
			rows->tasks[n++] = task;
	}
	rows->n_tasks = n;
	string_ids_deinit(&known);
	return err;
}

/* The frames of a tree with the new numbers of processes and threads; to free(). NULL: no memory.
 */
static struct frame *map_frames(const struct joining *joining, const struct frame_ids *known)
{
	struct frame *frames = calloc(known->n_frames, sizeof(*frames));

	for (uint32_t i = 0; frames && i < known->n_frames; i++) {
		frames[i] = known->frames[i];
		if (frames[i].kind == FRAME_PROCESS)
			frames[i].offset = joining->processes[frames[i].offset];
		if (frames[i].kind == FRAME_THREAD)
			frames[i].offset = joining->threads[frames[i].offset];
	}
	return frames;
}

static int move_node(const void *from, uint32_t node, const struct frame_numbers *numbers,
		     struct changed_tree *joined)
{
	const struct cct *cct = from;

	return changed_tree_move(joined, cct, node, numbers, cct->nodes[node].frame);
}

/* 0 or -ENOMEM. */
static int make_tree(const struct joining *joining, struct joined_tree *joined)
{
	const struct cct *from = joining->from->cct;
	_cleanup_free_ struct frame *frames = map_frames(joining, &from->frames);

	return frames ? changed_tree_fill(&joined->tree, from, frames, move_node, from) : -ENOMEM;
}

static int join(struct joining *joining, struct joined_tree *joined)
{
	const size_t n = (size_t)joining->from->n_processes + 1;
	_cleanup_free_ uint32_t *groups = calloc(n, sizeof(*groups));
	int err = groups ? count_samples(joining) : -ENOMEM;

	if (!err) {
		find_groups(joining, groups);
		join_tables_of_processes(joining);
		err = join_threads(joining);
	}
	if (!err)
		err = join_tasks(joining, joined->tasks);
	return err ? err : make_tree(joining, joined);
}

int join_processes(struct profile *profile, const struct time_span *spans,
		   struct joined_tree *joined)
{
	struct joining joining;

	*joined = (struct joined_tree){
		.tasks = calloc((size_t)profile->rows->n_tasks + 1, sizeof(*joined->tasks)),
	};
	int err = joining_init(&joining, profile, spans);
	if (changed_tree_init(&joined->tree, profile->cct) || !joined->tasks)
		err = -ENOMEM;
	if (!err)
		err = join(&joining, joined);
	joining_deinit(&joining);
	return err;
}

void joined_tree_deinit(struct joined_tree *joined)
{
	changed_tree_deinit(&joined->tree);
	free(joined->tasks);
}
