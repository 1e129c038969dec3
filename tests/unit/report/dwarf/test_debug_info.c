/* This program's own debug information, whose inlined calls are known; and files that lie. */
#include <dwarf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/dwarf/debug_info.h"
#include "tests/unit/fixtures/debug_image.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define INLINED static inline __attribute__((always_inline))

extern const char place_in_innermost[], place_in_outer[];

INLINED void innermost(void)
{
	__asm__ volatile(".globl place_in_innermost\nplace_in_innermost: nop");
}

INLINED void middle(void)
{
	innermost();
}

__attribute__((noinline)) static void outer(void)
{
	__asm__ volatile(".globl place_in_outer\nplace_in_outer: nop");
	middle();
}

struct fixture {
	int fd;
	Elf *elf;
	struct debug_info *info;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	elf_version(EV_CURRENT);
	fixture->fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	fixture->elf = elf_begin(fixture->fd, ELF_C_READ_MMAP, NULL);
	fixture->info = debug_info_open(fixture->elf, NULL, fixture->fd);
	*state = fixture;
	outer();
	return !fixture->info;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	debug_info_close(fixture->info);
	elf_end(fixture->elf);
	close(fixture->fd);
	free(fixture);
	return 0;
}

static int take_base(struct dl_phdr_info *object, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = object->dlpi_addr;
	return 1; /* the first one is the program */
}

static uint64_t vaddr_of(const void *code)
{
	uint64_t base = 0;

	dl_iterate_phdr(take_base, &base);
	return (uint64_t)(uintptr_t)code - base;
}

static size_t find(struct fixture *fixture, const void *code, struct debug_function *functions)
{
	return debug_info_find(fixture->info, vaddr_of(code), functions, DEBUG_INFO_MAX_INLINED);
}

static void inlined_calls_come_innermost_first(void **state)
{
	static const char *const names[] = { "innermost", "middle", "outer" };
	struct debug_function functions[DEBUG_INFO_MAX_INLINED];

	assert_int_equal(find(*state, place_in_innermost, functions), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(functions[i].name, names[i]);
		assert_non_null(strstr(functions[i].file, "test_debug_info.c"));
	}
	/* The line of a call is below that of the function that makes it. */
	assert_true(functions[0].line < functions[1].line);
	assert_true(functions[1].line < functions[2].line);
	assert_true(functions[0].decl_line < functions[0].line);
}

static void code_that_is_not_inlined_has_one_function(void **state)
{
	struct debug_function functions[DEBUG_INFO_MAX_INLINED];

	assert_int_equal(find(*state, place_in_outer, functions), 1);
	assert_string_equal(functions[0].name, "outer");
	assert_true(functions[0].line > functions[0].decl_line);
}

static void calls_alone_have_the_same_names_and_places(void **state)
{
	struct debug_function functions[DEBUG_INFO_MAX_INLINED], calls[DEBUG_INFO_MAX_INLINED];
	struct fixture *fixture = *state;
	uint64_t vaddr = vaddr_of(place_in_innermost);

	assert_int_equal(find(fixture, place_in_innermost, functions), 3);
	for (int wants_line = 0; wants_line < 2; wants_line++) {
		assert_int_equal(debug_info_find_calls(fixture->info, vaddr, wants_line, calls,
						       DEBUG_INFO_MAX_INLINED),
				 3);
		assert_int_equal(calls[0].line, wants_line ? functions[0].line : 0);
		for (size_t i = 0; i < 2; i++) {
			assert_string_equal(calls[i].name, functions[i].name);
			assert_int_equal(calls[i].decl_line, functions[i].decl_line);
			assert_string_equal(calls[i + 1].file, functions[i + 1].file);
			assert_int_equal(calls[i + 1].line, functions[i + 1].line);
		}
		assert_null(calls[2].name);
	}
}

static void the_dies_of_functions_come_in_the_same_order(void **state)
{
	struct fixture *fixture = *state;
	struct debug_info *info = debug_info_open_with_locations(fixture->elf, NULL, fixture->fd);
	Dwarf_Die dies[DEBUG_INFO_MAX_INLINED];
	uint64_t vaddr = vaddr_of(place_in_innermost);

	assert_int_equal(debug_info_find_dies(info, vaddr, dies, DEBUG_INFO_MAX_INLINED), 3);
	assert_int_equal(dwarf_tag(&dies[0]), DW_TAG_inlined_subroutine);
	assert_int_equal(dwarf_tag(&dies[1]), DW_TAG_inlined_subroutine);
	assert_int_equal(dwarf_tag(&dies[2]), DW_TAG_subprogram);
	assert_string_equal(dwarf_diename(&dies[2]), "outer");
	assert_int_equal(debug_info_find_dies(info, vaddr, dies, 2), 2);
	assert_int_equal(dwarf_tag(&dies[1]), DW_TAG_inlined_subroutine);
	assert_int_equal(debug_info_find_dies(info, 1, dies, 2), 0);
	debug_info_close(info);
}

