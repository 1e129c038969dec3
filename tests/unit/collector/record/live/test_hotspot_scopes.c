/* What HotSpot has inlined into the code of a made-up method; and memory that lies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "collector/record/live/hotspot_scopes.h"
#include "tests/unit/fixtures/hotspot_image.h"

static struct hotspot_image image;
static struct hotspot_vm vm;
static struct hotspot_scopes scopes;
static uint64_t code, put, get;

static int setup(void **state)
{
	(void)state;
	hotspot_image_init(&image);
	code = image.nmethod + 128;
	image_read(&image.memory, image.metadata + 8, &put, sizeof(put));
	image_read(&image.memory, image.metadata + 16, &get, sizeof(get));
	return hotspot_vm_find(&image.memory, IMAGE_BASE, &vm);
}

static int read_at(uint64_t offset)
{
	return hotspot_scopes_read(&image.memory, &vm, image.nmethod, code + offset, &scopes);
}

static void expect(uint64_t start, uint64_t end, uint32_t n_inlined)
{
	assert_int_equal(scopes.start - code, start);
	assert_int_equal(scopes.end - code, end);
	assert_int_equal(scopes.n_inlined, n_inlined);
	if (n_inlined > 0)
		assert_int_equal(scopes.inlined[0], put);
	if (n_inlined > 1)
		assert_int_equal(scopes.inlined[1], get);
}

static void a_return_address_has_the_methods_inlined_at_its_call(void **state)
{
	const struct {
		uint64_t pc;
		uint32_t n_inlined;
	} calls[] = { { 16, 0 }, { 32, 1 }, { 64, 2 }, { 96, 2 }, { 128, 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		assert_int_equal(read_at(calls[i].pc - 1), 0);
		expect(calls[i].pc - 1, calls[i].pc, calls[i].n_inlined);
	}
}

static void between_two_places_is_what_both_have(void **state)
{
	(void)state;
	assert_int_equal(read_at(0), 0);
	expect(0, 15, 0);
	assert_int_equal(read_at(16), 0);
	expect(16, 31, 0);
	assert_int_equal(read_at(40), 0);
	expect(32, 63, 1);
	assert_int_equal(read_at(94), 0);
	expect(64, 95, 2);
	/* The same method, but inlined by another call. */
	assert_int_equal(read_at(100), 0);
	expect(96, 127, 0);
	assert_int_equal(read_at(500), 0);
	expect(128, INT32_MAX - 1, 0);
}

static void a_version_without_scopes_has_all_else(void **state)
{
	const size_t n = sizeof(image_fields) / sizeof(image_fields[0]);

	(void)state;
	for (size_t i = IMAGE_FIRST_OPTIONAL_FIELD; i < n; i++) {
		hotspot_image_init(&image);
		image_put_number(&image, image.table + i * 48 + 8, image_add_text(&image, "_other"),
				 8);
		assert_int_equal(hotspot_vm_find(&image.memory, IMAGE_BASE, &vm), 0);
		assert_false(vm.has_scopes);
		assert_int_equal(read_at(63), -ENOENT);
	}
}

static void inlined_methods_have_names(void **state)
{
	static const char names[] = "java.util.TreeMap.put\0java.util.HashMap.get";
	struct hotspot_code record;

	(void)state;
	assert_int_equal(
		hotspot_inlined_read(&image.memory, &vm, image.nmethod, code + 63, &record), 0);
	assert_int_equal(record.header.kind, RUNTIME_INLINED);
	assert_int_equal(record.header.start, code + 63);
	assert_int_equal(record.header.size, 1);
	assert_int_equal(record.header.name_size, sizeof(names) - 1);
	assert_memory_equal(record.name, names, sizeof(names) - 1);
	assert_int_equal(hotspot_inlined_read(&image.memory, &vm, image.nmethod, code, &record), 0);
	assert_int_equal(record.header.name_size, 0);
	image_put_number(&image, image.metadata + 16, image.klass, 8);
	assert_true(hotspot_inlined_read(&image.memory, &vm, image.nmethod, code + 63, &record) <
		    0);
}

/* As JDK 20 and later write them: no byte is 0. */
static void numbers_that_are_compressed_otherwise_are_refused(void **state)
{
	(void)state;
	for (size_t i = 1; i < sizeof(image_scopes); i++)
		image_put_number(&image, image.scopes + i, image_scopes[i] + 1u, 1);
	for (size_t i = 1; i + 1 < sizeof(image_pcs) / sizeof(image_pcs[0]); i++)
		assert_int_equal(read_at((uint64_t)image_pcs[i][0] - 1), -ENOENT);
}

static void contradictions_are_refused(void **state)
{
	const struct {
		uint64_t at, value;
		unsigned size;
	} lies[] = {
		{ image.nmethod + 60, 0, 4 },              /* tables before the object */
		{ image.nmethod + 64, IMAGE_BASE, 8 },     /* scopes before the methods */
		{ image.nmethod + 64, image.pcs, 8 },      /* none at all */
		{ image.nmethod + 72, 0x7fffffff, 4 },     /* places after their end */
		{ image.nmethod + 76, 0, 4 },              /* an end before the begin */
		{ image.nmethod + 76, 0x7fffffff, 4 },     /* longer than any code */
		{ image.nmethod + 48, put, 8 },            /* another method is the outermost */
		{ image.pcs + 3 * 16 + 4, 200, 4 },        /* a scope after the scopes */
		{ image.pcs + 3 * 16 + 4, UINT32_MAX, 4 }, /* and before them */
		{ image.scopes + 10, 10, 1 },              /* a scope within itself */
		{ image.scopes + 7, 10, 1 },               /* and after it */
		{ image.scopes + 11, 0, 1 },               /* no method */
		{ image.scopes + 11, 5, 1 },               /* more methods than there are */
		{ image.types + 112, 0, 8 },               /* places without a size */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		setup(NULL);
		image_put_number(&image, lies[i].at, lies[i].value, lies[i].size);
		assert_int_equal(hotspot_vm_find(&image.memory, IMAGE_BASE, &vm), 0);
		assert_int_equal(read_at(63), -ENOENT);
	}
	/* Places that are not in order: none is before the code. */
	setup(NULL);
	image_put_number(&image, image.pcs, 64, 4);
	assert_int_equal(read_at(8), -ENOENT);
}

static void a_number_that_never_ends_is_refused(void **state)
{
	(void)state;
	/* The last scope's bytes end within a number. */
	image_put_number(&image, image.scopes + sizeof(image_scopes) - 1, 255, 1);
	image_put_number(&image, image.nmethod + 72,
			 image.scopes + sizeof(image_scopes) - image.nmethod, 4);
	assert_int_equal(read_at(127), -ENOENT);
	assert_true(hotspot_scopes_read(&image.memory, &vm, 8, code, &scopes) < 0);
	assert_int_equal(read_at(RUNTIME_CODE_SIZE_MAX), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_return_address_has_the_methods_inlined_at_its_call, setup),
		cmocka_unit_test_setup(between_two_places_is_what_both_have, setup),
		cmocka_unit_test_setup(inlined_methods_have_names, setup),
		cmocka_unit_test_setup(a_version_without_scopes_has_all_else, setup),
		cmocka_unit_test_setup(numbers_that_are_compressed_otherwise_are_refused, setup),
		cmocka_unit_test_setup(contradictions_are_refused, setup),
		cmocka_unit_test_setup(a_number_that_never_ends_is_refused, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
