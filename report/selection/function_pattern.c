#include "report/selection/function_pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/text/name_pattern.h"
#include "report/demangle/simple_name.h"

int function_pattern_init_regex(struct function_pattern *pattern, const char *text, char *error_ret,
				size_t error_size)
{
	*pattern = (struct function_pattern){ .text = strdup(text) };
	if (!pattern->text)
		return -ENOMEM;
	int problem = regcomp(&pattern->regex, text, REG_EXTENDED | REG_NOSUB);
	if (!problem)
		return 0;
	regerror(problem, &pattern->regex, error_ret, error_size);
	free(pattern->text);
	return problem == REG_ESPACE ? -ENOMEM : -EINVAL;
}

int function_pattern_init_glob(struct function_pattern *pattern, const char *text, size_t size)
{
	*pattern = (struct function_pattern){ .text = strndup(text, size), .is_glob = true };
	return pattern->text ? 0 : -ENOMEM;
}

void function_pattern_deinit(struct function_pattern *pattern)
{
	if (!pattern->is_glob)
		regfree(&pattern->regex);
	free(pattern->text);
}

int function_names_init(struct function_names *names, const char *whole, const char *symbol)
{
	*names = (struct function_names){
		.whole = whole,
		.symbol = symbol,
		.shown = simple_name_make(whole, false),
	};
	return names->shown ? 0 : -ENOMEM;
}

void function_names_deinit(struct function_names *names)
{
	free(names->shown);
}

static bool matches_name(const struct function_pattern *pattern, const char *name)
{
	if (pattern->is_glob)
		return name_pattern_matches(pattern->text, name);
	return regexec(&pattern->regex, name, 0, NULL, 0) == 0;
}

bool function_pattern_matches(const struct function_pattern *pattern,
			      const struct function_names *names)
{
	return matches_name(pattern, names->whole) || matches_name(pattern, names->shown) ||
	       (names->symbol && matches_name(pattern, names->symbol));
}
