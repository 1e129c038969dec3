#include "report/verify/verify_callgrind.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/hash.h"
#include "cct/base/pair_map.h"
#include "report/verify/gunzip.h"

#define MAX_EVENTS 1024

/* What has numbers of its own. */
enum names { OBJECTS, FILES, FUNCTIONS };

/* What the next line must be. */
enum expected { ANYTHING, CALLS, INCLUSIVE_COST, JUMP_SOURCE };

static const struct key {
	const char *text;
	enum names names;
	bool is_called;
} keys[] = {
	{ "ob=", OBJECTS, false }, { "cob=", OBJECTS, true },   { "fl=", FILES, false },
	{ "fi=", FILES, false },   { "fe=", FILES, false },     { "cfi=", FILES, true },
	{ "cfl=", FILES, true },   { "fn=", FUNCTIONS, false }, { "cfn=", FUNCTIONS, true },
};

struct checker {
	struct verification *verification;
	struct pair_map numbers; /* (enum names, number) -> part of the name's hash */
	uint64_t *sums;          /* by event, of self costs */
	size_t n_events, n_positions;
	size_t line; /* from 1 on */
	enum expected expected;
	bool has_events, has_function, has_totals;
};

/* What is left of a line. */
struct rest {
	const char *at, *end;
};

static bool fail(const struct checker *checker, const char *problem)
{
	return verification_fail(checker->verification, "line %zu %s", checker->line, problem);
}

/* -- words ------------------------------------------------------------------------------------ */

static bool take_prefix(struct rest *rest, const char *prefix)
{
	const size_t size = strlen(prefix);

	if ((size_t)(rest->end - rest->at) < size || memcmp(rest->at, prefix, size) != 0)
		return false;
	rest->at += size;
	return true;
}

static void skip_blanks(struct rest *rest)
{
	while (rest->at < rest->end && (*rest->at == ' ' || *rest->at == '\t'))
		rest->at++;
}

/* The blank or the end must follow. */
static bool ends_word(const struct rest *rest)
{
	return rest->at == rest->end || *rest->at == ' ' || *rest->at == '\t';
}

static bool take_decimal(struct rest *rest, uint64_t *number_ret)
{
	const char *start = rest->at;
	uint64_t number = 0;

	for (; rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9'; rest->at++) {
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*rest->at - '0'), &number))
			return false;
	}
	*number_ret = number;
	return rest->at > start;
}

/* "17", "0x4005a0", "+3", "-3", "*": a line or an address, some of them beside the last one. */
static bool take_position(struct rest *rest)
{
	uint64_t number;

	skip_blanks(rest);
	if (take_prefix(rest, "*"))
		return ends_word(rest);
	if (!take_prefix(rest, "+"))
		take_prefix(rest, "-");
	if (!take_prefix(rest, "0x"))
		return take_decimal(rest, &number) && ends_word(rest);
	const char *start = rest->at;
	while (rest->at < rest->end && isxdigit((unsigned char)*rest->at))
		rest->at++;
	return rest->at > start && ends_word(rest);
}

/* -- lines ------------------------------------------------------------------------------------ */

/* Costs of a line, of which the last ones may be missing if they are 0. Adds them to @sums, if
 * there are any. */
static bool take_costs(struct checker *checker, struct rest *rest, uint64_t *sums)
{
	uint64_t cost;
	size_t n = 0;

	for (skip_blanks(rest); rest->at < rest->end; skip_blanks(rest), n++) {
		if (n == checker->n_events)
			return fail(checker, "has more costs than there are events");
		if (!take_decimal(rest, &cost) || !ends_word(rest))
			return fail(checker, "has a cost that is no number");
		if (sums && __builtin_add_overflow(sums[n], cost, &sums[n]))
			return fail(checker, "makes a sum too large");
	}
	return true;
}

static bool check_cost(struct checker *checker, struct rest *rest)
{
	const bool is_inclusive = checker->expected == INCLUSIVE_COST;

	if (!checker->has_events)
		return fail(checker, "has costs before the events are named");
	if (!checker->has_function)
		return fail(checker, "has costs before a function is named");
	checker->expected = ANYTHING;
	for (size_t i = 0; i < checker->n_positions; i++) {
		if (!take_position(rest))
			return fail(checker, "is none of the format, or its position is malformed");
	}
	return take_costs(checker, rest, is_inclusive ? NULL : checker->sums);
}

static bool check_calls(struct checker *checker, struct rest *rest)
{
	uint64_t n;

	if (checker->expected != CALLS)
		return fail(checker, "has calls, but no function that is called is before it");
	checker->expected = INCLUSIVE_COST;
	skip_blanks(rest);
	if (!take_decimal(rest, &n) || !ends_word(rest))
		return fail(checker, "has a number of calls that is malformed");
	for (size_t i = 0; i < checker->n_positions; i++) {
		if (!take_position(rest))
			return fail(checker, "has a position of the call that is malformed");
	}
	return true;
}

