/*
 * Makes names safe for a terminal. Names of processes and symbols come from programs that may be
 * malicious, so control characters, malformed UTF-8 and characters that change the direction of
 * text are escaped.
 */
#ifndef CCT_BASE_PRINTABLE_H
#define CCT_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PRINTABLE_MAX 16 /* bytes that one character can take */

/* The character at @text: its bytes, and its code. 0: malformed, or the end. */
size_t printable_decode_utf8(const char *text, uint32_t *code_ret);
/* A character that must not reach a terminal as it is. */
bool printable_is_hostile(uint32_t code);
/* Whether the text can reach a terminal as it is. */
bool printable_is_safe(const char *text);

/*
 * Copies the first character of *@text, escaped if needed, and moves *@text past it. Returns the
 * number of bytes written to @out, 0 at the end of the text. @utf8: whether the terminal shows
 * UTF-8; if not, non-ASCII characters become '?'.
 */
size_t printable_next(const char **text, bool utf8, char out[PRINTABLE_MAX], unsigned *columns);

unsigned printable_width(const char *text, bool utf8);
/* All of it, as for a terminal that shows UTF-8: names in text that programs read, too. */
void printable_put(FILE *out, const char *text);
/* Likewise, in heap memory; NULL: out of memory. */
char *printable_copy(const char *text);
/* Cut in the middle to fit @max_width. Returns the columns written. */
unsigned printable_write(FILE *out, const char *text, unsigned max_width, bool utf8);

#endif
