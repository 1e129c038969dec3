#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/exchange/frame_addresses.h"
#include "tests/unit/fixtures/sample_profile.h"

#define KERNEL_BASE UINT64_C(0xffffffff81000000)

struct fixture {
	struct profile *profile;
	struct symbolizer *symbolizer;
	uint32_t node; /* the last one that was added */
};

static uint32_t add_module(struct fixture *fixture, enum module_kind kind, const char *path,
			   uint64_t base)
{
	const struct module_key key = { .kind = kind, .path = path, .base = base };

	return module_table_add(&fixture->profile->modules, &key);
}

/* The number of the frame. */
static uint32_t add_frame(struct fixture *fixture, enum frame_kind kind, uint32_t module,
			  uint64_t offset)
{
	const struct frame frame = { .kind = (uint16_t)kind, .module = module, .offset = offset };

	fixture->node = cct_child(fixture->profile->cct, fixture->node, &frame);
	assert_int_not_equal(fixture->node, CCT_NONE);
	return fixture->profile->cct->nodes[fixture->node].frame;
}

static void set_up(struct fixture *fixture)
{
	fixture->profile = sample_profile_create((const char *[]){ "a" }, 1);
	profile_add_process(fixture->profile, 1, "process");
	fixture->node = sample_profile_process(fixture->profile, 0);
}

static void resolve(struct fixture *fixture, struct frame_addresses *addresses)
{
	fixture->symbolizer =
		symbolizer_create(fixture->profile, &(struct symbolizer_options){ 0 });
	assert_int_equal(frame_addresses_init(addresses, fixture->profile, fixture->symbolizer), 0);
}

static void tear_down(struct fixture *fixture, struct frame_addresses *addresses)
{
	frame_addresses_deinit(addresses);
	symbolizer_destroy(fixture->symbolizer);
	profile_destroy(fixture->profile);
}

static void files_are_mapped_and_the_kernel_is_where_it_was(void **state)
{
	struct frame_addresses addresses;
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	const uint32_t program = add_module(&fixture, MODULE_ELF, "/none/program", 0);
	const uint32_t kernel =
		add_module(&fixture, MODULE_KERNEL, "[kernel.kallsyms]", KERNEL_BASE);
	const uint32_t user = add_frame(&fixture, FRAME_USER, program, 0x1234);
	const uint32_t mark = add_frame(&fixture, FRAME_MARKER, 0, MARKER_KERNEL);
	const uint32_t system = add_frame(&fixture, FRAME_KERNEL, kernel, 0x99);
	resolve(&fixture, &addresses);
	assert_int_equal(addresses.addresses[user] - addresses.ranges[program].start, 0x234);
	assert_false(frame_addresses_are_kernel(addresses.addresses[user]));
	assert_int_equal(addresses.addresses[mark], 0);
	assert_int_equal(addresses.addresses[system], KERNEL_BASE + 0x99);
	assert_int_equal(addresses.n_named, 0);
	tear_down(&fixture, &addresses);
}

static void what_has_no_file_has_a_name_and_one_address_for_each_function(void **state)
{
	struct frame_addresses addresses;
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	const uint32_t bpf = add_module(&fixture, MODULE_KERNEL, "[bpf]", 0);
	struct module *module = module_table_get(&fixture.profile->modules, bpf);
	module->symbols = symbol_table_create();
	assert_int_equal(symbol_table_add(module->symbols, 0x100, 0x40, "prog", 4), 0);
	symbol_table_sort(module->symbols);
	const uint32_t cut = add_frame(&fixture, FRAME_MARKER, 0, MARKER_STACK_CUT);
	const uint32_t one = add_frame(&fixture, FRAME_KERNEL, bpf, 0x104);
	const uint32_t two = add_frame(&fixture, FRAME_KERNEL, bpf, 0x110);
	resolve(&fixture, &addresses);
	assert_int_equal(addresses.n_named, 2);
	assert_string_equal(addresses.named[0].name, "[stack deeper than the copy]");
	assert_string_equal(addresses.named[1].name, "prog");
	assert_int_equal(addresses.addresses[cut], addresses.named[0].start + 8);
	assert_int_equal(addresses.addresses[one], addresses.named[1].start + 8);
	assert_int_equal(addresses.addresses[two], addresses.addresses[one]);
	assert_true(frame_addresses_are_kernel(addresses.addresses[one]));
	tear_down(&fixture, &addresses);
}

static void an_offset_beyond_all_files_is_named(void **state)
{
	struct frame_addresses addresses;
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	const uint32_t program = add_module(&fixture, MODULE_ELF, "/none/program", 0);
	const uint32_t near = add_frame(&fixture, FRAME_USER, program, 0x1000);
	const uint32_t far = add_frame(&fixture, FRAME_USER, program, UINT64_MAX - 16);
	resolve(&fixture, &addresses);
	assert_false(frame_addresses_are_kernel(addresses.addresses[near]));
	assert_int_equal(addresses.n_named, 1);
	assert_int_equal(addresses.addresses[far], addresses.named[0].start + 8);
	tear_down(&fixture, &addresses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_mapped_and_the_kernel_is_where_it_was),
		cmocka_unit_test(what_has_no_file_has_a_name_and_one_address_for_each_function),
		cmocka_unit_test(an_offset_beyond_all_files_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
