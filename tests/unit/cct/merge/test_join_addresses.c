/*
 * Joining of rare addresses, on generated trees of two processes: each path gets the cost that this
 * test finds for it, by texts of paths and without looking for functions in any table.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/merge/join_addresses.h"

#define N_TRIALS    200
#define N_PROCESSES 2
#define N_OFFSETS   24
#define DEPTH       3
#define MAX_NODES   1024
#define TEXT_SIZE   64

/* Of functions of eight addresses, the third has no name; in each, something is inlined at every
 * third address. */
#define IN_FUNCTION(offset) ((offset) / 8)
#define UNNAMED             2
#define IS_INLINED(offset)  ((offset) % 3 == 0)

struct path {
	char text[TEXT_SIZE]; /* "p0/5/17": the process, then offsets */
	uint64_t samples, weight;
};

static uint64_t seed;

/* xorshift64*, by Marsaglia and Vigna: the same numbers in each run. */
static uint32_t random_below(uint32_t n)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)(seed * 0x2545f4914f6cdd1du >> 40) % n;
}

/* Lines differ from address to address. */
static struct stored_names *make_names(void)
{
	struct stored_names *names = stored_names_create();

	assert_non_null(names);
	for (uint32_t offset = 0; offset < N_OFFSETS; offset++) {
		const uint32_t function = IN_FUNCTION(offset);
		struct stored_code code = {
			.module = 1,
			.offset = offset,
			.start = (uint64_t)function * 8,
			.addr = offset,
			.first_call = names->n_calls,
			.n_calls = IS_INLINED(offset) ? 2 : 1,
		};
		struct stored_call call = { .line = offset,
					    .name = STORED_NO_TEXT,
					    .decl_file = STORED_NO_TEXT,
					    .file = STORED_NO_TEXT,
					    .directory = STORED_NO_TEXT };
		char name[] = { (char)('f' + function), 0 };

		stored_names_add_text(names, function == UNNAMED ? NULL : name, &code.symbol);
		if (IS_INLINED(offset)) {
			struct stored_call inlined = call;

			stored_names_add_text(names, "inlined", &inlined.name);
			stored_names_add_call(names, &inlined);
		}
		stored_names_add_call(names, &call);
		assert_int_equal(stored_names_add_code(names, &code), 0);
	}
	return names;
}

/* Of the same code, in a module with a build ID, or without. */
static struct profile *make_profile(bool has_build_id)
{
	struct module_key key = { .kind = MODULE_ELF, .path = "/program" };
	struct profile *profile = profile_create();

	assert_non_null(profile);
	if (has_build_id)
		key.build_id = (struct build_id){ .size = 1, .bytes = { 1 } };
	assert_int_equal(module_table_add(&profile->modules, &key), 1);
	profile->names = make_names();
	profile->cct = cct_create(1);
	assert_non_null(profile->cct);
	return profile;
}

static void make_tree(struct cct *cct)
{
	for (uint32_t i = 0; i < 60; i++) {
		struct frame frame = { .kind = FRAME_PROCESS, .offset = random_below(N_PROCESSES) };
		uint32_t node = cct_child(cct, CCT_ROOT, &frame);

		for (uint32_t depth = 1 + random_below(DEPTH); depth; depth--) {
			frame = (struct frame){ .kind = FRAME_USER, .module = 1 };
			frame.offset = random_below(depth > 1 ? 2 : N_OFFSETS);
			node = cct_child(cct, node, &frame);
		}
		for (uint32_t n = random_below(12); n; n--)
			cct_add_cost(cct, node, 0, 1 + random_below(9));
	}
}

static void write_text(const struct cct *cct, uint32_t node, char text[TEXT_SIZE])
{
	const struct frame *frame = cct_frame(cct, node);

	*text = '\0';
	if (node == CCT_ROOT)
		return;
	write_text(cct, cct->nodes[node].parent, text);
	const size_t n = strlen(text);
	snprintf(text + n, TEXT_SIZE - n, frame->kind == FRAME_PROCESS ? "p%" PRIu64 : "/%" PRIu64,
		 frame->offset);
}

/* What follows the process. */
static const char *code_of(const char *text)
{
	return strchr(text, '/') ? strchr(text, '/') : "";
}

/* The costs of all paths, each once. Returns their number. */
static size_t list_paths(const struct cct *cct, struct path paths[MAX_NODES])
{
	size_t n = 0;

	for (uint32_t node = 1; node < cct->n_nodes; node++) {
		const struct cct_cost *cost = cct_cost(cct, node, 0);

		assert_true(n < MAX_NODES);
		paths[n] = (struct path){ .samples = cost->samples, .weight = cost->weight };
		write_text(cct, node, paths[n++].text);
	}
	return n;
}

static bool begins_with(const char *text, const char *path)
{
	const size_t n = strlen(path);

	return strncmp(text, path, n) == 0 && (text[n] == '/' || !text[n]);
}

