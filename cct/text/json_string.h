/* Writes any text as a JSON string that is also safe on a terminal. */
#ifndef CCT_TEXT_JSON_STRING_H
#define CCT_TEXT_JSON_STRING_H

#include <stdio.h>

/* Writes the string with its quotes. Malformed UTF-8 becomes U+FFFD. */
void json_write_string(FILE *out, const char *text);

#endif
