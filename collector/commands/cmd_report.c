/* dendro report: a recording -> a profile -> a view, shown. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "collector/command-line/pager.h"
#include "collector/command-line/report_options.h"
#include "collector/command-line/terminal.h"
#include "collector/commands/commands.h"
#include "collector/files/fetched_profile.h"
#include "collector/replay/build_profile.h"
#include "report/views/view.h"

#define DEFAULT_WIDTH 100
#define USAGE_STATUS  129

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
	options->export.color = report_options_want_color(options, is_terminal);
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

static int report(struct report_options *options, struct profile *profile)
{
	struct symbolizer *symbolizer;
	int err = report_options_check_events(options, profile);

	if (err)
		return err;
	err = report_options_drop_events(options, profile);
	if (!err)
		err = report_options_choose_sort(options, profile);
	if (!err)
		err = report_options_choose_ratios(options, profile);
	if (err)
		return err;
	err = report_options_check_vmlinux(options, profile);
	if (err)
		return err;
	symbolizer = symbolizer_create(profile, &options->symbolizer);
	if (!symbolizer)
		return report_complain("out of memory");
	err = show(options, profile, symbolizer);
	symbolizer_destroy(symbolizer);
	return err;
}

/* 0 or not, after a message. */
static int run(struct report_options *options)
{
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;
	int err = file_options_open(&options->files, "report", &options->build.files);

	if (err)
		return err;
	err = fetched_profile_build(options->path, &options->build, &options->files, "report",
				    &profile, &error);
	if (err)
		report_complain_of_file(options->path, error ? error : strerror(-err));
	else
		err = report(options, profile);
	if (!err && error)
		err = report_complain_of_file(options->path, error);
	profile_destroy(profile);
	file_search_destroy(options->build.files);
	return err;
}

int cmd_report(int argc, char **argv)
{
	struct report_options options;
	int err = report_options_init(&options, argc, argv);

	if (err) {
		report_options_deinit(&options);
		return err < 0 ? USAGE_STATUS : 0;
	}
	setlocale(LC_CTYPE, "");
	err = run(&options);
	report_options_deinit(&options);
	return err ? 1 : 0;
}
