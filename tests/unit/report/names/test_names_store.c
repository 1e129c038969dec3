#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/object/elf_image.h"
#include "cct/object/file_search.h"
#include "report/names/names_store.h"
#include "tests/unit/fixtures/own_code.h"
#include "tests/unit/fixtures/own_elf.h"

/* A profile with this program as its second module, the first of which has no code. */
static struct profile *create_profile(const struct own_elf *own, struct file_search *files)
{
	static char path[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	struct module_key key = { .kind = MODULE_ELF, .path = "/nowhere" };
	struct profile *profile = profile_create();

	assert_true(n > 0);
	path[n] = '\0';
	profile->modules.files = files;
	profile->cct = cct_create(1);
	assert_int_equal(module_table_add(&profile->modules, &key), 1);
	key.path = path;
	elf_build_id(own->elf, &key.build_id);
	assert_true(key.build_id.size > 0);
	assert_int_equal(module_table_add(&profile->modules, &key), 2);
	return profile;
}

static void add_code(struct profile *profile, uint64_t offset)
{
	const struct frame frame = { .kind = FRAME_USER, .module = 2, .offset = offset };

	assert_true(cct_child(profile->cct, CCT_ROOT, &frame) != CCT_NONE);
}

static struct stored_names *find_names(struct profile *profile, struct known_names *known)
{
	const struct symbolizer_options options = { .lines = true };
	struct symbolizer *symbolizer = symbolizer_create(profile, &options);
	struct stored_names *names;

