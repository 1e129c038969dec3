/* Which characters the user's terminal shows, by the locale. */
#ifndef REPORT_TERMINAL_CHARACTER_SET_H
#define REPORT_TERMINAL_CHARACTER_SET_H

#include <stdbool.h>

/*
 * Takes the characters of the user's locale over (LC_CTYPE), at the start of a command, before
 * there are threads. A locale of UTF-8 that is not installed, as in many containers, counts as
 * C.UTF-8.
 */
void character_set_take(void);
/* false before character_set_take(), too. */
bool character_set_is_utf8(void);

#endif
