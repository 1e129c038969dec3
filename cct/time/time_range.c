#include "cct/time/time_range.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "cct/base/clock.h"
#include "cct/base/numbers.h"

#define END "end"

/* Takes a time or a percentage from the start of *@text, up to one of the bytes @ends. */
static int take_amount(const char **text, const char *ends, struct time_point *point)
{
	size_t size = strcspn(*text, ends);
	char amount[64];

	if (size >= sizeof(amount))
		return -EINVAL;
	memcpy(amount, *text, size);
	amount[size] = '\0';
	*text += size;
	point->is_share = size && amount[size - 1] == '%';
	return point->is_share ? numbers_parse_percent(amount, &point->percent)
			       : numbers_parse_time(amount, NSEC_PER_SEC, UINT64_MAX, &point->ns);
}

/* Takes "2s", "10%", "end", "end-2s" or nothing. */
static int take_point(const char **text, struct time_point *point)
{
	const char *at = *text;

	if (!*at || *at == '-')
		return 0;
	if (strncmp(at, END, strlen(END)) != 0) {
		point->base = TIME_AFTER;
		return take_amount(text, "-", point);
	}
	point->base = TIME_BEFORE;
	at += strlen(END);
	*text = at;
	if (at[0] != '-' || !isdigit((unsigned char)at[1]))
		return 0;
	*text = at + 1;
	return take_amount(text, "-", point);
}

/* Of perf: seconds of the recording's clock, or nothing. */
static int take_clock(const char **text, struct time_point *point)
{
	if (!**text || **text == ',')
		return 0;
	point->base = TIME_CLOCK;
	int err = take_amount(text, ",", point);
	return point->is_share ? -EINVAL : err;
}

/* Of perf: "10%/2", the second of ten parts. */
static int parse_part(const char *text, struct time_range *range)
{
	uint64_t number;
	int err = take_amount(&text, "/", &range->from);

	if (err || !range->from.is_share || numbers_parse(text + 1, 100, &number) || !number)
		return -EINVAL;
	const double percent = range->from.percent;
	range->from.base = range->to.base = TIME_AFTER;
	range->to.is_share = true;
	range->from.percent = percent * (double)(number - 1);
	range->to.percent = percent * (double)number;
	return range->to.percent > 100 ? -EINVAL : 0;
}

static int parse_points(const char *text, char separator, struct time_range *range)
{
	int (*take)(const char **, struct time_point *) =
		separator == ',' ? take_clock : take_point;
	int err = take(&text, &range->from);

	if (err || *text++ != separator)
		return -EINVAL;
	err = take(&text, &range->to);
	return err || *text || (!range->from.base && !range->to.base) ? -EINVAL : 0;
}

/* Whether it ends before it begins, as far as that does not depend on the recording. */
static bool is_reversed(const struct time_range *range)
{
	const struct time_point *first = &range->from, *last = &range->to;

	if (first->base != last->base || first->is_share != last->is_share)
		return false;
	if (first->base == TIME_BEFORE) {
		first = &range->to;
		last = &range->from;
	}
	return first->is_share ? first->percent > last->percent : first->ns > last->ns;
}

int time_range_parse(const char *text, struct time_range *range_ret)
{
	struct time_range range = { .from = { .base = TIME_OPEN } };
	int err = strchr(text, '/') ? parse_part(text, &range)
				    : parse_points(text, strchr(text, ',') ? ',' : '-', &range);

	if (!err && is_reversed(&range))
		err = -ERANGE;
	if (!err)
		*range_ret = range;
	return err;
}

/* A duration near 2^64, which a hostile file may have, is rounded up to it. */
static uint64_t share_of(uint64_t duration, double percent)
{
	const double share = (double)duration * percent / 100;

	return share >= 0x1p64 ? UINT64_MAX : (uint64_t)share;
}

/* Nanoseconds since the first sample. */
static uint64_t place(const struct time_point *point, const struct time_span *span)
{
	const uint64_t duration = span->end_ns - span->start_ns;
	const uint64_t ns = point->is_share ? share_of(duration, point->percent) : point->ns;

	switch (point->base) {
	case TIME_BEFORE:
		return ns < duration ? duration - ns : 0;
	case TIME_CLOCK:
		return ns > span->start_ns ? ns - span->start_ns : 0;
	case TIME_AFTER:
	case TIME_OPEN:
		break;
	}
	return ns;
}

static uint64_t end_of(const struct time_point *to, const struct time_span *span)
{
	const bool is_clock = to->base == TIME_CLOCK;
	const uint64_t ns = place(to, span);

	if (to->base == TIME_OPEN || ns >= span->end_ns - span->start_ns)
		return UINT64_MAX;
	if (is_clock && to->ns < span->start_ns)
		return 0;
	return ns / NSEC_PER_USEC + is_clock;
}

struct time_window time_range_resolve(const struct time_range *range, const struct time_span *span)
{
	return (struct time_window){
		.from_us = place(&range->from, span) / NSEC_PER_USEC,
		.to_us = end_of(&range->to, span),
	};
}

void time_window_widen(struct time_window *window, unsigned shift)
{
	const uint64_t rest = ((uint64_t)1 << shift) - 1;

	window->from_us &= ~rest;
	if (__builtin_add_overflow(window->to_us, rest, &window->to_us))
		window->to_us = UINT64_MAX;
	else
		window->to_us &= ~rest;
}

struct time_span time_window_span(const struct time_window *window, const struct time_span *span)
{
	const uint64_t duration = span->end_ns - span->start_ns;
	const uint64_t end =
		window->to_us > duration / NSEC_PER_USEC ? duration : window->to_us * NSEC_PER_USEC;

	return (struct time_span){
		.start_ns = window->from_us > end / NSEC_PER_USEC ? end
								  : window->from_us * NSEC_PER_USEC,
		.end_ns = end,
	};
}

bool time_window_has(const struct time_window *window, uint64_t time_us)
{
	return time_us >= window->from_us && time_us < window->to_us;
}
