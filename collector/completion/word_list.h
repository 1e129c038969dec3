/* Writes those words that continue what has been typed. */
#ifndef COLLECTOR_COMPLETION_WORD_LIST_H
#define COLLECTOR_COMPLETION_WORD_LIST_H

#include <stddef.h>
#include <stdio.h>

struct word_list {
	FILE *out;
	const char *prefix; /* what is before the value in the same word: "--sort=", "a," */
	size_t prefix_size;
	const char *typed; /* the beginning of the value */
};

/* Names come from this machine, too: one that is not printable is left out. @description: up to the
 * first line's end. */
void word_list_offer(const struct word_list *list, const char *word, const char *description);

#endif
