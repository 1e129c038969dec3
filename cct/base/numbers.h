/*
 * Numbers as users write them on a command line: digits, never a sign or another base. All return
 * 0, or -EINVAL if the text is not such a number or is out of bounds; the result is only written
 * on success.
 */
#ifndef CCT_BASE_NUMBERS_H
#define CCT_BASE_NUMBERS_H

#include <stdint.h>

/* "997": from 0 to @max. */
int numbers_parse(const char *text, uint64_t max, uint64_t *number_ret);

/*
 * "5", "0.25s", "200ms", "2m": a time with one of the units ns, us, ms, s, m (minutes) and h, in
 * nanoseconds, at most @max_ns. Without a unit it counts units of @unit_ns. The decimals are exact;
 * parts of a nanosecond are dropped.
 */
int numbers_parse_time(const char *text, uint64_t unit_ns, uint64_t max_ns, uint64_t *ns_ret);

/*
 * "16", "512K", "4M", "1G": a size in bytes, at most @max. The units are b, k, m and g, small or
 * large, powers of 1024. Without a unit it counts units of @unit bytes.
 */
int numbers_parse_size(const char *text, uint64_t unit, uint64_t max, uint64_t *size_ret);

/* "0.5", "20%": from 0 to 100. */
int numbers_parse_percent(const char *text, double *percent_ret);

#endif
