/* A made-up table of Go's: three functions, one after the other from CODE_START on. */
#include <libelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/fixtures/elf_image.h"
#include "unwind/modules/go_rule.h"

#define GOEXIT      CODE_START
#define FUNCTION    (CODE_START + 0x40)
#define SYSTEMSTACK (CODE_START + 0x80)
#define END         (CODE_START + 0xc0)

#define NAMES     72u
#define PC_TABLES 128u
#define FUNCS     144u
#define RECORDS   (FUNCS + 3 * 8 + 8)
#define TABLE_END (RECORDS + 3 * 20)

static void set(struct elf_image *image, size_t at, uint64_t value, size_t size)
{
	memcpy(image->cfi + at, &value, size);
}

static void set_func(struct elf_image *image, unsigned i, uint64_t entry, unsigned name)
{
	size_t record = RECORDS + 20 * i;

	set(image, FUNCS + 8 * i, entry - CODE_START, 4);
	set(image, FUNCS + 8 * i + 4, record - FUNCS, 4);
	set(image, record, entry - CODE_START, 4);
	set(image, record + 4, name, 4);
	set(image, record + 16, 1, 4);
}

static void make_image(struct elf_image *image)
{
	static const char names[] = "\0runtime.goexit.abi0\0main.f\0runtime.systemstack";
	/* 0 for 4 bytes, 0x18 for 0x38, 0 for 4. */
	static const uint8_t depths[] = { 0, 2, 4, 0x30, 0x38, 0x2f, 4, 0 };
	static const uint64_t header[] = { NAMES, 0, 0, PC_TABLES, FUNCS };

	elf_image_init(image, ".gopclntab");
	image->sections[1].sh_size = TABLE_END;
	set(image, 0, 0xfffffff0, 4);
	set(image, 6, 1, 1);
	set(image, 7, 8, 1);
	set(image, 8, 3, 8);
	set(image, 24, CODE_START, 8);
	memcpy(image->cfi + 32, header, sizeof(header));
	memcpy(image->cfi + NAMES, names, sizeof(names));
	memcpy(image->cfi + PC_TABLES, depths, sizeof(depths));
	set_func(image, 0, GOEXIT, 1);
	set_func(image, 1, FUNCTION, 21);
	set_func(image, 2, SYSTEMSTACK, 28);
	set(image, FUNCS + 24, END - CODE_START, 4);
}

static bool find(struct elf_image *image, uint64_t vaddr, bool is_return, struct rule *rule)
{
	Elf *elf = elf_memory((char *)image, sizeof(*image));
	struct go_pclntab *table = elf ? go_pclntab_create(elf) : NULL;
	bool found = table && go_rule_find(table, &arch_x86_64, vaddr, is_return, rule);

	go_pclntab_destroy(table);
	elf_end(elf);
	return found;
}

static void functions_have_the_rules_of_their_depth_and_kind(void **state)
{
	static const struct {
		uint64_t vaddr;
		bool is_return, found;
		enum rule_kind kind;
		int cfa_offset;
	} cases[] = {
		{ GOEXIT, true, true, RULE_ROOT, 0 },
		{ FUNCTION, false, true, RULE_CFA_REGISTER, 1 },
		{ FUNCTION + 3, false, true, RULE_CFA_REGISTER, 1 },
		{ FUNCTION + 4, true, true, RULE_CFA_REGISTER, 4 },
		{ FUNCTION + 0x3b, false, true, RULE_CFA_REGISTER, 4 },
		{ FUNCTION + 0x3c, false, true, RULE_CFA_REGISTER, 1 },
		{ SYSTEMSTACK + 8, true, true, RULE_OTHER_STACK, 4 },
		{ SYSTEMSTACK + 8, false, true, RULE_NONE, 0 },
		{ CODE_START - 1, false, false, RULE_NONE, 0 },
		{ END, false, false, RULE_NONE, 0 },
		{ UINT64_MAX, false, false, RULE_NONE, 0 },
	};
	struct elf_image image;

	(void)state;
	make_image(&image);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rule rule = { .kind = RULE_NONE };

		assert_int_equal(find(&image, cases[i].vaddr, cases[i].is_return, &rule),
				 cases[i].found);
		assert_int_equal(rule.kind, cases[i].kind);
		assert_int_equal(rule.cfa_offset, cases[i].cfa_offset);
	}
}

