#include "collector/database/db_answers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"

#define MODULES_OF_ANSWER_MAX (MODULES_MAX - 2)
#define CALLS_MAX             STORED_CALLS_MAX

void db_answers_deinit(struct db_answers *answers)
{
	string_ids_deinit(&answers->hosts);
	string_ids_deinit(&answers->processes);
	string_ids_deinit(&answers->metrics);
	string_ids_deinit(&answers->units);
	free(answers->costs);
	pair_map_deinit(&answers->stack_ids);
	free(answers->stacks);
	free(answers->frames);
	pair_map_deinit(&answers->module_ids);
	for (uint32_t i = 0; i < answers->n_modules; i++)
		free((char *)answers->modules[i].key.path);
	free(answers->modules);
	stored_names_destroy(answers->names);
	free(answers->runs);
	free(answers->events);
	free(answers->host);
	free(answers->kernel);
	free(answers->arch);
	free(answers->cpu);
}

static int refuse(struct row_binary *rows, const char *wrong)
{
	if (!rows->wrong)
		rows->wrong = wrong;
	return row_binary_err(rows);
}

static uint32_t read_id(struct row_binary *rows, struct string_ids *ids)
{
	const char *text = row_binary_text(rows);
	uint32_t id = 0;
	bool is_new;

	if (string_ids_add(ids, text, &id, &is_new))
		rows->lacks_memory = true;
	return id;
}

/* -- costs ---------------------------------------------------------------------------------- */

static uint32_t read_stack_id(struct db_answers *answers, struct row_binary *rows)
{
	const uint64_t low = row_binary_u64(rows), high = row_binary_u64(rows);
	uint32_t id = pair_map_find(&answers->stack_ids, low, high);

	if (id != PAIR_MAP_NONE)
		return id;
	id = answers->n_stacks;
	if (array_reserve(answers->stacks, id, answers->n_stacks_allocated, 1) ||
	    pair_map_add(&answers->stack_ids, low, high, id)) {
		rows->lacks_memory = true;
		return 0;
	}
	answers->stacks[answers->n_stacks++] = (struct db_stack){ 0 };
	return id;
}

static int read_costs(struct db_answers *answers, struct row_binary *rows)
{
	while (row_binary_next(rows)) {
		struct db_cost cost;

		cost.host = read_id(rows, &answers->hosts);
		cost.process = read_id(rows, &answers->processes);
		cost.metric = read_id(rows, &answers->metrics);
		cost.stack = read_stack_id(answers, rows);
		cost.samples = row_binary_u64(rows);
		cost.weight = row_binary_u64(rows);
		cost.squares = row_binary_f64(rows);
		if (row_binary_err(rows))
			break;
		if (!(cost.squares >= 0) || !isfinite(cost.squares))
			return refuse(rows, "it has an invalid sum of squares");
		if (!cost.samples ||
		    __builtin_add_overflow(answers->n_samples, cost.samples, &answers->n_samples) ||
		    __builtin_add_overflow(answers->weight, cost.weight, &answers->weight))
			return refuse(rows, "it has costs of no samples, or of more than can be "
					    "counted");
		if (answers->n_costs == DB_ROWS_MAX || answers->metrics.n_strings > UINT16_MAX)
			return refuse(rows, "it has more paths, processes or events than a profile "
					    "can have: choose fewer, or a shorter time");
		if (array_reserve(answers->costs, answers->n_costs, answers->n_costs_allocated, 1))
			return -ENOMEM;
		answers->costs[answers->n_costs++] = cost;
	}
	return row_binary_err(rows);
}

/* -- stacks --------------------------------------------------------------------------------- */

/* As the schema has it: bits of a frame. */
enum {
	BITS_KIND = 15,
	BITS_ORIGIN = 16, /* and the next two: enum path_mark */
	BITS_PART = 16,   /* from this bit on */
	N_KINDS = 6,
};

