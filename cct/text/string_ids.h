/*
 * Numbers for strings: equal strings have the same number, counted from 0 in the order in which
 * they were first met. What files with a table of strings are written with.
 */
#ifndef CCT_TEXT_STRING_IDS_H
#define CCT_TEXT_STRING_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/base/hash_table.h"

/* All zero is an empty table. The strings are copied. */
struct string_ids {
	struct hash_table ids;
	char **strings; /* by number */
	uint32_t n_strings, n_allocated;
};

void string_ids_deinit(struct string_ids *ids);
/* Makes room for @n_more strings, so that adding them moves no others. 0 or -ENOMEM. */
int string_ids_reserve(struct string_ids *ids, uint32_t n_more);
#define STRING_IDS_NONE UINT32_MAX
/* The number of @text, or STRING_IDS_NONE. */
uint32_t string_ids_find(const struct string_ids *ids, const char *text);
/* The number of @text; *@is_new_ret: it was not known. 0 or -ENOMEM. */
int string_ids_add(struct string_ids *ids, const char *text, uint32_t *id_ret, bool *is_new_ret);

#endif
