#include "report/fold/ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_METRIC UINT32_MAX

static const struct {
	const char *name, *text;
} named[] = {
	{ "ipc", "instructions/cycles" },
	{ "mpki", "cache-misses/instructions*1000" },
};

/* "cycles:u" -> the length of "cycles". */
static size_t length_without_modifiers(const char *name)
{
	const char *colon = strrchr(name, ':');
	bool has_modifiers =
		colon && colon[1] && strspn(colon + 1, "ukhpPGHDS") == strlen(colon + 1);

	return has_modifiers ? (size_t)(colon - name) : strlen(name);
}

static bool is_named(const char *name, size_t name_length, const char *text, size_t length)
{
	return name_length == length && strncmp(name, text, length) == 0;
}

/* The metric with exactly this name, or the only one with this name and modifiers. */
static uint32_t find_metric(const struct profile *profile, const char *text, size_t length)
{
	uint32_t found = NO_METRIC, n_found = 0;

	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		const char *name = profile->metrics[i].name;

		if (is_named(name, strlen(name), text, length))
			return i;
		if (is_named(name, length_without_modifiers(name), text, length)) {
			found = i;
			n_found++;
		}
	}
	return n_found == 1 ? found : NO_METRIC;
}

/* "B" or "B*N" */
static bool parse_denominator(const char *text, const struct profile *profile, struct ratio *ratio)
{
	const char *star = strrchr(text, '*');
	char *end;

	ratio->factor = 1;
	ratio->denominator = find_metric(profile, text, strlen(text));
	if (ratio->denominator != NO_METRIC || !star)
		return ratio->denominator != NO_METRIC;
	ratio->factor = strtod(star + 1, &end);
	ratio->denominator = find_metric(profile, text, (size_t)(star - text));
	return end != star + 1 && !*end && isfinite(ratio->factor) && ratio->factor > 0 &&
	       ratio->denominator != NO_METRIC;
}

bool ratio_parse(const char *text, const struct profile *profile, struct ratio *ratio_ret)
{
	struct ratio ratio = { .name = text };

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (strcmp(text, named[i].name) == 0)
			text = named[i].text;
	}
	for (const char *slash = strchr(text, '/'); slash; slash = strchr(slash + 1, '/')) {
		ratio.numerator = find_metric(profile, text, (size_t)(slash - text));
		if (ratio.numerator == NO_METRIC || !parse_denominator(slash + 1, profile, &ratio))
			continue;
		*ratio_ret = ratio;
		return true;
	}
	return false;
}

bool ratio_of(const struct ratio *ratio, const uint64_t *costs, double *value_ret)
{
	if (!costs[ratio->denominator])
		return false;
	*value_ret =
		(double)costs[ratio->numerator] / (double)costs[ratio->denominator] * ratio->factor;
	return true;
}