	assert_non_null(symbolizer);
	assert_int_equal(names_store(profile, symbolizer, known, &names), 0);
	symbolizer_destroy(symbolizer);
	return names;
}

static void expect_equal(const struct stored_names *a, const struct stored_names *b)
{
	assert_int_equal(a->n_codes, b->n_codes);
	for (uint32_t i = 0; i < a->n_codes; i++) {
		assert_int_equal(a->codes[i].module, b->codes[i].module);
		assert_int_equal(a->codes[i].offset, b->codes[i].offset);
		assert_int_equal(a->codes[i].start, b->codes[i].start);
		assert_int_equal(a->codes[i].addr, b->codes[i].addr);
		assert_int_equal(a->codes[i].symbol, b->codes[i].symbol);
		assert_int_equal(a->codes[i].start_kind, b->codes[i].start_kind);
		assert_int_equal(a->codes[i].flags, b->codes[i].flags);
		assert_int_equal(a->codes[i].first_call, b->codes[i].first_call);
		assert_int_equal(a->codes[i].n_calls, b->codes[i].n_calls);
	}
	assert_int_equal(a->n_calls, b->n_calls);
	assert_memory_equal(a->calls, b->calls, a->n_calls * sizeof(*a->calls));
	assert_int_equal(a->texts.n_strings, b->texts.n_strings);
	for (uint32_t i = 0; i < a->texts.n_strings; i++)
		assert_string_equal(a->texts.strings[i], b->texts.strings[i]);
	assert_int_equal(a->n_lacks, b->n_lacks);
	for (uint32_t i = 0; i < a->n_lacks; i++) {
		assert_int_equal(a->lacks[i].module, b->lacks[i].module);
		assert_int_equal(a->lacks[i].lack, b->lacks[i].lack);
		assert_int_equal(a->lacks[i].text, b->lacks[i].text);
		assert_true(build_id_equal_exact(&a->lacks[i].build_id, &b->lacks[i].build_id));
		assert_int_equal(a->lacks[i].error, b->lacks[i].error);
	}
}

#define NO_FUNCTION 1u /* an offset without a name: that of the file's header */

/* @second: code of a second profile. Its names are the same if the names of the first profile are
 * known. */
static void check_second(const struct own_elf *own, const uint64_t *second, size_t n)
{
	struct known_names *known = known_names_create();
	struct profile *first = create_profile(own, NULL);
	struct profile *again = create_profile(own, NULL);

	assert_non_null(known);
	add_code(first, own_address((const void *)add_code).offset + 4);
	add_code(first, own_address((const void *)expect_equal).offset + 4);
	for (size_t i = 0; i < n; i++)
		add_code(again, second[i]);
	struct stored_names *alone = find_names(first, NULL);
	struct stored_names *of_first = find_names(first, known);
	struct stored_names *expected = find_names(again, NULL);
	struct stored_names *got = find_names(again, known);
	expect_equal(of_first, alone);
	expect_equal(got, expected);
	stored_names_destroy(alone);
	stored_names_destroy(of_first);
	stored_names_destroy(expected);
	stored_names_destroy(got);
	profile_destroy(first);
	profile_destroy(again);
	known_names_destroy(known);
}

static void names_that_are_known_are_those_that_would_be_found(void **state)
{
	const uint64_t one = own_address((const void *)expect_equal).offset + 4;
	const uint64_t other = own_address((const void *)add_code).offset + 4;
	const uint64_t unknown = own_address((const void *)find_names).offset + 4;
	const uint64_t same[] = { other, one }, more[] = { unknown, one },
		       unnamed[] = { one, NO_FUNCTION };

	check_second(*state, same, 2);
	check_second(*state, more, 2);
	check_second(*state, unnamed, 2);
	check_second(*state, same, 0);
}

/* The file cannot be opened any more, and what has no name is known, too. */
static void what_is_known_needs_no_file(void **state)
{
	const uint64_t one = own_address((const void *)expect_equal).offset + 4;
	struct known_names *known = known_names_create();
	struct file_search *nothing = file_search_create();
	struct profile *here = create_profile(*state, NULL);

	file_search_set_complete(nothing);
	struct profile *gone = create_profile(*state, nothing);
	struct profile *named = create_profile(*state, nothing);
	add_code(here, one);
	add_code(here, NO_FUNCTION);
	add_code(gone, one);
	add_code(gone, NO_FUNCTION);
	add_code(named, one);
	struct stored_names *expected = find_names(here, known);
	struct stored_names *got = find_names(gone, known);
	expect_equal(got, expected);
	assert_string_equal(stored_names_text(got, got->codes[0].symbol), "expect_equal");
	assert_int_equal(got->codes[1].symbol, STORED_NO_TEXT);
	assert_non_null(stored_names_find_lack(got, 2, LACKS_NAMES));
	stored_names_destroy(got);
	/* Nothing is missing for code that has all names. */
	got = find_names(named, known);
	assert_null(stored_names_find_lack(got, 2, LACKS_NAMES));
	stored_names_destroy(got);
	stored_names_destroy(expected);
	profile_destroy(here);
	profile_destroy(gone);
	profile_destroy(named);
	file_search_destroy(nothing);
	known_names_destroy(known);
}

/* New code of a file that is gone has no name, and why is said. */
static void what_is_not_known_is_looked_for(void **state)
{
	struct known_names *known = known_names_create();
	struct file_search *nothing = file_search_create();
	struct profile *here = create_profile(*state, NULL);

	file_search_set_complete(nothing);
	struct profile *gone = create_profile(*state, nothing);
	add_code(here, own_address((const void *)expect_equal).offset + 4);
	add_code(gone, own_address((const void *)find_names).offset + 4);
	stored_names_destroy(find_names(here, known));
	for (int i = 0; i < 2; i++) {
		struct stored_names *got = find_names(gone, known);
		const struct stored_lack *lack = stored_names_find_lack(got, 2, LACKS_NAMES);

		assert_int_equal(got->codes[0].symbol, STORED_NO_TEXT);
		assert_non_null(lack);
		assert_string_equal(stored_names_text(got, lack->text), "the file is missing");
		stored_names_destroy(got);
	}
	profile_destroy(here);
	profile_destroy(gone);
	file_search_destroy(nothing);
	known_names_destroy(known);
}

static void only_files_with_a_build_id_are_remembered(void **state)
{
	struct known_names *known = known_names_create();
	struct profile *profile = create_profile(*state, NULL);

	assert_int_equal(known_names_number(known, profile->modules.modules[1]), 0);
	assert_int_not_equal(known_names_number(known, profile->modules.modules[2]), 0);
	profile_destroy(profile);
	known_names_destroy(known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_are_known_are_those_that_would_be_found),
		cmocka_unit_test(what_is_known_needs_no_file),
		cmocka_unit_test(what_is_not_known_is_looked_for),
		cmocka_unit_test(only_files_with_a_build_id_are_remembered),
	};
	return cmocka_run_group_tests(tests, own_elf_open, own_elf_close);
}
