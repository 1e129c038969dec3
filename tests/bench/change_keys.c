/*
 * change_keys NODES: how long each key of dendro diff --browse takes where two made-up profiles
 * with that many nodes are compared, of which the second has costs of its own in some paths. Times
 * are the processor's, which other processes do not change.
 */
#include <stdio.h>
#include <stdlib.h>

#include "report/changes/change_list.h"
#include "report/views/view.h"
#include "tests/bench/key_times.h"
#include "tests/bench/large_profile.h"

static int add_run(struct diff_rows *rows, size_t run, uint32_t n_nodes)
{
	struct profile *profile = large_profile_create(n_nodes, 0);
	const struct view_options options = { .kind = VIEW_TREE, .errors = true };
	const uint32_t metrics[] = { 0 };
	struct view *view = NULL;

	/* What the change made slower. */
	for (uint32_t i = 2; run && i < profile->cct->n_nodes; i += 5000) {
		for (unsigned n = 0; n < 100; n++) {
			cct_add_cost(profile->cct, i, 0, 1000000);
			profile->metrics[0].total += 1000000;
			profile->metrics[0].samples++;
		}
	}
	struct symbolizer *symbolizer =
		symbolizer_create(profile, &(struct symbolizer_options){ .no_inlines = true });
	int err = symbolizer ? view_create(profile, symbolizer, &options, &view) : -1;
	if (!err)
		err = diff_rows_add(rows, run, view, metrics, false, NULL);
	view_destroy(view);
	symbolizer_destroy(symbolizer);
	profile_destroy(profile);
	return err;
}

static void tell(const char *key, double start_ms, const struct change_list *list)
{
	key_times_tell(key, start_ms, list->n_lines, "");
}

static void reorder(struct change_list *list, const char *key, enum diff_measure measure,
		    bool significant_only)
{
	const struct change_order order = { 0, measure, significant_only };
	const double start_ms = key_times_now_ms();
	const int err = change_list_reorder(list, &order);

	tell(err ? "FAILED" : key, start_ms, list);
}

static void press(struct change_list *list, const char *key, void (*act)(struct change_list *list))
{
	const double start_ms = key_times_now_ms();

	act(list);
	tell(key, start_ms, list);
}

static void search(struct change_list *list, const char *text, bool backward)
{
	char key[64];
	const double start_ms = key_times_now_ms();
	const bool is_found = change_list_search(list, text, backward);

	snprintf(key, sizeof(key), "%s %s%s", backward ? "N" : "n", text, is_found ? "" : ", none");
	tell(key, start_ms, list);
}

static void press_all(struct change_list *list)
{
	press(list, "p what moved most", change_list_follow);
	press(list, "h fold", change_list_fold);
	press(list, "l unfold", change_list_unfold);
	for (unsigned i = 0; i < 3; i++)
		search(list, "json_lock", false);
	search(list, "json_lock", true);
	search(list, "no such name", false);
	reorder(list, "s self", DIFF_SELF, false);
	reorder(list, "s total, again", DIFF_TOTAL, false);
	reorder(list, "f only movers", DIFF_TOTAL, true);
	search(list, "json_lock", false);
	reorder(list, "f all, again", DIFF_TOTAL, false);
}

int main(int argc, char **argv)
{
	static const struct diff_metric metrics[] = { { "cpu-clock", "ns" } };
	const struct diff_source sources[] = { { .path = "before.cct", .side = DIFF_BEFORE },
					       { .path = "after.cct", .side = DIFF_AFTER } };
	const struct diff_options options = {
		.view = VIEW_TREE, .view_name = "tree", .measure = DIFF_TOTAL, .metrics = metrics
	};
	const struct change_order order = { .measure = DIFF_TOTAL };
	struct diff_rows rows = { .n_runs = 2, .n_metrics = 1 };
	struct change_list list;
	struct diff diff;

	if (argc != 2)
		return 2;
	for (size_t run = 0; run < 2; run++) {
		if (add_run(&rows, run, (uint32_t)strtoul(argv[1], NULL, 10)))
			return 1;
		rows.metrics[0].runs[run].side = sources[run].side;
	}
	if (diff_init(&diff, &options, sources, &rows))
		return 1;
	const double start_ms = key_times_now_ms();
	if (change_list_init(&list, &diff, &order))
		return 1;
	printf("%zu rows\n", diff.rows.n_rows);
	tell("start", start_ms, &list);
	press_all(&list);
	change_list_deinit(&list);
	diff_deinit(&diff);
	return 0;
}
