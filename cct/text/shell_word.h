/* Words as a shell takes them, for commands that a user may copy. */
#ifndef CCT_TEXT_SHELL_WORD_H
#define CCT_TEXT_SHELL_WORD_H

#include <stddef.h>
#include <stdio.h>

/* Writes @length bytes as one word: as they are, or in quotes where a shell would change them. */
void shell_word_write(FILE *out, const char *word, size_t length);

#endif
