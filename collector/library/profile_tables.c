#include "collector/library/profile_tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "report/findings/missing.h"
#include "report/fold/outer_nodes.h"
#include "report/views/view_rows.h"

static void *allocate(struct dendro_profile *profile, size_t n, size_t size)
{
	return arena_alloc(&profile->arena, (n + 1) * size);
}

/* Costs of @n things. */
static uint64_t *allocate_costs(struct dendro_profile *profile, size_t n)
{
	return allocate(profile, n * profile->profile->n_metrics, sizeof(uint64_t));
}

static void add_costs(uint64_t *to, const uint64_t *from, uint32_t n_metrics)
{
	for (uint32_t i = 0; i < n_metrics; i++)
		to[i] += from[i];
}

static void fill_info(struct dendro_profile *profile)
{
	const struct profile_info *info = &profile->profile->info;

	profile->info = (struct dendro_info){
		.command_line = info->command_line,
		.hostname = info->hostname,
		.os_release = info->os_release,
		.arch = info->arch,
		.cpu = info->cpu,
		.tool_version = info->tool_version,
		.n_cpus = info->n_cpus,
		.duration_ns = info->end_ns - info->start_ns,
		.start_unix_ns = info->has_date ? info->start_ns + info->unix_offset_ns : 0,
	};
}

static int fill_metrics(struct dendro_profile *profile)
{
	const uint32_t n = profile->profile->n_metrics;

	profile->metrics = allocate(profile, n, sizeof(*profile->metrics));
	for (uint32_t i = 0; i < n && profile->metrics; i++) {
		const struct metric *metric = &profile->profile->metrics[i];

		profile->metrics[i] = (struct dendro_metric){
			.name = metric->name,
			.unit = metric->unit,
			.samples = metric->samples,
			.total = metric->total,
			.lost = metric->lost,
			.scale = metric->is_scaled && metric->time_running_ns
					 ? (double)metric->time_enabled_ns /
						   (double)metric->time_running_ns
					 : 1,
		};
	}
	return profile->metrics ? 0 : -ENOMEM;
}

static int fill_processes(struct dendro_profile *profile)
{
	const struct profile *from = profile->profile;

	profile->processes = allocate(profile, from->n_processes, sizeof(*profile->processes));
	profile->threads = allocate(profile, from->n_threads, sizeof(*profile->threads));
	if (!profile->processes || !profile->threads)
		return -ENOMEM;
	for (uint32_t i = 0; i < from->n_processes; i++)
		profile->processes[i] = (struct dendro_process){
			.pid = from->processes[i].pid,
			.name = from->processes[i].name,
		};
	for (uint32_t i = 0; i < from->n_threads; i++)
		profile->threads[i] = (struct dendro_thread){
			.tid = from->threads[i].tid,
			.process = from->threads[i].process < from->n_processes
					   ? from->threads[i].process
					   : DENDRO_NONE,
			.name = from->threads[i].name,
		};
	return 0;
}

/* Where the cost of a node belongs: to its own process or thread, or to its parent's. */
static uint64_t *owner_of(const struct frame *frame, enum frame_kind kind, uint64_t *costs,
			  uint32_t n, uint32_t n_metrics, uint64_t *parents)
{
	if (frame->kind != kind)
		return parents;
	return frame->offset < n ? costs + frame->offset * n_metrics : NULL;
}

