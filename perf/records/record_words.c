#include "perf/records/record_words.h"

static size_t count_words(uint64_t bits)
{
	return (size_t)__builtin_popcountll(bits);
}

/* All words but IDENTIFIER, which both kinds of records have elsewhere. */
static const uint64_t *read_words(const uint64_t *at, uint64_t bits, struct record *ret)
{
	if (bits & PERF_SAMPLE_IP)
		ret->sample.ip = *at++;
	if (bits & PERF_SAMPLE_TID) {
		ret->pid = (int32_t)word_first(*at);
		ret->tid = (int32_t)word_second(*at++);
	}
	if (bits & PERF_SAMPLE_TIME)
		ret->time_ns = *at++;
	if (bits & PERF_SAMPLE_ADDR)
		ret->sample.addr = *at++;
	if (bits & PERF_SAMPLE_ID)
		ret->id = *at++;
	if (bits & PERF_SAMPLE_STREAM_ID)
		ret->stream_id = *at++;
	if (bits & PERF_SAMPLE_CPU)
		ret->cpu = word_first(*at++);
	if (bits & PERF_SAMPLE_PERIOD)
		ret->sample.period = *at++;
	ret->has_tid = bits & PERF_SAMPLE_TID;
	ret->has_time = bits & PERF_SAMPLE_TIME;
	ret->has_cpu = bits & PERF_SAMPLE_CPU;
	ret->has_id = bits & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID);
	return at;
}

bool record_words_take_head(struct record_cursor *cursor, uint64_t sample_type, struct record *ret)
{
	uint64_t bits = sample_type & RECORD_HEAD_BITS;
	const uint64_t *at = cursor_words(cursor, count_words(bits));

	if (!at)
		return false;
	if (bits & PERF_SAMPLE_IDENTIFIER)
		ret->id = *at++;
	read_words(at, bits, ret);
	ret->sample.has_period = bits & PERF_SAMPLE_PERIOD;
	return true;
}

bool record_words_take_trailer(struct record_cursor *cursor, uint64_t sample_type,
			       struct record *ret)
{
	uint64_t bits = sample_type & RECORD_TRAILER_BITS;
	uint64_t words[6];
	size_t size = count_words(bits) * sizeof(words[0]);

	if (size > cursor_left(cursor))
		return false;
	cursor->end -= size;
	memcpy(words, cursor->end, size);
	const uint64_t *at = read_words(words, bits, ret);
	if (bits & PERF_SAMPLE_IDENTIFIER)
		ret->id = *at;
	return true;
}

bool record_words_find_id(uint64_t sample_type, bool is_sample, size_t *position_ret)
{
	const uint64_t before_id =
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
	const uint64_t after_id = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;

	if (!(sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)))
		return false;
	*position_ret = sample_type & PERF_SAMPLE_IDENTIFIER
				? 0
				: count_words(sample_type & (is_sample ? before_id : after_id));
	return true;
}

bool record_words_find_time(uint64_t sample_type, bool is_sample, size_t *position_ret)
{
	const uint64_t before_time = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	const uint64_t after_time =
		PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

	if (!(sample_type & PERF_SAMPLE_TIME))
		return false;
	*position_ret = count_words(sample_type & (is_sample ? before_time : after_time));
	return true;
}
