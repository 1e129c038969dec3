/* dendro report: a recording -> a profile -> a view, shown. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/cleanup.h"
#include "collector/build_profile.h"
#include "collector/commands.h"
#include "collector/pager.h"
#include "collector/report_options.h"
#include "collector/terminal.h"

#define DEFAULT_WIDTH 100
#define USAGE_STATUS  129

static bool wants_color(const struct report_options *options, bool is_terminal)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	if (options->color != REPORT_COLOR_AUTO)
		return options->color == REPORT_COLOR_ALWAYS;
	return is_terminal && !(no_color && *no_color) &&
	       !(terminal && strcmp(terminal, "dumb") == 0);
}

static int show(struct report_options *options, const struct profile *profile,
		struct symbolizer *symbolizer)
{
	bool is_text = strcmp(options->format->name, "text") == 0;
	bool is_terminal = isatty(STDOUT_FILENO);
	struct pager pager = { 0 };
	struct view *view;
	int err;

	if (is_text)
		options->view.min_percent = options->export.min_percent;
	err = view_create(profile, symbolizer, &options->view, &view);
	if (err)
		return report_complain("%s", strerror(-err));
	options->export.source = options->path;
	options->export.width = terminal_width();
	if (!options->export.width)
		options->export.width = DEFAULT_WIDTH;
	options->export.color = wants_color(options, is_terminal);
	if (is_text && is_terminal && !options->no_pager)
		pager_start(&pager);
	__fsetlocking(stdout, FSETLOCKING_BYCALLER); /* no other thread writes */
	err = options->format->write(stdout, view, symbolizer, &options->export);
	/* A reader who has seen enough is no error. */
	if (err == -EPIPE)
		err = 0;
	pager_finish(&pager);
	view_destroy(view);
	return err ? report_complain("cannot write the report: %s", strerror(-err)) : 0;
}

static bool is_asked_for(const struct build_filter *filter, const char *event)
{
	for (size_t i = 0; i < filter->n_events; i++) {
		if (strcmp(filter->events[i], event) == 0)
			return true;
	}
	return !filter->n_events;
}

/* Events that were left out have no samples: they go from the profile altogether. */
static void drop_other_events(const struct build_filter *filter, struct profile *profile)
{
	struct cct *cct = profile->cct;
	uint32_t n_all = cct->n_metrics, n_kept = 0;
	size_t n_costs = 0;
	_cleanup_free_ bool *kept = calloc(n_all + 1, sizeof(*kept));

	for (uint32_t i = 0; kept && i < n_all; i++)
		n_kept += kept[i] = is_asked_for(filter, profile->metrics[i].name);
	if (!kept || !n_kept || n_kept == n_all)
		return;
	for (size_t i = 0; i < (size_t)cct->n_nodes * n_all; i++) {
		if (kept[i % n_all])
			cct->costs[n_costs++] = cct->costs[i];
	}
	profile->n_metrics = 0;
	for (uint32_t i = 0; i < n_all; i++) {
		if (kept[i])
			profile->metrics[profile->n_metrics++] = profile->metrics[i];
		else
			free(profile->metrics[i].name);
	}
	cct->n_metrics = n_kept;
}

static int report(struct report_options *options, struct profile *profile)
{
	struct symbolizer *symbolizer;
	int err = report_options_check_events(options, profile);

	if (err)
		return err;
	drop_other_events(&options->build.filter, profile);
	err = report_options_choose_sort(options, profile);
	if (!err)
		err = report_options_choose_ratios(options, profile);
	if (err)
		return err;
	symbolizer = symbolizer_create(profile, &options->symbolizer);
	if (!symbolizer)
		return report_complain("out of memory");
	err = show(options, profile, symbolizer);
	symbolizer_destroy(symbolizer);
	return err;
}

/* Some messages name the file already. */
static int complain_of_file(const char *path, const char *message)
{
	if (strncmp(message, path, strlen(path)) == 0)
		return report_complain("%s", message);
	return report_complain("%s: %s", path, message);
}

int cmd_report(int argc, char **argv)
{
	struct report_options options;
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;
	int err = report_options_init(&options, argc, argv);

	if (err) {
		report_options_deinit(&options);
		return err < 0 ? USAGE_STATUS : 0;
	}
	setlocale(LC_CTYPE, "");
	err = build_profile(options.path, &options.build, &profile, &error);
	if (err)
		complain_of_file(options.path, error ? error : strerror(-err));
	else
		err = report(&options, profile);
	if (!err && error)
		err = complain_of_file(options.path, error);
	profile_destroy(profile);
	report_options_deinit(&options);
	return err ? 1 : 0;
}