static void addresses_without_code_have_none(void **state)
{
	struct fixture *fixture = *state;
	struct debug_function functions[4];
	static const uint64_t addresses[] = { 0, 1, UINT64_MAX, UINT64_MAX / 2 };

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		assert_int_equal(debug_info_find(fixture->info, addresses[i], functions, 4), 0);
	assert_int_equal(find(fixture, &addresses, functions), 0);
}

static void no_more_functions_come_than_there_is_room_for(void **state)
{
	struct debug_function functions[2];
	struct fixture *fixture = *state;

	assert_int_equal(debug_info_find(fixture->info, vaddr_of(place_in_innermost), functions, 2),
			 2);
	assert_string_equal(functions[1].name, "middle");
}

static void a_file_without_debug_information_has_none(void **state)
{
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT },
			      .e_type = ET_DYN,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_ehsize = sizeof(Elf64_Ehdr) };
	Elf *elf = elf_memory((char *)&header, sizeof(header));

	(void)state;
	assert_non_null(elf);
	assert_null(debug_info_open(elf, NULL, -1));
	elf_end(elf);
}

/* DWARF 4 made by hand: kinds of DIEs, as their abbreviations are numbered. */
enum kind {
	UNIT = 1,  /* a language, a range */
	COMPILED,  /* a name, a range, others inside */
	CALLED,    /* what, a range, the line of the call, others inside */
	ABSTRACT,  /* a name */
	NAMESPACE, /* a name, others inside */
	REFERRING, /* to a function */
	LINKED,    /* where the next is, others inside */
};

#define CHILDREN(tag)    tag, DW_CHILDREN_yes
#define NO_CHILDREN(tag) tag, DW_CHILDREN_no
#define RANGE            DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8

/* clang-format off */
static const uint8_t abbreviations[] = {
	UNIT, CHILDREN(DW_TAG_compile_unit), DW_AT_language, DW_FORM_data1, RANGE, 0, 0,
	COMPILED, CHILDREN(DW_TAG_subprogram), DW_AT_name, DW_FORM_string, RANGE, 0, 0,
	CALLED, CHILDREN(DW_TAG_inlined_subroutine), DW_AT_abstract_origin, DW_FORM_ref4, RANGE,
		DW_AT_call_line, DW_FORM_data1, 0, 0,
	ABSTRACT, NO_CHILDREN(DW_TAG_subprogram), DW_AT_name, DW_FORM_string, 0, 0,
	NAMESPACE, CHILDREN(DW_TAG_namespace), DW_AT_name, DW_FORM_string, 0, 0,
	REFERRING, NO_CHILDREN(DW_TAG_subprogram), DW_AT_abstract_origin, DW_FORM_ref4, 0, 0,
	LINKED, CHILDREN(DW_TAG_lexical_block), DW_AT_sibling, DW_FORM_ref4, 0, 0,
	0,
};
/* clang-format on */

struct made {
	uint8_t bytes[16384];
	size_t size;
	struct debug_image image;
	struct debug_info *info;
};

static void put(struct made *made, const void *bytes, size_t size)
{
	memcpy(made->bytes + made->size, bytes, size);
	made->size += size;
}

static void put_number(struct made *made, uint64_t number, size_t size)
{
	put(made, &number, size);
}

static void put_range(struct made *made, uint64_t start, uint64_t size)
{
	put_number(made, start, 8);
	put_number(made, size, 8);
}

static void begin_unit(struct made *made, uint8_t language)
{
	static const uint8_t header[] = { 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, UNIT };

	made->size = 0;
	put(made, header, sizeof(header));
	put_number(made, language, 1);
	put_range(made, 0x1000, 0x1000);
}

static uint32_t put_named(struct made *made, enum kind kind, const char *name)
{
	uint32_t at = (uint32_t)made->size;

	put_number(made, kind, 1);
	put(made, name, strlen(name) + 1);
	return at;
}

