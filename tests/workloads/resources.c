/*
 * Uses up resources in known amounts, in known contexts. tests/cli/0320-resources.bats has the
 * sums.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "work.h"

static char buffer[4096];
static void *volatile allocated; /* so that no allocation is left out */

static void expect(long got, long expected)
{
	if (got == expected)
		return;
	fprintf(stderr, "got %ld, expected %ld\n", got, expected);
	exit(1);
}

/* 100 x 1000 bytes; what fails reads nothing. */
static FUNCTION void read_some(int zero)
{
	for (int i = 0; i < 100; i++)
		expect(read(zero, buffer, 1000), 1000);
	for (int i = 0; i < 10; i++)
		expect(read(-1, buffer, 1000), -1);
	KEEP_FRAME();
}

/* 50 x 3000 + 20 x (200 + 300) + 10 x 500 bytes */
static FUNCTION void read_more(int zero)
{
	struct iovec parts[] = { { buffer, 200 }, { buffer, 300 } };

	for (int i = 0; i < 50; i++)
		expect(pread(zero, buffer, 3000, 0), 3000);
	for (int i = 0; i < 20; i++)
		expect(readv(zero, parts, 2), 500);
	for (int i = 0; i < 10; i++)
		expect(preadv(zero, parts, 2, 0), 500);
	KEEP_FRAME();
}

/* 40 x 100 + 30 x 200 + 20 x 500 + 10 x 500 bytes */
static FUNCTION void write_some(int null)
{
	struct iovec parts[] = { { buffer, 200 }, { buffer, 300 } };

	for (int i = 0; i < 40; i++)
		expect(write(null, buffer, 100), 100);
	for (int i = 0; i < 30; i++)
		expect(pwrite(null, buffer, 200, 0), 200);
	for (int i = 0; i < 20; i++)
		expect(writev(null, parts, 2), 500);
	for (int i = 0; i < 10; i++)
		expect(pwritev(null, parts, 2, 0), 500);
	KEEP_FRAME();
}

/* 100 x 1000 bytes */
static FUNCTION void allocate_plainly(void)
{
	for (int i = 0; i < 100; i++) {
		allocated = malloc(1000);
		free(allocated);
	}
	KEEP_FRAME();
}

/* 10 x (30 x 40 + 700 + 2000 + 300000 + 640 + 128) bytes: realloc stands for malloc once, and
 * grows what it has, in place, elsewhere, and by mremap. */
static FUNCTION void allocate_variously(void)
{
	void *volatile nothing = NULL;
	volatile size_t n = 30;

	for (int i = 0; i < 10; i++) {
		allocated = calloc(n, 40);
		free(allocated);
		allocated = realloc(nothing, 700);
		allocated = realloc(allocated, 2000);
		allocated = realloc(allocated, 300000);
		free(allocated);
		void *aligned;
		expect(posix_memalign(&aligned, 64, 640), 0);
		allocated = aligned;
		free(allocated);
		allocated = aligned_alloc(64, 128);
		free(allocated);
	}
	KEEP_FRAME();
}

void called(long a, long b, long c, long d, long e, long f, long seventh);

/* For all files, so that it takes its arguments where the ABI has them: the seventh is on the stack
 * everywhere but on arm64. */
FUNCTION void called(long a, long b, long c, long d, long e, long f, long seventh)
{
	(void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)seventh;
	KEEP_FRAME();
}

/* 200 calls, of 3 */
static FUNCTION void call_seldom(void)
{
	for (int i = 0; i < 200; i++)
		called(2, 3, 4, 5, 6, 7, 3);
	KEEP_FRAME();
}

/* 600 calls, of 5 */
static FUNCTION void call_often(void)
{
	for (int i = 0; i < 600; i++)
		called(2, 3, 4, 5, 6, 7, 5);
	KEEP_FRAME();
}

static FUNCTION void touch(char *pages, size_t n, size_t page_size)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)pages)[i * page_size] = 1;
	KEEP_FRAME();
}

static FUNCTION void fault(size_t n)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, n * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	if (pages == MAP_FAILED || madvise(pages, n * page_size, MADV_NOHUGEPAGE))
		exit(1);
	touch(pages, n, page_size);
	munmap(pages, n * page_size);
	KEEP_FRAME();
}

/* 64 pages */
static FUNCTION void fault_seldom(void)
{
	fault(64);
	KEEP_FRAME();
}

/* 192 pages */
static FUNCTION void fault_often(void)
{
	fault(192);
	KEEP_FRAME();
}

/* 150 system calls */
static FUNCTION void ask_kernel(void)
{
	for (int i = 0; i < 150; i++)
		syscall(SYS_getppid);
	KEEP_FRAME();
}

int main(void)
{
	int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);

	if (zero < 0 || null < 0)
		return 1;
	read_some(zero);
	read_more(zero);
	write_some(null);
	allocate_plainly();
	allocate_variously();
	call_seldom();
	call_often();
	fault_seldom();
	fault_often();
	ask_kernel();
	return 0;
}
