#include "report/feedback/verify_gcc_profile.h"

#include <string.h>

#define MAGIC         "adcg"
#define FILE_VERSION  2
#define TAG_NAMES     0xaa000000u
#define TAG_FUNCTIONS 0xac000000u
#define TAG_MODULES   0xae000000u
#define INDIRECT_CALL 3u
#define DEPTH_MAX     1000 /* of functions inlined into each other */

struct checker {
	struct verification *verification;
	const uint8_t *start, *at, *end;
	uint32_t n_names;
};

static bool fail(const struct checker *checker, const char *problem)
{
	return verification_fail(checker->verification, "byte %zu: %s",
				 (size_t)(checker->at - checker->start), problem);
}

static bool take_number(struct checker *checker, size_t size, uint64_t *number_ret)
{
	*number_ret = 0;
	if ((size_t)(checker->end - checker->at) < size)
		return fail(checker, "the file is cut");
	for (size_t i = size; i-- > 0;)
		*number_ret = *number_ret << 8 | checker->at[i];
	checker->at += size;
	return true;
}

static bool take_word(struct checker *checker, uint64_t *word_ret)
{
	return take_number(checker, sizeof(uint32_t), word_ret);
}

static bool check_word(struct checker *checker, uint64_t expected, const char *problem)
{
	uint64_t word;

	return take_word(checker, &word) && (word == expected || fail(checker, problem));
}

/* Of 8 bytes; gcc's have a sign. */
static bool check_count(struct checker *checker)
{
	uint64_t count;

	return take_number(checker, sizeof(count), &count) &&
	       (count <= INT64_MAX || fail(checker, "a count is negative"));
}

/* Of @size bytes. Number 0 is not a name. */
static bool check_name(struct checker *checker, size_t size)
{
	uint64_t name;

	return take_number(checker, size, &name) &&
	       ((name && name < checker->n_names) || fail(checker, "there is no such name"));
}

/* What a section's tag and length are followed by ends there. */
static bool begin_section(struct checker *checker, uint32_t tag, const uint8_t **end_ret)
{
	uint64_t size;

	if (!check_word(checker, tag, "another section is expected") || !take_word(checker, &size))
		return false;
	if (size > (size_t)(checker->end - checker->at))
		return fail(checker, "a section is longer than the file");
	*end_ret = checker->at + size;
	return true;
}

static bool end_section(const struct checker *checker, const uint8_t *end)
{
	return checker->at == end ||
	       fail(checker, "a section has another length than its head says");
}

static bool check_names(struct checker *checker)
{
	const uint8_t *end = NULL;
	uint64_t n, size;

	if (!begin_section(checker, TAG_NAMES, &end) || !take_word(checker, &n))
		return false;
	checker->n_names = (uint32_t)n;
	for (uint64_t i = 0; i < n; i++) {
		if (!take_word(checker, &size))
			return false;
		if (size > (size_t)(checker->end - checker->at))
			return fail(checker, "the file is cut");
		if (!size || memchr(checker->at, 0, size) != checker->at + size - 1)
			return fail(checker, "a name does not end with its only zero byte");
		checker->at += size;
	}
	return end_section(checker, end);
}

static bool check_line(struct checker *checker)
{
	uint64_t place, n_calls;

	if (!take_word(checker, &place) || !take_word(checker, &n_calls) || !check_count(checker))
		return false;
	for (uint64_t i = 0; i < n_calls; i++)
		if (!check_word(checker, INDIRECT_CALL, "a value is not that of a call") ||
		    !check_name(checker, sizeof(uint64_t)) || !check_count(checker))
			return false;
	return true;
}

/* Inlined functions are checked with the functions that they are in. */
static bool check_function(struct checker *checker, unsigned depth)
{
	uint64_t n_lines, n_inlined, place;

	if (depth > DEPTH_MAX)
		return fail(checker, "functions are inlined too deep");
	if (!check_name(checker, sizeof(uint32_t)) || !take_word(checker, &n_lines) ||
	    !take_word(checker, &n_inlined))
		return false;
	for (uint64_t i = 0; i < n_lines; i++)
		if (!check_line(checker))
			return false;
	for (uint64_t i = 0; i < n_inlined; i++)
		if (!take_word(checker, &place) || !check_function(checker, depth + 1))
			return false;
	return true;
}

static bool check_functions(struct checker *checker)
{
	const uint8_t *end = NULL;
	uint64_t n;

	if (!begin_section(checker, TAG_FUNCTIONS, &end) || !take_word(checker, &n))
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (!check_count(checker) || !check_function(checker, 0))
			return false;
	return end_section(checker, end);
}

static bool check_modules(struct checker *checker)
{
	const uint8_t *end = NULL;

	return begin_section(checker, TAG_MODULES, &end) &&
	       check_word(checker, 0, "there are modules, which gcc does not read") &&
	       end_section(checker, end);
}

void verify_gcc_profile(struct verification *verification, const uint8_t *bytes, size_t size)
{
	struct checker checker = { verification, bytes, bytes, bytes + size, 0 };

	if (size < strlen(MAGIC) || memcmp(bytes, MAGIC, strlen(MAGIC)) != 0) {
		fail(&checker, "it does not begin with " MAGIC);
		return;
	}
	checker.at += strlen(MAGIC);
	if (check_word(&checker, FILE_VERSION, "it is not of version 2") &&
	    check_word(&checker, 0, "a zero is expected") && check_names(&checker) &&
	    check_functions(&checker) && check_modules(&checker) && checker.at != checker.end)
		fail(&checker, "something follows the end");
}
