/* What reads a profile that is open: everything is there already. */
#include "collector/library/library_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

static_assert((int)DENDRO_NODE_GUESSED == 1 << PATH_GUESSED &&
		      (int)DENDRO_NODE_STITCHED == 1 << PATH_STITCHED &&
		      (int)DENDRO_NODE_JOINED == 1 << PATH_JOINED,
	      "marks are passed on as they are");

int library_profile_note(struct dendro_profile *profile, const char *sentence)
{
	char *copy = arena_copy_text(&profile->arena, sentence, strlen(sentence));

	if (!copy || array_reserve_one(profile->notes, profile->n_notes))
		return -ENOMEM;
	profile->notes[profile->n_notes++] = copy;
	return 0;
}

void dendro_profile_close(struct dendro_profile *profile)
{
	if (!profile)
		return;
	node_children_deinit(&profile->children);
	free(profile->folded);
	free(profile->notes);
	fold_destroy(profile->fold);
	symbolizer_destroy(profile->symbolizer);
	profile_destroy(profile->profile);
	file_search_destroy(profile->files);
	arena_deinit(&profile->arena);
	free(profile);
}

const char *dendro_version(void)
{
	return DENDRO_VERSION;
}

void dendro_free(void *sentence)
{
	free(sentence);
}

const struct dendro_info *dendro_profile_info(const struct dendro_profile *profile)
{
	return &profile->info;
}

size_t dendro_profile_n_notes(const struct dendro_profile *profile)
{
	return profile->n_notes;
}

const char *dendro_profile_note(const struct dendro_profile *profile, size_t note)
{
	return note < profile->n_notes ? profile->notes[note] : NULL;
}

size_t dendro_profile_n_counters(const struct dendro_profile *profile)
{
	return profile->n_counters;
}

const struct dendro_counter *dendro_profile_counter(const struct dendro_profile *profile,
						    size_t counter)
{
	return counter < profile->n_counters ? &profile->counters[counter] : NULL;
}

size_t dendro_profile_n_missing(const struct dendro_profile *profile)
{
	return profile->n_missing;
}

const struct dendro_missing *dendro_profile_missing(const struct dendro_profile *profile,
						    size_t missing)
{
	return missing < profile->n_missing ? &profile->missing[missing] : NULL;
}

uint32_t dendro_profile_n_metrics(const struct dendro_profile *profile)
{
	return profile->profile->n_metrics;
}

const struct dendro_metric *dendro_profile_metric(const struct dendro_profile *profile,
						  uint32_t metric)
{
	return metric < profile->profile->n_metrics ? &profile->metrics[metric] : NULL;
}

uint32_t dendro_profile_n_processes(const struct dendro_profile *profile)
{
	return profile->profile->n_processes;
}

const struct dendro_process *dendro_profile_process(const struct dendro_profile *profile,
						    uint32_t process)
{
	return process < profile->profile->n_processes ? &profile->processes[process] : NULL;
}

uint32_t dendro_profile_n_threads(const struct dendro_profile *profile)
{
	return profile->profile->n_threads;
}

const struct dendro_thread *dendro_profile_thread(const struct dendro_profile *profile,
						  uint32_t thread)
{
	return thread < profile->profile->n_threads ? &profile->threads[thread] : NULL;
}

const uint64_t *dendro_process_total(const struct dendro_profile *profile)
{
	return profile->process_total;
}

const uint64_t *dendro_thread_total(const struct dendro_profile *profile)
{
	return profile->thread_total;
}

uint32_t dendro_profile_n_frames(const struct dendro_profile *profile)
{
	return profile->fold->n_entities;
}

const struct dendro_frame *dendro_profile_frame(const struct dendro_profile *profile,
						uint32_t frame)
{
	return frame < profile->fold->n_entities ? &profile->frames[frame] : NULL;
}

const uint64_t *dendro_frame_self(const struct dendro_profile *profile)
{
	return profile->frame_self;
}

const uint64_t *dendro_frame_total(const struct dendro_profile *profile)
{
	return profile->frame_total;
}

