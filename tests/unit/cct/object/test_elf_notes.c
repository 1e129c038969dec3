/* Notes as linkers pad them, and some whose sizes lie. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cct/object/elf_notes.h"

struct notes {
	uint8_t bytes[256];
	size_t size;
};

/* A note of "GNU" with @size bytes of @byte, padded to @align. */
static void add_note(struct notes *notes, uint32_t type, uint8_t byte, uint32_t size, size_t align)
{
	const uint32_t header[] = { 4, size, type };

	memcpy(notes->bytes + notes->size, header, sizeof(header));
	memcpy(notes->bytes + notes->size + sizeof(header), "GNU", 4);
	notes->size += sizeof(header) + 4;
	memset(notes->bytes + notes->size, byte, size);
	notes->size += (size + align - 1) & ~(align - 1);
}

static void the_build_id_is_found_after_other_notes(void **state)
{
	static const size_t alignments[] = { 4, 8 };
	(void)state;

	for (size_t i = 0; i < 2; i++) {
		struct notes notes = { .size = 0 };
		struct build_id found = { 0 };

		add_note(&notes, NT_GNU_PROPERTY_TYPE_0, 1, 20, alignments[i]);
		add_note(&notes, NT_GNU_BUILD_ID, 7, 20, alignments[i]);
		assert_true(elf_notes_build_id(notes.bytes, notes.size, alignments[i], &found));
		assert_int_equal(found.size, 20);
		assert_int_equal(found.bytes[19], 7);
	}
}

static void the_padding_of_the_last_note_may_be_missing(void **state)
{
	struct notes notes = { .size = 0 };
	struct build_id found = { 0 };
	(void)state;

	add_note(&notes, NT_GNU_BUILD_ID, 7, 19, 4);
	assert_true(elf_notes_build_id(notes.bytes, notes.size - 1, 4, &found));
	assert_int_equal(found.size, 19);
	assert_false(elf_notes_build_id(notes.bytes, notes.size - 2, 4, &found));
}

static void sizes_that_lie_lead_to_nothing(void **state)
{
	static const uint32_t sizes[] = { 0, 21, 0x7fffffff, UINT32_MAX };
	(void)state;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct notes notes = { .size = 0 };
		struct build_id found = { 0 };

		add_note(&notes, NT_GNU_BUILD_ID, 7, 20, 4);
		memcpy(notes.bytes + 4, &sizes[i], sizeof(sizes[i]));
		assert_false(elf_notes_build_id(notes.bytes, notes.size, 4, &found));
		notes.size = 0;
		add_note(&notes, NT_GNU_BUILD_ID, 7, 20, 4);
		memcpy(notes.bytes, &sizes[i], sizeof(sizes[i]));
		assert_false(elf_notes_build_id(notes.bytes, notes.size, 4, &found));
		assert_int_equal(found.size, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_build_id_is_found_after_other_notes),
		cmocka_unit_test(the_padding_of_the_last_note_may_be_missing),
		cmocka_unit_test(sizes_that_lie_lead_to_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
