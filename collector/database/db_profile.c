#include "collector/database/db_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/model/row_slices.h"

struct making {
	struct db_answers *answers;
	struct profile *profile;
	struct db_lacks *lacks;
	uint32_t *modules;     /* [module]: its id in the profile */
	uint32_t *runs;        /* [host]: the run's index */
	uint32_t *tasks;       /* [process] */
	struct pair_map nodes; /* (stack, process) -> where such a path ends */
	/* (host, metric) -> event, for the scale of its weights. */
	struct pair_map events;
	struct frame *path; /* room for one */
	size_t n_path_allocated;
};

static void making_deinit(struct making *making)
{
	profile_destroy(making->profile);
	free(making->modules);
	free(making->runs);
	free(making->tasks);
	free(making->path);
	pair_map_deinit(&making->nodes);
	pair_map_deinit(&making->events);
}

/* 0 or -ENOMEM. */
static int start(struct making *making)
{
	const struct db_answers *answers = making->answers;
	struct profile *profile = making->profile = profile_create();

	making->modules = calloc((size_t)answers->n_modules + 1, sizeof(*making->modules));
	making->runs = calloc((size_t)answers->hosts.n_strings + 1, sizeof(*making->runs));
	making->tasks = calloc((size_t)answers->processes.n_strings + 1, sizeof(*making->tasks));
	if (!profile || !making->modules || !making->runs || !making->tasks)
		return -ENOMEM;
	profile->cct = cct_create(0);
	profile->rows = calloc(1, sizeof(*profile->rows));
	profile->names =
		making->answers->names ? steal_ptr(making->answers->names) : stored_names_create();
	return profile->cct && profile->rows && profile->names ? 0 : -ENOMEM;
}

/* -- modules and names ---------------------------------------------------------------------- */

static int add_modules(struct making *making)
{
	static const struct module_key unknown = { .kind = MODULE_ELF, .path = "[unknown]" };

	for (uint32_t i = 0; i < making->answers->n_modules; i++) {
		const struct db_module *module = &making->answers->modules[i];

		making->lacks->n_modules += !module->is_known;
		if (module->is_text)
			continue;
		making->modules[i] = module_table_add(&making->profile->modules,
						      module->is_known ? &module->key : &unknown);
		if (!making->modules[i])
			return -ENOMEM;
	}
	return 0;
}

/* Two modules of the database may be one here, whose code has then two names: the first stays. */
static int rename_modules(struct making *making)
{
	struct stored_names *names = making->profile->names;
	const uint32_t n = names->n_codes;
	int err = 0;

	pair_map_deinit(&names->codes_by_offset);
	names->codes_by_offset = (struct pair_map){ 0 };
	names->n_codes = 0;
	for (uint32_t i = 0; i < n && !err; i++) {
		struct stored_code code = names->codes[i];

		code.module = making->modules[code.module - 1];
		err = code.module ? stored_names_add_code(names, &code) : 0;
		if (err == -EEXIST)
			err = 0;
	}
	return err;
}

/* -- events and runs ------------------------------------------------------------------------ */

static void add_to_metric(struct metric *metric, const struct db_event *event, bool is_first)
{
	metric->lost += event->lost;
	metric->counted += event->counted;
	metric->time_enabled_ns += event->enabled_ns;
	metric->time_running_ns += event->running_ns;
	metric->has_counted = (is_first || metric->has_counted) && event->flags_of_all & DB_COUNTED;
	metric->is_waits = (is_first || metric->is_waits) && event->flags_of_all & DB_WAITS;
	metric->takes_all = (is_first || metric->takes_all) && event->flags_of_all & DB_TAKES_ALL;
}

static const char *unit_of(const struct db_answers *answers, uint32_t metric)
{
	for (uint32_t i = 0; i < answers->n_events; i++) {
		if (answers->events[i].metric == metric)
			return answers->units.strings[answers->events[i].unit];
	}
	return "events";
}

