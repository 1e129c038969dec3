/*
 * Functions of libc for the static program alone. The linker directs calls here (--wrap), because
 * glibc's load shared libraries, which have to be of the very version that was linked, or the
 * program may crash. So no library can be loaded (libdw and SQLite ask for some, too) but the
 * two that are a part of this program, and users are found in /etc/passwd alone.
 */
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "perf/kinds/pfm/pfm_library.h"
#include "report/code/capstone_decoder.h"

/* The names are the linker's. */
void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlsym(void *handle, const char *name);
int __wrap_dlclose(void *handle);
char *__wrap_dlerror(void);
struct passwd *__wrap_getpwnam(const char *name);

typedef void any_function(void);

struct part {
	const char *library, *name;
	any_function *function;
};

#define OF_CAPSTONE(function) { CAPSTONE_LIBRARY, #function, (any_function *)(function) },
#define OF_PFM(function)      { PFM_LIBRARY, #function, (any_function *)(function) },
static const struct part parts[] = { CAPSTONE_FUNCTIONS(OF_CAPSTONE) PFM_FUNCTIONS(OF_PFM) };
#define N_PARTS (sizeof(parts) / sizeof(parts[0]))

/* A handle is the name of the library. */
void *__wrap_dlopen(const char *file, int mode)
{
	(void)mode;
	for (size_t i = 0; file && i < N_PARTS; i++) {
		if (strcmp(parts[i].library, file) == 0)
			return (void *)parts[i].library;
	}
	return NULL;
}

void *__wrap_dlsym(void *handle, const char *name)
{
	void *found = NULL;

	for (size_t i = 0; handle && !found && i < N_PARTS; i++) {
		if (strcmp(parts[i].library, handle) == 0 && strcmp(parts[i].name, name) == 0)
			memcpy(&found, &parts[i].function, sizeof(found));
	}
	return found;
}

int __wrap_dlclose(void *handle)
{
	(void)handle;
	return 0;
}

char *__wrap_dlerror(void)
{
	static char text[] = "a static program loads no libraries but its own";

	return text;
}

/* Valid until the next call, as that of getpwnam(3) is. */
struct passwd *__wrap_getpwnam(const char *name)
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd *entry = NULL;

	while (file && (entry = fgetpwent(file)) && strcmp(entry->pw_name, name) != 0)
		;
	if (file)
		fclose(file);
	return entry;
}
