#include "report/formats/sqlite.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/paths/sample_list.h"
#include "report/formats/sqlite_rows.h"
#include "report/formats/sqlite_schema.h"
#include "report/stacks/stack_tree.h"

struct writer {
	struct sqlite_rows rows;
	const struct profile *profile;
	const struct path_options *options;
	struct stack_tree *tree;
	struct sample_list samples;
	struct cct_cost *self, *total; /* [node of the stack tree * n_metrics + metric] */
};

const char *sqlite_lacks(void)
{
	return NULL;
}

/* -- what was recorded ---------------------------------------------------------------------- */

static void write_fact(struct writer *writer, const char *key, const char *text)
{
	if (!text)
		return;
	sqlite_rows_text(&writer->rows, key);
	sqlite_rows_text(&writer->rows, text);
	sqlite_rows_end(&writer->rows);
}

static void write_number(struct writer *writer, const char *key, uint64_t number)
{
	sqlite_rows_text(&writer->rows, key);
	sqlite_rows_number(&writer->rows, number);
	sqlite_rows_end(&writer->rows);
}

static void write_info(struct writer *writer, const struct path_options *options)
{
	const struct profile_info *info = &writer->profile->info;

	sqlite_rows_begin(&writer->rows, "INSERT INTO info VALUES(?,?)");
	write_fact(writer, "command", info->command_line);
	write_fact(writer, "host", info->hostname);
	write_fact(writer, "kernel", info->os_release);
	write_fact(writer, "architecture", info->arch);
	write_fact(writer, "processor", info->cpu);
	write_fact(writer, "recorder", info->tool_version);
	write_fact(writer, "selection", options->selection);
	write_fact(writer, "truncated", info->truncated);
	write_number(writer, "duration_ns", info->end_ns - info->start_ns);
	if (info->has_date)
		write_number(writer, "start_unix_ns", info->start_ns + info->unix_offset_ns);
}

static void write_events(struct writer *writer)
{
	const struct profile *profile = writer->profile;

	sqlite_rows_begin(&writer->rows, "INSERT INTO events VALUES(?,?,?,?,?,?)");
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		const struct metric *metric = &profile->metrics[i];

		sqlite_rows_number(&writer->rows, i);
		sqlite_rows_text(&writer->rows, metric->name);
		sqlite_rows_text(&writer->rows, metric->unit);
		sqlite_rows_number(&writer->rows, metric->samples);
		sqlite_rows_number(&writer->rows, metric->total);
		sqlite_rows_number(&writer->rows, metric->lost);
		sqlite_rows_end(&writer->rows);
	}
}

static void write_tasks(struct writer *writer)
{
	const struct profile *profile = writer->profile;

	sqlite_rows_begin(&writer->rows, "INSERT INTO processes VALUES(?,?,?)");
	for (uint32_t i = 0; i < profile->n_processes; i++) {
		sqlite_rows_number(&writer->rows, i);
		sqlite_rows_number(&writer->rows, (uint64_t)profile->processes[i].pid);
		sqlite_rows_text(&writer->rows, profile->processes[i].name);
		sqlite_rows_end(&writer->rows);
	}
	sqlite_rows_begin(&writer->rows, "INSERT INTO threads VALUES(?,?,?,?)");
	for (uint32_t i = 0; i < profile->n_threads; i++) {
		sqlite_rows_number(&writer->rows, i);
		sqlite_rows_number(&writer->rows, profile->threads[i].process);
		sqlite_rows_number(&writer->rows, (uint64_t)profile->threads[i].tid);
		sqlite_rows_text(&writer->rows, profile->threads[i].name);
		sqlite_rows_end(&writer->rows);
	}
}

/* -- code ----------------------------------------------------------------------------------- */