static const enum frame_kind kinds[N_KINDS] = { FRAME_MARKER, FRAME_USER,  FRAME_KERNEL,
						FRAME_LOCK,   FRAME_WAKER, FRAME_VALUE };
static const enum frame_origin origins[N_PATH_MARKS] = {
	[PATH_GUESSED] = FRAME_GUESSED,
	[PATH_STITCHED] = FRAME_STITCHED,
	[PATH_JOINED] = FRAME_JOINED,
};

/* An index, and 1. 0: no memory, or too many. */
static uint32_t module_index(struct db_answers *answers, uint64_t module)
{
	uint32_t index = pair_map_find(&answers->module_ids, module, 0);

	if (index != PAIR_MAP_NONE)
		return index + 1;
	index = answers->n_modules;
	if (index == MODULES_OF_ANSWER_MAX ||
	    array_reserve(answers->modules, index, answers->n_modules_allocated, 1) ||
	    pair_map_add(&answers->module_ids, module, 0, index))
		return 0;
	answers->modules[answers->n_modules++] = (struct db_module){ 0 };
	return index + 1;
}

static bool has_module(const struct frame *frame)
{
	return frame->kind != FRAME_MARKER && frame->kind != FRAME_LOCK;
}

/* What is wrong with it; NULL: nothing. */
static const char *set_kind(struct frame *frame, uint32_t bits)
{
	if ((bits & BITS_KIND) >= N_KINDS)
		return "it has a frame of an unknown kind";
	frame->kind = (uint8_t)kinds[bits & BITS_KIND];
	frame->part = (uint16_t)(bits >> BITS_PART);
	for (int mark = 0; mark < N_PATH_MARKS; mark++) {
		if (bits & (uint32_t)BITS_ORIGIN << mark)
			frame->origin = (uint8_t)origins[mark];
	}
	if (frame->kind != FRAME_USER && (frame->origin || frame->part))
		return "it has a frame with marks that only code has";
	if (frame->kind == FRAME_MARKER && frame->offset >= N_MARKERS)
		return "it has a marker that this version does not know";
	return NULL;
}

/* A stack's frames are in ->frames from ->n_frames on: says what they are together. */
static void describe_stack(const struct db_answers *answers, struct db_stack *stack)
{
	const struct frame *frames = &answers->frames[stack->first];
	bool has_user = false;

	stack->end = ROW_COMPLETE;
	for (uint32_t i = 0; i < stack->n; i++) {
		has_user |= frames[i].kind == FRAME_USER || (!i && frames->kind == FRAME_MARKER &&
							     frames->offset == MARKER_SEEN_ONCE);
		for (int mark = 0; mark < N_PATH_MARKS; mark++) {
			if (frames[i].origin == origins[mark])
				stack->marks |= (uint8_t)(1u << mark);
		}
	}
	if (stack->n && frames->kind == FRAME_MARKER &&
	    marker_is_reason((enum marker)frames->offset))
		stack->end = (uint8_t)(ROW_INCOMPLETE + frames->offset);
	else if (stack->marks & 1u << PATH_JOINED)
		stack->end = ROW_JOINED;
	else if (!has_user)
		stack->end = ROW_NO_USER_PART;
}

/* Reads one of the three columns of frames. @n: as many as there must be. */
static bool begin_column(struct row_binary *rows, uint32_t n)
{
	if (row_binary_count(rows, DB_DEPTH_MAX) != n)
		refuse(rows, "it has a path with more of one thing than of another");
	return !row_binary_err(rows);
}

