#include "cct/base/cpu_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define MAX_CPUS 65536

static bool take_cpu(const char **text, int *cpu_ret)
{
	const char *p = *text;
	int cpu = 0;
	for (; *p >= '0' && *p <= '9' && cpu < MAX_CPUS; p++)
		cpu = cpu * 10 + (*p - '0');
	if (p == *text || cpu >= MAX_CPUS)
		return false;
	*text = p;
	*cpu_ret = cpu;
	return true;
}

/* "4" or "4-7", and what parts it from the next. */
static bool take_range(const char **text, int *first_ret, int *last_ret)
{
	if (!take_cpu(text, first_ret))
		return false;
	*last_ret = *first_ret;
	if (**text == '-') {
		(*text)++;
		if (!take_cpu(text, last_ret) || *last_ret < *first_ret)
			return false;
	}
	if (**text == ',')
		return *++*text != '\0';
	return **text == '\0' || **text == '\n';
}

int cpu_list_parse(const char *text, int **cpus_ret, size_t *n_cpus_ret)
{
	int first, last, previous = -1;
	size_t n = 0;
	/* Ascending, so a list has no more than MAX_CPUS. */
	for (const char *p = text; *p && *p != '\n'; n += last - first + 1) {
		if (!take_range(&p, &first, &last) || first <= previous)
			return -EINVAL;
		previous = last;
	}
	int *cpus = reallocarray(NULL, n ? n : 1, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	size_t i = 0;
	for (const char *p = text; i < n && take_range(&p, &first, &last);)
		for (int cpu = first; cpu <= last; cpu++)
			cpus[i++] = cpu;
	*cpus_ret = cpus;
	*n_cpus_ret = n;
	return 0;
}
