/* What HotSpot knows of its code, read from made-up memory; and memory that lies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/fixtures/hotspot_image.h"

static struct hotspot_image image;
static struct hotspot_vm vm;
static struct hotspot_code code;

static int setup(void **state)
{
	(void)state;
	hotspot_image_init(&image);
	return 0;
}

static void find_vm(void)
{
	assert_int_equal(hotspot_vm_find(&image.memory, IMAGE_BASE, &vm), 0);
	assert_int_equal(hotspot_vm_find_heaps(&image.memory, &vm), 0);
}

static void expect_name(const char *name)
{
	assert_int_equal(code.header.name_size, strlen(name));
	assert_memory_equal(code.name, name, strlen(name));
}

static void the_tables_lead_to_the_heaps(void **state)
{
	(void)state;
	find_vm();
	assert_int_equal(vm.n_heaps, 1);
	assert_ptr_equal(hotspot_vm_heap(&vm, image.heap), &vm.heaps[0]);
	assert_ptr_equal(hotspot_vm_heap(&vm, image.heap + HEAP_SIZE - 1), &vm.heaps[0]);
	assert_null(hotspot_vm_heap(&vm, image.heap - 1));
	assert_null(hotspot_vm_heap(&vm, image.heap + HEAP_SIZE));
}

static void compiled_code_has_its_frame_and_the_name_of_its_method(void **state)
{
	(void)state;
	find_vm();
	/* The last segment is found over several hops. */
	const uint64_t end = image.nmethod - 16 + (6ull << SEGMENT_BITS);
	assert_int_equal(hotspot_code_read(&image.memory, &vm, end - 1, &code), 0);
	assert_int_equal(code.header.kind, RUNTIME_COMPILED);
	assert_int_equal(code.header.start, image.nmethod + 128);
	assert_int_equal(code.header.start + code.header.size, end);
	assert_int_equal(code.header.frame_size, 96);
	assert_int_equal(code.header.complete, 20);
	expect_name("java.util.TreeMap.merge");
	/* A blob's own fields are not code. */
	assert_int_equal(hotspot_code_read(&image.memory, &vm, image.nmethod + 60, &code), -ENOENT);
}

static void the_interpreter_and_stubs_are_known_by_their_names(void **state)
{
	(void)state;
	find_vm();
	assert_int_equal(hotspot_code_read(&image.memory, &vm, image.interpreter + 999, &code), 0);
	assert_int_equal(code.header.kind, RUNTIME_INTERPRETER);
	expect_name("Interpreter");
	assert_int_equal(hotspot_code_read(&image.memory, &vm, image.stub + 128, &code), 0);
	assert_int_equal(code.header.kind, RUNTIME_STUB);
	expect_name("StubRoutines (1)");
}

static void free_segments_and_addresses_outside_have_no_code(void **state)
{
	(void)state;
	find_vm();
	assert_int_equal(hotspot_code_read(&image.memory, &vm, image.heap + HEAP_SIZE - 1, &code),
			 -ENOENT);
	assert_int_equal(hotspot_code_read(&image.memory, &vm, image.pool, &code), -ENOENT);
	image_put_number(&image, image.nmethod - 16 + 8, 0, 1);
	assert_int_equal(hotspot_code_read(&image.memory, &vm, image.nmethod + 128, &code),
			 -ENOENT);
}

static void methods_of_the_interpreter_have_names(void **state)
{
	(void)state;
	find_vm();
	assert_int_equal(hotspot_method_read(&image.memory, &vm, image.method, &code), 0);
	assert_int_equal(code.header.kind, RUNTIME_METHOD);
	assert_int_equal(code.header.start, image.method);
	expect_name("java.util.TreeMap.merge");
	assert_true(hotspot_method_read(&image.memory, &vm, image.klass, &code) < 0);
	assert_true(hotspot_method_read(&image.memory, &vm, 8, &code) < 0);
}

static void other_code_at_the_same_place_has_another_mark(void **state)
{
	uint64_t mark;

	(void)state;
	find_vm();
	assert_int_equal(hotspot_code_read(&image.memory, &vm, image.nmethod + 128, &code), 0);
	assert_int_equal(
		hotspot_mark_read(&image.memory, &vm, code.object, RUNTIME_COMPILED, &mark), 0);
	assert_int_equal(mark, code.mark);
	image_put_number(&image, image.nmethod + 56, 78, 4);
	assert_int_equal(
		hotspot_mark_read(&image.memory, &vm, code.object, RUNTIME_COMPILED, &mark), 0);
	assert_int_not_equal(mark, code.mark);
	/* These bytes of a stub are its own affair. */
	assert_int_equal(hotspot_code_read(&image.memory, &vm, image.stub + 128, &code), 0);
	image_put_number(&image, image.stub + 56, 78, 4);
	assert_int_equal(hotspot_mark_read(&image.memory, &vm, code.object, RUNTIME_STUB, &mark),
			 0);
	assert_int_equal(mark, code.mark);
}