static void write_modules(struct writer *writer)
{
	const struct module_table *modules = &writer->profile->modules;
	char build_id[BUILD_ID_TEXT_SIZE];

	sqlite_rows_begin(&writer->rows, "INSERT INTO modules VALUES(?,?,?,?)");
	for (uint32_t i = 1; i < modules->n_modules; i++) {
		const struct module *module = module_table_get(modules, i);

		build_id_format(&module->key.build_id, build_id);
		sqlite_rows_number(&writer->rows, i);
		sqlite_rows_text(&writer->rows, module->key.path);
		sqlite_rows_text(&writer->rows, module_title(module));
		sqlite_rows_text(&writer->rows, module->key.build_id.size ? build_id : NULL);
		sqlite_rows_end(&writer->rows);
	}
}

static void write_functions(struct writer *writer)
{
	static const char *const kinds[N_STACK_KINDS] = {
		[STACK_USER] = "user",
		[STACK_KERNEL] = "kernel",
		[STACK_JIT] = "jit",
		[STACK_MARK] = "marker",
	};
	const struct stack_tree *tree = writer->tree;

	sqlite_rows_begin(&writer->rows, "INSERT INTO functions VALUES(?,?,?,?,?)");
	for (uint32_t i = 0; i < tree->n_functions; i++) {
		const struct stack_function *function = &tree->functions[i];

		sqlite_rows_number(&writer->rows, i);
		sqlite_rows_text(&writer->rows, function->name);
		sqlite_rows_text(&writer->rows, kinds[function->kind]);
		sqlite_rows_optional(&writer->rows,
				     function->module ? function->module : UINT32_MAX);
		sqlite_rows_text(&writer->rows, function->file);
		sqlite_rows_end(&writer->rows);
	}
}

static void write_frames(struct writer *writer)
{
	const struct stack_tree *tree = writer->tree;

	sqlite_rows_begin(&writer->rows, "INSERT INTO frames VALUES(?,?,?,?,?,?)");
	for (uint32_t i = 0; i < tree->n_frames; i++) {
		const struct stack_frame *frame = &tree->frames[i];

		sqlite_rows_number(&writer->rows, i);
		sqlite_rows_number(&writer->rows, frame->function);
		sqlite_rows_number(&writer->rows,
				   writer->profile->cct->frames.frames[frame->cct].offset);
		sqlite_rows_number(&writer->rows, frame->depth);
		sqlite_rows_text(&writer->rows, frame->file);
		sqlite_rows_optional(&writer->rows, frame->line ? frame->line : UINT32_MAX);
		sqlite_rows_end(&writer->rows);
	}
}

/* -- call paths ----------------------------------------------------------------------------- */

static bool is_recursive(const struct stack_tree *tree, uint32_t node)
{
	const uint32_t function = tree->frames[tree->nodes[node].frame].function;

	for (uint32_t at = tree->nodes[node].parent; at != STACK_NONE;
	     at = tree->nodes[at].parent) {
		if (tree->frames[tree->nodes[at].frame].function == function)
			return true;
	}
	return false;
}

static void write_paths(struct writer *writer)
{
	const struct stack_tree *tree = writer->tree;

	sqlite_rows_begin(&writer->rows, "INSERT INTO paths VALUES(?,?,?,?)");
	for (uint32_t i = 0; i < tree->n_nodes; i++) {
		sqlite_rows_number(&writer->rows, i);
		sqlite_rows_optional(&writer->rows, tree->nodes[i].parent);
		sqlite_rows_number(&writer->rows, tree->nodes[i].frame);
		sqlite_rows_number(&writer->rows, is_recursive(tree, i));
		sqlite_rows_end(&writer->rows);
	}
}

static void add_cost(struct cct_cost *to, const struct cct_cost *cost)
{
	to->samples += cost->samples;
	to->weight += cost->weight;
}

