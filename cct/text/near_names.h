/* Finds the names that the user may have meant: small edit distance, case and -_. ignored. */
#ifndef CCT_TEXT_NEAR_NAMES_H
#define CCT_TEXT_NEAR_NAMES_H

#include <stddef.h>

#define NEAR_NAME_SIZE  80
#define NEAR_NAMES_KEPT 3

struct near_name {
	char name[NEAR_NAME_SIZE];
	size_t distance;
};

struct near_names {
	const char *wanted; /* borrowed; ends with a zero */
	size_t wanted_length;
	struct near_name kept[NEAR_NAMES_KEPT]; /* nearest first */
	size_t n_kept;
};

void near_names_init(struct near_names *names, const char *wanted, size_t length);
/* Keeps @name if it is among the nearest, near at all, and safe on a terminal. */
void near_names_offer(struct near_names *names, const char *name);
/* "; did you mean a, b or c?", or "" if nothing is near. Heap, NULL without memory. */
char *near_names_question(const struct near_names *names);

#endif
