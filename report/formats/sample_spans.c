#include "report/formats/sample_spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

#define NS_PER_US      1000
#define DEFAULT_LENGTH 1000000

static int compare_lengths(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The times between the samples of a group are added to @lengths. Returns their number then. */
static uint32_t add_lengths(const struct sample_row *rows, const uint32_t *at, const uint32_t *end,
			    uint32_t metric, uint64_t *lengths, uint32_t n)
{
	const struct sample_row *last = NULL;

	for (; at < end; at++) {
		const struct sample_row *row = &rows[*at];

		if (row->metric != metric)
			continue;
		if (last && row->time > last->time)
			lengths[n++] = (row->time - last->time) * NS_PER_US;
		last = row;
	}
	return n;
}

int sample_spans_length(const struct profile *profile, const struct sample_list *samples,
			uint32_t n_groups, uint32_t metric, uint64_t *length_ret)
{
	_cleanup_free_ uint64_t *lengths = NULL;
	uint32_t n = 0;

	*length_ret = 0;
	if (strcmp(profile->metrics[metric].unit, "ns") == 0)
		return 0;
	lengths = calloc(profile->rows->n_rows + 1u, sizeof(*lengths));
	if (!lengths)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_groups; i++)
		n = add_lengths(profile->rows->rows, samples->rows + samples->first[i],
				samples->rows + samples->first[i + 1], metric, lengths, n);
	qsort(lengths, n, sizeof(*lengths), compare_lengths);
	*length_ret = n ? lengths[n / 2] : DEFAULT_LENGTH;
	return 0;
}

struct sample_span sample_span_of(const struct sample_row *row, bool is_wait, uint64_t weight,
				  uint64_t last_end_ns)
{
	const uint64_t time = row->time * NS_PER_US;
	uint64_t begin = is_wait ? time : time > weight ? time - weight : 0;

	if (begin < last_end_ns || (!is_wait && begin - last_end_ns < weight))
		begin = last_end_ns;
	return (struct sample_span){ begin, begin + weight };
}
