/* Lists of numbers as users write them: "0-3,8", numbers and ranges in any order. */
#ifndef CCT_BASE_INT_LIST_H
#define CCT_BASE_INT_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct int_list {
	int *values; /* heap; ascending, each once */
	size_t n;
};

void int_list_deinit(struct int_list *list);
bool int_list_has(const struct int_list *list, int value);
/* Puts @value in its place, unless it is there already. 0 or -ENOMEM. */
int int_list_insert(struct int_list *list, int value);
/* Takes @value out, if it is there. */
void int_list_remove(struct int_list *list, int value);
/*
 * Adds the numbers of @text to those in @list; all are at most @max. 0; -EINVAL: @text is not such
 * a list; -ENOMEM. After an error @list is as it was.
 */
int int_list_add(struct int_list *list, const char *text, int max);

/* Takes "4" or "4-7" from the start of *@text and moves it on. False: there is no such range. */
bool int_list_take_range(const char **text, int max, int *first_ret, int *last_ret);

#endif
