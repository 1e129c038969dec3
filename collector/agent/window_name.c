#include "collector/agent/window_name.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cct/base/clock.h"
#include "cct/base/numbers.h"

#define DATE_FORMAT "%Y%m%dT%H%M%S"
#define DATE_SIZE   strlen("20261127T021000")
#define MS_SIZE     strlen(".000")

void window_name_write(char name[WINDOW_NAME_MAX], const struct time_span *span)
{
	const uint64_t start_ms = span->start_ns / NSEC_PER_MSEC;
	const uint64_t ms = (span->end_ns - 1) / NSEC_PER_MSEC + 1 - start_ms;
	const time_t seconds = (time_t)(start_ms / 1000);
	char date[32] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), DATE_FORMAT, &tm);
	snprintf(name, WINDOW_NAME_MAX, "%s.%03" PRIu64 "Z+%" PRIu64 ".%03" PRIu64 "s.cct", date,
		 start_ms % 1000, ms / 1000, ms % 1000);
}

/* "20261127T021000.000": milliseconds since 1970. */
static int parse_start(const char *name, uint64_t *ms_ret)
{
	struct tm tm = { 0 };
	uint64_t ms;

	for (size_t i = 0; i < DATE_SIZE + MS_SIZE; i++) {
		const char wanted = i == strlen("20261127") ? 'T' : i == DATE_SIZE ? '.' : '0';

		if (wanted == '0' ? !isdigit((unsigned char)name[i]) : name[i] != wanted)
			return -EINVAL;
	}
	const char *end = strptime(name, DATE_FORMAT, &tm);
	const char digits[] = { name[DATE_SIZE + 1], name[DATE_SIZE + 2], name[DATE_SIZE + 3], 0 };
	const time_t seconds = timegm(&tm);
	if (end != name + DATE_SIZE || seconds < 0 || numbers_parse(digits, 999, &ms))
		return -EINVAL;
	*ms_ret = (uint64_t)seconds * 1000 + ms;
	return 0;
}

int window_name_parse(const char *name, struct time_span *span_ret)
{
	const size_t start_size = DATE_SIZE + MS_SIZE;
	char duration[WINDOW_NAME_MAX];
	uint64_t start_ms, duration_ns;
	char again[WINDOW_NAME_MAX];

	if (strlen(name) >= WINDOW_NAME_MAX || parse_start(name, &start_ms) ||
	    strncmp(name + start_size, "Z+", 2) != 0)
		return -EINVAL;
	snprintf(duration, sizeof(duration), "%s", name + start_size + 2);
	char *end = strstr(duration, "s.cct");
	if (!end)
		return -EINVAL;
	end[1] = '\0';
	if (numbers_parse_time(duration, NSEC_PER_SEC, UINT64_MAX / 4, &duration_ns))
		return -EINVAL;
	struct time_span span = { start_ms * NSEC_PER_MSEC, 0 };
	if (__builtin_add_overflow(span.start_ns, duration_ns, &span.end_ns) || !duration_ns)
		return -EINVAL;
	window_name_write(again, &span);
	if (strcmp(again, name) != 0)
		return -EINVAL;
	*span_ret = span;
	return 0;
}
