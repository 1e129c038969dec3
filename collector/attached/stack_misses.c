#include "collector/attached/stack_misses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

/* Reasons that came later than seconds_err follow it. */
#define SECONDS_WORD (2 + REST_FAILED)

static size_t word_of(size_t reason)
{
	return reason <= REST_FAILED ? 1 + reason : 2 + reason;
}

void stack_misses_words(const struct stack_misses *misses, uint64_t words_ret[STACK_MISSES_WORDS])
{
	words_ret[0] = (uint64_t)misses->contexts_err;
	for (size_t i = 0; i < N_UNREAD_RESTS; i++)
		words_ret[word_of(i)] = misses->deep[i];
	words_ret[SECONDS_WORD] = (uint64_t)misses->seconds_err;
}

bool stack_misses_read(const struct perf_event_header *header, struct stack_misses *ret)
{
	struct stack_record record;

	if (!stack_record_decode(header, &record) || record.header.kind != STACK_RECORD_MISSES ||
	    record.header.n_words < 1 || record.words[0] > INT16_MAX)
		return false;
	*ret = (struct stack_misses){ .contexts_err = (int)record.words[0] };
	for (size_t i = 0; i < N_UNREAD_RESTS && word_of(i) < record.header.n_words; i++)
		ret->deep[i] = record.words[word_of(i)];
	if (record.header.n_words > SECONDS_WORD && record.words[SECONDS_WORD] <= INT16_MAX)
		ret->seconds_err = (int)record.words[SECONDS_WORD];
	return true;
}

const char *stack_misses_contexts_text(int contexts_err)
{
	return contexts_err == ENOENT ? "no tracefs is mounted" : strerror(contexts_err);
}

static void print_others(FILE *out, const struct stack_misses *misses)
{
	if (misses->contexts_err)
		fprintf(out, "the stacks that signals interrupted were not recorded (%s)",
			stack_misses_contexts_text(misses->contexts_err));
	if (misses->seconds_err)
		fprintf(out,
			"%sthe stacks that threads left for another were not recorded (BPF: %s)",
			misses->contexts_err ? ", " : "", strerror(misses->seconds_err));
}

int stack_misses_explain(const struct stack_misses *misses, struct profile *profile)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	memcpy(&profile->quality.counts[QUALITY_UNREAD_RESTS], misses->deep, sizeof(misses->deep));
	if (!out)
		return -ENOMEM;
	print_others(out, misses);
	if (fclose(out))
		return -ENOMEM;
	return size ? profile_set_string(&profile->info.why[MARKER_OTHER_STACK], text) : 0;
}
