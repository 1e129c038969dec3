#include "report/selection/matched_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/text/near_names.h"
#include "report/demangle/simple_name.h"

void matched_functions_init(struct matched_functions *matched,
			    const struct path_selection *selection)
{
	*matched = (struct matched_functions){ .selection = selection };
}

void matched_functions_deinit(struct matched_functions *matched)
{
	free(matched->functions);
	free(matched->matches);
}

static int make_room(struct matched_functions *matched, uint32_t function)
{
	size_t n = matched->n_functions, n_patterns = matched->selection->n_patterns;

	if (function < n)
		return 0;
	size_t n_more = function + 1 - n;
	if (array_reserve(matched->functions, n, matched->n_functions_allocated, n_more) ||
	    array_reserve(matched->matches, n * n_patterns, matched->n_matches_allocated,
			  n_more * n_patterns))
		return -ENOMEM;
	memset(matched->functions + n, 0, n_more * sizeof(*matched->functions));
	matched->n_functions = function + 1;
	return 0;
}

static bool is_hidden(const struct path_selection *selection, const bool *matches)
{
	for (size_t i = 0; i < selection->n_conditions; i++) {
		const struct path_condition *condition = &selection->conditions[i];

		if (condition->kind == PATH_HIDE && matches[condition->first_pattern])
			return true;
	}
	return false;
}

int matched_functions_see(struct matched_functions *matched, const struct frame_name *name)
{
	const struct path_selection *selection = matched->selection;
	struct function_names names;

	if (make_room(matched, name->function))
		return -ENOMEM;
	struct matched_function *function = &matched->functions[name->function];
	if (function->name)
		return 0;
	if (function_names_init(&names, name->name, name->symbol))
		return -ENOMEM;
	bool *matches = matched->matches + (size_t)name->function * selection->n_patterns;
	for (size_t i = 0; i < selection->n_patterns; i++)
		matches[i] = function_pattern_matches(&selection->patterns[i], &names);
	function_names_deinit(&names);
	*function = (struct matched_function){
		.name = name->name,
		.is_hidden = is_hidden(selection, matches),
	};
	return 0;
}

/* The next function of a path meets at most one pattern of each condition. */
static void pass_function(const struct matched_functions *matched, uint32_t *passed,
			  uint32_t function)
{
	const struct path_selection *selection = matched->selection;
	const bool *matches = matched_functions_get(matched, function);

	for (size_t i = 0; i < selection->n_conditions; i++) {
		const struct path_condition *condition = &selection->conditions[i];

		if (passed[i] < condition->n_patterns &&
		    matches[condition->first_pattern + passed[i]])
			passed[i]++;
	}
}

int matched_functions_pass(struct matched_functions *matched, struct symbolizer *symbolizer,
			   const struct frame *frame, uint32_t *passed, bool *is_hidden_ret)
{
	const struct frame_name *names;
	size_t n_names;
	bool is_hidden = true;
	int err = symbolizer_expand(symbolizer, frame, &names, &n_names);

	for (size_t i = 0; i < n_names && !err; i++) {
		err = matched_functions_see(matched, &names[i]);
		if (err)
			break;
		pass_function(matched, passed, names[i].function);
		is_hidden &= matched->functions[names[i].function].is_hidden;
	}
	*is_hidden_ret = is_hidden;
	return err;
}

bool matched_functions_has(const struct matched_functions *matched, size_t pattern)
{
	for (uint32_t i = 0; i < matched->n_functions; i++) {
		if (matched->functions[i].name && matched_functions_get(matched, i)[pattern])
			return true;
	}
	return false;
}

/* The text of a pattern, without the anchors of a regular expression. NULL: out of memory. */
static char *wanted_name(const struct function_pattern *pattern)
{
	const char *text = pattern->text + (!pattern->is_glob && *pattern->text == '^');
	size_t length = strlen(text);

	if (!pattern->is_glob && length && text[length - 1] == '$')
		length--;
	return strndup(text, length);
}

char *matched_functions_question(const struct matched_functions *matched, size_t pattern)
{
	_cleanup_free_ char *wanted = wanted_name(&matched->selection->patterns[pattern]);
	struct near_names near;

	if (!wanted)
		return NULL;
	near_names_init(&near, wanted, strlen(wanted));
	for (uint32_t i = 0; i < matched->n_functions; i++) {
		const char *name = matched->functions[i].name;
		_cleanup_free_ char *shown = name ? simple_name_make(name, false) : NULL;

		if (shown)
			near_names_offer(&near, shown);
	}
	return near_names_question(&near);
}