static bool find_in_parts(const struct elf_image *image, uint64_t vaddr, struct rule *rule)
{
	struct go_pclntab_range ranges[GO_PCLNTAB_RANGES_MAX];
	struct elf_image parts = *image;
	Elf *elf = elf_memory((char *)image, sizeof(*image));
	struct go_pclntab *table = go_pclntab_create(elf);
	size_t n = go_pclntab_ranges(table, vaddr, ranges);

	memset(parts.cfi, 0, sizeof(parts.cfi));
	for (size_t i = 0; i < n; i++) {
		assert_in_range(ranges[i].offset + ranges[i].size, 0, sizeof(parts));
		memcpy((char *)&parts + ranges[i].offset, (const char *)image + ranges[i].offset,
		       ranges[i].size);
	}
	go_pclntab_destroy(table);
	elf_end(elf);
	return n && find(&parts, vaddr, false, rule);
}

static void what_a_look_up_reads_is_all_that_it_needs(void **state)
{
	static const uint64_t vaddrs[] = { GOEXIT, FUNCTION, FUNCTION + 4, FUNCTION + 0x3c,
					   SYSTEMSTACK + 8 };
	struct elf_image image;

	(void)state;
	make_image(&image);
	for (size_t i = 0; i < sizeof(vaddrs) / sizeof(vaddrs[0]); i++) {
		struct rule whole = { .kind = RULE_NONE }, part = { .kind = RULE_NONE };

		assert_true(find(&image, vaddrs[i], false, &whole));
		assert_true(find_in_parts(&image, vaddrs[i], &part));
		assert_memory_equal(&part, &whole, sizeof(part));
	}
	assert_false(find_in_parts(&image, END, &(struct rule){ .kind = RULE_NONE }));
}

static void a_table_whose_text_nobody_places_is_not_used(void **state)
{
	struct elf_image image;
	struct rule rule;

	(void)state;
	make_image(&image);
	set(&image, 24, 0, 8);
	assert_false(find(&image, FUNCTION, false, &rule));
}

static void other_versions_and_other_files_have_no_table(void **state)
{
	struct elf_image image;
	struct rule rule;

	(void)state;
	make_image(&image);
	set(&image, 0, 0xfffffffb, 4);
	assert_false(find(&image, FUNCTION, false, &rule));
	make_image(&image);
	set(&image, 7, 4, 1);
	assert_false(find(&image, FUNCTION, false, &rule));
	elf_image_init(&image, ".eh_frame");
	assert_false(find(&image, FUNCTION, false, &rule));
}

static void no_byte_of_a_table_leads_outside_it(void **state)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct elf_image *image = malloc(sizeof(*image));
	struct rule rule;

	(void)state;
	assert_non_null(image);
	for (size_t at = 0; at < TABLE_END; at++)
		for (size_t i = 0; i < sizeof(values); i++)
			for (uint64_t vaddr = CODE_START; vaddr <= END; vaddr += 0x1f) {
				make_image(image);
				image->cfi[at] = values[i];
				find(image, vaddr, true, &rule);
			}
	for (size_t size = 0; size < TABLE_END; size++) {
		make_image(image);
		image->sections[1].sh_size = size;
		find(image, SYSTEMSTACK - 1, false, &rule);
	}
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_the_rules_of_their_depth_and_kind),
		cmocka_unit_test(what_a_look_up_reads_is_all_that_it_needs),
		cmocka_unit_test(a_table_whose_text_nobody_places_is_not_used),
		cmocka_unit_test(other_versions_and_other_files_have_no_table),
		cmocka_unit_test(no_byte_of_a_table_leads_outside_it),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
