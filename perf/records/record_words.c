#include "perf/records/record_words.h"

enum {
	KSYMBOL_NAME = 16, /* after the address, the length, the type, and flags */
	BPF_SIZE = 16,     /* type, flags, id, tag */
	POKE_LENGTHS = 8,  /* after the address */
	POKE_BYTES = 12,
};

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

static size_t trailer_size(uint64_t sample_type)
{
	return count_words(sample_type & RECORD_TRAILER_BITS) * sizeof(uint64_t);
}

bool record_words_take_trailer(struct record_cursor *cursor, uint64_t sample_type,
			       struct record *ret)
{
	uint64_t bits = sample_type & RECORD_TRAILER_BITS;
	uint64_t words[6];
	size_t size = trailer_size(sample_type);

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

static size_t align(size_t size)
{
	return (size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
}

/* Of the name, with the zeros at its end; SIZE_MAX: it has no end. */
static size_t ksymbol_size(const uint8_t *body, size_t room)
{
	const uint8_t *end =
		room > KSYMBOL_NAME ? memchr(body + KSYMBOL_NAME, '\0', room - KSYMBOL_NAME) : NULL;

	return end ? align((size_t)(end - body) + 1) : SIZE_MAX;
}

static size_t poke_size(const uint8_t *body, size_t room)
{
	uint16_t lengths[2]; /* of the old code, and of the new */

	if (room < POKE_BYTES)
		return SIZE_MAX;
	memcpy(lengths, body + POKE_LENGTHS, sizeof(lengths));
	return align((size_t)POKE_BYTES + lengths[0] + lengths[1]);
}

/* What the fields take of the @room at @body; SIZE_MAX: not known. */
static size_t fields_size(uint32_t type, const uint8_t *body, size_t room)
{
	switch (type) {
	case PERF_RECORD_KSYMBOL:
		return ksymbol_size(body, room);
	case PERF_RECORD_BPF_EVENT:
		return BPF_SIZE;
	case RECORD_KERNEL_TEXT_POKE:
		return poke_size(body, room);
	default:
		return SIZE_MAX;
	}
}

size_t record_written_size(uint64_t sample_type, bool sample_id_all,
			   const struct perf_event_header *header)
{
	const size_t around = sizeof(*header) + (sample_id_all ? trailer_size(sample_type) : 0);

	if (header->size < around)
		return header->size;
	const size_t room = header->size - around;
	const size_t size = fields_size(header->type, (const uint8_t *)(header + 1), room);
	return size <= room ? around + size : header->size;
}