static int add_metrics(struct making *making)
{
	const struct db_answers *answers = making->answers;
	struct profile *profile = making->profile;
	const uint32_t n = answers->metrics.n_strings;
	_cleanup_free_ bool *is_known = calloc((size_t)n + 1, sizeof(*is_known));

	if (!is_known)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		if (profile_add_metric(profile, answers->metrics.strings[i], unit_of(answers, i)) ==
		    UINT32_MAX)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < answers->n_events; i++) {
		const struct db_event *event = &answers->events[i];

		add_to_metric(&profile->metrics[event->metric], event, !is_known[event->metric]);
		is_known[event->metric] = true;
		making->lacks->has_estimates |= event->flags_of_any & DB_SCALED;
		if (pair_map_find(&making->events, event->host, event->metric) == PAIR_MAP_NONE &&
		    pair_map_add(&making->events, event->host, event->metric, i))
			return -ENOMEM;
	}
	/* Weights are scaled by the time, which must not happen again. */
	for (uint32_t i = 0; i < n; i++) {
		if (metric_can_be_scaled(&profile->metrics[i]))
			profile->metrics[i].time_enabled_ns = profile->metrics[i].time_running_ns =
				0;
	}
	return cct_widen(profile->cct, profile->n_metrics);
}

static int add_run(struct making *making, uint32_t host, const struct db_run *of)
{
	struct sample_rows *rows = making->profile->rows;
	const char *name = making->answers->hosts.strings[host];
	struct sample_run run = { .has_date = true };

	if (array_reserve_one(rows->runs, rows->n_runs))
		return -ENOMEM;
	run.times = calloc((size_t)making->profile->n_metrics + 1, sizeof(*run.times));
	run.hostname = *name ? strdup(name) : NULL;
	run.start_ns = of ? of->start_ns : 0;
	run.end_ns = of ? of->end_ns : 0;
	rows->runs[rows->n_runs] = run;
	making->runs[host] = rows->n_runs++;
	return run.times && (run.hostname || !*name) ? 0 : -ENOMEM;
}

/* Each host that has samples or windows. */
static int add_runs(struct making *making)
{
	const struct db_answers *answers = making->answers;
	struct profile_info *info = &making->profile->info;
	const uint32_t n = answers->hosts.n_strings;
	_cleanup_free_ const struct db_run **of = calloc((size_t)n + 1, sizeof(*of));
	int err = of ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < answers->n_runs; i++) {
		const struct db_run *run = &answers->runs[i];

		of[run->host] = run;
		if (!info->start_ns || run->start_ns < info->start_ns)
			info->start_ns = run->start_ns;
		if (run->end_ns > info->end_ns)
			info->end_ns = run->end_ns;
	}
	for (uint32_t i = 0; !err && i < n; i++)
		err = add_run(making, i, of[i]);
	info->has_date = true;
	return err;
}

/* -- paths ---------------------------------------------------------------------------------- */

static int add_processes(struct making *making)
{
	const struct string_ids *processes = &making->answers->processes;
	struct profile *profile = making->profile;

	for (uint32_t i = 0; i < processes->n_strings; i++) {
		const char *name = processes->strings[i];
		const struct row_task task = { .thread = i, .pid = -1, .tid = -1 };

		if (profile_add_process(profile, -1, name) == UINT32_MAX ||
		    profile_add_thread(profile, -1, i, name) == UINT32_MAX ||
		    sample_rows_enter_task(profile->rows, &task, name, name, &making->tasks[i]))
			return -ENOMEM;
	}
	return 0;
}

