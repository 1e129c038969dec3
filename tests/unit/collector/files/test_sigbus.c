/* A mapped file that shrinks while it is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/files/sigbus.h"

static void a_page_that_is_gone_reads_as_zeros_and_is_counted(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("shrinking", MFD_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)(2 * page)), 0);
	assert_int_equal(pwrite(fd, "ab", 2, (off_t)page - 1), 2);
	const volatile uint8_t *bytes = mmap(NULL, 2 * page, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(bytes != MAP_FAILED);
	sigbus_install();
	assert_int_equal(bytes[page], 'b');
	assert_int_equal(ftruncate(fd, (off_t)page), 0);
	assert_int_equal(bytes[page], 0);
	assert_int_equal(bytes[page - 1], 'a');
	assert_int_equal(sigbus_n_pages(), 1);
	munmap((void *)bytes, 2 * page);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_that_is_gone_reads_as_zeros_and_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
