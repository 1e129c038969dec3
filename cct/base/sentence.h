/* Sentences for the user, made where the cause is known and printed by the caller's caller. */
#ifndef CCT_BASE_SENTENCE_H
#define CCT_BASE_SENTENCE_H

#include <stdarg.h>

/* Heap; NULL without memory. */
__attribute__((format(printf, 1, 2))) char *sentence(const char *format, ...);
__attribute__((format(printf, 1, 0))) char *sentence_v(const char *format, va_list args);
/* "PATH: MESSAGE", or the message alone if it begins with the path. Likewise. */
char *sentence_of_file(const char *path, const char *message);

#endif
