#include "collector/files/shown_naming.h"

void shown_naming_start(struct shown_naming *naming, const char *command,
			struct symbolizer *symbolizer, const char *then)
{
	const struct progress_title title = { command, "naming", "frames", then };

	*naming = (struct shown_naming){ .symbolizer = symbolizer };
	symbolizer_count(symbolizer, &naming->work);
	naming->progress = progress_start(&title, &naming->work);
}

void shown_naming_stop(struct shown_naming *naming)
{
	progress_stop(naming->progress);
	symbolizer_count(naming->symbolizer, NULL);
}

int shown_naming_select(const char *command, const struct path_selection *selection,
			struct profile *profile, struct symbolizer *symbolizer,
			struct selected_paths *selected_ret)
{
	struct shown_naming naming;

	shown_naming_start(&naming, command, symbolizer, "selecting");
	const int err =
		selection_options_apply(command, selection, profile, symbolizer, selected_ret);
	shown_naming_stop(&naming);
	return err;
}
