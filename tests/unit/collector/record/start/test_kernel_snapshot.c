#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "collector/record/start/kernel_snapshot.h"

/* A snapshot of @text; *@fd_ret is to close after it is waited for. */
static struct kernel_snapshot *snapshot_of(const char *text, int *fd_ret)
{
	struct kernel_snapshot *snapshot;
	char path[32];

	*fd_ret = memfd_create("kallsyms", MFD_CLOEXEC);
	assert_int_equal(write(*fd_ret, text, strlen(text)), strlen(text));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", *fd_ret);
	assert_int_equal(kernel_snapshot_start(path, &snapshot), 0);
	return snapshot;
}

static void the_text_comes_back_and_its_range_is_known(void **state)
{
	static const struct {
		const char *text, *symbol;
		uint64_t start;
	} cases[] = {
		{ "0000000000000000 A fixed_percpu_data\n"
		  "ffffffff81000000 T _stext\n"
		  "ffffffff81000000 T _text\n"
		  "ffffffff822090c8 T _etext\n",
		  "_text", 0xffffffff81000000 },
		/* arm64 */
		{ "ffff800080010000 T _stext\nffffffff822090c8 D _etext\n"
		  "ffffffffc0000000 t x\t[mod]\n",
		  "_stext", 0xffff800080010000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int fd;
		struct kernel_snapshot *snapshot = snapshot_of(cases[i].text, &fd);
		const struct kernel_snapshot_result *result = kernel_snapshot_wait(snapshot);
		char back[256];

		assert_int_equal(result->error, 0);
		assert_false(result->is_hidden);
		assert_int_equal(result->text_start, cases[i].start);
		assert_int_equal(result->text_end, 0xffffffff822090c8);
		assert_string_equal(result->text_symbol, cases[i].symbol);
		size_t size = ZSTD_decompress(back, sizeof(back), result->compressed,
					      result->compressed_size);
		assert_int_equal(size, strlen(cases[i].text));
		assert_memory_equal(back, cases[i].text, size);
		kernel_snapshot_destroy(snapshot);
		close(fd);
	}
}

static void hidden_addresses_show(void **state)
{
	int fd;
	struct kernel_snapshot *snapshot = snapshot_of("0000000000000000 T _stext\n"
						       "0000000000000000 T _text\n"
						       "0000000000000000 T _etext\n",
						       &fd);

	(void)state;
	assert_true(kernel_snapshot_wait(snapshot)->is_hidden);
	char line[64];
	const struct kernel_snapshot_result *result = kernel_snapshot_wait(snapshot);
	size_t size =
		ZSTD_decompress(line, sizeof(line), result->compressed, result->compressed_size);
	assert_int_equal(size, strlen("0000000000000000 T _stext"));
	assert_memory_equal(line, "0000000000000000 T _stext", size);
	kernel_snapshot_destroy(snapshot);
	close(fd);
}

static void a_missing_file_is_an_error(void **state)
{
	struct kernel_snapshot *snapshot;

	(void)state;
	assert_int_equal(kernel_snapshot_start("/nowhere/kallsyms", &snapshot), 0);
	assert_int_equal(kernel_snapshot_wait(snapshot)->error, -ENOENT);
	kernel_snapshot_destroy(snapshot);
	kernel_snapshot_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_comes_back_and_its_range_is_known),
		cmocka_unit_test(hidden_addresses_show),
		cmocka_unit_test(a_missing_file_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
