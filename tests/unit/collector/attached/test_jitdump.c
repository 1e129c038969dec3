#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/attached/jitdump.h"
#include "tests/unit/fixtures/jitdump_bytes.h"

static struct jitdump *parse(const struct dump_bytes *bytes)
{
	struct jitdump *dump;

	assert_int_equal(jitdump_parse(bytes->bytes, bytes->size, &dump), 0);
	return dump;
}

static void assert_code(const struct jitdump *dump, const struct dump_bytes *bytes, size_t i,
			uint64_t addr, uint64_t size, const char *name)
{
	assert_true(i < dump->n_codes);
	const struct jit_code *code = &dump->codes[i];
	assert_int_equal(code->addr, addr);
	assert_int_equal(code->size, size);
	assert_int_equal(code->name_size, strlen(name));
	assert_memory_equal(bytes->bytes + code->name, name, strlen(name));
	assert_int_equal(bytes->bytes[code->offset], 0x90);
	assert_int_equal(bytes->bytes[code->offset + code->size - 1], 0x90);
}

static void names_tell_markers(void **state)
{
	static const struct {
		const char *path;
		bool is_marker;
	} cases[] = {
		{ "/tmp/jit-1.dump", true },
		{ "/jit-123.dump (deleted)", true },
		{ "/home/a/.debug/jit/java-jit-1/jit-77.dump", true },
		{ "jit-1.dump", false },
		{ "/tmp/jit-.dump", false },
		{ "/tmp/jit-1a.dump", false },
		{ "/tmp/jit-1.dump2", false },
		{ "/tmp/ajit-1.dump", false },
		{ "/tmp/jit-1.dump/lib.so", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(jitdump_is_marker(cases[i].path), cases[i].is_marker);
}

static void code_comes_in_the_order_of_time(void **state)
{
	struct dump_bytes bytes;

	(void)state;
	put_header(&bytes, 0);
	put_load(&bytes, 20, 0x1000, 32, 1, "later");
	put_load(&bytes, 10, 0x2000, 16, 2, "sooner");
	put_load(&bytes, 20, 0x3000, 16, 3, "as late");
	struct jitdump *dump = parse(&bytes);
	assert_int_equal(dump->n_codes, 3);
	assert_int_equal(dump->pid, 42);
	assert_false(dump->has_tsc || dump->is_cut || dump->n_broken);
	assert_code(dump, &bytes, 0, 0x2000, 16, "sooner");
	assert_code(dump, &bytes, 1, 0x1000, 32, "later");
	assert_code(dump, &bytes, 2, 0x3000, 16, "as late");
	jitdump_destroy(dump);
}

static void code_that_moves_keeps_bytes_and_name(void **state)
{
	struct dump_bytes bytes;

	(void)state;
	put_header(&bytes, FLAG_TSC);
	put_load(&bytes, 10, 0x1000, 32, 5, "of an index used before");
	put_load(&bytes, 11, 0x1000, 32, 5, "moving");
	put_move(&bytes, 12, 0x5000, 32, 5);
	put_move(&bytes, 13, 0x6000, 24, 5);
	put_move(&bytes, 14, 0x7000, 33, 5); /* more than there is */
	put_move(&bytes, 15, 0x7000, 8, 6);  /* nothing of that index */
	struct jitdump *dump = parse(&bytes);
	assert_true(dump->has_tsc);
	assert_int_equal(dump->n_codes, 4);
	assert_int_equal(dump->n_broken, 2);
	assert_code(dump, &bytes, 2, 0x5000, 32, "moving");
	assert_code(dump, &bytes, 3, 0x6000, 24, "moving");
	assert_int_equal(dump->codes[3].offset, dump->codes[1].offset);
	jitdump_destroy(dump);
}

static void other_records_are_passed_by(void **state)
{
	struct dump_bytes bytes;

	(void)state;
	put_header(&bytes, 0);
	put_record(&bytes, 4, 24, 1); /* unwind information */
	put_u64(&bytes, 0);
	put_record(&bytes, 77, 16, 1);
	put_load(&bytes, 10, 0x1000, 32, 5, "f");
	put_record(&bytes, 3, 16, 11); /* close */
	struct jitdump *dump = parse(&bytes);
	assert_int_equal(dump->n_codes, 1);
	assert_false(dump->is_cut || dump->n_broken);
	jitdump_destroy(dump);
}

/* Wherever it is cut, what precedes is there. */
static void a_dump_may_end_anywhere(void **state)
{
	struct dump_bytes bytes;

	(void)state;
	put_header(&bytes, 0);
	put_load(&bytes, 10, 0x1000, 32, 1, "first");
	size_t first_end = bytes.size;
	put_load(&bytes, 20, 0x2000, 32, 2, "second");
	for (size_t size = 0; size <= bytes.size; size++) {
		uint8_t *copy = malloc(size + 1); /* for sanitizers to see what is beyond */
		struct jitdump *dump;

		memcpy(copy, bytes.bytes, size);
		int err = jitdump_parse(copy, size, &dump);
		assert_int_equal(err, size < 40 ? -EINVAL : 0);
		if (!err) {
			assert_int_equal(dump->n_codes, (size >= first_end) + (size == bytes.size));
			assert_int_equal(dump->is_cut,
					 size != 40 && size != first_end && size != bytes.size);
			jitdump_destroy(dump);
		}
		free(copy);
	}
}

static void what_is_no_dump_is_refused(void **state)
{
	static const struct {
		size_t at;
		uint32_t word;
	} cases[] = {
		{ 0, 0x4454694a }, /* the other byte order */
		{ 4, 2 },          /* version */
		{ 8, 39 },         /* size of the header */
		{ 8, 41 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dump_bytes bytes;
		struct jitdump *dump;

		put_header(&bytes, 0);
		memcpy(bytes.bytes + cases[i].at, &cases[i].word, sizeof(cases[i].word));
		assert_int_equal(jitdump_parse(bytes.bytes, bytes.size, &dump), -EINVAL);
	}
}

/* One field of a sound record at a time is made to lie. */
static void records_that_contradict_themselves_are_left_out(void **state)
{
	static const struct {
		size_t at; /* in the record */
		uint64_t value;
	} cases[] = {
		{ 32, UINT64_MAX - 31 }, /* the code's end wraps */
		{ 40, 0 },               /* no code */
		{ 40, 34 },              /* code where the name is: no NUL before it */
		{ 40, 1000 },            /* more than the record */
		{ 40, UINT64_MAX },
		{ 56, 0x6161616161616161 }, /* a name without an end: see below */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dump_bytes bytes;

		put_header(&bytes, 0);
		put_load(&bytes, 10, 0x1000, 32, 1, "7 bytes");
		put_load(&bytes, 20, 0x2000, 32, 2, "sound");
		memcpy(bytes.bytes + 40 + cases[i].at, &cases[i].value, 8);
		struct jitdump *dump = parse(&bytes);
		assert_int_equal(dump->n_codes, 1);
		assert_int_equal(dump->n_broken, 1);
		assert_code(dump, &bytes, 0, 0x2000, 32, "sound");
		jitdump_destroy(dump);
	}
}

static void assert_name(const struct symbol_table *table, uint64_t offset, const char *name)
{
	const struct symbol *symbol = symbol_table_find(table, offset);

	assert_int_equal(!symbol, !name);
	if (name)
		assert_string_equal(symbol->name, name);
}

static void names_are_found_by_offset_and_the_latest_by_address(void **state)
{
	struct dump_bytes bytes;

	(void)state;
	put_header(&bytes, 0);
	put_load(&bytes, 10, 0x1000, 32, 1, "old");
	put_load(&bytes, 20, 0x1010, 32, 2, "new");
	struct jitdump *dump = parse(&bytes);
	struct symbol_table *symbols = jitdump_symbols(dump, bytes.bytes);
	struct symbol_table *latest = jitdump_latest_symbols(dump, bytes.bytes);
	assert_name(symbols, dump->codes[0].offset, "old");
	assert_name(symbols, dump->codes[0].offset + 31, "old");
	assert_name(symbols, dump->codes[0].offset + 32, NULL);
	assert_name(symbols, dump->codes[1].offset, "new");
	assert_name(latest, 0x1000, "old");
	assert_name(latest, 0x100f, "old");
	assert_name(latest, 0x1010, "new");
	assert_name(latest, 0x102f, "new");
	assert_name(latest, 0x1030, NULL);
	symbol_table_destroy(symbols);
	symbol_table_destroy(latest);
	jitdump_destroy(dump);
}

struct line {
	uint64_t addr;
	uint32_t line;
	const char *file;
};

/* As V8 and others write it, filled up to a multiple of 8. */
static void put_lines(struct dump_bytes *to, uint64_t addr, const struct line *lines, size_t n)
{
	size_t size = 32, start = to->size;

	for (size_t i = 0; i < n; i++)
		size += 16 + strlen(lines[i].file) + 1;
	put_record(to, 2, (uint32_t)((size + 7) & ~7ul), 9);
	put_u64(to, addr);
	put_u64(to, n);
	for (size_t i = 0; i < n; i++) {
		put_u64(to, lines[i].addr);
		put_u32(to, lines[i].line);
		put_u32(to, 0);
		put(to, lines[i].file, strlen(lines[i].file) + 1);
	}
	while (to->size - start < ((size + 7) & ~7ul))
		put(to, "", 1);
}

static void assert_line(const struct line_table *table, uint64_t offset, const char *file,
			uint32_t number)
{
	const struct code_line *line = line_table_find(table, offset);

	assert_int_equal(!line, !file);
	if (!file)
		return;
	assert_string_equal(line->file, file);
	assert_int_equal(line->line, number);
}

static void lines_are_those_of_the_code_that_is_loaded_next(void **state)
{
	static const struct line lines[] = {
		{ 0x1008, 8, "b.js" },  { 0x1010, 9, "\377" },       { 0x1004, 5, "a.js" },
		{ 0x1010, 10, "b.js" }, { 0x1020, 11, "beyond.js" },
	};
	struct dump_bytes bytes;

	(void)state;
	put_header(&bytes, 0);
	put_lines(&bytes, 0x1000, lines, 5);
	put_load(&bytes, 10, 0x1000, 32, 1, "f");
	put_load(&bytes, 11, 0x1000, 32, 2, "without");
	put_lines(&bytes, 0x9000, lines, 5);
	put_load(&bytes, 12, 0x1000, 32, 3, "of another address");
	struct jitdump *dump = parse(&bytes);
	struct line_table *table = jitdump_lines(dump, bytes.bytes);
	uint64_t start = dump->codes[0].offset;
	assert_line(table, start + 3, NULL, 0);
	assert_line(table, start + 4, "a.js", 5);
	assert_line(table, start + 8, "b.js", 8);
	assert_line(table, start + 15, "b.js", 8);
	assert_line(table, start + 16, "b.js", 10);
	assert_line(table, start + 31, "b.js", 10);
	assert_line(table, start + 32, NULL, 0);
	assert_line(table, dump->codes[1].offset + 8, NULL, 0);
	assert_line(table, dump->codes[2].offset + 8, NULL, 0);
	line_table_destroy(table);
	jitdump_destroy(dump);
}

static void what_v8_adds_to_addresses_is_taken_off(void **state)
{
	static const struct line first[] = { { 0x1040, 1, "a.js" }, { 0x1050, 2, "a.js" } };
	static const struct line second[] = { { 0x2043, 3, "a.js" } };
	struct dump_bytes bytes;

	(void)state;
	put_header(&bytes, 0);
	put_lines(&bytes, 0x1000, first, 2);
	put_load(&bytes, 10, 0x1000, 32, 1, "f");
	put_lines(&bytes, 0x2000, second, 1);
	put_load(&bytes, 11, 0x2000, 32, 2, "g");
	struct jitdump *dump = parse(&bytes);
	struct line_table *table = jitdump_lines(dump, bytes.bytes);
	assert_line(table, dump->codes[0].offset, "a.js", 1);
	assert_line(table, dump->codes[0].offset + 16, "a.js", 2);
	assert_line(table, dump->codes[1].offset + 2, NULL, 0);
	assert_line(table, dump->codes[1].offset + 3, "a.js", 3);
	line_table_destroy(table);
	jitdump_destroy(dump);
}

/* A version of V8 writes names of the right length that hold anything. */
static void lines_that_do_not_fill_their_record_are_left_out(void **state)
{
	static const struct line lines[] = { { 0x1000, 8, "a file's name" } };
	struct dump_bytes bytes;

	(void)state;
	put_header(&bytes, 0);
	put_lines(&bytes, 0x1000, lines, 1);
	bytes.bytes[40 + 32 + 16 + 2] = 0;
	put_load(&bytes, 10, 0x1000, 32, 1, "f");
	struct jitdump *dump = parse(&bytes);
	struct line_table *table = jitdump_lines(dump, bytes.bytes);
	assert_int_equal(dump->n_codes, 1);
	assert_int_equal(dump->n_broken, 0);
	assert_int_equal(dump->n_lines_broken, 1);
	assert_line(table, dump->codes[0].offset, NULL, 0);
	line_table_destroy(table);
	jitdump_destroy(dump);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_tell_markers),
		cmocka_unit_test(code_comes_in_the_order_of_time),
		cmocka_unit_test(code_that_moves_keeps_bytes_and_name),
		cmocka_unit_test(other_records_are_passed_by),
		cmocka_unit_test(a_dump_may_end_anywhere),
		cmocka_unit_test(what_is_no_dump_is_refused),
		cmocka_unit_test(records_that_contradict_themselves_are_left_out),
		cmocka_unit_test(names_are_found_by_offset_and_the_latest_by_address),
		cmocka_unit_test(lines_are_those_of_the_code_that_is_loaded_next),
		cmocka_unit_test(what_v8_adds_to_addresses_is_taken_off),
		cmocka_unit_test(lines_that_do_not_fill_their_record_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
