/* Names that a user selects: as they are, or by a glob with *, ? and []. */
#ifndef CCT_TEXT_NAME_PATTERN_H
#define CCT_TEXT_NAME_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

bool name_pattern_matches(const char *pattern, const char *name);
/* Of the name of a thread the kernel keeps 15 characters, which are compared alone then. */
bool name_pattern_matches_comm(const char *pattern, const char *comm);
/* Whether one of the patterns matches. */
bool name_patterns_match(const char *const *patterns, size_t n, const char *name);

#endif