uint32_t dendro_profile_n_nodes(const struct dendro_profile *profile)
{
	return profile->fold->n_nodes;
}

const uint32_t *dendro_node_parents(const struct dendro_profile *profile)
{
	return profile->parents;
}

const uint32_t *dendro_node_frames(const struct dendro_profile *profile)
{
	return profile->node_frames;
}

/* The root is nobody's child, so 0 ends the lists. */
static uint32_t node_or_none(const struct dendro_profile *profile, const uint32_t *list,
			     uint32_t node)
{
	return node < profile->fold->n_nodes && list[node] ? list[node] : DENDRO_NONE;
}

uint32_t dendro_node_first_child(const struct dendro_profile *profile, uint32_t node)
{
	return node_or_none(profile, profile->children.first, node);
}

uint32_t dendro_node_next_sibling(const struct dendro_profile *profile, uint32_t node)
{
	return node_or_none(profile, profile->children.next, node);
}

const uint64_t *dendro_node_self(const struct dendro_profile *profile)
{
	return profile->fold->self;
}

const uint64_t *dendro_node_total(const struct dendro_profile *profile)
{
	return profile->fold->total;
}

const uint64_t *dendro_node_self_samples(const struct dendro_profile *profile)
{
	return profile->fold->self_samples;
}

const uint64_t *dendro_node_samples(const struct dendro_profile *profile)
{
	return profile->fold->samples;
}

unsigned dendro_node_marks(const struct dendro_profile *profile, uint32_t node)
{
	return node < profile->fold->n_nodes ? profile->fold->details[node].frame_marks : 0;
}

uint32_t dendro_node_call(const struct dendro_profile *profile, uint32_t node, const char **file)
{
	const struct fold_detail *of =
		node < profile->fold->n_nodes ? &profile->fold->details[node] : NULL;

	*file = of && of->call_line ? of->call_file : NULL;
	return of ? of->call_line : 0;
}

int dendro_profile_has_samples(const struct dendro_profile *profile)
{
	return profile->profile->rows != NULL;
}

uint32_t dendro_profile_n_samples(const struct dendro_profile *profile)
{
	return profile->profile->rows ? profile->profile->rows->n_rows : 0;
}

static uint64_t time_of(const struct profile *profile, const struct sample_row *row)
{
	const uint64_t start_ns = profile_run_span(profile, row->run).start_ns;

	if (!start_ns)
		return DENDRO_NO_TIME;
	return profile_since_start(profile, row->run, start_ns + row->time * 1000);
}

static struct dendro_sample sample_of(const struct dendro_profile *profile, uint32_t i)
{
	const struct profile *of = profile->profile;
	const struct sample_rows *rows = of->rows;
	const struct sample_row *row = &rows->rows[i];
	const struct row_task *task = &rows->tasks[row->task];

	return (struct dendro_sample){
		.time_ns = time_of(of, row),
		.weight = row->weight,
		.samples = sample_rows_samples_of(rows, i),
		.metric = row->metric,
		.node = profile->folded[row->node],
		.cpu = row->cpu,
		.thread = task->thread,
		.pid = task->pid,
		.tid = task->tid,
		.thread_name = rows->names.strings[task->thread_name],
		.process_name = rows->names.strings[task->process_name],
		.cgroup = row->cgroup && row->cgroup <= of->cgroups.n_strings
				  ? of->cgroups.strings[row->cgroup - 1]
				  : NULL,
	};
}

/* A program that was compiled with an earlier header has smaller elements. */
uint32_t dendro_profile_read_samples(const struct dendro_profile *profile, uint32_t first,
				     uint32_t n, struct dendro_sample *samples, size_t sample_size)
{
	const uint32_t n_rows = dendro_profile_n_samples(profile);
	const uint32_t n_read = first >= n_rows ? 0 : n < n_rows - first ? n : n_rows - first;
	char *to = (char *)samples;

	for (uint32_t i = 0; i < n_read; i++, to += sample_size) {
		const struct dendro_sample sample = sample_of(profile, first + i);

		memcpy(to, &sample, sample_size < sizeof(sample) ? sample_size : sizeof(sample));
	}
	return n_read;
}
