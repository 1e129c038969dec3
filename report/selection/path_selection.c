#include "report/selection/path_selection.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"

#define MAX_PROBLEM 160

void path_selection_deinit(struct path_selection *selection)
{
	for (size_t i = 0; i < selection->n_conditions; i++)
		free(selection->conditions[i].text);
	for (size_t i = 0; i < selection->n_patterns; i++)
		function_pattern_deinit(&selection->patterns[i]);
	free(selection->conditions);
	free(selection->patterns);
	*selection = (struct path_selection){ 0 };
}

static int add_regex(struct path_selection *selection, const char *text, char **error_ret)
{
	char problem[MAX_PROBLEM];

	if (array_reserve_one(selection->patterns, selection->n_patterns))
		return -ENOMEM;
	int err = function_pattern_init_regex(&selection->patterns[selection->n_patterns], text,
					      problem, sizeof(problem));
	if (!err)
		selection->n_patterns++;
	if (err == -EINVAL)
		*error_ret = sentence("%s", problem);
	return err;
}

/* The length of the first of the names: commas of parameters and arguments belong to it. */
static size_t name_length(const char *text)
{
	unsigned depth = 0;
	size_t i = 0;

	for (; text[i] && (text[i] != ',' || depth); i++) {
		if (strchr("(<[", text[i]))
			depth++;
		else if (strchr(")>]", text[i]) && depth)
			depth--;
	}
	return i;
}

static int add_globs(struct path_selection *selection, const char *text, char **error_ret)
{
	for (;; text++) {
		size_t length = name_length(text);

		if (!length) {
			*error_ret = sentence("a name is empty");
			return -EINVAL;
		}
		if (array_reserve_one(selection->patterns, selection->n_patterns))
			return -ENOMEM;
		int err = function_pattern_init_glob(&selection->patterns[selection->n_patterns],
						     text, length);
		if (err)
			return err;
		selection->n_patterns++;
		text += length;
		if (!*text)
			return 0;
	}
}

int path_selection_add(struct path_selection *selection, enum condition_kind kind, const char *text,
		       char **error_ret)
{
	struct path_condition condition = { .kind = kind, .first_pattern = selection->n_patterns };

	*error_ret = NULL;
	if (array_reserve_one(selection->conditions, selection->n_conditions))
		return -ENOMEM;
	int err = kind == PATH_THROUGH ? add_globs(selection, text, error_ret)
				       : add_regex(selection, text, error_ret);
	if (err)
		return err;
	condition.n_patterns = selection->n_patterns - condition.first_pattern;
	condition.text = strdup(text);
	if (!condition.text)
		return -ENOMEM;
	selection->conditions[selection->n_conditions++] = condition;
	return 0;
}

bool path_selection_is_met(const struct path_selection *selection, const uint32_t *passed)
{
	for (size_t i = 0; i < selection->n_conditions; i++) {
		const struct path_condition *condition = &selection->conditions[i];
		bool is_met = passed[i] == condition->n_patterns;

		if (condition->kind != PATH_HIDE && is_met == (condition->kind == PATH_IGNORE))
			return false;
	}
	return true;
}

bool path_selection_excludes(const struct path_selection *selection)
{
	for (size_t i = 0; i < selection->n_conditions; i++) {
		if (selection->conditions[i].kind != PATH_HIDE)
			return true;
	}
	return false;
}

const char *condition_kind_name(enum condition_kind kind)
{
	static const char *const names[] = {
		[PATH_FOCUS] = "focus",
		[PATH_IGNORE] = "ignore",
		[PATH_THROUGH] = "through",
		[PATH_HIDE] = "hide",
	};

	return names[kind];
}

char *path_selection_text(const struct path_selection *selection)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < selection->n_conditions; i++)
		fprintf(out, "%s--%s '%s'", i ? " " : "",
			condition_kind_name(selection->conditions[i].kind),
			selection->conditions[i].text);
	if (selection->has_caller_depth)
		fprintf(out, "%s--caller-depth %" PRIu32, selection->n_conditions ? " " : "",
			selection->caller_depth);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
