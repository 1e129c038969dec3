#include "collector/record/stacks/stack_output.h"

#include <string.h>

static_assert(STACK_MISSES_WORDS <= STACK_RECORD_WORDS_MAX, "a word each");

static int write_part(struct stack_output *output, const struct stack_record_header *header,
		      const uint64_t *words, const void *bytes)
{
	void *room;
	int err = data_writer_reserve(output->writer,
				      stack_record_size(header->n_words, header->part_size), &room);

	if (err)
		return err;
	stack_record_encode(header, words, bytes, room);
	return data_writer_commit(output->writer);
}

int stack_output_write(struct stack_output *output, const struct stack_record_header *header,
		       const uint64_t *words, const void *bytes)
{
	struct stack_record_header part = *header;
	int err;

	if (header->time_ns > output->newest_ns)
		output->newest_ns = header->time_ns;
	part.offset = 0;
	do {
		uint32_t left = part.size - part.offset;

		part.part_size = left < STACK_RECORD_PART_MAX ? left : STACK_RECORD_PART_MAX;
		err = write_part(output, &part, words,
				 bytes ? (const uint8_t *)bytes + part.offset : NULL);
		part.offset += part.part_size;
	} while (!err && part.offset < part.size);
	return err;
}

static bool is_empty(const struct stack_misses *misses)
{
	static const struct stack_misses none;

	return !memcmp(misses->deep, none.deep, sizeof(none.deep)) && !misses->contexts_err &&
	       !misses->seconds_err;
}

int stack_output_write_misses(struct stack_output *output, uint64_t time_ns)
{
	const struct stack_misses *misses = &output->misses;
	uint64_t words[STACK_MISSES_WORDS];
	const struct stack_record_header header = { .kind = STACK_RECORD_MISSES,
						    .n_words = STACK_MISSES_WORDS,
						    .time_ns = time_ns };

	if (is_empty(misses))
		return 0;
	stack_misses_words(misses, words);
	return stack_output_write(output, &header, words, NULL);
}
