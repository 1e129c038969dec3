#include "cct/text/name_pattern.h"

#include <fnmatch.h>
#include <string.h>

#define COMM_LENGTH 15 /* TASK_COMM_LEN without the zero */

bool name_pattern_matches(const char *pattern, const char *name)
{
	return strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0;
}

bool name_pattern_matches_comm(const char *pattern, const char *comm)
{
	if (name_pattern_matches(pattern, comm))
		return true;
	return strlen(comm) == COMM_LENGTH && strcspn(pattern, "*?[\\") >= COMM_LENGTH &&
	       memcmp(pattern, comm, COMM_LENGTH) == 0;
}

bool name_patterns_match(const char *const *patterns, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (name_pattern_matches(patterns[i], name))
			return true;
	}
	return false;
}
