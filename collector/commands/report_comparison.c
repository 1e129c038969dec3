#include "collector/commands/report_comparison.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collector/command-line/messages.h"
#include "collector/files/shown_naming.h"
#include "report/export/export_comparison.h"
#include "report/views/view.h"

/* "pair<int, int>,b": the comma that is in no brackets. */
static char *find_comma(char *text)
{
	int depth = 0;

	for (; *text && (*text != ',' || depth); text++) {
		depth += *text == '<' || *text == '(';
		depth -= (*text == '>' || *text == ')') && depth;
	}
	return *text ? text : NULL;
}

int report_comparison_take(const struct option_use *use, void *field)
{
	const char **places = field;
	char *comma = find_comma(use->value);

	if (!comma || comma == use->value || !comma[1])
		return option_wrong_value(use, "two functions: F,G");
	*comma = '\0';
	places[0] = use->value;
	places[1] = comma + 1;
	return 0;
}

int report_comparison_check(struct report_options *options)
{
	if (!options->compared[0])
		return 0;
	if (options->has_view && options->view.kind != VIEW_FUNCTIONS)
		return message_wrong_use(options->command,
					 "--compare compares functions: it has no --view.");
	if (strcmp(options->format->name, "csv") == 0)
		return message_wrong_use(options->command, "--compare writes text or json.");
	options->has_view = true;
	options->view.kind = VIEW_FUNCTIONS;
	return 0;
}

static int check_places(const struct report_options *options,
			const struct place_comparison *comparison)
{
	for (int i = 0; i < 2; i++) {
		if (comparison->places[i].n_functions > 1 && options->view.sort == SORT_TOTAL)
			return message_error(options->command,
					     "'%s' names %u functions, which may call each other: "
					     "--sort total compares single functions.",
					     comparison->places[i].pattern,
					     comparison->places[i].n_functions);
		if (!comparison->places[i].n_functions)
			return message_error(options->command,
					     "no function '%s' is on a call path; --view functions "
					     "--sort total lists those that are.",
					     comparison->places[i].pattern);
	}
	if (comparison->n_common)
		return message_error(options->command, "'%s' and '%s' name the same function.",
				     comparison->places[0].pattern, comparison->places[1].pattern);
	return 0;
}

int report_comparison_show(const struct report_options *options, const struct profile *profile,
			   struct symbolizer *symbolizer)
{
	const uint32_t index = options->view.sort_metric;
	const struct metric *metric = &profile->metrics[index];
	struct shown_naming naming;
	struct view *view;

	shown_naming_start(&naming, options->command, symbolizer, "adding up");
	int err = view_create(profile, symbolizer, &options->view, &view);
	shown_naming_stop(&naming);
	if (err)
		return message_error(options->command, "%s.", strerror(-err));
	/* Without an event there are no functions either. */
	struct place_comparison comparison = places_compare(view, index, options->compared);
	view_destroy(view);
	err = check_places(options, &comparison);
	if (err)
		return err;
	if (strcmp(options->format->name, "json") == 0)
		err = export_comparison_json(stdout, metric, &comparison);
	else
		err = export_comparison_text(stdout, metric, &comparison);
	/* It is not an error if the reader closes the pipe early. */
	return !err || err == -EPIPE
		       ? 0
		       : message_error(options->command, "cannot write the comparison: %s.",
				       strerror(-err));
}
