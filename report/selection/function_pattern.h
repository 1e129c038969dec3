/*
 * Patterns that a user gives for functions: POSIX extended regular expressions, which match
 * anywhere in a name unless ^ and $ say otherwise, and globs with *, ? and [], which match a whole
 * name.
 *
 * A function has up to three names, and a match of one is enough: the whole one, as JSON has it
 * ("int ns::f<int>(int)"), the one that texts for people show ("ns::f<int>"), and the symbol of the
 * file ("_ZN2ns1fIiEEii").
 */
#ifndef REPORT_SELECTION_FUNCTION_PATTERN_H
#define REPORT_SELECTION_FUNCTION_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct function_pattern {
	char *text; /* owned; as the user wrote it */
	regex_t regex;
	/* What each name has that matches, which is found in a tenth of the time; owned. NULL: not
	 * known. */
	char *required;
	bool is_glob; /* and the two before are not used */
};

/* The names of one function. */
struct function_names {
	const char *whole;
	const char *symbol; /* NULL: none */
	char *shown;        /* owned */
};

/*
 * @text is copied. 0, -ENOMEM, or -EINVAL if the text is not a regular expression; *@error_ret is
 * then what regerror() says, in the caller's memory of @error_size bytes.
 */
int function_pattern_init_regex(struct function_pattern *pattern, const char *text, char *error_ret,
				size_t error_size);
/* 0 or -ENOMEM. */
int function_pattern_init_glob(struct function_pattern *pattern, const char *text, size_t size);
void function_pattern_deinit(struct function_pattern *pattern);

/* @whole and @symbol are borrowed. 0 or -ENOMEM. */
int function_names_init(struct function_names *names, const char *whole, const char *symbol);
void function_names_deinit(struct function_names *names);

bool function_pattern_matches(const struct function_pattern *pattern,
			      const struct function_names *names);

#endif
