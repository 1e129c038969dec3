/* Words as a shell takes them, for commands that a user may copy. */
#ifndef CCT_TEXT_SHELL_WORD_H
#define CCT_TEXT_SHELL_WORD_H

#include <stddef.h>
#include <stdio.h>

/* Writes @length bytes as one word: as they are, or in quotes where a shell would change them. */
void shell_word_write(FILE *out, const char *word, size_t length);

/* Between the commands of a list, such as that of a sum of recordings. */
#define SHELL_LIST_SEPARATOR "; "

/* The length of the list's first command: up to a separator outside of quotes. *@rest_ret: the
 * other commands; NULL: there are none. */
size_t shell_list_next(const char *list, const char **rest_ret);

#endif
