/*
 * Properties of merging, on generated profiles: the result is the same byte by byte in any order
 * and any grouping, and each path has the cost that it has in all profiles together. So have their
 * rows of samples. Paths are compared as texts that this test makes by itself.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/base/sentence.h"
#include "cct/merge/profile_merge.h"
#include "cct/model/profile.h"
#include "cct/model/profile_filter.h"
#include "cct/store/profile_file.h"

#define N_TRIALS    60
#define N_PROFILES  4
#define N_NODES     60
#define N_MODULES   6
#define N_PROCESSES 3
#define N_THREADS   4

static uint64_t seed;
static bool with_rows; /* all samples are below threads, and have rows */
static bool by_name, folds_once, joins_processes, joins_addresses, by_minute;
static uint32_t n_busy; /* samples of one more process, with rows */
static uint32_t max_rows = MERGED_ROWS_MAX;

/* xorshift64*, by Marsaglia and Vigna: the same numbers in each run. */
static uint32_t random_below(uint32_t n)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)(seed * 0x2545f4914f6cdd1du >> 40) % n;
}

static const char *pick(const char *const *texts, uint32_t n)
{
	return texts[random_below(n)];
}

#define PICK(...)                                  \
	pick((const char *const[]){ __VA_ARGS__ }, \
	     sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void make_info(struct profile_info *info)
{
	profile_set_string(&info->command_line, PICK("a", "b; a", "c", "d; b", NULL));
	profile_set_string(&info->hostname, PICK("oak", "elm"));
	profile_set_string(&info->truncated, PICK("cut", NULL));
	profile_set_string(&info->why[MARKER_STACK_CUT], PICK("one reason", "another", NULL));
	info->n_cpus = random_below(8);
	info->stack_copy = random_below(8);
	info->has_date = random_below(3);
	info->unix_offset_ns = info->has_date ? 1000000 * random_below(2) : 0;
	info->start_ns = random_below(4) ? 1 + random_below(1000) : 0;
	info->end_ns = info->start_ns ? info->start_ns + random_below(1000) : 0;
	if (info->start_ns && random_below(2))
		profile_lose_cpu(info, random_below(3), info->start_ns + 5);
	if (random_below(2))
		profile_regain_cpu(info, 1, info->end_ns);
}

static void make_metrics(struct profile *profile)
{
	uint32_t n = 1 + random_below(3);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t index =
			profile_add_metric(profile, PICK("cycles", "faults", "off-cpu", "waits"),
					   PICK("ns", "events"));
		struct metric *metric = &profile->metrics[index];

		metric->has_counted = random_below(3);
		metric->counted = metric->has_counted ? random_below(100) : 0;
		metric->lost = random_below(10);
		metric->is_scaled = !random_below(4);
		metric->takes_all = random_below(2);
	}
}

/* Modules 1 to 3 have build IDs, 4 and 5 have paths, 6 is memory of a process. Their order differs,
 * and so do paths and what build IDs are filled up with. */
static void make_modules(struct profile *profile)
{
	uint32_t first = random_below(N_MODULES);

	for (uint32_t i = 0; i < N_MODULES; i++) {
		uint8_t which = (uint8_t)((first + i) % N_MODULES + 1), id[16] = { which, 7 };
		char path[16];
		struct module_key key = { .kind = MODULE_ELF,
					  .path = path,
					  .base = random_below(3) };

		snprintf(path, sizeof(path), "/m%d", which);
		key.inode = which == 6 ? 1 + random_below(2) : random_below(100);
		if (which <= 3)
			build_id_set(&key.build_id, id, random_below(2) ? 16 : 2);
		if (which <= 3)
			snprintf(path, sizeof(path), "/%s%d", PICK("usr", "opt"), which);
		if (which == 6)
			key.kind = MODULE_ANON;
		assert_int_equal(module_table_add(&profile->modules, &key), i + 1);
	}
}

static void make_processes(struct profile *profile)
{
	for (uint32_t i = 0; i < N_PROCESSES; i++) {
		profile_add_process(profile, (int32_t)random_below(3), PICK("sh", "cat"));
		profile->processes[i].n_mapped = random_below(4);
	}
	for (uint32_t i = 0; i < N_THREADS; i++)
		profile_add_thread(profile, (int32_t)random_below(3), random_below(N_PROCESSES),
				   PICK("main", "worker"));
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t id;
		bool is_new;

		assert_int_equal(
			string_ids_add(&profile->wakers, PICK("x", "y", "z"), &id, &is_new), 0);
	}
}

static void name_code(struct profile *profile, const struct frame *frame)
{
	struct stored_names *names = profile->names;
	struct stored_code code = {
		.module = frame->module,
		.offset = frame->offset,
		.start = random_below(2),
		.addr = frame->offset,
		.first_call = names->n_calls,
		.n_calls = random_below(3),
	};

	if (stored_names_find(names, frame->module, frame->offset))
		return;
	if (joins_addresses) /* most addresses of a module are of one function */
		code.start = code.n_calls = 0;
	assert_int_equal(stored_names_add_text(names,
					       joins_addresses ? "f" : PICK("f", "g", "h", NULL),
					       &code.symbol),
			 0);
	for (uint32_t i = 0; i < code.n_calls; i++) {
		struct stored_call call = { .line = random_below(2) };

		assert_int_equal(stored_names_add_text(names, PICK("i", "j"), &call.name), 0);
		assert_int_equal(stored_names_add_text(names, PICK("a.c", NULL), &call.file), 0);
		call.decl_file = call.directory = STORED_NO_TEXT;
		assert_int_equal(stored_names_add_call(names, &call), 0);
	}
	assert_int_equal(stored_names_add_code(names, &code), 0);
}

static struct frame make_frame(struct profile *profile)
{
	struct frame frame = { .kind = FRAME_USER, .module = 1 + random_below(N_MODULES) };

	switch (random_below(8)) {
	case 0:
		return frame_marker(MARKER_STACK_CUT);
	case 1:
		return frame_waker(random_below(profile->wakers.n_strings));
	case 2:
		return frame_lock(random_below(3));
	case 3:
		frame.kind = FRAME_KERNEL;
		break;
	default:
		break;
	}
	frame.offset = random_below(4);
	name_code(profile, &frame);
	return frame;
}

