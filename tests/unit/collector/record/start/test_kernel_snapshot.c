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

#include "cct/base/cleanup.h"
#include "collector/record/start/kernel_snapshot.h"

/* Nothing of an earlier snapshot. */
static struct kernel_code_text none;

/* A snapshot of @text; *@fd_ret is to close after it is waited for. */
static struct kernel_snapshot *snapshot_of(const char *text, int *fd_ret)
{
	static char path[32];
	static const struct kernel_snapshot_options options = { .paths = { path, "/proc",
									   "/sys" } };
	struct kernel_snapshot *snapshot;

	*fd_ret = memfd_create("kallsyms", MFD_CLOEXEC);
	assert_int_equal(write(*fd_ret, text, strlen(text)), strlen(text));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", *fd_ret);
	assert_int_equal(kernel_snapshot_start(&options, &none, &snapshot), 0);
	kernel_snapshot_wait(snapshot);
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
	static const struct kernel_snapshot_options options = { .paths = { "/nowhere/kallsyms",
									   "/proc", "/sys" } };
	struct kernel_snapshot *snapshot;

	(void)state;
	assert_int_equal(kernel_snapshot_start(&options, &none, &snapshot), 0);
	assert_int_equal(kernel_snapshot_wait(snapshot)->error, -ENOENT);
	kernel_snapshot_destroy(snapshot);
	kernel_snapshot_destroy(NULL);
}

static void names_of_code_that_goes_are_left_out(void **state)
{
	int fd;
	struct kernel_snapshot *snapshot =
		snapshot_of("ffffffff81000000 T _text\n"
			    "ffffffff81000001 t odd\t[bpf]\n"
			    "ffffffff822090c8 T _etext\n"
			    "ffffffffc0000000 t x\t[mod]\n"
			    "ffffffffc0001000 t ftrace_trampoline\t[__builtin__ftrace]\n"
			    "ffffffffc0002000 t bpf_trampoline_1\t[bpf]\n",
			    &fd);
	const struct kernel_snapshot_result *result = kernel_snapshot_wait(snapshot);
	char back[512] = "";

	(void)state;
	assert_int_equal(result->code.n, 3);
	ZSTD_decompress(back, sizeof(back) - 1, result->compressed, result->compressed_size);
	assert_non_null(strstr(back, "x\t[mod]\n"));
	assert_null(strstr(back, "trampoline"));
	kernel_snapshot_destroy(snapshot);
	close(fd);
}

/* Longer than the blocks that are packed while it is read, with code that goes in the middle. */
static void a_long_text_comes_back(void **state)
{
	enum { N_LINES = 40000, SIZE = N_LINES * 64 };
	_cleanup_free_ char *text = malloc(SIZE), *back = malloc(SIZE);
	size_t at = (size_t)sprintf(text, "ffffffff81000000 T _text\n"), permanent = 0;
	int fd;

	(void)state;
	for (int i = 0; i < N_LINES; i++) {
		const bool goes = (i > 10000 && i < 20000) || i > 39000;

		at += (size_t)snprintf(text + at, SIZE - at, "ffffffff81%06x t name_%d%s\n", i, i,
				       goes    ? "\t[bpf]"
				       : i % 7 ? ""
					       : "\t[mod]");
		permanent = goes ? permanent : at;
	}
	struct kernel_snapshot *snapshot = snapshot_of(text, &fd);
	const struct kernel_snapshot_result *result = kernel_snapshot_wait(snapshot);
	assert_int_equal(result->error, 0);
	assert_int_equal(ZSTD_decompress(back, SIZE, result->compressed, result->compressed_size),
			 permanent);
	assert_memory_equal(back, text, permanent);
	kernel_snapshot_destroy(snapshot);
	close(fd);
}

static bool has_same_code(const struct kernel_code_list *a, const struct kernel_code_list *b)
{
	bool is_same = a->n == b->n;

	for (size_t i = 0; i < a->n && is_same; i++)
		is_same = a->codes[i].addr == b->codes[i].addr &&
			  a->codes[i].len == b->codes[i].len &&
			  a->codes[i].name_size == b->codes[i].name_size &&
			  memcmp(a->codes[i].name, b->codes[i].name, a->codes[i].name_size) == 0;
	return is_same;
}

static void assert_equal_results(const struct kernel_snapshot_result *a,
				 const struct kernel_snapshot_result *b)
{
	assert_int_equal(a->text_start, b->text_start);
	assert_int_equal(a->text_end, b->text_end);
	assert_int_equal(a->entry_start, b->entry_start);
	assert_int_equal(a->entry_end, b->entry_end);
	assert_string_equal(a->text_symbol, b->text_symbol);
	assert_int_equal(a->compressed_size, b->compressed_size);
	assert_memory_equal(a->compressed, b->compressed, a->compressed_size);
}