static int add_up_tasks(struct dendro_profile *profile)
{
	const struct profile *from = profile->profile;
	const struct cct *cct = from->cct;
	const uint32_t n_metrics = from->n_metrics;
	_cleanup_free_ uint64_t **processes = calloc(cct->n_nodes, sizeof(*processes));
	_cleanup_free_ uint64_t **threads = calloc(cct->n_nodes, sizeof(*threads));

	profile->process_total = allocate_costs(profile, from->n_processes);
	profile->thread_total = allocate_costs(profile, from->n_threads);
	if (!processes || !threads || !profile->process_total || !profile->thread_total)
		return -ENOMEM;
	for (uint32_t i = 1; i < cct->n_nodes; i++) {
		const uint32_t parent = cct->nodes[i].parent;
		const struct frame *frame = cct_frame(cct, i);

		processes[i] = owner_of(frame, FRAME_PROCESS, profile->process_total,
					from->n_processes, n_metrics, processes[parent]);
		threads[i] = owner_of(frame, FRAME_THREAD, profile->thread_total, from->n_threads,
				      n_metrics, threads[parent]);
		for (uint32_t metric = 0; metric < n_metrics; metric++) {
			const uint64_t weight = cct_cost(cct, i, metric)->weight;

			if (processes[i])
				processes[i][metric] += weight;
			if (threads[i])
				threads[i][metric] += weight;
		}
	}
	return 0;
}

static int fill_build_ids(struct dendro_profile *profile)
{
	const struct module_table *modules = &profile->profile->modules;
	char text[BUILD_ID_TEXT_SIZE];

	profile->build_ids = allocate(profile, modules->n_modules, sizeof(*profile->build_ids));
	if (!profile->build_ids)
		return -ENOMEM;
	for (uint32_t id = 1; id < modules->n_modules; id++) {
		const struct build_id *build_id = &modules->modules[id]->key.build_id;

		if (!build_id->size)
			continue;
		build_id_format(build_id, text);
		profile->build_ids[id] = arena_copy_text(&profile->arena, text, strlen(text));
		if (!profile->build_ids[id])
			return -ENOMEM;
	}
	return 0;
}

static enum dendro_frame_kind kind_of(const struct fold_entity *entity)
{
	switch (view_entity_kind(entity)) {
	case ROW_ROOT:
		return DENDRO_FRAME_ROOT;
	case ROW_PROCESS:
		return DENDRO_FRAME_PROCESS;
	case ROW_THREAD:
		return DENDRO_FRAME_THREAD;
	case ROW_USER:
		return DENDRO_FRAME_USER;
	case ROW_INLINE:
		return DENDRO_FRAME_INLINED;
	case ROW_KERNEL:
		return DENDRO_FRAME_KERNEL;
	default:
		return DENDRO_FRAME_MARKER;
	}
}

static int fill_frames(struct dendro_profile *profile)
{
	const struct fold *fold = profile->fold;

	profile->frames = allocate(profile, fold->n_entities, sizeof(*profile->frames));
	for (uint32_t i = 0; i < fold->n_entities && profile->frames; i++) {
		const struct fold_entity *entity = &fold->entities[i];
		const struct module *module =
			module_table_get(&profile->profile->modules, entity->module_id);

		profile->frames[i] = (struct dendro_frame){
			.kind = kind_of(entity),
			.name = entity->name,
			.symbol = entity->symbol,
			.module = entity->module,
			.module_path = module ? module->key.path : NULL,
			.build_id = module ? profile->build_ids[module->id] : NULL,
			.file = entity->file,
			.line = entity->line,
			.id = entity->id,
		};
	}
	return profile->frames ? 0 : -ENOMEM;
}

static int add_up_frames(struct dendro_profile *profile)
{
	const struct fold *fold = profile->fold;
	const uint32_t n = fold->n_metrics;
	_cleanup_free_ uint32_t *groups = calloc(fold->n_entities + 1ul, sizeof(*groups));

	profile->frame_self = allocate_costs(profile, fold->n_entities);
	profile->frame_total = allocate_costs(profile, fold->n_entities);
	if (!groups || !profile->frame_self || !profile->frame_total ||
	    fold_group_entities(fold, FOLD_BY_ENTITY, groups))
		return -ENOMEM;
	_cleanup_free_ uint32_t *outer = outer_nodes_find(fold, groups);
	if (!outer)
		return -ENOMEM;
	for (uint32_t i = 0; i < fold->n_nodes; i++) {
		const size_t from = (size_t)i * n, to = (size_t)fold->nodes[i].entity * n;

		add_costs(&profile->frame_self[to], &fold->self[from], n);
		if (!outer[i])
			add_costs(&profile->frame_total[to], &fold->total[from], n);
	}
	return 0;
}

