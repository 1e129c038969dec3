#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/object/elf_function.h"
#include "perf/kinds/program_path.h"
#include "perf/kinds/uprobe.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#if defined(__x86_64__)
#define NATIVE_FLAGS 0x0303
#else
#define NATIVE_FLAGS 0x0a03
#endif

static void weights_are_arguments_and_products_of_two(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool is_good;
		uint8_t argument, factor;
	} cases[] = {
		{ "arg1", true, 1, 0 },      { "arg16", true, 16, 0 },
		{ "arg1*arg2", true, 1, 2 }, { "arg3*arg3", true, 3, 3 },
		{ "arg0", false, 0, 0 },     { "arg17", false, 0, 0 },
		{ "arg", false, 0, 0 },      { "arg1*", false, 0, 0 },
		{ "arg1*2", false, 0, 0 },   { "arg1*arg2*arg3", false, 0, 0 },
		{ "arg-1", false, 0, 0 },    { "ret", false, 0, 0 },
		{ "", false, 0, 0 },         { "arg123", false, 0, 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_weight weight = { .kind = WEIGHT_PERIOD };

		assert_int_equal(uprobe_read_weight(cases[i].text, &weight), cases[i].is_good);
		if (!cases[i].is_good)
			continue;
		assert_int_equal(weight.kind, WEIGHT_ARGUMENT);
		assert_int_equal(weight.argument, cases[i].argument);
		assert_int_equal(weight.factor, cases[i].factor);
	}
}

static void what_is_no_probe_is_left_to_others(void **state)
{
	(void)state;
	struct event event = { .name = NULL };
	char *error;

	assert_int_equal(uprobe_find("cycles", &event, &error), EVENT_UNKNOWN);
	assert_null(error);
	assert_int_equal(uprobe_find("callx:a:b", &event, &error), EVENT_UNKNOWN);
	assert_null(error);
}

/* ---- The loader's cache ---- */

struct cached {
	int32_t flags;
	const char *name, *path;
	uint64_t hardware;
};

static size_t make_cache(uint8_t *cache, size_t size, const struct cached *libraries, size_t n)
{
	const uint32_t header_words[] = { (uint32_t)n, 0, 0, 0, 0, 0, 0 };
	size_t at = 48 + n * 24;

	memset(cache, 0, size);
	memcpy(cache, "glibc-ld.so.cache1.1", 20);
	memcpy(cache + 20, header_words, sizeof(header_words));
	for (size_t i = 0; i < n; i++) {
		uint32_t words[6] = { (uint32_t)libraries[i].flags };

		words[1] = (uint32_t)at;
		at += strlen(strcpy((char *)cache + at, libraries[i].name)) + 1;
		words[2] = (uint32_t)at;
		at += strlen(strcpy((char *)cache + at, libraries[i].path)) + 1;
		memcpy(words + 4, &libraries[i].hardware, 8);
		memcpy(cache + 48 + i * 24, words, sizeof(words));
	}
	assert_true(at < size);
	return at;
}

static void short_names_are_those_of_the_loader(void **state)
{
	(void)state;
	static const struct cached libraries[] = {
		{ NATIVE_FLAGS, "libcrypt.so.1", "/lib/libcrypt.so.1", 0 },
		{ NATIVE_FLAGS, "libc.so.6", "/fast/libc.so.6", 1ull << 62 },
		{ 0x0003, "libc.so.6", "/lib32/libc.so.6", 0 },
		{ NATIVE_FLAGS, "libc.so.6", "/lib/libc.so.6", 0 },
		{ NATIVE_FLAGS, "libc.so.6", "/second/libc.so.6", 0 },
		{ NATIVE_FLAGS, "libssl.so.3", "/lib/libssl.so.3", 0 },
		{ NATIVE_FLAGS, "libssl.so.1.1", "/lib/libssl.so.1.1", 0 },
	};
	static const struct {
		const char *name;
		int err;
		const char *path;
	} cases[] = {
		{ "libc", 0, "/lib/libc.so.6" },
		{ "libc.so.6", 0, "/lib/libc.so.6" },
		{ "libcrypt", 0, "/lib/libcrypt.so.1" },
		{ "libcry", -ENOENT, NULL },
		{ "lib", -ENOENT, NULL },
		{ "libssl", -EEXIST, "/lib/libssl.so.3" },
		{ "libssl.so.1.1", 0, "/lib/libssl.so.1.1" },
	};
	uint8_t cache[1024];
	size_t size = make_cache(cache, sizeof(cache), libraries, ARRAY_SIZE(libraries));

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char path[PATH_MAX] = "";

		assert_int_equal(program_path_in_cache(cache, size, cases[i].name, path),
				 cases[i].err);
		if (cases[i].path)
			assert_string_equal(path, cases[i].path);
	}
}