/* "(3) name" gives the name a number, which "(3)" is from then on. */
static bool check_name(struct checker *checker, struct rest *rest, enum names names)
{
	uint64_t number;

	if (!take_prefix(rest, "("))
		return rest->at < rest->end || fail(checker, "has an empty name");
	if (!take_decimal(rest, &number) || !take_prefix(rest, ")"))
		return true; /* a name that begins with a bracket */
	skip_blanks(rest);
	const uint32_t known = pair_map_find(&checker->numbers, names, number);
	if (rest->at == rest->end)
		return known != PAIR_MAP_NONE ||
		       fail(checker, "has a number that no name was given");
	const uint32_t hash =
		(uint32_t)hash_bytes(HASH_START, rest->at, (size_t)(rest->end - rest->at)) >> 1;
	if (known != PAIR_MAP_NONE)
		return known == hash || fail(checker, "gives a number to a second name");
	return !pair_map_add(&checker->numbers, names, number, hash) ||
	       verification_lacks_memory(checker->verification);
}

static bool check_key(struct checker *checker, struct rest *rest, const struct key *key)
{
	if (checker->expected == CALLS && !key->is_called)
		return fail(checker,
			    "names a function, but calls of the one before it are missing");
	if (key->names == FUNCTIONS && key->is_called)
		checker->expected = CALLS;
	checker->has_function |= key->names == FUNCTIONS && !key->is_called;
	return check_name(checker, rest, key->names);
}

/* -- headers ---------------------------------------------------------------------------------- */

static size_t count_words(struct rest *rest)
{
	size_t n = 0;

	for (skip_blanks(rest); rest->at < rest->end; skip_blanks(rest), n++) {
		while (!ends_word(rest))
			rest->at++;
	}
	return n;
}

static bool check_events(struct checker *checker, struct rest *rest)
{
	const size_t n = count_words(rest);

	if (checker->has_events)
		return fail(checker, "names the events a second time");
	if (!n || n > MAX_EVENTS)
		return fail(checker, "names no events, or too many");
	checker->sums = calloc(n, sizeof(*checker->sums));
	checker->n_events = n;
	checker->has_events = true;
	return checker->sums || verification_lacks_memory(checker->verification);
}

static bool check_positions(struct checker *checker, struct rest *rest)
{
	checker->n_positions = count_words(rest);
	return (checker->n_positions && checker->n_positions <= 2) ||
	       fail(checker, "has neither one nor two positions");
}

static bool check_totals(struct checker *checker, struct rest *rest)
{
	uint64_t total;

	checker->has_totals = true;
	for (size_t i = 0; i < checker->n_events; i++) {
		skip_blanks(rest);
		if (rest->at == rest->end)
			total = 0;
		else if (!take_decimal(rest, &total) || !ends_word(rest))
			return fail(checker, "has a total that is no number");
		if (total != checker->sums[i])
			return fail(checker, "has a total that is not the sum of the costs");
	}
	return true;
}

/* "key: value", of which others say nothing that can be checked. */
static bool is_header(const struct rest *rest)
{
	const char *at = rest->at;

	while (at < rest->end && isalpha((unsigned char)*at))
		at++;
	return at > rest->at && at < rest->end && *at == ':';
}

/* -- the file --------------------------------------------------------------------------------- */

static bool check_body_line(struct checker *checker, struct rest *rest)
{
	if (checker->expected == JUMP_SOURCE) {
		checker->expected = ANYTHING;
		return true;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (take_prefix(rest, keys[i].text))
			return check_key(checker, rest, &keys[i]);
	}
	if (take_prefix(rest, "calls="))
		return check_calls(checker, rest);
	if (take_prefix(rest, "jump=") || take_prefix(rest, "jcnd=")) {
		checker->expected = JUMP_SOURCE;
		return true;
	}
	return is_header(rest) || check_cost(checker, rest);
}

static bool check_line(struct checker *checker, struct rest *rest)
{
	if (rest->at == rest->end || *rest->at == '#')
		return true;
	if (checker->expected == INCLUSIVE_COST)
		return check_cost(checker, rest);
	if (take_prefix(rest, "events:"))
		return check_events(checker, rest);
	if (take_prefix(rest, "positions:"))
		return check_positions(checker, rest);
	if (take_prefix(rest, "totals:"))
		return check_totals(checker, rest);
	return check_body_line(checker, rest);
}

static bool check_lines(struct checker *checker, const char *at, const char *end)
{
	for (; at < end; checker->line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct rest rest = { at, newline };

		if (!newline)
			return fail(checker, "does not end: the file is cut");
		if (!verification_text(checker->verification, (const uint8_t *)at,
				       (size_t)(newline - at), "line", checker->line) ||
		    !check_line(checker, &rest))
			return false;
		at = newline + 1;
	}
	if (checker->expected != ANYTHING)
		return verification_fail(checker->verification,
					 "the file ends within a call: it is cut");
	return checker->has_totals ||
	       verification_fail(checker->verification, "there are no totals: the file is cut");
}

void verify_callgrind(struct verification *verification, const uint8_t *bytes, size_t size)
{
	struct checker checker = { .verification = verification, .n_positions = 1, .line = 1 };
	uint8_t *expanded = NULL;

	if (gunzip_recognizes(bytes, size) && gunzip(verification, bytes, size, &expanded, &size))
		bytes = expanded;
	if (!verification->problem && !verification->lacks_memory)
		check_lines(&checker, (const char *)bytes, (const char *)bytes + size);
	free(expanded);
	free(checker.sums);
	pair_map_deinit(&checker.numbers);
}