/* Whether nothing is below it, and it has fewer than 16 samples, in both processes. */
static bool is_rare_end(const struct path *paths, size_t n, const char *code)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < n; i++) {
		if (!begins_with(code_of(paths[i].text), code))
			continue;
		if (strcmp(code_of(paths[i].text), code) != 0)
			return false;
		samples += paths[i].samples;
	}
	return samples < 16;
}

static uint32_t last_offset(const char *code)
{
	return (uint32_t)atoi(strrchr(code, '/') + 1);
}

static bool are_of_one_function(uint32_t a, uint32_t b)
{
	return IN_FUNCTION(a) == IN_FUNCTION(b) && IN_FUNCTION(a) != UNNAMED &&
	       IS_INLINED(a) == IS_INLINED(b);
}

/* The path's text after joining. */
static void expect_text(const struct path *paths, size_t n, const char *text, char to[TEXT_SIZE])
{
	const char *code = code_of(text);
	const size_t callers = *code ? (size_t)(strrchr(code, '/') - code) : 0;

	strcpy(to, text);
	if (!*code || !is_rare_end(paths, n, code))
		return;
	uint32_t lowest = last_offset(code);
	for (size_t i = 0; i < n; i++) {
		const char *other = code_of(paths[i].text);

		if (!*other || (size_t)(strrchr(other, '/') - other) != callers ||
		    strncmp(other, code, callers) != 0 || !is_rare_end(paths, n, other))
			continue;
		const uint32_t offset = last_offset(other);
		if (are_of_one_function(offset, last_offset(code)) && offset < lowest)
			lowest = offset;
	}
	sprintf(to + (code - text) + callers, "/%u", lowest);
}

static void add_path(struct path *sums, size_t *n, const struct path *path, const char *text)
{
	size_t i = 0;

	while (i < *n && strcmp(sums[i].text, text) != 0)
		i++;
	if (i == *n) {
		assert_true(*n < MAX_NODES);
		sums[*n] = (struct path){ 0 };
		strcpy(sums[(*n)++].text, text);
	}
	sums[i].samples += path->samples;
	sums[i].weight += path->weight;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct path *)a)->text, ((const struct path *)b)->text);
}

static void assert_joined(const struct cct *cct, const struct changed_tree *joined,
			  uint64_t *n_moved_ret)
{
	static struct path before[MAX_NODES], expected[MAX_NODES], found[MAX_NODES];
	const size_t n = list_paths(cct, before), n_found = list_paths(joined->cct, found);
	size_t n_expected = 0;

	*n_moved_ret = 0;
	for (size_t i = 0; i < n; i++) {
		char text[TEXT_SIZE], there[TEXT_SIZE];

		expect_text(before, n, before[i].text, text);
		add_path(expected, &n_expected, &before[i], text);
		*n_moved_ret += strcmp(text, before[i].text) ? before[i].samples : 0;
		write_text(joined->cct, joined->nodes[i + 1], there);
		assert_string_equal(there, text);
	}
	assert_int_equal(n_found, n_expected);
	qsort(expected, n_expected, sizeof(*expected), compare_paths);
	qsort(found, n_found, sizeof(*found), compare_paths);
	for (size_t i = 0; i < n_found; i++) {
		assert_string_equal(found[i].text, expected[i].text);
		assert_int_equal(found[i].samples, expected[i].samples);
		assert_int_equal(found[i].weight, expected[i].weight);
	}
}

static void assert_nothing_joined(const struct profile *profile)
{
	struct changed_tree joined;

	assert_int_equal(join_addresses(profile, &joined), 0);
	assert_int_equal(joined.n_samples, 0);
	assert_int_equal(joined.cct->n_nodes, profile->cct->n_nodes);
	changed_tree_deinit(&joined);
}

static void rare_addresses_of_a_function_become_the_lowest(void **state)
{
	uint64_t n_all_moved = 0;

	(void)state;
	for (uint64_t trial = 1; trial <= N_TRIALS; trial++) {
		struct profile *profile = make_profile(true);
		struct changed_tree joined;
		uint64_t n_moved;

		seed = trial * 49979687;
		make_tree(profile->cct);
		assert_int_equal(join_addresses(profile, &joined), 0);
		assert_joined(profile->cct, &joined, &n_moved);
		assert_int_equal(joined.n_samples, n_moved);
		n_all_moved += n_moved;
		/* Once is enough. */
		cct_destroy(profile->cct);
		profile->cct = joined.cct;
		joined.cct = NULL;
		changed_tree_deinit(&joined);
		assert_nothing_joined(profile);
		profile_destroy(profile);
	}
	assert_true(n_all_moved > (uint64_t)20 * N_TRIALS);
}

static void without_a_build_id_all_stay(void **state)
{
	struct profile *profile = make_profile(false);

	(void)state;
	seed = 49979687;
	make_tree(profile->cct);
	assert_nothing_joined(profile);
	profile_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rare_addresses_of_a_function_become_the_lowest),
		cmocka_unit_test(without_a_build_id_all_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
