/*
 * Names of files, without their folders, as one text: a slash, which no name has, is between them.
 * Texts of what many processes load are equal, so a table of strings (string_ids.h) has each once.
 */
#ifndef CCT_TEXT_FILE_NAMES_H
#define CCT_TEXT_FILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILE_NAME_SIZE      256  /* with a NUL; longer names are cut */
#define FILE_NAMES_SIZE_MAX 4096 /* of a text, with its NUL; names beyond it are counted alone */

/* All zero is an empty list. */
struct file_names {
	char *text; /* heap; NULL: no name */
	size_t size, n_allocated;
	uint32_t n; /* of all names, also those that the text lacks */
};

void file_names_deinit(struct file_names *names);
/* An empty name is left out. 0 or -ENOMEM. */
int file_names_add(struct file_names *names, const char *name);
/* The text of a list, "" for an empty one. Valid until the list changes. */
const char *file_names_text(const struct file_names *names);

/* Takes the next name from the start of *@rest, which is the text at first. false: there is none.
 */
bool file_names_next(const char **rest, char name[static FILE_NAME_SIZE]);
/* Whether a name of the text matches (cct/text/name_pattern.h). */
bool file_names_match(const char *text, const char *pattern);
/* "liba.so, libb.so and 3 more", of @n names, with @n_shown at most. Heap; NULL without memory. */
char *file_names_describe(const char *text, uint32_t n, uint32_t n_shown);

#endif
