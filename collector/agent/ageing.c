#include "collector/agent/ageing.h"

#include "cct/base/clock.h"

#define DETAILS_NS (3600 * NSEC_PER_SEC)

/* Files from @first on that begin in one period. */
static size_t count_group(const struct window_list *list, size_t first, uint64_t period_ns)
{
	const uint64_t period = list->files[first].span.start_ns / period_ns;
	size_t n = 1;

	while (first + n < list->n && list->files[first + n].span.start_ns / period_ns == period)
		n++;
	return n;
}

static bool is_over(uint64_t start_ns, uint64_t period_ns, uint64_t unix_ns)
{
	const uint64_t period = start_ns / period_ns, now = unix_ns / period_ns;

	return now >= 2 && period <= now - 2;
}

size_t ageing_find_group(const struct ageing *ageing, const struct window_list *list,
			 uint64_t unix_ns, size_t *n_ret)
{
	*n_ret = 0;
	for (size_t i = 0; i < ageing->n_periods; i++) {
		const uint64_t period_ns = ageing->period_ns[i];

		for (size_t first = 0, n; first < list->n; first += n) {
			n = count_group(list, first, period_ns);
			if (n == 1 ||
			    !is_over(list->files[first].span.start_ns, period_ns, unix_ns))
				continue;
			*n_ret = n;
			return first;
		}
	}
	return 0;
}

bool ageing_drops_details(const struct ageing *ageing, const struct window_file *last,
			  uint64_t unix_ns)
{
	return !ageing->keeps_details && unix_ns >= last->span.end_ns &&
	       unix_ns - last->span.end_ns >= DETAILS_NS;
}

size_t ageing_count_removed(const struct ageing *ageing, const struct window_list *list,
			    uint64_t unix_ns)
{
	uint64_t size = 0;
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		size += list->files[i].size;
	for (; n + 1 < list->n; n++) {
		const struct window_file *file = &list->files[n];
		const bool is_old = ageing->keep_ns && file->span.end_ns < unix_ns &&
				    unix_ns - file->span.end_ns > ageing->keep_ns;

		if (!is_old && (!ageing->keep_bytes || size <= ageing->keep_bytes))
			break;
		size -= file->size;
	}
	return n;
}
