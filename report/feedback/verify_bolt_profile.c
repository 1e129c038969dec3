#include "report/feedback/verify_bolt_profile.h"

#include <string.h>

#include "cct/base/numbers.h"

#define NUMBER_MAX 32

struct checker {
	struct verification *verification;
	size_t line;      /* from 1 on */
	bool has_samples; /* instead of branches */
};

static bool fail(const struct checker *checker, const char *problem)
{
	return verification_fail(checker->verification, "line %zu %s", checker->line, problem);
}

/* Takes what is up to the next blank, which a backslash does not precede, or up to the end. */
static const char *take_word(const char **at, const char *end, size_t *size_ret)
{
	const char *word = *at;

	while (*at < end && **at != ' ')
		*at += **at == '\\' && *at + 1 < end ? 2 : 1;
	*size_ret = (size_t)(*at - word);
	if (*at < end)
		(*at)++;
	return word;
}

static bool take_count(const char **at, const char *end, uint64_t *count_ret)
{
	char text[NUMBER_MAX];
	size_t size;
	const char *word = take_word(at, end, &size);

	if (!size || size >= sizeof(text) || *word < '0' || *word > '9')
		return false;
	memcpy(text, word, size);
	text[size] = '\0';
	return numbers_parse(text, UINT64_MAX, count_ret) == 0;
}

static bool is_hexadecimal(const char *word, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!word[i] || !strchr("0123456789abcdef", word[i]))
			return false;
	return size && size <= 16;
}

/* "1 FUNCTION OFFSET " or "0 [unknown] 0 " */
static bool check_place(const struct checker *checker, const char **at, const char *end)
{
	size_t size;
	const char *word = take_word(at, end, &size);

	if (size != 1 || *word < '0' || *word > '2')
		return fail(checker, "has a place that is neither 0, 1 nor 2");
	take_word(at, end, &size);
	if (!size)
		return fail(checker, "has a place without a name");
	word = take_word(at, end, &size);
	return is_hexadecimal(word, size) ||
	       fail(checker, "has an offset that is not a hexadecimal number");
}

static bool check_line(const struct checker *checker, const char *at, const char *end)
{
	uint64_t count = 0, mispredicted = 0;

	if (!check_place(checker, &at, end))
		return false;
	if (!checker->has_samples) {
		if (!check_place(checker, &at, end))
			return false;
		if (!take_count(&at, end, &mispredicted))
			return fail(checker, "does not say how often it was mispredicted");
	}
	if (!take_count(&at, end, &count) || at != end)
		return fail(checker, "does not end in a count");
	return mispredicted <= count ||
	       fail(checker, "was mispredicted more often than it was executed");
}

/* "no_lbr EVENT:", the first line of samples */
static bool check_heading(struct checker *checker, const char *end)
{
	checker->has_samples = true;
	return (checker->line == 1 && end[-1] == ':') ||
	       fail(checker, "is not a heading of samples, which ends in a colon");
}

void verify_bolt_profile(struct verification *verification, const uint8_t *bytes, size_t size)
{
	static const char heading[] = "no_lbr ";
	struct checker checker = { .verification = verification, .line = 1 };
	const char *at = (const char *)bytes, *end = at + size;

	for (bool is_sound = true; is_sound && at < end; checker.line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		if (!newline) {
			fail(&checker, "does not end: the file is cut");
			return;
		}
		is_sound = (size_t)(newline - at) >= strlen(heading) &&
					   memcmp(at, heading, strlen(heading)) == 0
				   ? check_heading(&checker, newline)
				   : check_line(&checker, at, newline);
		at = newline + 1;
	}
}
