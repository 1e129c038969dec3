#include "collector/attached/stack_misses.h"

#include <errno.h>
#include <inttypes.h>
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
	for (size_t i = 0; i < N_DEEP_STACK_MISSES && i + 1 < record.header.n_words; i++)
		ret->deep[i] = record.words[i + 1];
	if (record.header.n_words > 1 + N_DEEP_STACK_MISSES &&
	    record.words[1 + N_DEEP_STACK_MISSES] <= INT16_MAX)
		ret->seconds_err = (int)record.words[1 + N_DEEP_STACK_MISSES];
	return true;
}

const char *deep_stack_miss_text(enum deep_stack_miss miss)
{
	static const char *const texts[N_DEEP_STACK_MISSES] = {
		[DEEP_STACK_MOVED_ON] = "returned before they could be read",
		[DEEP_STACK_NO_TIME] = "came faster than they can be read",
		[DEEP_STACK_NO_REGISTER] = "found no free debug register",
		[DEEP_STACK_FORBIDDEN] =
			"may not be read (CAP_PERFMON and CAP_SYS_PTRACE permit it)",
		[DEEP_STACK_NOT_OWN] = "lie on stacks that the program made itself",
		[DEEP_STACK_NO_WALK] = "could not be unwound",
		[DEEP_STACK_FAILED] = "had gone with their thread",
	};

	return texts[miss];
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

static int explain(char **why, const struct stack_misses *misses,
		   void (*print)(FILE *out, const struct stack_misses *misses))
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	print(out, misses);
	if (fclose(out))
		return -ENOMEM;
	return size ? profile_set_string(why, text) : 0;
}

static void print_deep(FILE *out, const struct stack_misses *misses)
{
	stack_misses_print_deep(out, "not read beyond it: ", misses->deep);
}

int stack_misses_explain(const struct stack_misses *misses, struct profile_info *info)
{
	int err = explain(&info->why[MARKER_STACK_CUT], misses, print_deep);

	return err ? err : explain(&info->why[MARKER_OTHER_STACK], misses, print_others);
}
