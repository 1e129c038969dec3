/* BTF of a made-up kernel, and of the running one. */
#include <errno.h>
#include <linux/btf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/kernel/btf.h"

#define KIND(kind, n) ((uint32_t)(kind) << 24 | (n))

static const char strings[] = "\0int\0wanted\0wanted_too";
enum { NO_NAME, INT = 1, WANTED = 5, WANTED_TOO = 12 };

struct image {
	struct btf_header header;
	uint32_t types[64];
	char strings[sizeof(strings)];
};

static void build(struct image *image, const uint32_t *types, size_t size)
{
	memset(image, 0, sizeof(*image));
	image->header = (struct btf_header){ .magic = BTF_MAGIC,
					     .version = 1,
					     .hdr_len = sizeof(image->header),
					     .type_len = (uint32_t)size,
					     .str_off = sizeof(image->types),
					     .str_len = sizeof(strings) };
	memcpy(image->types, types, size);
	memcpy(image->strings, strings, sizeof(strings));
}

static const uint32_t types[] = {
	INT,        KIND(BTF_KIND_INT, 0),
	4,          32, /* 1 */
	NO_NAME,    KIND(BTF_KIND_ARRAY, 0),
	0,          1,
	1,          2, /* 2 */
	WANTED,     KIND(BTF_KIND_STRUCT, 2),
	8,          0,
	1,          0,
	0,          1,
	32, /* 3 */
	NO_NAME,    KIND(BTF_KIND_FUNC_PROTO, 1),
	1,          INT,
	1, /* 4 */
	NO_NAME,    KIND(19, 1),
	8,          INT,
	1,          0, /* 5 */
	WANTED_TOO, KIND(BTF_KIND_FUNC, 0),
	4, /* 6 */
	WANTED,     KIND(BTF_KIND_FUNC, 1),
	4, /* 7 */
};

static void a_function_is_found_by_its_whole_name(void **state)
{
	struct image image;
	uint32_t id = 0;

	(void)state;
	build(&image, types, sizeof(types));
	assert_int_equal(btf_find_function(&image, sizeof(image), "wanted", &id), 0);
	assert_int_equal(id, 7);
	assert_int_equal(btf_find_function(&image, sizeof(image), "wanted_too", &id), 0);
	assert_int_equal(id, 6);
	assert_int_equal(btf_find_function(&image, sizeof(image), "int", &id), -ENOENT);
	assert_int_equal(btf_find_function(&image, sizeof(image), "want", &id), -ENOENT);
}

static void types_that_are_cut_or_unknown_are_refused(void **state)
{
	static const uint32_t unknown[] = { WANTED, KIND(31, 0), 0 };
	struct image image;
	uint32_t id;

	(void)state;
	build(&image, unknown, sizeof(unknown));
	assert_int_equal(btf_find_function(&image, sizeof(image), "wanted", &id), -EINVAL);
	for (size_t size = 1; size < sizeof(types) - 12; size++) {
		build(&image, types, size);
		int err = btf_find_function(&image, sizeof(image), "wanted", &id);
		assert_true(err == -EINVAL || err == -ENOENT);
	}
	build(&image, types, sizeof(types));
	for (size_t size = 0; size < offsetof(struct image, strings) + sizeof(strings); size++) {
		char *copy = malloc(size + !size);
		memcpy(copy, &image, size);
		assert_int_equal(btf_find_function(copy, size, "wanted", &id), -EINVAL);
		free(copy);
	}
	image.header.type_off = UINT32_MAX;
	assert_int_equal(btf_find_function(&image, sizeof(image), "wanted", &id), -EINVAL);
}

static void the_running_kernels_functions_are_found(void **state)
{
	uint32_t id = 0;
	int err = btf_find_kernel_function("bpf_iter_task", &id);

	(void)state;
	if (err == -ENOENT)
		skip(); /* a kernel without BTF */
	assert_int_equal(err, 0);
	assert_true(id > 0);
	assert_int_equal(btf_find_kernel_function("no function has this name", &id), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_is_found_by_its_whole_name),
		cmocka_unit_test(types_that_are_cut_or_unknown_are_refused),
		cmocka_unit_test(the_running_kernels_functions_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
