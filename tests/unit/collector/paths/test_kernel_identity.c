/* Which kernel made a recording: the running one's names are used only for its own recordings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collector/paths/kernel_identity.h"

static struct kernel_identity kernel(uint8_t build, const char *release, const char *hostname)
{
	struct kernel_identity identity = { .release = release, .hostname = hostname };
	uint8_t bytes[BUILD_ID_MAX_SIZE];

	memset(bytes, build, sizeof(bytes));
	build_id_set(&identity.build_id, bytes, build ? sizeof(bytes) : 0);
	return identity;
}

static void expect(struct kernel_identity recorded, struct kernel_identity running,
		   enum kernel_identity_match match)
{
	assert_int_equal(kernel_identity_match(&recorded, &running), match);
}

static void a_build_id_decides_where_both_are_known(void **state)
{
	(void)state;
	expect(kernel(1, "6.1.0", "box"), kernel(1, "6.1.0", "box"), KERNEL_IS_SAME);
	expect(kernel(1, NULL, NULL), kernel(1, "6.1.0", "box"), KERNEL_IS_SAME);
	/* A container has another host name. */
	expect(kernel(1, "6.1.0", "pod"), kernel(1, "6.1.0", "box"), KERNEL_IS_SAME);
	expect(kernel(1, "6.1.0", "box"), kernel(2, "6.1.0", "box"), KERNEL_IS_OTHER);
}

static void else_release_and_host_name_decide(void **state)
{
	(void)state;
	expect(kernel(0, "6.1.0", "box"), kernel(2, "6.1.0", "box"), KERNEL_IS_SAME);
	expect(kernel(1, "6.1.0", "box"), kernel(0, "6.1.0", "box"), KERNEL_IS_SAME);
	expect(kernel(0, "6.1.0", NULL), kernel(2, "6.1.0", "box"), KERNEL_IS_SAME);
	expect(kernel(0, "4.4.0", "box"), kernel(2, "6.1.0", "box"), KERNEL_IS_OTHER);
	expect(kernel(0, "6.1.0", "laptop"), kernel(2, "6.1.0", "box"), KERNEL_IS_OTHER);
}

static void without_build_id_and_release_it_is_unknown(void **state)
{
	(void)state;
	expect(kernel(0, NULL, NULL), kernel(2, "6.1.0", "box"), KERNEL_IS_UNKNOWN);
	expect(kernel(0, NULL, "box"), kernel(2, "6.1.0", "box"), KERNEL_IS_UNKNOWN);
	expect(kernel(0, NULL, "laptop"), kernel(2, "6.1.0", "box"), KERNEL_IS_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_build_id_decides_where_both_are_known),
		cmocka_unit_test(else_release_and_host_name_decide),
		cmocka_unit_test(without_build_id_and_release_it_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
