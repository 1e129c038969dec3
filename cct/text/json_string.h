/* Text that may be anything, as a JSON string that is safe on a terminal, too. */
#ifndef CCT_TEXT_JSON_STRING_H
#define CCT_TEXT_JSON_STRING_H

#include <stdio.h>

/* With its quotes. What is no UTF-8 becomes U+FFFD. */
void json_write_string(FILE *out, const char *text);

#endif