static uint32_t make_node(struct profile *profile)
{
	struct cct *cct = profile->cct;
	uint32_t parent = random_below(cct->n_nodes);
	struct frame frame;

	if (random_below(10) == 0)
		parent = CCT_ROOT;
	switch ((enum frame_kind)cct_frame(cct, parent)->kind) {
	case FRAME_ROOT:
		frame = (struct frame){ .kind = FRAME_PROCESS,
					.offset = random_below(N_PROCESSES) };
		break;
	case FRAME_PROCESS:
		frame = (struct frame){ .kind = FRAME_THREAD, .offset = random_below(N_THREADS) };
		break;
	default:
		frame = make_frame(profile);
		break;
	}
	return cct_child(cct, parent, &frame);
}

static bool find_thread(const struct cct *cct, uint32_t node, uint32_t *thread_ret)
{
	for (; node != CCT_NONE; node = cct->nodes[node].parent) {
		if (cct_frame(cct, node)->kind != FRAME_THREAD)
			continue;
		*thread_ret = (uint32_t)cct_frame(cct, node)->offset;
		return true;
	}
	return false;
}

static struct sample_row make_row(struct profile *profile, uint32_t node, uint32_t metric)
{
	struct sample_row row = {
		.node = node,
		.cpu = random_below(3),
		.metric = (uint16_t)metric,
		.end = (uint8_t)random_below(2),
		.marks = (uint8_t)random_below(2),
	};
	struct row_task task = { .pid = 1 };

	assert_true(find_thread(profile->cct, node, &task.thread));
	assert_int_equal(
		sample_rows_enter_task(profile->rows, &task, PICK("old", "new"), "sh", &row.task),
		0);
	return row;
}

static void add_sample(struct profile *profile, struct sample_row *row)
{
	row->weight = random_below(1000);
	row->time = profile->info.start_ns + 1000 * random_below(2000);
	row->number++;
	row->n_guessed = random_below(2);
	if (with_rows)
		assert_int_equal(sample_rows_add(profile->rows, row), 0);
	cct_add_cost(profile->cct, row->node, row->metric, row->weight);
	profile->metrics[row->metric].samples++;
	profile->metrics[row->metric].total += row->weight;
}

/* One, or with rows some of the same kind. */
static void make_samples(struct profile *profile, uint32_t node, uint32_t metric)
{
	struct sample_row row = { .node = node, .metric = (uint16_t)metric };
	uint32_t thread, n = 1;

	if (with_rows) {
		if (!find_thread(profile->cct, node, &thread))
			return;
		row = make_row(profile, node, metric);
		n += random_below(n_busy ? 2 : 12);
	}
	for (uint32_t i = 0; i < n; i++)
		add_sample(profile, &row);
}

static void make_tree(struct profile *profile)
{
	uint32_t waits = random_below(2) ? random_below(profile->n_metrics) : UINT32_MAX;

	profile->cct = cct_create(profile->n_metrics);
	assert_non_null(profile->cct);
	if (waits != UINT32_MAX) {
		profile->metrics[waits].is_waits = true;
		assert_int_equal(cct_keep_longest(profile->cct, waits), 0);
	}
	if (random_below(3))
		assert_int_equal(cct_keep_activations(profile->cct), 0);
	for (uint32_t i = 0; i < N_NODES; i++) {
		uint32_t node = make_node(profile), metric = random_below(profile->n_metrics);

		assert_int_not_equal(node, CCT_NONE);
		make_samples(profile, node, metric);
		if (profile->cct->activations)
			profile->cct->activations[node] += random_below(3);
		assert_int_equal(
			path_marks_add(&profile->cct->marks, node, PATH_GUESSED, random_below(2)),
			0);
		profile->cct->nodes[node].frame_marks |= random_below(8);
		profile->quality.counts[QUALITY_SAMPLES]++;
		profile->quality.incomplete[MARKER_STACK_CUT] += random_below(2);
	}
}

/* A process beside which all others have few samples. */
static void make_busy(struct profile *profile)
{
	struct frame frame = { .kind = FRAME_PROCESS };
	uint32_t node;

	if (!n_busy)
		return;
	frame.offset = profile_add_process(profile, 9, "busy");
	const uint32_t thread = profile_add_thread(profile, 9, (uint32_t)frame.offset, "busy");
	node = cct_child(profile->cct, CCT_ROOT, &frame);
	frame = (struct frame){ .kind = FRAME_THREAD, .offset = thread };
	node = cct_child(profile->cct, node, &frame);
	frame = frame_marker(MARKER_KERNEL);
	node = cct_child(profile->cct, node, &frame);
	struct sample_row row = make_row(profile, node, 0);
	for (uint32_t i = 0; i < n_busy; i++)
		add_sample(profile, &row);
}

static void make_lacks(struct profile *profile)
{
	for (uint32_t i = 0; i < 3; i++) {
		struct stored_lack lack = {
			.module = 1 + random_below(N_MODULES),
			.lack = (uint8_t)random_below(3),
			.error = -(int32_t)random_below(3),
		};

		stored_names_add_text(profile->names, PICK("why", "because", NULL), &lack.text);
		stored_names_add_lack(profile->names, &lack);
	}
}

/* Events that had no counter for a part of the time are scaled. */
static void start_rows(struct profile *profile)
{
	profile->rows = calloc(1, sizeof(*profile->rows));
	assert_non_null(profile->rows);
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		profile->metrics[i].is_scaled = false;
		profile->metrics[i].time_enabled_ns = 300;
		profile->metrics[i].time_running_ns = random_below(2) ? 300 : 70;
	}
}

/* Up to four, with gaps between some. */
static void make_phases(struct profile *profile)
{
	uint64_t time_ns = profile->info.start_ns;

	for (uint32_t i = random_below(8); i; i--) {
		time_ns += 1000 * random_below(600);
		assert_int_equal(phases_mark(&profile->phases, PICK("", "load", "run"), time_ns),
				 0);
	}
}

