#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/object/elf_function.h"
#include "cct/text/maps_line.h"
#include "perf/kinds/ifunc_choice.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static const char *path_of_libc(void)
{
	Dl_info info;

	assert_true(dladdr((void *)(uintptr_t)gnu_get_libc_version, &info) != 0);
	return info.dli_fname;
}

/* What the loader says here is what the memory of processes has. */
static void choices_are_those_of_the_loader(void **state)
{
	(void)state;
	static const char *const names[] = { "memcpy", "strlen", "memset", "strchr", "strstr" };
	/* By this handle: the process as a whole may have another memcpy, a sanitizer's. */
	void *libc = dlopen(path_of_libc(), RTLD_LAZY | RTLD_NOLOAD);
	unsigned n_ifuncs = 0;

	assert_non_null(libc);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct elf_function function;
		struct maps_line line;
		uint64_t offset;

		assert_int_equal(elf_function_find(path_of_libc(), names[i], &function, NULL), 0);
		if (!function.is_ifunc)
			continue;
		uintptr_t choice = (uintptr_t)dlsym(libc, names[i]);
		assert_true(maps_line_own(choice, &line));
		int err = ifunc_choice_find(path_of_libc(), names[i], function.vaddr, &offset);
		if (err == -ENOENT) /* no program here refers to it */
			continue;
		assert_int_equal(err, 0);
		assert_int_equal(offset, choice - line.start + line.pgoff);
		n_ifuncs++;
	}
	dlclose(libc);
	if (!n_ifuncs)
		skip();
}

static void a_library_that_no_process_uses_shows_nothing(void **state)
{
	(void)state;
	char path[] = "/tmp/test_ifunc_choice.XXXXXX", command[256];
	struct elf_function function;
	uint64_t offset;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command), "cp '%s' %s", path_of_libc(), path);
	assert_int_equal(system(command), 0);
	assert_int_equal(elf_function_find(path, "memcpy", &function, NULL), 0);
	assert_int_equal(ifunc_choice_find(path, "memcpy", function.vaddr, &offset), -ENOENT);
	assert_int_equal(ifunc_choice_find("/no/such/file", "memcpy", 0, &offset), -ENOENT);
	remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choices_are_those_of_the_loader),
		cmocka_unit_test(a_library_that_no_process_uses_shows_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
