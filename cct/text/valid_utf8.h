/* Text for formats whose strings must be UTF-8. */
#ifndef CCT_TEXT_VALID_UTF8_H
#define CCT_TEXT_VALID_UTF8_H

/* A copy in which each malformed byte is U+FFFD, as in JSON. Heap; NULL: out of memory. */
char *valid_utf8(const char *text);

#endif
