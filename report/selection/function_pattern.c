#include "report/selection/function_pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/text/name_pattern.h"
#include "report/demangle/simple_name.h"

static bool is_ordinary(char c)
{
	return c > ' ' && c <= '~' && !strchr(".*+?^$", c);
}

/*
 * The longest text that all names have which match; to free(). NULL: none is known, as the
 * expression has alternatives, groups or the like; or out of memory.
 */
static char *find_required(const char *regex)
{
	const char *longest = regex, *start = regex;
	size_t n_longest = 0;

	if (strpbrk(regex, "|()[]{}\\"))
		return NULL;
	for (const char *at = regex;; at++) {
		if (is_ordinary(*at))
			continue;
		size_t n = (size_t)(at - start);
		if (n && *at && strchr("*+?", *at)) /* after a +, another one may follow */
			n--;
		if (n > n_longest) {
			longest = start;
			n_longest = n;
		}
		start = at + 1;
		if (!*at)
			break;
	}
	return n_longest ? strndup(longest, n_longest) : NULL;
}

int function_pattern_init_regex(struct function_pattern *pattern, const char *text, char *error_ret,
				size_t error_size)
{
	*pattern = (struct function_pattern){ .text = strdup(text) };
	if (!pattern->text)
		return -ENOMEM;
	int problem = regcomp(&pattern->regex, text, REG_EXTENDED | REG_NOSUB);
	if (!problem) {
		pattern->required = find_required(text);
		return 0;
	}
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
	free(pattern->required);
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
	if (pattern->required && !strstr(name, pattern->required))
		return false;
	return regexec(&pattern->regex, name, 0, NULL, 0) == 0;
}

bool function_pattern_matches(const struct function_pattern *pattern,
			      const struct function_names *names)
{
	return matches_name(pattern, names->whole) || matches_name(pattern, names->shown) ||
	       (names->symbol && matches_name(pattern, names->symbol));
}
