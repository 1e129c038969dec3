/* Times of day as users write them, in local time. */
#ifndef CCT_TIME_DATE_TEXT_H
#define CCT_TIME_DATE_TEXT_H

#include <stdint.h>

/*
 * Nanoseconds since 1970, of one of
 *
 *	2026-11-27 02:10:30	seconds may be missing, or the time: then it is midnight; T instead
 *of the blank 02:10:30, 02:10		the last time that was so before @now_ns: today or yesterday
 *	-2h			so long before @now_ns (cct/base/numbers.h, or days: -3d)
 *	now
 *
 * 0, or -EINVAL: it is no such text, or no such time, as a second of an hour that a change of the
 * clocks leaves out may be. Of a second that such a change repeats, it is one of both.
 */
int date_text_parse(const char *text, uint64_t now_ns, uint64_t *unix_ns_ret);

#endif
