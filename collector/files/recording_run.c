#include "collector/files/recording_run.h"

#include <errno.h>
#include <string.h>

#include "collector/command-line/messages.h"
#include "collector/record/start/command.h"
#include "perf/catalog/event_parse.h"

/* Without -e: cycles, or cpu-clock where that is not available. */
int recording_run_choose_events(struct record_arguments *arguments)
{
	if (!arguments->n_events && event_default(&arguments->events, &arguments->n_events,
						  &arguments->options.is_fallback) != EVENT_OK)
		return message_error(arguments->command, "no event can be opened on this machine.");
	record_arguments_apply_modes(arguments);
	arguments->options.events = arguments->events;
	arguments->options.n_events = arguments->n_events;
	return 0;
}

void recording_run_print_notes(const struct recorder *recorder, size_t first,
			       const struct record_arguments *arguments)
{
	bool is_detail;

	for (size_t i = first; i < recorder_n_notes(recorder); i++) {
		const char *text = recorder_note(recorder, i, &is_detail);

		if (!arguments->is_quiet && (!is_detail || arguments->is_verbose))
			message_note(arguments->command, "%s", text);
	}
}

int recording_run_command_failed(const struct record_arguments *arguments, int err)
{
	message_error(arguments->command, "cannot run '%s': %s.", arguments->options.command[0],
		      strerror(-err));
	return err == -ENOENT ? 127 : 126;
}

/* Checked first, so that an older recording is not replaced for a command that does not exist. */
int recording_run_check_command(const struct record_arguments *arguments)
{
	char **command = arguments->options.command;

	int err = command ? command_find(command[0]) : 0;
	return err ? recording_run_command_failed(arguments, err) : 0;
}