/* Of the profile: its texts and modules have other numbers. 0 or -ENOMEM. */
static int translate(struct making *making, struct frame *frame)
{
	struct profile *profile = making->profile;
	const struct db_module *module =
		frame->module ? &making->answers->modules[frame->module - 1] : NULL;
	const char *text = module && module->is_text ? module->key.path : "[unknown]";
	uint32_t id, split;
	bool is_new;

	if (frame->kind == FRAME_WAKER || frame->kind == FRAME_VALUE) {
		if (string_ids_add(frame->kind == FRAME_WAKER ? &profile->wakers : &profile->values,
				   text, &id, &is_new))
			return -ENOMEM;
		/* Of which variables they are values, the database does not know. */
		if (frame->kind == FRAME_VALUE &&
		    string_ids_add(&profile->splits, "[unknown]", &split, &is_new))
			return -ENOMEM;
		*frame = frame->kind == FRAME_WAKER ? frame_waker(id) : frame_value(id);
		return 0;
	}
	if (module && module->is_text) { /* code in a text */
		*frame = frame_marker(MARKER_NO_MODULE);
		return 0;
	}
	if (module)
		frame->module = making->modules[frame->module - 1];
	return 0;
}

/* Where the path of a stack ends in a process; CCT_NONE: no memory. */
static uint32_t enter_path(struct making *making, uint32_t process, const struct db_stack *stack)
{
	static const struct frame unknown = { .offset = MARKER_NO_STACK, .kind = FRAME_MARKER };
	const struct frame tasks[] = {
		{ .kind = FRAME_PROCESS, .offset = process },
		{ .kind = FRAME_THREAD, .offset = process },
	};
	struct cct *cct = making->profile->cct;

	if (array_reserve(making->path, 0, making->n_path_allocated, (size_t)stack->n + 1))
		return CCT_NONE;
	for (uint32_t i = 0; i < stack->n; i++) {
		making->path[i] = making->answers->frames[stack->first + i];
		if (translate(making, &making->path[i]))
			return CCT_NONE;
	}
	uint32_t node = cct_insert_path(cct, CCT_ROOT, tasks, 2);
	if (node == CCT_NONE)
		return CCT_NONE;
	return stack->is_known ? cct_insert_path(cct, node, making->path, stack->n)
			       : cct_insert_path(cct, node, &unknown, 1);
}

static uint32_t find_node(struct making *making, const struct db_cost *cost)
{
	uint32_t node = pair_map_find(&making->nodes, cost->stack, cost->process);

	if (node != PAIR_MAP_NONE)
		return node;
	node = enter_path(making, cost->process, &making->answers->stacks[cost->stack]);
	if (node != CCT_NONE && pair_map_add(&making->nodes, cost->stack, cost->process, node))
		return CCT_NONE;
	return node;
}

/* -- rows ----------------------------------------------------------------------------------- */

/* Weights are scaled by the time for which an event had a counter; squares are not. */
static double scaled_squares(const struct making *making, const struct db_cost *cost)
{
	const uint32_t i = pair_map_find(&making->events, cost->host, cost->metric);
	const struct db_event *event = i == PAIR_MAP_NONE ? NULL : &making->answers->events[i];

	if (!event || !(event->flags_of_any & DB_SCALED) || !event->running_ns)
		return cost->squares;
	const double by = (double)event->enabled_ns / (double)event->running_ns;
	return cost->squares * by * by;
}

static unsigned __int128 whole_squares(double squares)
{
	const double limit = 0x1p127;

	return (unsigned __int128)(squares < limit ? squares : limit);
}

static void add_row(struct making *making, uint32_t i, const struct db_cost *cost, uint32_t node)
{
	const struct db_stack *stack = &making->answers->stacks[cost->stack];
	struct sample_rows *rows = making->profile->rows;
	struct metric *metric = &making->profile->metrics[cost->metric];

	rows->rows[i] = (struct sample_row){
		.weight = cost->weight,
		.run = making->runs[cost->host],
		.node = node,
		.task = making->tasks[cost->process],
		.cpu = UINT32_MAX,
		.metric = (uint16_t)cost->metric,
		.end = stack->is_known ? stack->end : ROW_INCOMPLETE + MARKER_NO_STACK,
		.marks = stack->marks,
	};
	rows->sums[i] = (struct row_sum){
		.squares = whole_squares(scaled_squares(making, cost)),
		.samples = cost->samples,
		.longest = cost->samples ? cost->weight / cost->samples : 0,
	};
	if (!stack->is_known)
		making->lacks->n_samples += cost->samples;
	metric->samples += cost->samples;
	metric->total += cost->weight;
}

