/* large_comparison NODES FILE: writes the page of a comparison of two made-up profiles with that
 * many call paths, the same ones, each sampled about once on each side. */
#include <stdio.h>
#include <stdlib.h>

#include "report/diff/diff_rows.h"
#include "report/fold/fold_profile.h"
#include "report/html/comparison_page.h"
#include "report/views/view.h"
#include "tests/bench/large_profile.h"

#define RUNS  2
#define VIEWS 2

static const enum view_kind kinds[VIEWS] = { VIEW_TREE, VIEW_FUNCTIONS };
static struct diff_source sources[RUNS] = {
	{ .path = "before.data", .side = DIFF_BEFORE, .amount = 1 },
	{ .path = "after.data", .side = DIFF_AFTER, .amount = 1 },
};

/* @folded: by node of the profile. @rows_of: by node of its fold. */
static int add_times(struct comparison_rows *times, const struct diff_rows *rows,
		     const struct profile *profile, size_t number, const uint32_t *folded,
		     const uint32_t *rows_of)
{
	uint32_t *paths = calloc(profile->cct->n_nodes, sizeof(*paths));
	const struct comparison_run run = {
		.number = number,
		.side = sources[number].side,
		.profile = profile,
		.profile_run = COMPARISON_ALL_RUNS,
		.paths = paths,
		.metrics = &(uint32_t){ 0 },
		.n_metrics = 1,
	};

	for (uint32_t i = 0; i < profile->cct->n_nodes; i++)
		paths[i] = folded[i] ? rows_of[folded[i]] : DIFF_NO_ROW;
	int err = comparison_rows_add(times, rows, &run);
	free(paths);
	return err;
}

static int add_run(struct diff_rows *rows, struct comparison_rows *times,
		   const struct profile *profile, size_t run)
{
	const struct symbolizer_options names = { .no_inlines = true };
	struct symbolizer *symbolizer = symbolizer_create(profile, &names);
	int err = 0;

	for (int i = 0; i < VIEWS && !err; i++) {
		const struct view_options options = { .kind = kinds[i], .errors = true };
		struct fold *fold = NULL;
		struct view *view = NULL;
		uint32_t *folded = NULL;
		uint32_t *rows_of = calloc(profile->cct->n_nodes, sizeof(*rows_of));

		err = fold_profile_mapped(profile, symbolizer, &options, &fold, &folded) ||
		      view_create_from_fold(profile, &options, fold, &view) ||
		      diff_rows_add(&rows[i], run, view, &(uint32_t){ 0 }, false,
				    i ? NULL : rows_of) ||
		      (!i && add_times(times, rows, profile, run, folded, rows_of));
		free(folded);
		free(rows_of);
		view_destroy(view);
		fold_destroy(fold);
	}
	symbolizer_destroy(symbolizer);
	return err;
}

static int write_page(const struct diff *diffs, const struct comparison_rows *times,
		      const char *path)
{
	const struct comparison_page page = { .paths = &diffs[0],
					      .functions = &diffs[1],
					      .rows = times };
	FILE *out = fopen(path, "w");
	int err = out ? comparison_page_write(out, &page) : 1;

	if (out)
		fclose(out);
	return err;
}

int main(int argc, char **argv)
{
	static const struct diff_metric metric = { .event = "cpu-clock", .unit = "ns" };
	struct diff_rows rows[VIEWS] = { { .n_runs = RUNS, .n_metrics = 1 },
					 { .n_runs = RUNS, .n_metrics = 1 } };
	struct diff diffs[VIEWS] = { 0 };
	struct comparison_rows times = { 0 };
	int err = argc != 3;

	for (size_t run = 0; run < RUNS && !err; run++) {
		struct profile *profile =
			large_profile_create((uint32_t)strtoul(argv[1], NULL, 10), run);

		err = add_run(rows, &times, profile, run);
		profile_destroy(profile);
	}
	for (int i = 0; i < VIEWS && !err; i++) {
		const struct diff_options options = { .view = kinds[i],
						      .measure = i ? DIFF_SELF : DIFF_TOTAL,
						      .metrics = &metric };

		err = diff_init(&diffs[i], &options, sources, &rows[i]);
	}
	if (!err)
		err = write_page(diffs, &times, argv[2]);
	comparison_rows_deinit(&times);
	for (int i = 0; i < VIEWS; i++) {
		diff_deinit(&diffs[i]);
		diff_rows_deinit(&rows[i]);
	}
	return err ? 1 : 0;
}
