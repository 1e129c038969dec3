#include "cct/system/cpu_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cct/base/int_list.h"

/* A range, and the comma before the next one. */
static bool take_range(const char **text, int *first_ret, int *last_ret)
{
	if (!int_list_take_range(text, CPU_MAX, first_ret, last_ret))
		return false;
	if (**text == ',')
		return *++*text != '\0';
	return **text == '\0' || **text == '\n';
}

int cpu_list_parse(const char *text, int **cpus_ret, size_t *n_cpus_ret)
{
	int first, last, previous = -1;
	size_t n = 0;
	/* Ascending, so a list has no more than CPU_MAX + 1. */
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