/* Other processes load and unload BPF programs meanwhile, so one of some attempts is enough. */
static void names_that_were_kept_are_the_ones_that_are_read(void **state)
{
	char base[] = "/tmp/kernel-snapshot-XXXXXX", folder[64], file[96];
	const struct names_key_paths paths = { "/proc/kallsyms", "/proc", "/sys" };
	const struct kernel_snapshot_options alone = { .paths = paths };
	const struct kernel_snapshot_options options = { .paths = paths, .cache = folder };
	struct kernel_snapshot *read, *kept;
	bool is_same = false, is_cached = false;

	(void)state;
	assert_non_null(mkdtemp(base));
	snprintf(folder, sizeof(folder), "%s/dendro", base);
	snprintf(file, sizeof(file), "%s/kernel-names", folder);
	for (int i = 0; i < 50 && !is_same; i++) {
		unlink(file);
		assert_int_equal(kernel_snapshot_start(&options, &none, &read), 0);
		assert_false(kernel_snapshot_wait(read)->is_cached);
		/* They are stored for sure when it is gone. */
		kernel_snapshot_destroy(read);
		assert_int_equal(kernel_snapshot_start(&alone, &none, &read), 0);
		assert_int_equal(kernel_snapshot_start(&options, &none, &kept), 0);
		is_cached = kernel_snapshot_wait(kept)->is_cached;
		assert_equal_results(kernel_snapshot_wait(read), kernel_snapshot_wait(kept));
		is_same = has_same_code(&kernel_snapshot_wait(read)->code,
					&kernel_snapshot_wait(kept)->code);
		kernel_snapshot_destroy(read);
		kernel_snapshot_destroy(kept);
	}
	unlink(file);
	rmdir(folder);
	rmdir(base);
	assert_true(is_same);
	if (!is_cached) {
		print_message("names are not kept here: no BPF, or hidden addresses\n");
		skip();
	}
}

/* A snapshot with what @cache has, and with the code of an earlier one. */
static struct kernel_snapshot *snapshot_after(const char *cache, struct kernel_code_text *former)
{
	static struct kernel_snapshot_options options = { .paths = { "/proc/kallsyms", "/proc",
								     "/sys" } };
	struct kernel_snapshot *snapshot;

	options.cache = cache;
	assert_int_equal(kernel_snapshot_start(&options, former, &snapshot), 0);
	assert_int_equal(kernel_snapshot_wait(snapshot)->error, 0);
	assert_null(former->text.bytes);
	return snapshot;
}

/* Of a name that the kernel does not have, so it shows where it came from. */
static struct kernel_code_text mark(struct kernel_code_text code)
{
	if (code.code.n)
		code.code.codes[0].addr = 1;
	return code;
}

static bool is_marked(struct kernel_snapshot *snapshot)
{
	const struct kernel_code_list *code = &kernel_snapshot_wait(snapshot)->code;

	return code->n && code->codes[0].addr == 1;
}

static void code_of_an_earlier_snapshot_is_not_read_again(void **state)
{
	char base[] = "/tmp/kernel-snapshot-XXXXXX", folder[64], file[96];
	struct kernel_code_text code;

	(void)state;
	assert_non_null(mkdtemp(base));
	snprintf(folder, sizeof(folder), "%s/dendro", base);
	snprintf(file, sizeof(file), "%s/kernel-names", folder);
	struct kernel_snapshot *first = snapshot_after(folder, &none);
	code = kernel_snapshot_take_code(first);
	assert_null(code.text.bytes); /* it has read all names */
	kernel_snapshot_destroy(first);
	struct kernel_snapshot *second = snapshot_after(folder, &none);
	const bool has_code =
		kernel_snapshot_wait(second)->is_cached && kernel_snapshot_wait(second)->code.n;
	code = mark(kernel_snapshot_take_code(second));
	assert_true(!has_code || !kernel_snapshot_wait(second)->code.n);
	kernel_snapshot_destroy(second);
	struct kernel_snapshot *third = snapshot_after(folder, &code);
	assert_int_equal(is_marked(third), has_code);
	code = kernel_snapshot_take_code(third);
	kernel_snapshot_destroy(third);
	code.key.modules ^= 1; /* other modules are loaded now */
	struct kernel_snapshot *fourth = snapshot_after(folder, &code);
	assert_false(is_marked(fourth));
	kernel_snapshot_destroy(fourth);
	unlink(file);
	rmdir(folder);
	rmdir(base);
	if (!has_code) {
		print_message("names are not kept here, or there is no such code\n");
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_comes_back_and_its_range_is_known),
		cmocka_unit_test(hidden_addresses_show),
		cmocka_unit_test(a_missing_file_is_an_error),
		cmocka_unit_test(names_of_code_that_goes_are_left_out),
		cmocka_unit_test(a_long_text_comes_back),
		cmocka_unit_test(names_that_were_kept_are_the_ones_that_are_read),
		cmocka_unit_test(code_of_an_earlier_snapshot_is_not_read_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
