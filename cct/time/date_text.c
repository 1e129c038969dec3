#include "cct/time/date_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cct/base/clock.h"
#include "cct/base/numbers.h"

#define DAY_NS (24 * 3600 * NSEC_PER_SEC)

/* "-2h", "-3d" */
static int parse_ago(const char *text, uint64_t now_ns, uint64_t *unix_ns_ret)
{
	const size_t size = strlen(text);
	char number[32];
	uint64_t ago;
	int err;

	if (size < 2 || size >= sizeof(number))
		return -EINVAL;
	snprintf(number, sizeof(number), "%s", text + 1);
	if (text[size - 1] == 'd') {
		number[size - 2] = '\0';
		err = numbers_parse(number, UINT64_MAX / DAY_NS, &ago);
		ago = err ? 0 : ago * DAY_NS;
	} else {
		err = numbers_parse_time(number, NSEC_PER_SEC, UINT64_MAX, &ago);
	}
	if (err || ago > now_ns)
		return -EINVAL;
	*unix_ns_ret = now_ns - ago;
	return 0;
}

/* Takes exactly so many digits and, if it is not zero, the byte @end. */
static bool take_number(const char **text, size_t n_digits, char end, int *number_ret)
{
	int number = 0;

	for (size_t i = 0; i < n_digits; i++, (*text)++) {
		if (!isdigit((unsigned char)**text))
			return false;
		number = number * 10 + (**text - '0');
	}
	*number_ret = number;
	if (end && **text != end)
		return false;
	*text += end != 0;
	return true;
}

/* "02:10", "02:10:30" */
static bool take_clock(const char *text, struct tm *tm)
{
	if (!take_number(&text, 2, ':', &tm->tm_hour) || !take_number(&text, 2, 0, &tm->tm_min))
		return false;
	if (*text == ':') {
		text++;
		if (!take_number(&text, 2, 0, &tm->tm_sec))
			return false;
	}
	return !*text && tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec < 60;
}

/* The day must not become another one. */
static int make_time(const struct tm *tm, uint64_t *unix_ns_ret)
{
	struct tm made = *tm;

	made.tm_isdst = -1;
	const time_t seconds = mktime(&made);
	if (seconds < 0 || made.tm_mday != tm->tm_mday || made.tm_hour != tm->tm_hour ||
	    made.tm_min != tm->tm_min || (uint64_t)seconds > UINT64_MAX / NSEC_PER_SEC)
		return -EINVAL;
	*unix_ns_ret = (uint64_t)seconds * NSEC_PER_SEC;
	return 0;
}

static int parse_date(const char *text, uint64_t *unix_ns_ret)
{
	struct tm tm = { 0 };

	if (!take_number(&text, 4, '-', &tm.tm_year) || !take_number(&text, 2, '-', &tm.tm_mon) ||
	    !take_number(&text, 2, 0, &tm.tm_mday))
		return -EINVAL;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	if (tm.tm_mon < 0 || tm.tm_mon > 11 || tm.tm_mday < 1)
		return -EINVAL;
	if (*text && ((*text != ' ' && *text != 'T') || !take_clock(text + 1, &tm)))
		return -EINVAL;
	return make_time(&tm, unix_ns_ret);
}

static int parse_clock(const char *text, uint64_t now_ns, uint64_t *unix_ns_ret)
{
	const time_t now = (time_t)(now_ns / NSEC_PER_SEC);
	struct tm tm;
	uint64_t unix_ns;

	if (!localtime_r(&now, &tm))
		return -EINVAL;
	tm.tm_sec = 0;
	if (!take_clock(text, &tm) || make_time(&tm, &unix_ns))
		return -EINVAL;
	if (unix_ns > now_ns) {
		/* The day before, which mktime() finds in the month before, too. */
		struct tm noon = tm;

		noon.tm_mday--;
		noon.tm_hour = 12;
		noon.tm_isdst = -1;
		mktime(&noon);
		tm.tm_year = noon.tm_year;
		tm.tm_mon = noon.tm_mon;
		tm.tm_mday = noon.tm_mday;
		if (make_time(&tm, &unix_ns))
			return -EINVAL;
	}
	*unix_ns_ret = unix_ns;
	return 0;
}

int date_text_parse(const char *text, uint64_t now_ns, uint64_t *unix_ns_ret)
{
	if (strcmp(text, "now") == 0) {
		*unix_ns_ret = now_ns;
		return 0;
	}
	if (*text == '-')
		return parse_ago(text, now_ns, unix_ns_ret);
	return strchr(text, '-') ? parse_date(text, unix_ns_ret)
				 : parse_clock(text, now_ns, unix_ns_ret);
}