static void a_version_that_lacks_a_field_is_refused(void **state)
{
	(void)state;
	for (size_t i = 1; i < IMAGE_FIRST_OPTIONAL_FIELD; i++) {
		hotspot_image_init(&image);
		image_put_number(&image, image.table + i * 48 + 8, image_add_text(&image, "_other"),
				 8);
		assert_int_equal(hotspot_vm_find(&image.memory, IMAGE_BASE, &vm), -ENOENT);
	}
	hotspot_image_init(&image);
	image_put_number(&image, image.types, 0, 8);
	assert_int_equal(hotspot_vm_find(&image.memory, IMAGE_BASE, &vm), -ENOENT);
	hotspot_image_init(&image);
	image_put_number(&image, image.table + 6 * 48 + 32, 1u << 20, 8);
	assert_int_equal(hotspot_vm_find(&image.memory, IMAGE_BASE, &vm), -ENOENT);
}

static void a_machine_that_has_not_begun_has_no_heaps_yet(void **state)
{
	(void)state;
	assert_int_equal(hotspot_vm_find(&image.memory, IMAGE_BASE, &vm), 0);
	image_put_number(&image, image.heaps_variable, 0, 8);
	assert_int_equal(hotspot_vm_find_heaps(&image.memory, &vm), -EAGAIN);
	assert_int_equal(vm.n_heaps, 0);
	assert_int_equal(hotspot_vm_find(&image.memory, IMAGE_BASE + 4096, &vm), -ENOENT);
	assert_int_equal(hotspot_vm_find(&image.memory, 0, &vm), -EFAULT);
}

static void contradictions_are_refused(void **state)
{
	const struct {
		unsigned at; /* in the blob */
		uint64_t value;
		unsigned size;
	} lies[] = {
		{ 8, 0, 8 },                        /* no name */
		{ 16, 0xffffffff, 4 },              /* a frame of less than nothing */
		{ 16, 1, 4 },                       /* without a place for the frame pointer */
		{ 16, 0x7fffffff, 4 },              /* larger than any stack */
		{ 20, 0xfffffff0, 4 },              /* complete before it begins */
		{ 24, IMAGE_BASE, 8 },              /* code outside the block */
		{ 32, IMAGE_BASE, 8 },              /* an end before the begin */
		{ 32, IMAGE_BASE + IMAGE_SIZE, 8 }, /* after the heap */
		{ 48, 0, 8 },                       /* no method */
		{ 48, IMAGE_BASE + 1, 8 },          /* no such method */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		hotspot_image_init(&image);
		find_vm();
		image_put_number(&image, image.nmethod + lies[i].at, lies[i].value, lies[i].size);
		assert_true(hotspot_code_read(&image.memory, &vm, image.nmethod + 200, &code) < 0);
	}
	hotspot_image_init(&image);
	find_vm();
	/* A segment that leads to before the heap. */
	image_put_number(&image, image.segmap + 24, 200, 1);
	assert_int_equal(hotspot_code_read(&image.memory, &vm, image.nmethod + 200, &code),
			 -ENOENT);
	image_put_number(&image, image.const_method + 24, 4, 2);
	assert_int_equal(hotspot_method_read(&image.memory, &vm, image.method, &code), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_tables_lead_to_the_heaps, setup),
		cmocka_unit_test_setup(compiled_code_has_its_frame_and_the_name_of_its_method,
				       setup),
		cmocka_unit_test_setup(the_interpreter_and_stubs_are_known_by_their_names, setup),
		cmocka_unit_test_setup(free_segments_and_addresses_outside_have_no_code, setup),
		cmocka_unit_test_setup(methods_of_the_interpreter_have_names, setup),
		cmocka_unit_test_setup(other_code_at_the_same_place_has_another_mark, setup),
		cmocka_unit_test_setup(a_version_that_lacks_a_field_is_refused, setup),
		cmocka_unit_test_setup(a_machine_that_has_not_begun_has_no_heaps_yet, setup),
		cmocka_unit_test_setup(contradictions_are_refused, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
