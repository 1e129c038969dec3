#include "cct/time/watched_time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

void watched_time_deinit(struct watched_time *watched)
{
	free(watched->spans);
	*watched = (struct watched_time){ 0 };
}

static void remove_spans(struct watched_time *watched, size_t first, size_t n)
{
	memmove(&watched->spans[first], &watched->spans[first + n],
		(watched->n - first - n) * sizeof(*watched->spans));
	watched->n -= n;
}

/* The two with the least between them become one. */
static void join_nearest(struct watched_time *watched)
{
	uint64_t least = UINT64_MAX;
	size_t at = 0;

	for (size_t i = 0; i + 1 < watched->n; i++) {
		const uint64_t between = watched->spans[i + 1].start_ns - watched->spans[i].end_ns;

		if (between < least) {
			least = between;
			at = i;
		}
	}
	watched->spans[at].end_ns = watched->spans[at + 1].end_ns;
	remove_spans(watched, at + 1, 1);
}

/* Makes room at @at. */
static int insert_span(struct watched_time *watched, size_t at, const struct time_span *span)
{
	if (array_reserve_one(watched->spans, watched->n))
		return -ENOMEM;
	memmove(&watched->spans[at + 1], &watched->spans[at],
		(watched->n - at) * sizeof(*watched->spans));
	watched->spans[at] = *span;
	watched->n++;
	if (watched->n > WATCHED_TIMES_MAX)
		join_nearest(watched);
	return 0;
}

int watched_time_add(struct watched_time *watched, const struct time_span *span)
{
	size_t first = 0, last;

	if (span->end_ns <= span->start_ns)
		return 0;
	while (first < watched->n && watched->spans[first].end_ns < span->start_ns)
		first++;
	last = first;
	while (last < watched->n && watched->spans[last].start_ns <= span->end_ns)
		last++;
	if (first == last)
		return insert_span(watched, first, span);
	struct time_span *joined = &watched->spans[first];
	if (span->start_ns < joined->start_ns)
		joined->start_ns = span->start_ns;
	joined->end_ns = watched->spans[last - 1].end_ns;
	if (span->end_ns > joined->end_ns)
		joined->end_ns = span->end_ns;
	remove_spans(watched, first + 1, last - first - 1);
	return 0;
}

static void add_up(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

int watched_time_merge(struct watched_time *into, const struct watched_time *from)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->n; i++)
		err = watched_time_add(into, &from->spans[i]);
	add_up(&into->own_cpu_ns, from->own_cpu_ns);
	add_up(&into->slow_ns, from->slow_ns);
	if (from->own_memory > into->own_memory)
		into->own_memory = from->own_memory;
	return err;
}

uint64_t watched_time_total_ns(const struct watched_time *watched, const struct time_span *part)
{
	uint64_t total = 0;

	for (size_t i = 0; i < watched->n; i++) {
		struct time_span span = watched->spans[i];

		if (part && span.start_ns < part->start_ns)
			span.start_ns = part->start_ns;
		if (part && span.end_ns > part->end_ns)
			span.end_ns = part->end_ns;
		total += span.end_ns > span.start_ns ? span.end_ns - span.start_ns : 0;
	}
	return total;
}

bool watched_time_gap(const struct watched_time *watched, size_t index, struct time_span *gap_ret)
{
	const size_t n = watched->n;
	const bool is_asked = watched->asked.end_ns;
	const uint64_t first = is_asked ? watched->asked.start_ns
			       : n      ? watched->spans[0].start_ns
					: 0;
	const uint64_t end = is_asked ? watched->asked.end_ns
			     : n      ? watched->spans[n - 1].end_ns
				      : 0;
	struct time_span gap = { .start_ns = first };

	for (size_t i = 0; i <= n && gap.start_ns < end; i++) {
		gap.end_ns = i < n && watched->spans[i].start_ns < end ? watched->spans[i].start_ns
								       : end;
		if (gap.end_ns > gap.start_ns && !index--) {
			*gap_ret = gap;
			return true;
		}
		if (i < n && watched->spans[i].end_ns > gap.start_ns)
			gap.start_ns = watched->spans[i].end_ns;
	}
	return false;
}
