#include "collector/commands/next_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/store/profile_file.h"
#include "cct/text/shell_word.h"
#include "report/browse/browse_screen.h"

static void write_word(const char *word)
{
	_cleanup_free_ char *shown = printable_copy(word);

	putchar(' ');
	if (shown)
		shell_word_write(stdout, shown, strlen(shown));
}

/* Those of the report; the usual recording need not be named. */
static void write_files(const struct report_options *options)
{
	const bool is_default =
		options->n_paths == 1 && strcmp(options->path, DEFAULT_RECORDING) == 0;

	for (size_t i = 0; i < options->n_paths && !is_default; i++)
		write_word(options->paths[i]);
	putchar('\n');
}

/* Whether the row's name can be given to an option as it is: not a pattern, marker or offset. */
static bool has_plain_name(const struct view_row *row)
{
	return row->name && *row->name && printable_is_safe(row->name) &&
	       !strpbrk(row->name, "*?[]") && !strstr(row->name, "+0x");
}

/* The row of this kind with the highest self or total cost; NULL: none has any. */
static const struct view_row *find_costliest(const struct view *view, enum row_kind kind,
					     enum view_sort by)
{
	const uint32_t metric = view->options.sort_metric;
	const struct view_row *costliest = NULL;
	uint64_t most = 0;

	for (const struct view_row *row = view->root->children; row; row = row->next) {
		const uint64_t cost = by == SORT_SELF ? row->self[metric] : row->total[metric];

		if (row->kind != kind || cost <= most)
			continue;
		costliest = row;
		most = cost;
	}
	return costliest;
}

static bool offer_code(const struct report_options *options, const struct view *view)
{
	const struct view_row *row = find_costliest(view, ROW_USER, SORT_SELF);

	if (!row || !has_plain_name(row) || options->n_paths != 1 ||
	    profile_file_is_at(options->path))
		return false;
	fputs("\nTo see its hottest code: dendro annotate", stdout);
	write_word(row->name);
	write_files(options);
	return true;
}

static bool offer_task(const struct report_options *options, const struct view *view)
{
	static const enum row_kind kinds[] = { [VIEW_PROCESSES] = ROW_PROCESS,
					       [VIEW_THREADS] = ROW_THREAD,
					       [VIEW_CGROUPS] = ROW_CGROUP };
	const struct view_row *row = find_costliest(view, kinds[view->options.kind], SORT_TOTAL);
	const char *option = view->options.kind == VIEW_CGROUPS ? "--cgroup" : "--comm";

	if (!row || !view->root->children->next || view->options.each_cpu)
		return false;
	if (view->options.kind == VIEW_THREADS && row->id >= 0) {
		printf("\nTo see the costliest alone: dendro report --tid %" PRId32, row->id);
	} else if (view->options.kind != VIEW_THREADS && has_plain_name(row)) {
		printf("\nTo see the costliest alone: dendro report %s", option);
		write_word(row->name);
	} else {
		return false;
	}
	write_files(options);
	return true;
}

static bool offer_for_view(const struct report_options *options, const struct view *view)
{
	switch (view->options.kind) {
	case VIEW_FUNCTIONS:
	case VIEW_LINES:
		return offer_code(options, view);
	case VIEW_PROCESSES:
	case VIEW_THREADS:
	case VIEW_CGROUPS:
		return offer_task(options, view);
	default:
		return false;
	}
}

void next_command_write(const struct report_options *options, const struct view *view)
{
	for (size_t i = 0; i < options->n_paths; i++) {
		if (strcmp(options->paths[i], "-") == 0)
			return;
	}
	if (offer_for_view(options, view) || !browse_screen_is_there())
		return;
	fputs("\nTo walk through it: dendro browse", stdout);
	write_files(options);
}