/* Processes with one pid and name are images of one, and so their epochs may overlap. */
static void make_epochs(struct profile *profile, struct epoch_list *list)
{
	struct epoch epoch = { .loaded_ns = profile->info.start_ns };

	for (uint32_t i = random_below(5); i; i--) {
		epoch.loaded_ns += random_below(400000);
		epoch.first_ns = epoch.loaded_ns + random_below(20000);
		epoch.n_files = random_below(3);
		epoch.end_ns = epoch.first_ns + random_below(100);
		if (list->n && epoch.first_ns <= list->epochs[list->n - 1].first_ns)
			continue;
		assert_int_equal(
			epochs_begin(&profile->epochs, list, &epoch, PICK("a", "b", "a/b")), 0);
	}
}

/* Profiles whose times are not known may seem to be of one run, of which they know other things. */
static void make_intervals(struct profile *profile)
{
	if (!profile->info.start_ns)
		return;
	make_phases(profile);
	for (uint32_t i = 0; i < profile->n_processes; i++)
		make_epochs(profile, &profile->processes[i].epochs);
}

static struct profile *make_profile(void)
{
	struct profile *profile = profile_create();

	assert_non_null(profile);
	profile->names = stored_names_create();
	assert_non_null(profile->names);
	make_info(&profile->info);
	make_metrics(profile);
	make_modules(profile);
	make_processes(profile);
	if (with_rows)
		start_rows(profile);
	make_tree(profile);
	if (with_rows) {
		make_busy(profile);
		make_intervals(profile);
		sample_rows_finish(profile->rows, profile->info.start_ns);
		profile_scale(profile);
	}
	make_lacks(profile);
	return profile;
}

static struct profile_merge *add_all(struct profile *const *profiles, size_t n)
{
	struct profile_merge *merge = profile_merge_create(by_name, max_rows);

	assert_non_null(merge);
	if (folds_once)
		profile_merge_fold_once(merge);
	if (joins_processes)
		profile_merge_join_processes(merge);
	if (joins_addresses)
		profile_merge_join_addresses(merge);
	if (by_minute)
		profile_merge_by_minute(merge);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(profile_merge_add(merge, profiles[i]), 0);
	return merge;
}

static struct profile *merge(struct profile *const *profiles, size_t n)
{
	struct profile_merge *merge = add_all(profiles, n);
	struct profile *merged;

	assert_int_equal(profile_merge_finish(merge, &merged), 0);
	profile_merge_destroy(merge);
	assert_int_equal(profile_check_conservation(merged), -1);
	if (merged->rows)
		assert_int_equal(sample_rows_check(merged->rows, merged->cct), 0);
	return merged;
}

static struct profile *merge_two(struct profile *a, struct profile *b)
{
	return merge((struct profile *[]){ a, b }, 2);
}

struct bytes {
	char *bytes;
	size_t size;
};

static struct bytes write_profile(const struct profile *profile)
{
	struct bytes file;
	FILE *stream = open_memstream(&file.bytes, &file.size);

	assert_non_null(stream);
	assert_int_equal(profile_file_write(stream, profile), 0);
	fclose(stream);
	return file;
}

static void assert_same(const struct profile *a, const struct profile *b)
{
	struct bytes x = write_profile(a), y = write_profile(b);

	assert_int_equal(x.size, y.size);
	assert_memory_equal(x.bytes, y.bytes, x.size);
	free(x.bytes);
	free(y.bytes);
}

static struct profile *merge_packed(struct profile *const *profiles, size_t n)
{
	struct profile_merge *merge = add_all(profiles, n);
	struct profile *merged;

	assert_int_equal(profile_merge_finish_packed(merge, &merged), 0);
	profile_merge_destroy(merge);
	assert_true(!merged->rows || (merged->rows->packed && !merged->rows->rows));
	return merged;
}

/* With rows, each trial has another bound of them. */
static void order_and_grouping_do_not_matter(void **state)
{
	static const uint32_t bounds[] = { MERGED_ROWS_MAX, 500, 250, 60 };

	(void)state;
	for (uint64_t trial = 1; trial <= N_TRIALS; trial++) {
		struct profile *p[N_PROFILES], *of[6];

		seed = trial * 1000003;
		max_rows = with_rows ? bounds[trial % 4] : MERGED_ROWS_MAX;
		for (size_t i = 0; i < N_PROFILES; i++)
			p[i] = make_profile();
		struct profile *all = merge(p, N_PROFILES);
		of[0] = merge((struct profile *[]){ p[3], p[1], p[0], p[2] }, N_PROFILES);
		struct profile *left = merge_two(p[0], p[1]), *right = merge_two(p[2], p[3]);
		of[1] = merge_two(left, right);
		of[2] = merge_two(right, left);
		of[3] = merge((struct profile *[]){ right, p[1], p[0] }, 3);
		struct profile *more = merge_two(p[3], left);
		of[4] = merge_two(more, p[2]);
		of[5] = merge_packed(p, N_PROFILES); /* its file is the same */
		for (size_t i = 0; i < 6; i++) {
			assert_same(all, of[i]);
			profile_destroy(of[i]);
		}
		for (size_t i = 0; i < N_PROFILES; i++)
			profile_destroy(p[i]);
		profile_destroy(all);
		profile_destroy(left);
		profile_destroy(right);
		profile_destroy(more);
	}
}

static void by_name_they_do_not_matter_either(void **state)
{
	by_name = true;
	order_and_grouping_do_not_matter(state);
	by_name = false;
}

static void nor_do_they_for_rows(void **state)
{
	with_rows = true;
	order_and_grouping_do_not_matter(state);
	by_name_they_do_not_matter_either(state);
	max_rows = MERGED_ROWS_MAX;
	with_rows = false;
}

/* Two builds of a program: another build ID, another folder, other offsets and lines. */
static struct profile *make_build(uint8_t id, const char *path, uint64_t offset)
{
	static const char *const functions[] = { "main", "work", NULL };
	struct profile *profile = profile_create();
	struct module_key key = { .kind = MODULE_ELF, .path = path, .build_id = { .size = 1 } };
	struct frame frame = { .kind = FRAME_PROCESS };