/* Into ->frames, after those that count. */
static int read_frames(struct db_answers *answers, struct row_binary *rows, uint32_t *n_ret)
{
	const uint32_t n = (uint32_t)row_binary_count(rows, DB_DEPTH_MAX);

	if (n > DB_FRAMES_MAX - answers->n_frames)
		return refuse(rows, "it has more frames than a profile can have: choose fewer "
				    "samples, or a shorter time");
	if (array_reserve(answers->frames, answers->n_frames, answers->n_frames_allocated,
			  (size_t)n + 1))
		return -ENOMEM;
	struct frame *frames = &answers->frames[answers->n_frames];
	memset(frames, 0, n * sizeof(*frames));
	_cleanup_free_ uint64_t *modules = calloc((size_t)n + 1, sizeof(*modules));
	if (!modules)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		modules[i] = row_binary_u64(rows);
	for (uint32_t i = 0, is_there = begin_column(rows, n); is_there && i < n; i++)
		frames[i].offset = row_binary_u64(rows);
	for (uint32_t i = 0, is_there = begin_column(rows, n); is_there && i < n; i++) {
		const char *wrong = set_kind(&frames[i], row_binary_u32(rows));

		if (wrong)
			return refuse(rows, wrong);
		/* Code that no mapping had is in no module. */
		const bool is_in_module = modules[i] && has_module(&frames[i]);

		if (is_in_module)
			frames[i].module = module_index(answers, modules[i]);
		if (is_in_module && !frames[i].module)
			return -ENOMEM;
	}
	*n_ret = n;
	return row_binary_err(rows);
}

/* Stacks that no sample has, and those that are there already, are left out. */
static int read_stacks(struct db_answers *answers, struct row_binary *rows)
{
	while (row_binary_next(rows)) {
		const uint64_t low = row_binary_u64(rows), high = row_binary_u64(rows);
		const uint32_t id = pair_map_find(&answers->stack_ids, low, high);
		uint32_t n = 0;
		int err = read_frames(answers, rows, &n);

		if (err)
			return err;
		if (id == PAIR_MAP_NONE || answers->stacks[id].is_known)
			continue;
		answers->stacks[id] =
			(struct db_stack){ .first = answers->n_frames, .n = n, .is_known = true };
		describe_stack(answers, &answers->stacks[id]);
		answers->n_frames += n;
	}
	return row_binary_err(rows);
}

/* -- modules -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum module_kind kind;
} module_kinds[] = {
	{ "elf", MODULE_ELF }, { "vdso", MODULE_VDSO },     { "memory", MODULE_ANON },
	{ "jit", MODULE_JIT }, { "kernel", MODULE_KERNEL }, { "text", MODULE_NONE },
};

static enum module_kind find_kind(struct row_binary *rows, const char *name)
{
	for (size_t i = 0; i < sizeof(module_kinds) / sizeof(module_kinds[0]); i++) {
		if (strcmp(module_kinds[i].name, name) == 0)
			return module_kinds[i].kind;
	}
	refuse(rows, "it has a module of an unknown kind");
	return MODULE_NONE;
}

static int read_modules(struct db_answers *answers, struct row_binary *rows)
{
	while (row_binary_next(rows)) {
		const uint32_t index = pair_map_find(&answers->module_ids, row_binary_u64(rows), 0);
		const enum module_kind kind = find_kind(rows, row_binary_text(rows));
		struct module_key key = { .kind = kind };
		char *path = strdup(row_binary_text(rows));

		if (path && !build_id_parse(row_binary_text(rows), &key.build_id))
			refuse(rows, "it has an invalid build ID");
		if (!path || row_binary_err(rows) || index == PAIR_MAP_NONE ||
		    answers->modules[index].is_known) {
			free(path);
			if (!path || row_binary_err(rows))
				return path ? row_binary_err(rows) : -ENOMEM;
			continue;
		}
		key.path = path;
		answers->modules[index] = (struct db_module){ .is_known = true,
							      .is_text = kind == MODULE_NONE,
							      .key = key };
	}
	return row_binary_err(rows);
}

/* -- names ---------------------------------------------------------------------------------- */

