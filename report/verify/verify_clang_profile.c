#include "report/verify/verify_clang_profile.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/numbers.h"
#include "report/verify/gunzip.h"

#define NUMBER_MAX 32

struct checker {
	struct verification *verification;
	size_t line;  /* from 1 on */
	size_t depth; /* blanks that lines of the last function begin with; 0: there is none */
};

static bool fail(const struct checker *checker, const char *problem)
{
	return verification_fail(checker->verification, "line %zu %s", checker->line, problem);
}

/* Whether @at to @end is one number, up to @max. */
static bool is_number(const char *at, const char *end, uint64_t max)
{
	char text[NUMBER_MAX];
	const size_t size = (size_t)(end - at);
	uint64_t number;

	if (!size || size >= sizeof(text) || *at < '0' || *at > '9')
		return false;
	memcpy(text, at, size);
	text[size] = '\0';
	return numbers_parse(text, max, &number) == 0;
}

/* The last colon before @end, which a number follows; NULL: there is none. */
static const char *colon_of(const char *at, const char *end)
{
	const char *colon = memrchr(at, ':', (size_t)(end - at));

	return colon && is_number(colon + 1, end, UINT64_MAX) ? colon : NULL;
}

/* "function:total:head" */
static bool check_function(struct checker *checker, const char *at, const char *end)
{
	const char *head = colon_of(at, end);
	const char *total = head ? colon_of(at, head) : NULL;

	checker->depth = 1;
	if (!total)
		return fail(checker, "begins a function, but does not end in two numbers");
	return total > at || fail(checker, "has a function without a name");
}

/* " callee:count ..." */
static bool check_calls(const struct checker *checker, const char *at, const char *end)
{
	while (at < end) {
		const char *name = at + 1, *blank = memchr(name, ' ', (size_t)(end - name));
		const char *stop = blank ? blank : end, *colon = colon_of(name, stop);

		if (!colon)
			return fail(checker, "has a called function without a count");
		if (colon == name)
			return fail(checker, "has a called function without a name");
		at = stop;
	}
	return true;
}

/* "count callee:count ..." or "inlined_function:total" */
static bool check_rest(struct checker *checker, size_t depth, const char *at, const char *end)
{
	const char *blank = memchr(at, ' ', (size_t)(end - at));

	checker->depth = depth;
	if (at < end && *at >= '0' && *at <= '9') {
		if (!is_number(at, blank ? blank : end, UINT64_MAX))
			return fail(checker, "has a count that is no number");
		return check_calls(checker, blank ? blank : end, end);
	}
	checker->depth++;
	if (blank)
		return fail(checker, "has a name with a blank");
	const char *colon = colon_of(at, end);
	return (colon && colon > at) ||
	       fail(checker, "has neither a count nor an inlined function with its total");
}

/* "offset.discriminator: ..." after @depth blanks */
static bool check_place(struct checker *checker, size_t depth, const char *at, const char *end)
{
	const char *colon = memchr(at, ':', (size_t)(end - at));
	const char *dot = colon ? memchr(at, '.', (size_t)(colon - at)) : NULL;

	if (depth > checker->depth)
		return fail(checker, "is deeper than the function before it");
	if (!colon || end - colon < 2 || colon[1] != ' ' ||
	    !is_number(at, dot ? dot : colon, UINT16_MAX) ||
	    (dot && !is_number(dot + 1, colon, UINT32_MAX)))
		return fail(checker, "does not begin with a line and a discriminator");
	return check_rest(checker, depth, colon + 2, end);
}

static bool check_line(struct checker *checker, const char *at, const char *end)
{
	const char *text = at;

	while (text < end && *text == ' ')
		text++;
	if (text == end)
		return fail(checker, "is empty");
	if (*text == '#' || *text == '!') /* a comment, or what else is known of a function */
		return true;
	return text == at ? check_function(checker, at, end)
			  : check_place(checker, (size_t)(text - at), text, end);
}

static bool check_lines(struct checker *checker, const char *at, const char *end)
{
	for (; at < end; checker->line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		if (!newline)
			return fail(checker, "does not end: the file is cut");
		if (!verification_text(checker->verification, (const uint8_t *)at,
				       (size_t)(newline - at), "line", checker->line) ||
		    !check_line(checker, at, newline))
			return false;
		at = newline + 1;
	}
	return true;
}

void verify_clang_profile(struct verification *verification, const uint8_t *bytes, size_t size)
{
	struct checker checker = { .verification = verification, .line = 1 };
	uint8_t *expanded = NULL;

	if (gunzip_recognizes(bytes, size) && gunzip(verification, bytes, size, &expanded, &size))
		bytes = expanded;
	if (!verification->problem && !verification->lacks_memory)
		check_lines(&checker, (const char *)bytes, (const char *)bytes + size);
	free(expanded);
}