	key.build_id.bytes[0] = id;
	profile_add_process(profile, 1, "prog");
	profile_add_metric(profile, "cycles", "events");
	module_table_add(&profile->modules, &key);
	profile->names = stored_names_create();
	profile->cct = cct_create(1);
	uint32_t node = cct_child(profile->cct, CCT_ROOT, &frame);
	for (size_t i = 0; i < 3; i++) {
		struct stored_code code = { .module = 1, .offset = offset + i, .start = offset };
		struct stored_call call = { .decl_line = id, .line = id };

		stored_names_add_text(profile->names, functions[i], &code.symbol);
		stored_names_add_text(profile->names, "prog.c", &call.file);
		call.name = call.decl_file = call.directory = STORED_NO_TEXT;
		stored_names_add_call(profile->names, &call);
		code.first_call = (uint32_t)i;
		code.n_calls = 1;
		stored_names_add_code(profile->names, &code);
		frame = (struct frame){ .kind = FRAME_USER, .module = 1, .offset = offset + i };
		node = cct_child(profile->cct, node, &frame);
		cct_add_cost(profile->cct, node, 0, 100);
	}
	profile->metrics[0].samples = 3;
	profile->metrics[0].total = 300;
	return profile;
}

static void two_builds_of_a_program_are_one_by_name(void **state)
{
	struct profile *builds[] = { make_build(1, "/old/prog", 100),
				     make_build(2, "/new/prog", 200) };

	(void)state;
	/* All apart: a root, a process, and three functions of each. */
	struct profile *merged = merge(builds, 2);
	assert_int_equal(merged->cct->n_nodes, 2 + 6);
	profile_destroy(merged);
	by_name = true;
	merged = merge(builds, 2);
	by_name = false;
	/* The functions without a name stay apart. */
	assert_int_equal(merged->cct->n_nodes, 2 + 2 + 2);
	assert_int_equal(cct_cost(merged->cct, 2, 0)->weight, 200);
	assert_int_equal(cct_cost(merged->cct, 3, 0)->weight, 200);
	profile_destroy(merged);
	profile_destroy(builds[0]);
	profile_destroy(builds[1]);
}

static void what_was_merged_is_read_back(void **state)
{
	(void)state;
	for (uint64_t trial = 1; trial <= N_TRIALS; trial++) {
		seed = trial * 7919;
		struct profile *a = make_profile(), *b = make_profile(), *read;
		struct profile *merged = merge_two(a, b), *again = merge(&merged, 1);
		struct bytes file = write_profile(merged);
		FILE *stream = fmemopen(file.bytes, file.size, "r");
		unsigned n_skipped;
		char *error;

		assert_int_equal(profile_file_read_with_rows(stream, &read, &n_skipped, &error), 0);
		assert_same(read, merged);
		assert_same(again, merged);
		fclose(stream);
		free(file.bytes);
		profile_destroy(a);
		profile_destroy(b);
		profile_destroy(read);
		profile_destroy(merged);
		profile_destroy(again);
	}
}

static uint64_t sum_of_activations(const struct profile *profile)
{
	uint64_t sum = 0;

	for (uint32_t node = 0; profile->cct->activations && node < profile->cct->n_nodes; node++)
		sum += profile->cct->activations[node];
	return sum;
}

static void activations_add_up(void **state)
{
	(void)state;
	for (uint64_t trial = 1; trial <= N_TRIALS; trial++) {
		seed = trial * 104729;
		struct profile *a = make_profile(), *b = make_profile();
		struct profile *merged = merge_two(a, b);

		assert_int_equal(sum_of_activations(merged),
				 sum_of_activations(a) + sum_of_activations(b));
		profile_destroy(a);
		profile_destroy(b);
		profile_destroy(merged);
	}
}

static void what_was_merged_with_rows_is_read_back(void **state)
{
	with_rows = true;
	what_was_merged_is_read_back(state);
	max_rows = 200;
	what_was_merged_is_read_back(state);
	max_rows = MERGED_ROWS_MAX;
	with_rows = false;
}

/* Writes what is at an address, if it is part of what the code is: there is no build ID. */
static void write_code(FILE *out, const struct profile *profile, const struct frame *frame)
{
	const struct module_key *key = &profile->modules.modules[frame->module]->key;
	const struct stored_code *code =
		stored_names_find(profile->names, frame->module, frame->offset);

	if (key->build_id.size) {
		fprintf(out, " id %d", key->build_id.bytes[0]);
		return;
	}
	fprintf(out, " %s", key->path);
	if (key->kind == MODULE_ANON)
		fprintf(out, " of %" PRIu64, key->inode);
	const char *symbol = stored_names_text(profile->names, code->symbol);
	fprintf(out, " %s from %" PRIu64 " to %" PRIu64 " calls", symbol ? symbol : "-",
		code->start, code->addr);
	for (uint32_t i = 0; i < code->n_calls; i++) {
		const struct stored_call *call = &profile->names->calls[code->first_call + i];
		const char *file = stored_names_text(profile->names, call->file);

		fprintf(out, " %s at %s:%u", stored_names_text(profile->names, call->name),
			file ? file : "-", call->line);
	}
}

static void write_frame(FILE *out, const struct profile *profile, const struct frame *frame)
{
	const struct profile_thread *thread;

	fprintf(out, "/%d", frame->kind);
	switch ((enum frame_kind)frame->kind) {
	case FRAME_PROCESS:
		fprintf(out, " %d %s", profile->processes[frame->offset].pid,
			profile->processes[frame->offset].name);
		return;
	case FRAME_THREAD:
		thread = &profile->threads[frame->offset];
		fprintf(out, " %d %s of %d %s", thread->tid, thread->name,
			profile->processes[thread->process].pid,
			profile->processes[thread->process].name);
		return;
	case FRAME_WAKER:
		fprintf(out, " %s", profile->wakers.strings[frame->offset]);
		return;
	case FRAME_USER:
	case FRAME_KERNEL:
		write_code(out, profile, frame);
		break;
	default:
		break;
	}
	fprintf(out, " %" PRIu64, frame->offset);
}

