#include "collector/command-line/selection_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/base/numbers.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"

static int take_condition(const struct option_use *use, void *field)
{
	_cleanup_free_ char *problem = NULL;
	int err = path_selection_add(field, (enum condition_kind)use->option->constant, use->value,
				     &problem);

	if (err == -EINVAL)
		return message_wrong_use(use->command, "%s '%s': %s.", use->spelling, use->value,
					 problem ? problem : "wrong syntax");
	return err ? message_error_of_memory(use->command) : 0;
}

static int take_caller_depth(const struct option_use *use, void *field)
{
	struct path_selection *selection = field;
	uint64_t depth;

	if (numbers_parse(use->value, UINT32_MAX, &depth))
		return option_wrong_value(use, "a number of callers");
	selection->has_caller_depth = true;
	selection->caller_depth = (uint32_t)depth;
	return 0;
}

const struct command_option selection_options[] = {
	{ .name = "focus",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .argument = "RE",
	  .help = "only samples whose path has a function that matches this POSIX extended "
		  "regular expression",
	  .take = take_condition,
	  .constant = PATH_FOCUS },
	{ .name = "ignore",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .argument = "RE",
	  .help = "no samples whose path has a function that matches",
	  .take = take_condition,
	  .constant = PATH_IGNORE },
	{ .name = "through",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .argument = "A,B,...",
	  .help = "only samples whose path goes through A, then through B, with or without "
		  "others between them; names may be globs (do_*)",
	  .take = take_condition,
	  .constant = PATH_THROUGH },
	{ .name = "hide",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .argument = "RE",
	  .help = "leave functions that match out of paths; their cost goes to their callers",
	  .take = take_condition,
	  .constant = PATH_HIDE },
	{ .name = "caller-depth",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .argument = "N",
	  .help = "cut paths to the function that was sampled and its N innermost callers",
	  .take = take_caller_depth },
	{ 0 },
};

static void note_unmatched(const char *command, const struct selected_paths *selected)
{
	for (size_t i = 0; i < selected->n_unmatched; i++) {
		const struct unmatched_pattern *unmatched = &selected->unmatched[i];

		message_note(command, "no function matches --%s '%s'%s",
			     condition_kind_name(unmatched->kind), unmatched->text,
			     *unmatched->question ? unmatched->question : ".");
	}
}

/* Whether a function is missing without which no path is selected. */
static bool lacks_function(const struct selected_paths *selected)
{
	for (size_t i = 0; i < selected->n_unmatched; i++) {
		enum condition_kind kind = selected->unmatched[i].kind;

		if (kind == PATH_FOCUS || kind == PATH_THROUGH)
			return true;
	}
	return false;
}

static bool has_samples(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (profile->metrics[i].samples)
			return true;
	}
	return false;
}

static int note_findings(const char *command, const struct selected_paths *selected,
			 const struct profile *profile)
{
	_cleanup_free_ char *text = path_selection_text(selected->selection);

	if (!text)
		return message_error_of_memory(command);
	if (!has_samples(profile))
		return 0;
	note_unmatched(command, selected);
	if (selected_paths_are_none(selected, profile->n_metrics) && !lacks_function(selected))
		message_note(command, "no sample passes %s.", text);
	return 0;
}

int selection_options_apply(const char *command, const struct path_selection *selection,
			    struct profile *profile, struct symbolizer *symbolizer,
			    struct selected_paths *selected_ret)
{
	*selected_ret = (struct selected_paths){ 0 };
	if (path_selection_is_empty(selection))
		return 0;
	if (select_paths(profile, symbolizer, selection, selected_ret))
		return message_error_of_memory(command);
	return note_findings(command, selected_ret, profile);
}

void selection_options_note_share(const char *command, const struct selected_paths *selected,
				  const struct profile *profile)
{
	if (!selected->selection || !path_selection_excludes(selected->selection))
		return;
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		const struct metric *metric = &profile->metrics[i];

		if (metric->samples)
			message_note(command,
				     "selected: %.2f %% of %s, %" PRIu64 " of %" PRIu64 " samples.",
				     selected_paths_percent(selected, i, metric->total),
				     metric->name, selected->costs[i].samples, metric->samples);
	}
}
