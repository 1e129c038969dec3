#include "collector/script/script_selection.h"

#include <errno.h>

#include "cct/base/cleanup.h"
#include "collector/command-line/messages.h"

int script_selection_start(struct script_selection *selection, const struct path_selection *of,
			   const struct profile *profile, enum symbol_names names)
{
	if (path_selection_is_empty(of))
		return 0;
	selection->symbolizer =
		symbolizer_create(profile, &(struct symbolizer_options){ .names = names });
	if (!selection->symbolizer)
		return -ENOMEM;
	selection->selection = of;
	return path_check_init(&selection->check, of, selection->symbolizer);
}

void script_selection_deinit(struct script_selection *selection)
{
	if (selection->selection)
		path_check_deinit(&selection->check);
	symbolizer_destroy(selection->symbolizer);
}

int script_selection_takes(struct script_selection *selection, const struct sample *sample,
			   bool *is_taken_ret)
{
	const struct call_path *path = &sample->path;
	int err = 0;

	*is_taken_ret = true;
	if (selection->selection)
		err = path_check_select(&selection->check, path->frames, path->n_frames,
					is_taken_ret);
	selection->n_selected += *is_taken_ret;
	return err;
}

int script_selection_hides(struct script_selection *selection, const struct frame *frame,
			   bool *is_hidden_ret)
{
	*is_hidden_ret = false;
	return selection->selection ? path_check_hides(&selection->check, frame, is_hidden_ret) : 0;
}

/* Whether a function is missing without which no path is selected. */
static bool note_unmatched(const struct script_selection *selection,
			   const struct path_condition *condition)
{
	bool lacks_function = false;

	for (size_t i = 0; i < condition->n_patterns; i++) {
		const size_t at = condition->first_pattern + i;

		if (matched_functions_has(&selection->check.functions, at))
			continue;
		_cleanup_free_ char *question =
			matched_functions_question(&selection->check.functions, at);
		message_note("script", "no function matches --%s '%s'%s",
			     condition_kind_name(condition->kind),
			     selection->selection->patterns[at].text,
			     question && *question ? question : ".");
		lacks_function |= condition->kind == PATH_FOCUS || condition->kind == PATH_THROUGH;
	}
	return lacks_function;
}

void script_selection_conclude(const struct script_selection *selection)
{
	const struct path_selection *of = selection->selection;
	bool lacks_function = false;

	if (!of)
		return;
	for (size_t i = 0; i < of->n_conditions; i++)
		lacks_function |= note_unmatched(selection, &of->conditions[i]);
	if (selection->n_selected || lacks_function)
		return;
	_cleanup_free_ char *text = path_selection_text(of);
	message_note("script", "no sample passes %s.", text ? text : "the selection");
}