static void put_compiled(struct made *made, const char *name, uint64_t start, uint64_t size)
{
	put_named(made, COMPILED, name);
	put_range(made, start, size);
}

static uint32_t put_inlined(struct made *made, uint32_t origin, uint64_t start, uint64_t size,
			    uint8_t line)
{
	uint32_t at = (uint32_t)made->size;

	put_number(made, CALLED, 1);
	put_number(made, origin, 4);
	put_range(made, start, size);
	put_number(made, line, 1);
	return at;
}

static uint32_t put_referring(struct made *made, enum kind kind, uint32_t where)
{
	uint32_t at = (uint32_t)made->size;

	put_number(made, kind, 1);
	put_number(made, where, 4);
	return at;
}

/* Ends @n lists of DIEs. */
static void put_ends(struct made *made, size_t n)
{
	while (n--)
		put_number(made, 0, 1);
}

static void open_made(struct made *made)
{
	uint32_t size = (uint32_t)made->size - 4;
	struct image_section sections[] = {
		{ ".debug_abbrev", abbreviations, sizeof(abbreviations), 0 },
		{ ".debug_info", made->bytes, made->size, 0 },
	};

	memcpy(made->bytes, &size, 4);
	debug_image_init(&made->image, sections, 2);
	made->info = debug_info_open(made->image.elf, NULL, -1);
	assert_non_null(made->info);
}

static void close_made(struct made *made)
{
	debug_info_close(made->info);
	debug_image_deinit(&made->image);
}

static void a_hundred_calls_may_be_inlined_into_each_other(void **state)
{
	static struct made made;
	struct debug_function functions[DEBUG_INFO_MAX_INLINED];
	uint32_t origins[200];

	(void)state;
	for (size_t n_inlined = 99; n_inlined <= 198; n_inlined += 99) {
		begin_unit(&made, DW_LANG_C99);
		for (size_t i = 0; i < n_inlined; i++)
			origins[i] = put_named(&made, ABSTRACT, i % 2 ? "odd" : "even");
		put_compiled(&made, "outer", 0x1000, 0x800);
		for (size_t i = 0; i < n_inlined; i++)
			put_inlined(&made, origins[i], 0x1000 + i, 0x800 - 2 * i, (uint8_t)(i + 1));
		put_ends(&made, n_inlined + 2);
		open_made(&made);
		size_t n = debug_info_find(made.info, 0x1400, functions, DEBUG_INFO_MAX_INLINED);
		size_t expected = n_inlined + 1 < DEBUG_INFO_MAX_INLINED ? n_inlined + 1
									 : DEBUG_INFO_MAX_INLINED;
		assert_int_equal(n, expected);
		for (size_t i = 0; i + 1 < n; i++) {
			assert_string_equal(functions[i].name,
					    (n_inlined - 1 - i) % 2 ? "odd" : "even");
			assert_int_equal(functions[i + 1].line, n_inlined - i);
		}
		assert_int_equal(debug_info_find(made.info, 0x1002, functions, 128), 4);
		assert_string_equal(functions[3].name, "outer");
		close_made(&made);
	}
}

static void origins_that_go_in_circles_or_nowhere_have_no_name(void **state)
{
	static struct made made;
	struct debug_function functions[8];
	static const uint32_t nowhere[] = { 0, 3, 0x7fffffff, UINT32_MAX };

	(void)state;
	begin_unit(&made, DW_LANG_C_plus_plus);
	uint32_t first = (uint32_t)made.size;
	uint32_t second = put_referring(&made, REFERRING, first + 5);
	second = put_referring(&made, REFERRING, second);
	put_compiled(&made, "outer", 0x1000, 0x100);
	uint64_t at = 0x1000;
	put_inlined(&made, second, at, 0x10, 1);
	put_ends(&made, 1);
	for (size_t i = 0; i < 4; i++) {
		put_inlined(&made, nowhere[i], at += 0x10, 0x10, 1);
		put_ends(&made, 1);
	}
	uint32_t self = (uint32_t)made.size;
	put_inlined(&made, self, at += 0x10, 0x10, 1);
	put_ends(&made, 3);
	open_made(&made);
	for (uint64_t vaddr = 0x1000; vaddr <= at; vaddr += 0x10) {
		assert_int_equal(debug_info_find(made.info, vaddr, functions, 8), 2);
		assert_null(functions[0].name);
		assert_string_equal(functions[1].name, "outer");
	}
	close_made(&made);
}

