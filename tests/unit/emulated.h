/*
 * An emulator of user mode (qemu-aarch64) runs programs of other machines as processes of this one.
 * What the kernel tells about such a process is the emulator's: its mappings, its memory, its
 * threads.
 */
#ifndef TESTS_UNIT_EMULATED_H
#define TESTS_UNIT_EMULATED_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Emulators answer for /proc/self, but not for the same place by another path. */
static inline bool is_emulated(void)
{
	char path[64], self[PATH_MAX], same[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/self/task/%d/exe", getpid());
	ssize_t n_self = readlink("/proc/self/exe", self, sizeof(self));
	ssize_t n_same = readlink(path, same, sizeof(same));
	return n_self >= 0 && n_same >= 0 &&
	       (n_self != n_same || memcmp(self, same, (size_t)n_self) != 0);
}

/* In a test, after cmocka.h. */
#define SKIP_IF_EMULATED(what)                                                            \
	do {                                                                              \
		if (is_emulated()) {                                                      \
			print_message("an emulator runs this: the kernel knows its " what \
				      " instead\n");                                      \
			skip();                                                           \
		}                                                                         \
	} while (0)

#endif
