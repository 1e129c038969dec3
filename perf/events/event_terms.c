#include "perf/events/event_terms.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/sentence.h"

bool event_terms_next(const char **text, const char *end, struct event_term *term)
{
	const char *begin = *text;
	if (begin >= end)
		return false;
	const char *stop = memchr(begin, ',', end - begin);
	if (!stop)
		stop = end;
	const char *equals = memchr(begin, '=', stop - begin);
	*term = (struct event_term){
		.key = begin,
		.key_length = (equals ? equals : stop) - begin,
		.value = equals ? equals + 1 : NULL,
		.value_length = equals ? stop - equals - 1 : 0,
	};
	*text = stop < end ? stop + 1 : end;
	return true;
}

bool event_term_is(const struct event_term *term, const char *key)
{
	return strlen(key) == term->key_length && memcmp(term->key, key, term->key_length) == 0;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

bool event_term_number(const struct event_term *term, uint64_t *number_ret)
{
	const char *p = term->value, *end = p + term->value_length;
	unsigned int base = 10;
	if (term->value_length > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	}
	uint64_t number = 0;
	if (!term->value || p == end)
		return false;
	for (; p < end; p++) {
		unsigned int digit = (unsigned int)digit_value(*p);
		if (digit >= base || number > (UINT64_MAX - digit) / base)
			return false;
		number = number * base + digit;
	}
	*number_ret = number;
	return true;
}

static enum event_error take_name(const struct event_term *term, struct event *event,
				  char **error_ret)
{
	if (term->value_length == 0)
		return event_fail(EVENT_BAD_MODIFIER, error_ret,
				  sentence("The term 'name' requires a name: name=NAME."));
	char *name = strndup(term->value, term->value_length);
	if (!name)
		return EVENT_NO_MEMORY;
	free(event->name);
	event->name = name;
	return EVENT_OK;
}

static enum event_error take_rate(const struct event_term *term, uint64_t max, uint64_t *rate,
				  char **error_ret)
{
	if (event_term_number(term, rate) && *rate != 0 && *rate <= max)
		return EVENT_OK;
	return event_fail(EVENT_BAD_MODIFIER, error_ret,
			  sentence("The term '%.*s' requires a number from 1 to %llu, not '%.*s'.",
				   (int)term->key_length, term->key, (unsigned long long)max,
				   (int)term->value_length, term->value ? term->value : ""));
}

enum event_error event_term_apply(const struct event_term *term, struct event *event,
				  char **error_ret)
{
	if (event_term_is(term, "name"))
		return take_name(term, event, error_ret);
	if (event_term_is(term, "period")) {
		event->frequency = 0;
		return take_rate(term, INT64_MAX, &event->period, error_ret);
	}
	if (event_term_is(term, "freq")) {
		event->period = 0;
		return take_rate(term, UINT32_MAX, &event->frequency, error_ret);
	}
	return EVENT_UNKNOWN;
}
