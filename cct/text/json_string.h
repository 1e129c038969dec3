/*
 * Writes any text as a JSON string that is also safe on a terminal. Which of two ways is a matter
 * of who reads it: programs get the text itself, in the reports; for viewers, which draw what they
 * get, it has the visible escapes that terminals have, so that no name changes the direction of
 * text.
 */
#ifndef CCT_TEXT_JSON_STRING_H
#define CCT_TEXT_JSON_STRING_H

#include <stdio.h>

/* Writes the string with its quotes. Malformed UTF-8 becomes U+FFFD. */
void json_write_string(FILE *out, const char *text);
/* The same, as cct/base/printable.h shows it on a terminal. */
void json_write_printable(FILE *out, const char *text);

#endif