static void write_path(FILE *out, const struct profile *profile, uint32_t node)
{
	if (node == CCT_ROOT)
		return;
	write_path(out, profile, profile->cct->nodes[node].parent);
	write_frame(out, profile, cct_frame(profile->cct, node));
}

#define MAX_COSTS (2 * N_NODES)

struct path_cost {
	char *path; /* with the metric's name and unit */
	uint64_t samples, weight;
};

static void add_path(struct path_cost *costs, char *path, const struct cct_cost *cost)
{
	size_t i = 0;

	while (costs[i].path && strcmp(costs[i].path, path) != 0)
		i++;
	assert_true(i < MAX_COSTS);
	if (costs[i].path)
		free(path);
	else
		costs[i].path = path;
	costs[i].samples += cost->samples;
	costs[i].weight += cost->weight;
}

/* Adds the costs of all paths, by their texts. Metrics of one name and unit count as one. */
static void add_paths(struct path_cost *costs, const struct profile *profile)
{
	const struct cct *cct = profile->cct;

	for (uint32_t node = 0; node < cct->n_nodes; node++) {
		for (uint32_t metric = 0; metric < cct->n_metrics; metric++) {
			const struct cct_cost *cost = cct_cost(cct, node, metric);
			char *path;
			size_t size;

			if (!cost->samples)
				continue;
			FILE *out = open_memstream(&path, &size);
			assert_non_null(out);
			fprintf(out, "%s %s ", profile->metrics[metric].name,
				profile->metrics[metric].unit);
			write_path(out, profile, node);
			fclose(out);
			add_path(costs, path, cost);
		}
	}
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct path_cost *)a)->path, ((const struct path_cost *)b)->path);
}

static size_t sort_paths(struct path_cost *costs)
{
	size_t n = 0;

	while (costs[n].path)
		n++;
	qsort(costs, n, sizeof(*costs), compare_paths);
	return n;
}

static void assert_equal_paths(struct path_cost *a, struct path_cost *b)
{
	size_t n = sort_paths(a);

	assert_int_equal(sort_paths(b), n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(a[i].path, b[i].path);
		assert_int_equal(a[i].samples, b[i].samples);
		assert_int_equal(a[i].weight, b[i].weight);
		free(a[i].path);
		free(b[i].path);
	}
}

static void each_path_has_its_cost_in_both_profiles(void **state)
{
	(void)state;
	for (uint64_t trial = 1; trial <= N_TRIALS; trial++) {
		struct path_cost parts[MAX_COSTS + 1] = { 0 }, sum[MAX_COSTS + 1] = { 0 };

		seed = trial * 104729;
		struct profile *a = make_profile(), *b = make_profile();
		struct profile *merged = merge_two(a, b);
		add_paths(parts, a);
		add_paths(parts, b);
		add_paths(sum, merged);
		assert_equal_paths(sum, parts);
		profile_destroy(a);
		profile_destroy(b);
		profile_destroy(merged);
	}
}

typedef bool (*row_choice)(const struct profile *profile, const struct sample_row *row);

static bool is_on_cpu(const struct profile *profile, const struct sample_row *row)
{
	(void)profile;
	return row->cpu == 1;
}

static bool is_in_phase(const struct profile *profile, const struct sample_row *row)
{
	const uint32_t phase = profile_phase_of(profile, row);

	return phase != PHASE_NONE && strcmp(profile->phases.phases[phase].name, "run") == 0;
}

static bool is_in_epoch(const struct profile *profile, const struct sample_row *row)
{
	uint32_t process, epoch = profile_epoch_of(profile, row, &process);

	return epoch_matches(&profile->epochs, &profile->processes[process].epochs, epoch, "2-3");
}

static bool is_after_file(const struct profile *profile, const struct sample_row *row)
{
	uint32_t process, epoch = profile_epoch_of(profile, row, &process);

	return epoch_matches(&profile->epochs, &profile->processes[process].epochs, epoch, "b");
}

static void keep(struct profile *profile, row_choice is_chosen)
{
	bool *is_kept = calloc((size_t)profile->rows->n_rows + 1, sizeof(*is_kept));

	assert_non_null(is_kept);
	for (uint32_t i = 0; i < profile->rows->n_rows; i++)
		is_kept[i] = is_chosen(profile, &profile->rows->rows[i]);
	assert_int_equal(profile_keep_rows(profile, is_kept), 0);
	assert_int_equal(profile_check_conservation(profile), -1);
	free(is_kept);
}

/* A profile in which no two parts are the same: weights are scaled node by node, and rounded. */
static struct profile *make_sum(uint64_t start_ns)
{
	struct profile *profile = make_profile();

	if (start_ns)
		profile->info.start_ns = profile->info.end_ns = start_ns;
	struct profile *sum = merge(&profile, 1);
	profile_destroy(profile);
	return sum;
}

static void samples_are_chosen_as_in_the_parts(row_choice is_chosen)
{
	uint64_t n_chosen = 0;

	with_rows = true;
	for (uint64_t trial = 1; trial <= N_TRIALS; trial++) {
		struct path_cost parts[MAX_COSTS + 1] = { 0 }, sum[MAX_COSTS + 1] = { 0 };

		seed = trial * 15485863;
		max_rows = trial % 2 ? MERGED_ROWS_MAX : 300;
		struct profile *a = make_sum(0), *b = make_sum(5000);
		struct profile *merged = merge_two(a, b);
		if (merged->rows) {
			assert_int_equal(merged->rows->n_runs, 2);
			keep(a, is_chosen);
			keep(b, is_chosen);
			keep(merged, is_chosen);
			n_chosen += merged->rows->n_rows;
			add_paths(parts, a);
			add_paths(parts, b);
			add_paths(sum, merged);
			assert_equal_paths(parts, sum);
		}
		profile_destroy(a);
		profile_destroy(b);
		profile_destroy(merged);
	}
	assert_true(n_chosen > N_TRIALS);
	max_rows = MERGED_ROWS_MAX;
	with_rows = false;
}