static int sum_costs(struct writer *writer)
{
	const struct stack_tree *tree = writer->tree;
	const struct cct *cct = writer->profile->cct;
	const size_t n_metrics = cct->n_metrics, n = tree->n_nodes * n_metrics + 1;

	writer->self = calloc(n, sizeof(*writer->self));
	writer->total = calloc(n, sizeof(*writer->total));
	if (!writer->self || !writer->total)
		return -ENOMEM;
	for (uint32_t i = CCT_ROOT + 1; i < cct->n_nodes; i++) {
		for (uint32_t metric = 0; metric < n_metrics && tree->node_of[i] != STACK_NONE;
		     metric++)
			add_cost(&writer->self[tree->node_of[i] * n_metrics + metric],
				 cct_cost(cct, i, metric));
	}
	for (size_t i = n - 1; i-- > 0;) {
		const uint32_t parent = tree->nodes[i / n_metrics].parent;

		add_cost(&writer->total[i], &writer->self[i]);
		if (parent != STACK_NONE)
			add_cost(&writer->total[parent * n_metrics + i % n_metrics],
				 &writer->total[i]);
	}
	return 0;
}

static void write_path_costs(struct writer *writer)
{
	const size_t n_metrics = writer->profile->cct->n_metrics;

	sqlite_rows_begin(&writer->rows, "INSERT INTO path_costs VALUES(?,?,?,?,?,?)");
	for (size_t i = 0; i < writer->tree->n_nodes * n_metrics; i++) {
		if (!writer->total[i].samples)
			continue;
		sqlite_rows_number(&writer->rows, i / n_metrics);
		sqlite_rows_number(&writer->rows, i % n_metrics);
		sqlite_rows_number(&writer->rows, writer->self[i].samples);
		sqlite_rows_number(&writer->rows, writer->self[i].weight);
		sqlite_rows_number(&writer->rows, writer->total[i].samples);
		sqlite_rows_number(&writer->rows, writer->total[i].weight);
		sqlite_rows_end(&writer->rows);
	}
}

static void write_samples(struct writer *writer)
{
	const bool has_times = writer->profile->rows != NULL;

	sqlite_rows_begin(&writer->rows, "INSERT INTO samples VALUES(NULL,?,?,?,?,?,?,?,?)");
	path_options_expect(writer->options, writer->samples.n);
	for (size_t i = 0; i < writer->samples.n && !writer->rows.err; i++) {
		const struct listed_sample sample = sample_list_get(&writer->samples, i);

		if (has_times)
			sqlite_rows_number(&writer->rows, sample.time_ns);
		else
			sqlite_rows_optional(&writer->rows, UINT32_MAX);
		sqlite_rows_number(&writer->rows, sample.metric);
		sqlite_rows_optional(&writer->rows, sample.process);
		sqlite_rows_optional(&writer->rows, sample.thread);
		sqlite_rows_optional(&writer->rows, sample.cpu);
		sqlite_rows_optional(&writer->rows, writer->tree->node_of[sample.node]);
		sqlite_rows_number(&writer->rows, sample.samples);
		sqlite_rows_number(&writer->rows, sample.weight);
		sqlite_rows_end(&writer->rows);
		path_options_written(writer->options, 1);
	}
}

static int write_all(struct writer *writer, FILE *out, const struct path_options *options)
{
	sqlite_rows_open(&writer->rows, sqlite_schema_tables);
	write_info(writer, options);
	write_events(writer);
	write_tasks(writer);
	write_modules(writer);
	write_functions(writer);
	write_frames(writer);
	write_paths(writer);
	write_path_costs(writer);
	write_samples(writer);
	sqlite_rows_run(&writer->rows, sqlite_schema_views);
	int err = sqlite_rows_finish(&writer->rows, out);
	sqlite_rows_close(&writer->rows);
	return err;
}

int sqlite_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		 const struct path_options *options)
{
	struct writer writer = { .profile = profile, .options = options };
	int err = stack_tree_create(profile, symbolizer, STACKS_OF_CODE, &writer.tree);

	if (!err)
		err = sample_list_init(&writer.samples, profile);
	if (!err)
		err = sum_costs(&writer);
	if (!err)
		err = write_all(&writer, out, options);
	sample_list_deinit(&writer.samples);
	stack_tree_destroy(writer.tree);
	free(writer.self);
	free(writer.total);
	return err;
}