static void a_cache_that_lies_leads_nowhere(void **state)
{
	(void)state;
	static const struct cached library = { NATIVE_FLAGS, "libc.so.6", "/lib/libc.so.6", 0 };
	uint8_t cache[256];
	char path[PATH_MAX];
	size_t size = make_cache(cache, sizeof(cache), &library, 1);

	for (size_t cut = 0; cut + 1 < size; cut++)
		assert_int_not_equal(program_path_in_cache(cache, cut, "libc", path), 0);
	static const uint32_t lies[] = { UINT32_MAX, 0x80000000, 1000 };
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		memcpy(cache + 20, &lies[i], 4); /* number of libraries */
		assert_int_equal(program_path_in_cache(cache, size, "libc", path), -EINVAL);
		make_cache(cache, sizeof(cache), &library, 1);
		memcpy(cache + 48 + 4, &lies[i], 4); /* where its name is */
		assert_int_equal(program_path_in_cache(cache, size, "libc", path), -ENOENT);
		make_cache(cache, sizeof(cache), &library, 1);
	}
}

/* ---- Functions of this very program ---- */

extern char __executable_start[];

__attribute__((noinline, used)) static int probed_function(int n)
{
	__asm__ volatile("");
	return n + 1;
}

static void functions_are_found_where_the_file_has_them(void **state)
{
	(void)state;
	struct elf_function function;
	uintptr_t start = (uintptr_t)__executable_start;

	assert_int_equal(probed_function(1), 2);
	assert_int_equal(elf_function_find("/proc/self/exe", "probed_function", &function, NULL),
			 0);
	assert_false(function.is_ifunc);
	/* Code begins at the same offset in the file as in memory, here. */
	assert_int_equal(function.offset, (uintptr_t)probed_function - start);
}

static void functions_that_are_not_there_are_refused(void **state)
{
	(void)state;
	struct elf_function function;
	struct near_names near;

	near_names_init(&near, "probed_functoin", strlen("probed_functoin"));
	assert_int_equal(elf_function_find("/proc/self/exe", "probed_functoin", &function, &near),
			 -ENOENT);
	assert_true(near.n_kept > 0);
	assert_string_equal(near.kept[0].name, "probed_function");
	assert_int_equal(elf_function_find("/proc/self/exe", "malloc", &function, NULL), -ENOENT);
	assert_int_equal(elf_function_find("/proc/self/exe", "main@NONE", &function, NULL),
			 -ENOENT);
	assert_int_equal(elf_function_find("/proc/self/cmdline", "main", &function, NULL), -EINVAL);
	assert_int_equal(elf_function_find("/dev/null", "main", &function, NULL), -EINVAL);
	assert_int_equal(elf_function_find("/no/such/file", "main", &function, NULL), -ENOENT);
}

static void files_that_are_cut_or_garbled_do_no_harm(void **state)
{
	(void)state;
	char path[] = "/tmp/elf_function-XXXXXX";
	static uint8_t bytes[1 << 16];
	struct elf_function function;
	FILE *self = fopen("/proc/self/exe", "re");
	size_t size = fread(bytes, 1, sizeof(bytes), self);
	int fd = mkstemp(path);
	uint32_t random = 1;

	fclose(self);
	assert_true(fd >= 0);
	for (int i = 0; i < 300; i++) {
		random = random * 1664525u + 1013904223u;
		size_t at = random >> 8 & (i & 1 ? 63 : sizeof(bytes) - 1);
		bytes[at % size] ^= (uint8_t)(random >> 24);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, bytes, i & 2 ? size : at + 1, 0),
				 i & 2 ? size : at + 1);
		elf_function_find(path, "probed_function", &function, NULL);
		bytes[at % size] ^= (uint8_t)(random >> 24);
	}
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_are_arguments_and_products_of_two),
		cmocka_unit_test(what_is_no_probe_is_left_to_others),
		cmocka_unit_test(short_names_are_those_of_the_loader),
		cmocka_unit_test(a_cache_that_lies_leads_nowhere),
		cmocka_unit_test(functions_are_found_where_the_file_has_them),
		cmocka_unit_test(functions_that_are_not_there_are_refused),
		cmocka_unit_test(files_that_are_cut_or_garbled_do_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