static void samples_of_a_sum_are_chosen_as_in_its_parts(void **state)
{
	const row_choice choices[] = { is_on_cpu, is_in_phase, is_in_epoch, is_after_file };

	(void)state;
	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++)
		samples_are_chosen_as_in_the_parts(choices[i]);
}

static void without_rows_of_a_part_a_sum_has_none(void **state)
{
	(void)state;
	seed = 32452843;
	struct profile *without = make_profile();
	with_rows = true;
	struct profile *with = make_profile(), *merged = merge_two(with, without);
	with_rows = false;
	assert_null(merged->rows);
	profile_destroy(merged);
	merged = merge_two(without, with);
	assert_null(merged->rows);
	profile_destroy(merged);
	merged = merge(&with, 1);
	assert_non_null(merged->rows);
	assert_int_equal(merged->rows->n_runs, 1);
	profile_destroy(merged);
	profile_destroy(with);
	profile_destroy(without);
}

/* The sum of profiles with paths seen once folded. */
static struct profile *fold(struct profile *const *profiles, size_t n)
{
	folds_once = true;
	struct profile *folded = merge(profiles, n);
	folds_once = false;
	return folded;
}

/* The text of a path's code, a line for each frame, or that of whose path it is. To free(). */
static char *lines_of(const struct profile *profile, uint32_t node, bool of_code)
{
	uint32_t nodes[N_NODES * 2 + 1];
	size_t n = 0, size;
	char *lines;
	FILE *out = open_memstream(&lines, &size);

	assert_non_null(out);
	for (; node != CCT_ROOT; node = profile->cct->nodes[node].parent)
		nodes[n++] = node;
	while (n) {
		const struct frame *frame = cct_frame(profile->cct, nodes[--n]);

		if (frame_is_above_code(frame) == of_code)
			continue;
		write_frame(out, profile, frame);
		fputc('\n', out);
	}
	fclose(out);
	return lines;
}

static uint64_t samples_at(const struct profile *profile, uint32_t node)
{
	uint64_t n = 0;

	for (uint32_t metric = 0; metric < profile->n_metrics; metric++)
		n += cct_cost(profile->cct, node, metric)->samples;
	return n;
}

/* Samples of all processes whose code begins with these lines. */
static uint64_t count_prefix(char *const *paths, const struct profile *profile, const char *lines,
			     size_t size)
{
	uint64_t n = 0;

	for (uint32_t node = 0; node < profile->cct->n_nodes; node++)
		n += strncmp(paths[node], lines, size) == 0 ? samples_at(profile, node) : 0;
	return n;
}

#define SEEN_ONCE "/5 42\n" /* as write_frame() has the marker */

/* What a path should become. To free(). */
static char *expect_folded(char *const *paths, const struct profile *profile, const char *lines)
{
	char *folded;
	size_t size;
	FILE *out = open_memstream(&folded, &size);
	bool is_after_marker = false;

	assert_non_null(out);
	for (const char *at = lines, *next; *at; at = next) {
		const bool is_marker = strncmp(at, "/5 ", 3) == 0;

		next = strchr(at, '\n') + 1;
		if (is_marker || count_prefix(paths, profile, lines, (size_t)(next - lines)) > 1)
			fprintf(out, "%.*s", (int)(next - at), at);
		else if (!is_after_marker)
			fputs(SEEN_ONCE, out);
		is_after_marker = !is_marker &&
				  count_prefix(paths, profile, lines, (size_t)(next - lines)) <= 1;
	}
	fclose(out);
	return folded;
}

/* Adds the costs of all paths; @folds: as they should be when they are folded. */
static void add_lines(struct path_cost *costs, const struct profile *profile, bool folds)
{
	const uint32_t n = profile->cct->n_nodes;
	char **paths = calloc(n, sizeof(*paths));

	assert_non_null(paths);
	for (uint32_t node = 0; node < n; node++)
		paths[node] = lines_of(profile, node, true);
	for (uint32_t node = 0; node < n; node++) {
		char *whose = lines_of(profile, node, false);
		char *path =
			folds ? expect_folded(paths, profile, paths[node]) : strdup(paths[node]);

		for (uint32_t i = 0; i < profile->n_metrics; i++) {
			const struct cct_cost *cost = cct_cost(profile->cct, node, i);

			if (cost->samples)
				add_path(costs, sentence("%u\n%s%s", i, whose, path), cost);
		}
		free(path);
		free(whose);
	}
	for (uint32_t node = 0; node < n; node++)
		free(paths[node]);
	free(paths);
}

static uint64_t count_folded(const struct path_cost *costs)
{
	uint64_t n = 0;

	for (size_t i = 0; costs[i].path; i++)
		n += strstr(costs[i].path, SEEN_ONCE) ? costs[i].samples : 0;
	return n;
}

static void paths_seen_once_end_where_others_leave_them(void **state)
{
	uint64_t n_folded = 0;

	(void)state;
	assert_int_equal(MARKER_SEEN_ONCE, 42);
	for (uint64_t trial = 1; trial <= 2 * N_TRIALS; trial++) {
		struct path_cost expected[MAX_COSTS + 1] = { 0 }, found[MAX_COSTS + 1] = { 0 };

		seed = trial * 49979687;
		with_rows = trial % 2;
		struct profile *p[] = { make_profile(), make_profile() };
		struct profile *merged = merge(p, 2), *folded = fold(p, 2);
		add_lines(expected, merged, true);
		add_lines(found, folded, false);
		assert_int_equal(folded->quality.counts[QUALITY_FOLDED], count_folded(found));
		n_folded += count_folded(found);
		assert_equal_paths(found, expected);
		for (size_t i = 0; i < 2; i++)
			profile_destroy(p[i]);
		profile_destroy(merged);
		profile_destroy(folded);
	}
	with_rows = false;
	assert_true(n_folded > N_TRIALS);
}

