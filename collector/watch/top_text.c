#include "collector/watch/top_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/printable.h"
#include "cct/base/sentence.h"
#include "report/views/view.h"

char *top_text_status(const struct profile *profile, uint32_t metric, double percent)
{
	const struct profile_info *info = &profile->info;
	const struct metric *shown = &profile->metrics[metric];

	const double seconds = (double)(info->end_ns - info->start_ns) / (double)NSEC_PER_SEC;
	_cleanup_free_ char *part =
		info->has_window ? sentence("last %.1f of ",
					    seconds - (double)info->window.from_us * NSEC_PER_USEC /
							      (double)NSEC_PER_SEC)
				 : strdup("");

	if (!part)
		return NULL;
	return sentence("%s%.1f s, %" PRIu64 " sample%s, %" PRIu64 " lost, dendro %.1f%% of a CPU, "
			"%s%s%s",
			part, seconds, shown->samples, shown->samples == 1 ? "" : "s",
			profile->quality.counts[QUALITY_LOST], percent, shown->name,
			info->truncated ? "; " : "", info->truncated ? info->truncated : "");
}

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_row(const struct view *view, const struct view_row *row)
{
	const uint32_t metric = view->options.sort_metric;
	const uint64_t whole = view->root->total[metric];

	printf("%6.2f%% %6.2f%% %9" PRIu64 "  ", percent_of(row->total[metric], whole),
	       percent_of(row->self[metric], whole), row->samples[metric]);
	printable_put(stdout, row->name);
	if (row->kind == ROW_INLINE)
		fputs(" (inlined)", stdout);
	if (row->id >= 0)
		printf(" (%" PRId32 ")", row->id);
	if (*row->module) {
		fputs("  ", stdout);
		printable_put(stdout, row->module);
	}
	putchar('\n');
}

static int print_rows(const struct top_options *options, const struct snapshot *snapshot,
		      const struct view_options *view_options)
{
	uint64_t n = 0, n_left = 0;
	struct view *view;
	int err = view_create(snapshot->profile, snapshot->symbolizer, view_options, &view);

	if (err)
		return err;
	puts("  total    self   samples  name");
	for (const struct view_row *row = view->root->children; row; row = row->next) {
		if (n++ < options->n_rows)
			print_row(view, row);
		else
			n_left++;
	}
	if (n_left)
		printf("%" PRIu64 " more row%s\n", n_left, n_left == 1 ? "" : "s");
	view_destroy(view);
	return 0;
}

static int finish(int err)
{
	putchar('\n');
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = errno ? -errno : -EIO;
	return err;
}

int top_text_print(const struct top_options *options, const struct snapshot *snapshot,
		   double percent)
{
	const uint32_t metric = options->report.view.sort_metric;
	_cleanup_free_ char *status = top_text_status(snapshot->profile, metric, percent);

	if (!status)
		return -ENOMEM;
	printf("dendro %s: ", options->report.command);
	printable_put(stdout, status);
	putchar('\n');
	return finish(print_rows(options, snapshot, &options->report.view));
}

int top_text_print_none(const struct top_options *options, double percent)
{
	printf("dendro %s: no samples so far, dendro %.1f%% of a CPU\n", options->report.command,
	       percent);
	return finish(0);
}