static uint32_t read_name(struct db_answers *answers, struct row_binary *rows)
{
	const char *text = row_binary_text(rows);
	uint32_t id = STORED_NO_TEXT;

	if (*text && stored_names_add_text(answers->names, text, &id))
		rows->lacks_memory = true;
	return id;
}

/* A column of texts of each call. */
static void read_call_names(struct db_answers *answers, struct row_binary *rows, size_t n,
			    uint32_t *texts, size_t stride)
{
	if (row_binary_count(rows, CALLS_MAX) != n)
		refuse(rows, "it has code with more of one thing than of another");
	for (size_t i = 0; i < n && !row_binary_err(rows); i++)
		texts[i * stride] = read_name(answers, rows);
}

static void read_call_lines(struct row_binary *rows, size_t n, uint32_t *lines, size_t stride)
{
	if (row_binary_count(rows, CALLS_MAX) != n)
		refuse(rows, "it has code with more of one thing than of another");
	for (size_t i = 0; i < n && !row_binary_err(rows); i++)
		lines[i * stride] = row_binary_u32(rows);
}

/* Outermost first. Returns their number. */
static size_t read_calls(struct db_answers *answers, struct row_binary *rows,
			 struct stored_call calls[static CALLS_MAX])
{
	static_assert(sizeof(*calls) % sizeof(uint32_t) == 0, "calls are columns of numbers");
	const size_t stride = sizeof(*calls) / sizeof(uint32_t);
	const size_t n = row_binary_count(rows, CALLS_MAX);

	for (size_t i = 0; i < n && !row_binary_err(rows); i++)
		calls[i].name = read_name(answers, rows);
	read_call_names(answers, rows, n, &calls->file, stride);
	read_call_names(answers, rows, n, &calls->directory, stride);
	read_call_lines(rows, n, &calls->line, stride);
	read_call_names(answers, rows, n, &calls->decl_file, stride);
	read_call_lines(rows, n, &calls->decl_line, stride);
	return n;
}

/* Calls are stored innermost first. 0 or -ENOMEM. */
static int add_code(struct db_answers *answers, struct stored_code *code,
		    const struct stored_call *calls, size_t n)
{
	int err = 0;

	code->first_call = answers->names->n_calls;
	code->n_calls = (uint32_t)n;
	for (size_t i = n; i-- > 0 && !err;)
		err = stored_names_add_call(answers->names, &calls[i]);
	if (!err)
		err = stored_names_add_code(answers->names, code);
	return err == -EEXIST ? 0 : err;
}

static int read_names(struct db_answers *answers, struct row_binary *rows)
{
	struct stored_call calls[CALLS_MAX];

	if (!answers->names)
		answers->names = stored_names_create();
	if (!answers->names)
		return -ENOMEM;
	while (row_binary_next(rows)) {
		const uint32_t index = pair_map_find(&answers->module_ids, row_binary_u64(rows), 0);
		struct stored_code code = { .module = index + 1 };

		code.offset = row_binary_u64(rows);
		code.symbol = read_name(answers, rows);
		code.start = row_binary_u64(rows);
		code.addr = row_binary_u64(rows);
		code.start_kind = row_binary_byte(rows);
		code.flags = row_binary_byte(rows);
		const size_t n = read_calls(answers, rows, calls);

		if (code.start_kind > 2 || code.flags & ~(STORED_FROM_DEBUG_INFO | STORED_PLT))
			return refuse(rows, "it has code of an unknown kind");
		if (answers->names->n_codes == DB_NAMES_MAX)
			return refuse(rows, "it has more names than a profile can have");
		if (row_binary_err(rows))
			break;
		if (index != PAIR_MAP_NONE && add_code(answers, &code, calls, n))
			return -ENOMEM;
	}
	return row_binary_err(rows);
}

/* -- windows -------------------------------------------------------------------------------- */