/* Which samples get which address, test_join_addresses.c tests; merge() checks rows and sums. */
static void addresses_are_joined_in_any_order(void **state)
{
	uint64_t n_joined = 0;

	(void)state;
	joins_addresses = true;
	for (uint64_t trial = 1; trial <= 2 * N_TRIALS; trial++) {
		seed = trial * 32452843;
		with_rows = trial % 2;
		folds_once = trial % 3 == 0;
		struct profile *p[] = { make_profile(), make_profile() };
		struct profile *one = merge(p, 2), *other = merge_two(p[1], p[0]);
		struct profile *again = merge(&one, 1);
		assert_same(one, other);
		assert_same(one, again);
		n_joined += one->quality.counts[QUALITY_JOINED_ADDRESSES];
		for (size_t i = 0; i < 2; i++)
			profile_destroy(p[i]);
		profile_destroy(one);
		profile_destroy(other);
		profile_destroy(again);
	}
	joins_addresses = with_rows = folds_once = false;
	assert_true(n_joined > N_TRIALS);
}

/* The cost of each process and thread, by metric. */
static void add_tasks(struct path_cost *costs, const struct profile *profile)
{
	for (uint32_t node = 0; node < profile->cct->n_nodes; node++) {
		char *whose = lines_of(profile, node, false);

		for (uint32_t i = 0; i < profile->n_metrics; i++) {
			const struct metric *metric = &profile->metrics[i];
			const struct cct_cost *cost = cct_cost(profile->cct, node, i);

			if (cost->samples)
				add_path(costs,
					 sentence("%s %s\n%s", metric->name, metric->unit, whose),
					 cost);
		}
		free(whose);
	}
}

/* Of four profiles, in two sums that were folded apart, and then together. */
static void what_was_folded_is_merged_with_all_costs(void **state)
{
	(void)state;
	for (uint64_t trial = 1; trial <= 2 * N_TRIALS; trial++) {
		struct path_cost parts[MAX_COSTS + 1] = { 0 }, sum[MAX_COSTS + 1] = { 0 };
		struct profile *p[N_PROFILES];

		seed = trial * 86028121;
		with_rows = trial % 2;
		for (size_t i = 0; i < N_PROFILES; i++) {
			p[i] = make_profile();
			add_tasks(parts, p[i]);
		}
		struct profile *halves[] = { fold(p, 2), fold(p + 2, 2) };
		struct profile *all = fold(halves, 2);
		add_tasks(sum, all);
		assert_equal_paths(sum, parts);
		for (size_t i = 0; i < N_PROFILES; i++)
			profile_destroy(p[i]);
		profile_destroy(halves[0]);
		profile_destroy(halves[1]);
		profile_destroy(all);
	}
	with_rows = false;
}

static void folding_again_changes_nothing(void **state)
{
	static const uint32_t bounds[] = { MERGED_ROWS_MAX, 250 };

	(void)state;
	with_rows = true;
	for (uint64_t trial = 1; trial <= N_TRIALS; trial++) {
		seed = trial * 104395301;
		max_rows = bounds[trial % 2];
		struct profile *p[] = { make_profile(), make_profile(), make_profile() };
		struct profile *other[] = { p[2], p[0], p[1] };
		struct profile *folded = fold(p, 3), *in_other_order = fold(other, 3);
		struct profile *again = fold(&folded, 1), *merged = merge(&folded, 1);
		assert_same(folded, in_other_order);
		assert_same(folded, again);
		assert_same(folded, merged);
		for (size_t i = 0; i < 3; i++)
			profile_destroy(p[i]);
		profile_destroy(folded);
		profile_destroy(in_other_order);
		profile_destroy(again);
		profile_destroy(merged);
	}
	max_rows = MERGED_ROWS_MAX;
	with_rows = false;
}

/* What a sum leaves out that dendro agent ages. */
static void age(uint32_t n_samples_of_busy)
{
	with_rows = joins_processes = by_minute = folds_once = n_samples_of_busy > 0;
	n_busy = n_samples_of_busy;
}

/* The cost of each process and thread by their names, and by CPU. */
static void add_names(struct path_cost *costs, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->rows->n_rows; i++) {
		const struct sample_row *row = &profile->rows->rows[i];
		const struct profile_thread *thread =
			&profile->threads[profile->rows->tasks[row->task].thread];
		const struct metric *metric = &profile->metrics[row->metric];

		add_path(costs,
			 sentence("%s %s %s %s cpu %u", metric->name, metric->unit,
				  profile->processes[thread->process].name, thread->name, row->cpu),
			 &(struct cct_cost){ sample_rows_samples_of(profile->rows, i),
					     row->weight });
	}
}

static uint64_t count_joined(const struct profile *profile)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < profile->n_processes; i++) {
		const struct profile_process *process = &profile->processes[i];

		n += process->n_joined;
		assert_true(!process->n_joined || (process->pid == -1 && !process->epochs.n));
	}
	assert_int_equal(profile->quality.counts[QUALITY_SHORT_PROCESSES], n);
	return n;
}

static void what_ages_has_the_same_costs_by_name_in_any_order(void **state)
{
	uint64_t n_joined = 0;

	(void)state;
	for (uint64_t trial = 1; trial <= N_TRIALS / 4; trial++) {
		struct path_cost parts[MAX_COSTS + 1] = { 0 }, sum[MAX_COSTS + 1] = { 0 };
		struct profile *p[N_PROFILES];

		seed = trial * 15487469;
		age(20000);
		for (size_t i = 0; i < N_PROFILES; i++) {
			p[i] = make_profile();
			add_names(parts, p[i]);
		}
		struct profile *aged = merge(p, N_PROFILES);
		struct profile *other =
			merge((struct profile *[]){ p[2], p[0], p[3], p[1] }, N_PROFILES);
		struct profile *packed = merge_packed(p, N_PROFILES), *again = merge(&aged, 1);
		assert_same(aged, other);
		assert_same(aged, packed);
		assert_same(aged, again);
		struct profile *halves[] = { merge(p, 2), merge(p + 2, 2) };
		struct profile *whole = merge(halves, 2);
		n_joined += count_joined(aged);
		assert_true(count_joined(whole) >= count_joined(aged));
		add_names(sum, whole);
		assert_equal_paths(sum, parts);
		for (size_t i = 0; i < N_PROFILES; i++)
			profile_destroy(p[i]);
		profile_destroy(aged);
		profile_destroy(other);
		profile_destroy(packed);
		profile_destroy(again);
		profile_destroy(halves[0]);
		profile_destroy(halves[1]);
		profile_destroy(whole);
	}
	age(0);
	assert_true(n_joined > N_TRIALS / 4);
}

