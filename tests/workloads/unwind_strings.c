/* String functions at sizes and alignments that take different ways through them: the C library
 * has several of each, and which are called is the processor's choice. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#define SIZE 2048

static const size_t sizes[] = { 0, 1, 3, 7, 15, 17, 31, 40, 65, 100, 127, 160, 257, 600 };
static char from[SIZE] __attribute__((aligned(64))), to[SIZE] __attribute__((aligned(64)));
static volatile long sink;

/* By pointers, so that the compiler knows nothing about them. */
static struct {
	void *(*copy)(void *, const void *, size_t);
	void *(*move)(void *, const void *, size_t);
	void *(*set)(void *, int, size_t);
	int (*compare)(const void *, const void *, size_t);
	void *(*find)(const void *, int, size_t);
	void *(*find_last)(const void *, int, size_t);
} volatile memory = { memcpy,
		      memmove,
		      memset,
		      memcmp,
		      (void *(*)(const void *, int, size_t))memchr,
		      (void *(*)(const void *, int, size_t))memrchr };

static void use_memory(size_t size, size_t at, size_t to_at)
{
	memory.copy(to + to_at, from + at, size);
	memory.move(to + at, to + to_at, size);
	memory.move(to + to_at + 3, to + to_at, size);
	memory.set(to + at, 'y', size);
	sink += memory.compare(to + at, from + to_at, size);
	sink += memory.compare(from + at, from + to_at, size);
	sink += memory.find(from + at, 'z', size) != NULL;
	sink += memory.find_last(from + at, 'z', size) != NULL;
}

static void use_strings(size_t size, size_t at, size_t to_at)
{
	from[at + size] = '\0';
	sink += (long)strlen(from + at) + (long)strnlen(from + at, size / 2);
	strcpy(to + to_at, from + at);
	strncpy(to + to_at, from + at, size + 5);
	stpcpy(to + to_at, from + at);
	sink += strcmp(to + to_at, from + at) + strncmp(to + to_at, from + at, size);
	sink += strcasecmp(to + to_at, from + at) + strncasecmp(to + to_at, from + at, size);
	strcat(to + to_at, from + at);
	strncat(to + to_at, from + at, size / 2);
	sink += strchr(from + at, 'z') != NULL;
	sink += strrchr(from + at, 'x') != NULL;
	from[at + size] = 'x';
}

int main(void)
{
	size_t n = sizeof(sizes) / sizeof(sizes[0]);

	memset(from, 'x', SIZE);
	for (size_t i = 0; i < n; i++) {
		use_memory(sizes[i], i, 2 * i % 16);
		use_strings(sizes[i], i, 5);
	}
	for (size_t at = 0; at < 16; at++)
		memory.copy(to, from + at, 90);
	return 0;
}
