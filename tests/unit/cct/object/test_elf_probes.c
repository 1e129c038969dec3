#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/object/elf_probes.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

struct notes {
	uint8_t bytes[4096];
	size_t size;
};

static void put(struct notes *notes, const void *bytes, size_t size)
{
	memcpy(notes->bytes + notes->size, bytes, size);
	notes->size += size;
}

static void put_word(struct notes *notes, uint32_t word)
{
	put(notes, &word, sizeof(word));
}

static void align(struct notes *notes)
{
	while (notes->size % 4)
		notes->bytes[notes->size++] = 0;
}

#define TEXTS(provider, name, arguments) provider "\0" name "\0" arguments

/* @texts: with zeros in it. */
static void add_note(struct notes *notes, size_t address_size, const uint64_t addresses[3],
		     const char *texts, size_t texts_size)
{
	put_word(notes, 8);
	put_word(notes, (uint32_t)(3 * address_size + texts_size));
	put_word(notes, 3);
	put(notes, "stapsdt", 8);
	for (size_t i = 0; i < 3; i++)
		put(notes, &addresses[i], address_size);
	put(notes, texts, texts_size);
	align(notes);
}

static struct elf_probes parse(const struct notes *notes, size_t address_size, uint64_t base)
{
	/* On the heap and with nothing after it, for sanitizers. */
	uint8_t *bytes = malloc(notes->size + !notes->size);
	struct elf_probes probes;

	memcpy(bytes, notes->bytes, notes->size);
	assert_int_equal(elf_probes_parse(bytes, notes->size, address_size, base, &probes), 0);
	free(bytes);
	return probes;
}

static void probes_are_sorted_and_moved_by_their_base(void **state)
{
	(void)state;
	static const char second[] = TEXTS("p", "second", "4@%edi 8@$5"),
			  first[] = TEXTS("p", "first", "");
	struct notes notes = { .size = 0 };

	add_note(&notes, 8, (const uint64_t[]){ 0x1200, 0x2000, 0x3000 }, second, sizeof(second));
	add_note(&notes, 8, (const uint64_t[]){ 0x1100, 0x2000, 0 }, second, sizeof(second));
	add_note(&notes, 8, (const uint64_t[]){ 0x1000, 0x2000, 0 }, first, sizeof(first));
	struct elf_probes probes = parse(&notes, 8, 0x2040);
	assert_int_equal(probes.n, 3);
	assert_int_equal(probes.n_bad, 0);
	assert_string_equal(probes.probes[0].name, "first");
	assert_string_equal(probes.probes[0].arguments, "");
	assert_int_equal(probes.probes[0].offset, 0x1040);
	assert_int_equal(probes.probes[0].semaphore, 0);
	assert_string_equal(probes.probes[1].provider, "p");
	assert_int_equal(probes.probes[1].offset, 0x1140);
	assert_int_equal(probes.probes[1].semaphore, 0);
	assert_string_equal(probes.probes[2].arguments, "4@%edi 8@$5");
	assert_int_equal(probes.probes[2].offset, 0x1240);
	assert_int_equal(probes.probes[2].semaphore, 0x3040);
	elf_probes_deinit(&probes);
	probes = parse(&notes, 8, 0);
	assert_int_equal(probes.probes[2].offset, 0x1200);
	elf_probes_deinit(&probes);
}

static void addresses_may_have_four_bytes(void **state)
{
	(void)state;
	static const char texts[] = TEXTS("p", "n", "4@4(%esp)");
	struct notes notes = { .size = 0 };

	add_note(&notes, 4, (const uint64_t[]){ 0xfffff000, 0xfffff800, 0x100 }, texts,
		 sizeof(texts));
	struct elf_probes probes = parse(&notes, 4, 0x800);
	assert_int_equal(probes.n, 1);
	assert_int_equal(probes.probes[0].offset, 0);
	assert_int_equal(probes.probes[0].semaphore, 0x1100);
	elf_probes_deinit(&probes);
}

static void other_notes_are_skipped(void **state)
{
	(void)state;
	static const char texts[] = TEXTS("p", "n", "");
	struct notes notes = { .size = 0 };

	put_word(&notes, 4);
	put_word(&notes, 5);
	put_word(&notes, 3);
	put(&notes, "GNU\0abcde", 9);
	align(&notes);
	add_note(&notes, 8, (const uint64_t[]){ 1, 2, 0 }, texts, sizeof(texts));
	struct elf_probes probes = parse(&notes, 8, 0);
	assert_int_equal(probes.n, 1);
	assert_int_equal(probes.n_bad, 0);
	elf_probes_deinit(&probes);
}

static void notes_that_make_no_sense_are_counted(void **state)
{
	(void)state;
	static const struct {
		const char *texts;
		size_t size;
	} cases[] = {
		{ "", 0 },
		{ "p\0n\0", 4 },         /* no arguments */
		{ "p\0n\0x", 5 },        /* without an end */
		{ "\0n\0", 4 },          /* no provider */
		{ "p\0\0", 4 },          /* no name */
		{ "p\0\033[2J\0\0", 8 }, /* a terminal would obey */
		{ "p\0n\0a\nb\0", 8 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct notes notes = { .size = 0 };

		add_note(&notes, 8, (const uint64_t[]){ 1, 2, 0 }, cases[i].texts, cases[i].size);
		struct elf_probes probes = parse(&notes, 8, 0);
		assert_int_equal(probes.n, 0);
		assert_int_equal(probes.n_bad, 1);
		elf_probes_deinit(&probes);
	}
}

static void a_cut_list_keeps_what_is_whole(void **state)
{
	(void)state;
	static const char texts[] = TEXTS("p", "n", "");
	struct notes notes = { .size = 0 };

	add_note(&notes, 8, (const uint64_t[]){ 1, 2, 0 }, texts, sizeof(texts));
	const size_t whole = notes.size;
	add_note(&notes, 8, (const uint64_t[]){ 3, 2, 0 }, texts, sizeof(texts));
	/* It ends in 3 bytes that only align. */
	for (notes.size -= 4; notes.size >= whole; notes.size--) {
		struct elf_probes probes = parse(&notes, 8, 0);
		assert_int_equal(probes.n, 1);
		elf_probes_deinit(&probes);
	}
	/* Sizes that are not there. */
	memset(notes.bytes, 0xff, 8);
	struct elf_probes probes = parse(&notes, 8, 0);
	assert_int_equal(probes.n, 0);
	elf_probes_deinit(&probes);
}

static void what_is_no_file_of_a_program_is_refused(void **state)
{
	(void)state;
	struct elf_probes probes;
	char path[] = "/tmp/elf-probes-XXXXXX";
	int fd = mkstemp(path);

	assert_int_equal(write(fd, "#!/bin/sh\n", 10), 10);
	assert_int_equal(elf_probes_read(path, &probes), -EINVAL);
	unlink(path);
	close(fd);
	assert_int_equal(elf_probes_read("/no/such/file", &probes), -ENOENT);
	assert_int_equal(elf_probes_read("/proc/self/exe", &probes), 0);
	assert_int_equal(probes.n, 0);
	elf_probes_deinit(&probes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_are_sorted_and_moved_by_their_base),
		cmocka_unit_test(addresses_may_have_four_bytes),
		cmocka_unit_test(other_notes_are_skipped),
		cmocka_unit_test(notes_that_make_no_sense_are_counted),
		cmocka_unit_test(a_cut_list_keeps_what_is_whole),
		cmocka_unit_test(what_is_no_file_of_a_program_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
