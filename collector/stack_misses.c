#include "collector/stack_misses.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/cleanup.h"

static_assert(1 + N_DEEP_STACK_MISSES <= STACK_RECORD_WORDS_MAX, "a word each");

static bool is_empty(const struct stack_misses *misses)
{
	static const struct stack_misses none;

	return !memcmp(misses->deep, none.deep, sizeof(none.deep)) && !misses->contexts_err;
}

int stack_misses_write(struct stack_output *output, const struct stack_misses *misses,
		       uint64_t time_ns)
{
	uint64_t words[1 + N_DEEP_STACK_MISSES] = { (uint64_t)misses->contexts_err };
	const struct stack_record_header header = { .kind = STACK_RECORD_MISSES,
						    .n_words = 1 + N_DEEP_STACK_MISSES,
						    .time_ns = time_ns };

	if (is_empty(misses))
		return 0;
	memcpy(words + 1, misses->deep, sizeof(misses->deep));
	return stack_output_write(output, &header, words, NULL);
}

bool stack_misses_read(const struct perf_event_header *header, struct stack_misses *ret)
{
	struct stack_record record;

	if (!stack_record_decode(header, &record) || record.header.kind != STACK_RECORD_MISSES ||
	    record.header.n_words < 1 || record.words[0] > INT16_MAX)
		return false;
	*ret = (struct stack_misses){ .contexts_err = (int)record.words[0] };
	for (size_t i = 0; i < N_DEEP_STACK_MISSES && i + 1 < record.header.n_words; i++)
		ret->deep[i] = record.words[i + 1];
	return true;
}

void stack_misses_print_deep(FILE *out, const char *label,
			     const uint64_t misses[N_DEEP_STACK_MISSES])
{
	const char *separator = label;

	for (int i = 0; i < N_DEEP_STACK_MISSES; i++) {
		if (!misses[i])
			continue;
		fprintf(out, "%s%" PRIu64 " %s", separator, misses[i],
			deep_stack_miss_text((enum deep_stack_miss)i));
		separator = ", ";
	}
}

const char *stack_misses_contexts_text(int contexts_err)
{
	return contexts_err == ENOENT ? "no tracefs is mounted" : strerror(contexts_err);
}

static int explain(char **why, const struct stack_misses *misses, bool is_deep)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	if (is_deep)
		stack_misses_print_deep(out, "not read beyond it: ", misses->deep);
	else if (misses->contexts_err)
		fprintf(out, "what signals interrupt could not be recorded (%s)",
			stack_misses_contexts_text(misses->contexts_err));
	if (fclose(out))
		return -ENOMEM;
	return size ? profile_set_string(why, text) : 0;
}

int stack_misses_explain(const struct stack_misses *misses, struct profile_info *info)
{
	int err = explain(&info->why[MARKER_STACK_CUT], misses, true);

	return err ? err : explain(&info->why[MARKER_OTHER_STACK], misses, false);
}