static int add_rows(struct making *making)
{
	const struct db_answers *answers = making->answers;
	struct profile *profile = making->profile;
	struct sample_rows *rows = profile->rows;
	int err = 0;

	rows->rows = calloc((size_t)answers->n_costs + 1, sizeof(*rows->rows));
	rows->sums = calloc((size_t)answers->n_costs + 1, sizeof(*rows->sums));
	if (!rows->rows || !rows->sums)
		return -ENOMEM;
	rows->n_rows_allocated = rows->n_rows = answers->n_costs;
	rows->slice_shift = ROW_SLICE_SHIFT_MAX;
	for (uint32_t i = 0; i < answers->n_costs; i++) {
		const uint32_t node = find_node(making, &answers->costs[i]);

		if (node == CCT_NONE)
			return -ENOMEM;
		add_row(making, i, &answers->costs[i], node);
	}
	err = row_slices_sort(rows);
	for (uint32_t i = 0; i < rows->n_rows && !err; i++)
		err = sample_rows_count(rows, i, profile->cct, &profile->quality);
	return err;
}

/* -- all ------------------------------------------------------------------------------------ */

/*
 * Of counters about the recording, those of the windows, in which there are other samples, too.
 * Those of paths are made of the paths, which do not say all; if the windows' samples are the
 * profile's, the windows' counters do.
 */
static void finish_quality(struct making *making)
{
	const struct profile_quality *windows = &making->answers->quality;
	struct profile_quality *quality = &making->profile->quality, paths = *quality;
	uint64_t n = 0;

	for (uint32_t i = 0; i < making->profile->n_metrics; i++)
		n += making->profile->metrics[i].samples;
	making->lacks->is_part = n != windows->counts[QUALITY_SAMPLES];
	*quality = *windows;
	quality->counts[QUALITY_SAMPLES] = n;
	if (!making->lacks->is_part)
		return;
	memcpy(quality->incomplete, paths.incomplete, sizeof(paths.incomplete));
	for (int i = QUALITY_COMPLETE; i <= QUALITY_FLAT; i++)
		quality->counts[i] = paths.counts[i];
	for (int mark = 0; mark < N_PATH_MARKS; mark++) {
		const enum quality_counter counter = quality_of_mark((enum path_mark)mark);

		quality->counts[counter] = paths.counts[counter];
	}
	quality->counts[QUALITY_FOLDED] = paths.counts[QUALITY_FOLDED];
	quality->counts[QUALITY_GUESSED_FRAMES] = quality->counts[QUALITY_UNWEIGHED] = 0;
}

static int set_info(struct making *making)
{
	const struct db_answers *answers = making->answers;
	struct profile_info *info = &making->profile->info;
	info->n_cpus = answers->n_cpus;
	info->os_release = answers->kernel ? strdup(answers->kernel) : NULL;
	info->arch = answers->arch ? strdup(answers->arch) : NULL;
	info->cpu = answers->cpu ? strdup(answers->cpu) : NULL;
	return profile_set_string(&info->hostname, answers->host);
}

static int make(struct making *making)
{
	int err = start(making);

	if (!err)
		err = add_modules(making);
	if (!err)
		err = rename_modules(making);
	if (!err)
		err = add_metrics(making);
	if (!err)
		err = add_runs(making);
	if (!err)
		err = add_processes(making);
	if (!err)
		err = add_rows(making);
	if (!err)
		err = set_info(making);
	if (!err)
		finish_quality(making);
	return err;
}

int db_profile_make(struct db_answers *answers, struct profile **profile_ret,
		    struct db_lacks *lacks_ret)
{
	struct db_lacks lacks = { 0 };
	struct making making = { .answers = answers, .lacks = &lacks };
	const int err = make(&making);

	if (!err) {
		*profile_ret = steal_ptr(making.profile);
		*lacks_ret = lacks;
	}
	making_deinit(&making);
	return err;
}
