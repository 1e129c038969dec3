/* The kernel's own list, /proc/kallsyms, is the judge. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf/kernel/bpf.h"
#include "perf/kernel/passing_symbols.h"

/* A program with a name that no other test loads. A file descriptor or -errno. */
static int load_program(void)
{
	struct bpf_code code = { .n = 0 };

	bpf_move_value(&code, 0, 0);
	bpf_return(&code);
	return bpf_load_program(&code, BPF_PROG_TYPE_RAW_TRACEPOINT, "passes_by");
}

/* The line of /proc/kallsyms that has @part; "": there is none. */
static void find_line(const char *part, char *line, size_t size)
{
	FILE *file = fopen("/proc/kallsyms", "re");

	while (file && fgets(line, (int)size, file)) {
		if (strstr(line, part)) {
			fclose(file);
			return;
		}
	}
	*line = '\0';
	if (file)
		fclose(file);
}

static void need_iterator(uint32_t *function_id_ret)
{
	struct file_text text = { .bytes = NULL };
	int err = passing_symbols_find_iterator(function_id_ret);

	if (!err)
		err = passing_symbols_read(*function_id_ret, &text);
	free(text.bytes);
	if (err) {
		print_message("the kernel cannot iterate over its symbols: %s\n", strerror(-err));
		skip();
	}
}

static void a_loaded_program_is_there_as_in_kallsyms(void **state)
{
	struct file_text text = { .bytes = NULL };
	char line[1024];
	uint32_t function_id;

	(void)state;
	need_iterator(&function_id);
	int fd = load_program();
	assert_true(fd >= 0);
	assert_int_equal(passing_symbols_read(function_id, &text), 0);
	find_line("_passes_by\t[bpf]", line, sizeof(line));
	assert_int_equal(strlen(text.bytes), text.size);
	if (strncmp(line, "0000000000000000", 16) != 0)
		assert_non_null(strstr(text.bytes, line));
	close(fd);
	free(text.bytes);
}

static void permanent_symbols_are_not_there(void **state)
{
	struct file_text text = { .bytes = NULL };
	uint32_t function_id;

	(void)state;
	need_iterator(&function_id);
	assert_int_equal(passing_symbols_read(function_id, &text), 0);
	assert_null(strstr(text.bytes, " _text\t"));
	assert_null(strstr(text.bytes, "\t[]"));
	free(text.bytes);
}

static bool has_repeated_line(const char *text)
{
	for (const char *line = text, *next; *line; line = next) {
		size_t size = strcspn(line, "\t");

		next = strchr(line, '\n') + 1;
		if (memmem(next, strlen(next), line, size))
			return true;
	}
	return false;
}

/* Not even as a remainder at the end, with another tag. Programs that are loaded or unloaded
 * meanwhile may be met twice, so one of some attempts is enough. */
static void each_symbol_is_there_once(void **state)
{
	struct file_text text = { .bytes = NULL };
	bool is_repeated = true;
	uint32_t function_id;

	(void)state;
	need_iterator(&function_id);
	for (int i = 0; i < 50 && is_repeated; i++) {
		assert_int_equal(passing_symbols_read(function_id, &text), 0);
		is_repeated = has_repeated_line(text.bytes);
	}
	assert_false(is_repeated);
	free(text.bytes);
}

static void another_function_is_refused(void **state)
{
	struct file_text text = { .bytes = NULL };

	(void)state;
	assert_true(passing_symbols_read(1, &text) < 0);
	free(text.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loaded_program_is_there_as_in_kallsyms),
		cmocka_unit_test(permanent_symbols_are_not_there),
		cmocka_unit_test(each_symbol_is_there_once),
		cmocka_unit_test(another_function_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