static void siblings_that_lead_back_or_away_end_the_walk(void **state)
{
	static struct made made;
	struct debug_function functions[8];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		begin_unit(&made, DW_LANG_C99);
		uint32_t origin = put_named(&made, ABSTRACT, "inner");
		put_compiled(&made, "outer", 0x1000, 0x100);
		uint32_t before = put_referring(&made, LINKED, origin);
		uint32_t where[] = { before, origin, (uint32_t)made.size + 5, 0x7fffffff };
		put_referring(&made, LINKED, where[i]);
		for (size_t k = 0; k < 60; k++)
			put_referring(&made, LINKED, where[i]);
		put_inlined(&made, origin, 0x1000, 0x10, 7);
		put_ends(&made, 66);
		open_made(&made);
		assert_int_equal(debug_info_find(made.info, 0x1008, functions, 8), 2);
		assert_string_equal(functions[0].name, "inner");
		assert_int_equal(functions[1].line, 7);
		assert_int_equal(debug_info_find(made.info, 0x1018, functions, 8), 1);
		close_made(&made);
	}
}

static void functions_that_stand_in_others_are_not_inlined(void **state)
{
	static struct made made;
	struct debug_function functions[8];

	(void)state;
	begin_unit(&made, DW_LANG_C99);
	put_compiled(&made, "outer", 0x1000, 0x100);
	put_compiled(&made, "nested", 0x1200, 0x100);
	put_ends(&made, 3);
	open_made(&made);
	assert_int_equal(debug_info_find(made.info, 0x1210, functions, 8), 1);
	assert_string_equal(functions[0].name, "nested");
	assert_int_equal(debug_info_find(made.info, 0x1010, functions, 8), 1);
	assert_string_equal(functions[0].name, "outer");
	close_made(&made);
}

static void names_have_the_namespaces_they_stand_in(void **state)
{
	static const struct {
		uint8_t language;
		const char *name, *after, *local;
	} cases[] = {
		{ DW_LANG_C_plus_plus, "one::two::inner", "one::after", "one::outer::local" },
		{ DW_LANG_Rust, "one::two::inner", "one::after", "one::outer::local" },
		{ DW_LANG_C99, "inner", "after", "local" },
	};
	static struct made made;
	struct debug_function functions[8];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin_unit(&made, cases[i].language);
		put_named(&made, NAMESPACE, "one");
		put_named(&made, NAMESPACE, "two");
		uint32_t inner = put_named(&made, ABSTRACT, "inner");
		put_ends(&made, 1);
		uint32_t after = put_named(&made, ABSTRACT, "after");
		put_compiled(&made, "outer", 0x1000, 0x100);
		uint32_t local = put_named(&made, ABSTRACT, "local");
		put_inlined(&made, inner, 0x1000, 0x10, 1);
		put_ends(&made, 1);
		put_inlined(&made, after, 0x1010, 0x10, 1);
		put_ends(&made, 1);
		put_inlined(&made, local, 0x1020, 0x10, 1);
		put_ends(&made, 4);
		open_made(&made);
		for (size_t again = 0; again < 2; again++) {
			debug_info_find(made.info, 0x1000, functions, 8);
			assert_string_equal(functions[0].name, cases[i].name);
			debug_info_find(made.info, 0x1010, functions, 8);
			assert_string_equal(functions[0].name, cases[i].after);
			debug_info_find(made.info, 0x1020, functions, 8);
			assert_string_equal(functions[0].name, cases[i].local);
		}
		close_made(&made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inlined_calls_come_innermost_first),
		cmocka_unit_test(code_that_is_not_inlined_has_one_function),
		cmocka_unit_test(calls_alone_have_the_same_names_and_places),
		cmocka_unit_test(the_dies_of_functions_come_in_the_same_order),
		cmocka_unit_test(addresses_without_code_have_none),
		cmocka_unit_test(no_more_functions_come_than_there_is_room_for),
		cmocka_unit_test(a_file_without_debug_information_has_none),
		cmocka_unit_test(a_hundred_calls_may_be_inlined_into_each_other),
		cmocka_unit_test(origins_that_go_in_circles_or_nowhere_have_no_name),
		cmocka_unit_test(siblings_that_lead_back_or_away_end_the_walk),
		cmocka_unit_test(functions_that_stand_in_others_are_not_inlined),
		cmocka_unit_test(names_have_the_namespaces_they_stand_in),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