/* Keeps a text that all have. 0 or -ENOMEM. */
static int agree(struct row_binary *rows, char **kept, bool is_first)
{
	const char *text = row_binary_text(rows);

	if (is_first)
		return profile_set_string(kept, *text ? text : NULL);
	if (*kept && strcmp(*kept, text) != 0)
		return profile_set_string(kept, NULL);
	return 0;
}

static int read_runs(struct db_answers *answers, struct row_binary *rows)
{
	while (row_binary_next(rows)) {
		const bool is_first = !answers->n_runs;
		struct db_run run = { .host = read_id(rows, &answers->hosts) };

		run.start_ns = row_binary_u64(rows);
		run.end_ns = row_binary_u64(rows);
		const uint64_t n_cpus = row_binary_u64(rows);
		if (n_cpus > answers->n_cpus && n_cpus < UINT32_MAX)
			answers->n_cpus = (uint32_t)n_cpus;
		if (agree(rows, &answers->host, is_first) ||
		    agree(rows, &answers->kernel, is_first) ||
		    agree(rows, &answers->arch, is_first) || agree(rows, &answers->cpu, is_first))
			return -ENOMEM;
		if (run.start_ns > run.end_ns || run.end_ns > INT64_MAX)
			return refuse(rows, "it has a window that ends before it begins");
		if (row_binary_err(rows))
			break;
		if (array_reserve(answers->runs, answers->n_runs, answers->n_runs_allocated, 1))
			return -ENOMEM;
		answers->runs[answers->n_runs++] = run;
	}
	return row_binary_err(rows);
}

static int read_events(struct db_answers *answers, struct row_binary *rows)
{
	while (row_binary_next(rows)) {
		struct db_event event;

		event.host = read_id(rows, &answers->hosts);
		event.metric = read_id(rows, &answers->metrics);
		event.unit = read_id(rows, &answers->units);
		event.samples = row_binary_u64(rows);
		event.lost = row_binary_u64(rows);
		event.counted = row_binary_u64(rows);
		event.enabled_ns = row_binary_u64(rows);
		event.running_ns = row_binary_u64(rows);
		event.flags_of_all = row_binary_byte(rows);
		event.flags_of_any = row_binary_byte(rows);
		if (row_binary_err(rows))
			break;
		if (answers->n_events == DB_ROWS_MAX || answers->metrics.n_strings > UINT16_MAX)
			return refuse(rows, "it has more events than a profile can have");
		if (array_reserve(answers->events, answers->n_events, answers->n_events_allocated,
				  1))
			return -ENOMEM;
		answers->events[answers->n_events++] = event;
	}
	return row_binary_err(rows);
}

/* Of a counter's name; NULL: this version does not know it. */
static uint64_t *find_counter(struct profile_quality *quality, const char *name)
{
	static const char incomplete[] = "incomplete.";
	const size_t size = strlen(incomplete);

	for (int i = 0; i < N_QUALITY_COUNTERS; i++) {
		if (strcmp(quality_describe((enum quality_counter)i)->name, name) == 0)
			return &quality->counts[i];
	}
	for (int i = 0; i < N_MARKERS && strncmp(name, incomplete, size) == 0; i++) {
		if (strcmp(marker_name((enum marker)i), name + size) == 0)
			return &quality->incomplete[i];
	}
	return NULL;
}

static int read_quality(struct db_answers *answers, struct row_binary *rows)
{
	while (row_binary_next(rows)) {
		uint64_t *counter = find_counter(&answers->quality, row_binary_text(rows));
		const uint64_t n = row_binary_u64(rows);

		if (counter)
			*counter += n;
	}
	return row_binary_err(rows);
}

const db_reader db_readers[N_DB_TABLES] = {
	[DB_COSTS] = read_costs,      [DB_STACKS] = read_stacks,   [DB_MODULES] = read_modules,
	[DB_LATE_NAMES] = read_names, [DB_NAMES] = read_names,     [DB_RUNS] = read_runs,
	[DB_EVENTS] = read_events,    [DB_QUALITY] = read_quality,
};
