#include "cct/store/row_tasks.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/store/known_texts.h"
#include "cct/store/profile_parts.h"

#define TASK_SIZE_MIN 5 /* bytes */

/* Numbers and names are mostly those of the thread and its process. */
void row_tasks_write(struct byte_buffer *body, const struct profile *profile)
{
	const struct sample_rows *rows = profile->rows;
	struct known_texts known = { .ids = { .n_strings = 0 } };
	int64_t last = 0;

	byte_buffer_add_unsigned(body, rows->n_tasks);
	for (uint32_t i = 0; i < rows->n_tasks; i++) {
		const struct row_task *task = &rows->tasks[i];
		assert(task->thread < profile->n_threads);
		const struct profile_thread *thread = &profile->threads[task->thread];
		const struct profile_process *process = &profile->processes[thread->process];

		byte_buffer_add_signed(body, task->thread - last);
		byte_buffer_add_signed(body, (int64_t)task->pid - process->pid);
		byte_buffer_add_signed(body, (int64_t)task->tid - thread->tid);
		known_texts_write(body, &known, rows->names.strings[task->thread_name],
				  thread->name);
		known_texts_write(body, &known, rows->names.strings[task->process_name],
				  process->name);
		last = task->thread;
	}
	known_texts_deinit(&known);
}

/* Each differs from the one before of its thread. */
static int add_task(const struct profile *profile, const struct row_task *task,
		    const char *thread_name, const char *process_name)
{
	const uint32_t n = profile->rows->n_tasks;
	uint32_t index;
	int err = sample_rows_enter_task(profile->rows, task, thread_name, process_name, &index);

	return err || index == n ? err : -EINVAL;
}

static int read_task(struct dwarf_reader *body, const struct profile *profile,
		     struct known_texts *known, uint32_t *last)
{
	const uint64_t number = *last + (uint64_t)dwarf_read_sleb(body);
	const char *thread_name, *process_name;

	if (number >= profile->n_threads)
		return -EINVAL;
	const struct profile_thread *thread = &profile->threads[number];
	const struct profile_process *process = &profile->processes[thread->process];
	const struct row_task task = {
		.thread = (uint32_t)number,
		.pid = (int32_t)((uint64_t)process->pid + (uint64_t)dwarf_read_sleb(body)),
		.tid = (int32_t)((uint64_t)thread->tid + (uint64_t)dwarf_read_sleb(body)),
	};
	int err = known_texts_read(body, known, thread->name, &thread_name);
	if (!err)
		err = known_texts_read(body, known, process->name, &process_name);
	*last = task.thread;
	return err ? err : add_task(profile, &task, thread_name, process_name);
}

int row_tasks_read(struct dwarf_reader *body, const struct profile *profile)
{
	const int64_t n = part_read_count(body, TASK_SIZE_MIN);
	struct known_texts known = { .ids = { .n_strings = 0 } };
	int err = n < 0 ? -EINVAL : 0;
	uint32_t last = 0;

	for (int64_t i = 0; !err && i < n; i++)
		err = read_task(body, profile, &known, &last);
	known_texts_deinit(&known);
	return err;
}

static int read_whole_task(struct dwarf_reader *body, const struct profile *profile)
{
	_cleanup_free_ char *thread_name = NULL, *process_name = NULL;
	const uint64_t thread = dwarf_read_uleb(body);
	const struct row_task task = {
		.thread = (uint32_t)thread,
		.pid = (int32_t)dwarf_read_sleb(body),
		.tid = (int32_t)dwarf_read_sleb(body),
	};
	int err = part_read_text(body, &thread_name);

	if (!err)
		err = part_read_text(body, &process_name);
	if (err || !thread_name || !process_name || thread >= profile->n_threads)
		return err ? err : -EINVAL;
	return add_task(profile, &task, thread_name, process_name);
}

int row_tasks_read_before_3(struct dwarf_reader *body, const struct profile *profile)
{
	const int64_t n = part_read_count(body, TASK_SIZE_MIN);
	int err = n < 0 ? -EINVAL : 0;

	for (int64_t i = 0; !err && i < n; i++)
		err = read_whole_task(body, profile);
	return err;
}

/* Makes the task at @place, or a new one if that is the end, the newest. */
static void use(struct recent_tasks *recent, unsigned place, uint32_t task)
{
	if (place == recent->n && recent->n < RECENT_TASKS_MAX)
		recent->n++;
	else if (place == recent->n)
		place--;
	memmove(&recent->tasks[1], &recent->tasks[0], place * sizeof(*recent->tasks));
	recent->tasks[0] = task;
}

uint8_t recent_tasks_write(struct recent_tasks *recent, uint32_t task, struct byte_buffer *others)
{
	unsigned place = 0;

	while (place < recent->n && recent->tasks[place] != task)
		place++;
	const bool is_known = place < recent->n;
	use(recent, place, task);
	if (is_known)
		return (uint8_t)place;
	byte_buffer_add_signed(others, (int64_t)task - recent->last_other);
	recent->last_other = task;
	return RECENT_TASKS_MAX;
}

int64_t recent_tasks_read(struct recent_tasks *recent, uint8_t place, struct dwarf_reader *others,
			  uint32_t n_tasks)
{
	uint32_t task;

	if (place < recent->n) {
		task = recent->tasks[place];
	} else {
		const uint64_t other = recent->last_other + (uint64_t)dwarf_read_sleb(others);

		if (place != RECENT_TASKS_MAX || others->is_broken || other >= n_tasks)
			return -1;
		task = recent->last_other = (uint32_t)other;
		place = (uint8_t)recent->n;
	}
	use(recent, place, task);
	return task;
}
