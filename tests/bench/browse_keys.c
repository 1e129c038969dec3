/*
 * browse_keys NODES: how long each key of dendro browse takes in a made-up profile with that many
 * nodes, as dendro build stores one. The ends of many paths are the kernel's. Times are the
 * processor's, which other processes do not change; the first key is pressed when the thread that
 * fetches memory has ended, and what browse_prepare() makes is there.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/browse/browse.h"
#include "report/browse/browse_change.h"
#include "report/names/names_store.h"
#include "tests/bench/key_times.h"
#include "tests/bench/large_profile.h"

static void make_kernel(struct profile *profile)
{
	struct cct *cct = profile->cct;
	bool *is_kernel = calloc(cct->n_nodes, sizeof(*is_kernel));

	for (uint32_t i = 2; is_kernel && i < cct->n_nodes; i++) {
		struct frame frame = *cct_frame(cct, i);

		is_kernel[i] = is_kernel[cct->nodes[i].parent] ||
			       (i * UINT64_C(0x9e3779b97f4a7c15)) >> 60 == 0;
		frame.kind = is_kernel[i] ? FRAME_KERNEL : FRAME_USER;
		cct->nodes[i].frame = frame_ids_enter(&cct->frames, &frame) & (FRAME_IDS_MAX - 1);
	}
	free(is_kernel);
}

/* As dendro build does it. */
static void store_names(struct profile *profile)
{
	const struct symbolizer_options named = { .lines = true };
	struct symbolizer *symbolizer = symbolizer_create(profile, &named);

	if (!symbolizer || names_store(profile, symbolizer, NULL, &profile->names))
		abort();
	symbolizer_destroy(symbolizer);
}

static void press(struct browse *browse, enum browse_action action, const char *what)
{
	const double start_ms = key_times_now_ms();
	const int err = browse_act(browse, action);

	key_times_tell(what, start_ms, browse_rows(browse)->n_lines,
		       err ? "FAILED" : browse->message);
}

static void type_focus(struct browse *browse, const char *regex)
{
	const double start_ms = key_times_now_ms();

	browse_add_regex(browse, PATH_FOCUS, regex);
	printf("%8.1f ms  F %s\n", key_times_now_ms() - start_ms, regex);
}

static void press_all(struct browse *browse)
{
	press(browse, ACTION_HOT_PATH, "p hot path");
	press(browse, ACTION_UNFOLD_ALL, "* unfold all");
	press(browse, ACTION_SORT, "s sort");
	press(browse, ACTION_CALLERS, "2 callers, first");
	press(browse, ACTION_FUNCTIONS, "3 functions, first");
	press(browse, ACTION_MODULES, "4 modules, first");
	press(browse, ACTION_ICICLE, "6 icicle, first");
	press(browse, ACTION_FUNCTIONS, "3 functions, again");
	press(browse, ACTION_FIRST, "g");
	press(browse, ACTION_PATHS_FROM, "r paths from");
	press(browse, ACTION_TURN_PATHS, "d paths to");
	press(browse, ACTION_UNDO, "u");
	press(browse, ACTION_UNDO, "u");
	press(browse, ACTION_LINES, "5 lines, of the whole");
	press(browse, ACTION_KERNEL, "K kernel none, of lines");
	press(browse, ACTION_KERNEL, "K kernel only, of lines");
	press(browse, ACTION_KERNEL, "K kernel too, of lines");
	press(browse, ACTION_TREE, "1 tree");
}

static void press_filters(struct browse *browse)
{
	press(browse, ACTION_KERNEL, "K kernel none");
	press(browse, ACTION_KERNEL, "K kernel only");
	press(browse, ACTION_MODULES, "4 modules, kernel only");
	press(browse, ACTION_TREE, "1 tree");
	press(browse, ACTION_UNDO, "u to kernel none");
	press(browse, ACTION_CALLERS, "2 callers, kernel none");
	press(browse, ACTION_TREE, "1 tree");
	press(browse, ACTION_UNDO, "u to all");
	press(browse, ACTION_HOT_PATH, "p");
	press(browse, ACTION_FOCUS, "f focus, in the tree");
	press(browse, ACTION_UNDO, "u");
	press(browse, ACTION_IGNORE, "i ignore, in the tree");
	press(browse, ACTION_KERNEL, "K kernel none, with ignore");
	press(browse, ACTION_UNDO, "u to ignore");
	press(browse, ACTION_UNDO, "u to all");
	press(browse, ACTION_HOT_PATH, "p");
	press(browse, ACTION_FOCUS_MODULE, "o only the module");
	press(browse, ACTION_UNDO, "u");
	press(browse, ACTION_FIRST, "g");
	press(browse, ACTION_ZOOM, "z the process alone");
	press(browse, ACTION_UNDO, "u");
	type_focus(browse, "json.*lock");
	press(browse, ACTION_UNDO, "u");
	press(browse, ACTION_FUNCTIONS, "3 functions");
	press(browse, ACTION_FIRST, "g");
	press(browse, ACTION_IGNORE, "i ignore, in the functions");
	press(browse, ACTION_UNDO, "u");
	press(browse, ACTION_FOCUS, "f focus, in the functions");
	press(browse, ACTION_LINES, "5 lines, first");
}

static int count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int n = -2; /* . and .. */

	while (tasks && readdir(tasks))
		n++;
	if (tasks)
		closedir(tasks);
	return n;
}

static void fetch_memory(struct browse *browse)
{
	const double start_ms = key_times_now_ms();

	browse_fetch_memory(browse);
	while (count_threads() > 1)
		usleep(10000);
	printf("%8.1f ms  memory, by a thread, while nothing waits\n",
	       key_times_now_ms() - start_ms);
}

static void prepare(struct browse *browse)
{
	const double start_ms = key_times_now_ms();

	if (browse_prepare(browse))
		abort();
	printf("%8.1f ms  prepared, while nothing waits\n", key_times_now_ms() - start_ms);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	struct profile *profile = large_profile_create((uint32_t)strtoul(argv[1], NULL, 10), 0);
	make_kernel(profile);
	store_names(profile);
	const struct browse_options options = { .source = "large.cct", .min_percent = 0.5 };
	struct symbolizer *symbolizer = symbolizer_create(profile, &options.symbolizer);
	struct browse *browse;

	browse_keep_memory();
	const double start_ms = key_times_now_ms();
	if (!symbolizer || browse_create(profile, symbolizer, &options, &browse))
		return 1;
	printf("%8.1f ms  start, %u nodes\n", key_times_now_ms() - start_ms, profile->cct->n_nodes);
	fetch_memory(browse);
	prepare(browse);
	press_all(browse);
	press_filters(browse);
	browse_destroy(browse);
	symbolizer_destroy(symbolizer);
	profile_destroy(profile);
	return 0;
}
