#include "collector/attached/stack_misses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

bool stack_misses_read(const struct perf_event_header *header, struct stack_misses *ret)
{
	struct stack_record record;

	if (!stack_record_decode(header, &record) || record.header.kind != STACK_RECORD_MISSES ||
	    record.header.n_words < 1 || record.words[0] > INT16_MAX)
		return false;
	*ret = (struct stack_misses){ .contexts_err = (int)record.words[0] };
	for (size_t i = 0; i < N_UNREAD_RESTS && i + 1 < record.header.n_words; i++)
		ret->deep[i] = record.words[i + 1];
	if (record.header.n_words > 1 + N_UNREAD_RESTS &&
	    record.words[1 + N_UNREAD_RESTS] <= INT16_MAX)
		ret->seconds_err = (int)record.words[1 + N_UNREAD_RESTS];
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