static void what_has_aged_is_read_back(void **state)
{
	age(2000);
	what_was_merged_is_read_back(state);
	age(0);
}

/* A process with a thread that has so many samples, the first at once, the last at @last_us. */
static void add_process(struct profile *profile, int32_t pid, const char *name, uint32_t n_samples,
			uint64_t last_us)
{
	struct frame frame = { .kind = FRAME_PROCESS };

	frame.offset = profile_add_process(profile, pid, name);
	const struct row_task task = {
		.thread = profile_add_thread(profile, pid, (uint32_t)frame.offset, name),
		.pid = pid,
		.tid = pid,
	};
	struct sample_row row = { .node = cct_child(profile->cct, CCT_ROOT, &frame) };
	frame = (struct frame){ .kind = FRAME_THREAD, .offset = task.thread };
	row.node = cct_child(profile->cct, row.node, &frame);
	assert_int_equal(sample_rows_enter_task(profile->rows, &task, name, name, &row.task), 0);
	for (uint32_t i = 0; i < n_samples; i++) {
		add_sample(profile, &row);
		profile->rows->rows[profile->rows->n_rows - 1].time =
			i + 1 < n_samples ? 0 : last_us * 1000;
	}
}

/* The process of that name and pid has so many samples and stands for so many; pid -1: joined. */
static void assert_process(const struct profile *profile, int32_t pid, const char *name,
			   uint64_t n_joined, uint64_t n_samples)
{
	uint32_t n_found = 0;

	for (uint32_t i = 0; i < profile->n_processes; i++) {
		const struct profile_process *process = &profile->processes[i];
		uint64_t n = 0;

		if (process->pid != pid || strcmp(process->name, name) != 0)
			continue;
		n_found++;
		assert_int_equal(process->n_joined, n_joined);
		for (uint32_t row = 0; row < profile->rows->n_rows; row++) {
			const struct row_task *task =
				&profile->rows->tasks[profile->rows->rows[row].task];

			if (profile->threads[task->thread].process != i)
				continue;
			assert_int_equal(task->pid, pid);
			n += sample_rows_samples_of(profile->rows, row);
		}
		assert_int_equal(n, n_samples);
	}
	assert_int_equal(n_found, n_samples > 0);
}

static struct profile *make_machine(void)
{
	const uint64_t minute_us = 1ull << 26;
	struct profile *profile = profile_create();

	assert_non_null(profile);
	profile->names = stored_names_create();
	profile->rows = calloc(1, sizeof(*profile->rows));
	profile->cct = cct_create(1);
	assert_true(profile->names && profile->rows && profile->cct);
	profile_add_metric(profile, "cycles", "events");
	with_rows = true;
	add_process(profile, 1, "loop", 5000, 10 * minute_us);
	add_process(profile, 0, "idle", 1, 0);
	add_process(profile, 10, "cc", 2, 0);
	add_process(profile, 11, "cc", 3, 2 * minute_us - 1); /* a slice and the next */
	add_process(profile, 12, "cc", 2, 2 * minute_us);     /* not so short */
	add_process(profile, 13, "cc", 6, 0);                 /* too many samples */
	add_process(profile, 14, "ld", 1, 0);                 /* the only one */
	with_rows = false;
	sample_rows_finish(profile->rows, 0);
	return profile;
}

static void short_processes_of_a_name_are_one(void **state)
{
	struct profile *machine = make_machine();

	(void)state;
	joins_processes = true;
	struct profile *sum = merge(&machine, 1);
	assert_process(sum, 1, "loop", 0, 5000);
	assert_process(sum, 0, "idle", 0, 1);
	assert_process(sum, -1, "cc", 2, 5);
	assert_process(sum, 10, "cc", 0, 0);
	assert_process(sum, 11, "cc", 0, 0);
	assert_process(sum, 12, "cc", 0, 2);
	assert_process(sum, 13, "cc", 0, 6);
	assert_process(sum, 14, "ld", 0, 1);
	assert_int_equal(count_joined(sum), 2);
	/* Whether rows are sums of minutes does not matter. */
	by_minute = true;
	struct profile *minutes = merge(&machine, 1), *later = merge(&sum, 1);
	assert_same(minutes, later);
	by_minute = false;
	/* Without the option, what was joined stays so, and is told from other processes. */
	joins_processes = false;
	struct profile *both = merge_two(sum, machine);
	assert_process(both, -1, "cc", 2, 5);
	assert_process(both, 10, "cc", 0, 2);
	assert_int_equal(count_joined(both), 2);
	profile_destroy(machine);
	profile_destroy(sum);
	profile_destroy(minutes);
	profile_destroy(later);
	profile_destroy(both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_and_grouping_do_not_matter),
		cmocka_unit_test(by_name_they_do_not_matter_either),
		cmocka_unit_test(nor_do_they_for_rows),
		cmocka_unit_test(two_builds_of_a_program_are_one_by_name),
		cmocka_unit_test(what_was_merged_is_read_back),
		cmocka_unit_test(activations_add_up),
		cmocka_unit_test(what_was_merged_with_rows_is_read_back),
		cmocka_unit_test(samples_of_a_sum_are_chosen_as_in_its_parts),
		cmocka_unit_test(without_rows_of_a_part_a_sum_has_none),
		cmocka_unit_test(each_path_has_its_cost_in_both_profiles),
		cmocka_unit_test(paths_seen_once_end_where_others_leave_them),
		cmocka_unit_test(what_was_folded_is_merged_with_all_costs),
		cmocka_unit_test(folding_again_changes_nothing),
		cmocka_unit_test(what_ages_has_the_same_costs_by_name_in_any_order),
		cmocka_unit_test(what_has_aged_is_read_back),
		cmocka_unit_test(addresses_are_joined_in_any_order),
		cmocka_unit_test(short_processes_of_a_name_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