static int fill_nodes(struct dendro_profile *profile)
{
	const struct fold *fold = profile->fold;

	profile->parents = allocate(profile, fold->n_nodes, sizeof(*profile->parents));
	profile->node_frames = allocate(profile, fold->n_nodes, sizeof(*profile->node_frames));
	if (!profile->parents || !profile->node_frames)
		return -ENOMEM;
	for (uint32_t i = 0; i < fold->n_nodes; i++) {
		profile->parents[i] = i ? fold->nodes[i].parent : DENDRO_NONE;
		profile->node_frames[i] = fold->nodes[i].entity;
	}
	return node_children_init(&profile->children, fold);
}

/* @section: what its name begins with, and a point; "": nothing. */
static int add_counter(struct dendro_profile *profile, const char *section, const char *name,
		       uint64_t value)
{
	char text[128];
	const int size = snprintf(text, sizeof(text), "%s%s", section, name);
	struct dendro_counter *counter = &profile->counters[profile->n_counters];

	counter->name = arena_copy_text(&profile->arena, text, (size_t)size);
	counter->value = value;
	profile->n_counters++;
	return counter->name ? 0 : -ENOMEM;
}

static int fill_counters(struct dendro_profile *profile)
{
	static const char *const sections[] = {
		[QUALITY_TOP] = "",
		[QUALITY_UNWIND] = "unwind.",
		[QUALITY_OFF_CPU] = "off_cpu.",
		[QUALITY_JITDUMPS] = "jitdumps.",
		[QUALITY_HIDDEN] = "",
		[QUALITY_RESTS] = "",
	};
	const struct profile_quality *quality = &profile->profile->quality;
	int err = 0;

	profile->counters =
		allocate(profile, N_QUALITY_COUNTERS + N_MARKERS, sizeof(*profile->counters));
	if (!profile->counters)
		return -ENOMEM;
	for (int i = 0; i < N_QUALITY_COUNTERS && !err; i++) {
		const struct quality_description *of = quality_describe((enum quality_counter)i);

		err = add_counter(profile, sections[of->section], of->name,
				  i == QUALITY_SAMPLES ? quality_n_used(quality)
						       : quality->counts[i]);
	}
	for (int marker = 0; marker < N_MARKERS && !err; marker++) {
		if (marker_is_reason((enum marker)marker))
			err = add_counter(profile, sections[QUALITY_UNWIND],
					  marker_name((enum marker)marker),
					  quality->incomplete[marker]);
	}
	return err;
}

static int fill_missing(struct dendro_profile *profile)
{
	struct missing_list list;
	int err = missing_list_init(&list, profile->profile, profile->symbolizer, 0);

	if (err)
		return err;
	profile->missing = allocate(profile, list.n, sizeof(*profile->missing));
	for (size_t i = 0; i < list.n && profile->missing; i++) {
		const struct symbol_problem *problem = &list.items[i].problem;
		const struct module *module =
			module_table_get(&profile->profile->modules, problem->module);

		profile->missing[profile->n_missing++] = (struct dendro_missing){
			.module = module_name(module),
			.path = module->key.path,
			.lacks = missing_lack_name(problem->lack),
			.problem = problem->text,
			.build_id = profile->build_ids[problem->module],
		};
	}
	missing_list_deinit(&list);
	return profile->missing ? 0 : -ENOMEM;
}

int profile_tables_fill(struct dendro_profile *profile)
{
	static int (*const fillers[])(struct dendro_profile * profile) = {
		fill_metrics,  fill_processes, add_up_tasks,  fill_build_ids, fill_frames,
		add_up_frames, fill_nodes,     fill_counters, fill_missing,
	};
	int err = 0;

	fill_info(profile);
	for (size_t i = 0; i < sizeof(fillers) / sizeof(*fillers) && !err; i++)
		err = fillers[i](profile);
	return err;
}
