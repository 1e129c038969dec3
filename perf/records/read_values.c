#include "perf/records/read_values.h"

/* Newer than some build machines' headers. */
#define FORMAT_LOST (1ull << 4)

static size_t read_entry_words(uint64_t format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & FORMAT_LOST);
}

static bool take_read_times(struct record_cursor *cursor, uint64_t format, struct read_values *ret)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED && !cursor_word(cursor, &ret->time_enabled))
		return false;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING && !cursor_word(cursor, &ret->time_running))
		return false;
	return true;
}

bool read_values_take(struct record_cursor *cursor, uint64_t format, struct read_values *ret)
{
	uint64_t entry = read_entry_words(format);
	uint64_t n = 1;

	*ret = (struct read_values){ 0 };
	if (format & PERF_FORMAT_GROUP) {
		if (!cursor_word(cursor, &n) || !take_read_times(cursor, format, ret))
			return false;
		if (n > cursor_left(cursor) / (entry * sizeof(uint64_t)))
			return false;
		ret->values = cursor_words(cursor, n * entry);
	} else {
		/* The times are between the value and its id. */
		ret->values = cursor_words(cursor, 1);
		if (!ret->values || !take_read_times(cursor, format, ret) ||
		    !cursor_words(cursor, entry - 1))
			return false;
	}
	ret->n_values = n;
	return ret->values;
}

/* The first word of a value. */
static const uint64_t *value_at(const struct sample_record *sample, uint64_t read_format,
				size_t index)
{
	return sample->read_values + index * read_entry_words(read_format);
}

/* The number of words between a value and its id. */
static size_t words_before_id(uint64_t read_format)
{
	if (read_format & PERF_FORMAT_GROUP)
		return 0;
	return !!(read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	       !!(read_format & PERF_FORMAT_TOTAL_TIME_RUNNING);
}

const uint64_t *read_values_id_of_sample(const struct sample_record *sample, uint64_t read_format,
					 size_t index)
{
	return value_at(sample, read_format, index) + 1 + words_before_id(read_format);
}

void read_values_of_sample(const struct sample_record *sample, uint64_t read_format, size_t index,
			   struct read_value *value_ret)
{
	*value_ret = (struct read_value){ 0 };
	if (index >= sample->n_read_values)
		return;
	const uint64_t *at = value_at(sample, read_format, index);
	value_ret->value = *at++;
	at += words_before_id(read_format);
	if (read_format & PERF_FORMAT_ID)
		value_ret->id = *at++;
	if (read_format & FORMAT_LOST)
		value_ret->lost = *at;
}
