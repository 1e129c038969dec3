#include "cct/base/numbers.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/clock.h"

#define KIB 1024u

/* Takes digits from the start of *@text and moves it on. */
static bool take_digits(const char **text, uint64_t *number_ret)
{
	const char *at = *text;
	uint64_t number = 0;

	for (; isdigit((unsigned char)*at); at++) {
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
			return false;
	}
	*text = at;
	*number_ret = number;
	return true;
}

int numbers_parse(const char *text, uint64_t max, uint64_t *number_ret)
{
	uint64_t number;
	const char *at = text;

	if (!take_digits(&at, &number) || at == text || *at || number > max)
		return -EINVAL;
	*number_ret = number;
	return 0;
}

/* 0: there is no such unit. */
static uint64_t time_unit(const char *name, uint64_t unit_ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },           { "us", NSEC_PER_USEC },    { "ms", NSEC_PER_MSEC },
		{ "s", NSEC_PER_SEC }, { "m", 60 * NSEC_PER_SEC }, { "h", 3600 * NSEC_PER_SEC },
	};

	if (!*name)
		return unit_ns;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].name, name) == 0)
			return units[i].ns;
	}
	return 0;
}

/* The value of the digits after the point, of which the first counts tenths of @unit. */
static uint64_t part_of(const char *digits, size_t n_digits, uint64_t unit)
{
	uint64_t part = 0;

	for (size_t i = 0; i < n_digits && unit; i++) {
		part += (uint64_t)(digits[i] - '0') * unit / 10;
		unit /= 10;
	}
	return part;
}

int numbers_parse_time(const char *text, uint64_t unit_ns, uint64_t max_ns, uint64_t *ns_ret)
{
	const char *at = text, *decimals = "";
	uint64_t whole, ns;
	size_t n_decimals = 0;

	if (!take_digits(&at, &whole))
		return -EINVAL;
	size_t n_digits = (size_t)(at - text);
	if (*at == '.') {
		decimals = ++at;
		n_decimals = strspn(decimals, "0123456789");
		at += n_decimals;
	}
	uint64_t unit = time_unit(at, unit_ns);
	if (!unit || !(n_digits + n_decimals) || __builtin_mul_overflow(whole, unit, &ns) ||
	    __builtin_add_overflow(ns, part_of(decimals, n_decimals, unit), &ns) || ns > max_ns)
		return -EINVAL;
	*ns_ret = ns;
	return 0;
}

int numbers_parse_size(const char *text, uint64_t unit, uint64_t max, uint64_t *size_ret)
{
	static const char units[] = "bkmg";
	const char *at = text;
	uint64_t size;

	if (!take_digits(&at, &size) || at == text)
		return -EINVAL;
	if (*at) {
		const char *name = strchr(units, tolower((unsigned char)*at));

		if (!name || at[1])
			return -EINVAL;
		unit = 1;
		for (const char *smaller = units; smaller < name; smaller++)
			unit *= KIB;
	}
	if (__builtin_mul_overflow(size, unit, &size) || size > max)
		return -EINVAL;
	*size_ret = size;
	return 0;
}

int numbers_parse_percent(const char *text, double *percent_ret)
{
	size_t size = strspn(text, "0123456789.");
	char *end;

	/* strtod() knows more numbers: signs, powers, nan. */
	double percent = strtod(text, &end);
	if (!size || end != text + size || percent > 100)
		return -EINVAL;
	if (*end == '%')
		end++;
	if (*end)
		return -EINVAL;
	*percent_ret = percent;
	return 0;
}
